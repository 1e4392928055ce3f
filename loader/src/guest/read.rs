//! Reads and checks the table that a library hands out.
//!
//! What a table points at is believed only as far as it can be checked: counts, sizes, alignment,
//! UTF-8, ids. A pointer into nowhere ends the process that reads it, which is why that is a child.

use std::collections::BTreeSet;
use std::mem::{align_of, offset_of};

use promptweave::{ComponentId, PackName, ToolId, VariantId};
use promptweave_abi::{
    ABI_MAJOR, ABI_MINOR, CacheClass, ITEM_WANTS_CONTEXT, Kind as RawKind, PLUGIN_THREAD_SAFE, Str,
};

use crate::key;
use crate::manifest::ItemKind;
use crate::table::{Cache, Item, Table};

const MAX_ITEMS: u32 = 1024;
const MAX_DEPS: u32 = 256;
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Variants and tools hold whole templates.
const MAX_DATA_BYTES: usize = 1024 * 1024;
/// Flags from here on must be understood.
const STRICT_FLAGS: u32 = !0xffff;
/// The least that is read of either struct: what lies behind is reserved.
const PLUGIN_BYTES: usize = offset_of!(promptweave_abi::Plugin, reserved);
const ITEM_BYTES: usize = offset_of!(promptweave_abi::Item, reserved);

/// Why a plugin is not taken: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(why: T) -> Self {
        Self(why.into())
    }
}

/// Copies the table.
///
/// # Safety
/// What the table points at, as far as its counts say, can be read and does not change.
pub(crate) unsafe fn table(raw: *const promptweave_abi::Plugin) -> Result<Table, Refusal> {
    if raw.is_null() || !raw.is_aligned() {
        return Err("its entry gives no table".into());
    }
    // SAFETY: not null and aligned; the size is the first field of every table.
    let size = unsafe { (*raw).struct_size } as usize;
    if size < PLUGIN_BYTES {
        return Err(
            format!("its table has {size} bytes, less than the {PLUGIN_BYTES} of ABI 1.0").into()
        );
    }
    // SAFETY: the table says that it reaches behind every field that is read here.
    let head = unsafe { Head::read(raw) };
    head.check()?;
    let mut items = Vec::new();
    for at in 0..head.count {
        // SAFETY: `check` saw to the pointer, the stride and the count.
        let item = unsafe { item(head.item(at), head.stride, at)? };
        items.extend(item);
    }
    unique(&items)?;
    // SAFETY: the texts of a table are the caller's promise.
    let text = |text, what| unsafe { short(text, what) };
    Ok(Table {
        name: name(text(head.name, "its name")?)?,
        version: text(head.version, "its version")?,
        description: text(head.description, "its description")?,
        abi_minor: head.minor,
        thread_safe: head.flags & PLUGIN_THREAD_SAFE != 0,
        items,
    })
}

fn name(name: String) -> Result<String, Refusal> {
    PackName::new(&name)
        .map_err(|why| format!("its name `{name}` is none: use {}", why.shape()))?;
    Ok(name)
}

/// The fields of a table that are read, by value.
struct Head {
    major: u16,
    minor: u16,
    needs: u16,
    flags: u32,
    name: Str,
    version: Str,
    description: Str,
    items: *const promptweave_abi::Item,
    count: u32,
    stride: u32,
}

impl Head {
    /// # Safety
    /// The table is at least [`PLUGIN_BYTES`] long.
    unsafe fn read(raw: *const promptweave_abi::Plugin) -> Self {
        // SAFETY: the caller's promise; each field is read by itself, for the table may be shorter than
        // the struct.
        unsafe {
            Self {
                major: (*raw).abi_major,
                minor: (*raw).abi_minor,
                needs: (*raw).min_host_minor,
                flags: (*raw).flags,
                name: (*raw).name,
                version: (*raw).version,
                description: (*raw).description,
                items: (*raw).items,
                count: (*raw).items_count,
                stride: (*raw).items_stride,
            }
        }
    }

    fn check(&self) -> Result<(), Refusal> {
        let Self { major, needs, flags, items, count, stride, .. } = *self;
        if major != ABI_MAJOR {
            return Err(format!("it is built for ABI {major}, this host speaks {ABI_MAJOR}").into());
        }
        if needs > ABI_MINOR {
            let why =
                format!("it needs ABI {major}.{needs}, this host speaks {ABI_MAJOR}.{ABI_MINOR}");
            return Err(why.into());
        }
        if flags & STRICT_FLAGS != 0 {
            return Err(format!("it sets flags that this host does not know ({flags:#x})").into());
        }
        if count > MAX_ITEMS {
            return Err(format!("it has {count} items; at most {MAX_ITEMS} are taken").into());
        }
        if count > 0 && (items.is_null() || !items.is_aligned()) {
            return Err(format!("it has {count} items at no address").into());
        }
        let whole = (stride as usize).is_multiple_of(align_of::<promptweave_abi::Item>());
        if count > 0 && (!whole || (stride as usize) < ITEM_BYTES) {
            return Err(format!(
                "its items lie {stride} bytes apart; an item of ABI 1.0 has more, in steps of 8"
            )
            .into());
        }
        Ok(())
    }

    /// # Safety
    /// `at` is below the count.
    unsafe fn item(&self, at: u32) -> *const promptweave_abi::Item {
        // SAFETY: the table says that so many items lie there, so far apart.
        unsafe { self.items.byte_add(at as usize * self.stride as usize) }
    }
}

/// Copies one item; none when this host does not know its kind.
///
/// # Safety
/// As for [`table`].
unsafe fn item(
    raw: *const promptweave_abi::Item,
    stride: u32,
    at: u32,
) -> Result<Option<Item>, Refusal> {
    // SAFETY: the stride is at least the size of the fields that are read.
    let (size, raw_kind) = unsafe { ((*raw).struct_size, (*raw).kind) };
    if (size as usize) < ITEM_BYTES || size > stride {
        return Err(format!("its item {at} says that it has {size} bytes").into());
    }
    let Some(kind) = kind(raw_kind) else { return Ok(None) };
    // SAFETY: as above; the texts are the caller's promise.
    let (id, description, reason, data) = unsafe {
        (
            short((*raw).id, "an id")?,
            short((*raw).description, "a description")?,
            short((*raw).cache_reason, "a reason")?,
            text((*raw).data, "an item's data", MAX_DATA_BYTES)?,
        )
    };
    // SAFETY: as above.
    let (deps, sections) = unsafe {
        (
            list((*raw).deps, (*raw).deps_count, &id)?,
            list((*raw).sections, (*raw).sections_count, &id)?,
        )
    };
    // SAFETY: as above.
    let (cache, flags, runs) = unsafe { ((*raw).cache_class, (*raw).flags, (*raw).call.is_some()) };
    let wants_context = flags & ITEM_WANTS_CONTEXT != 0;
    let (cache, why) = class(cache, wants_context);
    let reason = if reason.is_empty() { why.into() } else { reason };
    let item = Item {
        at,
        kind,
        cache,
        id,
        description,
        deps,
        sections,
        reason,
        data,
        wants_context,
        runs,
    };
    meant(item).map(Some)
}

fn kind(raw: RawKind) -> Option<ItemKind> {
    Some(match raw {
        RawKind::COMPONENT => ItemKind::Component,
        RawKind::VARIANT => ItemKind::Variant,
        RawKind::MATCHER => ItemKind::Matcher,
        RawKind::HELPER => ItemKind::Helper,
        RawKind::TOOL => ItemKind::Tool,
        RawKind::PROBE => ItemKind::Probe,
        _ => return None,
    })
}

/// How stable an item is, and why where that is not what it says itself.
fn class(raw: CacheClass, wants_context: bool) -> (Cache, &'static str) {
    match raw {
        _ if wants_context => (Cache::Volatile, "it gets the whole context"),
        CacheClass::STATIC => (Cache::Static, ""),
        CacheClass::SESSION => (Cache::Session, ""),
        CacheClass::VOLATILE => (Cache::Volatile, ""),
        _ => (Cache::Volatile, "it has a cache class of a later version"),
    }
}

/// An item that is what its kind asks for.
fn meant(item: Item) -> Result<Item, Refusal> {
    let Item { kind, id, .. } = &item;
    let shape = match kind {
        ItemKind::Component | ItemKind::Helper => ComponentId::new(id).err(),
        ItemKind::Variant => VariantId::new(id).err(),
        ItemKind::Tool | ItemKind::Matcher | ItemKind::Probe => ToolId::new(id).err(),
    };
    if let Some(shape) = shape {
        return Err(format!("its {kind} `{id}` has no valid id: use {}", shape.shape()).into());
    }
    let data_alone = matches!(kind, ItemKind::Variant | ItemKind::Tool) && !item.data.is_empty();
    if !item.runs && !data_alone {
        return Err(format!("its {kind} `{id}` has no code").into());
    }
    if *kind == ItemKind::Variant && item.data.is_empty() {
        return Err(format!("its variant `{id}` has no data").into());
    }
    if *kind == ItemKind::Probe && key::steps(&item.data).is_none() {
        return Err(format!("its probe `{id}` names no context key").into());
    }
    if let Some(dep) =
        item.deps.iter().find(|dep| dep.starts_with('/') || key::steps(dep).is_none())
    {
        return Err(format!("its {kind} `{id}` declares `{dep}`, which is no dotted path").into());
    }
    if item.cache == Cache::Static && !item.deps.is_empty() && *kind == ItemKind::Component {
        return Err(
            format!("its component `{id}` says that it is static, and declares keys").into()
        );
    }
    if item.cache == Cache::Volatile && item.reason.is_empty() && *kind == ItemKind::Component {
        return Err(format!("its component `{id}` is volatile without a reason").into());
    }
    Ok(item)
}

fn unique(items: &[Item]) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    match items.iter().find(|item| !seen.insert((item.kind, &item.id))) {
        Some(twice) => Err(format!("it has the {} `{}` twice", twice.kind, twice.id).into()),
        None => Ok(()),
    }
}

/// # Safety
/// As for [`table`].
unsafe fn list(first: *const Str, count: u32, id: &str) -> Result<Vec<String>, Refusal> {
    if count > MAX_DEPS {
        return Err(
            format!("its item `{id}` declares {count} keys; at most {MAX_DEPS} are taken").into()
        );
    }
    if count > 0 && (first.is_null() || !first.is_aligned()) {
        return Err(format!("its item `{id}` declares {count} keys at no address").into());
    }
    // SAFETY: not null and aligned where there are any; the count is the caller's promise.
    (0..count as usize).map(|at| unsafe { short(*first.add(at), "a declared key") }).collect()
}

/// # Safety
/// As for [`table`].
unsafe fn short(raw: Str, what: &str) -> Result<String, Refusal> {
    // SAFETY: the caller's promise is the same.
    unsafe { text(raw, what, MAX_TEXT_BYTES) }
}

/// # Safety
/// As for [`table`].
unsafe fn text(raw: Str, what: &str, most: usize) -> Result<String, Refusal> {
    if !raw.is_plausible() || raw.len > most {
        return Err(format!("{what} has {} bytes; at most {most} are taken", raw.len).into());
    }
    // SAFETY: plausible, and the caller promises that it can be read.
    let text = unsafe { raw.as_text() }.map_err(|_| format!("{what} is not UTF-8"))?;
    Ok(text.to_owned())
}
