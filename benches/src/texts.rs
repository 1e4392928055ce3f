//! Texts to tidy, of any size.
//!
//! In: a size in bytes. Out: that many bytes of one kind, all ASCII. Never: random; the same for the same size.

/// A kind of text: its name, and what is repeated.
pub type Kind = (&'static str, &'static str);

/// Paragraphs, lists and code between separators, as prompts are; but for its ends nothing to tidy.
pub const PROSE: Kind = (
    "prose",
    "\n\n====\n\n## Working in a project\n\nRead what is there before you change it, and say which files you have \
     read. Small steps are easier to follow than large ones, and to take back.\n\n- One change at a time; run what \
     there is to run after each of them.\n- When a command fails, its output says more than a guess about it would.\n\n\
     ```\ncargo test --workspace\n```\n\nA table is shorter than three paragraphs that say the same. Names of files and \
     of functions stand in backticks, so that nobody has to search for them in a sentence.",
);

/// The same with what conditional parts leave behind.
pub const DIRTY: Kind = (
    "dirty prose",
    "\n\n\n\n====\n\n\n\n====\n\n##\n\n\nRead what is there before you change it, and say which files you have read.\n\n\n\n\
     Small steps are easier to follow than large ones, and to take back.\n====\nOne change at a time.\n\n## Rules\n\n\n\n\
     When a command fails, its output says more than a guess about it would.   \n\n   \n\n",
);

/// Nothing but separators' signs.
pub const SIGNS: Kind = ("=", "=");
/// Nothing but line feeds.
pub const LINES: Kind = ("LF", "\n");
/// Separators alone.
pub const SEPARATORS: Kind = ("==== LF", "====\n");
/// Empty headings alone.
pub const HEADINGS: Kind = ("## LF", "##\n");
/// Separators without blank lines: the worst that is known.
pub const WORST: Kind = ("a LF ==== LF", "a\n====\n");

/// So many bytes of that kind; the last repetition may be cut.
pub fn text((_, unit): Kind, bytes: usize) -> String {
    let mut text = unit.repeat(bytes / unit.len() + 1);
    text.truncate(bytes);
    text
}
