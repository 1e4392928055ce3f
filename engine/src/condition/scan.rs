//! Counts the limits of a condition before the parser sees it.
//!
//! In: a text. Out: nothing, or the first [`Flaw`]: too long, nested too deeply, a second comprehension,
//! a string that does not end or has an unknown escape.
//! Never: parses. The parser's stack is spent on nesting, and nested comprehensions multiply each other's
//! work, so both are refused while they are still text.

use std::borrow::Cow;
use std::ops::Range;

use super::Flaw;
use crate::diagnostic::Code;

/// Longest text, in bytes.
pub(super) const MAX_BYTES: usize = 1024;

/// Most brackets and conditional operators (`? :`) that may stand inside each other.
///
/// An unoptimised parser takes 170 KiB of stack per bracket, and a thread has 2 MiB.
pub(super) const MAX_NESTING: usize = 6;

/// The macros that loop.
pub(super) const COMPREHENSIONS: [&str; 6] =
    ["all", "exists", "exists_one", "existsOne", "filter", "map"];

/// Refuses what the parser must not see.
pub(super) fn scan(text: &str) -> Result<(), Flaw> {
    if text.len() > MAX_BYTES {
        let message = format!("the condition is longer than {MAX_BYTES} bytes");
        let help = "say what can be listed with `models`, `providers` and `tools`";
        return Err(Flaw::new(Code::ConditionLimit, 0..text.len(), message, help));
    }
    Scanner { text, at: 0, ternaries: vec![0], comprehension: false }.run()
}

struct Scanner<'t> {
    text: &'t str,
    /// Byte offset of what comes next.
    at: usize,
    /// For each open bracket, and the text itself, the `?` since its last comma.
    ternaries: Vec<usize>,
    /// Whether a comprehension was met.
    comprehension: bool,
}

impl Scanner<'_> {
    fn run(mut self) -> Result<(), Flaw> {
        let mut after_dot = false;
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek(0) else { return Ok(()) };
            match byte {
                b'\'' | b'"' => self.string(false)?,
                b'0'..=b'9' => self.number(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(after_dot)?,
                b'`' => {
                    let help = "write a key that is no name as `ctx['my-key']`";
                    return Err(syntax(self.at..self.at + 1, "names in backticks", help));
                }
                _ => self.mark(byte)?,
            }
            after_dot = byte == b'.';
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn skip_while(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&belongs) {
            self.at += 1;
        }
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self) {
        loop {
            self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c'));
            if !self.text[self.at..].starts_with("//") {
                return;
            }
            self.skip_while(|byte| byte != b'\n');
        }
    }

    /// Skips a number: what follows it must not be taken for the prefix of a string.
    fn number(&mut self) {
        if self.text[self.at..].starts_with("0x") {
            self.at += 2;
            self.skip_while(|byte| byte.is_ascii_hexdigit());
            return;
        }
        self.skip_while(|byte| byte.is_ascii_digit());
        let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
        if matches!(self.peek(0), Some(b'e' | b'E'))
            && self.peek(1 + sign).is_some_and(|byte| byte.is_ascii_digit())
        {
            self.at += 1 + sign;
            self.skip_while(|byte| byte.is_ascii_digit());
        }
    }

    /// Skips a name, or the string whose prefix it is; counts comprehensions.
    fn word(&mut self, after_dot: bool) -> Result<(), Flaw> {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let word = &self.text[start..self.at];
        let prefix = matches!(word, "b" | "B" | "r" | "R" | "br" | "bR" | "Br" | "BR");
        if prefix && matches!(self.peek(0), Some(b'\'' | b'"')) {
            return self.string(word.ends_with(['r', 'R']));
        }
        let end = self.at;
        self.skip_blanks();
        if !after_dot || self.peek(0) != Some(b'(') || !COMPREHENSIONS.contains(&word) {
            return Ok(());
        }
        if self.comprehension {
            return Err(second_comprehension(start..end));
        }
        self.comprehension = true;
        Ok(())
    }

    /// Skips a punctuation mark, or a character that the parser will refuse; counts nesting.
    fn mark(&mut self, byte: u8) -> Result<(), Flaw> {
        let start = self.at;
        self.at += 1;
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        match byte {
            b'(' | b'[' | b'{' => self.ternaries.push(0),
            b')' | b']' | b'}' if self.ternaries.len() > 1 => drop(self.ternaries.pop()),
            b'?' => self.ternaries.last_mut().into_iter().for_each(|count| *count += 1),
            b',' => self.ternaries.last_mut().into_iter().for_each(|count| *count = 0),
            _ => return Ok(()),
        }
        let nesting = self.ternaries.len() - 1 + self.ternaries.iter().sum::<usize>();
        if nesting <= MAX_NESTING {
            return Ok(());
        }
        let message = format!("the condition is nested deeper than {MAX_NESTING} levels");
        let help = "brackets and `? :` count; join conditions with `&&` and `||`";
        Err(Flaw::new(Code::ConditionLimit, start..self.at, message, help))
    }

    fn string(&mut self, raw: bool) -> Result<(), Flaw> {
        let start = self.at;
        let quote = &self.text[start..start + 1];
        let triple = self.text[start..].starts_with(&quote.repeat(3));
        let close = quote.repeat(if triple { 3 } else { 1 });
        self.at += close.len();
        loop {
            let rest = &self.text[self.at..];
            match rest.chars().next() {
                Some(_) if rest.starts_with(&close) => {
                    self.at += close.len();
                    return Ok(());
                }
                Some('\\') if !raw => self.escape()?,
                Some('\n' | '\r') if !triple => break,
                Some(char) => self.at += char.len_utf8(),
                None => break,
            }
        }
        let help = format!("end it with {close}");
        Err(syntax(start..self.at, "a string that does not end", help))
    }

    /// Skips an escape sequence of CEL.
    fn escape(&mut self) -> Result<(), Flaw> {
        let backslash = self.at..self.at + 1;
        let (digits, radix) = match self.peek(1) {
            Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v') => (0, 16),
            Some(b'"' | b'\'' | b'\\' | b'?' | b'`') => (0, 16),
            Some(b'x' | b'X') => (2, 16),
            Some(b'u') => (4, 16),
            Some(b'U') => (8, 16),
            Some(b'0'..=b'3') => (2, 8),
            _ => return Err(unknown_escape(backslash)),
        };
        self.at += 2;
        for _ in 0..digits {
            match self.peek(0) {
                Some(byte) if char::from(byte).is_digit(radix) => self.at += 1,
                _ => return Err(unknown_escape(backslash)),
            }
        }
        Ok(())
    }
}

fn unknown_escape(at: Range<usize>) -> Flaw {
    let help = r"write `\\` for a backslash, or the whole string raw: r'\d+'";
    syntax(at, "an unknown escape", help)
}

fn syntax(at: Range<usize>, what: &str, help: impl Into<Cow<'static, str>>) -> Flaw {
    Flaw::new(Code::ConditionSyntax, at, format!("the condition has {what}"), help)
}

/// The refusal of a comprehension after, or in, another.
pub(super) fn second_comprehension(at: Range<usize>) -> Flaw {
    let message = "the condition has more than one comprehension";
    let help = "of `all`, `exists`, `exists_one`, `filter` and `map` one may stand in a condition";
    Flaw::new(Code::ConditionLimit, at, message, help)
}
