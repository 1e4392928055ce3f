//! The project's chores: `cargo xtask test`, `bless`, `page`, `sdks`, `node`, `python`, `book`, `bench`, `fuzz`, `schemathesis`, `package`.
//!
//! In: a verb. Out: the exit status of the first step that fails. Never: holds logic that a user needs.

mod bench;
mod book;
mod fuzz;
mod node;
mod package;
mod page;
mod python;
mod schemathesis;
mod sdks;
mod test;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use package::Profile;

const HELP: &str = "\
usage: cargo xtask VERB

  test    everything that must pass: format, lints, tests, doc tests, docs, the page in a browser
  bless   runs the tests and takes what they print as the new snapshots
  page    the preview's page: its types, whether its built files are stale, its tests in a browser
          (`page build` builds the files anew, `page bless` takes what is seen as the new pictures)
  node    packs the package for Node.js, installs it in a fresh folder and runs its tests there
          (`node bench` runs its benches alone)
  sdks    installs the libraries that servers are driven by, as `test` does
  book    makes the book of docs/ below target/book by mdBook, where that is installed; a warning is an error
  python  makes the wheel for Python, without optimisation, and tests it where it is installed
          (`python bench` measures it)
  bench   runs the benches and prints a table of ratios within one run
  fuzz    runs each fuzz target for a minute (SECONDS to change), installing cargo-fuzz where it is missing
  schemathesis   fuzzes the HTTP API against its document (EXAMPLES by route), installing schemathesis where it is missing
  package makes the archives for other languages, tried out in a fresh folder, below target/archives
          (dev: without optimisation)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::run(),
        ["sdks"] => sdks::install(),
        ["book"] => book::run(),
        ["bless"] => test::bless(),
        ["page"] => page::run(),
        ["page", "build"] => page::build(),
        ["page", "bless"] => page::bless(),
        ["python"] => python::tools().and_then(|tools| python::test(&tools)),
        ["python", "bench", filter @ ..] => python::bench(filter),
        ["bench", filter @ ..] => bench::run(filter),
        ["schemathesis", examples @ ..] => schemathesis::run(examples.first().copied()),
        ["fuzz", seconds @ ..] => fuzz::run(seconds.first().copied().unwrap_or("60")),
        ["node"] => node::test(),
        ["node", "bench", filter @ ..] => node::bench(filter),
        ["package"] => package::run(Profile::Release),
        ["package", "dev"] => package::run(Profile::Dev),
        _ => Err(HELP.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a program in the workspace's root; its output goes where ours does.
fn command(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let shown = format!("{program} {}", arguments.join(" "));
    eprintln!("\n$ {shown}");
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).envs(environment.iter().copied());
    let status =
        command.status().map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed")) }
}

/// The workspace's root.
fn root() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/..")
}

/// Where cargo puts what it builds.
fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| Path::new(root()).join("target"))
}
