use std::sync::Arc;

use crate::diagnostic::SourceText;

#[derive(Debug)]
pub struct Template(Arc<SourceText>);
impl Template {
    pub(crate) fn new(source: Arc<SourceText>) -> Self {
        Self(source)
    }
    pub(crate) fn source(&self) -> &Arc<SourceText> {
        &self.0
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Missing {
    #[default]
    Empty,
    Keep,
    Error,
}
