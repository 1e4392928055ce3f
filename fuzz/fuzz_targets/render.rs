//! Bytes become a template and a context: spans cover the text without gaps, heads and hinges lie in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promptweave::{Context, Engine, JsonOptions, MemorySource};

const PACK: &str = "format = 1\nname = \"fuzz\"\nversion = \"1\"\n";
const MODES: [&str; 3] = ["structural", "classic", "off"];
const MISSING: [&str; 2] = ["empty", "keep"];

/// Between the base template, the component, the partial and the context.
const CUT: &str = "\n%%\n";

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let mut parts = text.split(CUT);
    let mut next = || parts.next().unwrap_or_default();
    let (base, component, partial, context) = (next(), next(), next(), next());
    let (tidy, missing) = (MODES[choice as usize % 3], MISSING[choice as usize / 3 % 2]);
    let variant = format!("order = [\"a\", \"v\"]\ntidy = \"{tidy}\"\nmissing = \"{missing}\"\n");
    let files = [
        ("pack.toml", PACK), ("generic.toml", &variant), ("generic.hbs", base), ("components/a.md", component),
        ("components/v.toml", "value = \"rules.global\"\n"), ("partials/p.hbs", partial),
    ];
    let engine = Engine::builder().pack(MemorySource::new("fuzz", files)).build();
    let engine = engine.expect("an engine that is not strict");
    let context = Context::from_json(context).unwrap_or_default();
    let Ok(prompt) = engine.prompt(&context) else { return };
    let (text, mut end) = (prompt.text(), 0);
    for span in prompt.spans() {
        assert!(span.range.start == end && span.range.end > end, "spans without gaps");
        end = span.range.end;
        assert!(text.is_char_boundary(end), "spans end between characters");
    }
    assert_eq!(end, text.len(), "spans cover the text");
    assert!(prompt.hinges().all(|hinge| hinge.at <= text.len()), "hinges lie in the text");
    assert!(prompt.static_head() <= prompt.session_head() && prompt.session_head() <= text.len());
    assert_eq!(engine.prompt(&context).expect("again").text(), text, "the same inputs, the same bytes");
    assert!(prompt.to_json(&JsonOptions::default()).is_object());
});
