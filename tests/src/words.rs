//! What every diagnostic owes to its reader.
//!
//! In: diagnostics. Out: a panic at the first that owes something. Never: knows what should have been told.

use std::collections::BTreeSet;

use promptweave::{Code, Diagnostic, Origin};

/// Judges the words and the place of a diagnostic.
///
/// # Panics
/// When it has no place, no help, another severity than its code, or words of the wrong shape.
pub fn judge(told: &Diagnostic) {
    assert!(!matches!(told.origin, Origin::Engine), "no place: {told}");
    // A plugin says itself how grave its report is; an unknown key of a manifest may be one of a later version.
    let own = matches!(told.code, Code::PluginReport | Code::PluginManifest);
    assert!(own || told.severity == told.code.severity(), "{told}");
    let help = told.help.as_deref().unwrap_or_default();
    for text in [told.message.as_str(), help] {
        let first = text.chars().next();
        assert!(first.is_some_and(|first| !first.is_uppercase()), "`{text}` of {told}");
        assert!(!text.ends_with('.') || text.ends_with("..."), "`{text}` of {told}");
        assert!(!text.contains('\n') && text.matches('`').count() % 2 == 0, "`{text}` of {told}");
    }
}

/// Checks that the same is never said twice of one place.
///
/// # Panics
/// When it is.
pub fn once<'d>(told: impl Iterator<Item = &'d Diagnostic>) {
    let mut seen = BTreeSet::new();
    for one in told {
        let at = (one.code, one.origin.to_string(), one.message.clone());
        assert!(seen.insert(at), "told twice: {one}");
    }
}
