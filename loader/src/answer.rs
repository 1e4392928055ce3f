//! What one call of an item gave.
//!
//! In: what the plugin's code wrote and said during the call. Out: [`Answer`]. Never: judges it; the host does.

/// The most reports of one call, and as many keys that it had not declared.
pub(crate) const MAX_REPORTS: usize = 64;
/// The most origins of one call.
pub(crate) const MAX_ORIGINS: usize = 4096;

/// The outcome of one call that came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) outcome: Outcome,
    pub(crate) reports: Vec<Report>,
    /// Where parts of the text come from, in the order in which they were told.
    pub(crate) origins: Vec<Origin>,
    /// Why the text is volatile after all.
    pub(crate) volatile: Option<String>,
    /// Keys and sections that the item read without having declared them.
    pub(crate) undeclared: Vec<String>,
}

impl Answer {
    /// Whether it is no longer than a call allows, with that many bytes of output.
    pub(crate) fn fits(&self, output: usize) -> bool {
        let text = match &self.outcome {
            Outcome::Nothing | Outcome::Failed(_) => 0,
            Outcome::Text(text) => text.len(),
        };
        text <= output
            && self.reports.len() <= MAX_REPORTS
            && self.undeclared.len() <= MAX_REPORTS
            && self.origins.len() <= MAX_ORIGINS
    }
}

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to say; of a matcher: no.
    #[default]
    Nothing,
    /// The text; of a matcher: yes, without text.
    Text(String),
    /// A sentence that says why there is no text.
    Failed(String),
}

/// What a plugin's code reported during a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// 1 error, 2 warning, else a note.
    pub(crate) severity: u32,
    pub(crate) code: String,
    pub(crate) message: String,
    /// Empty when there is none.
    pub(crate) help: String,
}

/// Bytes of the text that come from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) path: String,
    /// From 1; 0 when it is not known.
    pub(crate) line: u32,
}
