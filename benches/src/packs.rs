//! Packs of a known shape, made of made texts.
//!
//! In: nothing. Out: engines with their contexts, and the parts that a concatenation would take.
//! Never: reads a file.

use promptweave::{Context, Engine, MemorySource};
use serde_json::json;

use crate::texts::{PROSE, text};

/// A pack whose sections are literal, between fixed texts.
#[derive(Debug)]
pub struct Made {
    /// An engine of this pack alone.
    pub engine: Engine,
    /// A context that its variant claims.
    pub context: Context,
    /// The prompt before it is tidied, in parts.
    pub parts: Vec<String>,
}

impl Made {
    /// The parts, borrowed.
    pub fn parts(&self) -> Vec<&str> {
        self.parts.iter().map(String::as_str).collect()
    }
}

/// 15 sections of 2 kB, nothing tidied: what the evaluation of a base template costs.
///
/// # Panics
/// Never: an engine that is not strict can always be built.
pub fn ready() -> Made {
    made(&[2000; 15], "\n\n", "off")
}

/// 13 sections, 57 kB, tidied by the classic chain: the shape of a long prompt with tools in text.
///
/// # Panics
/// Never: an engine that is not strict can always be built.
pub fn long() -> Made {
    let bytes = [150, 34_000, 900, 800, 3_600, 1_400, 3_500, 300, 700, 7_500, 300, 2_000, 1_200];
    made(&bytes, "\n\n====\n\n", "classic")
}

/// Where the first words of prose stand, behind a separator.
const PROSE_BEGINS: usize = "\n\n====\n\n".len();

/// A section's text: it neither begins nor ends with what tidying would take.
fn section(bytes: usize) -> String {
    let text = text(PROSE, bytes + PROSE_BEGINS);
    text[PROSE_BEGINS..].trim_end().to_owned()
}

/// 15 sections, 30 kB, of which one in the middle prints what `memory.text` says; with two values of that.
#[derive(Debug)]
pub struct Lively {
    /// An engine of this pack alone.
    pub engine: Engine,
    /// Two contexts that differ in `memory.text`; each twice, so that nothing is the same but the values.
    pub contexts: [Context; 4],
    /// The finished prompt of the first, in parts.
    pub parts: Vec<String>,
}

/// The pack of [`Lively`], tidied structurally.
///
/// # Panics
/// Never: the pack has no mistakes.
pub fn lively() -> Lively {
    const VOLATILE: usize = 7;
    let texts: Vec<String> = (0..15).map(|_| section(2000)).collect();
    let ids: Vec<String> = (0..texts.len()).map(|at| format!("section_{at}")).collect();
    let tags: Vec<String> = ids.iter().map(|id| format!("{{{{{id}}}}}")).collect();
    let mut files = vec![
        ("pack.toml".into(), "format = 1\nname = \"made\"\nversion = \"1\"\n".into()),
        ("generic.toml".into(), format!("order = {ids:?}\n")),
        ("generic.hbs".into(), tags.join("\n\n") + "\n"),
    ];
    for (at, (id, text)) in ids.iter().zip(&texts).enumerate() {
        let body = if at == VOLATILE {
            "template = '{{memory.text}}'".into()
        } else {
            format!("text = '''{text}'''\n")
        };
        files.push((format!("components/{id}.toml"), body));
    }
    let engine = Engine::builder().pack(MemorySource::new("made", files)).build();
    let context = |memory: &str| {
        let context = json!({ "cwd": "/p", "date": "2026-01-15", "memory": { "text": memory } });
        Context::from_value(context).expect("an object")
    };
    let (one, other) = (texts[VOLATILE].as_str(), texts[VOLATILE].replace("the", "one"));
    let contexts = [context(one), context(&other), context(one), context(&other)];
    let parts = texts.iter().flat_map(|text| ["\n\n".to_owned(), text.clone()]).skip(1).collect();
    Lively { engine: engine.expect("an engine that is not strict"), contexts, parts }
}

fn made(sizes: &[usize], between: &str, tidy: &str) -> Made {
    let ids: Vec<String> = (0..sizes.len()).map(|at| format!("section_{at}")).collect();
    let texts: Vec<String> = sizes.iter().map(|&bytes| section(bytes)).collect();
    let tags: Vec<String> = ids.iter().map(|id| format!("{{{{{id}}}}}")).collect();
    let mut files = vec![
        ("pack.toml".into(), "format = 1\nname = \"made\"\nversion = \"1\"\n".into()),
        ("generic.toml".into(), format!("order = {ids:?}\ntidy = \"{tidy}\"\n")),
        ("generic.hbs".into(), tags.join(between) + "\n"),
    ];
    for (id, text) in ids.iter().zip(&texts) {
        files.push((format!("components/{id}.toml"), format!("text = '''{text}'''\n")));
    }
    let engine = Engine::builder().pack(MemorySource::new("made", files)).build();
    let context = Context::from_value(json!({ "cwd": "/p", "date": "2026-01-15" }));
    let parts = texts.into_iter().flat_map(|text| [between.to_owned(), text]).skip(1).collect();
    Made {
        engine: engine.expect("an engine that is not strict"),
        context: context.expect("an object"),
        parts,
    }
}

/// A template of `tags` tags: plain names, blocks and calls of helpers.
pub fn template(tags: usize) -> String {
    let unit = "Some words {{name_of_it}} and more.\n{{#if (eq mode \"plan\")}}Plan {{cwd}}.{{else}}Act.{{/if}}\n";
    unit.repeat(tags / 5)
}

/// The standard pack.
///
/// # Panics
/// Never: an engine that is not strict can always be built.
pub fn standard() -> Engine {
    Engine::builder()
        .pack(promptweave_variants::standard())
        .build()
        .expect("an engine that is not strict")
}

/// A context for the standard pack whose model no family claims, so that every variant is asked.
///
/// # Panics
/// Never: it is an object.
pub fn unclaimed() -> Context {
    let context = json!({
        "model": { "id": "vendor/model-of-no-family", "context_window": 200_000 }, "provider": { "id": "vendor" },
        "cwd": "/p", "date": "2026-01-15", "tools": ["read_file", "edit_file", "run_command", "search_text"],
    });
    Context::from_value(context).expect("an object")
}
