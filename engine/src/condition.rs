//! Stand-in for conditions.
use std::sync::Arc;

use crate::diagnostic::SourceText;

#[derive(Clone, Debug)]
pub struct Condition {
    pub source: Arc<SourceText>,
}
impl Condition {
    pub fn new(source: Arc<SourceText>) -> Condition {
        Self { source }
    }
}
