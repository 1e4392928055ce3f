//! Runs a component on threads of its own, so that one that blocks is left behind.
//!
//! In: a component, its inputs. Out: its answer, or why there is none. Never: waits longer than the deadline; has more
//! than [`MAX_CALLS`] calls that have not come back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;

use super::reentry::inside_component;
use super::{Answer, Call, HostComponent, Runs};

/// The most calls of one component at once; each that does not come back keeps one.
const MAX_CALLS: usize = 64;

/// A component and the threads that it runs on.
pub(super) struct Workers {
    component: Arc<dyn HostComponent>,
    deadline: Duration,
    crew: Mutex<Crew>,
}

/// The threads of one process: a child that it forked has none of them.
struct Crew {
    process: u32,
    idle: Vec<Worker>,
    calls: Arc<AtomicUsize>,
}

/// A thread that waits for a call.
struct Worker {
    calls: Sender<Call>,
    answers: Receiver<Answer>,
}

impl Crew {
    fn new() -> Self {
        Self { process: process::id(), idle: Vec::new(), calls: Arc::default() }
    }
}

impl Workers {
    pub(super) fn new(component: Arc<dyn HostComponent>, deadline: Duration) -> Self {
        Self { component, deadline, crew: Mutex::new(Crew::new()) }
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
        let worker = self.worker()?;
        let ended = "its thread has ended";
        worker.calls.send(call).map_err(|_| ended)?;
        match worker.answers.recv_timeout(self.deadline) {
            Ok(answer) => {
                self.crew().idle.push(worker);
                Ok(answer)
            }
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("it did not answer within {} ms", self.deadline.as_millis()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(ended.into()),
        }
    }

    /// One that is idle, or a new one.
    fn worker(&self) -> Result<Worker, String> {
        let mut crew = self.crew();
        if crew.process != process::id() {
            // The threads stayed with the parent: their ends of the channels must not be touched here.
            std::mem::forget(std::mem::replace(&mut *crew, Crew::new()));
        }
        if let Some(worker) = crew.idle.pop() {
            return Ok(worker);
        }
        if crew.calls.load(Ordering::Relaxed) >= MAX_CALLS {
            return Err(format!("{MAX_CALLS} of its calls have not come back"));
        }
        spawn(Arc::clone(&self.component), Arc::clone(&crew.calls))
            .map_err(|error| format!("it gets no thread: {error}"))
    }

    fn crew(&self) -> std::sync::MutexGuard<'_, Crew> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts a thread that lives as long as somebody waits for it.
fn spawn(component: Arc<dyn HostComponent>, alive: Arc<AtomicUsize>) -> std::io::Result<Worker> {
    let (calls, asked) = channel::<Call>();
    let (answered, answers) = channel();
    alive.fetch_add(1, Ordering::Relaxed);
    let count = Arc::clone(&alive);
    let run = move || {
        for call in asked {
            if answered.send(answer(&*component, call)).is_err() {
                break;
            }
        }
        count.fetch_sub(1, Ordering::Relaxed);
    };
    let started = thread::Builder::new().name("promptweave-component".into()).spawn(run);
    if started.is_err() {
        alive.fetch_sub(1, Ordering::Relaxed);
    }
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
