//! Prints how many times as long as reading, parsing and building the contexts of a session `promptweave cache` takes, how
//! much a second thread helps, and how much memory many contexts take.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use promptweave::{Context, Engine};
use promptweave_benches::contexts::session;
use promptweave_benches::measure::pair_in_rounds;
use promptweave_benches::packs;
use promptweave_benches::table::{Goal, Table, times};

const MANY: usize = 10_000;
const FEW: usize = 1_000;
/// A round takes seconds.
const ROUNDS: usize = 5;

fn main() -> ExitCode {
    let mut table = Table::of_arguments();
    let Some(program) = program() else {
        eprintln!("cache: skipped, the program is not built for release");
        return table.verdict();
    };
    let dir = std::env::temp_dir().join(format!("promptweave-cache-{}", std::process::id()));
    let files = fs::create_dir_all(&dir).and_then(|()| Ok((file(&dir, MANY)?, file(&dir, FEW)?)));
    match files {
        Ok((many, few)) => rows(&mut table, &program, (&many, &few)),
        Err(error) => eprintln!("cache: skipped, {}: {error}", dir.display()),
    }
    let _ = fs::remove_dir_all(dir);
    table.verdict()
}

fn rows(table: &mut Table, program: &Path, (many, few): (&Path, &Path)) {
    let engine = packs::standard();
    let cache = |threads| run(program, many, threads);
    table.row("cache of 10,000 contexts / read, parse and build them", Goal::AtMost(1.5), || {
        times(pair_in_rounds(ROUNDS, || cache("1"), || build(&engine, many)))
    });
    table.row("cache of 10,000 contexts, one thread / two", Goal::AtLeast(1.6), || {
        times(pair_in_rounds(ROUNDS, || cache("1"), || cache("2")))
    });
    // What the machine gives now: on a busy one two threads get no more than one.
    table.row("work without any memory twice, one thread / two", Goal::None, || {
        times(pair_in_rounds(ROUNDS, || [busy(), busy()], busy_on_two_threads))
    });
    table.row("cache, peak memory of 10,000 contexts / 1,000", Goal::AtMost(1.2), || {
        let peaks = [many, few].map(|file| peak(program, file));
        let [of_many, of_few] = peaks.map(|peak| peak.unwrap_or_default());
        (of_many / of_few, format!("times; {of_many:.1} and {of_few:.1} MB"))
    });
}

/// Half a second, about.
fn busy() -> u64 {
    (0..400_000_000_u64).fold(1, |sum, step| std::hint::black_box(sum.wrapping_mul(3) ^ step))
}

fn busy_on_two_threads() -> u64 {
    let other = std::thread::spawn(busy);
    busy() ^ other.join().expect("it does not panic")
}

/// The lines, parsed and built, one after another.
fn build(engine: &Engine, contexts: &Path) -> usize {
    let file = File::open(contexts).expect("the file was written");
    let lines = BufReader::new(file).lines();
    let prompts = lines.map(|line| {
        let context = Context::from_json(&line.expect("a line")).expect("a context");
        engine.prompt(&context).expect("a prompt").text().len()
    });
    prompts.sum()
}

fn run(program: &Path, contexts: &Path, threads: &str) {
    let status = command(program, contexts, threads).status();
    assert!(status.is_ok_and(|status| status.success()), "`cache` ends well");
}

fn command(program: &Path, contexts: &Path, threads: &str) -> Command {
    let mut command = Command::new(program);
    command.arg("cache").arg(contexts).args(["--threads", threads]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The largest memory of the program in MB, as the system counts it while it runs; none where it does not say.
fn peak(program: &Path, contexts: &Path) -> Option<f64> {
    let mut child = command(program, contexts, "2").spawn().ok()?;
    let mut peak = None;
    while child.try_wait().ok()?.is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        peak = kilobytes.map(|kilobytes| kilobytes / 1e3).or(peak);
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

fn file(dir: &Path, requests: usize) -> io::Result<PathBuf> {
    let path = dir.join(format!("{requests}.jsonl"));
    let mut file = BufWriter::new(File::create(&path)?);
    for line in session(requests) {
        writeln!(file, "{line}")?;
    }
    file.flush()?;
    Ok(path)
}

/// The program beside this bench: `target/release/promptweave`.
fn program() -> Option<PathBuf> {
    let bench = std::env::current_exe().ok()?;
    let program = bench.parent()?.parent()?.join("promptweave");
    program.is_file().then_some(program)
}
