//! Checks of what a plugin promises: that it reads what it declares, and is as stable as it says.

use std::thread;

use promptweave_loader::harness::{self, Given, Where};
use promptweave_loader::{Cache, Item, ItemKind, Limits};
use serde_json::json;

use crate::checks::calls::EMPTY_CONTEXT;
use crate::host::Conduct;
use crate::loaded::{Gist, Loaded, State};
use crate::sample;
use crate::scene::{Outcome, Scene, Verdict, fail, skip};

/// How many threads call at once, and how often each.
const THREADS: u32 = 4;
const ROUNDS: u32 = 25;
/// How often a call is repeated.
const REPEATS: usize = 3;

/// Whether an item's output follows from what it declares.
fn is_bound(item: &Item) -> bool {
    let kind = matches!(item.kind, ItemKind::Component | ItemKind::Matcher | ItemKind::Helper);
    kind && item.runs && item.cache != Cache::Volatile
}

fn what(item: &Item) -> String {
    format!("{} `{}`", item.kind, item.id)
}

fn gist(state: &State<'_>, item: &Item, given: &Given) -> Gist {
    state.call(item, given, &Conduct::default()).gist()
}

/// The bound items of which two equal calls in a row are equal; another check tells of the rest.
fn stable<'l>(scene: &Scene, loaded: &'l Loaded) -> Result<Vec<&'l Item>, Outcome> {
    let state = scene.state(loaded)?;
    let bound = loaded.table.items.iter().filter(|item| is_bound(item));
    let stable: Vec<&Item> = bound
        .filter(|item| {
            let given = scene.given(item, 1);
            gist(&state, item, &given) == gist(&state, item, &given)
        })
        .collect();
    if stable.is_empty() {
        skip("no item promises the same text for the same values")
    } else {
        Ok(stable)
    }
}

pub(super) fn deps_honest(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let state = scene.state(&loaded)?;
    for item in loaded.callable() {
        let usual = scene.given(item, 1);
        let empty = Given { args: usual.args.clone(), ..Given::default() };
        let calls = [
            ("as usual", usual),
            ("with other values", scene.given(item, 2)),
            (EMPTY_CONTEXT, empty),
        ];
        for (how, given) in calls {
            scene.note(&format!("{} {how}", what(item)));
            let record = state.call(item, &given, &Conduct::default()).record;
            if let Some(key) = record.undeclared.first() {
                return fail(format!("{} reads `{key}`, which it does not declare", what(item)));
            }
        }
    }
    Ok(())
}

/// Changes what a process has around it, and the context beside what is declared.
pub(super) fn deps_sufficient(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let items = stable(scene, &loaded)?;
    let state = scene.state(&loaded)?;
    let calls: Vec<Given> = items.iter().map(|item| scene.given(item, 1)).collect();
    let before: Vec<Gist> =
        items.iter().zip(&calls).map(|(item, given)| gist(&state, item, given)).collect();
    elsewhere(scene)?;
    for ((item, given), before) in items.into_iter().zip(calls).zip(before) {
        let mut given = given;
        if !item.wants_context {
            sample::put(&mut given.context, "unheard_of.key", json!("changed"));
        }
        given.sections.insert("unheard_of".into(), "changed".into());
        if gist(&state, item, &given) != before {
            return fail(format!(
                "{} depends on more than it declares: the environment, the folder, other keys",
                what(item)
            ));
        }
    }
    Ok(())
}

/// Another environment and another folder for the rest of this process.
fn elsewhere(scene: &Scene) -> Result<(), Outcome> {
    let folder = scene.ask.scratch.join("elsewhere");
    let lost = |error: std::io::Error| Outcome::Skip(error.to_string());
    std::fs::create_dir_all(&folder).map_err(lost)?;
    std::env::set_current_dir(&folder).map_err(lost)?;
    for name in ["HOME", "USER", "LANG", "LC_ALL", "TZ", "SHELL", "PATH", "TMPDIR", "TERM", "PWD"] {
        // SAFETY: this process checks one plugin on one thread; a thread of the plugin's that reads the environment
        // meanwhile breaks the contract, and ends at worst this process.
        unsafe { std::env::set_var(name, &folder) };
    }
    Ok(())
}

/// Equal calls give equal text, whatever came between them, under one state and under the next.
fn repeats(scene: &Scene, class: Cache) -> Verdict {
    let loaded = scene.loaded()?;
    let items: Vec<&Item> =
        loaded.table.items.iter().filter(|item| is_bound(item) && item.cache == class).collect();
    if items.is_empty() {
        return skip("no item says so");
    }
    let mut known: Vec<Option<Gist>> = vec![None; items.len()];
    for _ in 0..2 {
        let state = scene.state(&loaded)?;
        for _ in 0..REPEATS {
            for (item, known) in items.iter().zip(&mut known) {
                scene.note(&what(item));
                let given = scene.given(item, 1);
                let (now, again) = (gist(&state, item, &given), gist(&state, item, &given));
                if known.get_or_insert_with(|| now.clone()) != &now || again != now {
                    return fail(format!("{} gives another text for the same values", what(item)));
                }
                let other = gist(&state, item, &scene.given(item, 2));
                if class == Cache::Static && item.kind == ItemKind::Component && other != now {
                    return fail(format!("{} is static, and depends on the context", what(item)));
                }
            }
        }
    }
    Ok(())
}

pub(super) fn static_is_static(scene: &Scene) -> Verdict {
    repeats(scene, Cache::Static)
}

pub(super) fn session_repeatable(scene: &Scene) -> Verdict {
    repeats(scene, Cache::Session)
}

/// Several threads call at once, each with its own values; each gets what it got alone.
pub(super) fn overlap(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    if !loaded.table.thread_safe {
        return skip("it does not say that its calls may overlap");
    }
    let items = stable(scene, &loaded)?;
    let state = scene.state(&loaded)?;
    for item in items {
        let calls: Vec<(Given, Gist)> = (1..=THREADS)
            .map(|number| scene.given(item, number))
            .map(|given| (given.clone(), gist(&state, item, &given)))
            .collect();
        scene.note(&format!("{}, called by {THREADS} threads at once", what(item)));
        let same = |(given, alone): &(Given, Gist)| {
            (0..ROUNDS).all(|_| gist(&state, item, given) == *alone)
        };
        let all = thread::scope(|scope| {
            let same = &same;
            let threads: Vec<_> =
                calls.iter().map(|call| scope.spawn(move || same(call))).collect();
            threads.into_iter().all(|thread| thread.join().unwrap_or(false))
        });
        if !all {
            return fail(format!("{} gives another text while other calls run", what(item)));
        }
    }
    Ok(())
}

/// A state that one thread made serves another.
pub(super) fn migrate(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let items = stable(scene, &loaded)?;
    let state = scene.state(&loaded)?;
    for item in items {
        let given = scene.given(item, 1);
        let here = gist(&state, item, &given);
        scene.note(&format!("{}, called by another thread than `init`", what(item)));
        let there = thread::scope(|scope| scope.spawn(|| gist(&state, item, &given)).join());
        if there.ok().as_ref() != Some(&here) {
            return fail(format!("{} gives another text on another thread", what(item)));
        }
    }
    Ok(())
}

/// What one state gives does not depend on another one, while that lives and when it has ended.
pub(super) fn independent(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let items = stable(scene, &loaded)?;
    let first = scene.state(&loaded)?;
    let now = |state: &State<'_>, number| -> Vec<Gist> {
        items.iter().map(|item| gist(state, item, &scene.given(item, number))).collect()
    };
    let alone = now(&first, 1);
    let second = scene.state(&loaded)?;
    let other = now(&second, 2);
    let mixed = now(&first, 1) != alone || now(&second, 2) != other;
    drop(second);
    if mixed || now(&first, 1) != alone {
        return fail("what one state gives depends on what another one does");
    }
    Ok(())
}

/// The loader's own two ways give the same bytes.
pub(super) fn parity(scene: &Scene) -> Verdict {
    let (library, config) = (&scene.ask.library, scene.target.config());
    let opened = |at| harness::open(library, &config, (at, Limits::most()));
    let far = opened(Where::Child(scene.child()));
    let loaded = scene.loaded()?;
    let items = stable(scene, &loaded)?;
    let far =
        far.map_err(|why| Outcome::Fail(format!("a child process does not take it: {why}")))?;
    let near = opened(Where::Here).map_err(Outcome::Fail)?;
    for item in items {
        for number in 1..=2 {
            let given = scene.given(item, number);
            let called = |plugin| harness::call(plugin, item, &given).map_err(Outcome::Fail);
            let (far, near) = (called(&far)?, called(&near)?);
            if (&far.text, &far.failure) != (&near.text, &near.failure) {
                return fail(format!("{} gives another text in a process of its own", what(item)));
            }
        }
    }
    Ok(())
}
