//! One call: what the plugin may see while it runs, and what it has said so far.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use promptweave_abi::{Status, ValueKind};
use serde_json::Value as Json;

use crate::answer::{Answer, MAX_ORIGINS, MAX_REPORTS, Origin, Outcome, Report};
use crate::table::Item;

/// The most bytes of all that one call says beside its output; it must fit into one answer.
const MAX_SAID_BYTES: usize = 512 * 1024;
/// The most bytes of a message; the rest is cut off.
pub(super) const MAX_MESSAGE_BYTES: usize = 4096;

/// What an item may read. Keys come as the plugin wrote them.
pub(crate) trait Facts {
    /// A context value; the key may lie under a declared one.
    fn get(&self, key: &str) -> Found<'_>;
    /// A fact of the variant.
    fn variant(&self, key: &str) -> Found<'_>;
    /// The text of an earlier section.
    fn section(&self, id: &str) -> Option<&str>;
    /// A line for the log.
    fn log(&self, level: u32, message: &str);
}

/// What stands at a key.
pub(crate) enum Found<'a> {
    /// Nothing.
    Absent,
    /// The key is no path.
    Malformed,
    /// The item did not declare it.
    Undeclared,
    /// A value.
    Json(&'a Json),
    /// A value as it travels: a string's own bytes, JSON text for other kinds.
    Ready(ValueKind, &'a str),
}

/// The state behind the opaque context of one call. All of it can be reached through a shared
/// reference, for the plugin hands the pointer back as often as it likes.
pub(super) struct State<'a> {
    pub(super) facts: &'a dyn Facts,
    /// Absent during `init`.
    pub(super) item: Option<&'a Item>,
    pub(super) deadline: Option<Instant>,
    /// The most bytes of output.
    pub(super) limit: usize,
    pub(super) out: RefCell<Vec<u8>>,
    pub(super) flooded: Cell<bool>,
    pub(super) error: RefCell<Option<(Status, String)>>,
    told: RefCell<Answer>,
    /// The bytes in `told`.
    said: Cell<usize>,
    /// Texts that were lent to the plugin; boxed, so that they stay where they are.
    lent: RefCell<Vec<Box<str>>>,
}

impl<'a> State<'a> {
    pub(super) fn new(facts: &'a dyn Facts, item: Option<&'a Item>, limit: usize) -> Self {
        Self {
            facts,
            item,
            deadline: None,
            limit,
            out: RefCell::default(),
            flooded: Cell::default(),
            error: RefCell::default(),
            told: RefCell::default(),
            said: Cell::default(),
            lent: RefCell::default(),
        }
    }

    /// Keeps a text until the call returns, and says where it lies.
    pub(super) fn lend(&self, text: String) -> promptweave_abi::Str {
        let text = text.into_boxed_str();
        let place = promptweave_abi::Str::new(&text);
        self.lent.borrow_mut().push(text);
        place
    }

    pub(super) fn write(&self, bytes: &[u8]) -> Status {
        let mut out = self.out.borrow_mut();
        if self.flooded.get() || bytes.len() > self.limit - out.len() {
            self.flooded.set(true);
            return Status::E_LIMIT;
        }
        out.extend_from_slice(bytes);
        Status::OK
    }

    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn undeclared(&self, key: &str) -> Status {
        let undeclared = &mut self.told.borrow_mut().undeclared;
        let known = undeclared.iter().any(|known| known == key);
        if undeclared.len() < MAX_REPORTS && !known && self.has_room(&[key]) {
            undeclared.push(key.into());
        }
        Status::E_UNDECLARED
    }

    /// Whether these texts still fit beside what was said before; they then count as said.
    fn has_room(&self, texts: &[&str]) -> bool {
        let said = self.said.get() + texts.iter().map(|text| text.len()).sum::<usize>();
        let fits = said <= MAX_SAID_BYTES;
        if fits {
            self.said.set(said);
        }
        fits
    }

    pub(super) fn report(&self, report: Report) -> Status {
        let reports = &mut self.told.borrow_mut().reports;
        let Report { code, message, help, .. } = &report;
        if reports.len() >= MAX_REPORTS || !self.has_room(&[code, message, help]) {
            return Status::E_LIMIT;
        }
        reports.push(report);
        Status::OK
    }

    pub(super) fn origin(&self, origin: Origin) -> Status {
        let written = self.out.borrow().len() as u64;
        if origin.start > origin.end || origin.end > written {
            return Status::E_ARG;
        }
        let origins = &mut self.told.borrow_mut().origins;
        if origins.len() >= MAX_ORIGINS || !self.has_room(&[&origin.path]) {
            return Status::E_LIMIT;
        }
        origins.push(origin);
        Status::OK
    }

    pub(super) fn widen(&self, reason: String) -> Status {
        if !self.has_room(&[&reason]) {
            return Status::E_LIMIT;
        }
        self.told.borrow_mut().volatile.get_or_insert(reason);
        Status::OK
    }

    /// What the call gave, now that it has returned.
    pub(super) fn answer(self, status: Status) -> Answer {
        let outcome = self.outcome(status);
        Answer { outcome, ..self.told.into_inner() }
    }

    fn outcome(&self, status: Status) -> Outcome {
        if self.flooded.get() {
            return Outcome::Failed(format!(
                "it wrote more than its limit of {} KiB",
                self.limit >> 10
            ));
        }
        if status.is_failure() {
            return Outcome::Failed(self.failure(status));
        }
        match String::from_utf8(self.out.take()) {
            Ok(_) if status == Status::NOTHING => Outcome::Nothing,
            Ok(text) => Outcome::Text(text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                Outcome::Failed(format!("its output is not UTF-8 from byte {at} on"))
            }
        }
    }

    /// The keys that it had not declared, as the cause of its failure; they are not told a second time.
    fn undeclared_reads(&self) -> Option<String> {
        let keys = std::mem::take(&mut self.told.borrow_mut().undeclared);
        let keys = (!keys.is_empty()).then(|| keys.join("`, `"));
        keys.map(|keys| format!("it read `{keys}` without declaring it"))
    }

    /// Why it failed, in the plugin's words where it left any.
    pub(super) fn failure(&self, status: Status) -> String {
        let own = self.error.take().map(|(_, text)| text).filter(|text| !text.is_empty());
        let text = match status {
            Status::E_UNDECLARED => self.undeclared_reads().or(own),
            _ => own,
        };
        let meaning = match status {
            Status::E_ARG => "it was refused an argument",
            Status::E_VERSION => "it refuses this host's version",
            Status::E_UNDECLARED => "it says that it read what it had not declared",
            Status::E_LIMIT => "it met a limit",
            Status::E_CANCELLED => "it gave up at its deadline",
            Status::E_UNSUPPORTED => "it needs what this host does not offer",
            Status::E_CONTEXT => "the context lacks what it needs",
            Status::E_PANIC => "it panicked",
            _ => "it failed",
        };
        match text {
            Some(text) if status == Status::E_PANIC => {
                format!("it panicked: {}", text.strip_prefix("panic: ").unwrap_or(&text))
            }
            Some(text) => text,
            None => format!("{meaning}, and gave no reason (status {})", status.0),
        }
    }
}
