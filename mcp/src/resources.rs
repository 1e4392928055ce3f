//! The files of packs, and the sources of things, as resources.
//!
//! In: an engine, URIs. Out: the texts that were loaded. Never: looks at the disk: a URI that no loaded file has leads nowhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use promptweave::{Engine, LoadedFile};
use promptweave_inspect::{ShowKind, show};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::refusal::Refusal;

/// Files of packs.
pub(crate) const FILES: &str = "pack://{pack}/{+path}";
/// The files that a thing is written in.
pub(crate) const SOURCES: &str = "source://{kind}/{id}";

/// The kinds of things that have a source.
pub(crate) const KINDS: [(&str, ShowKind); 4] = [
    ("variant", ShowKind::Variant),
    ("component", ShowKind::Component),
    ("tool", ShowKind::Tool),
    ("partial", ShowKind::Partial),
];

/// The loaded files by their URIs; of two packs with one name the later one counts.
pub(crate) fn files(engine: &Engine) -> BTreeMap<String, LoadedFile> {
    engine.files().into_iter().map(|file| (uri(&file), file)).collect()
}

fn uri(file: &LoadedFile) -> String {
    format!("pack://{}/{}", file.pack, encoded(&file.path))
}

/// All files, by URI.
pub(crate) fn list(engine: &Engine) -> Vec<Resource> {
    let files = files(engine).into_iter();
    let listed = files.map(|(uri, file)| {
        Resource::new(uri, format!("{}/{}", file.pack, file.path))
            .with_mime_type(mime_type(&file.path))
            .with_size(file.file.text().len() as u64)
    });
    listed.collect()
}

/// How the URIs of resources are made.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(FILES, "pack file")
            .with_description("a file of a pack, as it was loaded"),
        ResourceTemplate::new(SOURCES, "source").with_description(
            "the files that a variant, a component, a tool or a partial is written in",
        ),
    ]
}

/// The texts behind a URI: one of a file, perhaps several of a thing.
pub(crate) fn read(engine: &Engine, uri: &str) -> Result<ReadResourceResult, Refusal> {
    let files = files(engine);
    if let Some(file) = files.get(uri) {
        return Ok(ReadResourceResult::new(vec![contents(uri, file)]));
    }
    let thing = uri.strip_prefix("source://").ok_or_else(unknown)?;
    let (kind, id) = thing.split_once('/').ok_or_else(unknown)?;
    let (_, kind) = KINDS.iter().find(|(name, _)| *name == kind).ok_or_else(unknown)?;
    let shown =
        show(engine.registry(), *kind, id).map_err(|why| Refusal::failed("not-found", why))?;
    let of = |name: &str| files.iter().find(|(_, file)| file.file.name() == name);
    let found = shown.0.iter().filter_map(|file| of(file.name()));
    Ok(ReadResourceResult::new(found.map(|(uri, file)| contents(uri, file)).collect()))
}

/// No resource has that URI.
pub(crate) fn unknown() -> Refusal {
    Refusal::failed("not-found", "there is no such resource")
        .help("`resources/list` names the files of packs")
}

/// The protocol has a code of its own for what is not there.
pub(crate) fn not_found(refusal: Refusal) -> ErrorData {
    let mut error = refusal.into_error();
    error.code = ErrorCode::RESOURCE_NOT_FOUND;
    error
}

fn contents(uri: &str, file: &LoadedFile) -> ResourceContents {
    ResourceContents::TextResourceContents {
        uri: uri.into(),
        mime_type: Some(mime_type(&file.path).into()),
        text: file.file.text().into(),
        meta: None,
    }
}

fn mime_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("toml") => "application/toml",
        Some("md") => "text/markdown",
        Some("json") => "application/json",
        Some("hbs") => "text/x-handlebars-template",
        _ => "text/plain",
    }
}

/// A path within a URI: all but unreserved characters and `/` by their bytes.
fn encoded(path: &str) -> String {
    path.bytes().fold(String::new(), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
        uri
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_encoded_byte_by_byte() {
        assert_eq!(encoded("components/a b-é%.md"), "components/a%20b-%C3%A9%25.md");
    }
}
