//! Runs a component on threads of its own, so that one that blocks is left behind.
//!
//! In: a component, its inputs. Out: its answer, or why there is none. Never: waits longer than the deadline; has more
//! than [`MAX_THREADS`] threads.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::reentry::inside_component;
use super::{Answer, Call, HostComponent, Runs};

/// The most threads of one component; each call that does not come back keeps one, and more calls at once wait.
const MAX_THREADS: usize = 64;
/// How often a host is asked whether its build goes on.
const TICK: Duration = Duration::from_millis(50);

/// A component and the threads that it runs on.
pub(super) struct Workers {
    component: Arc<dyn HostComponent>,
    deadline: Duration,
    shared: Arc<Shared>,
}

/// What a component and its threads know of each other.
struct Shared {
    crew: Mutex<Crew>,
    /// Told whenever a thread is free or has ended.
    returned: Condvar,
}

/// The threads of one process: a child that it forked has none of them.
struct Crew {
    process: u32,
    idle: Vec<Worker>,
    alive: usize,
}

/// A thread that waits for a call.
struct Worker {
    calls: Sender<Call>,
    answers: Receiver<Answer>,
}

impl Crew {
    fn new() -> Self {
        Self { process: process::id(), idle: Vec::new(), alive: 0 }
    }

    /// Whether neither an old nor a new thread can be had.
    fn is_busy(&self) -> bool {
        self.idle.is_empty() && self.alive >= MAX_THREADS
    }
}

impl Shared {
    fn crew(&self) -> MutexGuard<'_, Crew> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workers {
    pub(super) fn new(component: Arc<dyn HostComponent>, deadline: Duration) -> Self {
        let shared = Shared { crew: Mutex::new(Crew::new()), returned: Condvar::new() };
        Self { component, deadline, shared: Arc::new(shared) }
    }

    /// The text, nothing, or why there is none.
    pub(super) fn ask(&self, inputs: Json) -> Result<Option<String>, String> {
        let call = Call { inputs, deadline: self.deadline };
        let answer = match self.component.runs() {
            Runs::OnCaller => answer(&*self.component, call),
            Runs::OnWorker => self.send(call)?,
        };
        match answer {
            Answer::Text(text) => Ok(Some(text)),
            Answer::Nothing => Ok(None),
            Answer::Failed(why) => Err(why),
            Answer::WrongType => Err("it gave neither a text nor nothing".into()),
        }
    }

    fn send(&self, call: Call) -> Result<Answer, String> {
        let begun = Instant::now();
        let worker = self.worker()?;
        let ended = "its thread has ended";
        worker.calls.send(call).map_err(|_| ended)?;
        loop {
            let left = self.deadline.saturating_sub(begun.elapsed());
            match worker.answers.recv_timeout(left.min(TICK)) {
                Ok(answer) => {
                    self.shared.crew().idle.push(worker);
                    self.shared.returned.notify_one();
                    return Ok(answer);
                }
                Err(RecvTimeoutError::Timeout) if self.component.is_given_up() => {
                    return Err("its host gave the build up".into());
                }
                Err(RecvTimeoutError::Timeout) if left > TICK => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!(
                        "it did not answer within {} ms",
                        self.deadline.as_millis()
                    ));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ended.into()),
            }
        }
    }

    /// One that is idle, or a new one.
    fn worker(&self) -> Result<Worker, String> {
        let mut crew = self.shared.crew();
        if crew.process != process::id() {
            // The threads stayed with the parent: their ends of the channels must not be touched here.
            mem::forget(mem::replace(&mut *crew, Crew::new()));
        }
        // Half of the deadline: a component that builds on a thread of its own, and so calls itself again and again,
        // comes to an end here before the first of its calls is given up and leaves room for one more.
        let patience = self.deadline / 2;
        let waited = self.shared.returned.wait_timeout_while(crew, patience, |crew| crew.is_busy());
        let (mut crew, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = crew.idle.pop() {
            return Ok(worker);
        }
        if crew.is_busy() {
            return Err(format!("{MAX_THREADS} of its calls have not come back"));
        }
        let worker = spawn(Arc::clone(&self.component), Arc::downgrade(&self.shared));
        crew.alive += usize::from(worker.is_ok());
        worker.map_err(|error| format!("it gets no thread: {error}"))
    }
}

/// Starts a thread that lives as long as somebody waits for it.
fn spawn(component: Arc<dyn HostComponent>, shared: Weak<Shared>) -> std::io::Result<Worker> {
    let (calls, asked) = channel::<Call>();
    let (answered, answers) = channel();
    let run = move || {
        for call in asked {
            if answered.send(answer(&*component, call)).is_err() {
                break;
            }
        }
        if let Some(shared) = shared.upgrade() {
            shared.crew().alive -= 1;
            shared.returned.notify_one();
        }
    };
    let started = thread::Builder::new().name("promptweave-component".into()).spawn(run);
    started.map(|_| Worker { calls, answers })
}

/// Calls the component where it is.
fn answer(component: &dyn HostComponent, call: Call) -> Answer {
    let shielded = || {
        catch_unwind(AssertUnwindSafe(|| component.call(call))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Answer::Failed(format!("it panicked: {}", text.unwrap_or("no message")))
        })
    };
    let reentered = || Answer::Failed("it called the engine that waits for it".into());
    inside_component(shielded).unwrap_or_else(reentered)
}
