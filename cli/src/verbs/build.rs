//! `build`: prints the prompt.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use promptweave::{Offsets, Prompt, Target};
use promptweave_inspect::Built;
use serde_json::{Value as Json, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::payload::{Api, PayloadFlags};
use crate::select::Selectors;
use crate::table::{count, size};

const EXAMPLES: &str = "\
Examples:
  promptweave build --model claude-sonnet-4-5
  promptweave build -c context.json --format json --offsets utf16
  promptweave build -c context.json --section editing
  promptweave build -c context.json --format anthropic
  promptweave build -c context.json --format tools --target anthropic";

/// Print the prompt: its bytes and nothing else
///
/// On a terminal, standard error adds one line: the variant, sections, sizes and warnings.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Build {
    /// What is printed; `json` when --json is given
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print this section alone
    #[arg(long, value_name = "ID")]
    section: Option<String>,
    /// The unit of offsets in JSON
    #[arg(long, value_enum, default_value_t)]
    offsets: Unit,
    /// The API that `--format tools` declares to
    #[arg(long, value_enum)]
    target: Option<Api>,
    /// Write the context that it was built from, with what the machine and probes filled in, for `replay`
    #[arg(long, value_name = "FILE", conflicts_with = "session")]
    save_context: Option<PathBuf>,
    #[command(flatten)]
    payloads: PayloadFlags,
    #[command(flatten)]
    selectors: Selectors,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
    Blocks,
    Tools,
    Payload(Api),
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Text,
            Self::Json,
            Self::Blocks,
            Self::Tools,
            Self::Payload(Api(Target::Anthropic)),
            Self::Payload(Api(Target::Vertex)),
            Self::Payload(Api(Target::Bedrock)),
            Self::Payload(Api(Target::OpenAiChat)),
            Self::Payload(Api(Target::OpenAiResponses)),
            Self::Payload(Api(Target::OpenAiCompatible)),
            Self::Payload(Api(Target::Xai)),
            Self::Payload(Api(Target::Gemini)),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Text => ("text", "The prompt's text"),
            Self::Json => ("json", "Everything about it, as `promptweave schema result` describes"),
            Self::Blocks => ("blocks", "The text in runs of one cache scope, as a JSON array"),
            Self::Tools => {
                ("tools", "The effective tools as --target takes them, as a JSON object")
            }
            Self::Payload(api) => return Some(api.possible_value()),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// The unit of offsets.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum Unit {
    /// Bytes of UTF-8
    #[default]
    Bytes,
    /// UTF-16 code units, for editors
    Utf16,
}

impl Build {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let format = self.format.unwrap_or(if console.json { Format::Json } else { Format::Text });
        self.agree(format)?;
        let built = self.selectors.build(console)?;
        if let Some(file) = &self.save_context {
            files::replace_private(file, &format!("{:#}\n", built.context.as_json()))?;
        }
        match (format, &self.section) {
            (Format::Text, None) => console.out(built.prompt.text())?,
            (Format::Text, Some(id)) => console.out(section(&built.prompt, id)?)?,
            (Format::Json, None) => console.out_json(&built.result(self.offsets.into()))?,
            (Format::Json, Some(id)) => {
                section(&built.prompt, id)?;
                console.out_json(&one_section(&built.result(self.offsets.into()).to_json(), id))?;
            }
            (Format::Blocks, _) => console.out_json(&built.blocks())?,
            (Format::Tools, _) => return self.tools(console, &built),
            (Format::Payload(Api(target)), _) => {
                let to = (target, &self.selectors);
                console.out_json(&self.payloads.payload(console, &built, to)?)?;
            }
        }
        if console.err_is_terminal() && !console.json {
            console.say(&summary(console, &built));
        }
        Ok(())
    }

    /// Whether the flags ask for something that there is.
    fn agree(&self, format: Format) -> Result<(), Failure> {
        let sectioned = matches!(format, Format::Text | Format::Json);
        let why = match (format, self.target) {
            (Format::Tools, None) => "`--format tools` needs a `--target`",
            (Format::Text | Format::Json | Format::Blocks | Format::Payload(_), Some(_)) => {
                "`--target` goes with `--format tools`"
            }
            _ if self.section.is_some() && !sectioned => {
                "`--section` goes with `--format text` or `json`"
            }
            _ => return Ok(()),
        };
        Err(Failure::Usage(why.into()))
    }

    fn tools(&self, console: &Console, built: &Built) -> Result<(), Failure> {
        let Some(Api(target)) = self.target else { return Ok(()) };
        let ask = self.selectors.ask.ask();
        let declared = built.engine.declare_tools(&built.context, &ask, target.dialect())?;
        console.tell(&declared.diagnostics);
        self.selectors.strictness.judge(&declared.diagnostics)?;
        console.out_json(&json!({ "tools": declared.tools }))
    }
}

impl From<Unit> for Offsets {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Bytes => Self::Bytes,
            Unit::Utf16 => Self::Utf16,
        }
    }
}

/// The text of a section, or why there is none.
fn section<'p>(prompt: &'p Prompt, id: &str) -> Result<&'p str, Failure> {
    if let Some(text) = prompt.section(id) {
        return Ok(text);
    }
    if let Some(skipped) = prompt.skipped().iter().find(|skipped| skipped.id.as_str() == id) {
        let (reason, detail) = (skipped.reason.as_str(), &skipped.detail);
        return Err(Failure::Usage(format!(
            "section `{id}` is not in this prompt: {reason} ({detail})"
        )));
    }
    let known: Vec<&str> = prompt.sections().iter().map(|section| &*section.id).collect();
    Err(Failure::Usage(format!("there is no section `{id}`; there are: {}", known.join(", "))))
}

fn one_section(all: &Json, id: &str) -> Json {
    let sections = all["sections"].as_array().into_iter().flatten();
    sections.into_iter().find(|section| section["id"] == id).cloned().unwrap_or_default()
}

fn summary(console: &Console, built: &Built) -> String {
    let prompt = &built.prompt;
    let variant = prompt.variant();
    // The shell's prompt and this line begin at the left, whatever the text ends with.
    let apart = if console.out_is_terminal() && !prompt.text().ends_with('\n') { "\n" } else { "" };
    let tokens = built.tokens();
    format!(
        "{apart}{}@{}: {}, {} skipped; {}, {} ({}), static head {}; {}\n",
        variant.id,
        variant.version,
        count(prompt.sections().len(), "section"),
        prompt.skipped().len(),
        size(prompt.text().len()),
        count(tokens.total, "token"),
        tokens.method,
        size(prompt.static_head()),
        count(built.grave(), "warning"),
    )
}
