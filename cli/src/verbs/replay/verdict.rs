//! What differs between a receipt and what is built now.
//!
//! In: two receipts. Out: what differs in what went in and in what came out. Never: builds anything.

use serde_json::{Value as Json, json};

use super::receipt::{Pack, Receipt, Span};
use crate::compare::{self, Change, common_prefix, position};
use crate::table::{Table, count};

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
        table.text().lines().for_each(|line| text.push_str(&format!("  {line}\n")));
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
    let (old, new) = (before.sections(), after.sections());
    let mut all = Vec::new();
    for pair in compare::pairs(&old, &new) {
        let word = |now: Option<&compare::Part<()>>| {
            let is_moved = pair.change == Change::Moved;
            let place = if is_moved { " elsewhere" } else { "" };
            now.map(|part| format!("{}{place}", count(part.text.len(), "byte")))
        };
        if pair.change != Change::Same {
            let (was, is) = (word(pair.before), word(pair.after));
            let name = format!("{} {}", pair.name(), pair.change.as_str());
            all.push(Difference { what: "section", name, before: was, after: is });
        }
    }
    let asides: [(&'static str, fn(&Receipt) -> Option<&str>); 3] = [
        ("attribution", |one| one.attribution.as_deref()),
        ("prefix", |one| one.prefix.as_deref()),
        ("user_context", |one| one.user_context.as_deref()),
    ];
    for (what, text) in asides {
        if text(before) != text(after) {
            let size = |one: &Receipt| text(one).map(|text| count(text.len(), "byte"));
            let [was, is] = both.map(size);
            all.push(Difference { what, name: String::new(), before: was, after: is });
        }
    }
    all.extend(differ("tools", "", both.map(|one| Some(one.tools.join(", ")))));
    if before.text == after.text && before.blocks != after.blocks {
        let number = |one: &Receipt| Some(count(one.blocks.len(), "block"));
        let [was, is] = both.map(number);
        all.push(Difference {
            what: "blocks",
            name: "cut or shared otherwise".into(),
            before: was,
            after: is,
        });
    }
    all
}

fn first(before: &Receipt, after: &Receipt) -> First {
    let at = common_prefix(&before.text, &after.text);
    let (line, column) = position(&after.text, at);
    let [before, after] = [before, after].map(|one| one.span_at(at).cloned());
    First { at, line, column, before, after }
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
