//! The reference pages are made of the help texts and of the schemas themselves.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use common::Sandbox;
use serde_json::Value as Json;

fn printed(arguments: &[&str]) -> String {
    let done = Sandbox::new().run(arguments, b"");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn check(name: &str, page: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    if std::env::var_os("PROMPTWEAVE_BLESS").is_some() {
        fs::write(&file, page).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "docs/{name} is stale; run `cargo xtask bless`");
}

/// All verbs, those of verbs behind them, in the order of their names; the manual has a page for each.
fn verbs() -> Vec<String> {
    let pages = tempfile::tempdir().unwrap();
    printed(&["man", pages.path().to_str().unwrap()]);
    let names = fs::read_dir(pages.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let verb = |name: String| {
        let verb = name.strip_prefix("promptweave-")?.strip_suffix(".1")?.replace('-', " ");
        (!verb.ends_with("help")).then_some(verb)
    };
    let mut verbs: Vec<String> = names.filter_map(verb).collect();
    verbs.sort();
    verbs
}

#[test]
fn the_page_of_the_command_line_is_its_help() {
    let mut page = String::from(
        "# Command line\n\n\
         What `promptweave VERB -h` prints; `--help` says more. Standard output carries the result alone, standard error the diagnostics.\n",
    );
    let help = printed(&["-h"]);
    write!(page, "\n## promptweave\n\n```text\n{}\n```\n", help.trim_end()).unwrap();
    let verbs = verbs();
    assert!(verbs.iter().any(|verb| verb == "plugin list"), "{verbs:?}");
    for verb in verbs {
        let words: Vec<&str> = verb.split(' ').chain(["-h"]).collect();
        let help = printed(&words);
        let depth = if verb.contains(' ') { "###" } else { "##" };
        write!(page, "\n{depth} promptweave {verb}\n\n```text\n{}\n```\n", help.trim_end())
            .unwrap();
    }
    check("command-line.md", &page);
}

#[test]
fn the_page_of_the_formats_is_their_schemas() {
    let mut page = String::from(
        "# Formats, key by key\n\n\
         The schemas that `promptweave schema KIND` prints, as tables; `[]` is each item of a list, `*` each key of a table.\n",
    );
    for kind in ["pack", "patch", "variant", "component", "tool", "context", "result"] {
        let schema: Json = serde_json::from_str(&printed(&["schema", kind])).unwrap();
        // What stands between them is no tag.
        let title = schema["title"].as_str().unwrap_or(kind).replace('<', "\\<");
        write!(
            page,
            "\n## {kind}\n\n{title}\n\n| key | type | what it is |\n| --- | --- | --- |\n"
        )
        .unwrap();
        Rows { root: &schema, page: &mut page }.of(&schema, "", &mut Vec::new());
    }
    check("formats.md", &page);
}

/// Writes a row for each key of a schema, those of inner tables behind their own.
struct Rows<'s> {
    root: &'s Json,
    page: &'s mut String,
}

impl<'s> Rows<'s> {
    fn of(&mut self, schema: &'s Json, path: &str, within: &mut Vec<&'s str>) {
        let (schema, name) = self.resolve(schema);
        // What holds itself is told once.
        if name.is_some_and(|name| within.contains(&name)) {
            return;
        }
        within.extend(name);
        let join = |key: &str| if path.is_empty() { key.into() } else { format!("{path}.{key}") };
        for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
            let required =
                schema["required"].as_array().is_some_and(|keys| keys.contains(&key[..].into()));
            let path = join(key);
            self.row(&path, inner, required);
            self.of(inner, &path, within);
        }
        if schema["items"].is_object() {
            self.of(&schema["items"], &format!("{path}[]"), within);
        }
        if schema["additionalProperties"].is_object() {
            self.of(&schema["additionalProperties"], &join("*"), within);
        }
        within.truncate(within.len() - usize::from(name.is_some()));
    }

    fn row(&mut self, path: &str, schema: &'s Json, required: bool) {
        let (resolved, _) = self.resolve(schema);
        let said = schema["description"].as_str().or(resolved["description"].as_str());
        let said = said.unwrap_or_default().replace('|', "\\|");
        let required = if required { "; required" } else { "" };
        writeln!(self.page, "| `{path}` | {}{required} | {said} |", self.kind(resolved)).unwrap();
    }

    /// The definition that a `$ref` means, and its name.
    fn resolve(&self, schema: &'s Json) -> (&'s Json, Option<&'s str>) {
        let name = schema["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/"));
        (name.map_or(schema, |name| &self.root["$defs"][name]), name)
    }

    fn kind(&self, schema: &'s Json) -> String {
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            return words.join(", ");
        }
        if let Some(value) = schema.get("const") {
            return format!("`{value}`");
        }
        let choices = ["oneOf", "anyOf"].iter().find_map(|key| schema[*key].as_array());
        // Where there is a type, they are about its keys.
        if let Some(choices) = choices.filter(|_| schema["type"].is_null()) {
            let kinds: Vec<String> =
                choices.iter().map(|choice| self.kind(self.resolve(choice).0)).collect();
            return kinds.join(" or ");
        }
        match &schema["type"] {
            Json::String(kind) if kind == "array" => {
                format!("list of {}", self.kind(self.resolve(&schema["items"]).0))
            }
            Json::String(kind) => kind.clone(),
            Json::Array(kinds) => {
                kinds.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" or ")
            }
            _ => "any".into(),
        }
    }
}
