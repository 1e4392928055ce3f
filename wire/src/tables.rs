//! What words mean, as tables: the code's own data, for documentation and for hosts.
//!
//! In: the tables that conversion reads. Out: [`Table`]s. Never: something that conversion does not do.

use crate::abilities::AbilityData;
use crate::answer::{FINISHES, Meaning, WORDS};
use crate::event::FailureKind;
use crate::note::NoteCode;
use crate::request::{BUDGETS, SCHEMA_KEYS};
use crate::target::Target;

/// A table for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Table {
    /// What it is about, in kebab case.
    pub name: &'static str,
    /// The heads of its columns.
    pub head: Vec<String>,
    /// Its rows, each as long as the head.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    fn new<const N: usize>(name: &'static str, head: [&str; N], rows: Vec<[String; N]>) -> Self {
        let rows = rows.into_iter().map(Vec::from).collect();
        Self { name, head: head.iter().map(|head| (*head).to_owned()).collect(), rows }
    }

    /// The table in Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule: Vec<String> = self.head.iter().map(|_| "---".to_owned()).collect();
        let rows = self.rows.iter().map(|row| line(row));
        [line(&self.head), line(&rule)].into_iter().chain(rows).collect()
    }
}

/// All tables: `finish-reasons`, `failure-statuses`, `failure-words`, `efforts`, `notes`, `schema-keys`, `abilities`.
pub fn tables() -> Vec<Table> {
    vec![finishes(), statuses(), words(), efforts(), notes(), schema_keys(), abilities()]
}

fn code(word: &str) -> String {
    format!("`{word}`")
}

fn finishes() -> Table {
    let mut rows = Vec::new();
    for (targets, table) in FINISHES {
        let targets: Vec<&str> = targets.iter().map(|target| target.as_str()).collect();
        for (word, meaning) in *table {
            let word = if word.is_empty() { "empty".to_owned() } else { code(word) };
            let meaning = match meaning {
                Meaning::Ends(stop) => code(stop.as_str()),
                Meaning::Open => "nothing".to_owned(),
                Meaning::Fails => "an error event".to_owned(),
            };
            rows.push([targets.join(", "), word, meaning]);
        }
    }
    Table::new("finish-reasons", ["targets", "word", "`stop_reason`"], rows)
}

fn statuses() -> Table {
    let rows = FailureKind::ALL.iter();
    let rows = rows.map(|(kind, status)| [status.to_string(), code(kind.as_str())]).collect();
    Table::new("failure-statuses", ["status", "error"], rows)
}

fn words() -> Table {
    let rows = WORDS.iter().map(|(word, kind)| [code(word), code(kind.as_str())]).collect();
    Table::new("failure-words", ["word", "error"], rows)
}

fn efforts() -> Table {
    let most = |tokens: u64| match tokens {
        u64::MAX => "any above".to_owned(),
        tokens => format!("up to {tokens}"),
    };
    let rows = BUDGETS.iter().map(|(effort, tokens)| [code(effort), most(*tokens)]).collect();
    Table::new("efforts", ["effort", "budget in tokens"], rows)
}

fn notes() -> Table {
    let row = |note: &NoteCode| [code(note.as_str()), note.meaning().to_owned()];
    Table::new("notes", ["code", "what was done"], NoteCode::ALL.iter().map(row).collect())
}

fn schema_keys() -> Table {
    let keys: Vec<String> = SCHEMA_KEYS.iter().map(|key| code(key)).collect();
    Table::new("schema-keys", ["keys of a schema that Gemini takes"], vec![[keys.join(", ")]])
}

/// What each target's models take if nothing else is known of them.
fn abilities() -> Table {
    let all: Vec<Vec<(&str, String)>> = Target::ALL
        .iter()
        .map(|target| AbilityData::builtin().abilities(*target, "").entries())
        .collect();
    let keys = all.first().into_iter().flatten().map(|(key, _)| *key).enumerate();
    let row = |(at, key): (usize, &str)| {
        let values = all.iter().map(|entries| entries[at].1.clone());
        std::iter::once(code(key)).chain(values).collect()
    };
    let targets = Target::ALL.iter().map(|target| target.as_str().to_owned());
    let head = std::iter::once("key".to_owned()).chain(targets).collect();
    Table { name: "abilities", head, rows: keys.map(row).collect() }
}
