#[derive(Debug)]
pub struct Template;
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Missing {
    #[default]
    Empty,
    Keep,
    Error,
}
