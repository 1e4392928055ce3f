//! `layers`: what each part of the prompt is, weighs and costs.

use clap::Args;
use promptweave::{Prompt, TextLayer, TextLayerKind, TokenCounter, TokenMethod};

use crate::console::Console;
use crate::failure::Failure;
use crate::select::Selectors;
use crate::table::{Table, count};

const EXAMPLES: &str = "\
Examples:
  promptweave layers --model claude-sonnet-4-5
  promptweave layers -c context.json --json";

/// List the parts of the prompt: section, origin, cache class, bytes, tokens, time
///
/// What stands between sections is summed up in the last row but one. With --json each part has its content and
/// the place where it stands.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Layers {
    #[command(flatten)]
    selectors: Selectors,
}

impl Layers {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let built = self.selectors.build(console)?;
        if console.json {
            return console.out_json(&built.layers());
        }
        console.out(text(&built.prompt, &built.counter))
    }
}

fn text(prompt: &Prompt, counter: &TokenCounter) -> String {
    let report = counter.report(prompt);
    let mut table = Table::with_heads(&["layer", "class", "bytes", "tokens", "ms", "origin"]);
    let layers = prompt.layers();
    let (between, named): (Vec<_>, Vec<_>) =
        layers.iter().partition(|layer| layer.kind == TextLayerKind::Between);
    for layer in named {
        let (tokens, _) = counter.count(content(prompt, layer));
        let ms = format!("{:.2}", layer.took.as_secs_f64() * 1e3);
        let ms = if layer.kind == TextLayerKind::Section { ms } else { String::new() };
        let (bytes, tokens) = (layer.range.len().to_string(), tokens.to_string());
        let origin = layer.origin.to_string();
        table.row([&*layer.name, layer.class.as_str(), &bytes, &tokens, &ms, &origin]);
    }
    if let Some(first) = between.first() {
        let bytes: usize = between.iter().map(|layer| layer.range.len()).sum();
        let tokens: usize =
            between.iter().map(|layer| counter.count(content(prompt, layer)).0).sum();
        let class = between.iter().map(|layer| layer.class).max().unwrap_or_default();
        let (bytes, tokens) = (bytes.to_string(), tokens.to_string());
        let places = format!("in {}", count(between.len(), "place"));
        table.row([&*first.name, class.as_str(), &bytes, &tokens, "", &places]);
    }
    let (bytes, tokens) = (prompt.text().len().to_string(), report.total.to_string());
    let origin = prompt.variant().origin.to_string();
    table.row(["whole", "", &bytes, &tokens, "", &origin]);
    let mut text = table.text();
    text.push_str(&ending(prompt, report.method));
    text
}

fn content<'p>(prompt: &'p Prompt, layer: &TextLayer) -> &'p str {
    prompt.text().get(layer.range.clone()).unwrap_or_default()
}

/// How tokens were counted, and what has no layer.
fn ending(prompt: &Prompt, method: TokenMethod) -> String {
    let mut text = format!("\ntokens: {method}\n");
    let skipped = prompt.skipped();
    if !skipped.is_empty() {
        let mut table = Table::default();
        for one in skipped {
            let why = format!("{}: {}", one.reason.as_str(), one.detail);
            table.row([one.id.as_str(), &why]);
        }
        text.push_str("\nskipped\n");
        text.push_str(&table.indented());
    }
    text
}
