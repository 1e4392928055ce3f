//! Components of the host, by callback.
//!
//! In: a function of C, its data. Out: a component. Never: calls it after its data was dropped.

use std::ffi::c_void;
use std::sync::Mutex;

use promptweave_bindings::{Answer, Call, Component, Error, HostComponent, Misuse};

use crate::error::{call, free, promptweave_error};
use crate::handle::{give, handle, of, take};
use crate::text::{promptweave_str, writable};

/// A component of the host. Free it with `promptweave_component_free`; engines that have it keep it.
pub struct promptweave_component {
    _named: (),
}

handle!(promptweave_component, Component, "component");

/// Where a component answers: valid until its call returns.
pub struct promptweave_answer {
    _named: (),
}

handle!(promptweave_answer, Mutex<Answer>, "answer");

/// Answers a call with `promptweave_answer_text` or `promptweave_answer_error`; with neither there is no section.
/// `inputs` is a JSON object with the part of the context that the component reads, lent until it returns. It is called
/// on threads of the library, several at once, and must not unwind.
pub type promptweave_component_call = Option<
    unsafe extern "C" fn(
        data: *mut c_void,
        inputs: promptweave_str,
        answer: *mut promptweave_answer,
    ),
>;

/// Frees the data of a component. It is called once, on any thread, when nobody can call the component any more.
pub type promptweave_component_drop = Option<unsafe extern "C" fn(data: *mut c_void)>;

/// What C has given.
struct Callback {
    call: unsafe extern "C" fn(*mut c_void, promptweave_str, *mut promptweave_answer),
    data: Data,
}

/// The data of a component, which ends with it.
struct Data {
    data: *mut c_void,
    drop: promptweave_component_drop,
}

// SAFETY: the header asks for a function and data that can be used from every thread.
unsafe impl Send for Callback {}
// SAFETY: the header asks for a function that can be called several times at once.
unsafe impl Sync for Callback {}

impl HostComponent for Callback {
    fn call(&self, call: Call) -> Answer {
        let inputs = call.inputs.to_string();
        let answer: *mut promptweave_answer = give(Mutex::new(Answer::Nothing));
        // SAFETY: whoever made the component vouches for function and data; the inputs live until it returns.
        unsafe { (self.call)(self.data.data, promptweave_str::lent(Some(&inputs)), answer) };
        let answer = take(answer).and_then(|answer| Some(answer.lock().ok()?.clone()));
        answer.unwrap_or(Answer::Nothing)
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            // SAFETY: whoever made the component vouches for it; nobody can call the component any more.
            unsafe { drop(self.data) };
        }
    }
}

/// Makes a component. `declared` is a JSON object: `id`; `reads`, the context keys that it gets (without it the whole
/// context, and it is volatile); `cache` (`static`, `session`, `volatile`) and `reason`; `description`; `deadline_ms`, 1000
/// by default. `data` is handed to `call` and `drop`; where this fails, it is dropped at once.
///
/// # Safety
/// `declared` is as the header says; `call` and `drop` may be called with `data` from every thread; `out` can be written
/// to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_component_new(
    declared: promptweave_str,
    run: promptweave_component_call,
    data: *mut c_void,
    drop: promptweave_component_drop,
    out: *mut *mut promptweave_component,
) -> *mut promptweave_error {
    call(|| {
        let data = Data { data, drop };
        writable(out)?;
        let run = run.ok_or_else(|| {
            let help = "give a function that answers";
            Error::new(Misuse::PointerNull, "the component has no function", help)
        })?;
        // SAFETY: the caller's promise.
        let declared = unsafe { declared.options() }?;
        let made = Component::new(declared, Callback { call: run, data })?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(made)) };
        Ok(())
    })
}

/// Frees a component; engines that have it keep it.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_component_free(component: *mut promptweave_component) {
    free(component);
}

/// Answers with the text of the section. Text that is not UTF-8 counts as an answer of a wrong type.
///
/// # Safety
/// `text` is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_answer_text(
    answer: *mut promptweave_answer,
    text: promptweave_str,
) {
    // SAFETY: the caller's promise.
    let text = unsafe { text.optional() };
    set(
        answer,
        match text {
            Ok(Some(text)) => Answer::Text(text.to_owned()),
            Ok(None) => Answer::Nothing,
            Err(_) => Answer::WrongType,
        },
    );
}

/// Answers with a sentence that says why there is no text.
///
/// # Safety
/// `message` is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_answer_error(
    answer: *mut promptweave_answer,
    message: promptweave_str,
) {
    // SAFETY: the caller's promise.
    let message = unsafe { message.optional() }.ok().flatten();
    set(answer, Answer::Failed(message.unwrap_or("it gave no reason").to_owned()));
}

/// The last answer counts; one that comes too late counts for nothing.
fn set(answer: *mut promptweave_answer, said: Answer) {
    if let Ok(answer) = of(answer)
        && let Ok(mut place) = answer.lock()
    {
        *place = said;
    }
}
