//! Prints what plugins cost, each row within one run.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use promptweave::Context;
use promptweave_benches::measure::{alone, pair};
use promptweave_benches::table::{Goal, Table, times};
use promptweave_loader::unstable_machinery::{Call, new_child};
use promptweave_loader::{
    Discovery, Grant, HostProgram, Isolation, LOCK_FILE, Lock, NativePolicy, Plugins, Quarantine,
    Sources,
};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use tempfile::TempDir;

/// By this argument this program answers each message with one of a fixed size.
const ECHO: &str = "echo-of";
/// How often a crash is measured.
const CRASHES: usize = 101;
/// How many plugins idle together.
const IDLE: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, verb, sent, got] = arguments.as_slice()
        && verb == ECHO
    {
        echo(sent.parse().unwrap_or(0), got.parse().unwrap_or(0));
        return ExitCode::SUCCESS;
    }
    let mut table = Table::of_arguments();
    let Some(ground) = Ground::new() else {
        eprintln!("no C compiler, or no `cargo build --release --package promptweave-loader`");
        return ExitCode::FAILURE;
    };
    in_process(&mut table, &ground);
    round_trip(&mut table, &ground);
    start(&mut table, &ground);
    idle(&mut table, &ground);
    crash(&mut table, &ground);
    table.verdict()
}

/// A folder with what is measured.
struct Ground {
    folder: TempDir,
    program: HostProgram,
    context: Context,
}

impl Ground {
    fn new() -> Option<Self> {
        let path =
            std::env::current_exe().ok()?.parent()?.parent()?.join("promptweave-plugin-host");
        let context = r#"{ "cwd": "/home/somebody/project", "git": { "branch": "main" }, "user": { "name": "Somebody" } }"#;
        let ground = Self {
            folder: TempDir::new().ok()?,
            program: HostProgram { path, args: Vec::new() },
            context: Context::from_json(context).ok()?,
        };
        let built = ground.program.path.is_file() && ground.library("measured").is_file();
        built.then_some(ground)
    }

    /// The measured plugin under that name.
    fn library(&self, name: &str) -> PathBuf {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let library = self.folder.path().join(format!("lib{name}.so"));
        let status = Command::new("cc")
            .args(["-std=c99", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"])
            .arg(format!("-DNAME=\"{name}\""))
            .arg(format!("-I{}", own.join("../sdk/include").display()))
            .arg("-o")
            .arg(&library)
            .arg(own.join("plugins/measured.c"))
            .status();
        assert!(status.is_ok_and(|status| status.success()), "cc fails");
        library
    }

    fn load(&self, libraries: &[PathBuf], isolation: NativePolicy) -> Plugins {
        let builder = Plugins::builder().data(self.folder.path()).program(self.program.clone());
        let builder = builder.isolation(isolation).quarantine(Quarantine::Off);
        let plugins = libraries.iter().fold(builder, |builder, path| builder.plugin(path)).load();
        assert_eq!(plugins.loaded().len(), libraries.len(), "{:?}", plugins.diagnostics());
        plugins
    }

    /// The same in this process, for which it has to be trusted.
    fn near(&self) -> Plugins {
        let library = self.library("near");
        let sources = Sources { named: vec![library.clone()], ..Sources::default() };
        let mut lock = Lock::open(self.folder.path().join(LOCK_FILE));
        for candidate in &Discovery::of(&sources).candidates {
            let grant = Grant::of(candidate, "").expect("a library for this machine");
            let grant = Grant { isolation: Isolation::InProc, ..grant };
            lock.grant(grant).expect("the folder can be written");
        }
        self.load(&[library], NativePolicy::InProc)
    }

    fn call<'a>(&'a self, plugins: &'a Plugins, id: &str) -> Call<'a> {
        Call::new(&plugins.loaded()[0], id, &self.context).expect("a component")
    }
}

fn in_process(table: &mut Table, ground: &Ground) {
    table.row("call of a component that reads three keys, in process", Goal::AtMost(1.0), || {
        let plugins = ground.near();
        let call = ground.call(&plugins, "three");
        let time = alone(|| call.run());
        (time.as_secs_f64() * 1e6, format!("µs; {} bytes of text", call.run().unwrap_or(0)))
    });
}

fn round_trip(table: &mut Table, ground: &Ground) {
    table.row("the same in a child / ping-pong of the same bytes", Goal::AtMost(2.0), || {
        let everywhere = sched_getaffinity(None).expect("where this runs");
        // Both on one core: otherwise the system decides anew in each run which pair shares one, and the way between
        // cores is longer than all else.
        let mut one = CpuSet::new();
        one.set((0..CpuSet::MAX_CPU).find(|cpu| everywhere.is_set(*cpu)).unwrap_or_default());
        sched_setaffinity(None, &one).expect("a core of this process");
        let plugins = ground.load(&[ground.library("measured")], NativePolicy::Process);
        let call = ground.call(&plugins, "three");
        let (sent, got) = call.sizes().expect("an answer");
        let mut bare = Bare::new(sent, got);
        let (ratio, unit) = times(pair(|| call.run(), || bare.round()));
        sched_setaffinity(None, &everywhere).expect("the cores from before");
        (ratio, format!("{unit}; {sent} and {got} bytes"))
    });
}

fn start(table: &mut Table, ground: &Ground) {
    table.row(
        "start of a child until it is ready / of an empty program",
        Goal::AtMost(5.0),
        || {
            let plugins = ground.load(&[ground.library("measured")], NativePolicy::Process);
            let plugin = &plugins.loaded()[0];
            let empty = || Command::new("/bin/true").stdin(Stdio::null()).status();
            times(pair(|| new_child(plugin), empty))
        },
    );
}

fn idle(table: &mut Table, ground: &Ground) {
    table.row("20 idle plugins together", Goal::AtMost(40.0), || {
        let libraries: Vec<_> = (0..IDLE).map(|at| ground.library(&format!("idle{at}"))).collect();
        let plugins = ground.load(&libraries, NativePolicy::Process);
        for plugin in plugins.loaded() {
            let call = Call::new(plugin, "three", &ground.context).expect("a component");
            call.run().expect("a text");
        }
        let sizes: Vec<u64> = children().into_iter().filter_map(proportional).collect();
        let all = sizes.iter().sum::<u64>() as f64 / 1024.0;
        (all, format!("MB of proportional set size, {} processes", sizes.len()))
    });
}

fn crash(table: &mut Table, ground: &Ground) {
    let plugins = ground.load(&[ground.library("measured")], NativePolicy::Process);
    let (crash, good) = (ground.call(&plugins, "crash"), ground.call(&plugins, "three"));
    let (mut noticed, mut back) = (Vec::new(), Vec::new());
    for _ in 0..CRASHES {
        noticed.push(timed(|| assert!(crash.run().is_err(), "it crashes")));
        back.push(timed(|| assert!(good.run().is_ok(), "it is back")));
    }
    table.row("a segfault is noticed after the call is sent", Goal::AtMost(5.0), || {
        (middle(noticed).as_secs_f64() * 1e3, format!("ms; {} children now", children().len()))
    });
    table.row("the next call has it back / one start of a child", Goal::None, || {
        let start = alone(|| new_child(&plugins.loaded()[0]));
        let back = middle(back);
        (back.as_secs_f64() / start.as_secs_f64(), format!("times; {back:.2?} and {start:.2?}"))
    });
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The processes that this one has started and not waited for.
fn children() -> Vec<u32> {
    let own = std::process::id();
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let all = lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    all.filter_map(|pid| pid.parse().ok()).filter(|pid| *pid != own).collect()
}

/// The kilobytes of a process, shared ones divided among those that share them.
fn proportional(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find(|line| line.starts_with("Pss:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A child that answers messages of one size with messages of another, and does nothing else.
struct Bare {
    socket: UnixStream,
    child: std::process::Child,
    message: Vec<u8>,
    answer: Vec<u8>,
}

impl Bare {
    fn new(sent: usize, got: usize) -> Self {
        let (socket, theirs) = UnixStream::pair().expect("a socket");
        let program = std::env::current_exe().expect("this program");
        let child = Command::new(program)
            .args([ECHO, &sent.to_string(), &got.to_string()])
            .stdin(OwnedFd::from(theirs))
            .spawn()
            .expect("this program starts");
        Self { socket, child, message: vec![1; sent], answer: vec![0; got] }
    }

    fn round(&mut self) {
        self.socket.write_all(&self.message).expect("the child is there");
        self.socket.read_exact(&mut self.answer).expect("the child answers");
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other side of [`Bare`].
fn echo(sent: usize, got: usize) {
    let Ok(socket) = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3) else { return };
    let mut socket = UnixStream::from(socket);
    let (mut message, answer) = (vec![0; sent], vec![1; got]);
    while socket.read_exact(&mut message).is_ok() && socket.write_all(&answer).is_ok() {}
}
