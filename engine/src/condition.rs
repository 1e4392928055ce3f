#[derive(Clone, Debug)]
pub struct Condition;
