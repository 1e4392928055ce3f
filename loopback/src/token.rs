//! The secret that stands between a server and whoever reaches its port.
//!
//! In: a file. Out: [`Token`], which says whether what was given is it. Never: prints it, or tells by its time how much of a guess
//! was right.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Fewer bytes can be guessed.
const MIN_BYTES: usize = 16;
const MAX_BYTES: usize = 4096;

/// A secret: compared by digests and in constant time, so that neither its text nor its length can be measured.
pub struct Token {
    digest: [u8; 32],
    /// What a browser holds instead: made anew in each process, and no use elsewhere.
    cookie: String,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("the token file `{}` cannot be read: {cause}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// Others could use it.
    #[error("the token file `{}` can be read by other users: `chmod 600` it", .0.display())]
    Shared(PathBuf),
    /// It can be guessed, or is no text of one line.
    #[error("the token in `{}` is not 16 to 4096 visible characters of ASCII on one line", .0.display())]
    Weak(PathBuf),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}

impl Token {
    /// Reads a token: one line, 16 to 4096 visible characters of ASCII; a line end behind it is none of it.
    ///
    /// # Errors
    /// [`TokenError`]; also where others than the owner may read the file, or it is a pipe or a device.
    pub fn from_file(file: &Path) -> Result<Self, TokenError> {
        let unreadable = |cause| TokenError::Unreadable { file: file.into(), cause };
        let opened = open(file).map_err(unreadable)?;
        let about = opened.metadata().map_err(unreadable)?;
        if !about.is_file() {
            return Err(unreadable(std::io::Error::other("it is not a regular file")));
        }
        if is_shared(&about) {
            return Err(TokenError::Shared(file.into()));
        }
        let mut text = String::new();
        opened.take(MAX_BYTES as u64 + 3).read_to_string(&mut text).map_err(unreadable)?;
        let token = text.strip_suffix('\n').unwrap_or(&text);
        let token = token.strip_suffix('\r').unwrap_or(token);
        let is_line = token.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_line || !(MIN_BYTES..=MAX_BYTES).contains(&token.len()) {
            return Err(TokenError::Weak(file.into()));
        }
        Ok(Self { digest: digest(token.as_bytes()), cookie: random_hex()? })
    }

    /// Whether this is the token.
    pub fn is(&self, given: &[u8]) -> bool {
        self.digest.ct_eq(&digest(given)).into()
    }

    /// What a browser holds instead of the token: 256 random bits in hex, made when the process began.
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Whether a request brings the token as `Authorization: Bearer` or in a header of this name, or the cookie of that name.
    pub(crate) fn is_in(
        &self,
        headers: &HeaderMap,
        key: Option<&str>,
        cookie: Option<&str>,
    ) -> bool {
        let bearer = headers.get(AUTHORIZATION).and_then(|value| bearer(value.as_bytes()));
        let keyed = key.and_then(|name| headers.get(name)).map(|value| value.as_bytes());
        let known = |value: &[u8]| digest(self.cookie.as_bytes()).ct_eq(&digest(value)).into();
        bearer.is_some_and(|given| self.is(given))
            || keyed.is_some_and(|given| self.is(given))
            || cookie.is_some_and(|name| cookies(headers, name).any(known))
    }
}

/// Nothing of it.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

/// The values of a cookie; a browser may send several of one name.
fn cookies<'h>(headers: &'h HeaderMap, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
    let pairs =
        headers.get_all(COOKIE).iter().flat_map(|value| value.as_bytes().split(|&at| at == b';'));
    pairs.filter_map(move |pair| {
        let pair = pair.trim_ascii();
        pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")
    })
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn random_hex() -> Result<String, TokenError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| TokenError::Random(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Opens a file that may be anything; a pipe without a writer does not hold us up.
#[cfg(unix)]
fn open(file: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK.union(rustix::fs::OFlags::NOCTTY);
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(file)
}

#[cfg(not(unix))]
fn open(file: &Path) -> std::io::Result<File> {
    File::open(file)
}

#[cfg(unix)]
fn is_shared(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.permissions().mode() & 0o077 != 0
}

/// Who may read a file is said elsewhere there.
#[cfg(not(unix))]
fn is_shared(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, mode: u32) -> Result<Token, TokenError> {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        Token::from_file(&file)
    }

    #[test]
    fn a_token_is_one_line_that_nobody_else_reads() {
        for text in ["0123456789abcdef", "0123456789abcdef\n", "0123456789abcdef\r\n"] {
            let token = of(text, 0o600).unwrap();
            assert!(token.is(b"0123456789abcdef"));
            assert!(
                !token.is(b"0123456789abcdeF")
                    && !token.is(b"")
                    && !token.is(&text.as_bytes()[..15])
            );
        }
        for text in ["", "short", "0123456789abcdef\n\n", "0123456789 abcdef", "0123456789abcdéf"]
        {
            assert!(matches!(of(text, 0o600), Err(TokenError::Weak(_))), "{text:?}");
        }
        assert!(matches!(of(&"a".repeat(4097), 0o600), Err(TokenError::Weak(_))));
        assert!(matches!(of("0123456789abcdef", 0o640), Err(TokenError::Shared(_))));
    }

    #[test]
    fn what_is_no_regular_file_keeps_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for file in [&*pipe, folder.path(), Path::new("/dev/zero")] {
            let told = Token::from_file(file).unwrap_err().to_string();
            assert!(told.contains("not a regular file"), "{told}");
        }
    }

    #[test]
    fn it_comes_as_bearer_key_or_cookie() {
        let token = of("0123456789abcdef", 0o600).unwrap();
        let cookie = format!("a=b; own={}; c", token.cookie());
        for (name, value, is_in) in [
            ("authorization", "Bearer 0123456789abcdef", true),
            ("authorization", "bearer  0123456789abcdef", true),
            ("authorization", "Basic 0123456789abcdef", false),
            ("authorization", "0123456789abcdef", false),
            ("authorization", "Bearer 0123456789abcdeg", false),
            ("x-api-key", "0123456789abcdef", true),
            ("x-other", "0123456789abcdef", false),
            ("cookie", &cookie, true),
            ("cookie", "own=0123456789abcdef", false),
            ("cookie", "own=", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            assert_eq!(
                token.is_in(&headers, Some("x-api-key"), Some("own")),
                is_in,
                "{name}: {value}"
            );
            assert!(!token.is_in(&headers, None, None) || name == "authorization");
        }
    }
}
