//! What a plugin logs reaches the host's log, from wherever it may.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use promptweave_tests::hosted::{self, Home, Manifest, Mode};
use promptweave_tests::{native, pack};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

const TARGET: &str = "promptweave::plugin";

/// Keeps the lines of plugins: item and text.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<BTreeSet<(String, String)>>>);

#[derive(Default)]
struct Line {
    item: String,
    message: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}").trim_matches('"').to_owned();
        match field.name() {
            "item" => self.item = text,
            "message" => self.message = text,
            _ => {}
        }
    }
}

impl Subscriber for Lines {
    fn enabled(&self, of: &Metadata<'_>) -> bool {
        of.target() == TARGET
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.0.lock().unwrap().insert((line.item, line.message));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn every_line_is_logged() {
    let Some(library) = native::library("logs") else { return };
    for mode in [Mode::Process, Mode::InProc] {
        let mut expected = BTreeSet::from([
            ("", "in init"),
            ("", "in init without a context"),
            ("bad", "in a call"),
            ("", "in deinit"),
        ]);
        if mode == Mode::Process {
            expected.insert(("", "to standard error"));
        }
        let lines = Lines::default();
        tracing::subscriber::with_default(lines.clone(), || {
            let home = Home::new(&library, Manifest::of("logs"));
            let plugins = home.builder(mode).load();
            let pack = [("generic.toml", "order = [\"bad\", \"good\"]\n")];
            let (engine, _) = hosted::engine(&plugins, &pack);
            let begun = Instant::now();
            let all = || {
                let lines = lines.0.lock().unwrap();
                lines.iter().map(|(item, text)| (item.clone(), text.clone())).collect::<Vec<_>>()
            };
            // What goes to standard error is read when the child is waited for the next time.
            while all().len() < expected.len() && begun.elapsed() < Duration::from_secs(10) {
                engine.prompt(&pack::context(json!({}))).unwrap();
            }
        });
        let lines = lines.0.lock().unwrap();
        let told: BTreeSet<(&str, &str)> =
            lines.iter().map(|(item, text)| (&**item, &**text)).collect();
        assert_eq!(told, expected, "{mode:?}");
    }
}
