//! Reads and writes files and standard input.
//!
//! In: a path. Out: text, or the reason why there is none, with the place of the first bad byte.
//! Never: reads without end, writes through a link, leaves a half-written file where a whole one was.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use promptweave::{Code, Diagnostic, Origin, SourceFile};

use crate::failure::Failure;

/// The name that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// The most bytes that are read of one input, so that one without end is a mistake and no hang.
pub(crate) const MAX_INPUT_BYTES: u64 = 256 * 1024 * 1024;

/// What people call a file.
pub(crate) fn shown(path: &Path) -> String {
    if path.as_os_str() == STDIN { "standard input".into() } else { path.display().to_string() }
}

/// Reads a text; `-` is standard input. A byte order mark is no part of it.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    read_exact(path).map(without_mark)
}

/// The same for a flag that names a file and nothing else: a pipe or a device would keep its reader waiting.
pub(crate) fn read_file(path: &Path) -> Result<String, Failure> {
    read_regular(path).map(without_mark)
}

/// The text without a byte order mark.
pub(crate) fn without_mark(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

/// Reads a text with every byte it has. What the user names may be a pipe.
pub(crate) fn read_exact(path: &Path) -> Result<String, Failure> {
    let stdin = path.as_os_str() == STDIN;
    text(path, if stdin { standard_input() } else { File::open(path).and_then(limited) })
}

/// Standard input, which can be read once, as often as it is named.
fn standard_input() -> io::Result<Vec<u8>> {
    static READ: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(bytes) = READ.get() {
        return Ok(bytes.clone());
    }
    let bytes = limited(io::stdin().lock())?;
    Ok(READ.get_or_init(|| bytes).clone())
}

/// Reads a text that a folder offers: a pipe or a device in it would keep its reader waiting.
pub(crate) fn read_regular(path: &Path) -> Result<String, Failure> {
    let regular = fs::metadata(path).and_then(|found| {
        let kind = || io::Error::other("not a regular file");
        found.is_file().then_some(()).ok_or_else(kind)
    });
    let bytes = regular.and_then(|()| File::open(path)).and_then(limited);
    let bytes =
        bytes.map_err(|error| unread_for(path, &error, "give the path of a readable file"))?;
    String::from_utf8(bytes).map_err(|error| not_utf8(path, 1, &error))
}

/// The lines of a file, one at a time; `-` is standard input.
pub(crate) struct Lines {
    path: PathBuf,
    from: BufReader<Box<dyn Read + Send>>,
    number: usize,
    /// The bytes that were read so far.
    pub(crate) read: u64,
    /// The bytes of the file, where it has an end that is known.
    pub(crate) total: Option<u64>,
}

impl Lines {
    /// Opens a file that has lines.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let (from, total): (Box<dyn Read + Send>, _) = if path.as_os_str() == STDIN {
            (Box::new(io::stdin()), None)
        } else {
            let file = File::open(path).map_err(|error| unread(path, &error))?;
            let total = file.metadata().ok().filter(fs::Metadata::is_file);
            (Box::new(file), total.map(|found| found.len()))
        };
        let from = BufReader::with_capacity(1 << 16, from);
        Ok(Self { path: path.into(), from, number: 0, read: 0, total })
    }

    /// The next line that is not blank, without its end, and its number from 1.
    pub(crate) fn next(&mut self) -> Option<Result<(usize, String), Failure>> {
        loop {
            let line = match self.line() {
                Ok(Some(line)) => line,
                Ok(None) => return None,
                Err(failure) => return Some(Err(failure)),
            };
            if !line.trim().is_empty() {
                return Some(Ok((self.number, line)));
            }
        }
    }

    fn line(&mut self) -> Result<Option<String>, Failure> {
        let mut bytes = Vec::new();
        let read = self.from.by_ref().take(MAX_INPUT_BYTES + 1).read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| unread(&self.path, &error))? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.read += read;
        if read > MAX_INPUT_BYTES {
            let why = format!("line {} is larger than {MAX_INPUT_BYTES} bytes", self.number);
            return Err(unread(&self.path, &io::Error::other(why)));
        }
        let mut line =
            String::from_utf8(bytes).map_err(|error| not_utf8(&self.path, self.number, &error))?;
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        Ok(Some(if self.number == 1 { without_mark(line) } else { line }))
    }
}

/// A line in the place that it has in its file: blank lines stand for those before it.
pub(crate) fn in_place(number: usize, line: &str) -> String {
    "\n".repeat(number.saturating_sub(1)) + line
}

fn text(path: &Path, read: io::Result<Vec<u8>>) -> Result<String, Failure> {
    let bytes = read.map_err(|error| unread(path, &error))?;
    String::from_utf8(bytes).map_err(|error| not_utf8(path, 1, &error))
}

fn unread(path: &Path, error: &io::Error) -> Failure {
    unread_for(path, error, "give the path of a readable file, or `-` for standard input")
}

fn unread_for(path: &Path, error: &io::Error, help: &str) -> Failure {
    Failure::input(format!("`{}` cannot be read: {error}", shown(path)), help)
}

fn limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(io::Error::other(format!("it is larger than {MAX_INPUT_BYTES} bytes")));
    }
    Ok(bytes)
}

/// Bytes that begin in that line are no text.
fn not_utf8(path: &Path, line: usize, error: &std::string::FromUtf8Error) -> Failure {
    let at = error.utf8_error().valid_up_to();
    let read = in_place(line, &String::from_utf8_lossy(&error.as_bytes()[..at]));
    let end = read.len();
    let file = SourceFile::new(shown(path), read);
    let of = if line > 1 { format!(" of line {line}") } else { String::new() };
    let message =
        format!("`{}` is not UTF-8: byte {}{of} begins no character", shown(path), at + 1);
    let told = Diagnostic::new(Code::FileNotUtf8, message, Origin::file(&file, end..end));
    Failure::Input(Box::new(told.help("save the file as UTF-8")))
}

/// Writes a file that is not there yet; folders are made on the way.
pub(crate) fn create(path: &Path, text: &str) -> Result<(), Failure> {
    create_for(path, text, Readers::All)
}

fn create_for(path: &Path, text: &str, readers: Readers) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| write_new(path, text, readers));
    written.map_err(|error| unwritten(path, &error))
}

/// Writes a file that may be there; then it is replaced at once, and nothing but a file is.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    replace_for(path, text, Readers::All)
}

/// The same for a file that holds what a context says: when it is new, nobody else may read it.
pub(crate) fn replace_private(path: &Path, text: &str) -> Result<(), Failure> {
    replace_for(path, text, Readers::Owner)
}

fn replace_for(path: &Path, text: &str, readers: Readers) -> Result<(), Failure> {
    let Ok(before) = fs::symlink_metadata(path) else { return create_for(path, text, readers) };
    if !before.is_file() {
        let message = format!("`{}` is not written: it is a link or no file", path.display());
        return Err(Failure::input(message, "name the file itself, or remove what stands there"));
    }
    let new = beside(path);
    let written = write_new(&new, text, Readers::Owner)
        .and_then(|()| fs::set_permissions(&new, before.permissions()))
        .and_then(|()| fs::rename(&new, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&new);
        unwritten(path, &error)
    })
}

/// Who may read a new file, where the system has such a thing.
#[derive(Clone, Copy)]
enum Readers {
    /// Whoever the system lets.
    All,
    /// The user alone.
    Owner,
}

/// Nothing that is there is opened: a link would lead elsewhere.
fn write_new(path: &Path, text: &str, readers: Readers) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    match readers {
        Readers::All => {}
        Readers::Owner => _ = std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600),
    }
    #[cfg(not(unix))]
    let (Readers::All | Readers::Owner) = readers;
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes()).inspect_err(|_| {
        // Half of it would be taken for the whole.
        let _ = fs::remove_file(path);
    })
}

/// The name of a file's next content until it is whole.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".new-{}", std::process::id()));
    path.with_file_name(name)
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::input(
        format!("`{}` cannot be written: {error}", path.display()),
        "look at the folder's permissions",
    )
}
