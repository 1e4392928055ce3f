//! Finds characters that a model reads and a person does not see.
//!
//! In: a text. Out: findings, one for each run. Never: complains of what scripts need: joiners between emoji and in
//! Arabic and Indic words, marks and isolates around right-to-left text, the flags of regions, one variation selector
//! behind a character.

use crate::{Action, Finding, Kind, Place};

const FLAG: char = '\u{1F3F4}';
const CANCEL_TAG: char = '\u{E007F}';
/// The flags that are made of tag characters.
const REGIONS: &[&str] = &["gbeng", "gbsct", "gbwls"];

/// Whether a character shows nothing, so that words are read across it.
pub(crate) fn is_ignorable(c: char) -> bool {
    c > '\u{9f}' && is_looked_at(c)
}

/// Whether a character shows nothing, or may: those that are looked at more closely.
pub(crate) fn is_looked_at(c: char) -> bool {
    matches!(c,
        '\0'..='\x08' | '\x0b' | '\x0e'..='\x1f' | '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// All runs of hidden characters.
pub(crate) fn find(text: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.chars().any(is_looked_at) {
            at += line.len();
            continue;
        }
        let line = Line::new(line, at == 0);
        for index in line.suspects() {
            let (offset, c) = line.chars[index];
            let range = at + offset..at + offset + c.len_utf8();
            let detail = format!("U+{:04X}", u32::from(c));
            match findings.last_mut().filter(|last| last.range.end == range.start) {
                Some(last) => last.join(range.end, &detail),
                None => findings.push(Finding {
                    rule: rule(c).into(),
                    kind: Kind::Hidden,
                    range,
                    place: Place::Prose,
                    action: Action::Allow,
                    detail,
                }),
            }
        }
        at += line.bytes;
    }
    findings
}

impl Finding {
    /// Takes the next character of the same run in.
    fn join(&mut self, end: usize, detail: &str) {
        self.range.end = end;
        let first = self.detail.split_once('…').map_or(&*self.detail, |(first, _)| first);
        self.detail = format!("{first}…{detail}");
    }
}

fn rule(c: char) -> &'static str {
    match c {
        '\u{e0000}'..='\u{e007f}' => "tag-character",
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "bidi-control"
        }
        '\u{fe00}'..='\u{fe0f}'
        | '\u{180b}'..='\u{180d}'
        | '\u{180f}'
        | '\u{e0100}'..='\u{e01ef}' => "variation-selector",
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => "control-character",
        _ => "zero-width",
    }
}

/// A line, which is as far as one has to look to judge a character.
struct Line {
    chars: Vec<(usize, char)>,
    bytes: usize,
    is_first: bool,
    /// Whether it has letters that are read from right to left.
    has_rtl: bool,
}

impl Line {
    fn new(line: &str, is_first: bool) -> Self {
        let has_rtl = line.chars().any(is_rtl);
        Self { chars: line.char_indices().collect(), bytes: line.len(), is_first, has_rtl }
    }

    /// The positions of characters that have no business where they stand.
    fn suspects(&self) -> Vec<usize> {
        let balanced = self.has_rtl && self.is_balanced();
        let mut suspects = Vec::new();
        let mut index = 0;
        while let Some((_, c)) = self.chars.get(index) {
            if *c == FLAG {
                index += self.flag(index);
            } else if is_looked_at(*c) && !self.is_fine(index, *c, balanced) {
                suspects.push(index);
            }
            index += 1;
        }
        suspects
    }

    fn at(&self, index: Option<usize>) -> Option<char> {
        self.chars.get(index?).map(|(_, c)| *c)
    }

    fn is_fine(&self, index: usize, c: char, balanced: bool) -> bool {
        let (before, after) = (self.at(index.checked_sub(1)), self.at(Some(index + 1)));
        let both = |is: fn(char) -> bool| before.is_some_and(is) && after.is_some_and(is);
        match c {
            '\u{feff}' => self.is_first && index == 0,
            '\u{200e}' | '\u{200f}' | '\u{61c}' => self.has_rtl,
            '\u{202a}'..='\u{202c}' | '\u{2066}'..='\u{2069}' => balanced,
            '\u{200d}' => self.joins(index) || both(is_joining) || before.is_some_and(is_virama),
            // In Persian the plural of a Latin word or a number has one too.
            '\u{200c}' => {
                let one = before.is_some_and(is_joining) || after.is_some_and(is_joining);
                (one && both(|c| is_joining(c) || c.is_alphanumeric()))
                    || before.is_some_and(is_virama)
            }
            '\u{200b}' => before.is_some_and(is_spaceless) || after.is_some_and(is_spaceless),
            '\u{ad}' => both(char::is_alphabetic),
            '\u{2060}' => {
                both(|c| !is_looked_at(c))
                    && (after.is_some_and(is_glued)
                        || before.is_some_and(|c| c != ' ' && is_glued(c)))
            }
            '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(takes_style),
            '\u{fe00}'..='\u{fe0d}' => before.is_some_and(|c| is_ideograph(c) || is_symbol(c)),
            '\u{e0100}'..='\u{e01ef}' => before.is_some_and(is_ideograph),
            '\u{180b}'..='\u{180f}' => before.is_some_and(is_mongolian),
            '\u{34f}' => both(|c| is_hebrew(c) || is_combining(c)),
            '\u{1160}' | '\u{115f}' => both(is_jamo),
            '\r' | '\t' | '\n' | '\x0c' => true,
            _ => false,
        }
    }

    /// How many characters behind a black flag belong to it.
    fn flag(&self, index: usize) -> usize {
        let tags: Vec<char> = self.chars[index + 1..]
            .iter()
            .map(|(_, c)| *c)
            .take_while(|c| ('\u{e0020}'..=CANCEL_TAG).contains(c))
            .take(6)
            .collect();
        let Some((&CANCEL_TAG, region)) = tags.split_last() else { return 0 };
        let plain = |tag: &char| char::from_u32(u32::from(*tag) - 0xe_0000).unwrap_or_default();
        let region: String = region.iter().map(plain).collect();
        if REGIONS.contains(&&*region) { tags.len() } else { 0 }
    }

    /// Whether a joiner stands between two pictures.
    fn joins(&self, index: usize) -> bool {
        let Some(mut before) = index.checked_sub(1) else { return false };
        while before > 0 && self.at(Some(before)).is_some_and(is_modifier) {
            before -= 1;
        }
        self.at(Some(before)).is_some_and(is_picture)
            && self.at(Some(index + 1)).is_some_and(is_picture)
    }

    /// Whether every embedding and isolate ends on the line, and none overrides the order.
    fn is_balanced(&self) -> bool {
        let mut open = Vec::new();
        for (_, c) in &self.chars {
            match c {
                '\u{202a}' | '\u{202b}' => open.push('\u{202c}'),
                '\u{2066}'..='\u{2068}' => open.push('\u{2069}'),
                '\u{202c}' | '\u{2069}' if open.pop() != Some(*c) => return false,
                '\u{202d}' | '\u{202e}' => return false,
                _ => {}
            }
        }
        open.is_empty()
    }
}

fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
        && c.is_alphabetic()
}

/// Scripts whose letters change their shape at a joiner: Arabic and its relatives, those of India and around, Mongolian.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1aff}' | '\u{1b00}'..='\u{1bff}'
        | '\u{a840}'..='\u{a8ff}' | '\u{a980}'..='\u{a9df}' | '\u{aa60}'..='\u{aa7f}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
}

/// Signs of Indic scripts behind which a joiner may end a word.
fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
    )
}

/// Scripts that write words without blanks between.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{f00}'..='\u{fff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19df}' | '\u{a9e0}'..='\u{a9ff}'
        | '\u{aa60}'..='\u{aadf}')
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{24ff}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2934}'..='\u{2935}' | '\u{2b00}'..='\u{2bff}' | '\u{3030}'
        | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// What may stand between a picture and a joiner.
fn is_modifier(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{fe0e}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Characters that exist both as text and as a picture.
fn takes_style(c: char) -> bool {
    is_picture(c) || matches!(c, '0'..='9' | '#' | '*') || is_symbol(c)
}

fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2027}' | '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}'
        | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff1f}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

fn is_hebrew(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{5ff}')
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' if c != '\u{34f}')
}

fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}')
}

/// What a word joiner keeps together: the marks between words, not letters.
fn is_glued(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2026}' | '/' | ' ')
}
