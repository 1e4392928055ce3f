//! Cache marks: as many as the provider takes, where it takes them, with lives that never rise.
//!
//! In: the marks of a form. Out: those that can be kept. Never: a request that is refused for its marks.

use super::Writing;
use super::form::{Block, Form, Kind, Life};
use crate::abilities::MarkForm;
use crate::note::NoteCode;

pub(super) fn apply(form: &mut Form<'_>, writing: &mut Writing<'_>) {
    let abilities = writing.abilities;
    if abilities.marks == MarkForm::None {
        for mark in form.marks() {
            if mark.take().is_some() {
                writing.note(NoteCode::MarkDropped, "");
            }
        }
        // Prefixes are found by themselves there: automatic caching is what happens anyway.
        form.auto_mark = None;
        return;
    }
    place(form, writing);
    let auto = form.auto_mark.filter(|_| !abilities.auto_mark.has());
    if let Some(life) = auto {
        form.auto_mark = None;
        // OpenAI sets one of its own besides ours.
        if abilities.marks != MarkForm::Breakpoints {
            automatic(form, life, writing);
        }
    }
    limit(form, writing);
    lower(form, writing);
}

/// Leaves out marks where the provider has no place for them.
fn place(form: &mut Form<'_>, writing: &mut Writing<'_>) {
    let abilities = writing.abilities;
    let mut dropped = 0;
    if !abilities.mark_tools.has() {
        dropped += form.tools.iter_mut().filter_map(|tool| tool.mark.take()).count();
    }
    for message in &mut form.messages {
        let has_results =
            message.blocks.iter().any(|block| matches!(block.kind, Kind::Result { .. }));
        for block in &mut message.blocks {
            lift(block, abilities.marks);
            let is_thought = matches!(block.kind, Kind::Thinking { .. } | Kind::Redacted(_));
            if is_thought || (has_results && !abilities.mark_results.has()) {
                dropped += usize::from(block.mark.take().is_some());
            }
        }
    }
    (0..dropped).for_each(|_| writing.note(NoteCode::MarkDropped, ""));
}

/// Where a mark is no field of its block, one inside of a result stands behind the result.
fn lift(block: &mut Block<'_>, marks: MarkForm) {
    let Block { kind: Kind::Result { parts, .. }, mark, .. } = block else { return };
    if marks != MarkForm::Control {
        let inner = parts.iter_mut().filter_map(|part| part.mark.take()).next_back();
        *mark = mark.or(inner);
    }
}

/// Automatic caching is a mark on the last block that can carry one.
fn automatic(form: &mut Form<'_>, life: Life, writing: &mut Writing<'_>) {
    let results = writing.abilities.mark_results.has();
    let last = form.messages.iter_mut().rev().find_map(|message| {
        let has_results =
            message.blocks.iter().any(|block| matches!(block.kind, Kind::Result { .. }));
        if has_results && !results {
            return None;
        }
        let can = |kind: &Kind<'_>| {
            !matches!(kind, Kind::Thinking { .. } | Kind::Redacted(_) | Kind::Other)
        };
        message.blocks.iter_mut().rev().find(|block| can(&block.kind))
    });
    writing.note(NoteCode::MarkMoved, "/cache_control");
    if let Some(block) = last {
        block.mark.get_or_insert(life);
    }
}

/// Leaves out marks over the limit: those of early messages are of the least use.
fn limit(form: &mut Form<'_>, writing: &mut Writing<'_>) {
    let automatic = usize::from(form.auto_mark.is_some());
    let head = form.tools.len() + form.system.len();
    let max = writing.abilities.max_marks.saturating_sub(automatic);
    let mut marks = form.marks();
    let count = marks.iter().filter(|mark| mark.is_some()).count();
    let mut over = count.saturating_sub(max);
    let (front, messages) = marks.split_at_mut(head);
    // Of those in front, the last covers the others.
    for mark in messages.iter_mut().chain(front.iter_mut()) {
        if over > 0 && mark.take().is_some() {
            over -= 1;
            writing.note(NoteCode::MarksOver, "");
        }
    }
}

/// Lives may not rise along the request.
fn lower(form: &mut Form<'_>, writing: &mut Writing<'_>) {
    let mut longest = if writing.abilities.hour.has() { Life::Hour } else { Life::FiveMinutes };
    let mut auto = form.auto_mark;
    for mark in form.marks().into_iter().chain([&mut auto]) {
        let Some(life) = mark else { continue };
        if *life > longest {
            *life = longest;
            writing.note(NoteCode::TtlLowered, "");
        }
        longest = *life;
    }
    form.auto_mark = auto;
}
