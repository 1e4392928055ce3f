//! A plugin that ends its process at every build leaves nothing behind. A program of its own, for it counts what the whole process
//! has.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt;
use std::time::Instant;

use promptweave::Engine;
use promptweave_loader::Quarantine;
use promptweave_tests::hosted::{self, Home, Manifest, Mode, processes_of};
use promptweave_tests::{native, pack, random};
use serde_json::json;

/// Until the allocator and the caches have what they want.
const WARM_UP: u32 = 100;
/// More than an allocator's moods, less than 1 KiB for each of 10,000 builds.
const MAX_GROWTH_KIB: u64 = 4096;

/// What this process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Figures {
    files: usize,
    threads: usize,
    /// Processes that it started, ended ones that it did not ask about included.
    children: usize,
    memory_kib: u64,
}

impl Figures {
    fn now() -> Self {
        let count = |folder: &str| std::fs::read_dir(folder).unwrap().count();
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let children = tasks.map(|task| {
            let of_task = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            of_task.split_whitespace().count()
        });
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        Self {
            files: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
            children: children.sum(),
            memory_kib: memory.trim().trim_end_matches(" kB").parse().unwrap(),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, threads, children, memory_kib } = self;
        write!(f, "{files} files, {threads} threads, {children} children, {memory_kib} KiB")
    }
}

fn build(engine: &Engine, times: u32) {
    let context = pack::context(json!({}));
    for _ in 0..times {
        let prompt = engine.prompt(&context).unwrap();
        assert_eq!(prompt.text(), "good\n");
        let [told] = prompt.diagnostics() else { panic!("{:#?}", prompt.diagnostics()) };
        assert!(told.message.contains("died of SIGABRT"), "{told}");
    }
}

#[test]
fn a_crash_at_every_build_leaves_nothing_behind() {
    let Some(library) = native::library("abort") else { return };
    let times = random::cases(1000);
    for mode in [Mode::Process, Mode::Open] {
        let times = if mode == Mode::Open { times / 10 } else { times };
        let home = Home::new(&library, Manifest::of("abort"));
        let plugins = home.builder(mode).quarantine(Quarantine::Off).load();
        let (engine, told) =
            hosted::engine(&plugins, &[("generic.toml", "order = [\"bad\", \"good\"]\n")]);
        assert!(told.is_empty(), "{told:#?}");
        build(&engine, WARM_UP);
        let (before, begun) = (Figures::now(), Instant::now());
        build(&engine, times);
        let (after, took) = (Figures::now(), begun.elapsed());
        native::say(&format!(
            "\n{times} builds with a crash each ({mode:?}): {:.1} ms each\n  before: {before}\n  after:  {after}\n",
            took.as_secs_f64() * 1000.0 / f64::from(times)
        ));
        assert_eq!(processes_of(&home).len(), 1, "the one that waits for the next build");
        let same = Figures { memory_kib: before.memory_kib, ..after };
        assert_eq!(same, before);
        assert!(after.memory_kib < before.memory_kib + MAX_GROWTH_KIB, "{before}; {after}");
    }
}
