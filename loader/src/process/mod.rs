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

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

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
const TOO_MUCH: Broken = Broken::Malformed("more than its limit");

/// So many children in a row may leave just when they are asked, before the call is given up.
const MOST_MISSED: usize = 8;

/// A plugin in processes of its own.
pub(crate) struct Process {
    pool: Pool,
    conduct: Mutex<Conduct>,
    limits: Limits,
    /// The calls that nobody waits for yet.
    flying: Mutex<Vec<Weak<Mutex<Flight>>>>,
}

/// A call without its items, as bytes.
pub(crate) struct Prepared(Encoder);

/// A call that was sent to a child. Whoever needs the child takes the answers in for the one who sent it.
pub(crate) struct Sent(Arc<Mutex<Flight>>);

struct Flight {
    prepared: Prepared,
    items: Vec<(u32, String)>,
    /// The answers that are known, in the order of the items.
    answers: Vec<Option<Result<Answer, Fault>>>,
    running: Option<Running>,
    /// Whether a child has ended over this call.
    retried: bool,
    /// How many children left before they heard this call.
    missed: usize,
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
    /// Starts the first child and reads the plugin's table; why there is none otherwise.
    pub(crate) fn start(
        order: Order,
        limits: Limits,
        quarantine: Quarantine,
    ) -> Result<Self, String> {
        let pool = Pool::new(order).map_err(|fault| match fault {
            Fault::Unstarted(why) => why,
            other => other.to_string(),
        })?;
        let conduct = Mutex::new(Conduct::new(quarantine));
        Ok(Self { pool, conduct, limits, flying: Mutex::default() })
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

    /// How long one item may take.
    pub(crate) fn budget(&self) -> Duration {
        self.limits.call
    }

    /// Calls one item and waits for its answer.
    pub(crate) fn call(
        &self,
        prepared: Prepared,
        item: u32,
        args: String,
    ) -> Result<Answer, Fault> {
        let flight = self.fly(prepared, vec![(item, args)]);
        self.land(&mut { flight }).pop().unwrap_or(Err(Fault::Skipped))
    }

    /// Sends a call to a child, which works on its items in their order; does not wait.
    pub(crate) fn send(&self, prepared: Prepared, items: Vec<(u32, String)>) -> Sent {
        let flight = Arc::new(Mutex::new(self.fly(prepared, items)));
        let mut flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner);
        flying.retain(|flight| flight.strong_count() > 0);
        flying.push(Arc::downgrade(&flight));
        Sent(flight)
    }

    /// Waits for all answers; one for each item, in their order.
    pub(crate) fn collect(&self, Sent(flight): Sent) -> Vec<Result<Answer, Fault>> {
        self.land(&mut flight.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes in the answers of a call that nobody waits for, so that its child is free; whether there was one.
    fn relieve(&self) -> bool {
        let flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let flights: Vec<_> = flying.iter().filter_map(Weak::upgrade).collect();
        // One that is locked is waited for already.
        let mut free = flights.iter().filter_map(|flight| flight.try_lock().ok());
        let Some(mut flight) = free.find(|flight| flight.running.is_some()) else { return false };
        self.hear(&mut flight);
        true
    }

    fn fly(&self, prepared: Prepared, items: Vec<(u32, String)>) -> Flight {
        let now = Instant::now();
        let conduct = self.conduct.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = items.iter().map(|(item, _)| conduct.refusal(*item, now).map(Err)).collect();
        drop(conduct);
        let mut flight =
            Flight { prepared, items, answers, running: None, retried: false, missed: 0 };
        self.run(&mut flight);
        flight
    }

    fn land(&self, flight: &mut Flight) -> Vec<Result<Answer, Fault>> {
        self.hear(flight);
        let answers = std::mem::take(&mut flight.answers);
        answers.into_iter().map(|answer| answer.unwrap_or(Err(Fault::Skipped))).collect()
    }

    /// Takes in the answers that are open.
    fn hear(&self, flight: &mut Flight) {
        while let Some(running) = flight.running.take() {
            self.receive(flight, running);
        }
    }

    /// Gives the items without an answer to a child.
    fn run(&self, sent: &mut Flight) {
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
        let fault = match self.pool.lend(|| self.relieve()) {
            Ok(mut child) => match child.ask(&bytes, Instant::now() + self.limits.call) {
                Ok(call) => {
                    sent.running = Some(Running { child, call, since: Instant::now() });
                    return;
                }
                Err(broken) => {
                    self.pool.lost();
                    let fault = child.end(&broken, self.limits.call);
                    // No item had its turn: the child may have left just when it was asked.
                    if sent.missed < MOST_MISSED {
                        return self.unheard(sent);
                    }
                    fault
                }
            },
            Err(fault) => fault,
        };
        open.iter().for_each(|&at| sent.answers[at] = Some(Err(fault.clone())));
    }

    /// Takes the answers of a child, until it has given all or can give no more.
    fn receive(&self, sent: &mut Flight, running: Running) {
        let Running { mut child, call, mut since } = running;
        for at in sent.open() {
            let limit = self.limits.output + ANSWER_BYTES;
            let got = child.answer(call, limit, since + self.limits.call).and_then(|payload| {
                frame::answer(sent.items[at].0, &payload).map_err(|why| Broken::Malformed(why.0))
            });
            let output = self.limits.output;
            let fits = |answer: &Answer| answer.fits(output);
            match got.and_then(|answer| fits(&answer).then_some(answer).ok_or(TOO_MUCH)) {
                Ok(answer) => sent.answers[at] = Some(Ok(answer)),
                // No item of this call had its turn.
                Err(Broken::Left | Broken::Unheard) => {
                    self.pool.lost();
                    return self.unheard(sent);
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

    /// The child left before it heard the call, which is nobody's fault: another one gets it.
    fn unheard(&self, sent: &mut Flight) {
        sent.missed += 1;
        if sent.missed <= MOST_MISSED {
            self.run(sent);
        }
    }

    /// The child has ended over an item: that one has failed, the others go to a fresh child, once.
    fn go_on(&self, sent: &mut Flight, at: usize, fault: Fault) {
        sent.answers[at] = Some(Err(fault));
        let mut conduct = self.conduct.lock().unwrap_or_else(PoisonError::into_inner);
        conduct.died(sent.items[at].0, Instant::now());
        drop(conduct);
        self.again(sent);
    }

    /// Gives what is open to a fresh child, once.
    fn again(&self, sent: &mut Flight) {
        if !std::mem::replace(&mut sent.retried, true) {
            self.run(sent);
        }
    }
}

impl Flight {
    /// The items that have no answer yet.
    fn open(&self) -> Vec<usize> {
        (0..self.items.len()).filter(|&at| self.answers[at].is_none()).collect()
    }
}
