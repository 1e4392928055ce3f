//! What a call brought along, as the plugin reads it.
//!
//! In: a call from the host. Out: [`Facts`] for one item, and the lines that it logged. Never: shows an item what
//! it did not declare, or parses JSON that nobody reads.

use std::cell::{OnceCell, RefCell};

use promptweave_abi::ValueKind;
use serde_json::Value as Json;

use crate::frame::{Call, Encoder, Value};
use crate::guest::{Facts, Found};
use crate::key;
use crate::table::Item;

/// The most lines that one item may log.
const MAX_LINES: usize = 256;

/// A call that was received; JSON is parsed when something inside it is read.
pub(super) struct Received<'a> {
    pub(super) call: &'a Call<'a>,
    parsed: Vec<OnceCell<Json>>,
    variant: OnceCell<Json>,
    lines: RefCell<Vec<Vec<u8>>>,
}

/// The same, as one item may see it.
pub(super) struct Seen<'a> {
    received: &'a Received<'a>,
    item: &'a Item,
}

impl<'a> Received<'a> {
    pub(super) fn new(call: &'a Call<'a>) -> Self {
        let parsed = call.values.iter().map(|_| OnceCell::new()).collect();
        Self { call, parsed, variant: OnceCell::new(), lines: RefCell::default() }
    }

    pub(super) fn of(&'a self, item: &'a Item) -> Seen<'a> {
        Seen { received: self, item }
    }

    /// The variant's id, where there is a variant.
    pub(super) fn variant_id(&self) -> &str {
        self.variant().get("id").and_then(Json::as_str).unwrap_or_default()
    }

    /// Hands over the lines that were logged since the last time.
    pub(super) fn logs<E>(&self, send: impl FnMut(Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        self.lines.take().into_iter().try_for_each(send)
    }

    fn variant(&self) -> &Json {
        self.variant.get_or_init(|| serde_json::from_str(self.call.variant).unwrap_or_default())
    }

    /// The value at a declared key, with its place.
    fn value(&self, declared: &str) -> Option<(usize, &Value<'a>)> {
        self.call.values.iter().enumerate().find(|(_, value)| value.key == declared)
    }

    fn json(&self, at: usize, value: &Value<'_>) -> &Json {
        self.parsed[at].get_or_init(|| match value.kind {
            ValueKind::STRING => Json::from(&*value.text),
            _ => serde_json::from_str(&value.text).unwrap_or_default(),
        })
    }
}

impl Facts for Seen<'_> {
    fn get(&self, key: &str) -> Found<'_> {
        let deps = &self.item.deps;
        if deps.iter().any(|dep| dep == key) {
            let found = self.received.value(key);
            return found.map_or(Found::Absent, |(_, value)| Found::Ready(value.kind, &value.text));
        }
        let Some(steps) = key::steps(key) else { return Found::Malformed };
        let Some((dep, below)) = key::covering(deps, &steps) else { return Found::Undeclared };
        let Some((at, value)) = self.received.value(dep) else { return Found::Absent };
        key::at(self.received.json(at, value), below).map_or(Found::Absent, Found::Json)
    }

    fn variant(&self, key: &str) -> Found<'_> {
        let Some(steps) = key::steps(key) else { return Found::Malformed };
        key::at(self.received.variant(), &steps).map_or(Found::Absent, Found::Json)
    }

    fn section(&self, id: &str) -> Option<&str> {
        let sections = &self.received.call.sections;
        sections.iter().find(|(known, _)| *known == id).map(|(_, text)| *text)
    }

    fn log(&self, level: u32, message: &str) {
        let mut lines = self.received.lines.borrow_mut();
        if lines.len() < MAX_LINES {
            let mut line = Encoder::default();
            line.text(&self.item.id).u32(level).text(message);
            lines.push(line.0);
        }
    }
}
