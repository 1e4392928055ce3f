//! The component that prints the merged text, each part with the file and line that it comes from.
//!
//! In: `rules.merged`. Out: its text. Never: looks at a file.

use promptweave_plugin::{Cache, Component, Cx, Error, Section};
use serde::Deserialize;

use crate::config::Config;
use crate::merge::Span;

/// What the section needs of `rules.merged`.
#[derive(Deserialize)]
struct Merged {
    text: String,
    #[serde(default)]
    spans: Vec<Span>,
}

pub(crate) struct InstructionFiles;

impl Component<Config> for InstructionFiles {
    const ID: &'static str = "instruction_files";
    const DESCRIPTION: &'static str =
        "The instruction files that are in force, each line with its file";
    const DEPS: &'static [&'static str] = &["rules.merged"];
    const CACHE: Cache = Cache::Session;

    fn render(_: &Config, cx: &mut Cx<'_>) -> Result<Section, Error> {
        let Some(json) = cx.get_json("rules.merged")? else { return Ok(Section::Nothing) };
        let Some(Merged { text, spans }) = serde_json::from_str(json)? else {
            return Ok(Section::Nothing);
        };
        let mut at = 0;
        for Span { start, end, path, line } in &spans {
            // A host may give the key itself: what its spans leave out is text all the same.
            let (Some(before), Some(own)) = (text.get(at..*start), text.get(*start..*end)) else {
                return Err(format!(
                    "the span {start}..{end} of `rules.merged` is no part of its text"
                )
                .into());
            };
            cx.write(before)?;
            match (path, line) {
                (Some(path), Some(line)) => write_lines(cx, own, path, *line)?,
                (Some(path), None) => cx.write_from(own, path, 0)?,
                (None, _) => cx.write(own)?,
            }
            at = *end;
        }
        cx.write(text.get(at..).unwrap_or_default())?;
        Ok(Section::Written)
    }
}

/// Writes a text line by line, each with its number.
fn write_lines(cx: &mut Cx<'_>, text: &str, path: &str, first: u32) -> Result<(), Error> {
    let mut lines = text.split_inclusive('\n').zip(first..);
    lines.try_for_each(|(text, line)| cx.write_from(text, path, line))
}
