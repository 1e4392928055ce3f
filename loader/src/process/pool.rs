//! The children of one plugin: at most two, started when they are needed.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::child::{Child, Order};
use super::fault::Fault;
use crate::limits::Sandbox;
use crate::table::Table;

/// A call that finds both children busy waits so long; that is not part of its own time.
const QUEUE: Duration = Duration::from_secs(2);
/// So often one that waits looks whether a child can be had in another way.
const GLANCE: Duration = Duration::from_millis(2);
/// The most children of one plugin.
const MOST: usize = 2;
/// After a child that would not start, the next try waits so long; twice as long each time.
const BACK_OFF: Duration = Duration::from_millis(250);
const MOST_BACK_OFF: Duration = Duration::from_secs(60);

pub(super) struct Pool {
    order: Order,
    table: Table,
    inner: Mutex<Inner>,
    returned: Condvar,
}

#[derive(Default)]
struct Inner {
    idle: Vec<Child>,
    /// Those that are idle or lent out.
    alive: usize,
    sandbox: Sandbox,
    /// How often in a row a child did not start, and before when none is tried.
    failures: u32,
    not_before: Option<Instant>,
}

impl Pool {
    /// Starts the first child.
    pub(super) fn new(order: Order) -> Result<Self, Fault> {
        let (child, table) = Child::start(&order)?;
        let inner =
            Inner { sandbox: child.sandbox, alive: 1, idle: vec![child], ..Inner::default() };
        Ok(Self { order, table, inner: Mutex::new(inner), returned: Condvar::new() })
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn sandbox(&self) -> Sandbox {
        self.lock().sandbox
    }

    /// Whether a child can be started, beside those of the pool.
    pub(super) fn starts(&self) -> bool {
        Child::start(&self.order).is_ok()
    }

    /// Lends out a child: an idle one, a new one, or the first that comes back. `relieve` may bring one back, and
    /// says whether it did.
    pub(super) fn lend(&self, relieve: impl Fn() -> bool) -> Result<Child, Fault> {
        let until = Instant::now() + QUEUE;
        let mut inner = self.lock();
        loop {
            while let Some(mut child) = inner.idle.pop() {
                if child.is_idle() {
                    return Ok(child);
                }
                inner.alive -= 1;
            }
            if inner.alive < MOST {
                inner.alive += 1;
                drop(inner);
                return self.start();
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::Busy(QUEUE));
            }
            drop(inner);
            let relieved = relieve();
            inner = self.lock();
            if !relieved && inner.idle.is_empty() {
                let wait = left.min(GLANCE);
                (inner, _) =
                    self.returned.wait_timeout(inner, wait).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Takes a child back.
    pub(super) fn take_back(&self, child: Child) {
        self.lock().idle.push(child);
        self.returned.notify_one();
    }

    /// A child that was lent out has ended.
    pub(super) fn lost(&self) {
        self.lock().alive -= 1;
        self.returned.notify_one();
    }

    /// Starts a child, which is counted already.
    fn start(&self) -> Result<Child, Fault> {
        let started = self.may_start().and_then(|()| Child::start(&self.order));
        let started = started.and_then(|(child, table)| {
            if table == self.table {
                return Ok(child);
            }
            Err(Fault::Unstarted("its table is another one each time it is loaded".into()))
        });
        let mut inner = self.lock();
        match &started {
            Ok(child) => {
                (inner.failures, inner.not_before, inner.sandbox) = (0, None, child.sandbox)
            }
            Err(_) => {
                inner.alive -= 1;
                let wait = BACK_OFF.saturating_mul(1 << inner.failures.min(16)).min(MOST_BACK_OFF);
                if inner.not_before.is_none_or(|until| until <= Instant::now()) {
                    inner.not_before = Some(Instant::now() + wait);
                    inner.failures += 1;
                }
            }
        }
        drop(inner);
        self.returned.notify_one();
        started
    }

    fn may_start(&self) -> Result<(), Fault> {
        let not_before = self.lock().not_before;
        let left = not_before.map(|until| until.saturating_duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            Some(left) => Err(Fault::Unstarted(format!(
                "it did not load the last time, and is tried again in {} ms",
                left.as_millis().max(1)
            ))),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
