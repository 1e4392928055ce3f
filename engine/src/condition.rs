use std::sync::Arc;

use crate::diagnostic::SourceText;

#[derive(Clone, Debug)]
pub struct Condition(Arc<SourceText>);
impl Condition {
    pub(crate) fn new(source: Arc<SourceText>) -> Self {
        Self(source)
    }
    pub(crate) fn source(&self) -> &Arc<SourceText> {
        &self.0
    }
}
