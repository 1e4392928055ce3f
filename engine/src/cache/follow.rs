//! Measures many requests on several threads, and hands them out in their order.
//!
//! In: what contexts are made of, in order. Out: a [`CacheStep`] for each, in the same order, whatever the number of
//! threads. Never: holds more than a few runs of requests at a time.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::CacheMeter;
use super::step::{self, CacheStep};
use super::turn::Turn;
use crate::error::Error;
use crate::model::Context;

/// How many requests a thread takes at once.
const RUN: usize = 16;
/// How many runs may be done before one that is not.
const AHEAD: usize = 16;

impl CacheMeter {
    /// Measures a request for each item, and hands out the steps in order; `read` makes a context of an item.
    ///
    /// Items are taken as they are needed, `read` runs on any of the threads, `each` on one at a time. Memory does not grow
    /// with the number of items. The steps are the same whatever the number of threads.
    ///
    /// # Errors
    /// The first in the order of the items, be it of an item, of `read`, of a build or of `each`; what comes before it was
    /// handed out.
    pub fn follow<T, E: From<Error> + Send>(
        &self,
        threads: NonZeroUsize,
        items: impl Iterator<Item = Result<T, E>> + Send,
        read: impl Fn(T) -> Result<Context, E> + Sync,
        each: impl FnMut(CacheStep) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let feed = Mutex::new(Feed { items: items.fuse(), next: 0 });
        let flow = Flow { state: Mutex::new(State::new(each)), moved: Condvar::new() };
        thread::scope(|scope| {
            for _ in 0..threads.get() {
                scope.spawn(|| self.work(&feed, &flow, &read));
            }
        });
        let state = flow.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.failed.map_or(Ok(()), Err)
    }

    fn work<T, E: From<Error>>(
        &self,
        feed: &Mutex<Feed<impl Iterator<Item = Result<T, E>>>>,
        flow: &Flow<E, impl FnMut(CacheStep) -> Result<(), E>>,
        read: impl Fn(T) -> Result<Context, E>,
    ) {
        let _ends = Ends(flow);
        loop {
            // The lock is held for this line alone.
            let taken = lock(feed).take();
            let Some((number, items)) = taken else { return };
            let run = self.run(items, &read);
            if !flow.hand_in((number, run), |before, now| self.behind(before, now)) {
                return;
            }
        }
    }

    /// Measures requests in a row.
    fn run<T, E: From<Error>>(
        &self,
        items: Vec<Result<T, E>>,
        read: impl Fn(T) -> Result<Context, E>,
    ) -> Run<E> {
        let mut run = Run { first: None, steps: Vec::new(), last: None, failed: None };
        for item in items {
            let tools = run.latest().map(|turn| &turn.tools);
            match item.and_then(&read).and_then(|context| Ok(self.turn(context, tools)?)) {
                Ok(turn) => run.add(turn, |before, now| self.behind(before, now)),
                Err(error) => {
                    run.failed = Some(error);
                    break;
                }
            }
        }
        run
    }

    fn behind(&self, before: Option<&Turn>, now: &Turn) -> CacheStep {
        match before {
            Some(before) => step::behind(before, now, (&self.engine, &self.ask)),
            None => step::first(now),
        }
    }
}

/// Where items come from.
struct Feed<I> {
    items: I,
    next: usize,
}

impl<T, E, I: Iterator<Item = Result<T, E>>> Feed<I> {
    /// The next items and the number of their run; none behind the last.
    fn take(&mut self) -> Option<(usize, Vec<Result<T, E>>)> {
        let items: Vec<_> = self.items.by_ref().take(RUN).collect();
        let number = self.next;
        self.next += 1;
        (!items.is_empty()).then_some((number, items))
    }
}

/// Requests in a row; the step to the first needs the last of the run before.
struct Run<E> {
    first: Option<Turn>,
    /// Of those behind the first.
    steps: Vec<CacheStep>,
    /// None where the first is the last.
    last: Option<Turn>,
    failed: Option<E>,
}

impl<E> Run<E> {
    fn latest(&self) -> Option<&Turn> {
        self.last.as_ref().or(self.first.as_ref())
    }

    fn add(&mut self, turn: Turn, step: impl Fn(Option<&Turn>, &Turn) -> CacheStep) {
        let Some(before) = self.latest() else {
            self.first = Some(turn);
            return;
        };
        self.steps.push(step(Some(before), &turn));
        self.last = Some(turn);
    }
}

/// Where runs come together in order.
struct Flow<E, F> {
    state: Mutex<State<E, F>>,
    moved: Condvar,
}

struct State<E, F> {
    /// Runs that are done before one that is not, by number.
    waiting: BTreeMap<usize, Run<E>>,
    /// The number of the run that is handed out next.
    next: usize,
    /// The last request that was handed out.
    last: Option<Turn>,
    requests: usize,
    each: F,
    failed: Option<E>,
    is_over: bool,
}

impl<E, F: FnMut(CacheStep) -> Result<(), E>> State<E, F> {
    fn new(each: F) -> Self {
        let (waiting, next, last) = (BTreeMap::new(), 0, None);
        Self { waiting, next, last, requests: 0, each, failed: None, is_over: false }
    }

    /// Hands out a run.
    fn hand_out(&mut self, run: Run<E>, step: &impl Fn(Option<&Turn>, &Turn) -> CacheStep) {
        let first = run.first.as_ref().map(|first| step(self.last.as_ref(), first));
        for step in first.into_iter().chain(run.steps) {
            let step = CacheStep { request: self.requests, ..step };
            self.requests += 1;
            if let Err(error) = (self.each)(step) {
                return self.fail(error);
            }
        }
        self.last = run.last.or(run.first).or(self.last.take());
        if let Some(error) = run.failed {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: E) {
        (self.failed, self.is_over) = (Some(error), true);
    }
}

impl<E, F: FnMut(CacheStep) -> Result<(), E>> Flow<E, F> {
    /// Takes a run, and hands out all whose turn it is; false when no more are wanted.
    fn hand_in(
        &self,
        (number, run): (usize, Run<E>),
        step: impl Fn(Option<&Turn>, &Turn) -> CacheStep,
    ) -> bool {
        let mut state = lock(&self.state);
        while number >= state.next + AHEAD && !state.is_over {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.insert(number, run);
        while !state.is_over {
            let next = state.next;
            let Some(run) = state.waiting.remove(&next) else { break };
            state.hand_out(run, &step);
            state.next += 1;
        }
        self.moved.notify_all();
        !state.is_over
    }
}

/// A thread that panics lets the others end instead of waiting for its run.
struct Ends<'f, E, F>(&'f Flow<E, F>);

impl<E, F> Drop for Ends<'_, E, F> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.state).is_over = true;
            self.0.moved.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
