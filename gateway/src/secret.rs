//! Keys: read late, shown never.
//!
//! In: what an environment variable or a file holds. Out: [`Secret`], whose `Debug` says nothing. Never: a key in an error,
//! a log or a metric.

use std::io::ErrorKind;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};

/// Something that nobody may read in a log.
#[derive(Clone, Debug)]
pub struct Secret(SecretString);

/// What stands in a text where a key stood.
const HIDDEN: &str = "[key]";
/// Shorter keys may be words of a language.
const MIN_HIDDEN_BYTES: usize = 6;

impl Secret {
    /// Keeps a text without the white space around it.
    pub fn new(text: &str) -> Self {
        Self(SecretString::from(text.trim()))
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// A text without it.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        let key = self.expose();
        if key.len() < MIN_HIDDEN_BYTES { text.to_owned() } else { text.replace(key, HIDDEN) }
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
    /// What hinders reading the file.
    pub(crate) async fn read(&self) -> std::io::Result<Secret> {
        match self {
            Self::Held(secret) => Ok(secret.clone()),
            Self::File(path) => {
                let text = tokio::fs::read_to_string(path).await?;
                // While a key is written anew its file may be empty.
                let is_empty = text.trim().is_empty();
                if is_empty { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(Secret::new(&text)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("sk-123456\n");
        assert_eq!(secret.expose(), "sk-123456");
        assert!(!format!("{:?}", KeySource::Held(secret.clone())).contains("123"));
        assert_eq!(secret.hidden_in("no sk-123456 here"), "no [key] here");
    }
}
