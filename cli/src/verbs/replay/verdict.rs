//! What differs between a receipt and what is built now.
//!
//! In: two receipts. Out: what differs in what went in and in what came out. Never: builds anything.

use serde_json::{Value as Json, json};

use super::receipt::{Block, Pack, Receipt, Span};
use crate::table::{Table, count};
use promptweave_inspect::{self as inspect, Change, Part, common_prefix, position};

/// The characters of a digest, and how many of them tell it from others.
const DIGEST: usize = 64;
const SHORT: usize = 12;

/// What differs.
pub(super) struct Verdict {
    /// In what the prompt was made of: it may be the same nevertheless.
    inputs: Vec<Difference>,
    /// In what is sent.
    outputs: Vec<Difference>,
    /// Where the texts part.
    first: Option<First>,
    session: bool,
}

/// One thing that is another one now.
struct Difference {
    what: &'static str,
    /// Which of its kind; empty where there is one.
    name: String,
    before: Option<String>,
    after: Option<String>,
}

/// The first byte that differs.
struct First {
    at: usize,
    line: usize,
    column: usize,
    before: Option<Span>,
    after: Option<Span>,
}

impl Verdict {
    pub(super) fn new(before: &Receipt, after: &Receipt) -> Self {
        let first = (before.text != after.text).then(|| first(before, after));
        Self {
            inputs: inputs(before, after),
            outputs: outputs(before, after),
            first,
            session: before.session,
        }
    }

    /// Whether the same bytes are sent.
    pub(super) fn is_same(&self) -> bool {
        self.first.is_none() && self.outputs.is_empty()
    }

    pub(super) fn to_json(&self) -> Json {
        let all = |differences: &[Difference]| -> Json {
            differences.iter().map(Difference::to_json).collect()
        };
        let first = self.first.as_ref().map(|first| {
            json!({
                "at": first.at, "line": first.line, "column": first.column,
                "before": first.before, "after": first.after,
            })
        });
        json!({
            "same": self.is_same(), "inputs": all(&self.inputs), "outputs": all(&self.outputs),
            "first": first, "session": self.session,
        })
    }

    pub(super) fn text(&self, after: &Receipt) -> String {
        let size = count(after.text.len(), "byte");
        let mut text = match (self.is_same(), self.inputs.is_empty()) {
            (true, true) => format!("the same: {size}\n"),
            (true, false) => format!("the same: {size}, although not all is as it was\n"),
            (false, _) => "it differs\n".into(),
        };
        let mut table = Table::default();
        for one in self.inputs.iter().chain(&self.outputs) {
            let absent = || "none".to_owned();
            let [old, new] = [&one.before, &one.after].map(|it| it.as_deref().map(shortened));
            let words =
                format!("{}, now {}", old.unwrap_or_else(absent), new.unwrap_or_else(absent));
            table.row([one.what, &one.name, &words]);
        }
        if let Some(First { line, column, before, after, .. }) = &self.first {
            table.row(["text", "", &format!("parts at line {line}, column {column}")]);
            for (name, span) in [("before", before), ("now", after)] {
                let shown = span.as_ref().map_or("no byte with a known place".into(), Span::shown);
                table.row(["", name, &shown]);
            }
        }
        text.push_str(&table.indented());
        if self.session && !self.is_same() {
            text.push_str("the receipt is of a session: what that kept is in no receipt\n");
        }
        text
    }
}

impl Difference {
    fn to_json(&self) -> Json {
        let Self { what, name, before, after } = self;
        json!({ "what": what, "name": name, "before": before, "after": after })
    }
}

/// A difference in one thing, if there is one.
fn differ(
    what: &'static str,
    name: &str,
    [before, after]: [Option<String>; 2],
) -> Option<Difference> {
    (before != after).then(|| Difference { what, name: name.into(), before, after })
}

fn inputs(before: &Receipt, after: &Receipt) -> Vec<Difference> {
    let both = [before, after];
    let mut all = Vec::new();
    all.extend(differ("engine", "", both.map(|one| Some(one.engine.clone()))));
    let mut names: Vec<&str> =
        both.iter().flat_map(|one| &one.packs).map(|one| &*one.name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        // Packs may share a name.
        let own = |one: &Receipt| -> Vec<String> {
            one.packs.iter().filter(|pack| pack.name == name).map(Pack::shown).collect()
        };
        let own = both.map(|one| Some(own(one).join(" + ")).filter(|all| !all.is_empty()));
        all.extend(differ("pack", name, own));
    }
    let order =
        |one: &Receipt| -> Vec<String> { one.packs.iter().map(|pack| pack.name.clone()).collect() };
    if all.iter().all(|one| one.what != "pack") {
        all.extend(differ("packs", "", both.map(|one| Some(order(one).join(", ")))));
    }
    if before.context_sha256.is_some() {
        let digest = |one: &Receipt| one.context_sha256.clone();
        all.extend(differ("context", "", both.map(digest)));
    }
    let variant = |one: &Receipt| Some(format!("{}@{}", one.variant.id, one.variant.version));
    all.extend(differ("variant", "", both.map(variant)));
    all.extend(differ("level", "", both.map(|one| Some(one.variant.level.clone()))));
    all
}

fn outputs(before: &Receipt, after: &Receipt) -> Vec<Difference> {
    let both = [before, after];
    let mut all = sections(before, after);
    for (what, was, is) in [
        ("attribution", &before.attribution, &after.attribution),
        ("prefix", &before.prefix, &after.prefix),
        ("user_context", &before.user_context, &after.user_context),
    ] {
        if was != is {
            let [was, is] = [was, is].map(|it| it.as_ref().map(|text| count(text.len(), "byte")));
            all.push(Difference { what, name: String::new(), before: was, after: is });
        }
    }
    let tools = |one: &Receipt| Some(one.tools.join(", ")).filter(|all| !all.is_empty());
    all.extend(differ("tools", "", both.map(tools)));
    if before.text == after.text && before.blocks != after.blocks {
        let blocks = |one: &Receipt| one.blocks.iter().map(Block::shown).collect::<Vec<_>>();
        all.extend(differ("blocks", "", both.map(|one| Some(blocks(one).join(" + ")))));
    }
    all
}

fn sections(before: &Receipt, after: &Receipt) -> Vec<Difference> {
    let (old, new) = (before.sections(), after.sections());
    let pairs = inspect::pairs(&old, &new).into_iter();
    let differ = pairs.filter(|pair| pair.change != Change::Same).map(|pair| {
        let size = |part: Option<&Part<()>>| part.map(|part| count(part.text.len(), "byte"));
        Difference {
            what: "section",
            name: format!("{} {}", pair.name(), pair.change.as_str()),
            before: size(pair.before),
            after: size(pair.after),
        }
    });
    differ.collect()
}

fn first(before: &Receipt, after: &Receipt) -> First {
    let at = common_prefix(&before.text, &after.text);
    let (line, column) = position(&after.text, at);
    let [before, after] = [before, after].map(|one| one.span_at(at).cloned());
    First { at, line, column, before, after }
}

impl Block {
    fn shown(&self) -> String {
        format!("{} {}", count(self.text.len(), "byte"), self.scope)
    }
}

impl Pack {
    fn shown(&self) -> String {
        format!("{} sha256 {}", self.version, self.sha256)
    }
}

/// The words, digests by their first characters.
fn shortened(words: &str) -> String {
    let is_digest =
        |word: &str| word.len() == DIGEST && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = words.split(' ').map(|word| if is_digest(word) { &word[..SHORT] } else { word });
    words.collect::<Vec<_>>().join(" ")
}
