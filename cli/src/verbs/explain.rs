//! `explain`: why this variant, why each section is in or out, where each placeholder came from.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::Args;
use promptweave::{Asked, CacheClass, Prompt};

use crate::console::Console;
use crate::failure::Failure;
use crate::select::Selectors;
use crate::table::{Table, size};

const EXAMPLES: &str = "\
Examples:
  promptweave explain --model gpt-5-codex
  promptweave explain -c context.json --json";

/// Say why this variant, why each section is in or out, and where each placeholder came from
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    #[command(flatten)]
    selectors: Selectors,
}

impl Explain {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let built = self.selectors.build(console)?;
        if console.json {
            return console.out_json(&built.explained());
        }
        console.out(explained(&built.prompt))
    }
}

fn explained(prompt: &Prompt) -> String {
    let variant = prompt.variant();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "variant {}@{}, family {}, from {}\nbecause {}\n",
        variant.id,
        variant.version,
        variant.family,
        variant.origin,
        prompt.why()
    );
    for (head, table) in [
        ("asked", walk(prompt)),
        ("sections", sections(prompt)),
        ("placeholders", placeholders(prompt)),
        ("size", heads(prompt)),
    ] {
        let lines = table.text();
        if !lines.is_empty() {
            let apart = if text.ends_with("\n\n") { "" } else { "\n" };
            let _ = writeln!(text, "{apart}{head}");
            lines.lines().for_each(|line| _ = writeln!(text, "  {line}"));
        }
    }
    text
}

fn walk(prompt: &Prompt) -> Table {
    let mut table = Table::default();
    for Asked { variant, matched, reason, detail, .. } in prompt.walk() {
        match matched {
            true => table.row(["yes", variant.id.as_str(), detail]),
            false => table.row(["no", variant.id.as_str(), &format!("{reason}: {detail}")]),
        }
    }
    table
}

fn sections(prompt: &Prompt) -> Table {
    let mut table = Table::default();
    for section in prompt.sections() {
        let origin = section.origin.to_string();
        table.row(["in", &section.id, section.class.as_str(), &size(section.range.len()), &origin]);
    }
    for skipped in prompt.skipped() {
        let why = format!("{}: {}", skipped.reason.as_str(), skipped.detail);
        table.row(["out", skipped.id.as_str(), "", "", &why]);
    }
    table
}

/// The names that each layer supplies; the last layer wins.
fn placeholders(prompt: &Prompt) -> Table {
    let mut layers: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for (name, layer) in prompt.placeholders() {
        layers.entry(layer).or_default().push(name);
    }
    let mut table = Table::default();
    for (layer, names) in layers {
        table.row([layer.as_str(), &names.join(", ")]);
    }
    table
}

/// How far the prompt stays the same, and what ends that.
fn heads(prompt: &Prompt) -> Table {
    let mut table = Table::default();
    for (name, bytes, wider_than) in [
        ("static head", prompt.static_head(), CacheClass::Static),
        ("session head", prompt.session_head(), CacheClass::Session),
    ] {
        let ends = prompt.hinges().find(|hinge| hinge.class > wider_than);
        let ends = ends.map(|hinge| format!("until `{}`, {}", hinge.cause, hinge.origin));
        table.row([name, &size(bytes), &ends.unwrap_or_default()]);
    }
    table.row(["whole", &size(prompt.text().len())]);
    table
}
