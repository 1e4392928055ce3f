//! A difference for people.
//!
//! In: two [`Side`]s. Out: sizes, the cache, the lines that differ. Never: prints what a terminal would obey.

use promptweave::{CacheClass, Span};
use promptweave_inspect::{
    Change, Effect, Pair, Part, Side, Weight, asides, deltas, effect, pairs as paired,
};

use crate::paint::{Hue, Paint};
use crate::table::{Table, count, visible};

/// Sizes first, then the cache, then the lines.
pub(super) fn text(before: &Side, after: &Side, paint: Paint) -> String {
    let pairs = paired(&before.parts, &after.parts);
    let mut text = String::new();
    for (mark, side, hue) in [("---", before, Hue::Removed), ("+++", after, Hue::Added)] {
        let line = visible(&format!("{mark} {} ({})", side.variant(), side.name));
        text.push_str(&format!("{}\n", paint.on(hue, &line)));
    }
    text.push('\n');
    text.push_str(&sizes(before, after, &pairs, paint));
    text.push_str(&format!("\n{}\n", paint.on(Hue::Head, "cache")));
    text.push_str(&costs(&effect(&before.built, &after.built)).indented());
    let of_parts = pairs.iter().filter(|pair| is_worth_lines(pair));
    let of_parts = of_parts.filter_map(|pair| Some((pair.name(), pair.difference()?)));
    for (name, lines) in of_parts.chain(asides(before, after)) {
        text.push_str(&format!("\n{}\n", paint.on(Hue::Head, &visible(name))));
        lines.lines().for_each(|line| text.push_str(&painted(line, paint)));
    }
    text
}

/// One row for each part, and one for the whole.
fn sizes(before: &Side, after: &Side, pairs: &[Pair<'_, Weight>], paint: Paint) -> String {
    let mut table = Table::with_heads(&["section", "", "bytes", "", "tokens", ""]);
    for pair in pairs {
        let [bytes, tokens] = deltas(pair);
        let part = pair.after.or(pair.before);
        let size = part.map_or(0, |part| part.text.len());
        let counted = part.map_or(0, |part| part.more.tokens);
        table.row([
            pair.name(),
            pair.change.as_str(),
            &size.to_string(),
            &signed(bytes),
            &counted.to_string(),
            &signed(tokens),
        ]);
    }
    let sides = [before, after].map(|side| (side.built.prompt.text().len(), side.tokens.total));
    let [(old_bytes, old_tokens), (bytes, tokens)] = sides;
    table.row([
        "whole",
        "",
        &bytes.to_string(),
        &signed(bytes as i64 - old_bytes as i64),
        &tokens.to_string(),
        &signed(tokens as i64 - old_tokens as i64),
    ]);
    let hues = [None].into_iter().chain(pairs.iter().map(|pair| hue(pair.change))).chain([None]);
    let mut text = String::new();
    for (line, hue) in table.text().lines().zip(hues) {
        let line = hue.map_or_else(|| line.to_owned(), |hue| paint.on(hue, line));
        text.push_str(&format!("{line}\n"));
    }
    let methods = [before, after].map(|side| side.tokens.method.to_string());
    text.push_str(&match methods {
        [old, new] if old == new => format!("\ntokens: {new}\n"),
        [old, new] => format!("\ntokens before: {old}\ntokens after: {new}\n"),
    });
    text
}

/// What stands between sections is mostly blank lines: their number is in the table.
fn is_worth_lines(pair: &Pair<'_, Weight>) -> bool {
    let lines = |part: Option<&Part<Weight>>| -> Vec<String> {
        let lines = part.into_iter().flat_map(|part| part.text.lines());
        lines.filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    };
    lines(pair.before) != lines(pair.after)
}

fn hue(change: Change) -> Option<Hue> {
    match change {
        Change::Same => None,
        Change::Moved | Change::Changed => Some(Hue::Place),
        Change::Added => Some(Hue::Added),
        Change::Removed => Some(Hue::Removed),
    }
}

fn signed(delta: i64) -> String {
    if delta == 0 { String::new() } else { format!("{delta:+}") }
}

/// How far the same prefix goes, what ends it, what is billed again.
fn costs(effect: &Effect) -> Table {
    let Effect { common, again, ends, apart, tools } = effect;
    let mut table = Table::default();
    let amount = |bytes: usize, tokens: usize| format!("{bytes} B, {}", count(tokens, "token"));
    let whole = if ends.is_none() { ": the whole text" } else { "" };
    table.row(["the same", &format!("{}{whole}", amount(common.bytes, common.tokens))]);
    if let Some(ends) = ends {
        let within = match ends.within {
            CacheClass::Static => "inside the static head",
            CacheClass::Session => "behind the static head, inside the session head",
            CacheClass::Volatile => "behind the session head",
        };
        table.row(["ends", &format!("at line {}, column {}, {within}", ends.line, ends.column)]);
        for (name, at) in [("before", &ends.before), ("after", &ends.after)] {
            table.row([name, &at.as_ref().map_or("the end of the text".into(), place)]);
        }
        if let Some(hinge) = &ends.hinge {
            let cause = format!("`{}`, {}, {}", hinge.cause, hinge.class, hinge.origin);
            table.row(["decided by", &cause]);
        }
    }
    table.row(["billed again", &amount(again.bytes, again.tokens)]);
    if let Some(apart) = apart {
        table.row(["", &format!("all of it: {}", apart.why())]);
    }
    if !tools.are_same() {
        let signed = |sign: char, ids: &[String]| -> Vec<String> {
            ids.iter().map(|id| format!("{sign}{id}")).collect()
        };
        let all = [signed('+', &tools.added), signed('-', &tools.removed)].concat();
        table.row(["tools", &all.join(" ")]);
    }
    table
}

fn place(span: &Span) -> String {
    let id = span.id.as_deref().unwrap_or(span.kind.as_str());
    format!("`{id}`, {}, {}", span.class, span.origin)
}

fn painted(line: &str, paint: Paint) -> String {
    let shown = visible(line);
    let hue = match line.bytes().next() {
        Some(b'+') => Some(Hue::Added),
        Some(b'-') => Some(Hue::Removed),
        Some(b'@') => Some(Hue::Place),
        _ => None,
    };
    format!("{}\n", hue.map_or_else(|| shown.clone(), |hue| paint.on(hue, &shown)))
}
