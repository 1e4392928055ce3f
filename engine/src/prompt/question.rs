//! What a prompt answers: kept, so that a receipt can say it.
//!
//! In: a context and an [`Ask`]. Out: [`Question`]. Never: changes a byte of the text.

use std::sync::Arc;

use crate::blocks::Caching;
use crate::model::Context;
use crate::select::Ask;

/// What a prompt answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Question {
    pub(super) context: Context,
    pub(super) ask: Ask,
    pub(super) memory: Memory,
    pub(super) caching: Arc<Caching>,
}

/// Whether earlier builds had a say in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Memory {
    #[default]
    None,
    Session,
}
