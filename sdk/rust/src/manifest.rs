//! The embedded manifest: what tools can say of a library without loading it.
//!
//! In: the table's own facts. Out: the text of a `plugin.toml` and a NUL, made while the plugin is
//! compiled. Never: the tables `[library.*]`, which would hold the library's own hash.

use promptweave_abi::{ABI_MAJOR, CacheClass, Item, Kind, Str};

use crate::table::Head;

/// Text that is written twice: once to learn its length, with no room at all, and once for good.
pub struct Text<const N: usize> {
    /// What has found room.
    pub bytes: [u8; N],
    /// How long it would be.
    pub len: usize,
}

/// The manifest, ended by a NUL.
pub const fn manifest<const N: usize>(head: &Head, items: &[Item]) -> Text<N> {
    let mut text = Text { bytes: [0; N], len: 0 };
    text.push(b"[plugin]\n");
    text.push_pair(b"name", head.name.as_bytes());
    text.push_pair(b"version", head.version.as_bytes());
    const { assert!(ABI_MAJOR == 1, "the next line says which host is needed") };
    text.push(b"abi = \"1.0\"\n");
    text.push_optional(b"description", head.description);
    text.push_optional(b"license", head.license);
    text.push_optional(b"homepage", head.homepage);
    let mut at = 0;
    while at < items.len() {
        text.push_item(&items[at]);
        at += 1;
    }
    text.push(b"\0");
    text
}

impl<const N: usize> Text<N> {
    const fn push_item(&mut self, item: &Item) {
        self.push(b"\n[[");
        self.push(match item.kind {
            Kind::COMPONENT => b"component",
            Kind::VARIANT => b"variant",
            Kind::MATCHER => b"matcher",
            Kind::HELPER => b"helper",
            Kind::TOOL => b"tool",
            Kind::PROBE => b"probe",
            Kind(_) => panic!("the table has no items of other kinds"),
        });
        self.push(b"]]\n");
        self.push_pair(b"id", bytes(item.id));
        self.push_pair(b"description", bytes(item.description));
        self.push_pair(
            b"cache",
            match item.cache_class {
                CacheClass::STATIC => b"static",
                CacheClass::SESSION => b"session",
                CacheClass(_) => b"volatile",
            },
        );
        if !item.cache_reason.is_absent() {
            self.push_pair(b"reason", bytes(item.cache_reason));
        }
        if matches!(item.kind, Kind::PROBE) {
            self.push_pair(b"key", bytes(item.data));
        }
        // SAFETY: the table's own lists are static.
        let (deps, sections) =
            unsafe { (list(item.deps, item.deps_count), list(item.sections, item.sections_count)) };
        self.push_list(b"deps", deps);
        self.push_list(b"sections", sections);
    }

    const fn push_optional(&mut self, key: &[u8], value: &[&str]) {
        if let Some(value) = value.first() {
            self.push_pair(key, value.as_bytes());
        }
    }

    const fn push_pair(&mut self, key: &[u8], value: &[u8]) {
        self.push(key);
        self.push(b" = ");
        self.push_quoted(value);
        self.push(b"\n");
    }

    const fn push_list(&mut self, key: &[u8], list: &[Str]) {
        if list.is_empty() {
            return;
        }
        self.push(key);
        let mut at = 0;
        while at < list.len() {
            self.push(if at == 0 { b" = [" } else { b", " });
            self.push_quoted(bytes(list[at]));
            at += 1;
        }
        self.push(b"]\n");
    }

    /// A basic string of TOML.
    const fn push_quoted(&mut self, value: &[u8]) {
        const HEX: &[u8; 16] = b"0123456789ABCDEF";
        self.push_byte(b'"');
        let mut at = 0;
        while at < value.len() {
            let byte = value[at];
            if byte == b'"' || byte == b'\\' {
                self.push_byte(b'\\');
                self.push_byte(byte);
            } else if byte.is_ascii_control() {
                self.push(b"\\u00");
                self.push_byte(HEX[(byte >> 4) as usize]);
                self.push_byte(HEX[(byte & 15) as usize]);
            } else {
                self.push_byte(byte);
            }
            at += 1;
        }
        self.push_byte(b'"');
    }

    const fn push(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            self.push_byte(bytes[at]);
            at += 1;
        }
    }

    const fn push_byte(&mut self, byte: u8) {
        if self.len < N {
            self.bytes[self.len] = byte;
        }
        self.len += 1;
    }
}

const fn bytes(text: Str) -> &'static [u8] {
    // SAFETY: the table's own texts are static.
    unsafe { text.as_bytes() }
}

/// # Safety
/// There are `count` texts at `first`, and they are static.
const unsafe fn list(first: *const Str, count: u32) -> &'static [Str] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}
