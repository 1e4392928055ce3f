//! What prompts name in their words: a file for each case, laid over one pack. Those in `absent` name what is not there, and a
//! snapshot says what is told; those in `fine` must be told nothing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use promptweave::{Code, Diagnostic, Engine, MemorySource};
use promptweave_tests::words::judge;
use promptweave_tests::{conformance::read, pack, shown};
use serde::Deserialize;

/// What is looked for.
const CODES: &[Code] =
    &[Code::ToolAbsent, Code::PlaceholderLiteral, Code::SkillAbsent, Code::FileAbsent];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What the case is about, as a sentence.
    about: String,
    /// The skills that there are; nobody knows when absent.
    skills: Option<BTreeSet<String>>,
    /// Whether the pack below is left out.
    #[serde(default)]
    alone: bool,
    /// The component `rules`.
    rules: Option<String>,
    /// More files, by path; empty ones are left out.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

impl Case {
    fn told(&self) -> Vec<Diagnostic> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        if self.alone {
            files.insert("pack.toml".into(), pack::PACK.into());
        } else {
            files.extend(pack::read_files(&pack::fixture("words/pack")));
        }
        files.extend(self.rules.iter().map(|text| ("components/rules.md".into(), text.clone())));
        for (path, text) in &self.files {
            files.insert(path.clone(), text.trim_start().to_owned());
        }
        files.retain(|_, text| !text.is_empty());
        let engine = Engine::builder().pack(MemorySource::new("pack", files)).build().unwrap();
        let grave = |one: &Diagnostic| one.severity > promptweave::Severity::Note;
        let told = engine.diagnostics();
        assert!(!told.iter().any(grave), "{}", shown::diagnostics(told));
        let told = match &self.skills {
            Some(skills) => engine.check_with_skills(skills),
            None => engine.check(),
        };
        told.into_iter().filter(|one| CODES.contains(&one.code)).inspect(judge).collect()
    }
}

fn case(path: &Path) -> Case {
    toml::from_str(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn absent() {
    insta::glob!("../fixtures/words", "absent/*.toml", |path| {
        let case = case(path);
        let told = case.told();
        assert!(!told.is_empty(), "{}: nothing is told", path.display());
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.remove_snapshot_suffix();
        settings.set_omit_expression(true);
        let name = path.file_stem().unwrap().to_str().unwrap();
        let shown = format!("{}\n\n{}", case.about, shown::diagnostics(&told));
        settings.bind(|| insta::assert_snapshot!(name, shown));
    });
}

#[test]
fn fine() {
    insta::glob!("../fixtures/words", "fine/*.toml", |path| {
        let case = case(path);
        let told = case.told();
        assert!(told.is_empty(), "{}\n{}", case.about, shown::diagnostics(&told));
    });
}

/// What is told of a file one by one has an end, which says how much more there is.
#[test]
fn many_in_one_file() {
    const MANY: usize = 100_000;
    let names: String = (0..MANY).map(|at| format!("{{{{NAME_{at}}}}}\n")).collect();
    let text = format!("text = '''\n{names}'''\n");
    let files = [("components/rules.toml".into(), text), ("components/rules.md".into(), "".into())];
    let about = "far too many".into();
    let case = Case { about, skills: None, alone: false, rules: None, files: files.into() };
    let told = case.told();
    assert_eq!(told.len(), 101);
    let more = format!("at {} more of its places", MANY - 100);
    assert!(told.last().unwrap().message.contains(&more), "{:?}", told.last());
}
