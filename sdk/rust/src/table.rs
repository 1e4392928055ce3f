//! Puts the static table together, while the plugin is compiled.
//!
//! In: the constants of an author's types. Out: the structs of the ABI. Never: work at run time; what is
//! wrong with a fact does not compile.

use promptweave_abi::{
    ABI_MAJOR, ABI_MINOR, CacheClass, Entry, Item, Kind, PLUGIN_THREAD_SAFE, Plugin, Str,
};

use crate::trampoline::{self, Definition};
use crate::{Cache, Component, Data, Helper, Matcher, Probe};

/// What a plugin says of itself.
pub struct Head {
    /// Names it.
    pub name: &'static str,
    /// Its own version.
    pub version: &'static str,
    /// At most one sentence.
    pub description: &'static [&'static str],
    /// At most one SPDX expression.
    pub license: &'static [&'static str],
    /// At most one URL.
    pub homepage: &'static [&'static str],
}

/// What an item reads, as the ABI has it.
#[derive(Clone, Copy)]
pub struct Reads {
    /// Context keys.
    pub deps: &'static [Str],
    /// Earlier sections.
    pub sections: &'static [Str],
}

const BLANK: Item = Item {
    struct_size: size_of::<Item>() as u32,
    kind: Kind(0),
    id: Str::ABSENT,
    description: Str::ABSENT,
    deps: std::ptr::null(),
    deps_count: 0,
    cache_class: CacheClass::SESSION,
    cache_reason: Str::ABSENT,
    data: Str::ABSENT,
    call: None,
    sections: std::ptr::null(),
    sections_count: 0,
    flags: 0,
    reserved: [0; 4],
};

/// The whole table.
pub const fn plugin<D: Definition>(head: &Head, items: &'static [Item]) -> Plugin {
    assert!(
        is_lower_id(head.name),
        "`name`: `a-z` and digits, then `.`, `_`, `-` too, at most 64 bytes"
    );
    assert_unique(items);
    Plugin {
        struct_size: size_of::<Plugin>() as u32,
        abi_major: ABI_MAJOR,
        abi_minor: ABI_MINOR,
        min_host_minor: 0,
        reserved0: 0,
        flags: PLUGIN_THREAD_SAFE,
        name: Str::new(head.name),
        version: Str::new(head.version),
        description: optional(head.description),
        license: optional(head.license),
        homepage: optional(head.homepage),
        items: items.as_ptr(),
        items_count: items.len() as u32,
        items_stride: size_of::<Item>() as u32,
        init: Some(trampoline::init::<D>),
        deinit: Some(trampoline::deinit::<D>),
        reserved: [0; 6],
    }
}

/// The handle for a host that links the plugin in.
pub const fn handle<D: Definition>() -> Entry {
    // SAFETY: the trampolines keep to the header, and `plugin` made the table.
    unsafe { Entry::new(trampoline::entry::<D>) }
}

/// The item of a component.
pub const fn component<S, C>(reads: Reads) -> Item
where
    S: Send + Sync + 'static,
    C: Component<S>,
{
    assert!(is_name(C::ID), "`ID`: a letter, then letters, digits and `_`, at most 64 bytes");
    let item = Item {
        kind: Kind::COMPONENT,
        id: Str::new(C::ID),
        description: Str::new(C::DESCRIPTION),
        call: Some(trampoline::component::<S, C>),
        ..BLANK
    };
    cached(reading(item, reads), C::CACHE)
}

/// The item of a matcher.
pub const fn matcher<S, M>(reads: Reads) -> Item
where
    S: Send + Sync + 'static,
    M: Matcher<S>,
{
    assert!(
        is_dashed_name(M::ID),
        "`ID`: a letter, then letters, digits, `_`, `-`, at most 64 bytes"
    );
    let item = Item {
        kind: Kind::MATCHER,
        id: Str::new(M::ID),
        description: Str::new(M::DESCRIPTION),
        call: Some(trampoline::matcher::<S, M>),
        ..BLANK
    };
    reading(item, reads)
}

/// The item of a helper.
pub const fn helper<S, H>(reads: Reads) -> Item
where
    S: Send + Sync + 'static,
    H: Helper<S>,
{
    assert!(is_name(H::ID), "`ID`: a letter, then letters, digits and `_`, at most 64 bytes");
    let item = Item {
        kind: Kind::HELPER,
        id: Str::new(H::ID),
        description: Str::new(H::DESCRIPTION),
        call: Some(trampoline::helper::<S, H>),
        ..BLANK
    };
    cached(reading(item, reads), H::CACHE)
}

/// The item of a probe.
pub const fn probe<S, P>(reads: Reads) -> Item
where
    S: Send + Sync + 'static,
    P: Probe<S>,
{
    assert!(
        is_dashed_name(P::ID),
        "`ID`: a letter, then letters, digits, `_`, `-`, at most 64 bytes"
    );
    let item = Item {
        kind: Kind::PROBE,
        id: Str::new(P::ID),
        description: Str::new(P::DESCRIPTION),
        data: Str::new(P::KEY),
        call: Some(trampoline::probe::<S, P>),
        ..BLANK
    };
    reading(item, reads)
}

/// The item of a variant.
pub const fn variant(data: Data) -> Item {
    assert!(
        is_lower_id(data.id),
        "a variant's id: `a-z` and digits, then `.`, `_`, `-` too, at most 64 bytes"
    );
    fixed(Kind::VARIANT, data)
}

/// The item of a tool.
pub const fn tool(data: Data) -> Item {
    assert!(
        is_dashed_name(data.id),
        "a tool's id: a letter, then letters, digits, `_`, `-`, at most 64 bytes"
    );
    fixed(Kind::TOOL, data)
}

const fn fixed(kind: Kind, data: Data) -> Item {
    Item {
        kind,
        id: Str::new(data.id),
        description: Str::new(data.description),
        data: Str::new(data.json),
        cache_class: CacheClass::STATIC,
        ..BLANK
    }
}

const fn reading(item: Item, reads: Reads) -> Item {
    Item {
        deps: reads.deps.as_ptr(),
        deps_count: reads.deps.len() as u32,
        sections: reads.sections.as_ptr(),
        sections_count: reads.sections.len() as u32,
        ..item
    }
}

const fn cached(item: Item, cache: Cache) -> Item {
    match cache {
        Cache::Static => {
            assert!(
                item.deps_count == 0,
                "`Cache::Static` reads no key: drop `DEPS`, or say `Session`"
            );
            Item { cache_class: CacheClass::STATIC, ..item }
        }
        Cache::Session => item,
        Cache::Volatile(reason) => {
            assert!(!reason.is_empty(), "`Cache::Volatile` needs a reason");
            Item { cache_class: CacheClass::VOLATILE, cache_reason: Str::new(reason), ..item }
        }
    }
}

/// Texts as the ABI has them.
pub const fn strs<const N: usize>(texts: &[&'static str]) -> [Str; N] {
    let mut strs = [Str::ABSENT; N];
    let mut at = 0;
    while at < N {
        strs[at] = Str::new(texts[at]);
        at += 1;
    }
    strs
}

const fn optional(text: &[&'static str]) -> Str {
    match text.first() {
        Some(text) => Str::new(text),
        None => Str::ABSENT,
    }
}

const MAX_ID_BYTES: usize = 64;

/// `[A-Za-z][A-Za-z0-9_]{0,63}`
const fn is_name(id: &str) -> bool {
    let mut at = 0;
    while at < id.len() {
        if id.as_bytes()[at] == b'-' {
            return false;
        }
        at += 1;
    }
    is_dashed_name(id)
}

/// `[A-Za-z][A-Za-z0-9_-]{0,63}`
const fn is_dashed_name(id: &str) -> bool {
    let bytes = id.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let inside = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if !inside || (at == 0 && !byte.is_ascii_alphabetic()) {
            return false;
        }
        at += 1;
    }
    !bytes.is_empty() && bytes.len() <= MAX_ID_BYTES
}

/// `[a-z0-9][a-z0-9._-]{0,63}`
const fn is_lower_id(id: &str) -> bool {
    let bytes = id.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let first = bytes[at].is_ascii_lowercase() || bytes[at].is_ascii_digit();
        if !(first || (at > 0 && matches!(bytes[at], b'.' | b'_' | b'-'))) {
            return false;
        }
        at += 1;
    }
    !bytes.is_empty() && bytes.len() <= MAX_ID_BYTES
}

const fn assert_unique(items: &[Item]) {
    let mut at = 0;
    while at < items.len() {
        let mut before = 0;
        while before < at {
            let same_kind = items[before].kind.0 == items[at].kind.0;
            // SAFETY: ids are static text of the plugin.
            let same_id = unsafe { same(items[before].id.as_bytes(), items[at].id.as_bytes()) };
            assert!(!(same_kind && same_id), "two items of one kind have the same id");
            before += 1;
        }
        at += 1;
    }
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}
