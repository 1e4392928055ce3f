//! Checks of what the entry answers and of the table that it gives.

use std::collections::BTreeSet;

use promptweave::{ComponentId, PackName, ToolId, VariantId};
use promptweave_abi::{
    ABI_MAJOR, ABI_MINOR, CacheClass, HostApi, ITEM_WANTS_CONTEXT, Item, Kind, PLUGIN_THREAD_SAFE,
    Status, Str,
};
use promptweave_loader::harness;
use serde_json::Value as Json;

use crate::guard::Guarded;
use crate::host::HOST;
use crate::loaded::{ask, name};
use crate::raw::{self, Raw};
use crate::scene::{Outcome, Scene, Verdict, fail, skip};

/// The most bytes of a table's text, and of an item's data.
const MAX_TEXT_BYTES: usize = 64 * 1024;
const MAX_DATA_BYTES: usize = 1024 * 1024;
/// Flags from here on must be understood.
const STRICT_FLAGS: u32 = !0xffff;
/// A minor version that is far away.
const LATER_MINOR: u16 = 99;

/// A changed table of this host; it stays, as what a plugin was shown must.
fn host(changed: HostApi) -> *const HostApi {
    Box::leak(Box::new(changed))
}

/// The table of a library that takes this host.
fn raw(scene: &Scene) -> Result<Raw, Outcome> {
    let (status, table) = ask(scene.entry()?, &raw const HOST);
    if status.is_failure() {
        return Err(Outcome::Refused(format!("its entry refuses this host ({})", name(status))));
    }
    Raw::new(table).map_err(Outcome::Refused)
}

pub(super) fn same_pointer(scene: &Scene) -> Verdict {
    let entry = scene.entry()?;
    let (status, first) = ask(entry, &raw const HOST);
    if status.is_failure() {
        return Err(Outcome::Refused(format!("its entry refuses this host ({})", name(status))));
    }
    if first.is_null() {
        return fail("its entry gives no table");
    }
    for _ in 0..3 {
        if ask(entry, &raw const HOST) != (Status::OK, first) {
            return fail("its entry gives another table when it is asked again");
        }
    }
    Ok(())
}

pub(super) fn refuses_major(scene: &Scene) -> Verdict {
    let next = host(HostApi { abi_major: ABI_MAJOR + 1, ..HOST });
    let (status, _) = ask(scene.entry()?, next);
    if status.is_failure() {
        return Ok(());
    }
    fail(format!("its entry takes a host of ABI {}; return `WEAVE_E_VERSION`", ABI_MAJOR + 1))
}

/// Hosts of the oldest minor version that it says it can do with, and of a much later one.
pub(super) fn older_minor(scene: &Scene) -> Verdict {
    let entry = scene.entry()?;
    let newer = host(HostApi { abi_minor: LATER_MINOR, ..HOST });
    let (status, table) = ask(entry, newer);
    if status.is_failure() {
        return fail(format!("its entry refuses a host of ABI {ABI_MAJOR}.{LATER_MINOR}"));
    }
    let needed = Raw::new(table).map_err(Outcome::Refused)?.head().min_host_minor;
    let older = host(HostApi { abi_minor: needed, ..HOST });
    let (status, _) = ask(entry, older);
    if status.is_failure() {
        return fail(format!(
            "its table says that ABI {ABI_MAJOR}.{needed} is enough, and its entry refuses it"
        ));
    }
    if needed > ABI_MINOR {
        return fail(format!("it needs ABI {ABI_MAJOR}.{needed}, which is not released"));
    }
    Ok(())
}

/// A host whose table ends before the functions, with nothing that can be read behind it.
pub(super) fn short_host(scene: &Scene) -> Verdict {
    let entry = scene.entry()?;
    let size = std::mem::offset_of!(HostApi, get);
    let host = HostApi { struct_size: size as u32, ..HOST };
    let guarded = Guarded::new(&host, size).map_err(|error| Outcome::Skip(error.to_string()))?;
    scene.note("its entry, asked by a host whose `struct_size` ends before `get`");
    ask(entry, guarded.as_ptr());
    Ok(())
}

fn texts(item: &Item) -> Vec<(&'static str, Str, usize)> {
    let lists = [(item.deps, item.deps_count), (item.sections, item.sections_count)];
    let listed = lists.into_iter().flat_map(|(first, count)| raw::list(first, count));
    let mut texts = vec![
        ("an id", item.id, MAX_TEXT_BYTES),
        ("a description", item.description, MAX_TEXT_BYTES),
        ("a reason", item.cache_reason, MAX_TEXT_BYTES),
        ("an item's data", item.data, MAX_DATA_BYTES),
    ];
    texts.extend(listed.map(|text| ("a declared key or section", text, MAX_TEXT_BYTES)));
    texts
}

pub(super) fn utf8(scene: &Scene) -> Verdict {
    let raw = raw(scene)?;
    let head = raw.head();
    let mut all = vec![
        ("its name", head.name, MAX_TEXT_BYTES),
        ("its version", head.version, MAX_TEXT_BYTES),
        ("its description", head.description, MAX_TEXT_BYTES),
        ("its license", head.license, MAX_TEXT_BYTES),
        ("its homepage", head.homepage, MAX_TEXT_BYTES),
    ];
    all.extend(raw.items_by_value().iter().flat_map(texts));
    for (what, passed, most) in all {
        let bytes = raw::bytes(passed).map_err(|why| Outcome::Fail(format!("{what} {why}")))?;
        if bytes.len() > most {
            return fail(format!("{what} has {} bytes, more than {most}", bytes.len()));
        }
        if std::str::from_utf8(bytes).is_err() {
            return fail(format!("{what} is not UTF-8"));
        }
    }
    Ok(())
}

/// A text for the checks that come after `table-utf8`.
fn text(passed: Str) -> Result<String, Outcome> {
    let bytes = raw::bytes(passed).map_err(Outcome::Refused)?;
    let text = std::str::from_utf8(bytes).map_err(|error| Outcome::Refused(error.to_string()))?;
    Ok(text.to_owned())
}

pub(super) fn ids(scene: &Scene) -> Verdict {
    let raw = raw(scene)?;
    let plugin = text(raw.head().name)?;
    if let Err(wrong) = PackName::new(&plugin) {
        return fail(format!("its name `{plugin}` is none: use {}", wrong.shape()));
    }
    let mut seen = BTreeSet::new();
    for item in raw.items_by_value() {
        let id = text(item.id)?;
        let wrong = match item.kind {
            Kind::COMPONENT | Kind::HELPER => ComponentId::new(&id).err(),
            Kind::VARIANT => VariantId::new(&id).err(),
            Kind::TOOL | Kind::MATCHER | Kind::PROBE => ToolId::new(&id).err(),
            Kind(_) => continue,
        };
        if let Some(wrong) = wrong {
            return fail(format!("`{id}` is no id: use {}", wrong.shape()));
        }
        if !seen.insert((item.kind, id.clone())) {
            return fail(format!("it has two items `{id}` of one kind"));
        }
    }
    Ok(())
}

pub(super) fn deps_grammar(scene: &Scene) -> Verdict {
    for item in raw(scene)?.items_by_value() {
        let id = text(item.id)?;
        for dep in raw::list(item.deps, item.deps_count) {
            let dep = text(dep)?;
            if dep.starts_with('/') || harness::steps(&dep).is_none() {
                return fail(format!("`{id}` declares `{dep}`, which is no dotted path"));
            }
        }
        for section in raw::list(item.sections, item.sections_count) {
            let section = text(section)?;
            if ComponentId::new(&section).is_err() {
                return fail(format!("`{id}` reads the section `{section}`, which is no id"));
            }
        }
    }
    Ok(())
}

pub(super) fn reserved_zero(scene: &Scene) -> Verdict {
    let raw = raw(scene)?;
    let head = raw.head();
    if head.reserved != [0; 6] || head.reserved0 != 0 {
        return fail("the table has a reserved field that is not zero");
    }
    if head.flags & !PLUGIN_THREAD_SAFE != 0 {
        return fail(format!(
            "the table sets flags that ABI 1.0 does not have ({:#x})",
            head.flags
        ));
    }
    for item in raw.items_by_value() {
        let id = text(item.id)?;
        if item.reserved != [0; 4] {
            return fail(format!("`{id}` has a reserved field that is not zero"));
        }
        if item.flags & !ITEM_WANTS_CONTEXT != 0 {
            return fail(format!(
                "`{id}` sets flags that ABI 1.0 does not have ({:#x})",
                item.flags
            ));
        }
    }
    Ok(())
}

pub(super) fn stride(scene: &Scene) -> Verdict {
    let (status, table) = ask(scene.entry()?, &raw const HOST);
    if status.is_failure() {
        return Err(Outcome::Refused(format!("its entry refuses this host ({})", name(status))));
    }
    let raw = Raw::new(table).map_err(Outcome::Fail)?;
    let head = raw.head();
    if head.abi_major != ABI_MAJOR {
        return fail(format!("its table is of ABI {}, its entry of {ABI_MAJOR}", head.abi_major));
    }
    if head.flags & STRICT_FLAGS != 0 {
        return Err(Outcome::Refused("it sets flags that no host knows".into()));
    }
    Ok(())
}

pub(super) fn volatile_reason(scene: &Scene) -> Verdict {
    for item in raw(scene)?.items_by_value() {
        if item.kind != Kind::COMPONENT {
            continue;
        }
        let (id, wants) = (text(item.id)?, item.flags & ITEM_WANTS_CONTEXT != 0);
        match item.cache_class {
            CacheClass::STATIC if item.deps_count > 0 && !wants => {
                return fail(format!("`{id}` is static and declares keys; say session"));
            }
            CacheClass::VOLATILE if text(item.cache_reason)?.is_empty() && !wants => {
                return fail(format!("`{id}` is volatile and does not say why"));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn matches_manifest(scene: &Scene) -> Verdict {
    let Some(manifest) = scene.target.manifest() else { return skip("there is no `plugin.toml`") };
    let loaded = scene.loaded()?;
    harness::agree(manifest, &loaded.table).map_err(Outcome::Fail)
}

/// What the data of variants, tools and probes is, and whether the other kinds have code.
pub(super) fn data_json(scene: &Scene) -> Verdict {
    for item in raw(scene)?.items_by_value() {
        let (id, data) = (text(item.id)?, text(item.data)?);
        let wrong = match item.kind {
            Kind::VARIANT => object(&data, item.kind),
            Kind::TOOL if data.is_empty() && item.call.is_some() => None,
            Kind::TOOL => object(&data, item.kind),
            Kind::PROBE if harness::steps(&data).is_none() => {
                Some("has data that is no context key".into())
            }
            Kind::COMPONENT | Kind::MATCHER | Kind::HELPER | Kind::PROBE if item.call.is_none() => {
                Some("has no code".into())
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            return fail(format!("`{id}` {wrong}"));
        }
    }
    Ok(())
}

fn object(data: &str, kind: Kind) -> Option<String> {
    match serde_json::from_str(data) {
        Err(error) => Some(format!("has data that is not JSON: {error}")),
        Ok(Json::Object(entries)) => {
            let file = entries.keys().find(|key| key.ends_with("_file"));
            let file = file.filter(|_| kind == Kind::VARIANT)?;
            Some(format!("names a file in `{file}`, and a library has none"))
        }
        Ok(_) => Some("has data that is no JSON object".into()),
    }
}
