//! Reads the tables of the file key by key, and collects what is wrong with them.
//!
//! In: the parser's tree. Out: typed values with their places, a diagnostic for each mistake. Never: stops at a mistake.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use promptweave::{Code, Diagnostic, Origin, Severity, SourceFile};
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file, and what was found wrong in it.
pub(super) struct Reader {
    pub(super) file: Arc<SourceFile>,
    told: RefCell<Vec<Diagnostic>>,
}

impl Reader {
    pub(super) fn new(file: Arc<SourceFile>) -> Self {
        Self { file, told: RefCell::default() }
    }

    /// Tells a mistake.
    pub(super) fn tell(&self, code: Code, span: Range<usize>, message: String, help: &str) {
        self.push(Diagnostic::new(code, message, Origin::file(&self.file, span)).help(help));
    }

    pub(super) fn push(&self, diagnostic: Diagnostic) {
        self.told.borrow_mut().push(diagnostic);
    }

    /// Whether an error was told.
    pub(super) fn has_errors(&self) -> bool {
        self.told.borrow().iter().any(|told| told.severity == Severity::Error)
    }

    /// Everything that was told, in the order of the file.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let mut told = self.told.into_inner();
        told.sort_by_key(|one| one.origin.position());
        told
    }
}

/// A table of the file.
#[derive(Clone)]
pub(super) struct Table<'r> {
    pub(super) reader: &'r Reader,
    entries: &'r DeTable<'r>,
    span: Range<usize>,
    /// How people call it: `[[route]]`.
    name: &'static str,
}

/// A value of the file, under its key.
#[derive(Clone)]
pub(super) struct Value<'r> {
    pub(super) reader: &'r Reader,
    key: &'r str,
    value: &'r Spanned<DeValue<'r>>,
}

impl<'r> Table<'r> {
    /// A table; keys that are not in `known` are told.
    pub(super) fn new(
        reader: &'r Reader,
        entries: &'r DeTable<'r>,
        (name, span): (&'static str, Range<usize>),
        known: &[&str],
    ) -> Self {
        for key in entries.keys().filter(|key| !known.contains(&&**key.get_ref())) {
            let message = format!("`{}` is not a key of {name}", key.get_ref());
            let help = format!("its keys are `{}`", known.join("`, `"));
            reader.tell(Code::UnknownKey, key.span(), message, &help);
        }
        Self { reader, entries, span, name }
    }

    pub(super) fn get(&self, key: &str) -> Option<Value<'r>> {
        let (key, value) = self.entries.get_key_value(key)?;
        Some(Value { reader: self.reader, key: key.get_ref(), value })
    }

    /// The value of a key that must be there.
    pub(super) fn needed(&self, key: &str, help: &str) -> Option<Value<'r>> {
        let found = self.get(key);
        if found.is_none() {
            let message = format!("{} has no `{key}`", self.name);
            self.tell(message, help);
        }
        found
    }

    /// Tells a mistake about the whole table.
    pub(super) fn tell(&self, message: String, help: &str) {
        self.reader.tell(Code::WrongType, self.span.clone(), message, help);
    }

    /// A table below it.
    pub(super) fn table(&self, key: &str, name: &'static str, known: &[&str]) -> Option<Self> {
        self.get(key)?.table(name, known)
    }

    /// A list of tables below it.
    pub(super) fn tables(&self, key: &str, name: &'static str, known: &[&str]) -> Vec<Self> {
        let items = self.get(key).and_then(|value| value.list()).unwrap_or_default();
        items.into_iter().filter_map(|item| item.table(name, known)).collect()
    }

    /// All entries of a table whose keys are free.
    pub(super) fn entries(&self) -> impl Iterator<Item = Value<'r>> {
        let reader = self.reader;
        self.entries.iter().map(move |(key, value)| Value { reader, key: key.get_ref(), value })
    }
}

impl<'r> Value<'r> {
    pub(super) fn key(&self) -> &'r str {
        self.key
    }

    pub(super) fn origin(&self) -> Origin {
        Origin::file(&self.reader.file, self.value.span())
    }

    /// Tells that the value cannot be taken.
    pub(super) fn refuse<T>(&self, message: String, help: &str) -> Option<T> {
        self.reader.tell(Code::InvalidValue, self.value.span(), message, help);
        None
    }

    /// Tells that the value is dangerous.
    pub(super) fn warn(&self, message: String, help: &str) {
        let mut warning = Diagnostic::new(Code::InvalidValue, message, self.origin()).help(help);
        warning.severity = Severity::Warning;
        self.reader.push(warning);
    }

    fn wrong_type<T>(&self, wanted: &str) -> Option<T> {
        let message = format!("`{}` is not {wanted}", self.key);
        let help = format!("write {wanted}");
        self.reader.tell(Code::WrongType, self.value.span(), message, &help);
        None
    }

    pub(super) fn text(&self) -> Option<&'r str> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => self.wrong_type("a string"),
        }
    }

    /// A text that names something: it is not empty, and holds no control characters.
    pub(super) fn name(&self) -> Option<&'r str> {
        let text = self.text()?;
        if text.is_empty() {
            return self.refuse(format!("`{}` is empty", self.key), "write a name");
        }
        if text.contains(char::is_control) {
            let message = format!("`{}` holds a control character", self.key);
            return self.refuse(message, "use printable characters alone");
        }
        Some(text)
    }

    /// A number from 0 to a limit.
    pub(super) fn number(&self, most: f64) -> Option<f64> {
        let number = match self.value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| (0.0..=most).contains(number));
        number.or_else(|| self.wrong_type(&format!("a number from 0 to {most}")))
    }

    /// A whole number within limits.
    pub(super) fn count(&self, (least, most): (usize, usize)) -> Option<usize> {
        let number = match self.value.get_ref() {
            DeValue::Integer(number) => usize::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        let number = number.filter(|number| (least..=most).contains(number));
        number.or_else(|| self.wrong_type(&format!("a whole number from {least} to {most}")))
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let word = self.text()?;
        let found = words.iter().find(|(name, _)| *name == word).map(|&(_, meant)| meant);
        found.or_else(|| {
            let names: Vec<_> = words.iter().map(|(name, _)| *name).collect();
            let help = format!("it is one of `{}`", names.join("`, `"));
            let message = format!("`{}` is not a value of `{}`", word.escape_debug(), self.key);
            self.refuse(message, &help)
        })
    }

    pub(super) fn list(&self) -> Option<Vec<Self>> {
        match self.value.get_ref() {
            DeValue::Array(items) => {
                Some(items.iter().map(|value| Self { value, ..self.clone() }).collect())
            }
            _ => self.wrong_type("a list"),
        }
    }

    /// The names in a list, each with its place.
    pub(super) fn names(&self) -> Vec<(&'r str, Self)> {
        let items = self.list().unwrap_or_default();
        items.into_iter().filter_map(|item| Some((item.name()?, item))).collect()
    }

    /// A table with known keys.
    pub(super) fn table(&self, name: &'static str, known: &[&str]) -> Option<Table<'r>> {
        let DeValue::Table(entries) = self.value.get_ref() else {
            return self.wrong_type("a table");
        };
        Some(Table::new(self.reader, entries, (name, self.value.span()), known))
    }

    /// A table whose keys are free.
    pub(super) fn open(&self, name: &'static str) -> Option<Table<'r>> {
        let DeValue::Table(entries) = self.value.get_ref() else {
            return self.wrong_type("a table");
        };
        Some(Table { reader: self.reader, entries, span: self.value.span(), name })
    }

    /// Whether it is a table.
    pub(super) fn is_table(&self) -> bool {
        matches!(self.value.get_ref(), DeValue::Table(_))
    }

    /// The value as JSON; a date becomes a string.
    pub(super) fn json(&self) -> Json {
        let below = |value: &'r Spanned<DeValue<'r>>| Self { value, ..self.clone() }.json();
        match self.value.get_ref() {
            DeValue::String(text) => Json::from(&**text),
            DeValue::Integer(number) => {
                Json::from(i64::from_str_radix(number.as_str(), number.radix()).unwrap_or_default())
            }
            DeValue::Float(number) => {
                Json::from(number.as_str().parse::<f64>().unwrap_or_default())
            }
            DeValue::Boolean(truth) => Json::from(*truth),
            DeValue::Datetime(date) => Json::from(date.to_string()),
            DeValue::Array(items) => items.iter().map(below).collect(),
            DeValue::Table(entries) => {
                let pair = |(key, value): (&'r Spanned<Cow<'r, str>>, _)| {
                    (key.get_ref().to_string(), below(value))
                };
                Json::Object(entries.iter().map(pair).collect())
            }
        }
    }
}
