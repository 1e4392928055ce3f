//! Runs a plugin in child processes, and survives them.
//!
//! In: calls of items. Out: an answer or a [`Fault`] for each. Never: waits past an item's deadline, leaves a process
//! behind, or believes what a child sends.

mod child;
mod conduct;
mod fault;
mod link;
mod pool;
mod spawn;
mod stray;

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use child::Child;
pub(crate) use child::Order;
use conduct::Conduct;
pub(crate) use fault::Fault;
use link::Broken;
use pool::Pool;
pub use spawn::HostProgram;

use crate::answer::Answer;
use crate::frame::{self, Call, CallItem, Encoder};
use crate::limits::{Limits, Quarantine, Sandbox};
use crate::table::Table;

/// What an answer may have besides its text: messages, origins.
const ANSWER_BYTES: usize = 1 << 20;

/// A plugin in processes of its own.
pub(crate) struct Process {
    pool: Pool,
    conduct: Mutex<Conduct>,
    limits: Limits,
}

/// A call without its items, as bytes.
pub(crate) struct Prepared(Encoder);

/// A call that was sent to a child.
pub(crate) struct Sent {
    prepared: Prepared,
    items: Vec<(u32, String)>,
    /// The answers that are known, in the order of the items.
    answers: Vec<Option<Result<Answer, Fault>>>,
    running: Option<Running>,
    /// Whether a child has ended over this call.
    retried: bool,
}

/// A child that works on a call.
struct Running {
    child: Child,
    call: u32,
    since: Instant,
}

impl Prepared {
    /// Everything of a call but its items.
    pub(crate) fn new(call: &Call<'_>) -> Self {
        let mut head = Encoder::default();
        call.put_head(&mut head);
        Self(head)
    }

    /// What was prepared, for comparison.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0.0
    }

    /// The whole call, as it is sent.
    pub(crate) fn with(&self, items: &[CallItem<'_>]) -> Vec<u8> {
        let mut whole = Encoder(self.0.0.clone());
        Call::put_items(items, &mut whole);
        whole.0
    }
}

impl Process {
    /// Starts the first child and reads the plugin's table.
    pub(crate) fn start(
        order: Order,
        limits: Limits,
        quarantine: Quarantine,
    ) -> Result<Self, Fault> {
        let pool = Pool::new(order)?;
        Ok(Self { pool, conduct: Mutex::new(Conduct::new(quarantine)), limits })
    }

    pub(crate) fn table(&self) -> &Table {
        self.pool.table()
    }

    /// How far the last child that was started is confined.
    pub(crate) fn sandbox(&self) -> Sandbox {
        self.pool.sandbox()
    }

    /// Whether another child can be started; it is ended at once.
    pub(crate) fn starts(&self) -> bool {
        self.pool.starts()
    }

    /// Calls one item and waits for its answer.
    pub(crate) fn call(
        &self,
        prepared: Prepared,
        item: u32,
        args: String,
    ) -> Result<Answer, Fault> {
        let sent = self.send(prepared, vec![(item, args)]);
        self.collect(sent).pop().unwrap_or(Err(Fault::Skipped))
    }

    /// Sends a call to a child, which works on its items in their order; does not wait.
    pub(crate) fn send(&self, prepared: Prepared, items: Vec<(u32, String)>) -> Sent {
        let now = Instant::now();
        let conduct = self.conduct.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = items.iter().map(|(item, _)| conduct.refusal(*item, now).map(Err)).collect();
        drop(conduct);
        let mut sent = Sent { prepared, items, answers, running: None, retried: false };
        self.run(&mut sent);
        sent
    }

    /// Waits for all answers; one for each item, in their order.
    pub(crate) fn collect(&self, mut sent: Sent) -> Vec<Result<Answer, Fault>> {
        while let Some(running) = sent.running.take() {
            self.receive(&mut sent, running);
        }
        sent.answers.into_iter().map(|answer| answer.unwrap_or(Err(Fault::Skipped))).collect()
    }

    /// Gives the items without an answer to a child.
    fn run(&self, sent: &mut Sent) {
        let budget_us = self.limits.call.as_micros() as u64;
        let open = sent.open();
        if open.is_empty() {
            return;
        }
        let items: Vec<CallItem<'_>> = open
            .iter()
            .map(|&at| CallItem { at: sent.items[at].0, args: &sent.items[at].1, budget_us })
            .collect();
        let bytes = sent.prepared.with(&items);
        let asked = self.pool.lend().and_then(|mut child| {
            match child.ask(&bytes, Instant::now() + self.limits.call) {
                Ok(call) => Ok(Running { child, call, since: Instant::now() }),
                Err(broken) => {
                    self.pool.lost();
                    Err(child.end(&broken, self.limits.call))
                }
            }
        });
        match asked {
            Ok(running) => sent.running = Some(running),
            Err(fault) => open.iter().for_each(|&at| sent.answers[at] = Some(Err(fault.clone()))),
        }
    }

    /// Takes the answers of a child, until it has given all or can give no more.
    fn receive(&self, sent: &mut Sent, running: Running) {
        let Running { mut child, call, mut since } = running;
        for at in sent.open() {
            let limit = self.limits.output + ANSWER_BYTES;
            let got = child.answer(call, limit, since + self.limits.call).and_then(|payload| {
                frame::answer(&payload).map_err(|why| Broken::Malformed(why.0))
            });
            match got {
                Ok(answer) => sent.answers[at] = Some(Ok(answer)),
                Err(Broken::Left) => {
                    self.pool.lost();
                    return self.again(sent);
                }
                Err(broken) => {
                    self.pool.lost();
                    let fault = child.end(&broken, self.limits.call);
                    return self.go_on(sent, at, fault);
                }
            }
            since = Instant::now();
        }
        self.pool.take_back(child);
    }

    /// The child has ended over an item: that one has failed, the others go to a fresh child, once.
    fn go_on(&self, sent: &mut Sent, at: usize, fault: Fault) {
        sent.answers[at] = Some(Err(fault));
        let mut conduct = self.conduct.lock().unwrap_or_else(PoisonError::into_inner);
        conduct.died(sent.items[at].0, Instant::now());
        drop(conduct);
        self.again(sent);
    }

    /// Gives what is open to a fresh child, once.
    fn again(&self, sent: &mut Sent) {
        if !std::mem::replace(&mut sent.retried, true) {
            self.run(sent);
        }
    }
}

impl Sent {
    /// The items that have no answer yet.
    fn open(&self) -> Vec<usize> {
        (0..self.items.len()).filter(|&at| self.answers[at].is_none()).collect()
    }
}
