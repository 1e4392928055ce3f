//! The two streams: results go to standard output, everything else to standard error.
//!
//! In: finished texts and diagnostics. Out: bytes. Never: adds a byte to a result.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use promptweave::{Diagnostic, Severity};
use serde::Serialize;

use crate::draw::{self, Look, Told};
use crate::failure::Failure;
use crate::table::visible;

/// How wide a drawing is when the terminal does not say.
const DEFAULT_WIDTH: usize = 100;

/// Where a verb's words go.
pub(crate) struct Console {
    pub(crate) json: bool,
}

impl Console {
    /// Looks at nothing but the arguments; the streams are looked at when something is said.
    pub(crate) fn new(json: bool, verbose: u8) -> Self {
        if verbose > 0 {
            trace(verbose);
        }
        Self { json }
    }

    /// Writes a result: these bytes and no others.
    pub(crate) fn out(&self, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(bytes.as_ref()).and_then(|()| stdout.flush());
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::input(
                format!("standard output cannot be written: {error}"),
                "look where it is redirected to",
            ),
        })
    }

    /// Writes a result in JSON, indented, and a line end.
    pub(crate) fn out_json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| {
            let why = format!("the result cannot be written as JSON: {error}");
            Failure::input(why, "report it as a mistake of this program")
        })?;
        bytes.push(b'\n');
        self.out(bytes)
    }

    /// Writes lines to standard error; where nobody listens, they are lost.
    pub(crate) fn say(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Draws diagnostics on standard error.
    pub(crate) fn tell<'d>(&self, told: impl IntoIterator<Item = &'d Diagnostic>) {
        let told: Vec<Told<'_>> = told.into_iter().map(Told::from).collect();
        self.tell_all(&told);
    }

    /// The same for a program that runs on: a line each, without an excerpt of a file.
    pub(crate) fn log(&self, told: &[Diagnostic]) {
        let told: Vec<Told<'_>> = told.iter().map(Told::from).collect();
        let look = if self.json { Look::Json } else { Look::Plain };
        if !told.is_empty() {
            self.say(&draw::draw(&told, &look));
        }
    }

    /// Draws what there is to tell on standard error.
    pub(crate) fn tell_all(&self, told: &[Told<'_>]) {
        if !told.is_empty() {
            self.say(&draw::draw(told, &self.look()));
        }
    }

    /// Whether somebody looks at standard output.
    pub(crate) fn out_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Whether somebody looks at standard error.
    pub(crate) fn err_is_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Asks on the terminal; anything but a yes is a no.
    fn confirm(&self, question: &str) -> bool {
        self.say(&format!("{question} [y/N] "));
        let mut answer = String::new();
        let _ = io::stdin().read_line(&mut answer);
        matches!(answer.trim(), "y" | "Y" | "yes" | "Yes")
    }

    /// Asks where somebody is there to answer; elsewhere the command itself is the yes.
    pub(crate) fn agreed(&self, question: &str) -> bool {
        let asks = io::stdin().is_terminal() && self.err_is_terminal();
        !asks || self.confirm(question)
    }

    fn look(&self) -> Look {
        if self.json {
            return Look::Json;
        }
        if !self.err_is_terminal() {
            return Look::Plain;
        }
        let width = terminal_size::terminal_size_of(io::stderr());
        Look::Drawn {
            width: width.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0)),
            colours: colours(),
        }
    }
}

/// Whether standard error takes colours: a terminal that can, and no `NO_COLOR`.
pub(crate) fn colours() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// How many of these are warnings or errors.
pub(crate) fn grave<'d>(told: impl IntoIterator<Item = &'d Diagnostic>) -> usize {
    told.into_iter().filter(|told| told.severity > Severity::Note).count()
}

/// Prints the engine's spans with their times: ids and sizes, never texts.
fn trace(verbose: u8) {
    use tracing_subscriber::filter::{LevelFilter, filter_fn};
    use tracing_subscriber::fmt::format::FmtSpan;
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;

    let level = if verbose == 1 { LevelFilter::DEBUG } else { LevelFilter::TRACE };
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(colours())
        .with_max_level(level)
        .with_span_events(FmtSpan::CLOSE)
        .finish()
        // It shows messages whole, which hold prompts and contexts.
        .with(filter_fn(|about| !about.target().starts_with("rmcp")))
        .init();
}

/// A line on the terminal that says how far long work is; gone when it is dropped.
pub(crate) struct Progress {
    total: usize,
    done: usize,
    shown: bool,
    said: Option<Instant>,
}

/// How long a line stays before the next one may take its place.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);

impl Progress {
    /// Shows nothing when standard error is no terminal.
    pub(crate) fn new(console: &Console, total: usize) -> Self {
        Self { total, done: 0, shown: total > 1 && console.err_is_terminal(), said: None }
    }

    /// The same for work that prints as it goes on: nothing where that is seen, too.
    pub(crate) fn beside_output(console: &Console) -> Self {
        let shown = console.err_is_terminal() && !console.out_is_terminal();
        Self { total: 0, done: 0, shown, said: None }
    }

    /// Names what is worked on now.
    pub(crate) fn step(&mut self, console: &Console, name: &str) {
        self.done += 1;
        if self.shown {
            console.say(&format!("\r\x1b[2K{}/{} {}", self.done, self.total, visible(name)));
        }
    }

    /// Says how far it is, as often as people can read.
    pub(crate) fn say(&mut self, console: &Console, text: impl FnOnce() -> String) {
        let is_due = self.said.is_none_or(|said| said.elapsed() >= PROGRESS_PAUSE);
        if self.shown && is_due {
            self.said = Some(Instant::now());
            console.say(&format!("\r\x1b[2K{}", text()));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = io::stderr().lock().write_all(b"\r\x1b[2K");
        }
    }
}
