//! What a prompt answers: kept, so that a receipt can say it.

use crate::blocks::Caching;
use crate::model::Context;
use crate::select::Ask;

/// What a prompt answers.
#[derive(Debug, Default)]
pub(super) struct Question {
    pub(super) context: Context,
    pub(super) ask: Ask,
    pub(super) memory: Memory,
    pub(super) caching: Caching,
}

/// Whether earlier builds had a say in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Memory {
    #[default]
    None,
    Session,
}
