//! `explain`: why this variant, why each section is in or out, where each placeholder came from.

use std::fmt::Write;

use clap::Args;
use promptweave::{JsonOptions, Prompt};

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
        let prompt = self.selectors.build(console)?.prompt;
        if console.json {
            let options = JsonOptions { without_texts: true, ..JsonOptions::default() };
            return console.out_json(&prompt.to_json(&options));
        }
        console.out(explained(&prompt))
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
        ("hinges", hinges(prompt)),
    ] {
        let lines = table.text();
        if !lines.is_empty() {
            let _ = writeln!(text, "{head}");
            lines.lines().for_each(|line| _ = writeln!(text, "  {line}"));
            text.push('\n');
        }
    }
    let _ = writeln!(
        text,
        "{} in all; static head {}, session head {}",
        size(prompt.text().len()),
        size(prompt.static_head()),
        size(prompt.session_head())
    );
    text
}

fn walk(prompt: &Prompt) -> Table {
    let mut table = Table::default();
    for asked in prompt.walk() {
        let said = if asked.matched { "yes" } else { "no" };
        let detail = format!("{}: {}", asked.reason, asked.detail);
        let detail = if asked.matched { asked.detail.clone() } else { detail };
        table.row([said, asked.variant.id.as_str(), &detail]);
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

fn placeholders(prompt: &Prompt) -> Table {
    let mut table = Table::default();
    for (name, layer) in prompt.placeholders() {
        table.row([&**name, layer.as_str()]);
    }
    table
}

fn hinges(prompt: &Prompt) -> Table {
    let mut table = Table::default();
    for hinge in prompt.hinges() {
        let at = format!("byte {}", hinge.at);
        table.row([&at, hinge.class.as_str(), &*hinge.cause, &hinge.origin.to_string()]);
    }
    table
}
