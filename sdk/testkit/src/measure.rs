//! How long the items of a plugin take, and what it costs to have it.
//!
//! In: a plugin. Out: [`Measured`]. Never: in this process; a plugin that crashes ends its own.

use std::path::Path;
use std::time::{Duration, Instant};

use promptweave_loader::harness::{self, Given, Where};
use promptweave_loader::{Item, Limits, Plugin};
use serde::{Deserialize, Serialize};

use crate::run::{self, Options};
use crate::scene::{Outcome, Scene};
use crate::system;
use crate::target::TargetError;

/// The name of this among requests; no check has it.
pub(crate) const NAME: &str = "measure";
/// The part of an item's calls that only warm up.
const WARM: u32 = 10;

/// What a plugin costs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Measured {
    /// From nothing to a state in this process, in microseconds.
    pub load_us: f64,
    /// From nothing to a child that answers, in microseconds.
    pub child_us: f64,
    /// By how much the resident memory of a process grows when it loads the plugin, with what of the loader's own
    /// code runs for the first time, in KiB; none where the system does not say.
    pub memory_kib: Option<u64>,
    /// One entry for each item that has code, in the table's order.
    pub items: Vec<MeasuredItem>,
}

/// What a call of one item costs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MeasuredItem {
    /// Its kind, such as `component`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// In the host's process.
    pub here: Times,
    /// In a child, with the way there and back.
    pub child: Times,
}

/// Times of calls, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Times {
    /// Half of the calls take at most this.
    pub median_us: f64,
    /// 99 of 100 calls take at most this.
    pub p99_us: f64,
}

/// Measures a library, or the library of a plugin's folder. [`Effort::timed`](crate::Effort::timed) says how often
/// each item is called; [`Options::only`] does not matter.
///
/// # Errors
/// There is no library, it cannot be loaded, or it ended its process.
pub fn measure(target: &Path, options: &Options) -> Result<Measured, TargetError> {
    run::measured(target, options)
}

/// Measures within a process that exists for it.
pub(crate) fn perform(scene: &Scene) -> Result<Measured, Outcome> {
    let (library, config) = (&scene.ask.library, scene.target.config());
    let limits = Limits::most();
    let open = |at| {
        let start = Instant::now();
        let plugin = harness::open(library, &config, (at, limits)).map_err(Outcome::Fail)?;
        Ok((plugin, micros(start.elapsed())))
    };
    let (child, child_us) = open(Where::Child(scene.child()))?;
    let before = system::resident();
    let (here, load_us) = open(Where::Here)?;
    let grown = |(after, before): (u64, u64)| after.saturating_sub(before) >> 10;
    let memory_kib = system::resident().zip(before).map(grown);
    let runs = here.table().items.iter().filter(|item| item.runs);
    let items = runs.map(|item| {
        let given = scene.given(item, 1);
        scene.note(&format!("{} `{}`", item.kind, item.id));
        let count = scene.ask.effort.timed;
        let (kind, id) = (item.kind.to_string(), item.id.clone());
        let (here, child) =
            (times(&here, item, (&given, count))?, times(&child, item, (&given, count))?);
        Ok(MeasuredItem { kind, id, here, child })
    });
    let items = items.collect::<Result<_, Outcome>>()?;
    Ok(Measured { load_us, child_us, memory_kib, items })
}

fn times(plugin: &Plugin, item: &Item, calls: (&Given, u32)) -> Result<Times, Outcome> {
    let (given, count) = calls;
    let mut times = Vec::new();
    for at in 0..count + count / WARM {
        let start = Instant::now();
        harness::call(plugin, item, given).map_err(Outcome::Fail)?;
        if at >= count / WARM {
            times.push(start.elapsed());
        }
    }
    times.sort_unstable();
    let part = |hundredths| times.get(times.len() * hundredths / 100).copied().unwrap_or_default();
    Ok(Times { median_us: micros(part(50)), p99_us: micros(part(99)) })
}

fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}
