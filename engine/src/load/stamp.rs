//! Tells whether a file is as it was, without reading it.
//!
//! In: a path. Out: a [`Stamp`]. Never: follows what a file says, or fails: a file that cannot be looked at has no stamp.

use std::path::Path;
use std::time::UNIX_EPOCH;

use serde_json::{Value as Json, json};

/// The length of a file in bytes, and when it was changed last, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    len: u64,
    changed: u64,
}

impl Stamp {
    /// The stamp of a file; none when it cannot be looked at.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(Self { len: metadata.len(), changed: changed.as_nanos() as u64 })
    }

    /// `[length, time]`.
    pub(crate) fn to_json(self) -> Json {
        json!([self.len, self.changed])
    }

    /// Reads what [`Stamp::to_json`] wrote; none when it has another shape.
    pub(crate) fn from_json(json: &Json) -> Option<Self> {
        Some(Self { len: json[0].as_u64()?, changed: json[1].as_u64()? })
    }
}
