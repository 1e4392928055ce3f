//! Signatures over `plugin.toml`, by keys that the user has pinned.
//!
//! In: the bytes of a manifest, its detached minisign signature, the pinned keys. Out: who signed it.
//! Never: looks a key up; lets a signature stand for a digest.

use std::fmt;

use minisign_verify::{PublicKey, Signature};
use promptweave::PackName;
use serde::Serialize;

/// The name of the file beside `plugin.toml`.
pub const SIGNATURE_FILE: &str = "plugin.toml.minisig";
/// The most bytes of a signature.
pub(crate) const MAX_SIGNATURE_BYTES: u64 = 16 * 1024;

/// The id of a key, as minisign prints it: 16 upper-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyId(String);

impl KeyId {
    pub(crate) fn new(text: &str) -> Option<Self> {
        let fits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| Self(text.to_ascii_uppercase()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What signs the plugins whose names begin alike.
#[derive(Clone)]
struct Pinned {
    prefix: String,
    id: KeyId,
    key: PublicKey,
}

/// The keys that the user has pinned, by the beginning of a plugin's name.
#[derive(Clone, Default)]
pub struct Keys {
    pinned: Vec<Pinned>,
}

/// A text that is no public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no public key of minisign")]
pub struct InvalidKey;

/// Who signed a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signed {
    /// The key that is pinned for its name.
    By(KeyId),
    /// Nobody: there is no signature.
    Nobody,
    /// Somebody for whose plugins no key is pinned.
    Stranger,
    /// The signature is broken, or not of the pinned key over these bytes.
    Wrong,
}

/// For people: the key's id, or what is wrong.
impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::By(id) => id.fmt(f),
            Self::Nobody => f.write_str("none"),
            Self::Stranger => f.write_str("a signature, and no key is pinned for this name"),
            Self::Wrong => f.write_str("a signature that is not of the pinned key"),
        }
    }
}

impl Keys {
    /// Pins a key (the second line of `minisign.pub`) for the plugins whose names begin with `prefix`.
    ///
    /// # Errors
    /// [`InvalidKey`] when the text is none.
    pub fn pin(&mut self, prefix: &str, key: &str) -> Result<(), InvalidKey> {
        let id = key_id(key).ok_or(InvalidKey)?;
        let key = PublicKey::from_base64(key).map_err(|_| InvalidKey)?;
        self.pinned.push(Pinned { prefix: prefix.to_owned(), id, key });
        // The longest beginning that fits is asked, and it alone.
        self.pinned.sort_by_key(|one| std::cmp::Reverse(one.prefix.len()));
        Ok(())
    }

    /// Who signed the bytes of a manifest. Only signatures over the hash of a file count, which is what
    /// minisign makes by default.
    pub fn signed(&self, name: &PackName, manifest: &[u8], signature: Option<&str>) -> Signed {
        let Some(signature) = signature else { return Signed::Nobody };
        let fits = |one: &&Pinned| name.as_str().starts_with(&one.prefix);
        let Some(pinned) = self.pinned.iter().find(fits) else { return Signed::Stranger };
        let verified = Signature::decode(signature)
            .and_then(|signature| pinned.key.verify(manifest, &signature, false));
        match verified {
            Ok(()) => Signed::By(pinned.id.clone()),
            Err(_) => Signed::Wrong,
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.pinned.iter().map(|one| (&one.prefix, &one.id))).finish()
    }
}

/// The id within a key: bytes 2 to 9 of it, printed as one little-endian number.
fn key_id(key: &str) -> Option<KeyId> {
    let front = base64(key.get(..16)?)?;
    let id = u64::from_le_bytes(front.get(2..10)?.try_into().ok()?);
    Some(KeyId(format!("{id:016X}")))
}

/// Whole groups of four digits, without padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    for group in text.as_bytes().chunks_exact(4) {
        let mut bits = 0_u32;
        for digit in group {
            let value = DIGITS.iter().position(|known| known == digit)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    const SIGNATURE: &str = "untrusted comment: signature from minisign secret key\n\
        RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=\n\
        trusted comment: timestamp:1633700835\tfile:test\tprehashed\n\
        wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==";

    #[test]
    fn the_longest_beginning_decides() {
        let mut keys = Keys::default();
        let name = PackName::new("acme-x").unwrap();
        let signed = |keys: &Keys, text, signature| keys.signed(&name, text, signature);
        assert_eq!(signed(&keys, b"test", None), Signed::Nobody);
        assert_eq!(signed(&keys, b"test", Some(SIGNATURE)), Signed::Stranger);
        keys.pin("acme-", KEY).unwrap();
        let id = KeyId("E7620F1842B4E81F".into());
        assert_eq!(signed(&keys, b"test", Some(SIGNATURE)), Signed::By(id));
        assert_eq!(signed(&keys, b"tesT", Some(SIGNATURE)), Signed::Wrong);
        assert_eq!(signed(&keys, b"test", Some("no signature")), Signed::Wrong);
        let other = KEY.replace("RWQf6L", "RWQf6M");
        keys.pin("acme-x", &other).unwrap();
        assert_eq!(signed(&keys, b"test", Some(SIGNATURE)), Signed::Wrong);
        let stranger = PackName::new("other").unwrap();
        assert_eq!(keys.signed(&stranger, b"test", Some(SIGNATURE)), Signed::Stranger);
        for wrong in ["", "RWQ", "not a key", &KEY[1..]] {
            assert_eq!(Keys::default().pin("a", wrong), Err(InvalidKey), "{wrong}");
        }
    }
}
