//! Finds a model's name in an id: `us.anthropic.claude-opus-4-5-20251101-v1:0` is an `opus-4-5`, and no `opus-4`.

/// Whether an id holds a name, and no further number of a version behind it; with a `*` at its end, whatever follows.
pub(super) fn is_model(id: &str, name: &str) -> bool {
    match name.strip_suffix('*') {
        Some(front) => {
            id.match_indices(front).any(|(at, _)| !is_word(id[..at].chars().next_back()))
        }
        None => places(id, name).any(|rest| !continues(rest)),
    }
}

/// Whether an id holds a name as words of its own.
pub(super) fn is_like(id: &str, name: &str) -> bool {
    places(id, name).next().is_some()
}

/// What stands behind each place of the name.
fn places<'i>(id: &'i str, name: &'i str) -> impl Iterator<Item = &'i str> {
    id.match_indices(name).filter_map(move |(at, _)| {
        let (before, behind) = (&id[..at], &id[at + name.len()..]);
        let is_inside = is_word(before.chars().next_back()) || is_word(behind.chars().next());
        (!is_inside).then_some(behind)
    })
}

fn is_word(edge: Option<char>) -> bool {
    edge.is_some_and(char::is_alphanumeric)
}

/// Whether a version goes on: `-5`, `.6`; a date such as `-20251101` is none.
fn continues(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(['-', '.']) else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits) && !rest[digits..].starts_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart() {
        for (id, name, listed) in [
            ("claude-opus-4-20250514", "opus-4", true),
            ("claude-opus-4-5", "opus-4", false),
            ("us.anthropic.claude-opus-4-5-20251101-v1:0", "opus-4-5", true),
            ("anthropic/claude-opus-4.5", "opus-4.5", true),
            ("gpt-5.6", "gpt-5", false),
            ("gpt-5-mini", "gpt-5", true),
            ("gpt-4o", "gpt-4", false),
            ("foo3", "o3", false),
            ("gemma-3-27b-it", "gemma", false),
            ("gemma-3-27b-it", "gemma*", true),
            ("meta.llama3-70b", "llama*", true),
            ("ollama", "llama*", false),
        ] {
            assert_eq!(is_model(id, name), listed, "{id} {name}");
        }
        assert!(is_like("claude-opus-9", "opus") && !is_like("opuscule", "opus"));
    }
}
