//! Names that a provider, a condition and a tag can all carry.
//!
//! In: a name from anywhere. Out: the same when it fits, else one that does, the same in every build.
//! Never: gives one name to two tools.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// What a name may look like; all of it ASCII.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Whether it may begin with a digit or one of `marks`; it may with a letter or `_`.
    pub any_start: bool,
    /// What it may hold besides letters, digits and `_`.
    pub marks: &'static [u8],
    /// How long it may be, in bytes.
    pub max: usize,
}

/// Of a joined tool: a subset of what every provider accepts, and of what a tag can be called.
pub(crate) const JOINED: Shape = Shape { any_start: false, marks: b"-", max: 64 };

impl Shape {
    /// Whether a name fits.
    pub(crate) fn accepts(&self, name: &str) -> bool {
        let bytes = name.as_bytes();
        bytes.first().is_some_and(|&byte| self.starts(byte))
            && bytes.len() <= self.max
            && bytes.iter().all(|&byte| self.holds(byte))
    }

    /// The name with `_` for what does not fit, shortened with a digest of the whole when it is too long.
    pub(crate) fn fit<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.accepts(name) {
            return Cow::Borrowed(name);
        }
        let mut fitting: String =
            name.chars().map(|c| if self.holds_char(c) { c } else { '_' }).collect();
        if !fitting.as_bytes().first().is_some_and(|&byte| self.starts(byte)) {
            fitting.insert(0, '_');
        }
        if fitting.len() > self.max {
            fitting = self.with_digest(&fitting, name);
        }
        Cow::Owned(fitting)
    }

    /// A fitting name that is not taken: the fitted one, else one with a digest of `whole`, which tells it apart.
    pub(crate) fn fit_apart(
        &self,
        name: &str,
        whole: &str,
        taken: impl Fn(&str) -> bool,
    ) -> String {
        let mut fitting = self.fit(name).into_owned();
        let mut salt = String::from(whole);
        while taken(&fitting) {
            fitting = self.with_digest(&self.fit(name), &salt);
            salt.push('\'');
        }
        fitting
    }

    /// The head of a fitting name, `_` and eight hex digits: 55 + 1 + 8 of 64 bytes.
    fn with_digest(&self, fitting: &str, whole: &str) -> String {
        let digest = Sha256::digest(whole.as_bytes());
        let head = &fitting[..fitting.len().min(self.max.saturating_sub(9))];
        let tail: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("{head}_{tail}")
    }

    fn starts(&self, byte: u8) -> bool {
        byte.is_ascii_alphabetic() || byte == b'_' || (self.any_start && self.holds(byte))
    }

    fn holds(&self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b'_' || self.marks.contains(&byte)
    }

    fn holds_char(&self, c: char) -> bool {
        u8::try_from(c).is_ok_and(|byte| byte.is_ascii() && self.holds(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits() {
        for (name, fitted) in [
            ("read", "read"),
            ("a.b c", "a_b_c"),
            ("1st", "_1st"),
            ("-x", "_-x"),
            ("größe", "gr__e"),
            ("", "_"),
        ] {
            assert_eq!(JOINED.fit(name), fitted, "{name}");
        }
        let long = JOINED.fit(&"y".repeat(65)).into_owned();
        assert_eq!(long.len(), 64);
        assert!(long.starts_with(&"y".repeat(55)) && JOINED.accepts(&long));
        assert_ne!(long, JOINED.fit(&"y".repeat(66)), "the digest is of the whole name");
    }

    #[test]
    fn keeps_apart() {
        let taken = ["a_b".to_owned()];
        let name = JOINED.fit_apart("a.b", "a.b", |name| taken.iter().any(|t| t == name));
        assert_eq!(name.len(), "a_b".len() + 9);
        assert!(JOINED.accepts(&name));
        let again = JOINED.fit_apart("a.b", "a.b", |name| taken.iter().any(|t| t == name));
        assert_eq!(name, again);
    }
}
