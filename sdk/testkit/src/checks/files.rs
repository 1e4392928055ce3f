//! Checks that read files and load nothing.

use promptweave::{Diagnostic, Severity, SourceFile};
use promptweave_loader::{
    Binding, Fit, Isolation, ItemEntry, Keys, Language, Manifest, ObjectFacts, Signed, Stack,
    host_target,
};

use crate::scene::{Outcome, Verdict, fail, skip};
use crate::target::Target;

/// The ABI's major version, as entry symbols spell it.
const MAJOR: u32 = 1;
/// Beginnings of the names of libraries that every system has, or that come with a compiler.
const USUAL: &[&str] = &[
    "ld-linux",
    "libc.",
    "libc++",
    "libdl.",
    "libgcc_s.",
    "libm.",
    "libpthread.",
    "librt.",
    "libstdc++.",
    "libutil.",
    "linux-vdso",
];
/// The newest glibc that distributions in use since 2022 have.
const COMMON_GLIBC: [u32; 3] = [2, 35, 0];
/// Every library of Rust imports it for what cannot happen.
const HARMLESS: &str = "abort";

pub(super) fn manifest_schema(target: &Target) -> Verdict {
    let Some((manifest, told)) = &target.file else { return skip("there is no `plugin.toml`") };
    let first = |severity: Severity| told.iter().find(|one| one.severity == severity);
    match (first(Severity::Error), first(Severity::Warning)) {
        (Some(error), _) => fail(said(error)),
        (None, _) if manifest.is_none() => fail("it has no name, version or ABI"),
        (None, Some(warning)) => Err(Outcome::Warn(said(warning))),
        (None, None) => Ok(()),
    }
}

fn said(diagnostic: &Diagnostic) -> String {
    let help = diagnostic.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}: {}{help}", diagnostic.origin, diagnostic.message)
}

pub(super) fn manifest_hash(target: &Target) -> Verdict {
    let Some(entry) = target.entry() else {
        return skip("no `plugin.toml` lists a library for this machine");
    };
    if entry.sha256 == target.sha256 {
        return Ok(());
    }
    let own = target.sha256;
    fail(format!("`{}` has the digest {own}; write that, or put the listed file back", entry.file))
}

pub(super) fn manifest_embedded_same(target: &Target) -> Verdict {
    let Some(outer) = target.manifest() else { return skip("there is no `plugin.toml`") };
    let facts = facts(target)?;
    let Some(text) = facts.manifest else { return skip("the library embeds no manifest") };
    let (inner, told) = Manifest::parse(&SourceFile::new("the embedded manifest", text));
    if let Some(error) = told.iter().find(|one| one.severity == Severity::Error) {
        return fail(said(error));
    }
    let Some(inner) = inner else { return fail("the embedded manifest says nothing") };
    match difference(outer, &inner) {
        Some(what) => fail(format!("`plugin.toml` and the embedded manifest differ in {what}")),
        None => Ok(()),
    }
}

/// What two manifests say differently; how it runs and what it may do is often said outside alone.
fn difference(outer: &Manifest, inner: &Manifest) -> Option<String> {
    let heads = |one: &Manifest| {
        [
            ("`name`", one.name.to_string()),
            ("`version`", one.version.to_string()),
            ("`abi`", one.abi.to_string()),
            ("`description`", one.description.as_deref().unwrap_or_default().to_owned()),
            ("`license`", one.license.as_deref().unwrap_or_default().to_owned()),
            ("`homepage`", one.homepage.as_deref().unwrap_or_default().to_owned()),
        ]
    };
    let mut heads = heads(outer).into_iter().zip(heads(inner));
    if let Some(((what, _), _)) = heads.find(|(outer, inner)| outer.1 != inner.1) {
        return Some(what.into());
    }
    let items = |one: &Manifest| {
        let mut items: Vec<String> = one.items.iter().map(item).collect();
        items.sort();
        items
    };
    let (outer, inner) = (items(outer), items(inner));
    let lone = outer.iter().find(|one| !inner.contains(one));
    let lone = lone.or_else(|| inner.iter().find(|one| !outer.contains(one)))?;
    Some(format!("an item: {lone}"))
}

fn item(entry: &ItemEntry) -> String {
    let ItemEntry { kind, id, cache, reason, deps, sections, key, description, .. } = entry;
    let cache = cache.map_or("", |class| class.as_str());
    let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().unwrap_or_default().to_owned();
    let list = |list: &[std::sync::Arc<str>]| list.join(", ");
    format!(
        "{kind} `{id}` {cache} `{}` reads [{}], sections [{}], key `{}`, `{}`",
        text(reason),
        list(deps),
        list(sections),
        text(key),
        text(description)
    )
}

/// What the library's file says.
fn facts(target: &Target) -> Result<ObjectFacts, Outcome> {
    ObjectFacts::read(&target.bytes).or_else(|error| skip(format!("it cannot be read: {error}")))
}

pub(super) fn object_target(target: &Target) -> Verdict {
    match ObjectFacts::read(&target.bytes) {
        Err(error) => fail(error.to_string()),
        Ok(facts) if facts.fit == Fit::Elsewhere => fail(format!(
            "it is built for `{}`, and this machine is `{}`",
            facts.target,
            host_target()
        )),
        Ok(_) => Ok(()),
    }
}

pub(super) fn object_entry(target: &Target) -> Verdict {
    let facts = facts(target)?;
    if facts.entries.contains(&MAJOR) {
        return Ok(());
    }
    match facts.entries.as_slice() {
        [] => fail(format!("it does not export `weave_plugin_entry_v{MAJOR}`")),
        [other, ..] => fail(format!("it has an entry for ABI {other} and none for ABI {MAJOR}")),
    }
}

pub(super) fn object_exports(target: &Target) -> Verdict {
    let facts = facts(target)?;
    let foreign: Vec<&str> = facts.foreign_exports().collect();
    let more = foreign.len();
    if let Some(first) = foreign.first() {
        return fail(format!(
            "it exports `{first}` (of {more} such symbols), which another library may take over; \
             build with hidden visibility"
        ));
    }
    let soft = facts
        .exports
        .iter()
        .find(|one| one.binding != Binding::Strong && !one.name.starts_with("weave_"));
    match soft {
        Some(one) => Err(Outcome::Warn(format!("it exports the weak symbol `{}`", one.name))),
        None => Ok(()),
    }
}

pub(super) fn object_needed(target: &Target) -> Verdict {
    let facts = facts(target)?;
    let usual = |name: &&String| USUAL.iter().any(|usual| name.starts_with(usual));
    if let Some(name) = facts.needed.iter().find(|name| !usual(name)) {
        return fail(format!("it needs `{name}`, which users may lack; link it statically"));
    }
    let fixed = |path: &str| path.starts_with('/');
    let mut paths = facts.search_paths.iter().flat_map(|paths| paths.split(':'));
    if let Some(path) = paths.find(|path| !fixed(path)) {
        return fail(format!(
            "it looks for libraries in `{path}`; it is loaded from another folder"
        ));
    }
    match facts.stack {
        Stack::Executable => fail("it wants an executable stack; link with `-z noexecstack`"),
        Stack::Plain => Ok(()),
    }
}

pub(super) fn object_glibc_floor(target: &Target) -> Verdict {
    let Some(floor) = facts(target)?.glibc else { return skip("it needs no glibc") };
    let by =
        if floor.symbol.is_empty() { String::new() } else { format!(" for `{}`", floor.symbol) };
    let own = &target.settings.glibc;
    let most = match own.as_deref().map(version) {
        Some(None) => return fail("`glibc` in `validate.toml` is no version such as `2.28`"),
        Some(Some(most)) => most,
        None => COMMON_GLIBC,
    };
    if floor.version <= most {
        return Ok(());
    }
    let [major, minor, _] = most;
    let why = format!("it asks for glibc {floor}{by}, newer than {major}.{minor}");
    match own {
        Some(_) => fail(why),
        None => Err(Outcome::Warn(format!("{why}: users of older systems cannot load it"))),
    }
}

fn version(text: &str) -> Option<[u32; 3]> {
    let mut parts = text.split('.').map(|part| part.parse().ok());
    let version = [parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?];
    parts.next().is_none().then_some(version)
}

pub(super) fn object_go_runtime(target: &Target) -> Verdict {
    let facts = facts(target)?;
    let asked = target.manifest().and_then(|manifest| manifest.run.isolation);
    match (facts.language, asked) {
        (Language::Go, Some(Isolation::Process)) | (Language::Other, _) => Ok(()),
        (Language::Go, Some(Isolation::InProc) | None) => fail(
            "a Go runtime needs a process of its own; say `isolation = \"process\"` in `[run]`",
        ),
    }
}

pub(super) fn object_calls_exit(target: &Target) -> Verdict {
    let facts = facts(target)?;
    match facts.ends.iter().find(|name| *name != HARMLESS) {
        Some(name) => {
            Err(Outcome::Warn(format!("it imports `{name}`; a plugin never ends its host")))
        }
        None => Ok(()),
    }
}

pub(super) fn signature(target: &Target, keys: &Keys) -> Verdict {
    let Some(text) = &target.signature else { return skip("there is no `plugin.toml.minisig`") };
    let Some(manifest) = target.manifest() else { return skip("`plugin.toml` cannot be read") };
    match keys.signed(&manifest.name, manifest.source.text().as_bytes(), Some(text)) {
        Signed::By(_) => Ok(()),
        Signed::Wrong => fail("the signature is not one of the pinned key over this `plugin.toml`"),
        Signed::Stranger => Err(Outcome::Warn(format!("no key is pinned for `{}`", manifest.name))),
        Signed::Nobody => skip("there is no `plugin.toml.minisig`"),
    }
}
