//! A plugin that runs in this process.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use promptweave_abi::{Call, Ctx, EntryFn, Status, Str};

use super::api::HOST;
use super::call::{Facts, Found, State};
use super::read::{self, Refusal};
use crate::answer::{Answer, Outcome};
use crate::table::{Item, Table};

/// The most bytes that `init` may write; nobody reads them.
const INIT_OUTPUT: usize = 0;

/// A plugin with a state of its own.
pub(crate) struct Instance {
    raw: *const promptweave_abi::Plugin,
    table: Table,
    config: String,
    /// Written while a state is made or ended, read while calls run.
    state: RwLock<Option<Made>>,
    /// Held during a call of a plugin whose calls must not overlap.
    turn: Mutex<()>,
}

/// What `init` made; null where there is none.
#[derive(Clone, Copy)]
struct Made(*mut c_void);

// SAFETY: the table never changes; the state is handed to the plugin alone, whose calls overlap only
// where its table says that they may.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

/// One call of an item.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) item: &'a Item,
    pub(crate) variant: &'a str,
    /// Of a helper: a JSON array.
    pub(crate) args: &'a str,
    /// The whole context as JSON, for items that want it.
    pub(crate) context: &'a str,
    pub(crate) budget: Option<Duration>,
    /// The most bytes of output.
    pub(crate) limit: usize,
}

impl Instance {
    /// Asks the entry for the table and checks it; `init` runs before the first call.
    ///
    /// # Safety
    /// The entry belongs to a library that stays loaded, and its code may run in this process.
    pub(crate) unsafe fn new(entry: EntryFn, config: &str) -> Result<Self, Refusal> {
        let mut raw = ptr::null();
        // SAFETY: the arguments are what the contract asks for; the rest is the caller's promise.
        let status = unsafe { entry(&raw const HOST, &raw mut raw) };
        if status.is_failure() {
            let why = status.name().unwrap_or("a failure");
            return Err(format!("its entry refuses this host ({why})").into());
        }
        // SAFETY: the contract says that the table can be read and never changes.
        let table = unsafe { read::table(raw) }?;
        let state = RwLock::new(None);
        Ok(Self { raw, table, config: config.into(), state, turn: Mutex::default() })
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Makes the state, where there is none; the reason why it cannot be had.
    pub(crate) fn ready(&self) -> Result<(), String> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.is_none() {
            *state = Some(self.init()?);
        }
        Ok(())
    }

    /// Calls an item. After a panic the state is given up, and the next call makes a new one.
    pub(crate) fn call(&self, asked: &Asked<'_>, facts: &dyn Facts) -> Answer {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let Some(made) = *state else {
            drop(state);
            return match self.ready() {
                Ok(()) => self.call(asked, facts),
                Err(why) => Answer { outcome: Outcome::Failed(why), ..Answer::default() },
            };
        };
        let turn = (!self.table.thread_safe).then(|| self.turn.lock());
        let (status, answer) = self.run(asked, facts, made);
        drop(turn);
        drop(state);
        if status == Status::E_PANIC {
            self.retire();
        }
        answer
    }

    fn run(&self, asked: &Asked<'_>, facts: &dyn Facts, made: Made) -> (Status, Answer) {
        let mut state = State::new(facts, Some(asked.item), asked.limit);
        state.deadline = asked.budget.map(|budget| Instant::now() + budget);
        let call = Call {
            item_id: Str::new(&asked.item.id),
            variant_id: given(asked.variant),
            args: given(asked.args),
            context: given(asked.context),
            budget_us: asked.budget.map_or(0, |budget| budget.as_micros() as u64),
            ..blank(&state)
        };
        // SAFETY: the table was checked, and `at` is one of its items.
        let code = unsafe {
            let stride = (*self.raw).items_stride as usize;
            (*(*self.raw).items.byte_add(asked.item.at as usize * stride)).call
        };
        let Some(code) = code else { return (Status::NOTHING, state.answer(Status::NOTHING)) };
        // SAFETY: the call lives until this returns, the state is the plugin's own, and calls overlap only
        // where the table allows it.
        let status = unsafe { code(made.0, &raw const call) };
        (status, state.answer(status))
    }

    fn init(&self) -> Result<Made, String> {
        // SAFETY: the table was checked and never changes.
        let Some(init) = (unsafe { (*self.raw).init }) else { return Ok(Made(ptr::null_mut())) };
        let state = State::new(&Nothing, None, INIT_OUTPUT);
        let call = Call { args: Str::new(&self.config), ..blank(&state) };
        let mut made = ptr::null_mut();
        // SAFETY: the arguments are what the contract asks for; no call of this state is running.
        let status = unsafe { init(&raw const call, &raw mut made) };
        if status.is_failure() {
            return Err(format!("its `init` failed: {}", state.failure(status)));
        }
        Ok(Made(made))
    }

    /// Ends the state; no call is running on it.
    fn retire(&self) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the table was checked and never changes.
        if let (Some(made), Some(deinit)) = (state.take(), unsafe { (*self.raw).deinit }) {
            // SAFETY: the lock is held for writing: no call runs, and none follows on this state.
            unsafe { deinit(made.0) };
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.retire();
    }
}

/// A text that is absent when it is empty.
fn given(text: &str) -> Str {
    if text.is_empty() { Str::ABSENT } else { Str::new(text) }
}

fn blank(state: &State<'_>) -> Call {
    Call {
        struct_size: size_of::<Call>() as u32,
        flags: 0,
        host: &raw const HOST,
        ctx: ptr::from_ref(state).cast::<Ctx>().cast_mut(),
        item_id: Str::ABSENT,
        variant_id: Str::ABSENT,
        args: Str::ABSENT,
        context: Str::ABSENT,
        budget_us: 0,
        reserved: [0; 4],
    }
}

/// What `init` may read.
struct Nothing;

impl Facts for Nothing {
    fn get(&self, _: &str) -> Found<'_> {
        Found::Undeclared
    }

    fn variant(&self, _: &str) -> Found<'_> {
        Found::Absent
    }

    fn section(&self, _: &str) -> Option<&str> {
        None
    }

    fn log(&self, level: u32, message: &str) {
        crate::log::outside(level, message);
    }
}
