//! Patterns and conditions together: the fixture pack `cline-matchers` against recorded selections.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::*;
use crate::pattern::{PatternKind, Patterns, Subject};

#[derive(Deserialize)]
struct Variant {
    #[serde(rename = "match")]
    matcher: Option<Match>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Match {
    priority: i64,
    models: Option<Vec<String>>,
    providers: Option<Vec<String>>,
    when: Option<String>,
}

struct Candidate {
    id: String,
    priority: i64,
    models: Option<Patterns>,
    providers: Option<Patterns>,
    when: Option<Condition>,
}

impl Candidate {
    fn read(path: &Path) -> Option<Self> {
        let variant: Variant = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let matcher = variant.matcher?;
        Some(Self {
            id: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            priority: matcher.priority,
            models: matcher.models.map(|items| patterns(items, PatternKind::Model)),
            providers: matcher.providers.map(|items| patterns(items, PatternKind::Provider)),
            when: matcher.when.map(condition),
        })
    }

    fn matches(&self, model: &Subject, provider: &Subject, names: &dyn Names) -> bool {
        let fits =
            |list: &Option<Patterns>, id| list.as_ref().is_none_or(|it| it.matches(id).holds());
        fits(&self.models, model)
            && fits(&self.providers, provider)
            && self.when.as_ref().is_none_or(|when| when.decide(names).holds())
    }
}

fn patterns(items: Vec<String>, kind: PatternKind) -> Patterns {
    let items: Vec<_> = items.into_iter().map(|item| (item, Origin::Engine)).collect();
    let (patterns, diagnostics) = Patterns::parse(&items, kind);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    patterns
}

fn candidates() -> Vec<Candidate> {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/packs/cline-matchers");
    let files = std::fs::read_dir(pack).unwrap().map(|entry| entry.unwrap().path());
    let variants = files.filter(|path| !path.ends_with("pack.toml"));
    let mut candidates: Vec<_> = variants.filter_map(|path| Candidate::read(&path)).collect();
    candidates.sort_by(|a, b| (-a.priority, &a.id).cmp(&(-b.priority, &b.id)));
    candidates
}

#[allow(clippy::disallowed_methods, reason = "tests find their data through the environment")]
fn recorded() -> Option<String> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/conformance"));
    let folder = std::env::var("PROMPTWEAVE_CONFORMANCE").map_or_else(|_| beside(), PathBuf::from);
    std::fs::read_to_string(folder.join("cline-matchers.jsonl")).ok()
}

#[test]
fn recorded_selections_are_reproduced() {
    #[derive(Deserialize)]
    struct Row {
        provider: String,
        model: String,
        native: bool,
        compact: bool,
        selected: String,
    }
    let candidates = candidates();
    assert_eq!(candidates.len(), 11);
    let Some(rows) = recorded() else {
        return println!("SKIPPED: no conformance data; set PROMPTWEAVE_CONFORMANCE");
    };
    let mut wrong = Vec::new();
    for line in rows.lines() {
        let row: Row = serde_json::from_str(line).unwrap();
        let names = Object(json!({
            "provider": { "id": row.provider }, "model": { "id": row.model }, "native_tools": row.native,
            "flags": if row.compact { vec!["compact"] } else { vec![] },
        }));
        let (model, provider) = (Subject::model(&row.model), Subject::provider(&row.provider));
        let chosen = candidates.iter().find(|it| it.matches(&model, &provider, &names));
        let chosen = chosen.map_or("generic", |it| &it.id);
        if chosen != row.selected {
            wrong.push(format!("{chosen} for {line}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} rows:\n{}",
        wrong.len(),
        rows.lines().count(),
        wrong.join("\n")
    );
}
