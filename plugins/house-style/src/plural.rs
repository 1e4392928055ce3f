//! A helper: `{{plural 3 "file"}}` prints `3 files`.
//!
//! In: two arguments. Out: text. Never: guesses; wrong arguments are an error with a hint.

use promptweave_plugin::{Cache, Cx, Error, Helper};

use crate::style::Style;

pub(crate) struct Plural;

impl Helper<Style> for Plural {
    const ID: &'static str = "plural";
    const DESCRIPTION: &'static str = "A number and its noun, in the plural where it needs one";
    // The same for the same arguments; how stable those are, the host knows.
    const CACHE: Cache = Cache::Static;

    fn help(_: &Style, cx: &mut Cx<'_>) -> Result<(), Error> {
        let Ok((count, noun)) = serde_json::from_str::<(u64, String)>(cx.args()) else {
            return Err("write it as `{{plural 3 \"file\"}}`: a whole number and a noun".into());
        };
        let ending = if count == 1 { "" } else { "s" };
        write!(cx, "{count} {noun}{ending}")
    }
}
