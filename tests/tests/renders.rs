//! What of a session's prompts is rendered anew. Alone in its process: other threads would decide which spans there are.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use promptweave::Clock;
use promptweave_tests::{pack, whole};
use serde_json::json;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Counts how often a prompt is rendered.
#[derive(Clone, Default)]
struct Renders(Arc<AtomicUsize>);

impl Subscriber for Renders {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if span.metadata().name() == "render" {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// A section that changes is put into the last prompt; only what others may see of it makes all be rendered.
#[test]
fn a_section_that_changes_does_not_make_the_rest_be_rendered() {
    let files = [
        ("generic.toml", "order = ['role', 'notes', 'place']"),
        ("generic.hbs", "# Role\n\n{{role}}\n\n## Notes\n\n{{notes}}\n\n====\n\n{{place}}\n"),
        ("components/role.md", "role"),
        ("components/notes.toml", "value = 'memory.text'"),
        ("components/place.md", "in {{cwd}}, {{mode}}"),
    ];
    let session = pack::engine(&files).session(Clock::default());
    let renders = Renders::default();
    let built = |memory: &str, mode: &str| {
        let context = json!({ "cwd": "/p", "memory": { "text": memory }, "mode": mode });
        let prompt = || session.prompt(&pack::context(context)).unwrap();
        whole::check(&tracing::subscriber::with_default(renders.clone(), prompt));
        renders.0.swap(0, Ordering::Relaxed)
    };
    for (memory, mode, expected) in [
        ("one", "act", 1),
        ("several words", "act", 0),
        ("two\nlines", "plan", 0),
        ("# a heading\n\n====", "plan", 0),
        ("ends with a line\n", "plan", 1),
        ("", "plan", 1),
        ("there again", "act", 1),
        ("and another", "act", 0),
    ] {
        assert_eq!(built(memory, mode), expected, "{memory:?}");
    }
}
