//! Keys: read late, shown never.
//!
//! In: what an environment variable or a file holds. Out: [`Secret`], whose `Debug` says nothing. Never: a key in an error,
//! a log or a metric.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};

use crate::reading;

/// Something that nobody may read in a log.
#[derive(Clone, Debug)]
pub struct Secret(SecretString);

/// What stands in a text where a key stood.
const HIDDEN: &str = "[key]";
/// Shorter keys may be words of a language.
const MIN_HIDDEN_BYTES: usize = 6;
/// The longest file of a key.
const MAX_FILE_BYTES: u64 = 64 << 10;

impl Secret {
    /// Keeps a text without the white space around it.
    ///
    /// # Errors
    /// Why it is no key, in words that hold nothing of it: it is empty, or a header cannot hold it.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        match text {
            "" => Err("is empty"),
            _ if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) => Ok(Self(text.into())),
            _ => Err("is no key: it is more than one line, or holds what is no printable ASCII"),
        }
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// A text without it.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        let key = self.expose();
        if key.len() < MIN_HIDDEN_BYTES { text.to_owned() } else { text.replace(key, HIDDEN) }
    }

    /// Whether an id holds it, also with `_` in place of what ids do not have.
    pub(crate) fn is_in(&self, id: &str) -> bool {
        let key = self.expose();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let cleaned = || key.chars().map(plain).collect::<String>();
        key.len() >= MIN_HIDDEN_BYTES && (id.contains(key) || id.contains(&cleaned()))
    }
}

/// Where a key comes from.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// It was read at the start.
    Held(Secret),
    /// It is read again for each request, so that it may be renewed meanwhile.
    File(PathBuf),
}

impl KeySource {
    /// The key as it is now.
    ///
    /// # Errors
    /// What hinders reading the file, or that it holds no key; it names the file, and holds nothing of it.
    pub(crate) async fn read(&self) -> std::io::Result<Secret> {
        let path = match self {
            Self::Held(secret) => return Ok(secret.clone()),
            Self::File(path) => path.clone(),
        };
        let read = tokio::task::spawn_blocking(move || {
            let named = |why: String| Error::new(ErrorKind::InvalidData, why);
            // While a key is written anew its file may be empty.
            from_file(&path).map_err(|why| named(format!("`{}` {why}", path.display())))
        });
        read.await.map_err(Error::other)?
    }
}

/// The key that a file holds.
///
/// # Errors
/// What is wrong with the file, in words that hold nothing of it.
pub(crate) fn from_file(path: &Path) -> Result<Secret, String> {
    let text = reading::text(path, MAX_FILE_BYTES);
    let text = text.map_err(|error| format!("cannot be read: {error}"))?;
    Secret::new(&text).map_err(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("sk-123456\n").unwrap();
        assert_eq!(secret.expose(), "sk-123456");
        assert!(!format!("{:?}", KeySource::Held(secret.clone())).contains("123"));
        assert_eq!(secret.hidden_in("no sk-123456 here"), "no [key] here");
    }

    #[test]
    fn what_no_header_can_hold_is_no_key() {
        for text in
            ["", " \n", "sk-1\nsk-2", "sk-\0", "sk-\u{e4}", "\u{feff}sk-1", "a\tb", "a\u{7f}"]
        {
            assert!(Secret::new(text).is_err(), "{text:?}");
        }
        assert!(Secret::new("\tBasic dXNlcg==\r\n").is_ok());
    }

    #[test]
    fn a_key_is_found_in_ids_however_it_is_written() {
        let secret = Secret::new("sk.12/34+5").unwrap();
        assert!(secret.is_in("msg_sk.12/34+5") && secret.is_in("msg_sk_12_34_5"));
        assert!(!secret.is_in("msg_1") && !Secret::new("abc").unwrap().is_in("abc"));
    }
}
