//! Reads a TOML file key by key, and collects what is wrong with it.
//!
//! In: a file. Out: typed values with their places, and a diagnostic for every mistake. Never: stops
//! at a mistake; repeats a value of the user's configuration.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use promptweave::{Code, Diagnostic, InvalidId, Origin, Severity, SourceFile};
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// More mistakes of one file are not told.
const MAX_TOLD: usize = 50;
/// The most entries of a list or a table.
pub(crate) const MAX_ENTRIES: usize = 1024;
/// The longest string.
const MAX_STRING_BYTES: usize = 64 * 1024;

/// One file that is being read, and what was found wrong in it.
pub(crate) struct Reader {
    file: Arc<SourceFile>,
    code: Code,
    told: RefCell<Vec<Diagnostic>>,
}

impl Reader {
    /// Reads a file whose mistakes have this code.
    pub(crate) fn new(file: &Arc<SourceFile>, code: Code) -> Self {
        Self { file: Arc::clone(file), code, told: RefCell::default() }
    }

    /// The tree of the text; none when it is no TOML, which is told.
    pub(crate) fn parse<'t>(&self, text: &'t str) -> Option<DeTable<'t>> {
        let tree = DeTable::parse(text).map(Spanned::into_inner);
        let told = tree.map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            let span = error.span().unwrap_or(0..0);
            self.error(span, message, "mend it; until then nothing of the file counts");
        });
        told.ok()
    }

    /// Tells a mistake at a range of the text.
    pub(crate) fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.tell(span, Severity::Error, message, help);
    }

    /// Tells something that is likely not meant so.
    pub(crate) fn warn(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.tell(span, Severity::Warning, message, help);
    }

    fn tell(
        &self,
        span: Range<usize>,
        severity: Severity,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let mut told = self.told.borrow_mut();
        if told.len() == MAX_TOLD {
            return;
        }
        let origin = Origin::file(&self.file, span);
        let one = match told.len() + 1 {
            MAX_TOLD => Diagnostic::new(self.code, "there are more mistakes in this file", origin)
                .help("mend the others first"),
            _ => Diagnostic::new(self.code, message, origin).help(help),
        };
        told.push(Diagnostic { severity, ..one });
    }

    /// Everything that was told, in the order of the file.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut told = self.told.into_inner();
        told.sort_by_key(|one| match &one.origin {
            Origin::File { span, .. } => span.start,
            Origin::Engine | Origin::Line { .. } | Origin::Item { .. } | Origin::Context(_) => 0,
        });
        told
    }
}

/// A table of the file.
#[derive(Clone, Copy)]
pub(crate) struct Table<'r> {
    reader: &'r Reader,
    entries: &'r DeTable<'r>,
    span: (usize, usize),
}

impl<'r> Table<'r> {
    /// The file's root.
    pub(crate) fn root(reader: &'r Reader, entries: &'r DeTable<'r>) -> Self {
        Self { reader, entries, span: (0, 0) }
    }

    /// Warns of keys that are not in `known`. `what` names the table: `a manifest`.
    pub(crate) fn knows(self, what: &str, known: &[&str]) -> Self {
        for value in self.all().filter(|value| !known.contains(&value.name)) {
            let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("`{}` is not a key of {what}", value.name);
            let help = format!("its keys are {}", names.join(", "));
            self.reader.warn(value.key.span(), message, help);
        }
        self
    }

    /// The table's header, or the file's start.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.0..self.span.1
    }

    /// The value of a key.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'r>> {
        let (key, value) = self.entries.get_key_value(name)?;
        Some(Value { reader: self.reader, key, value, name: key.get_ref() })
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&self, name: &str, what: &str) -> Option<Value<'r>> {
        let found = self.get(name);
        if found.is_none() {
            let message = format!("{what} has no `{name}`");
            self.reader.error(self.span(), message, format!("add `{name}`"));
        }
        found
    }

    /// All values, in the order of the file.
    pub(crate) fn all(&self) -> impl Iterator<Item = Value<'r>> + use<'r> {
        let reader = self.reader;
        let all = self.entries.iter();
        let mut all: Vec<Value<'r>> =
            all.map(|(key, value)| Value { reader, key, value, name: key.get_ref() }).collect();
        all.sort_by_key(|value| value.key.span().start);
        if all.len() > MAX_ENTRIES {
            let help = format!("the first {MAX_ENTRIES} are kept");
            reader.error(self.span(), format!("the table has {} entries", all.len()), help);
            all.truncate(MAX_ENTRIES);
        }
        all.into_iter()
    }

    /// A string.
    pub(crate) fn string(&self, name: &str) -> Option<Arc<str>> {
        self.get(name)?.str().map(Arc::from)
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Option<T> {
        self.get(name)?.choice(words)
    }

    /// A table in this one.
    pub(crate) fn table(&self, name: &str) -> Option<Table<'r>> {
        self.get(name)?.table()
    }

    /// The tables of a list; nothing else may be in it.
    pub(crate) fn tables(&self, name: &str) -> Vec<Table<'r>> {
        let items = self.get(name).and_then(|value| value.list()).unwrap_or_default();
        items.iter().filter_map(Value::table).collect()
    }

    /// A whole number within limits; one outside counts as the nearest limit.
    pub(crate) fn number(&self, name: &str, limits: RangeInclusive<u64>) -> Option<u64> {
        self.get(name)?.number(limits)
    }
}

/// A value of the file, under its key.
#[derive(Clone, Copy)]
pub(crate) struct Value<'r> {
    reader: &'r Reader,
    key: &'r Spanned<Cow<'r, str>>,
    value: &'r Spanned<DeValue<'r>>,
    /// The key; of a list's item, the list's.
    pub(crate) name: &'r str,
}

impl<'r> Value<'r> {
    /// Where the value stands.
    pub(crate) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Where the value stands.
    pub(crate) fn origin(&self) -> Origin {
        Origin::file(&self.reader.file, self.span())
    }

    /// Tells that the value is not acceptable.
    pub(crate) fn refuse(&self, message: impl Into<String>, help: impl Into<String>) {
        self.reader.error(self.span(), message, help);
    }

    /// Tells that the value does not count.
    pub(crate) fn warn(&self, message: impl Into<String>, help: impl Into<String>) {
        self.reader.warn(self.span(), message, help);
    }

    fn wrong_type<T>(&self, wanted: &str) -> Option<T> {
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
        self.refuse(message, format!("write {wanted}"));
        None
    }

    /// A string within the limit.
    pub(crate) fn str(&self) -> Option<&'r str> {
        match self.value.get_ref() {
            DeValue::String(text) if text.len() <= MAX_STRING_BYTES => Some(text),
            DeValue::String(_) => {
                let message = format!("`{}` is longer than {MAX_STRING_BYTES} bytes", self.name);
                self.refuse(message, "shorten it");
                None
            }
            _ => self.wrong_type("a string"),
        }
    }

    /// Whether it is this very string.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.value.get_ref(), DeValue::String(found) if found == text)
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(truth) => Some(*truth),
            _ => self.wrong_type("a boolean"),
        }
    }

    fn integer(&self) -> Option<i64> {
        let DeValue::Integer(number) = self.value.get_ref() else {
            return self.wrong_type("an integer");
        };
        let number = i64::from_str_radix(number.as_str(), number.radix()).ok();
        if number.is_none() {
            self.refuse(format!("`{}` is out of range", self.name), "it must fit in 64 bits");
        }
        number
    }

    /// A whole number within limits; one outside counts as the nearest limit.
    pub(crate) fn number(&self, limits: RangeInclusive<u64>) -> Option<u64> {
        let number = self.integer()?;
        let (least, most) = limits.into_inner();
        let meant = u64::try_from(number).unwrap_or(0).clamp(least, most);
        if i128::from(number) != i128::from(meant) {
            let message = format!("`{}` is {number}, outside of {least} to {most}", self.name);
            self.refuse(message, format!("write a number from {least} to {most}"));
        }
        Some(meant)
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let word = self.str()?;
        let found = words.iter().find(|(name, _)| *name == word).map(|&(_, meant)| meant);
        if found.is_none() {
            let names: Vec<String> = words.iter().map(|(name, _)| format!("`{name}`")).collect();
            let message = format!("`{word}` is not a value of `{}`", self.name);
            self.refuse(message, format!("it is one of {}", names.join(", ")));
        }
        found
    }

    /// The items of a list.
    pub(crate) fn list(&self) -> Option<Vec<Value<'r>>> {
        let DeValue::Array(items) = self.value.get_ref() else {
            return self.wrong_type("a list");
        };
        if items.len() > MAX_ENTRIES {
            let message = format!("`{}` has {} entries", self.name, items.len());
            self.refuse(message, format!("the first {MAX_ENTRIES} are kept"));
        }
        let items = items.iter().take(MAX_ENTRIES);
        Some(items.map(|value| Value { value, ..*self }).collect())
    }

    /// A table.
    pub(crate) fn table(&self) -> Option<Table<'r>> {
        let DeValue::Table(entries) = self.value.get_ref() else {
            return self.wrong_type("a table");
        };
        let span = self.span();
        Some(Table { reader: self.reader, entries, span: (span.start, span.end) })
    }

    /// A name of some kind; one of the wrong shape is told.
    pub(crate) fn id<T>(&self, parse: impl Fn(&str) -> Result<T, InvalidId>) -> Option<T> {
        self.shaped(self.str()?, self.span(), parse)
    }

    /// The key as a name of some kind; one of the wrong shape is told.
    pub(crate) fn key_id<T>(&self, parse: impl Fn(&str) -> Result<T, InvalidId>) -> Option<T> {
        self.shaped(self.name, self.key.span(), parse)
    }

    fn shaped<T>(
        &self,
        name: &str,
        span: Range<usize>,
        parse: impl Fn(&str) -> Result<T, InvalidId>,
    ) -> Option<T> {
        let parsed = parse(name);
        if let Err(error) = &parsed {
            let message = format!("`{name}` is not a name of the right shape");
            self.reader.error(span, message, format!("use {}", error.shape()));
        }
        parsed.ok()
    }

    /// The value as JSON; a date becomes a string.
    pub(crate) fn json(&self) -> Option<Json> {
        Some(match self.value.get_ref() {
            DeValue::String(_) => Json::from(self.str()?),
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
            DeValue::Array(_) => self.list()?.iter().filter_map(Value::json).collect(),
            DeValue::Table(_) => {
                let entries = self.table()?.all();
                Json::Object(
                    entries.filter_map(|one| Some((one.name.into(), one.json()?))).collect(),
                )
            }
        })
    }
}
