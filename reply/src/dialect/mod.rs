//! How calls and reasoning are written: tables of tokens, one for each convention.
//!
//! In: TOML. Out: a grammar that the machine follows. Never: holds code for one dialect alone.

mod builtin;
mod grammar;
mod table;

use std::fmt;
use std::sync::{Arc, OnceLock};

pub(crate) use grammar::{Body, Closer, Data, Format, Grammar, Role, Style, Tags};
pub(crate) use table::Table;

/// Which conventions a parser looks for.
#[derive(Clone, Debug, Default)]
pub enum Dialect {
    /// All that are built in; what is seen decides, together with the tools that are known.
    #[default]
    Auto,
    /// One of them, or one of your own.
    One(DialectTable),
}

/// One convention. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DialectTable(pub(crate) Arc<Table>);

impl Dialect {
    /// The built-in dialect of that name, or `auto`.
    pub fn named(name: &str) -> Option<Self> {
        if name == "auto" {
            return Some(Self::Auto);
        }
        let table = builtin::tables().iter().find(|table| table.name == name)?;
        Some(Self::One(DialectTable(table.clone())))
    }

    /// The names of the built-in dialects, without `auto`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        builtin::tables().iter().map(|table| table.name.as_str())
    }

    /// Reads a dialect of your own; `docs/replies.md` describes the table.
    ///
    /// # Errors
    /// When it is no TOML, has keys that do not exist, or tokens that cannot be recognised.
    pub fn from_toml(text: &str) -> Result<Self, DialectError> {
        let table = Table::parse(text).map_err(DialectError)?;
        grammar::check(&table).map_err(DialectError)?;
        Ok(Self::One(DialectTable(Arc::new(table))))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Auto => "auto",
            Self::One(table) => &table.0.name,
        }
    }

    /// Ready for the machine; made once for each dialect, unless tags have a suffix.
    pub(crate) fn grammar(&self, suffix: &str) -> Option<Arc<Grammar>> {
        let made = || match self {
            Self::Auto => Grammar::new(builtin::tables(), suffix),
            Self::One(table) => Grammar::new(std::slice::from_ref(&table.0), suffix),
        };
        if !suffix.is_empty() {
            return made().ok().map(Arc::new);
        }
        let kept = match self {
            Self::Auto => &AUTO,
            Self::One(table) => &table.0.grammar,
        };
        kept.get_or_init(|| made().ok().map(Arc::new)).clone()
    }
}

static AUTO: OnceLock<Option<Arc<Grammar>>> = OnceLock::new();

/// Why a table is no dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectError(String);

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DialectError {}
