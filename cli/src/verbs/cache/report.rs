//! What `cache` prints.
//!
//! In: steps in their order, with the places of their contexts. Out: a line for each break or the JSON of each step, the sums
//! at the end. Never: keeps a step; memory grows with the causes alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use promptweave::{CacheBreak, CachePlace, CacheStep, CacheTotals, Diagnostic, Origin};
use serde_json::{Value as Json, json};

use super::Taken;
use crate::console::{Console, Progress};
use crate::failure::Failure;
use crate::files;
use crate::table::{Table, count, visible};

/// What is printed on the way, and what is kept for the end.
pub(super) struct Report<'c> {
    console: &'c Console,
    name: String,
    progress: Option<Progress>,
    totals: CacheTotals,
    /// The line of the first break of each cause, by its request.
    firsts: BTreeMap<usize, usize>,
    methods: BTreeSet<String>,
    /// One of each code and place.
    told: BTreeMap<(String, String), Diagnostic>,
    /// What is not printed yet.
    text: String,
}

/// So much is printed at once.
const PRINTED_BYTES: usize = 1 << 14;
/// How many different diagnostics are told.
const MAX_TOLD: usize = 1000;

impl<'c> Report<'c> {
    pub(super) fn new(console: &'c Console, contexts: &Path) -> Self {
        Self {
            console,
            name: visible(&files::shown(contexts)),
            progress: Some(Progress::beside_output(console)),
            totals: CacheTotals::default(),
            firsts: BTreeMap::new(),
            methods: BTreeSet::new(),
            told: BTreeMap::new(),
            text: String::new(),
        }
    }

    /// Takes the step to a context.
    pub(super) fn add(&mut self, step: &CacheStep, taken: &Taken) -> Result<(), Failure> {
        self.totals.add(step);
        self.methods.insert(step.method.to_string());
        if let Some(broken) = &step.broken
            && self.totals.causes.get(&broken.cause()).is_some_and(|one| one.first == step.request)
        {
            self.firsts.insert(step.request, taken.line);
        }
        for one in &step.diagnostics {
            let key = (one.code.as_str().to_owned(), one.origin.to_string());
            if self.told.len() < MAX_TOLD && !self.told.contains_key(&key) {
                self.told.insert(key, one.clone());
            }
        }
        let place = format!("{}:{}", self.name, taken.line);
        if self.console.json {
            self.json_step(step, &place);
        } else if let Some(broken) = &step.broken {
            self.text.push_str(&sentence(&place, broken));
        }
        if let Some(progress) = &mut self.progress {
            let contexts = self.totals.requests;
            progress.say(self.console, || match taken.percent {
                Some(percent) => format!("{percent} %, {}", count(contexts, "context")),
                None => count(contexts, "context"),
            });
        }
        if self.text.len() >= PRINTED_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() { Ok(()) } else { self.console.out(text) }
    }

    fn json_step(&mut self, step: &CacheStep, place: &str) {
        let mut json = step.to_json();
        json["context"] = json!(place);
        let before = if step.request == 0 { "{\"steps\": [\n" } else { ",\n" };
        self.text.push_str(&format!("{before}{json}"));
    }

    /// How many steps there were.
    pub(super) fn contexts(&self) -> usize {
        self.totals.requests
    }

    /// What was met on the way.
    pub(super) fn told(&self) -> impl Iterator<Item = &Diagnostic> {
        self.told.values()
    }

    /// Prints what waits, and tells what was met; closes a document that will have no end.
    pub(super) fn stop(&mut self, followed: &Result<(), Failure>) -> Result<(), Failure> {
        self.progress = None;
        let is_begun = self.contexts() > 1;
        if is_begun {
            self.flush()?;
        }
        self.console.tell(self.told());
        let is_open = self.console.json && is_begun && followed.is_err();
        if is_open { self.console.out("\n]}\n") } else { Ok(()) }
    }

    /// What all of it comes to.
    pub(super) fn end(&self) -> Result<(), Failure> {
        if self.console.json {
            let mut totals = self.totals.to_json();
            totals["token_methods"] = self.methods.iter().map(String::as_str).collect::<Json>();
            return self.console.out(format!("\n],\n\"totals\": {totals}}}\n"));
        }
        let gap = if self.totals.breaks > 0 { "\n" } else { "" };
        self.console.out(format!("{gap}{}{}", self.summary(), self.causes()))
    }

    fn summary(&self) -> String {
        let CacheTotals { requests, breaks, usage, price, unpriced, .. } = &self.totals;
        let [read, written, uncached] = usage.shares().map(|share| share * 100.0);
        let methods: Vec<&str> = self.methods.iter().map(String::as_str).collect();
        let mut text = format!(
            "{}, {}\n{}: {read:.1} % read, {written:.1} % written, {uncached:.1} % uncached ({})\n",
            count(*requests, "context"),
            count(*breaks, "break"),
            count(usage.total(), "token"),
            methods.join("; "),
        );
        if unpriced < requests {
            text.push_str(&format!(
                "{}: {} if nothing had broken, {} without a cache\n",
                dollars(price.paid),
                dollars(price.unbroken),
                dollars(price.without),
            ));
        }
        if *unpriced > 0 {
            let of = count(*unpriced, "context");
            text.push_str(&format!("the model data has no prices for {of}\n"));
        }
        text
    }

    fn causes(&self) -> String {
        if self.totals.causes.is_empty() {
            return String::new();
        }
        let mut table =
            Table::with_heads(&["cause", "breaks", "tokens again", "price", "first", "origin"]);
        for (cause, one) in self.totals.by_cost() {
            let first = self.firsts.get(&one.first);
            table.row([
                cause.to_owned(),
                one.breaks.to_string(),
                one.billed_again.to_string(),
                dollars(one.price),
                first.map_or(String::new(), |line| format!("{}:{line}", self.name)),
                origin(&one.origin),
            ]);
        }
        format!("\n{}", table.text())
    }
}

/// A break as a sentence.
fn sentence(place: &str, broken: &CacheBreak) -> String {
    let mut text = format!("{place}: ");
    if broken.keys.is_empty() {
        text.push_str("no context key changed, but ");
    } else {
        let keys: Vec<String> = broken.keys.iter().map(|key| format!("`{key}`")).collect();
        text.push_str(&format!("{} changed: ", keys.join(", ")));
    }
    text.push_str(&what(broken));
    if let found @ (Origin::File { .. } | Origin::Line { .. } | Origin::Item { .. }) =
        broken.origin()
    {
        text.push_str(&format!(" ({found})"));
    }
    text.push_str(&format!(", and {} billed again", are(broken.billed_again)));
    if let Some(price) = broken.price {
        text.push_str(&format!(" for {}", dollars(price)));
    }
    visible(&text) + "\n"
}

fn what(CacheBreak { place, at, section, .. }: &CacheBreak) -> String {
    match (place, section) {
        (CachePlace::Model, _) => "another model is asked".to_owned(),
        (CachePlace::Tools, _) => "the tools differ".to_owned(),
        (CachePlace::Prefix, _) => format!("the prefix differs at byte {at}"),
        (CachePlace::UserContext, _) => format!("the user context differs at byte {at}"),
        (CachePlace::Text, Some(section)) => format!("section `{section}` differs at byte {at}"),
        (CachePlace::Text, None) => format!("the text differs at byte {at}"),
    }
}

fn are(tokens: usize) -> String {
    let verb = if tokens == 1 { "is" } else { "are" };
    format!("{} {verb}", count(tokens, "token"))
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Engine | Origin::Context(_) => String::new(),
        Origin::File { .. } | Origin::Line { .. } | Origin::Item { .. } => origin.to_string(),
    }
}

/// US dollars, to a millionth.
fn dollars(price: f64) -> String {
    format!("${price:.6}")
}
