//! Checks what must hold for every prompt, whatever its pack.
//!
//! In: a prompt. Out: a panic that says what does not hold. Never: knows what the text should be.

use promptweave::{CacheClass, Prompt, SpanKind};

/// Spans cover the text in order and without gaps, each byte has an origin, heads lie before what is
/// wider, blocks joined are the text, sections and hinges lie inside it.
///
/// # Panics
/// When any of that does not hold.
pub fn check(prompt: &Prompt) {
    spans(prompt);
    heads(prompt);
    let text = prompt.text();
    let blocks: Vec<&str> = prompt.blocks().map(|block| block.text).collect();
    assert_eq!(blocks.concat(), text, "blocks joined are the text");
    assert!(blocks.iter().all(|block| !block.is_empty()), "no block is empty");
    for section in prompt.sections() {
        let shown = text.get(section.range.clone());
        assert!(
            shown.is_some_and(|text| !text.is_empty()),
            "section `{}` lies in the text",
            section.id
        );
        assert_eq!(prompt.section(&section.id), shown);
    }
}

fn spans(prompt: &Prompt) {
    let text = prompt.text();
    let mut end = 0;
    for span in prompt.spans() {
        assert_eq!(span.range.start, end, "spans follow each other without gaps");
        assert!(span.range.end > end, "no span is empty");
        end = span.range.end;
        assert!(text.is_char_boundary(end), "a span ends between characters");
        assert_eq!(
            span.id.is_some(),
            matches!(span.kind, SpanKind::Section | SpanKind::Placeholder)
        );
        for byte in [span.range.start, span.range.end - 1] {
            let found = prompt.origin_at(byte).expect("an origin for every byte");
            assert_eq!(
                (found.range, found.kind, found.class),
                (span.range.clone(), span.kind, span.class)
            );
            assert_eq!(found.origin.to_string(), span.origin.to_string());
        }
    }
    assert_eq!(end, text.len(), "the last span ends where the text ends");
    assert!(
        (0..text.len())
            .all(|byte| prompt.origin_at(byte).is_some_and(|span| span.range.contains(&byte)))
    );
    assert!(prompt.origin_at(text.len()).is_none());
}

fn heads(prompt: &Prompt) {
    let (head, session) = (prompt.static_head(), prompt.session_head());
    assert!(head <= session && session <= prompt.text().len(), "{head} <= {session}");
    for span in prompt.spans() {
        assert!(
            span.class < CacheClass::Session || span.range.start >= head,
            "{span:?} in the static head"
        );
        assert!(
            span.class < CacheClass::Volatile || span.range.start >= session,
            "{span:?} in the session head"
        );
    }
    let mut at = 0;
    for hinge in prompt.hinges() {
        assert!(hinge.at >= at && hinge.at <= prompt.text().len(), "hinges stand in text order");
        assert!(
            hinge.class > CacheClass::Static && hinge.at >= head,
            "{hinge:?} in the static head"
        );
        assert!(
            hinge.class < CacheClass::Volatile || hinge.at >= session,
            "{hinge:?} in the session head"
        );
        at = hinge.at;
    }
}
