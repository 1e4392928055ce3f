//! Globs over ids: `*`, `?` and `[a-z]`; a slash is a character like any other.
//!
//! In: a glob. Out: whether it fits the whole of a text.
//! Never: reads a file system.

use super::BadPattern;

/// A glob. `*` is any number of characters, `?` is one, `[ab-z]` one of these, `[!ab]` one of no others.
#[derive(Clone, Debug)]
pub(super) struct Glob(Vec<Token>);

#[derive(Clone, Debug)]
enum Token {
    Many,
    One,
    Char(char),
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Glob {
    pub(super) fn parse(glob: &str) -> Result<Self, BadPattern> {
        let mut tokens = Vec::new();
        let mut rest = glob.chars();
        while let Some(char) = rest.next() {
            tokens.push(match char {
                '*' => Token::Many,
                '?' => Token::One,
                '[' => {
                    let (class, after) = split_class(rest.as_str())?;
                    rest = after.chars();
                    parse_class(class)?
                }
                char => Token::Char(char),
            });
        }
        Ok(Self(tokens))
    }

    /// Whether it fits the whole text. Takes at most the product of both lengths.
    pub(super) fn matches(&self, text: &str) -> bool {
        let (mut tokens, mut rest) = (&self.0[..], text.chars());
        // Where to go on when a token does not fit: behind the last `*`, one character further.
        let mut retry = None;
        loop {
            let before = rest.clone();
            match (tokens.split_first(), rest.next()) {
                (Some((Token::Many, after)), _) => {
                    tokens = after;
                    rest = before.clone();
                    retry = Some((after, before));
                }
                (Some((token, after)), Some(char)) if token.fits(char) => tokens = after,
                (None, None) => return true,
                _ => {
                    let Some((after, from)) = &mut retry else { return false };
                    if from.next().is_none() {
                        return false;
                    }
                    (tokens, rest) = (after, from.clone());
                }
            }
        }
    }
}

impl Token {
    fn fits(&self, char: char) -> bool {
        match self {
            Self::Many => false,
            Self::One => true,
            Self::Char(own) => *own == char,
            Self::Class { negated, ranges } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&char)) != *negated
            }
        }
    }
}

/// The inside of a class and what follows it; a `]` in first place is a member.
fn split_class(rest: &str) -> Result<(&str, &str), BadPattern> {
    let members = rest.strip_prefix('!').unwrap_or(rest);
    let first = members.chars().next().map_or(0, char::len_utf8);
    let Some(end) = members[first..].find(']') else {
        return Err(BadPattern::new(
            "a `[` has no `]`",
            "`[ab]` is one of a and b, `[[]` a bracket",
        ));
    };
    let end = rest.len() - members.len() + first + end;
    Ok((&rest[..end], &rest[end + 1..]))
}

fn parse_class(class: &str) -> Result<Token, BadPattern> {
    let negated = class.starts_with('!');
    let members: Vec<char> = class.chars().skip(usize::from(negated)).collect();
    let mut ranges = Vec::new();
    let mut rest = &members[..];
    while let [first, after @ ..] = rest {
        let (last, after) = match after {
            ['-', last, after @ ..] => (last, after),
            _ => (first, after),
        };
        if first > last {
            let message = format!("the range `{first}-{last}` is empty");
            return Err(BadPattern::new(message, "write the smaller character first"));
        }
        ranges.push((*first, *last));
        rest = after;
    }
    Ok(Token::Class { negated, ranges })
}
