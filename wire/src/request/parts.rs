//! Images, documents and texts, in terms that several providers share.
//!
//! In: Anthropic's blocks. Out: what is in them. Never: a fetch; a URL stays one.

use serde_json::{Value as Json, json};

use super::Writing;
use super::form::{Block, Form, Kind};
use crate::note::NoteCode;

/// Where bytes come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'r> {
    Base64 {
        media: &'r str,
        data: &'r str,
    },
    Url(&'r str),
    Text(&'r str),
    /// A file of Anthropic's, or something new.
    Foreign,
}

/// What stands for an image that cannot be sent.
pub(super) const NO_IMAGE: &str = "[an image was left out: the model cannot see it]";
/// The same for a document.
pub(super) const NO_DOCUMENT: &str = "[a document was left out: the model cannot read it]";
/// What is said before the result of a call that failed, where there is no field for it.
pub(super) const FAILED: &str = "Error: ";

pub(super) fn source(block: &Json) -> Source<'_> {
    let Some(source) = block.get("source") else { return Source::Foreign };
    let text = |key: &str| source.get(key).and_then(Json::as_str).unwrap_or_default();
    match text("type") {
        "base64" => Source::Base64 { media: text("media_type"), data: text("data") },
        "url" => Source::Url(text("url")),
        "text" => Source::Text(text("data")),
        _ => Source::Foreign,
    }
}

/// The title of a document, as a file's name.
pub(super) fn title(block: &Json) -> &str {
    block
        .get("title")
        .and_then(Json::as_str)
        .filter(|title| !title.is_empty())
        .unwrap_or("document")
}

/// The address of an image, of data where it has no other.
pub(super) fn address(block: &Json) -> Option<String> {
    match source(block) {
        Source::Base64 { media, data } => Some(format!("data:{media};base64,{data}")),
        Source::Url(url) => Some(url.to_owned()),
        Source::Text(_) | Source::Foreign => None,
    }
}

/// Texts as one, with at least a blank line between them.
pub(super) fn joined<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            let ends = all.len() - all.trim_end_matches('\n').len();
            (ends..2).for_each(|_| all.push('\n'));
        }
        all.push_str(text);
    }
    all
}

/// The texts of blocks.
pub(super) fn texts<'b>(blocks: &'b [Block<'_>]) -> impl Iterator<Item = &'b str> {
    blocks.iter().filter_map(|block| match &block.kind {
        Kind::Text(text) => Some(&**text),
        _ => None,
    })
}

/// A result as one text, and the images that are in it.
pub(super) fn result<'b, 'r>(
    parts: &'b [Block<'r>],
    failed: bool,
    at: &str,
    writing: &mut Writing<'_>,
) -> (String, Vec<&'b Block<'r>>) {
    let mut said: Vec<String> = Vec::new();
    let mut images = Vec::new();
    for part in parts {
        match &part.kind {
            Kind::Text(text) => said.push(text.to_string()),
            Kind::Image(_) => images.push(part),
            Kind::Document(block) => said.push(document_text(block, at, writing)),
            // Search results and the like say what they have to say in their own form.
            _ => said.extend(part.raw.map(ToString::to_string)),
        }
    }
    let mut text = joined(said.iter().map(String::as_str));
    if failed {
        writing.note(NoteCode::ErrorAsText, at);
        text.insert_str(0, FAILED);
    }
    (text, images)
}

/// A document as text, where only text can be sent.
pub(super) fn document_text(block: &Json, at: &str, writing: &mut Writing<'_>) -> String {
    match source(block) {
        Source::Text(text) => {
            writing.note(NoteCode::DocumentAsText, at);
            text.to_owned()
        }
        Source::Base64 { .. } | Source::Url(_) | Source::Foreign => {
            writing.note(NoteCode::DocumentDropped, at);
            NO_DOCUMENT.to_owned()
        }
    }
}

/// Stop sequences that are taken; those over the limit are told.
pub(super) fn stops<'r>(form: &Form<'r>, writing: &mut Writing<'_>) -> Option<Vec<&'r str>> {
    let max = writing.abilities.max_stops;
    match form.stops.len() {
        0 => None,
        _ if max == 0 => {
            writing.note(NoteCode::StopDropped, "/stop_sequences");
            None
        }
        count => {
            if count > max {
                writing.note(NoteCode::StopShortened, "/stop_sequences");
            }
            Some(form.stops.iter().take(max).copied().collect())
        }
    }
}

/// A number for sampling, where the model takes it.
pub(super) fn sampling(form: &Form<'_>, key: &str, writing: &mut Writing<'_>) -> Option<Json> {
    let value = form.field(key)?;
    let abilities = writing.abilities;
    let takes = if key == "top_k" { abilities.top_k } else { abilities.sampling };
    if !takes.has() {
        writing.note(NoteCode::SamplingDropped, format!("/{key}"));
        return None;
    }
    Some(value.clone())
}

/// The schema that the answer's text must fit, if one is asked for.
pub(super) fn output_schema<'r>(form: &Form<'r>) -> Option<&'r Json> {
    form.field("output_config")?.get("format")?.get("schema")
}

/// A tool as OpenAI's APIs declare it, without what goes around it.
pub(super) fn function(tool: &super::form::Tool<'_>) -> Json {
    let mut function = json!({ "name": tool.name, "parameters": tool.schema_or_empty() });
    if let Some(description) = tool.description {
        function["description"] = description.into();
    }
    function
}
