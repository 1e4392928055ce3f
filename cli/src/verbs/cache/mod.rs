//! `cache`: how much of many prompts in a row a provider's cache has, and what that costs.

mod report;

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::Args;
use promptweave::{CacheMeter, CacheStep, Engine};

use crate::console::Console;
use crate::context::{self, Overlay};
use crate::failure::Failure;
use crate::files::{self, Lines};
use crate::packs::PackFlags;
use crate::select::{AskFlags, Strictness};
use report::Report;

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
        report.stop(&followed)?;
        followed?;
        report.end()?;
        self.strictness.judge(report.told())
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
        let each = |step: CacheStep| report.add(&step, &input.next_taken());
        let followed = meter.follow(threads, std::iter::from_fn(|| input.next()), read, each);
        match followed {
            Ok(()) => self.judge_number(report.contexts()),
            Err(Failure::Engine(error)) => {
                let place = format!("{}:{}", files::shown(&self.contexts), input.next_taken().line);
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
    fn next_taken(&self) -> Taken {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.pop_front().unwrap_or_default()
    }
}
