//! Names, parsed once at the edge.

use std::fmt;
use std::sync::Arc;

/// A name that does not have the shape its kind asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a {kind}: {shape}")]
pub struct InvalidId {
    name: String,
    kind: &'static str,
    shape: &'static str,
}

impl InvalidId {
    /// What such a name looks like, for a help line.
    pub fn shape(&self) -> &'static str {
        self.shape
    }
}

const MAX_BYTES: usize = 64;

fn is_name(text: &str, tail: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= MAX_BYTES
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes[1..].iter().all(|&byte| byte.is_ascii_alphanumeric() || tail(byte))
}

fn is_slug(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    let bytes = text.as_bytes();
    bytes.len() <= MAX_BYTES
        && bytes.first().is_some_and(|&byte| inner(byte))
        && bytes.iter().all(|&byte| inner(byte) || matches!(byte, b'.' | b'_' | b'-'))
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $shape:literal, $accepts:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes a name of the right shape.
            ///
            /// # Errors
            /// [`InvalidId`], which says what the shape is.
            pub fn new(name: &str) -> Result<Self, InvalidId> {
                let accepts: fn(&str) -> bool = $accepts;
                if accepts(name) {
                    return Ok(Self(name.into()));
                }
                Err(InvalidId { name: name.into(), kind: $kind, shape: $shape })
            }

            /// The name.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The name, shared.
            pub fn shared(&self) -> &Arc<str> {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.0)
            }
        }
    };
}

id! {
    /// Names a component: a letter, then letters, digits and `_`, 1..=64 bytes, e.g. `editing_files`.
    ComponentId, "component id", "a letter, then letters, digits and `_`, at most 64 bytes",
    |text| is_name(text, |byte| byte == b'_')
}
id! {
    /// Names a tool: a letter, then letters, digits, `_` and `-`, 1..=64 bytes, e.g. `read_file`.
    ToolId, "tool id", "a letter, then letters, digits, `_` and `-`, at most 64 bytes",
    |text| is_name(text, |byte| matches!(byte, b'_' | b'-'))
}
id! {
    /// Names a variant: lower-case letters, digits, `.`, `_`, `-`, 1..=64 bytes, e.g. `gpt-5`.
    VariantId, "variant id", "a lower-case letter or digit, then these, `.`, `_` and `-`, at most 64 bytes",
    is_slug
}
id! {
    /// Names a pack or an extension: lower-case letters, digits, `.`, `_`, `-`, 1..=64 bytes.
    PackName, "pack name", "a lower-case letter or digit, then these, `.`, `_` and `-`, at most 64 bytes",
    is_slug
}

impl PackName {
    /// The name of a pack that gives none and whose source has none either.
    pub(crate) fn unnamed() -> Self {
        Self("pack".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        for (text, component, tool, slug) in [
            ("rules", true, true, true),
            ("Rules_2", true, true, false),
            ("read-file", false, true, true),
            ("gpt-5.1", false, false, true),
            ("5x", false, false, true),
            ("", false, false, false),
            ("é", false, false, false),
            ("a b", false, false, false),
        ] {
            assert_eq!(ComponentId::new(text).is_ok(), component, "{text}");
            assert_eq!(ToolId::new(text).is_ok(), tool, "{text}");
            assert_eq!(VariantId::new(text).is_ok(), slug, "{text}");
        }
        assert!(ToolId::new(&"x".repeat(64)).is_ok());
        assert!(ToolId::new(&"x".repeat(65)).is_err());
    }
}
