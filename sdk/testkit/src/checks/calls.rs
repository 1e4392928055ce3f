//! Checks of single calls: odd values, hosts that fail, what is left behind.

use promptweave_abi::Status;
use promptweave_loader::Item;
use promptweave_loader::harness::Given;
use serde_json::{Value as Json, json};

use crate::host::{Conduct, Fault, Function, Named, Time, without_extensions};
use crate::loaded::{Ended, Loaded, State, name};
use crate::sample::{put, remove};
use crate::scene::{Outcome, Scene, Verdict, fail, skip};
use crate::system::Captured;

/// The bytes of a huge text.
const HUGE: usize = 1 << 20;
/// How deep a deep value goes.
const DEPTH: usize = 2000;
/// How often a function of the host is made to fail, at its first calls.
const MOST_FAULTS: u32 = 50;
/// How often a plugin may write on after the limit before it counts as deaf.
const DEAF: u32 = 64;
/// The limit of a call that shall meet it, in bytes.
const SMALL: usize = 3;

/// Said of a call whose context is empty. The same call is described in the same words by all checks, so that what
/// ends a process is told once.
pub(super) const EMPTY_CONTEXT: &str = "with an empty context";

/// One call to make: how it differs from an ordinary one, and what it sees.
type Odd = (String, Given);

/// An item's calls under one state, which is made anew after a panic.
struct Caller<'l> {
    scene: &'l Scene,
    loaded: &'l Loaded,
    state: Option<State<'l>>,
    panicked: Option<String>,
}

impl<'l> Caller<'l> {
    fn new(scene: &'l Scene, loaded: &'l Loaded) -> Self {
        Self { scene, loaded, state: None, panicked: None }
    }

    /// Makes a call; what no plugin may do is a failure, whatever it was given.
    fn call(&mut self, item: &Item, odd: &Odd, conduct: &Conduct) -> Result<Ended, Outcome> {
        let (how, given) = odd;
        let what = format!("{} `{}` {how}", item.kind, item.id);
        let state = match self.state.take() {
            Some(state) => state,
            None => self.scene.state(self.loaded)?,
        };
        self.scene.note(&what);
        let ended = state.call(item, given, conduct);
        if let Some(offence) = ended.offence() {
            return Err(Outcome::Once { why: format!("{what}: {offence}"), known_by: offence });
        }
        if ended.status == Status::E_PANIC {
            let why = ended.record.error.as_deref().unwrap_or("it gives no reason");
            self.panicked.get_or_insert(format!("{what}: it panicked ({why}); return a failure"));
        } else {
            self.state = Some(state);
        }
        Ok(ended)
    }

    /// A panic that was caught costs the host a state, and is no more than a warning.
    fn verdict(self) -> Verdict {
        self.panicked.map_or(Ok(()), |what| Err(Outcome::Warn(what)))
    }
}

/// Makes calls that a plugin has to survive.
fn survive(scene: &Scene, odd: impl Fn(&Item, &Given) -> Vec<Odd>) -> Verdict {
    let loaded = scene.loaded()?;
    let mut caller = Caller::new(scene, &loaded);
    let mut any = false;
    for item in loaded.callable() {
        for one in odd(item, &scene.given(item, 1)) {
            caller.call(item, &one, &Conduct::default())?;
            any = true;
        }
    }
    if any { caller.verdict() } else { skip("no item reads a key") }
}

/// The same call with another value at each declared key in turn.
fn each_dep(item: &Item, given: &Given, values: &[(&str, Json)]) -> Vec<Odd> {
    let pairs = item.deps.iter().flat_map(|dep| values.iter().map(move |value| (dep, value)));
    pairs
        .map(|(dep, (what, value))| {
            let mut given = given.clone();
            put(&mut given.context, dep, value.clone());
            (format!("with {what} at `{dep}`"), given)
        })
        .collect()
}

pub(super) fn empty_context(scene: &Scene) -> Verdict {
    survive(scene, |_, given| {
        let empty = Given { args: given.args.clone(), ..Given::default() };
        let args = if empty.args.is_empty() { String::new() } else { "[]".into() };
        vec![
            (EMPTY_CONTEXT.into(), empty.clone()),
            ("with an empty context and no arguments".into(), Given { args, ..empty }),
        ]
    })
}

pub(super) fn missing_key(scene: &Scene) -> Verdict {
    survive(scene, |item, given| {
        let without = |dep: &String| {
            let mut given = given.clone();
            remove(&mut given.context, dep);
            (format!("without `{dep}`"), given)
        };
        item.deps.iter().map(without).collect()
    })
}

pub(super) fn wrong_type(scene: &Scene) -> Verdict {
    let values = [
        ("a boolean", json!(true)),
        ("an integer", json!(-9_007_199_254_740_993_i64)),
        ("a fraction", json!(-1.5e300)),
        ("an empty text", json!("")),
        ("a list", json!([1, "two", null])),
        ("an object", json!({ "a": 1 })),
    ];
    survive(scene, |item, given| each_dep(item, given, &values))
}

pub(super) fn null(scene: &Scene) -> Verdict {
    survive(scene, |item, given| each_dep(item, given, &[("`null`", Json::Null)]))
}

pub(super) fn huge_value(scene: &Scene) -> Verdict {
    let values = [("a text of 1 MiB", json!("x".repeat(HUGE)))];
    survive(scene, |item, given| each_dep(item, given, &values))
}

pub(super) fn deep_value(scene: &Scene) -> Verdict {
    let lists = (0..DEPTH).fold(json!(1), |inner, _| Json::Array(vec![inner]));
    let object = |inner| Json::Object([("a".to_owned(), inner)].into_iter().collect());
    let objects = (0..DEPTH).fold(json!(1), |inner, _| object(inner));
    let values = [("2,000 lists in each other", lists), ("2,000 objects in each other", objects)];
    survive(scene, |item, given| each_dep(item, given, &values))
}

/// Letters of several alphabets, a letter of two parts, a picture, a change of direction, a NUL.
const LETTERS: &str = "größer 漢字 e\u{301} \u{1F980} \u{202e}abc\u{0}\u{ffff}";

pub(super) fn non_ascii(scene: &Scene) -> Verdict {
    let values =
        [("letters of all kinds", json!(LETTERS)), ("one such letter", json!("\u{1F980}"))];
    survive(scene, |item, given| each_dep(item, given, &values))
}

pub(super) fn unknown_item(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let mut caller = Caller::new(scene, &loaded);
    for item in loaded.callable() {
        for (named, how) in
            [(Named::Wrong, "under an unknown id"), (Named::Absent, "without an id")]
        {
            let odd = (how.into(), scene.given(item, 1));
            caller.call(item, &odd, &Conduct { named, ..Conduct::default() })?;
        }
    }
    caller.verdict()
}

/// Each function of the host fails at its first call, at its second, and so on.
pub(super) fn host_errors(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let mut caller = Caller::new(scene, &loaded);
    for item in loaded.callable() {
        let usual = scene.given(item, 1);
        let plain = caller.call(item, &("as usual".into(), usual.clone()), &Conduct::default())?;
        for function in Function::ALL {
            let count = plain.record.counts[function as usize].min(MOST_FAULTS);
            for nth in 1..=count {
                let how = format!("while call {nth} of `{}` fails", function.name());
                let fault = Some(Fault { function, nth, status: refusal(function) });
                caller.call(
                    item,
                    &(how, usual.clone()),
                    &Conduct { fault, ..Conduct::default() },
                )?;
            }
        }
        let odd = ("without an extension".into(), usual);
        without_extensions(|| caller.call(item, &odd, &Conduct::default()))?;
    }
    caller.verdict()
}

/// How a function of the host may fail at any time.
fn refusal(function: Function) -> Status {
    match function {
        Function::Get | Function::Variant | Function::Section | Function::SetError => Status::E_ARG,
        Function::Write | Function::Report => Status::E_LIMIT,
        Function::Cancelled => Status::E_CANCELLED,
        Function::Meta => Status::E_UNSUPPORTED,
    }
}

pub(super) fn write_limit(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let mut caller = Caller::new(scene, &loaded);
    for item in loaded.callable() {
        let odd = (format!("with room for {SMALL} bytes"), scene.given(item, 1));
        let ended = caller.call(item, &odd, &Conduct { limit: SMALL, ..Conduct::default() })?;
        let (what, refused) = (format!("{} `{}`", item.kind, item.id), ended.record.after_limit);
        if refused > DEAF {
            return fail(format!("{what} writes on {refused} times after `WEAVE_E_LIMIT`"));
        }
        if refused > 0 && !ended.status.is_failure() {
            return fail(format!(
                "{what} returns {} although a write was refused; return `WEAVE_E_LIMIT`",
                name(ended.status)
            ));
        }
    }
    caller.verdict()
}

/// It is enough that the call comes back.
pub(super) fn cancelled(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let mut caller = Caller::new(scene, &loaded);
    for item in loaded.callable() {
        let odd = ("after its deadline".into(), scene.given(item, 1));
        caller.call(item, &odd, &Conduct { time: Time::Over, ..Conduct::default() })?;
    }
    caller.verdict()
}

/// Calls that often fail.
fn hard(item: &Item, given: &Given) -> Vec<Odd> {
    let values = [("a list", json!([1])), ("an object", json!({"a": 1})), ("`null`", Json::Null)];
    let mut hard = each_dep(item, given, &values);
    hard.push((EMPTY_CONTEXT.into(), Given { args: given.args.clone(), ..Given::default() }));
    hard
}

/// A failure of the plugin's own comes with a text; one that the host returned is passed on without.
pub(super) fn error_has_text(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let mut caller = Caller::new(scene, &loaded);
    for item in loaded.callable() {
        for odd in hard(item, &scene.given(item, 1)) {
            let Ended { status, record } = caller.call(item, &odd, &Conduct::default())?;
            let said = record.error.is_some_and(|text| !text.trim().is_empty());
            if status.is_failure() && !said && !record.refused.contains(&status) {
                return fail(format!(
                    "{} `{}` {} returns {} without a word; call `set_error`",
                    item.kind,
                    item.id,
                    odd.0,
                    name(status)
                ));
            }
        }
    }
    Ok(())
}

pub(super) fn utf8(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let mut caller = Caller::new(scene, &loaded);
    for item in loaded.callable() {
        let usual = scene.given(item, 1);
        let mut odd = each_dep(item, &usual, &[("letters of all kinds", json!(LETTERS))]);
        odd.insert(0, ("as usual".into(), usual));
        for one in odd {
            let ended = caller.call(item, &one, &Conduct::default())?;
            if let Err(error) = std::str::from_utf8(&ended.record.out)
                && !ended.status.is_failure()
            {
                let (kind, id, at) = (item.kind, &item.id, error.valid_up_to());
                return fail(format!("{kind} `{id}` {}: not UTF-8 from byte {at} on", one.0));
            }
        }
    }
    Ok(())
}

pub(super) fn no_stdout(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let lost =
        |error: std::io::Error| Outcome::Skip(format!("its output cannot be captured: {error}"));
    let captured = Captured::start(&scene.ask.scratch).map_err(lost)?;
    let mut caller = Caller::new(scene, &loaded);
    let called = loaded.callable().try_for_each(|item| {
        let usual = scene.given(item, 1);
        let mut odd = hard(item, &usual);
        odd.push(("as usual".into(), usual));
        odd.iter().try_for_each(|one| caller.call(item, one, &Conduct::default()).map(drop))
    });
    let (out, errors) = captured.finish().map_err(lost)?;
    called?;
    match (out, errors) {
        (0, 0) => Ok(()),
        (0, errors) => Err(Outcome::Warn(format!(
            "it prints {errors} bytes to standard error; use the host's `log`"
        ))),
        (out, _) => fail(format!("it prints {out} bytes to standard output")),
    }
}
