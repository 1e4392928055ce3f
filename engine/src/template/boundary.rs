//! Keeps a text within the element that it is printed in.
//!
//! In: the name of an element, a text. Out: the text in which no tag of that element is one any more, nor of those whose names stand for
//! words of the prompt's own. Never: changes a text without such a tag.

use std::borrow::Cow;

use super::scope::Val;

/// The element around the first user message.
pub(crate) const REMINDER: &str = "system-reminder";

/// Elements by which prompts mark text from outside, and which nobody else has a use for. That of the guard is not among
/// them: it is put around a text before the text gets here.
const MARKS: [&str; 3] = [REMINDER, "memory-context", "server-notes"];

/// The text with `&lt;` for the `<` of each tag of the element, and of the [`MARKS`], however the tag is written.
pub(crate) fn contained<'t>(tag: &str, text: &'t str) -> Cow<'t, str> {
    let own: Vec<usize> = text
        .match_indices('<')
        .map(|(at, _)| at)
        .filter(|at| MARKS.into_iter().chain([tag]).any(|tag| names(&text[at + 1..], tag)))
        .collect();
    if own.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut from) = (String::with_capacity(text.len() + 3 * own.len()), 0);
    for at in own {
        out.push_str(&text[from..at]);
        out.push_str("&lt;");
        from = at + 1;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// `inside tag text`: the text as it may stand in the element, which the template writes; the same value where nothing changes.
pub(super) fn inside<'f>(tag: &str, text: &Val<'f>) -> Result<Val<'f>, String> {
    check(tag)?;
    let printed = text.printed();
    Ok(match contained(tag, &printed) {
        Cow::Borrowed(_) => text.clone(),
        Cow::Owned(changed) => Val::owned(changed),
    })
}

/// `fence tag text most`: the text as an element, at most so many bytes of it.
pub(super) fn fence<'f>(tag: &str, text: &str, most: Option<&Val<'_>>) -> Result<Val<'f>, String> {
    check(tag)?;
    let most = match most {
        None => text.len(),
        Some(Val::Json(json)) => json.as_u64().map_or(text.len(), |most| most as usize),
        Some(_) => return Err("the most bytes are no number".into()),
    };
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut out = format!("<{tag}>\n{}", contained(tag, &text[..end]));
    if end < text.len() {
        out.push_str(&format!("\n[{} more bytes are left out]", text.len() - end));
    }
    out.push_str(&format!("\n</{tag}>"));
    Ok(Val::owned(out))
}

fn check(tag: &str) -> Result<(), String> {
    match !tag.is_empty() && tag.chars().all(is_name) {
        true => Ok(()),
        false => Err("the name of the element is not letters, digits, `-` and `_`".into()),
    }
}

/// Whether what stands behind a `<` makes it a tag of the element, for a reader who forgives much.
fn names(behind: &str, tag: &str) -> bool {
    let name = behind.trim_start_matches(|c: char| c == '/' || is_no_letter(c));
    name.split_at_checked(tag.len())
        .is_some_and(|(name, after)| name.eq_ignore_ascii_case(tag) && !after.starts_with(is_name))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// Blank, or not seen at all.
fn is_no_letter(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
