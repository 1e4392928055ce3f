//! Reads the tables of a TOML file key by key.
//!
//! In: a tree of the parser. Out: typed values with their places, and a diagnostic for every mistake:
//! an unknown key, a wrong type, a bad name. Never: stops at a mistake; a bad key does not lose the others.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reader::Reader;
use super::text;
use crate::diagnostic::{Code, Diagnostic, Origin, SourceText, did_you_mean, listed};
use crate::model::InvalidId;

/// The most entries of a list or a table.
const MAX_ITEMS: usize = 1024;
/// It is repeated as often as there are sections.
const MAX_SEPARATOR_BYTES: usize = 4096;

/// A table of the file whose keys are known.
#[derive(Clone, Copy)]
pub(crate) struct Table<'r> {
    pub(crate) reader: &'r Reader<'r>,
    entries: &'r DeTable<'r>,
    span: (usize, usize),
    /// Whether all of its keys are known.
    pub(crate) is_known: bool,
}

impl<'r> Table<'r> {
    /// The file's root; keys that are not in `known` are told. `what` names the table: `a variant`.
    pub(crate) fn root(
        reader: &'r Reader<'r>,
        tree: &'r DeTable<'r>,
        what: &str,
        known: &[&str],
    ) -> Self {
        let table = Self::unchecked(reader, tree);
        Self { is_known: table.refuse_unknown(what, known), ..table }
    }

    /// The file's root, whatever its keys are.
    pub(crate) fn unchecked(reader: &'r Reader<'r>, tree: &'r DeTable<'r>) -> Self {
        Self { reader, entries: tree, span: (0, 0), is_known: true }
    }

    /// Tells the keys that are not in `known`; false when there are some.
    pub(crate) fn refuse_unknown(&self, what: &str, known: &[&str]) -> bool {
        let before = self.reader.count();
        for value in self.all() {
            if !known.contains(&value.name) {
                let help = did_you_mean(value.name, known.iter().copied(), || {
                    format!("its keys are {}", listed(known.iter().copied()))
                });
                let message = format!("`{}` is not a key of {what}", value.name);
                self.reader.tell(Code::UnknownKey, value.key_span(), message, help);
            }
        }
        self.reader.count() == before
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<Value<'r>> {
        let (key, value) = self.entries.get_key_value(key)?;
        Some(Value { reader: self.reader, key, value, name: key.get_ref() })
    }

    /// All values, in the order of the file.
    pub(crate) fn all(&self) -> Vec<Value<'r>> {
        let reader = self.reader;
        let mut all: Vec<Value<'r>> = self
            .entries
            .iter()
            .map(|(key, value)| Value { reader, key, value, name: key.get_ref() })
            .collect();
        all.sort_by_key(|value| value.key.span().start);
        all
    }

    /// Whether the key is there.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// The table's header, or the file's start.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.0..self.span.1
    }

    /// The place of the table's header, or of the file.
    pub(crate) fn origin(&self) -> Origin {
        self.reader.origin(self.span())
    }

    /// A string.
    pub(crate) fn string(&self, key: &str) -> Option<Arc<str>> {
        self.get(key)?.str().map(Arc::from)
    }

    /// A string with the place of its bytes.
    pub(crate) fn text(&self, key: &str) -> Option<Arc<SourceText>> {
        self.get(key)?.text()
    }

    /// A string that stands between others, so that it may not be long.
    pub(crate) fn separator(&self) -> Option<Arc<str>> {
        let value = self.get("separator")?;
        let text = value.str()?;
        if text.len() > MAX_SEPARATOR_BYTES {
            let message = format!("the separator is longer than {MAX_SEPARATOR_BYTES} bytes");
            value.refuse(message, "put such a text into a component; this one is left out");
            return None;
        }
        Some(text.into())
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let value = self.get(key)?;
        let word = value.str()?;
        let found = words.iter().find(|(name, _)| *name == word).map(|&(_, meant)| meant);
        if found.is_none() {
            let names = || words.iter().map(|&(name, _)| name);
            let help = did_you_mean(word, names(), || format!("it is one of {}", listed(names())));
            value.refuse(format!("`{word}` is not a value of `{key}`"), help);
        }
        found
    }

    /// A table with known keys.
    pub(crate) fn table(&self, key: &str, known: &[&str]) -> Option<Table<'r>> {
        self.get(key)?.table(&format!("`[{key}]`"), known)
    }

    /// A list of tables with known keys.
    pub(crate) fn tables(&self, key: &str, known: &[&str]) -> Vec<Table<'r>> {
        let items = self.get(key).and_then(|value| value.list()).unwrap_or_default();
        items.iter().filter_map(|item| item.table(&format!("`[[{key}]]`"), known)).collect()
    }

    /// The entries of a table whose keys are free.
    pub(crate) fn open(&self, key: &str) -> Vec<Value<'r>> {
        self.get(key).map(|value| value.entries()).unwrap_or_default()
    }
}

/// A value of the file, under its key.
#[derive(Clone, Copy)]
pub(crate) struct Value<'r> {
    pub(crate) reader: &'r Reader<'r>,
    key: &'r Spanned<std::borrow::Cow<'r, str>>,
    value: &'r Spanned<DeValue<'r>>,
    /// The key; of a list's item, the list's.
    pub(crate) name: &'r str,
}

impl<'r> Value<'r> {
    /// Where the value stands in the TOML text.
    pub(crate) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Where the key stands.
    pub(crate) fn key_span(&self) -> Range<usize> {
        self.key.span()
    }

    /// The place of the value.
    pub(crate) fn origin(&self) -> Origin {
        self.reader.origin(self.span())
    }

    /// Tells that the value is not acceptable.
    pub(crate) fn refuse(&self, message: impl Into<String>, help: impl Into<String>) {
        self.reader.tell(Code::InvalidValue, self.span(), message, help);
    }

    /// Tells that the value has another type than is wanted.
    pub(crate) fn wrong_type<T>(&self, wanted: &str) -> Option<T> {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let message = format!("`{}` holds {found}, not {wanted}", self.name);
        self.reader.tell(Code::WrongType, self.span(), message, format!("write {wanted}"));
        None
    }

    /// A string.
    pub(crate) fn str(&self) -> Option<&'r str> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => self.wrong_type("a string"),
        }
    }

    /// A string with the place of its bytes.
    pub(crate) fn text(&self) -> Option<Arc<SourceText>> {
        let text = self.str()?;
        let span = self.span();
        let start = self.reader.offset();
        Some(text::of_string(self.reader.file(), text, span.start + start..span.end + start))
    }

    /// A whole number.
    pub(crate) fn integer(&self) -> Option<i64> {
        let DeValue::Integer(number) = self.value.get_ref() else {
            return self.wrong_type("an integer");
        };
        let number = i64::from_str_radix(number.as_str(), number.radix()).ok();
        if number.is_none() {
            self.refuse(format!("`{}` is out of range", self.name), "it must fit in 64 bits");
        }
        number
    }

    /// A whole number from 1 on.
    pub(crate) fn version(&self) -> Option<u32> {
        let number = self.integer()?;
        let version = u32::try_from(number).ok().filter(|&version| version > 0);
        if version.is_none() {
            self.refuse(format!("{number} is not a version"), "versions are 1, 2, 3 …");
        }
        version
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(truth) => Some(*truth),
            _ => self.wrong_type("a boolean"),
        }
    }

    /// The items of a list.
    pub(crate) fn list(&self) -> Option<Vec<Value<'r>>> {
        match self.value.get_ref() {
            DeValue::Array(items) => {
                self.refuse_many(items.len());
                let items = items.iter().take(MAX_ITEMS);
                Some(items.map(|value| Value { value, ..*self }).collect())
            }
            _ => self.wrong_type("a list"),
        }
    }

    /// The strings of a list; other items are told and left out.
    pub(crate) fn strings(&self) -> Option<Vec<(&'r str, Value<'r>)>> {
        Some(self.list()?.into_iter().filter_map(|item| Some((item.str()?, item))).collect())
    }

    /// A table with known keys.
    pub(crate) fn table(&self, what: &str, known: &[&str]) -> Option<Table<'r>> {
        let DeValue::Table(entries) = self.value.get_ref() else {
            return self.wrong_type("a table");
        };
        let span = self.span();
        let table =
            Table { span: (span.start, span.end), ..Table::unchecked(self.reader, entries) };
        Some(Table { is_known: table.refuse_unknown(what, known), ..table })
    }

    /// The entries of a table whose keys are free, in the order of the file.
    pub(crate) fn entries(&self) -> Vec<Value<'r>> {
        let DeValue::Table(entries) = self.value.get_ref() else {
            return self.wrong_type("a table").unwrap_or_default();
        };
        self.refuse_many(entries.len());
        let mut entries = Table::unchecked(self.reader, entries).all();
        entries.truncate(MAX_ITEMS);
        entries
    }

    /// What a variant holds is copied into those that extend it, so no list may be endless.
    fn refuse_many(&self, count: usize) {
        if count > MAX_ITEMS {
            let message = format!("`{}` has {count} entries", self.name);
            self.refuse(message, format!("the first {MAX_ITEMS} are kept"));
        }
    }

    /// Whether it is a table.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self.value.get_ref(), DeValue::Table(_))
    }

    /// The value as JSON; a date becomes a string.
    pub(crate) fn json(&self) -> Option<Json> {
        Some(match self.value.get_ref() {
            DeValue::String(text) => Json::from(&**text),
            DeValue::Integer(_) => Json::from(self.integer()?),
            DeValue::Float(number) => {
                let number = number.as_str().parse().ok().and_then(serde_json::Number::from_f64);
                if number.is_none() {
                    self.refuse(format!("`{}` is not a finite number", self.name), "write one");
                }
                Json::from(number?)
            }
            DeValue::Boolean(truth) => Json::from(*truth),
            DeValue::Datetime(date) => Json::from(date.to_string()),
            DeValue::Array(items) => {
                items.iter().filter_map(|value| Value { value, ..*self }.json()).collect()
            }
            DeValue::Table(entries) => {
                let entries = Table::unchecked(self.reader, entries).all();
                let pairs = entries.iter().filter_map(|one| Some((one.name.into(), one.json()?)));
                Json::Object(pairs.collect())
            }
        })
    }

    /// A name of some kind; one of the wrong shape is told.
    pub(crate) fn id<T>(&self, parse: fn(&str) -> Result<T, InvalidId>) -> Option<T> {
        let name = self.str()?;
        parse(name).map_err(|error| self.reader.push(invalid_id(&error, self.origin()))).ok()
    }

    /// The key as a name of some kind; one of the wrong shape is told.
    pub(crate) fn key_id<T>(&self, parse: fn(&str) -> Result<T, InvalidId>) -> Option<T> {
        let at = || self.reader.origin(self.key_span());
        parse(self.name).map_err(|error| self.reader.push(invalid_id(&error, at()))).ok()
    }
}

/// Tells that a name has the wrong shape.
pub(crate) fn invalid_id(error: &InvalidId, origin: Origin) -> Diagnostic {
    let told = error.to_string();
    let message =
        told.strip_suffix(error.shape()).map_or(&*told, |front| front.trim_end_matches([' ', ':']));
    Diagnostic::new(Code::InvalidId, message, origin).help(format!("use {}", error.shape()))
}
