//! Checks that take many calls: memory, time, descriptors, chance.

use std::time::{Duration, Instant};

use promptweave_loader::harness::Given;
use promptweave_loader::{Item, ItemKind};

use crate::fuzz;
use crate::host::Conduct;
use crate::loaded::Loaded;
use crate::scene::{Scene, Verdict, fail, skip};
use crate::system;

/// By how much memory may grow over all calls of an item: the noise of allocators.
const NOISE_BYTES: u64 = 512 * 1024;
/// How many calls look for descriptors that are left open.
const DESCRIPTOR_CALLS: u32 = 100;
/// The part of its time limit that a call may take in 99 of 100 cases.
const PART: u32 = 4;
/// The part of the time-out that calls may take, all items together.
const SHARE: u32 = 4;
/// A plugin's time limit where no manifest says another.
const TIME_LIMIT: Duration = Duration::from_millis(200);

/// Items that are called many times. Probes and tools run once per session.
fn busy(loaded: &Loaded) -> Vec<&Item> {
    let rare = |item: &&Item| !matches!(item.kind, ItemKind::Probe | ItemKind::Tool);
    loaded.callable().filter(rare).collect()
}

/// Calls that many times, or as often as an item's part of the time allows: slow plugins are checked with fewer calls.
fn repeat(scene: &Scene, items: usize, count: u32, mut call: impl FnMut(usize)) {
    let share = scene.ask.timeout / (SHARE * items.max(1) as u32);
    let end = Instant::now() + share;
    for at in 0..count as usize {
        call(at);
        if Instant::now() > end {
            break;
        }
    }
}

fn calls(scene: &Scene, item: &Item) -> [Given; 2] {
    [scene.given(item, 1), scene.given(item, 2)]
}

pub(super) fn leak(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let state = scene.state(&loaded)?;
    if system::resident().is_none() {
        return skip("this system does not show memory");
    }
    let count = scene.ask.effort.calls;
    let items = busy(&loaded);
    for item in &items {
        let (calls, conduct) = (calls(scene, item), Conduct::default());
        let many = |count: u32| {
            repeat(scene, items.len(), count, |at| {
                state.call(item, &calls[at % 2], &conduct);
            });
            system::resident().unwrap_or_default()
        };
        scene.note(&format!("{} `{}`, called {count} times", item.kind, item.id));
        let before = many(count / 10);
        let grown = many(count).saturating_sub(before);
        if grown > NOISE_BYTES {
            let (kind, id, kib) = (item.kind, &item.id, grown >> 10);
            return fail(format!("{kind} `{id}` takes {kib} KiB more after {count} calls"));
        }
    }
    Ok(())
}

pub(super) fn time_p99(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let state = scene.state(&loaded)?;
    let most = scene.target.manifest().map_or(TIME_LIMIT, |manifest| manifest.run.timeout) / PART;
    let count = scene.ask.effort.timed;
    let items = busy(&loaded);
    for item in &items {
        let (calls, conduct) = (calls(scene, item), Conduct::default());
        scene.note(&format!("{} `{}`, called {count} times", item.kind, item.id));
        let mut times = Vec::new();
        repeat(scene, items.len(), count, |at| {
            let start = Instant::now();
            state.call(item, &calls[at % 2], &conduct);
            times.push(start.elapsed());
        });
        times.sort_unstable();
        let p99 = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
        if p99 > most {
            let (kind, id, most) = (item.kind, &item.id, most.as_millis());
            return fail(format!(
                "{kind} `{id}` takes {} ms (p99), more than {most}",
                p99.as_millis()
            ));
        }
    }
    Ok(())
}

pub(super) fn descriptors(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let state = scene.state(&loaded)?;
    for item in loaded.callable() {
        let (calls, conduct) = (calls(scene, item), Conduct::default());
        scene.note(&format!("{} `{}` as usual", item.kind, item.id));
        state.call(item, &calls[0], &conduct);
        let Some(before) = system::descriptors() else {
            return skip("this system does not show them");
        };
        repeat(scene, loaded.callable().count(), DESCRIPTOR_CALLS, |at| {
            state.call(item, &calls[at % 2], &conduct);
        });
        let after = system::descriptors().unwrap_or_default();
        let more = after.len().saturating_sub(before.len());
        if more > 2 {
            let (kind, id) = (item.kind, &item.id);
            return fail(format!(
                "{kind} `{id}` leaves {more} files open after {DESCRIPTOR_CALLS} calls"
            ));
        }
    }
    Ok(())
}

pub(super) fn fuzz_short(scene: &Scene) -> Verdict {
    fuzz::run(scene)
}
