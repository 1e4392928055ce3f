//! Templates of a public peer: where they are plain placeholders, its text is ours.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value as Json;

use super::{Table, sound, template};
use crate::template::Missing;
use crate::template::scan::scan;
use crate::template::token::{Kind, Token, is_symbol};

#[derive(Deserialize)]
struct Row {
    id: String,
    tags: Vec<String>,
    template: String,
    values: Json,
    expected: String,
}

fn rows() -> Option<Vec<Row>> {
    #[expect(clippy::disallowed_methods, reason = "tests are told where the data is")]
    let folder = std::env::var("PROMPTWEAVE_CONFORMANCE").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join("template.jsonl")).ok()?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Why our text need not be the peer's; none for rows of plain placeholders only.
fn reason(row: &Row) -> Option<&'static str> {
    let (tokens, mistake) = scan(&row.template);
    if row.tags.iter().any(|tag| tag == "js_quirk") {
        return Some("a habit of JavaScript's objects");
    }
    if mistake.is_some() {
        return Some("braces that are no tag here");
    }
    if row.template.contains("\\{{") {
        return Some("an escape");
    }
    let mut reason = None;
    for token in tokens {
        let Token::Tag(tag) = token else { continue };
        let text = tag.span.of(&row.template);
        let path = tag.body.of(&row.template);
        let names = path.split('.').all(|name| !name.is_empty() && name.bytes().all(is_symbol));
        let why = match tag.kind {
            Kind::Comment => "a comment",
            Kind::Value if text.starts_with("{{{") => "three braces",
            Kind::Value if tag.trim_before || tag.trim_after => "a `~`",
            Kind::Value if path.is_empty() => "a tag without a name",
            Kind::Value if names => continue,
            Kind::Value => "a name that needs brackets here",
            _ => "a block, a partial, or what opens one",
        };
        reason = reason.or(Some(why));
    }
    reason
}

#[test]
fn plain_placeholders() {
    let Some(rows) = rows() else {
        println!("!!! conformance data not found: set PROMPTWEAVE_CONFORMANCE !!!");
        return;
    };
    let mut kinds: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for row in &rows {
        let evaluated =
            template(&row.template).evaluate(&Table::of(row.values.clone()), Missing::Keep);
        let ours = evaluated.map(|evaluated| {
            sound(&evaluated.traced);
            evaluated.traced.text
        });
        let ours = ours.map_err(|error| error.message);
        let same = match (&ours, reason(row)) {
            (Ok(text), _) if *text == row.expected => "same",
            (Ok(text), None) if sorted(text) == sorted(&row.expected) => "key order",
            (_, None) => {
                panic!("{}: {:?} gave {ours:?}, not {:?}", row.id, row.template, row.expected)
            }
            (Ok(_), Some(_)) => "other text",
            (Err(_), Some(_)) => "refused",
        };
        *kinds.entry((reason(row).unwrap_or("plain placeholders"), same)).or_default() += 1;
    }
    let table = kinds.iter().fold(String::new(), |mut table, ((reason, same), count)| {
        writeln!(table, "{count:4} {reason}: {same}").unwrap();
        table
    });
    println!("{} templates of a peer:\n{table}", rows.len());
    assert!(kinds[&("plain placeholders", "same")] > 0);
}

fn sorted(text: &str) -> Vec<char> {
    let mut sorted: Vec<char> = text.chars().collect();
    sorted.sort_unstable();
    sorted
}
