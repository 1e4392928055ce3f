//! A plugin whose code runs in this process under the watching host.
//!
//! In: an entry. Out: states, and what each call came to. Never: more than one call at once on a state,
//! unless a check means it.

use std::ffi::c_void;
use std::ptr;

use promptweave_abi::{Call, Ctx, EntryFn, HostApi, Plugin, Status, Str};
use promptweave_loader::harness::{self, Given};
use promptweave_loader::{Item, Table};

use crate::host::{Conduct, HOST, Live, Named, Record, Time};

/// What a call is told that it has, in microseconds.
const BUDGET_US: u64 = 200_000;
/// An id that no plugin has.
const NO_ITEM: &str = "no_such_item";

/// Asks an entry for its table.
pub(crate) fn ask(entry: EntryFn, host: *const HostApi) -> (Status, *const Plugin) {
    let mut raw = ptr::null();
    // SAFETY: the entry belongs to a library that stays loaded, and these processes exist to run it; the
    // host's table lives until the process ends.
    let status = unsafe { entry(host, &raw mut raw) };
    (status, raw)
}

/// A plugin with its table, as the loader reads it.
pub(crate) struct Loaded {
    raw: *const Plugin,
    pub(crate) table: Table,
}

impl Loaded {
    /// The reason is the loader's.
    pub(crate) fn new(entry: EntryFn) -> Result<Self, String> {
        let (status, raw) = ask(entry, &raw const HOST);
        if status.is_failure() {
            return Err(format!("its entry refuses this host ({})", name(status)));
        }
        // SAFETY: the contract says that the table can be read and never changes.
        let table = unsafe { harness::table(raw) }?;
        Ok(Self { raw, table })
    }

    /// The items that have code.
    pub(crate) fn callable(&self) -> impl Iterator<Item = &Item> {
        self.table.items.iter().filter(|item| item.runs)
    }

    pub(crate) fn has_init(&self) -> bool {
        // SAFETY: the loader has checked the table.
        unsafe { (*self.raw).init }.is_some()
    }

    /// Makes a state; what the plugin said where it fails.
    pub(crate) fn init(&self, config: &str) -> Result<State<'_>, (Status, Option<String>)> {
        // SAFETY: as above.
        let Some(init) = (unsafe { (*self.raw).init }) else {
            return Ok(State { of: self, made: ptr::null_mut() });
        };
        let (given, conduct) = (Given::default(), Conduct::default());
        let live = Live::new(&given, None, &conduct);
        let call = Call { args: Str::new(config), ..blank(&live) };
        let mut made = ptr::null_mut();
        // SAFETY: the arguments are what the contract asks for.
        let status = unsafe { init(&raw const call, &raw mut made) };
        if status.is_failure() {
            return Err((status, live.into_record().error));
        }
        Ok(State { of: self, made })
    }
}

/// What `init` made; it ends when it is dropped.
pub(crate) struct State<'l> {
    of: &'l Loaded,
    made: *mut c_void,
}

// SAFETY: a state is two pointers that only the plugin reads; the contract lets calls come from any thread, and
// checks let them overlap only where the table allows it.
unsafe impl Send for State<'_> {}
// SAFETY: as above.
unsafe impl Sync for State<'_> {}

impl State<'_> {
    /// Calls an item.
    pub(crate) fn call(&self, item: &Item, given: &Given, conduct: &Conduct) -> Ended {
        let live = Live::new(given, Some(item), conduct);
        let context = if item.wants_context { given.context.to_string() } else { String::new() };
        let id = match conduct.named {
            Named::Right => Str::new(&item.id),
            Named::Wrong => Str::new(NO_ITEM),
            Named::Absent => Str::ABSENT,
        };
        let variant = given.variant.get("id").and_then(serde_json::Value::as_str);
        let call = Call {
            item_id: id,
            variant_id: variant.map_or(Str::ABSENT, Str::new),
            args: present(&given.args),
            context: present(&context),
            budget_us: if conduct.time == Time::Over { 1 } else { BUDGET_US },
            ..blank(&live)
        };
        // SAFETY: the loader has checked the table, and `at` is one of its items.
        let code = unsafe {
            let stride = (*self.of.raw).items_stride as usize;
            (*(*self.of.raw).items.byte_add(item.at as usize * stride)).call
        };
        // SAFETY: the call lives until this returns, and the state is the plugin's own.
        let status =
            code.map_or(Status::NOTHING, |code| unsafe { code(self.made, &raw const call) });
        Ended { status, record: live.into_record() }
    }
}

impl Drop for State<'_> {
    fn drop(&mut self) {
        // SAFETY: the loader has checked the table.
        if let Some(deinit) = unsafe { (*self.of.raw).deinit } {
            // SAFETY: made by `init`; no call is running, none follows.
            unsafe { deinit(self.made) };
        }
    }
}

/// A call that has returned.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) record: Record,
}

/// What the host makes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gist {
    Nothing,
    Text(Vec<u8>),
    Failed(Status),
}

impl Ended {
    pub(crate) fn gist(&self) -> Gist {
        match self.status {
            status if status.is_failure() => Gist::Failed(status),
            Status::NOTHING => Gist::Nothing,
            _ if self.record.after_limit > 0 => Gist::Failed(Status::E_LIMIT),
            _ => Gist::Text(self.record.out.clone()),
        }
    }

    /// What no plugin may do, whatever it is given.
    pub(crate) fn offence(&self) -> Option<String> {
        if let Some(misuse) = self.record.misuse.first() {
            return Some(misuse.clone());
        }
        (self.status.0 > Status::NOTHING.0)
            .then(|| format!("it returned {}, which means nothing", self.status.0))
    }
}

/// The name of a status, or its number.
pub(crate) fn name(status: Status) -> String {
    status.name().map_or_else(|| status.0.to_string(), Into::into)
}

/// A text that is absent when it is empty.
fn present(text: &str) -> Str {
    if text.is_empty() { Str::ABSENT } else { Str::new(text) }
}

fn blank(live: &Live<'_>) -> Call {
    Call {
        struct_size: size_of::<Call>() as u32,
        flags: 0,
        host: &raw const HOST,
        ctx: ptr::from_ref(live).cast::<Ctx>().cast_mut(),
        item_id: Str::ABSENT,
        variant_id: Str::ABSENT,
        args: Str::ABSENT,
        context: Str::ABSENT,
        budget_us: 0,
        reserved: [0; 4],
    }
}
