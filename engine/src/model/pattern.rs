#[derive(Clone, Debug)]
pub struct Patterns;
