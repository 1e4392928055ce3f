//! Whatever a plugin does, it costs its own section, and one diagnostic says which and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use promptweave::{Code, Diagnostic};
use promptweave_loader::Sandbox;
use promptweave_tests::hosted::{self, Home, Manifest, Mode, gone, most};
use promptweave_tests::{native, pack};

/// For one item; long enough that only those that never end miss it.
const DEADLINE: Duration = Duration::from_millis(1500);
/// Beside the items themselves: two starts of a child, on a machine that does much else.
const SLACK: Duration = Duration::from_secs(10);

const WORKERS: usize = 4;

const PACK: &[(&str, &str)] = &[
    ("generic.toml", "order = [\"host_before\", \"bad\", \"good\", \"host_after\"]\n"),
    ("components/host_before.md", "before"),
    ("components/host_after.md", "after"),
];

/// What is missing in the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Costs {
    Nothing,
    Section,
    /// The plugin is not loaded.
    Plugin,
}

/// What is done to the files before they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoilt {
    No,
    Truncated,
    NotALibrary,
    Object32,
    ManifestLies,
    HashMismatch,
}

struct Row {
    about: &'static str,
    case: &'static str,
    costs: Costs,
    modes: &'static [Mode],
    spoilt: Spoilt,
}

const CHILD: &[Mode] = &[Mode::Process];
/// Where a sandbox forbids it, it is refused; without one it happens.
const BOTH_CHILDREN: &[Mode] = &[Mode::Process, Mode::Open];
const EVERYWHERE: &[Mode] = &[Mode::Process, Mode::InProc];

const fn row(about: &'static str, case: &'static str, costs: Costs, modes: &'static [Mode]) -> Row {
    Row { about, case, costs, modes, spoilt: Spoilt::No }
}

const fn spoilt(about: &'static str, spoilt: Spoilt) -> Row {
    Row { about, case: "fine", costs: Costs::Plugin, modes: EVERYWHERE, spoilt }
}

const ROWS: &[Row] = &[
    row("panic", "panic", Costs::Section, EVERYWHERE),
    row("abort", "abort", Costs::Section, CHILD),
    row("exit 0", "exit-0", Costs::Section, CHILD),
    row("exit 1", "exit-1", Costs::Section, CHILD),
    row("segfault", "segfault", Costs::Section, CHILD),
    row("stack overflow", "stack-overflow", Costs::Section, CHILD),
    row("endless loop", "endless-loop", Costs::Section, CHILD),
    row("ignores signals", "ignores-signals", Costs::Section, CHILD),
    row("100 MB output", "floods", Costs::Section, EVERYWHERE),
    row("not UTF-8", "not-utf8", Costs::Section, EVERYWHERE),
    row("prints to stdout", "prints", Costs::Nothing, CHILD),
    row("closes fds", "closes-fds", Costs::Section, CHILD),
    row("forks, holds the socket", "forks", Costs::Section, BOTH_CHILDREN),
    row("setsid grandchild", "setsid", Costs::Section, BOTH_CHILDREN),
    row("allocates 100 GB", "allocates", Costs::Section, CHILD),
    row("C++ exception, unwinding", "throws", Costs::Section, CHILD),
    row("C++ exception, guarded", "guarded", Costs::Section, EVERYWHERE),
    row("error with text", "error", Costs::Section, EVERYWHERE),
    row("undeclared read", "undeclared", Costs::Section, EVERYWHERE),
    row("wrong ABI major", "abi-major", Costs::Plugin, EVERYWHERE),
    row("newer minor", "abi-minor", Costs::Nothing, EVERYWHERE),
    row("newer minor needed", "abi-minor-needed", Costs::Plugin, EVERYWHERE),
    row("missing symbol", "missing-symbol", Costs::Plugin, EVERYWHERE),
    spoilt("truncated file", Spoilt::Truncated),
    spoilt("not a library", Spoilt::NotALibrary),
    spoilt("32-bit object", Spoilt::Object32),
    spoilt("manifest that lies", Spoilt::ManifestLies),
    spoilt("hash mismatch", Spoilt::HashMismatch),
];

#[test]
fn a_plugin_costs_its_own_section_at_most() {
    let runs: Vec<(&Row, Mode)> =
        ROWS.iter().flat_map(|row| row.modes.iter().map(move |mode| (row, *mode))).collect();
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(BTreeMap::new());
    // Most of the time is spent waiting for those that never end.
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((at, (row, mode))) = take(&runs, &next) {
                    let Some(library) = native::library(row.case) else { return };
                    let outcome = row.run(&library, *mode);
                    outcomes.lock().unwrap().insert(at, outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap();
    let mut table = Table::default();
    for (at, (row, mode)) in runs.iter().enumerate() {
        let Some(outcome) = outcomes.get(&at) else { return };
        table.add(row, *mode, outcome);
    }
    native::say(&table.text);
    // What a sandbox refuses depends on the machine; the table is of those that have all of it.
    if table.sandbox == Some(Sandbox::Full) {
        insta::assert_snapshot!("matrix", table.text);
    } else {
        native::skipped("the sandbox is not full here; the table was not compared");
    }
}

fn take<'r, T>(all: &'r [T], next: &AtomicUsize) -> Option<(usize, &'r T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, all.get(at)?))
}

#[derive(Default)]
struct Table {
    text: String,
    sandbox: Option<Sandbox>,
}

impl Table {
    fn add(&mut self, row: &Row, mode: Mode, outcome: &Outcome) {
        let place = match mode {
            Mode::Process => "process",
            Mode::Open => "no sandbox",
            Mode::InProc => "inproc",
        };
        if mode == Mode::Process {
            self.sandbox = self.sandbox.or(outcome.sandbox);
        }
        let costs = match row.costs {
            Costs::Nothing => "nothing",
            Costs::Section => "section",
            Costs::Plugin => "plugin",
        };
        let _ =
            writeln!(self.text, "{:<24} | {place:<10} | {costs:<7} | {}", row.about, outcome.told);
    }
}

struct Outcome {
    told: String,
    sandbox: Option<Sandbox>,
}

impl Row {
    fn run(&self, library: &Path, mode: Mode) -> Outcome {
        let home = self.home(library);
        let plugins = home.builder(mode).most(most(DEADLINE)).load();
        let sandbox = plugins.loaded().first().map(promptweave_loader::Plugin::sandbox);
        let (engine, loading) = hosted::engine(&plugins, PACK);
        let what = format!("{} {mode:?}", self.about);
        let expected = match self.costs {
            Costs::Nothing => "host_before bad good host_after",
            Costs::Section => "host_before good host_after",
            Costs::Plugin => "host_before host_after",
        };
        let context = pack::context(serde_json::json!({ "user": { "name": "Ada" } }));
        let mut told = Vec::new();
        for build in 0..2 {
            let begun = Instant::now();
            let prompt = engine.prompt(&context).unwrap();
            assert!(begun.elapsed() < DEADLINE * 2 + SLACK, "{what}: {:?}", begun.elapsed());
            assert_eq!(hosted::sections(&prompt).join(" "), expected, "{what}, build {build}");
            if build == 0 {
                told = prompt.diagnostics().to_vec();
            }
        }
        let cause = self.cause(&loading, &told, &what);
        drop((plugins, engine));
        if mode != Mode::InProc {
            gone(&home);
        }
        if mode == Mode::Open {
            let born = stray(&home).expect("a process that was left behind");
            assert!(!is_alive(born), "{what}: {born} is alive");
        }
        Outcome { told: redacted(&cause, &home), sandbox }
    }

    /// The one thing that was told; it names the plugin and, where one ran, the item.
    fn cause(&self, loading: &[Diagnostic], building: &[Diagnostic], what: &str) -> String {
        let unknown = |told: &&Diagnostic| told.code == Code::ComponentUnknown;
        let all = || loading.iter().chain(building);
        let told: Vec<&Diagnostic> = all().filter(|told| !unknown(told)).collect();
        match (self.costs, told.as_slice()) {
            (Costs::Nothing, []) => String::from("-"),
            (Costs::Section, [one]) => {
                let whole = one.to_string();
                assert!(whole.contains(self.case) && whole.contains("bad"), "{what}: {whole}");
                whole
            }
            (Costs::Plugin, [one]) => one.to_string(),
            _ => panic!("{what}: {told:#?}"),
        }
    }

    fn home(&self, library: &Path) -> Home {
        let manifest = Manifest::of(self.case);
        let home = Home::new(library, manifest);
        let bytes = std::fs::read(home.library()).unwrap();
        match self.spoilt {
            Spoilt::No => {}
            Spoilt::Truncated => {
                std::fs::write(home.library(), &bytes[..bytes.len() / 2]).unwrap();
                home.write(manifest);
            }
            Spoilt::NotALibrary => {
                std::fs::write(home.library(), "I am a text.\n".repeat(1000)).unwrap();
                home.write(manifest);
            }
            Spoilt::Object32 => {
                std::fs::write(home.library(), object32()).unwrap();
                home.write(manifest);
            }
            Spoilt::ManifestLies => home.write(Manifest {
                rest: "[[component]]\nid = \"bad\"\ncache = \"static\"\n[[component]]\nid = \"good\"\ncache = \"volatile\"\nreason = \"a test\"\n",
                ..manifest
            }),
            Spoilt::HashMismatch => {
                std::fs::write(home.library(), [&bytes[..], b"\n"].concat()).unwrap();
            }
        }
        home
    }
}

/// A shared library for a 32-bit machine, without anything in it.
fn object32() -> Vec<u8> {
    let mut bytes = b"\x7fELF\x01\x01\x01".to_vec();
    bytes.resize(16, 0);
    let mut put = |numbers: &[(u32, usize)]| {
        for (number, width) in numbers {
            bytes.extend_from_slice(&number.to_le_bytes()[..*width]);
        }
    };
    const HEAD: u32 = 52;
    const ENTRY: u32 = 32;
    const NAMES: u32 = HEAD + ENTRY + 8;
    // ET_DYN, EM_386, version; entry, program headers, section headers; flags; sizes and counts.
    put(&[(3, 2), (3, 2), (1, 4), (0, 4), (HEAD, 4), (NAMES + 4, 4), (0, 4)]);
    put(&[(HEAD, 2), (ENTRY, 2), (1, 2), (40, 2), (2, 2), (1, 2)]);
    // PT_DYNAMIC: where, at what address, how long, flags, alignment.
    put(&[(2, 4), (HEAD + ENTRY, 4), (HEAD + ENTRY, 4), (0, 4), (8, 4), (8, 4), (4, 4), (4, 4)]);
    // DT_NULL; a table of names with the empty one.
    put(&[(0, 4), (0, 4), (0, 4)]);
    // No section; SHT_STRTAB: name, kind, flags, address, where, how long, link, info, alignment, entries.
    put(&[(0, 4); 10]);
    put(&[(0, 4), (3, 4), (0, 4), (0, 4), (NAMES, 4), (1, 4), (0, 4), (0, 4), (1, 4), (0, 4)]);
    bytes
}

/// Whether a process still runs; one that has ended and that nobody asks about any more does not.
fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// The number of the process that the plugin left behind.
fn stray(home: &Home) -> Option<i32> {
    let store = std::fs::read_dir(home.data().join("store")).ok()?.flatten();
    let mut copies = store.flat_map(|copy| std::fs::read_dir(copy.path()).unwrap().flatten());
    let born = copies.find(|file| file.path().extension().is_some_and(|own| own == "born"))?;
    std::fs::read_to_string(born.path()).ok()?.parse().ok()
}

/// Without what differs from run to run.
fn redacted(told: &str, home: &Home) -> String {
    let folder = home.beside("").display().to_string();
    told.replace(&folder, "").replace(&hosted::digest(&home.library()), "<sha256>")
}
