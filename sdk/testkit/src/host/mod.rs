//! A host that watches: it gives a call what it may see, fails where it is told to, and writes down what the
//! plugin does.
//!
//! In: what a call shall see and how the host behaves. Out: a [`Record`]. Never: forgiving, as the loader's
//! host is; judges.

mod api;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use promptweave_abi::{Status, Str};
use promptweave_loader::Item;
use promptweave_loader::harness::Given;

pub(crate) use api::{HOST, without_extensions};

/// The most notes of one kind.
const MAX_NOTES: usize = 64;

/// How the host behaves during a call.
#[derive(Clone, Debug)]
pub(crate) struct Conduct {
    /// The most bytes of output.
    pub(crate) limit: usize,
    pub(crate) time: Time,
    pub(crate) named: Named,
    pub(crate) fault: Option<Fault>,
}

/// How much time a call is told to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// 200 ms.
    Enough,
    /// None: `cancelled` says so.
    Over,
}

/// Which item the call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// The one whose code is called.
    Right,
    /// One that no plugin has.
    Wrong,
    /// None at all.
    Absent,
}

/// A host function that fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) function: Function,
    /// From 1.
    pub(crate) nth: u32,
    pub(crate) status: Status,
}

/// The functions that a plugin can call and that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Function {
    Get,
    Variant,
    Section,
    Write,
    SetError,
    Cancelled,
    Report,
    Meta,
}

impl Function {
    pub(crate) const ALL: [Self; 8] = [
        Self::Get,
        Self::Variant,
        Self::Section,
        Self::Write,
        Self::SetError,
        Self::Cancelled,
        Self::Report,
        Self::Meta,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Variant => "variant",
            Self::Section => "section",
            Self::Write => "write",
            Self::SetError => "set_error",
            Self::Cancelled => "cancelled",
            Self::Report => "report",
            Self::Meta => "meta",
        }
    }
}

impl Default for Conduct {
    /// A host that does its work: 64 KiB, 200 ms.
    fn default() -> Self {
        Self { limit: 64 * 1024, time: Time::Enough, named: Named::Right, fault: None }
    }
}

/// What a plugin did during a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) out: Vec<u8>,
    /// How often it wrote after the limit was met.
    pub(crate) after_limit: u32,
    pub(crate) error: Option<String>,
    pub(crate) undeclared: Vec<String>,
    /// What it handed to the host that no plugin may.
    pub(crate) misuse: Vec<String>,
    /// How often it called each function.
    pub(crate) counts: [u32; Function::ALL.len()],
    /// The failures that the host returned.
    pub(crate) refused: Vec<Status>,
}

/// What stands behind the opaque context of one call.
pub(crate) struct Live<'a> {
    given: &'a Given,
    /// Absent during `init`.
    item: Option<&'a Item>,
    conduct: &'a Conduct,
    thread: ThreadId,
    record: Mutex<Record>,
    /// Texts that were lent to the plugin; boxed, so that they stay where they are.
    lent: Mutex<Vec<Box<str>>>,
}

impl<'a> Live<'a> {
    pub(crate) fn new(given: &'a Given, item: Option<&'a Item>, conduct: &'a Conduct) -> Self {
        let (record, lent) = (Mutex::default(), Mutex::default());
        Self { given, item, conduct, thread: thread::current().id(), record, lent }
    }

    pub(crate) fn into_record(self) -> Record {
        self.record.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a text until the call returns, and says where it lies.
    fn lend(&self, text: String) -> Str {
        let text = text.into_boxed_str();
        let place = Str::new(&text);
        self.lent.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        place
    }

    /// Counts a call of a function; the failure that it shall return, if any.
    fn enter(&self, function: Function) -> Option<Status> {
        if thread::current().id() != self.thread {
            self.misused(format!("it called `{}` on another thread", function.name()));
        }
        let mut record = self.record();
        let count = &mut record.counts[function as usize];
        *count += 1;
        let fault = self.conduct.fault.filter(|fault| fault.function == function)?;
        // A failed write is sticky.
        let hit = *count == fault.nth || function == Function::Write && *count > fault.nth;
        if hit {
            record.refused.push(fault.status);
        }
        hit.then_some(fault.status)
    }

    fn misused(&self, what: String) -> Status {
        note(&mut self.record().misuse, what);
        self.refuse(Status::E_ARG)
    }

    fn undeclared(&self, key: String) -> Status {
        note(&mut self.record().undeclared, key);
        self.refuse(Status::E_UNDECLARED)
    }

    fn refuse(&self, status: Status) -> Status {
        let refused = &mut self.record().refused;
        if refused.len() < MAX_NOTES {
            refused.push(status);
        }
        status
    }
}

/// Keeps what is not kept yet.
fn note(notes: &mut Vec<String>, what: String) {
    if notes.len() < MAX_NOTES && !notes.contains(&what) {
        notes.push(what);
    }
}
