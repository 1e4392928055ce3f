//! Checks of what a library does while it is loaded: nothing that anyone could notice.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::loaded::{self, Loaded};
use crate::run::child;
use crate::scene::{Outcome, Request, Scene, Verdict, fail, skip};
use crate::system::{self, Captured, Surroundings};

/// How long a library may take.
const LOAD_TIME: Duration = Duration::from_millis(100);
/// How long a thread that was started gets to show.
const SETTLE: Duration = Duration::from_millis(10);

/// The check that a second process makes: it loads the library.
const ALONE: &str = "load-now-local";

/// Where a system does not say what a check compares.
const UNSEEN: &str = "this system does not show it";

pub(super) fn now_local(scene: &Scene) -> Verdict {
    match scene.entry() {
        Ok(_) => Ok(()),
        Err(Outcome::Refused(why)) => fail(why),
        Err(other) => Err(other),
    }
}

/// Loads the library and asks for the table: as far as any host goes without a call.
fn load(scene: &Scene) -> Verdict {
    loaded::ask(scene.entry()?, &raw const crate::host::HOST);
    Ok(())
}

pub(super) fn time(scene: &Scene) -> Verdict {
    let start = Instant::now();
    load(scene)?;
    let took = start.elapsed();
    if took > LOAD_TIME {
        return fail(format!(
            "loading takes {} ms, more than {}",
            took.as_millis(),
            LOAD_TIME.as_millis()
        ));
    }
    Ok(())
}

pub(super) fn silent(scene: &Scene) -> Verdict {
    let Some(before) = system::descriptors() else { return skip(UNSEEN) };
    let captured = Captured::start(&scene.ask.scratch)
        .map_err(|error| Outcome::Skip(format!("its output cannot be captured: {error}")))?;
    let loaded = load(scene);
    let lengths = captured.finish().map_err(|error| Outcome::Skip(error.to_string()))?;
    loaded?;
    if lengths != (0, 0) {
        return fail(format!("it prints {} bytes while it is loaded", lengths.0 + lengths.1));
    }
    let after = system::descriptors().unwrap_or_default();
    if let Some((_, target)) = after.iter().find(|(at, _)| !before.contains_key(at)) {
        return fail(format!("it leaves `{}` open", target.display()));
    }
    let files = fs::read_dir(&scene.ask.scratch).into_iter().flatten().flatten();
    let mut names = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
    match names.find(|name| !name.starts_with('.')) {
        Some(name) => fail(format!("it makes the file `{name}`")),
        None => Ok(()),
    }
}

pub(super) fn no_threads(scene: &Scene) -> Verdict {
    let Some(before) = system::threads() else { return skip(UNSEEN) };
    load(scene)?;
    thread::sleep(SETTLE);
    match system::threads().unwrap_or_default().saturating_sub(before) {
        0 => Ok(()),
        more => fail(format!("it starts {more} threads; start them in `init`")),
    }
}

pub(super) fn no_env(scene: &Scene) -> Verdict {
    let before = system::environment();
    load(scene)?;
    let after = system::environment();
    let changed = after.iter().find(|(name, value)| before.get(*name) != Some(*value));
    let changed = changed.map(|(name, _)| name);
    let changed = changed.or_else(|| before.keys().find(|name| !after.contains_key(*name)));
    match changed {
        Some(name) => fail(format!("it changes the variable `{}`", name.to_string_lossy())),
        None => Ok(()),
    }
}

pub(super) fn no_signals(scene: &Scene) -> Verdict {
    let before = system::handlers();
    load(scene)?;
    let changed = system::handlers().into_iter().find(|handler| !before.contains(handler));
    match changed {
        Some((signal, _)) => fail(format!("it sets a handler for signal {signal}")),
        None => Ok(()),
    }
}

pub(super) fn no_cwd(scene: &Scene) -> Verdict {
    let before = Surroundings::now();
    load(scene)?;
    let after = Surroundings::now();
    if before.folder != after.folder {
        return fail("it changes the current folder");
    }
    if before.mask != after.mask {
        return fail("it changes the mask of new files");
    }
    if before.locale != after.locale {
        return fail("it changes the locale");
    }
    Ok(())
}

/// While it is loaded here, another process loads it.
pub(super) fn twice(scene: &Scene) -> Verdict {
    Loaded::new(scene.entry()?).map_err(Outcome::Refused)?;
    let scratch = scene.ask.scratch.join(".second");
    std::fs::create_dir(&scratch).map_err(|error| Outcome::Skip(error.to_string()))?;
    let second = Request {
        check: ALONE.into(),
        answer: scene.ask.answer.with_file_name("second.json"),
        timeout: scene.ask.timeout / 2,
        scratch,
        ..scene.ask.clone()
    };
    match child::run(&second) {
        Outcome::Fail(why) | Outcome::Once { why, .. } | Outcome::Refused(why) => {
            fail(format!("in a second process: {why}"))
        }
        Outcome::Pass | Outcome::Warn(_) | Outcome::Skip(_) => Ok(()),
    }
}
