//! The globs of a rule.
//!
//! In: patterns as files write them. Out: [`Globs`]; a pattern that cannot be read matches nothing, and that is noted.
//! Never: expands braces one by one; a pattern costs what its length says.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::report::Note;

/// Alternatives of one pattern; one with more is taken literally (the limit of Claude Code's documentation).
const MAX_ALTERNATIVES: usize = 1000;
/// Braces within braces.
const MAX_NESTING: usize = 16;
/// Patterns of one rule; more match nothing.
const MAX_PATTERNS: usize = 1000;

/// Which paths a rule is for.
#[derive(Clone, Debug)]
pub struct Globs {
    /// The folder that the patterns are relative to.
    base: PathBuf,
    wanted: Vec<GlobSet>,
    unwanted: Vec<GlobSet>,
    written: Vec<String>,
}

impl Globs {
    /// Reads patterns; one that begins with `!` takes paths out again.
    pub(crate) fn new(base: &Path, patterns: &[String]) -> (Self, Vec<Note>) {
        let written = patterns.iter().take(MAX_PATTERNS).cloned().collect();
        let mut globs =
            Self { base: base.into(), wanted: Vec::new(), unwanted: Vec::new(), written };
        let mut notes = Vec::new();
        for (at, pattern) in patterns.iter().enumerate() {
            let (list, glob) = match pattern.strip_prefix('!') {
                Some(rest) => (&mut globs.unwanted, rest),
                None => (&mut globs.wanted, pattern.as_str()),
            };
            if at >= MAX_PATTERNS {
                notes.push(Note::BadGlob(shortened(glob)));
                break;
            }
            if alternatives(glob) > MAX_ALTERNATIVES {
                notes.push(Note::LiteralGlob(shortened(glob)));
                list.extend(compile(&globset::escape(glob)));
                continue;
            }
            match compile(glob) {
                Some(set) => list.push(set),
                None => notes.push(Note::BadGlob(shortened(glob))),
            }
        }
        (globs, notes)
    }

    /// All that lies below a folder.
    pub(crate) fn below(folder: &Path) -> Self {
        Self::new(folder, &["**".into()]).0
    }

    /// The patterns as they were written, at most a thousand.
    pub fn patterns(&self) -> &[String] {
        &self.written
    }

    /// Whether a path, absolute and without `.` and `..`, is one of them. Letters are compared as they are, on
    /// every system.
    pub fn matches(&self, path: &Path) -> bool {
        let Ok(path) = path.strip_prefix(&self.base) else { return false };
        let any = |list: &[GlobSet]| list.iter().any(|glob| glob.is_match(path));
        any(&self.wanted) && !any(&self.unwanted)
    }
}

fn compile(glob: &str) -> Option<GlobSet> {
    let glob = glob.trim_start_matches("./").trim_start_matches('/');
    let glob =
        GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build().ok()?;
    // A set says when an expression grows too large; a matcher of one glob would panic.
    GlobSetBuilder::new().add(glob).build().ok()
}

/// How many patterns the braces of a pattern stand for; as good as endlessly many where they are nested too deeply.
fn alternatives(glob: &str) -> usize {
    let (mut all, mut open) = (1_usize, Vec::new());
    for byte in glob.bytes() {
        match byte {
            b'{' if open.len() == MAX_NESTING => return usize::MAX,
            b'{' => open.push(1_usize),
            b',' => {
                if let Some(count) = open.last_mut() {
                    *count += 1;
                }
            }
            b'}' => all = all.saturating_mul(open.pop().unwrap_or(1)),
            _ => {}
        }
    }
    all
}

fn shortened(glob: &str) -> String {
    const MOST: usize = 80;
    match glob.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &glob[..end]),
        None => glob.into(),
    }
}

/// The patterns of a list with commas; those inside of braces separate nothing.
pub(crate) fn split(list: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_usize);
    for char in list.chars() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(char);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(patterns: &[&str], path: &str) -> bool {
        let patterns: Vec<String> = patterns.iter().map(|one| one.to_string()).collect();
        Globs::new(Path::new("/p"), &patterns).0.matches(Path::new(path))
    }

    #[test]
    fn paths() {
        for (patterns, path, expected) in [
            (&["*.ts"][..], "/p/a.ts", true),
            (&["*.ts"], "/p/src/a.ts", false),
            (&["**/*.ts"], "/p/src/a.ts", true),
            (&["**/*.ts"], "/p/a.ts", true),
            (&["/src/**"], "/p/src/a/b", true),
            (&["./src/*"], "/p/src/a", true),
            (&["src/**", "!src/gen/**"], "/p/src/gen/a", false),
            (&["!src/gen/**"], "/p/src/a", false),
            (&["*.{ts,tsx}"], "/p/a.tsx", true),
            (&["[", "*.ts"], "/p/a.ts", true),
            (&["**"], "/q/a.ts", false),
            (&["**"], "/p", true),
            (&["*.TS"], "/p/a.ts", false),
        ] {
            assert_eq!(matching(patterns, path), expected, "{patterns:?} {path}");
        }
    }

    #[test]
    fn hostile_patterns_cost_what_their_length_says() {
        let braces = "{a,b}".repeat(20);
        let nested = format!("{}a{}", "{".repeat(5000), "}".repeat(5000));
        let stars = "*".repeat(20_000);
        let steps = "**/".repeat(5000);
        for glob in [braces, nested, stars, steps, "[a-".into(), "\\".into()] {
            let (globs, _) = Globs::new(Path::new("/p"), std::slice::from_ref(&glob));
            globs.matches(&Path::new("/p").join("a".repeat(200)));
        }
        assert!(matches!(
            Globs::new(Path::new("/p"), &["{a,b}".repeat(11)]).1[..],
            [Note::LiteralGlob(_)]
        ));
        assert!(Globs::new(Path::new("/p"), &["{a,b}".repeat(9)]).1.is_empty());
    }

    #[test]
    fn commas() {
        assert_eq!(split("*.ts, **/{a,b}/*.js,,"), ["*.ts", "**/{a,b}/*.js"]);
        assert_eq!(split("}{,"), ["}{,"]);
    }
}
