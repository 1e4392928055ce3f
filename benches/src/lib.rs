//! What the benches measure, and what they measure it against.
//!
//! In: sizes. Out: made texts and packs, plain ways to do the same work, measured ratios.
//! Never: uses a text that somebody else wrote.

pub mod chain;
pub mod contexts;
pub mod measure;
pub mod packs;
pub mod replies;
pub mod table;
pub mod texts;

/// The plainest way to make a prompt: its parts one after another.
pub fn concat(parts: &[&str]) -> String {
    let mut text = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        text.push_str(part);
    }
    text
}
