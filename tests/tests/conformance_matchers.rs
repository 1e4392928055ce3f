//! Every choice of another program's matchers, from a pack that says the same in patterns and conditions.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use promptweave::{Ask, Engine};
use promptweave_tests::{conformance, pack};
use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Deserialize)]
struct Row {
    provider: String,
    model: String,
    native: bool,
    compact: bool,
    selected: String,
}

#[test]
fn selects_the_same_variant() {
    let Some(path) = conformance::find("cline-matchers.jsonl") else { return };
    let rows: Vec<Row> = conformance::rows(&path);
    let folder = pack::fixture("packs/cline-matchers");
    let engine = Engine::builder().pack_dir(folder).strict(true).build().unwrap();
    let wrong: Vec<String> = rows.iter().filter_map(|row| differs(&engine, row)).collect();
    eprintln!("{} of {} rows select the same variant", rows.len() - wrong.len(), rows.len());
    assert!(wrong.is_empty(), "{} rows, such as {:#?}", wrong.len(), &wrong[..wrong.len().min(5)]);
}

fn differs(engine: &Engine, row: &Row) -> Option<String> {
    let flags = if row.compact { vec!["compact"] } else { vec![] };
    let context = pack::context(json!({
        "provider": { "id": row.provider }, "model": { "id": row.model },
        "native_tools": row.native, "flags": flags,
    }));
    let selection = engine.select(&context, &Ask::default()).expect("a variant");
    let found = selection.variant.id.as_str();
    (found != row.selected).then(|| format!("{row:?} selects {found}"))
}
