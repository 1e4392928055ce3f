//! Tables and tools, made ready for the machine.
//!
//! In: the tables of the dialects in force, the tools, a suffix of tag names. Out: patterns, and for each second byte
//! of a token those that can begin so. Never: looks at a reply.

use std::sync::Arc;

use super::table::{
    CallTable, CloserText, DataTable, NamesText, PairText, StyleText, Table, TagsTable, ValuesText,
};
use crate::pattern::Pattern;
use crate::scan::{ByteSet, Needles, Stops};
use crate::specs::{ParamKind, Specs};

#[derive(Clone, Debug)]
pub(crate) struct Grammar {
    pub(crate) formats: Vec<Format>,
    pub(crate) wrappers: Vec<Pair>,
    pub(crate) reasoning: Vec<Pair>,
    /// The closers of all of them.
    pub(crate) reasoning_ends: Vec<Pattern>,
    /// What can begin at text level.
    pub(crate) tokens: Vec<(Role, Pattern)>,
    /// By the second byte: places in `tokens`.
    pub(crate) by_second: Box<[Vec<u16>]>,
    /// Those whose second byte is the first one of a tool's name.
    pub(crate) by_name: Vec<u16>,
    /// What two bytes they begin with.
    begins: Begins,
    /// The first bytes of all tokens, and of code in Markdown.
    pub(crate) needles: Needles,
    /// The same, to pass over chunks without them; none if they are too many.
    pub(crate) stops: Option<Stops>,
    /// The formats without an opener.
    pub(crate) bare: Vec<usize>,
    /// The format of calls that a provider gives as such.
    pub(crate) given: usize,
}

/// Which pairs of bytes tokens begin with. Each first byte has a bit, and each second one the bits of those before it;
/// beyond eight, first bytes share the last bit.
#[derive(Clone, Debug)]
struct Begins {
    count: u32,
    first: Box<[u8; 256]>,
    second: Box<[u8; 256]>,
    /// The first bytes of those that go on with a tool's name.
    before_name: ByteSet,
}

impl Default for Begins {
    fn default() -> Self {
        let none = || Box::new([0; 256]);
        Self { count: 0, first: none(), second: none(), before_name: ByteSet::default() }
    }
}

impl Begins {
    fn add(&mut self, first: u8, second: u8) {
        let bit = &mut self.first[usize::from(first)];
        if *bit == 0 {
            *bit = 1 << self.count.min(7);
            self.count += 1;
        }
        self.second[usize::from(second)] |= *bit;
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) open: Pattern,
    pub(crate) close: Vec<Pattern>,
}

/// What a token at text level is; numbers are places in the lists above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Reasoning(usize),
    ReasoningEnd,
    Call(usize),
    Wrapper(usize),
    WrapperEnd,
    Drop,
}

/// One way in which a call is written.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) open: Vec<Pattern>,
    pub(crate) close: Vec<Pattern>,
    pub(crate) closer: Closer,
    /// The closers of its dialect's wrappers: they end an open call too.
    pub(crate) outer: Vec<Pattern>,
    /// Its dialect's wrappers, by number.
    pub(crate) wrappers: std::ops::Range<usize>,
    pub(crate) body: Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closer {
    Required,
    Optional,
}

impl From<CloserText> for Closer {
    fn from(written: CloserText) -> Self {
        match written {
            CloserText::Required => Self::Required,
            CloserText::Optional => Self::Optional,
        }
    }
}

/// Why a call in tags is refused.
const OTHER_LEADS: &str =
    "a call in tags has openers and closers that begin with the same character";

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Tags(Tags),
    Data(Data),
}

#[derive(Clone, Debug)]
pub(crate) struct Tags {
    pub(crate) open: Vec<Pattern>,
    pub(crate) close: Pattern,
    /// The closer names its parameter.
    pub(crate) named: bool,
    /// A tag of any name is a parameter.
    pub(crate) any: bool,
    /// How values are read; by the specs if none.
    pub(crate) kind: Option<ParamKind>,
    pub(crate) ignore: Vec<Pattern>,
    /// All tags of the call are names between `<` or `</` and `>`.
    pub(crate) names_only: bool,
    /// The byte that all of its tags begin with.
    pub(crate) lead: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Json,
    Python,
}

#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) style: Style,
    pub(crate) name: Vec<String>,
    pub(crate) arguments: Vec<String>,
    pub(crate) id: Vec<String>,
    pub(crate) separator: Option<u8>,
}

/// Whether the table's tokens can be recognised.
pub(crate) fn check(table: &Table) -> Result<(), String> {
    Grammar::new(&[Arc::new(table.clone())], "").map(|_| ())
}

/// Reasoning in all dialects.
const REASONING: [&str; 4] = ["think", "thinking", "reasoning", "thought"];

impl Grammar {
    pub(crate) fn new(tables: &[Arc<Table>], suffix: &str) -> Result<Self, String> {
        let mut all = Self::empty();
        for name in REASONING {
            let (open, close) = (format!("<{name}>"), vec![format!("</{name}>")]);
            all.add_reasoning(&PairText { open, close })?;
        }
        for table in tables {
            all.add(table, suffix).map_err(|why| format!("dialect `{}`: {why}", table.name))?;
        }
        all.add_given();
        all.index()?;
        Ok(all)
    }

    /// Looks for nothing.
    pub(crate) fn nothing() -> Arc<Self> {
        let mut grammar = Self::empty();
        grammar.add_given();
        Arc::new(grammar)
    }

    fn empty() -> Self {
        Self {
            formats: Vec::new(),
            wrappers: Vec::new(),
            reasoning: Vec::new(),
            tokens: Vec::new(),
            by_second: vec![Vec::new(); 256].into(),
            by_name: Vec::new(),
            begins: Begins::default(),
            reasoning_ends: Vec::new(),
            needles: Needles::new([]),
            stops: None,
            bare: Vec::new(),
            given: 0,
        }
    }

    fn add(&mut self, table: &Table, suffix: &str) -> Result<(), String> {
        for pair in &table.reasoning {
            self.add_reasoning(pair)?;
        }
        let mut outer = Vec::new();
        let first = self.wrappers.len();
        for wrapper in &table.wrapper {
            let (open, close) = (Pattern::parse(&wrapper.open, "")?, patterns(&wrapper.close, "")?);
            outer.extend(close.iter().cloned());
            self.tokens.extend(close.iter().cloned().map(|close| (Role::WrapperEnd, close)));
            self.tokens.push((Role::Wrapper(self.wrappers.len()), open.clone()));
            self.wrappers.push(Pair { open, close });
        }
        for call in &table.call {
            self.add_call(call, &outer, first, suffix)?;
        }
        // Behind the calls: an opener may begin with such a token.
        for token in patterns(&table.drop, "")? {
            self.tokens.push((Role::Drop, token));
        }
        Ok(())
    }

    /// The same tokens may stand in several tables.
    fn add_reasoning(&mut self, pair: &PairText) -> Result<(), String> {
        let (open, close) = (Pattern::parse(&pair.open, "")?, patterns(&pair.close, "")?);
        if self.reasoning.iter().any(|known| known.open == open) {
            return Ok(());
        }
        self.tokens.push((Role::Reasoning(self.reasoning.len()), open.clone()));
        for close in &close {
            self.tokens.push((Role::ReasoningEnd, close.clone()));
            self.reasoning_ends.push(close.clone());
        }
        self.reasoning.push(Pair { open, close });
        Ok(())
    }

    fn add_call(
        &mut self,
        call: &CallTable,
        outer: &[Pattern],
        first: usize,
        suffix: &str,
    ) -> Result<(), String> {
        let number = self.formats.len();
        let body = match (&call.tags, &call.data) {
            (Some(table), None) => {
                let names_only =
                    suffix.is_empty() && outer.is_empty() && has_names_only(call, table);
                Body::Tags(Tags { names_only, ..tags(table, suffix)? })
            }
            (None, Some(table)) => Body::Data(data(table)?),
            _ => return Err("a call has either `tags` or `data`".into()),
        };
        let open = patterns(&call.open, suffix)?;
        let close = patterns(&call.close, suffix)?;
        if let Body::Tags(tags) = &body {
            let mut tokens = open.iter().chain(&close).chain(outer);
            if close.is_empty() || !tokens.all(|token| token.byte(0) == Some(tags.lead)) {
                return Err(OTHER_LEADS.into());
            }
        }
        for open in &open {
            self.tokens.push((Role::Call(number), open.clone()));
        }
        if open.is_empty() {
            self.bare.push(number);
        }
        let (closer, outer) = (call.closer.into(), outer.to_vec());
        let wrappers = first..self.wrappers.len();
        self.formats.push(Format { open, close, closer, outer, wrappers, body });
        Ok(())
    }

    fn add_given(&mut self) {
        self.given = self.formats.len();
        let data = Data {
            style: Style::Json,
            name: Vec::new(),
            arguments: Vec::new(),
            id: Vec::new(),
            separator: None,
        };
        self.formats.push(Format {
            open: Vec::new(),
            close: Vec::new(),
            closer: Closer::Optional,
            outer: Vec::new(),
            wrappers: 0..0,
            body: Body::Data(data),
        });
    }

    /// The tokens that can have this second byte, in the order in which they are asked.
    #[inline]
    pub(crate) fn at_second(&self, specs: &Specs, second: u8) -> impl Iterator<Item = &u16> {
        let by_name: &[u16] = if specs.names.begins(second) { &self.by_name } else { &[] };
        by_name.iter().chain(&self.by_second[usize::from(second)])
    }

    /// Whether a token can begin with these two bytes.
    #[inline]
    pub(crate) fn may_begin(&self, specs: &Specs, lead: u8, second: u8) -> bool {
        let begins = &self.begins;
        begins.first[usize::from(lead)] & begins.second[usize::from(second)] != 0
            || (begins.before_name.has(lead) && specs.names.begins(second))
    }

    fn index(&mut self) -> Result<(), String> {
        let mut leads = vec![b'`', b'~'];
        for (at, (_, pattern)) in self.tokens.iter().enumerate() {
            let lead = pattern.byte(0).ok_or("a token begins with a fixed character")?;
            leads.push(lead);
            let number = u16::try_from(at).map_err(|_| "too many tokens")?;
            match pattern.byte(1) {
                Some(second) => {
                    self.by_second[usize::from(second)].push(number);
                    self.begins.add(lead, second);
                }
                None => {
                    self.by_name.push(number);
                    self.begins.before_name.add(lead);
                }
            }
        }
        self.stops = Stops::new(leads.iter().copied());
        self.needles = Needles::new(leads);
        Ok(())
    }
}

/// Only a tag that is a name takes the suffix.
fn patterns(texts: &[String], suffix: &str) -> Result<Vec<Pattern>, String> {
    let is_name = |text: &str| text.starts_with("<{name}") || text.starts_with("</{name}");
    let read = |text: &String| Pattern::parse(text, if is_name(text) { suffix } else { "" });
    texts.iter().map(read).collect()
}

fn has_names_only(call: &CallTable, tags: &TagsTable) -> bool {
    let (open, close) = ("<{name}>", "</{name}>");
    let known = !matches!(tags.names, NamesText::Any);
    call.close == [close]
        && tags.open == [open]
        && tags.close == close
        && tags.ignore.is_empty()
        && known
}

fn tags(table: &TagsTable, suffix: &str) -> Result<Tags, String> {
    let open = patterns(&table.open, suffix)?;
    let close = patterns(std::slice::from_ref(&table.close), suffix)?;
    let lead =
        open.first().and_then(|open| open.byte(0)).ok_or("a tag begins with a fixed character")?;
    let close = close.into_iter().next().ok_or("a parameter has a closer")?;
    let ignore = patterns(&table.ignore, "")?;
    if open.iter().chain([&close]).chain(&ignore).any(|token| token.byte(0) != Some(lead)) {
        return Err("all tags of a call begin with the same character".into());
    }
    Ok(Tags {
        open,
        close,
        named: table.close.contains("{name}"),
        any: matches!(table.names, NamesText::Any),
        kind: match table.values {
            ValuesText::BySpec => None,
            ValuesText::Raw => Some(ParamKind::Raw),
            ValuesText::Scalar => Some(ParamKind::Scalar),
        },
        ignore,
        names_only: false,
        lead,
    })
}

fn data(table: &DataTable) -> Result<Data, String> {
    let separator = table.separator.map(u8::try_from).transpose();
    Ok(Data {
        style: match table.style {
            StyleText::Json => Style::Json,
            StyleText::Python => Style::Python,
        },
        name: table.name.clone(),
        arguments: table.arguments.clone(),
        id: table.id.clone(),
        separator: separator.map_err(|_| "a separator is one byte")?,
    })
}
