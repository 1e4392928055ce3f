//! `cache`: how much of many prompts in a row a provider's cache has, and what that costs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::Args;
use promptweave::{
    CacheBreak, CacheMeter, CachePlace, CacheStep, CacheTotals, Diagnostic, Engine, Origin,
};
use serde_json::{Value as Json, json};

use crate::console::{Console, Progress};
use crate::context::{self, Overlay};
use crate::failure::Failure;
use crate::files::{self, Lines};
use crate::packs::PackFlags;
use crate::select::{AskFlags, Strictness};
use crate::table::{Table, count, visible};

const EXAMPLES: &str = "\
Examples:
  promptweave cache session.jsonl
  promptweave cache session.jsonl --model claude-opus-5-5 --json
  promptweave cache - --models prices.toml --threads 1 < session.jsonl";

/// Show what breaks the cached prefix between prompts in a row, and what that costs
///
/// Builds the contexts in their order, and puts each prompt beside the one before it: what both begin with, the first
/// difference with its origin and the context key that changed, the tokens that are read, written and not cached, and the
/// price by the model data. It is assumed that each request comes while the entries of the one before it live.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cache {
    /// Contexts, one JSON object a line
    #[arg(value_name = "CONTEXTS.jsonl|-")]
    contexts: PathBuf,
    /// Build on so many threads; without it, on as many as the machine has. The result is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Let entries live for an hour for this `request.query_source`, or for those that begin with it when it ends in `*`
    #[arg(long, value_name = "SOURCE", value_delimiter = ',')]
    one_hour: Vec<String>,
    #[command(flatten)]
    strictness: Strictness,
    #[command(flatten)]
    overlay: Overlay,
    #[command(flatten)]
    ask: AskFlags,
    #[command(flatten)]
    packs: PackFlags,
}

impl Cache {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let engine = self.packs.engine()?;
        console.tell(engine.diagnostics());
        self.strictness.judge(engine.diagnostics())?;
        let input = Input::new(Lines::open(&self.contexts)?);
        let mut report = Report::new(console, &self.contexts);
        let followed = self.follow(&engine, &input, &mut report);
        drop(report.progress.take());
        if report.totals.requests > 1 {
            report.flush()?;
        }
        console.tell(report.told.values());
        if followed.is_err() {
            report.break_off()?;
        }
        followed?;
        report.end()?;
        self.strictness.judge(report.told.values())
    }

    fn follow(
        &self,
        engine: &Engine,
        input: &Input,
        report: &mut Report<'_>,
    ) -> Result<(), Failure> {
        let threads = self.threads.map_or_else(
            || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            |threads| NonZeroUsize::new(threads.into()).unwrap_or(NonZeroUsize::MIN),
        );
        let meter = CacheMeter::new(engine, self.ask.ask()).one_hour(self.one_hour.clone());
        let read = |(number, line): (usize, String)| {
            self.overlay.on(context::of_line(&self.contexts, number, &line)?)
        };
        let each = |step: CacheStep| report.add(&step, &input.next_number());
        let followed = meter.follow(threads, std::iter::from_fn(|| input.next()), read, each);
        match followed {
            Ok(()) => self.judge_number(report.totals.requests),
            Err(Failure::Engine(error)) => {
                let place =
                    format!("{}:{}", files::shown(&self.contexts), input.next_number().line);
                Err(Failure::Context(place, error))
            }
            Err(failure) => Err(failure),
        }
    }

    /// One context has no neighbour.
    fn judge_number(&self, contexts: usize) -> Result<(), Failure> {
        let why = match contexts {
            0 => "holds no context",
            1 => "holds one context, which has none before it",
            _ => return Ok(()),
        };
        let help = "give two or more in the order of their requests, one JSON object a line";
        Err(Failure::input(format!("`{}` {why}", files::shown(&self.contexts)), help))
    }
}

/// The lines, and the numbers of those that were taken and not yet reported.
struct Input {
    lines: Mutex<Lines>,
    taken: Mutex<VecDeque<Taken>>,
}

/// Where a context was read.
#[derive(Clone, Copy, Default)]
struct Taken {
    line: usize,
    /// The share of the file up to it, in percent, where its end is known.
    percent: Option<u64>,
}

impl Input {
    fn new(lines: Lines) -> Self {
        Self { lines: Mutex::new(lines), taken: Mutex::default() }
    }

    fn next(&self) -> Option<Result<(usize, String), Failure>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let next = lines.next()?;
        if let Ok((line, _)) = next {
            let percent = lines.total.map(|total| lines.read * 100 / total.max(1));
            let taken = Taken { line, percent };
            self.taken.lock().unwrap_or_else(PoisonError::into_inner).push_back(taken);
        }
        Some(next)
    }

    /// The first that was not reported.
    fn next_number(&self) -> Taken {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.pop_front().unwrap_or_default()
    }
}

/// What is printed on the way, and what is kept for the end.
struct Report<'c> {
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
    fn new(console: &'c Console, contexts: &Path) -> Self {
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

    fn add(&mut self, step: &CacheStep, taken: &Taken) -> Result<(), Failure> {
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

    /// Closes what was printed of a document that has no end.
    fn break_off(&self) -> Result<(), Failure> {
        let is_open = self.console.json && self.totals.requests > 1;
        if is_open { self.console.out("\n]}\n") } else { Ok(()) }
    }

    /// What all of it comes to.
    fn end(&self) -> Result<(), Failure> {
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
