//! Reads and writes files and standard input.
//!
//! In: a path. Out: text, or the reason why there is none, with the place of the first bad byte.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use promptweave::{Code, Diagnostic, Origin, SourceFile};

use crate::failure::Failure;

/// The name that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// What people call a file.
pub(crate) fn shown(path: &Path) -> String {
    if path.as_os_str() == STDIN { "standard input".into() } else { path.display().to_string() }
}

/// Reads a text; `-` is standard input. A byte order mark is no part of it.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let text = read_exact(path)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Reads a text with every byte it has.
pub(crate) fn read_exact(path: &Path) -> Result<String, Failure> {
    let bytes = if path.as_os_str() == STDIN { read_stdin() } else { fs::read(path) };
    let bytes = bytes.map_err(|error| {
        Failure::input(
            format!("`{}` cannot be read: {error}", shown(path)),
            "give the path of a readable file, or `-` for standard input",
        )
    })?;
    String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))
}

fn read_stdin() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Failure {
    let at = error.utf8_error().valid_up_to();
    let read = String::from_utf8_lossy(&error.as_bytes()[..at]);
    let file = SourceFile::new(shown(path), read);
    let message = format!("`{}` is not UTF-8: byte {} begins no character", shown(path), at + 1);
    let told = Diagnostic::new(Code::FileNotUtf8, message, Origin::file(&file, at..at));
    Failure::Input(Box::new(told.help("save the file as UTF-8")))
}

/// Writes a file; folders are made on the way.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).and_then(|()| fs::write(path, text)).map_err(|error| {
        Failure::input(
            format!("`{}` cannot be written: {error}", path.display()),
            "look at the folder's permissions",
        )
    })
}

/// The start of the character that a byte belongs to; the text's end for what is behind it.
pub(crate) fn char_start(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
