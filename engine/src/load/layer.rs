//! Reads every file of one layer.
//!
//! In: a layer. Out: what its files say, each on its own. Never: looks at other layers.

use std::sync::Arc;

use super::body::Scope;
use super::files::Files;
use super::layout::{Place, place};
use super::pack::{self, PackFile};
use super::patch::{self, PatchFile};
use super::variant::{self, VariantFile};
use super::{Layer, LayerKind, component, tool};
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile, SourceText};
use crate::model::{Component, Pack, PackName, Tool, ToolId};
use crate::template::Template;

/// What the files of a layer say.
pub(crate) struct Written {
    pub(crate) name: PackName,
    /// None for an extension without files.
    pub(crate) pack: Option<PackFile>,
    pub(crate) rank: usize,
    pub(crate) patches: Vec<PatchFile>,
    pub(crate) variants: Vec<VariantFile>,
    /// Those of files, then those that code made.
    pub(crate) components: Vec<Component>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) partials: Vec<(Arc<str>, Arc<Template>)>,
}

const PACK_FILE: &str = "pack.toml";

/// Reads a layer; none when it is no pack, or one for a newer engine.
pub(crate) fn read(layer: &Layer, rank: usize, told: &mut Vec<Diagnostic>) -> Option<Written> {
    let before = told.len();
    let (entries, unreadable) = layer.source.files();
    told.extend(unreadable);
    let files = Files::new(entries, told);
    let fallback = slug(layer.source.name());
    let mut pack = match (files.get(PACK_FILE), layer.kind) {
        (Some(file), _) => Some(pack::read(file, fallback.clone(), told)?),
        (None, LayerKind::Extension) if files.iter().next().is_none() => None,
        (None, LayerKind::Extension) => Some(nameless(layer, fallback.clone())),
        (None, LayerKind::Pack) => match told[before..].iter().find(|one| is_about_pack(one)) {
            Some(one) if one.code == Code::PackMissing => return None,
            Some(_) => Some(nameless(layer, fallback.clone())),
            None => {
                told.push(missing(layer, &files));
                return None;
            }
        },
    };
    if let Some(pack) = &mut pack {
        (pack.pack.rank, pack.pack.sha256) = (rank, files.digest());
    }
    let name = pack.as_ref().map_or(fallback, |pack| pack.pack.name.clone());
    let mut written = Written {
        name,
        pack,
        rank,
        patches: Vec::new(),
        variants: Vec::new(),
        components: Vec::new(),
        tools: Vec::new(),
        partials: Vec::new(),
    };
    for (path, file) in files.iter() {
        written.read(Scope { files: &files, path }, file, told);
    }
    files.tell_unused(told);
    written.components.extend(layer.components.iter().cloned());
    Some(written)
}

impl Written {
    fn read(&mut self, scope: Scope<'_>, file: &Arc<SourceFile>, told: &mut Vec<Diagnostic>) {
        let pack = &self.name;
        match place(scope.path) {
            Place::Patch => self.patches.extend(patch::read(file, scope, told)),
            Place::Variant(stem) => self.variants.extend(variant::read(file, stem, scope, told)),
            Place::Component(id) => {
                if let Some(one) = component::read(file, id, pack, scope, told) {
                    self.component(one, told);
                }
            }
            Place::Markdown(id) => {
                if let Some(one) = component::read_markdown(file, id, pack, scope, told) {
                    self.component(one, told);
                }
            }
            Place::Tool(id) => self.tools.extend(tool::read(file, id, pack, told)),
            Place::Partial(name) => self.partials.extend(partial(file, name, told)),
            Place::Pack | Place::Template | Place::Ignored | Place::Unexpected => {}
        }
    }

    fn component(&mut self, component: Component, told: &mut Vec<Diagnostic>) {
        let Some(first) = self.components.iter().find(|first| first.id == component.id) else {
            self.components.push(component);
            return;
        };
        let other = first.origin.file_name().unwrap_or("another file");
        let message = format!("the component `{}` is in `{other}` too", component.id);
        told.push(
            Diagnostic::new(Code::DuplicateId, message, component.origin)
                .help("keep one of the files"),
        );
    }
}

fn partial(
    file: &Arc<SourceFile>,
    name: &str,
    told: &mut Vec<Diagnostic>,
) -> Option<(Arc<str>, Arc<Template>)> {
    // Partials have names of the same shape as tools: they stand where no helper can.
    if ToolId::new(name).is_err() {
        let message = format!("`{name}` is not the name of a partial");
        let help = "use a letter, then letters, digits, `_` and `-`, at most 64 bytes";
        let origin = Origin::file(file, 0..0);
        told.push(Diagnostic::new(Code::InvalidId, message, origin).help(help));
        return None;
    }
    Some((name.into(), Arc::new(Template::new(SourceText::whole(file)))))
}

/// A source's name as a pack's: what a pack without a name is called.
fn slug(name: &str) -> PackName {
    const MAX_BYTES: usize = 64;
    let plain = |letter: char| match letter.to_ascii_lowercase() {
        letter @ ('a'..='z' | '0'..='9' | '.' | '_' | '-') => letter,
        _ => '-',
    };
    let slug: String = name.chars().map(plain).collect();
    let slug = slug.trim_start_matches(['.', '_', '-']);
    let slug = &slug[..slug.len().min(MAX_BYTES)];
    PackName::new(slug).unwrap_or_else(|_| PackName::unnamed())
}

fn nameless(layer: &Layer, name: PackName) -> PackFile {
    let file = SourceFile::new(layer.source.name(), "");
    let pack = Pack {
        name,
        version: Arc::default(),
        description: None,
        origin: Origin::file(&file, 0..0),
        rank: 0,
        sha256: Arc::default(),
        labels: Default::default(),
        keys: Default::default(),
        plugins: Default::default(),
    };
    PackFile { pack, labels: Vec::new() }
}

/// Whether a diagnostic says that `pack.toml`, or the whole folder, cannot be read.
fn is_about_pack(diagnostic: &Diagnostic) -> bool {
    let file = diagnostic.origin.file_name().unwrap_or_default();
    diagnostic.code == Code::PackMissing || file.rsplit(['/', '\\']).next() == Some(PACK_FILE)
}

fn missing(layer: &Layer, files: &Files) -> Diagnostic {
    let first = files.iter().next();
    let folder = first.and_then(|(path, file)| Some(file.name().strip_suffix(path)?.to_owned()));
    let name = folder.unwrap_or_else(|| format!("{}/", layer.source.name()));
    let file = SourceFile::new(format!("{name}{PACK_FILE}"), "");
    let help = format!("write one: `format = 1` and `name = \"{}\"`", slug(layer.source.name()));
    let message = "a pack needs a `pack.toml`; nothing of it is loaded";
    Diagnostic::new(Code::PackMissing, message, Origin::file(&file, 0..0)).help(help)
}
