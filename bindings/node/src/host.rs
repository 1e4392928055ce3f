//! Components of the host: functions of JavaScript.
//!
//! In: calls of an engine. Out: what a function answers, on the thread of JavaScript that it belongs to. Never: keeps a
//! function longer than a build.
//!
//! `js/` holds the functions of an engine in a list and gives, with each build, one function that calls them by their places.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{FnArgs, Function, FunctionRef};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status};
use napi_derive::napi;
use promptweave_bindings::{Answer, Call, HostComponent, Runs, inside_component};

/// What a component answered.
#[napi(object)]
pub struct Answered {
    /// `text`, `nothing`, `failed` or `wrong`.
    #[napi(ts_type = "'text' | 'nothing' | 'failed' | 'wrong'")]
    pub kind: String,
    /// The text, or why it failed.
    pub text: Option<String>,
}

/// The place of a component, and its inputs as JSON.
type Asked = FnArgs<(u32, String)>;

/// Calls a component by its place.
#[napi]
pub type Caller<'f> = Function<'f, FnArgs<(u32, String)>, Answered>;

/// The same from another thread.
pub(crate) struct Remote {
    call: ThreadsafeFunction<(u32, String), Answered, Asked, Status, false>,
    leaving: Arc<AtomicBool>,
}

/// How long it takes at most until a build notices that JavaScript has ended. The process waits for it to end.
const NOTICE: Duration = Duration::from_millis(20);

/// Where the functions are.
#[derive(Clone)]
enum Host {
    /// On this thread.
    Here(Env, Rc<FunctionRef<Asked, Answered>>),
    /// On another one.
    There(Rc<Remote>),
}

thread_local! {
    /// Of the build that this thread is in.
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
    /// Whether this thread of JavaScript ends, and so calls nothing any more.
    static LEAVING: Arc<AtomicBool> = Arc::default();
}

/// Says that this thread of JavaScript ends: builds in the background do not wait for it.
#[napi(catch_unwind)]
pub fn leave() {
    LEAVING.with(|leaving| leaving.store(true, Ordering::Relaxed));
}

/// Puts back what was in force, also after a panic.
struct Restore(Option<Host>);

impl Drop for Restore {
    fn drop(&mut self) {
        HOST.set(self.0.take());
    }
}

/// Builds on the thread of JavaScript.
pub(crate) fn here<T>(env: &Env, call: Option<Caller<'_>>, build: impl FnOnce() -> T) -> Result<T> {
    let call = call.map(|call| call.create_ref()).transpose()?;
    let host = call.map(|call| Host::Here(Env::from_raw(env.raw()), Rc::new(call)));
    let _restore = Restore(HOST.replace(host));
    Ok(build())
}

/// Builds on another thread, while JavaScript goes on.
pub(crate) fn there<T>(call: Option<Remote>, build: impl FnOnce() -> T) -> T {
    let _restore = Restore(HOST.replace(call.map(|call| Host::There(Rc::new(call)))));
    build()
}

/// What calls the functions from another thread.
pub(crate) fn remote(call: Option<Caller<'_>>) -> Result<Option<Remote>> {
    let made = call.map(|call| {
        let call = call.build_threadsafe_function::<(u32, String)>();
        let call = call.build_callback(|asked| Ok(FnArgs::from(asked.value)))?;
        Ok(Remote { call, leaving: LEAVING.with(Arc::clone) })
    });
    made.transpose()
}

impl Remote {
    /// Asks on the thread of JavaScript, and waits as long as it is there.
    fn ask(&self, asked: (u32, String), deadline: Duration) -> Result<Answered> {
        let begun = Instant::now();
        let (done, answer) = channel();
        let tell = move |answered, _| {
            // Nobody waits any more when the deadline has passed.
            let _ = done.send(answered);
            Ok(())
        };
        let mode = ThreadsafeFunctionCallMode::NonBlocking;
        match self.call.call_with_return_value(asked, mode, tell) {
            Status::Ok => {}
            status => return Err(napi::Error::from_status(status)),
        }
        while !self.leaving.load(Ordering::Relaxed) {
            let left = deadline.saturating_sub(begun.elapsed());
            match answer.recv_timeout(left.min(NOTICE)) {
                Ok(answered) => return answered,
                Err(RecvTimeoutError::Timeout) if left > NOTICE => {}
                Err(_) => break,
            }
        }
        Ok(late())
    }
}

/// Runs a component that was called from another thread: null when it called an engine from within.
#[napi(catch_unwind)]
pub fn inside(run: Function<'_, (), Answered>) -> Result<Option<Answered>> {
    inside_component(|| run.call(())).transpose()
}

/// A function, by its place.
pub(crate) struct Callback(pub(crate) u32);

impl HostComponent for Callback {
    fn call(&self, call: Call) -> Answer {
        let (begun, deadline) = (Instant::now(), call.deadline);
        let asked = (self.0, call.inputs.to_string());
        let answered = match HOST.with_borrow(Option::clone) {
            None => return Answer::Failed("it was called outside of a build".into()),
            Some(Host::Here(env, function)) => {
                function.borrow_back(&env).and_then(|function| function.call(asked.into()))
            }
            Some(Host::There(remote)) => remote.ask(asked, deadline),
        };
        if begun.elapsed() > deadline {
            return Answer::Failed(format!("it did not answer within {} ms", deadline.as_millis()));
        }
        answered.map_or_else(|error| Answer::Failed(error.reason.to_string()), answer)
    }

    /// JavaScript cannot be interrupted: a function that is called here keeps its deadline afterwards.
    fn runs(&self) -> Runs {
        Runs::OnCaller
    }
}

/// Counts as nothing, for the deadline has passed.
fn late() -> Answered {
    Answered { kind: "nothing".into(), text: None }
}

fn answer(answered: Answered) -> Answer {
    let Answered { kind, text } = answered;
    match (&*kind, text) {
        ("text", Some(text)) => Answer::Text(text),
        ("nothing", _) => Answer::Nothing,
        ("failed", Some(why)) => Answer::Failed(why),
        _ => Answer::WrongType,
    }
}
