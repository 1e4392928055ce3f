//! Two prompts, part by part.
//!
//! In: parts with names and texts. Out: what became of each, and where two texts part. Never: builds or prints anything.

use std::borrow::Cow;
use std::time::Duration;

use promptweave::{CacheClass, Origin, Prompt, TextLayerKind, TokenCounter};
use similar::{Algorithm, ChangeTag, TextDiff, capture_diff_slices};

/// After that long a difference is told more coarsely.
const MAX_TIME: Duration = Duration::from_secs(2);

/// A part of a prompt, with more that is known of it.
#[derive(Clone, Debug)]
pub struct Part<More> {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What more is known.
    pub more: More,
}

/// What a part is and weighs.
#[derive(Clone, Debug)]
pub struct Weight {
    /// How long it stays the same.
    pub class: CacheClass,
    /// Tokens of its text by itself.
    pub tokens: usize,
    /// Where it is from.
    pub origin: Origin,
}

/// What became of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Same,
    /// Its text is the same, and its place among the others is not.
    Moved,
    /// Its text is another one.
    Changed,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

impl Change {
    /// One word, lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved => "moved",
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// A part before and after; at least one is there.
#[derive(Debug)]
pub struct Pair<'p, More> {
    /// What became of it.
    pub change: Change,
    /// As it was.
    pub before: Option<&'p Part<More>>,
    /// As it is now.
    pub after: Option<&'p Part<More>>,
}

impl<More> Pair<'_, More> {
    /// Its name.
    pub fn name(&self) -> &str {
        self.after.or(self.before).map_or("", |part| &part.name)
    }

    /// Its lines that differ; none when they are the same.
    pub fn difference(&self) -> Option<String> {
        let text = |part: Option<&Part<More>>| part.map_or(String::new(), |one| one.text.clone());
        let (before, after) = (text(self.before), text(self.after));
        (before != after).then(|| difference(&before, &after))
    }
}

/// The parts of a prompt: its layers, those of one name as one; what stands between them is the last.
pub fn parts(prompt: &Prompt, counter: &TokenCounter) -> Vec<Part<Weight>> {
    let (between, named): (Vec<_>, Vec<_>) =
        prompt.layers().into_iter().partition(|layer| layer.kind == TextLayerKind::Between);
    let mut parts: Vec<Part<Weight>> = Vec::new();
    for layer in named.into_iter().chain(between) {
        let text = prompt.text().get(layer.range.clone()).unwrap_or_default();
        let tokens = counter.count(text).0;
        if let Some(part) = parts.iter_mut().find(|part| *part.name == *layer.name) {
            part.text.push_str(text);
            part.more.tokens += tokens;
            part.more.class = part.more.class.max(layer.class);
            continue;
        }
        let more = Weight { class: layer.class, tokens, origin: layer.origin };
        parts.push(Part { name: layer.name.to_string(), text: text.into(), more });
    }
    parts
}

/// Each part of either side once, in the order of the second side.
pub fn pairs<'p, More>(before: &'p [Part<More>], after: &'p [Part<More>]) -> Vec<Pair<'p, More>> {
    let names = |parts: &'p [Part<More>]| -> Vec<&'p str> {
        parts.iter().map(|part| part.name.as_str()).collect()
    };
    let (old, new) = (names(before), names(after));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let changes = ops.iter().flat_map(|op| op.iter_changes(&old, &new));
    let pair = |change: similar::Change<&str>| {
        let of = |parts: &'p [Part<More>]| parts.iter().find(|part| part.name == change.value());
        let (before, after) = (of(before), of(after));
        let is_same = before.zip(after).is_some_and(|(one, other)| one.text == other.text);
        let change = match (change.tag(), before, after) {
            // Shown where it stands now.
            (ChangeTag::Delete, _, Some(_)) => return None,
            (ChangeTag::Delete, _, None) => Change::Removed,
            (ChangeTag::Insert, None, _) => Change::Added,
            (ChangeTag::Insert, Some(_), _) if is_same => Change::Moved,
            (ChangeTag::Equal, _, _) if is_same => Change::Same,
            (ChangeTag::Insert | ChangeTag::Equal, _, _) => Change::Changed,
        };
        Some(Pair { change, before, after })
    };
    changes.filter_map(pair).collect()
}

/// The lines that differ, as a unified difference without heads.
pub fn difference(before: &str, after: &str) -> String {
    // Most parts end without a line end, which says nothing of their last line.
    let [old, new] = [before, after].map(ended);
    let (old, new) = if old == new { (before.into(), after.into()) } else { (old, new) };
    let diff = TextDiff::configure().timeout(MAX_TIME).diff_lines(&*old, &*new);
    diff.unified_diff().to_string()
}

fn ended(text: &str) -> Cow<'_, str> {
    match text {
        "" => Cow::Borrowed(text),
        text if text.ends_with('\n') => Cow::Borrowed(text),
        text => Cow::Owned(format!("{text}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(parts: &[(&str, &str)]) -> Vec<Part<()>> {
        let part = |(name, text): &(&str, &str)| Part {
            name: (*name).into(),
            text: (*text).into(),
            more: (),
        };
        parts.iter().map(part).collect()
    }

    #[test]
    fn each_part_is_told_once() {
        let before = sides(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]);
        let after = sides(&[("c", "1"), ("a", "1"), ("d", "2"), ("e", "1")]);
        let pairs = pairs(&before, &after);
        let told: Vec<String> =
            pairs.iter().map(|pair| format!("{} {}", pair.name(), pair.change.as_str())).collect();
        assert_eq!(told, ["c moved", "a same", "b removed", "d changed", "e added"]);
        assert_eq!(pairs[3].difference().as_deref(), Some("@@ -1 +1 @@\n-1\n+2\n"));
        assert_eq!(pairs[0].difference(), None);
    }

    #[test]
    fn a_last_line_is_a_line() {
        assert_eq!(difference("a\nb", "a"), "@@ -1,2 +1 @@\n a\n-b\n");
        let ends = "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n";
        assert_eq!(difference("a\n", "a"), ends);
    }
}
