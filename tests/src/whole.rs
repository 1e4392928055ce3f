//! Checks what must hold for every prompt, whatever its pack.
//!
//! In: a prompt. Out: what does not hold, as a sentence. Never: knows what the text should be.

use promptweave::{CacheClass, Prompt, SpanKind, TextLayer, TextLayerKind};

/// Panics unless [`fault`] finds nothing.
///
/// # Panics
/// When something does not hold.
#[track_caller]
pub fn check(prompt: &Prompt) {
    if let Err(fault) = fault(prompt) {
        panic!("{fault}\n{:?}", prompt.text());
    }
}

/// Spans cover the text in order and without gaps, each byte has an origin, heads lie before what is
/// wider, blocks joined and layers joined are the text, sections and hinges lie inside it.
///
/// # Errors
/// The first of these that does not hold.
pub fn fault(prompt: &Prompt) -> Result<(), String> {
    spans(prompt)?;
    origins(prompt)?;
    heads(prompt)?;
    hinges(prompt)?;
    layers(prompt)?;
    parts(prompt)
}

fn hold(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

fn spans(prompt: &Prompt) -> Result<(), String> {
    let (text, mut end) = (prompt.text(), 0);
    for span in prompt.spans() {
        hold(span.range.start == end, || format!("there is a gap before {span:?}"))?;
        hold(span.range.end > end, || format!("{span:?} is empty"))?;
        end = span.range.end;
        hold(text.is_char_boundary(end), || format!("{span:?} ends inside a character"))?;
        let is_named = matches!(span.kind, SpanKind::Section | SpanKind::Placeholder);
        hold(span.id.is_some() == is_named, || format!("{span:?} has the wrong name"))?;
    }
    hold(end == text.len(), || format!("the spans end at {end}"))
}

fn origins(prompt: &Prompt) -> Result<(), String> {
    for span in prompt.spans() {
        let shown = format!("{span:?}");
        let ends = [span.range.start, span.range.end - 1];
        let same = |byte| prompt.origin_at(byte).is_some_and(|found| format!("{found:?}") == shown);
        hold(ends.into_iter().all(same), || format!("{shown} is not the origin of its bytes"))?;
        let mut inner = span.range.clone();
        let covers = |byte| prompt.origin_at(byte).is_some_and(|found| found.range == span.range);
        hold(inner.all(covers), || format!("{shown} does not cover its bytes"))?;
    }
    hold(prompt.origin_at(prompt.text().len()).is_none(), || "the end has an origin".into())
}

fn heads(prompt: &Prompt) -> Result<(), String> {
    let (head, session) = (prompt.static_head(), prompt.session_head());
    let len = prompt.text().len();
    hold(head <= session && session <= len, || format!("{head} <= {session} <= {len}"))?;
    for span in prompt.spans() {
        let start = span.range.start;
        let fits = span.class == CacheClass::Static
            || start >= head && (span.class == CacheClass::Session || start >= session);
        hold(fits, || format!("{span:?} stands in a head: {head}, {session}"))?;
    }
    Ok(())
}

fn hinges(prompt: &Prompt) -> Result<(), String> {
    let (head, session) = (prompt.static_head(), prompt.session_head());
    let mut least = head;
    for hinge in prompt.hinges() {
        hold(hinge.class > CacheClass::Static, || format!("{hinge:?} is static"))?;
        hold(hinge.at >= least, || {
            format!("{hinge:?} stands too early: {head}, or the one before")
        })?;
        let fits = hinge.class < CacheClass::Volatile || hinge.at >= session;
        hold(fits, || format!("{hinge:?} stands in the session head: {session}"))?;
        least = hinge.at;
    }
    hold(least <= prompt.text().len(), || "a hinge stands behind the text".into())
}

fn layers(prompt: &Prompt) -> Result<(), String> {
    let (text, layers, mut joined) = (prompt.text(), prompt.layers(), String::new());
    for layer in &layers {
        let content = text.get(layer.range.clone()).unwrap_or_default();
        hold(!content.is_empty(), || format!("{layer:?} is empty"))?;
        joined.push_str(content);
    }
    hold(joined == text, || format!("the layers are not the text: {joined:?}"))?;
    let neighbours = layers.iter().zip(layers.iter().skip(1));
    for (one, next) in neighbours {
        hold((one.kind, &one.name) != (next.kind, &next.name), || format!("{next:?} goes on"))?;
    }
    for section in prompt.sections() {
        let is_own =
            |layer: &&TextLayer| layer.kind == TextLayerKind::Section && layer.name == section.id;
        let own: Vec<&TextLayer> = layers.iter().filter(is_own).collect();
        let ends =
            own.first().zip(own.last()).map(|(first, last)| first.range.start..last.range.end);
        hold(ends.as_ref() == Some(&section.range), || format!("{section:?} has layers {ends:?}"))?;
    }
    Ok(())
}

fn parts(prompt: &Prompt) -> Result<(), String> {
    let text = prompt.text();
    let blocks: Vec<&str> = prompt.blocks().map(|block| block.text).collect();
    hold(blocks.concat() == text, || "the blocks are not the text".into())?;
    hold(blocks.iter().all(|block| !block.is_empty()), || "a block is empty".into())?;
    for section in prompt.sections() {
        let shown = text.get(section.range.clone());
        let is_there = shown.is_some_and(|text| !text.is_empty());
        hold(is_there, || format!("{section:?} does not lie in the text"))?;
        let same = prompt.section(&section.id) == shown;
        hold(same, || format!("{section:?} is not the section of its name"))?;
    }
    Ok(())
}
