//! Merges a variant's file onto what it extends.
//!
//! In: the files of one pack and the variants below it. Out: variants with what they inherit.
//! Never: looks above the file's own pack, so that no later pack can break this one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::apply;
use super::variant::{Extends, VariantFile};
use super::wordings::overrides;
use crate::diagnostic::{Code, Diagnostic, Origin, did_you_mean};
use crate::model::{PackName, TidyMode, ToolCalls, ToolId, Variant, VariantId};
use crate::template::Missing;

/// The most things that the variants of one pack may inherit together: each is a copy.
const MAX_INHERITED: usize = 1 << 20;

/// A variant with what it inherits merged in.
#[derive(Clone)]
pub(crate) struct Resolved {
    pub(crate) variant: Variant,
    /// Taken from "all tools" by patches; when everything is loaded the list is made.
    pub(crate) removed_tools: Vec<(ToolId, Origin)>,
}

/// Names one file of a pack: the id and the version.
type Key = (VariantId, u32);

/// Variants by id and version, and which version is current.
#[derive(Default)]
pub(crate) struct Shelf {
    pub(crate) by_id: BTreeMap<VariantId, Numbers>,
}

/// The versions of one variant.
#[derive(Default)]
pub(crate) struct Numbers {
    pub(crate) by_number: BTreeMap<u32, Arc<Resolved>>,
    /// The version of the last `<id>.toml`.
    pub(crate) plain: Option<u32>,
}

impl Numbers {
    /// `<id>.toml`, without it the highest.
    pub(crate) fn current(&self) -> Option<u32> {
        self.plain.or_else(|| self.by_number.keys().next_back().copied())
    }
}

impl Shelf {
    fn get(&self, id: &VariantId, version: Option<u32>) -> Option<&Arc<Resolved>> {
        let numbers = self.by_id.get(id)?;
        numbers.by_number.get(&version.or_else(|| numbers.current())?)
    }
}

/// The variants of one pack that are being merged.
pub(crate) struct Merge<'s> {
    pub(crate) below: &'s Shelf,
    pub(crate) pack: &'s PackName,
    pub(crate) rank: usize,
    /// By id and version; no two files have the same.
    pub(crate) files: BTreeMap<Key, VariantFile>,
    done: BTreeMap<Key, Option<Arc<Resolved>>>,
    /// What was inherited so far.
    inherited: usize,
}

/// What an `extends` leads to.
enum Base {
    Own(Key),
    Below(Arc<Resolved>),
    Unknown,
}

/// The way from a file down to what it stands on.
struct Descent {
    /// The files that are not merged yet, the asked one first.
    chain: Vec<Key>,
    ground: Ground,
    /// Those that a diagnostic named already.
    named: BTreeSet<Key>,
}

/// What a file stands on.
enum Ground {
    /// It extends nothing.
    None,
    Variant(Arc<Resolved>),
    /// It extends something that is not there.
    Missing,
}

impl<'s> Merge<'s> {
    /// Takes the files of one pack; of two with one id and version the first stays, and the other is told.
    pub(crate) fn new(
        below: &'s Shelf,
        (pack, rank): (&'s PackName, usize),
        all: Vec<VariantFile>,
        told: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut files: BTreeMap<Key, VariantFile> = BTreeMap::new();
        for file in all {
            let key = (file.id.clone(), file.version);
            if let Some(first) = files.get(&key) {
                let other = first.origin.file_name().unwrap_or("another file").to_owned();
                let message = format!("version {} of `{}` is in `{other}` too", key.1, key.0);
                told.push(
                    Diagnostic::new(Code::DuplicateId, message, file.origin)
                        .help("change `version`, or keep one of the files"),
                );
            } else {
                files.insert(key, file);
            }
        }
        Self { below, pack, rank, files, done: BTreeMap::new(), inherited: 0 }
    }

    /// Merges every file; those whose base is missing are told and left out.
    pub(crate) fn run(mut self, told: &mut Vec<Diagnostic>) -> Vec<(bool, Arc<Resolved>)> {
        let keys: Vec<_> = self.files.keys().cloned().collect();
        for key in &keys {
            self.resolve(key, told);
        }
        let done = &mut self.done;
        let files = &self.files;
        keys.iter().filter_map(|key| Some((files.get(key)?.is_plain, done.remove(key)??))).collect()
    }

    /// Merges a file and what it stands on: first down to the ground, then up. No recursion, however long.
    fn resolve(&mut self, key: &Key, told: &mut Vec<Diagnostic>) {
        let Descent { mut chain, mut ground, named } = self.descend(key, told);
        while let Some(key) = chain.pop() {
            let Some(file) = self.files.get(&key) else { continue };
            ground = match ground {
                Ground::None => Ground::Variant(Arc::new(self.merge(None, file, told))),
                Ground::Variant(base) if self.inherited + size(&base) > MAX_INHERITED => {
                    told.extend(file.extends.as_ref().map(too_much));
                    Ground::Missing
                }
                Ground::Variant(base) => {
                    self.inherited += size(&base);
                    Ground::Variant(Arc::new(self.merge(Some(&base), file, told)))
                }
                Ground::Missing => {
                    let silent = file.extends.as_ref().filter(|_| !named.contains(&key));
                    told.extend(silent.map(left_out));
                    Ground::Missing
                }
            };
            let merged = match &ground {
                Ground::Variant(merged) => Some(Arc::clone(merged)),
                Ground::None | Ground::Missing => None,
            };
            self.done.insert(key, merged);
        }
    }

    /// Follows `extends` to what is merged already, lies below, or extends nothing.
    fn descend(&self, key: &Key, told: &mut Vec<Diagnostic>) -> Descent {
        let mut down = Descent { chain: Vec::new(), ground: Ground::None, named: BTreeSet::new() };
        let mut next = Some(key.clone());
        while let Some(key) = next.take() {
            if let Some(done) = self.done.get(&key) {
                down.ground = done.clone().map_or(Ground::Missing, Ground::Variant);
                break;
            }
            let Some(file) = self.files.get(&key) else { break };
            down.chain.push(key);
            let Some(extends) = &file.extends else { break };
            match self.base(file, extends) {
                Base::Own(own) => match down.chain.iter().position(|key| *key == own) {
                    None => next = Some(own),
                    Some(from) => {
                        told.push(cycle(&down.chain[from..], extends));
                        down.named.extend(down.chain[from..].iter().cloned());
                        down.ground = Ground::Missing;
                    }
                },
                Base::Below(resolved) => down.ground = Ground::Variant(resolved),
                Base::Unknown => {
                    told.push(self.unknown(extends));
                    down.named.extend(down.chain.last().cloned());
                    down.ground = Ground::Missing;
                }
            }
        }
        down
    }

    fn base(&self, file: &VariantFile, extends: &Extends) -> Base {
        let own_key = (file.id.clone(), file.version);
        let own = match extends.version {
            Some(version) => Some((extends.id.clone(), version)),
            None => self.own_current(&extends.id).map(|version| (extends.id.clone(), version)),
        };
        let own = own.filter(|key| self.files.contains_key(key));
        let below = self.below.get(&extends.id, extends.version).cloned();
        // A variant that extends its own id means the one it shadows, before others of its pack.
        let shadows = extends.id == file.id && extends.version.is_none();
        match (own, below) {
            (Some(key), Some(below)) if key == own_key || shadows => Base::Below(below),
            (Some(key), _) => Base::Own(key),
            (None, Some(below)) => Base::Below(below),
            (None, None) => Base::Unknown,
        }
    }

    fn own_current(&self, id: &VariantId) -> Option<u32> {
        let of_id = self.files.range((id.clone(), 0)..=(id.clone(), u32::MAX));
        let mut highest = None;
        for ((_, version), file) in of_id {
            if file.is_plain {
                return Some(*version);
            }
            highest = Some(*version);
        }
        highest
    }

    fn unknown(&self, extends: &Extends) -> Diagnostic {
        let own = self.files.keys().map(|(id, _)| id);
        let ids: BTreeSet<&str> =
            own.chain(self.below.by_id.keys()).map(VariantId::as_str).collect();
        let known = ids.contains(extends.id.as_str());
        let message = match extends.version {
            Some(version) if known => format!("`{}` has no version {version}", extends.id),
            _ => format!("there is no variant `{}` to extend", extends.id),
        };
        let help = did_you_mean(extends.id.as_str(), ids.into_iter().filter(|_| !known), || {
            "name a variant of this pack or of one below; this one is left out".into()
        });
        Diagnostic::new(Code::ExtendsUnknown, message, extends.origin.clone()).help(help)
    }

    fn merge(
        &self,
        base: Option<&Resolved>,
        file: &VariantFile,
        told: &mut Vec<Diagnostic>,
    ) -> Resolved {
        let mut resolved = inherit(base, file, self.pack, self.rank);
        overrides(&file.overrides, &mut resolved.variant, told);
        if let Some(patch) = &file.patch {
            let found = apply::apply(patch, &mut resolved);
            overrides(&patch.overrides, &mut resolved.variant, told);
            apply::tell(patch, &[(resolved.variant.id.to_string(), found)], told);
        }
        resolved
    }
}

fn cycle(members: &[Key], extends: &Extends) -> Diagnostic {
    let names = members.iter().chain(members.first()).map(|(id, _)| format!("`{id}`"));
    let message = format!("variants extend each other: {}", names.collect::<Vec<_>>().join(" → "));
    Diagnostic::new(Code::ExtendsCycle, message, extends.origin.clone())
        .help("take one `extends` out; all of them are left out until then")
}

fn too_much(extends: &Extends) -> Diagnostic {
    let message = format!("the variants of this pack inherit more than {MAX_INHERITED} things");
    Diagnostic::new(Code::InvalidValue, message, extends.origin.clone())
        .help("this one is left out; extend fewer, or let the base hold less")
}

/// How many things a variant hands on.
fn size(base: &Resolved) -> usize {
    let variant = &base.variant;
    let lists = [&variant.order, &variant.user_context, &variant.system_context];
    let steps: usize = lists.into_iter().map(Vec::len).sum();
    let tools = variant.tools.as_ref().map_or(0, Vec::len) + base.removed_tools.len();
    // An id among the bases is a pointer, small beside a placeholder.
    let bases = variant.bases.len() / 16;
    1 + steps + tools + variant.placeholders.len() + variant.overrides.len() + bases
}

fn left_out(extends: &Extends) -> Diagnostic {
    let message = format!("`{}` is left out, so this variant is too", extends.id);
    Diagnostic::new(Code::ExtendsUnknown, message, extends.origin.clone())
        .help("mend that one; see what is told of it")
}

/// The file's keys over the base's. Match, tags, version, description and family are the file's alone.
fn inherit(base: Option<&Resolved>, file: &VariantFile, pack: &PackName, rank: usize) -> Resolved {
    let mut bases = Vec::new();
    let mut resolved = match base {
        Some(base) => {
            let chain = std::iter::once(&base.variant.id).chain(&base.variant.bases);
            bases.extend(chain.filter(|id| **id != file.id).cloned());
            base.clone()
        }
        None => Resolved { variant: plain(file, pack), removed_tools: Vec::new() },
    };
    let variant = &mut resolved.variant;
    variant.id = file.id.clone();
    variant.version = file.version;
    variant.family = file.family.clone().unwrap_or_else(|| Arc::clone(file.id.shared()));
    variant.description = file.description.clone();
    variant.tags = file.tags.clone();
    variant.pack = pack.clone();
    variant.rank = rank;
    variant.origin = file.origin.clone();
    variant.bases = bases;
    variant.matcher = file.matcher.clone();
    inherit_keys(&mut resolved, file);
    resolved
}

/// The keys that are inherited: values and lists replace, tables merge.
fn inherit_keys(resolved: &mut Resolved, file: &VariantFile) {
    let variant = &mut resolved.variant;
    replace(&mut variant.order, &file.order);
    replace(&mut variant.separator, &file.separator);
    replace(&mut variant.tool_calls, &file.tool_calls);
    replace(&mut variant.dialect, &file.dialect);
    replace(&mut variant.user_context, &file.user_context);
    replace(&mut variant.system_context, &file.system_context);
    replace(&mut variant.tidy, &file.tidy);
    replace(&mut variant.missing, &file.missing);
    variant.template = file.template.clone().or(variant.template.take());
    variant.minimal = file.minimal.clone().or(variant.minimal.take());
    variant.placeholders.extend(file.placeholders.clone());
    if let Some(tools) = &file.tools {
        variant.tools = Some(tools.iter().map(|(id, _)| id.clone()).collect());
        resolved.removed_tools.clear();
    }
}

fn replace<T: Clone>(slot: &mut T, value: &Option<T>) {
    if let Some(value) = value {
        slot.clone_from(value);
    }
}

/// A variant that says nothing.
fn plain(file: &VariantFile, pack: &PackName) -> Variant {
    Variant {
        id: file.id.clone(),
        version: file.version,
        family: Arc::clone(file.id.shared()),
        description: None,
        tags: Vec::new(),
        pack: pack.clone(),
        rank: 0,
        origin: file.origin.clone(),
        bases: Vec::new(),
        matcher: None,
        order: Vec::new(),
        separator: "\n\n".into(),
        template: None,
        tool_calls: ToolCalls::default(),
        dialect: "xml".into(),
        tools: None,
        user_context: Vec::new(),
        system_context: Vec::new(),
        minimal: None,
        tidy: TidyMode::default(),
        missing: Missing::default(),
        placeholders: BTreeMap::new(),
        overrides: BTreeMap::new(),
    }
}
