//! Ids that every API takes: `[A-Za-z0-9_-]+`, unlike each other within an answer.
//!
//! In: a provider's id, if there is one. Out: ours. Never: a random number; the same answer has the same ids.

use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(super) struct Ids(BTreeSet<String>);

impl Ids {
    /// The id of a call; made of the seed and its number where the provider gave none.
    pub(super) fn of(&mut self, given: Option<&str>, seed: &str) -> String {
        let number = self.0.len();
        let mut id = match given.map(cleaned) {
            Some(id) if !id.is_empty() => id,
            _ => format!("toolu_{}_{number}", cleaned(seed)),
        };
        while self.0.contains(&id) {
            id = format!("{id}_{number}");
        }
        self.0.insert(id.clone());
        id
    }
}

/// The id of a message.
pub(super) fn message(given: Option<&str>, seed: &str) -> String {
    match given.map(cleaned) {
        Some(id) if id.starts_with("msg_") => id,
        Some(id) if !id.is_empty() => format!("msg_{id}"),
        _ => format!("msg_{}", cleaned(seed)),
    }
}

/// An id with `_` in place of what no API takes.
pub(crate) fn cleaned(id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    id.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_safe_and_differ() {
        let mut ids = Ids::default();
        let all: Vec<String> =
            [Some("call_1"), Some("call_1"), Some("functions.get:0"), None, Some(""), None]
                .iter()
                .map(|given| ids.of(*given, "s.1"))
                .collect();
        let expected =
            ["call_1", "call_1_1", "functions_get_0", "toolu_s_1_3", "toolu_s_1_4", "toolu_s_1_5"];
        assert_eq!(all, expected);
        assert_eq!(message(Some("chatcmpl-1"), "s"), "msg_chatcmpl-1");
        assert_eq!(message(Some("msg_1"), "s"), "msg_1");
        assert_eq!(message(None, "s"), "msg_s");
    }
}
