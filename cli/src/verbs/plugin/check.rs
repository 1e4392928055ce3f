//! `plugin check`: holds a plugin against every promise of the ABI.
//!
//! In: a library or a plugin's folder. Out: what came of each check. Never: plugin code in this process, unless
//! `--in-process` asks for it.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use promptweave_loader::{HostProgram, Sources};
use promptweave_testkit::{
    Checked, Fuzzed, Options, Process, Report, Status, TargetError, check, checks, fuzz,
};
use serde_json::{Value as Json, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::plugins::{CHECK_VERB, Plugins};
use crate::table::{Table, count};

const EXAMPLES: &str = "\
Examples:
  promptweave plugin check target/release/libacme.so
  promptweave plugin check plugins/acme --only call-null,call-utf8 --json
  promptweave plugin check libacme.so --only fuzz-short --seed 42 --in-process
  promptweave plugin check libacme.so --fuzz-minutes 10
  promptweave plugin check --list";

/// Hold a plugin against every promise of the ABI; exit status 1 when a check fails
///
/// Runs the plugin's code, each check in a process of its own. `validate.toml` beside the library
/// switches checks off, with a reason; docs/plugin-checks.md lists them all.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PluginCheck {
    /// A library, or the folder of a plugin
    #[arg(value_name = "LIB|DIR", required_unless_present = "list")]
    target: Option<PathBuf>,
    /// Only these checks
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = name)]
    only: Vec<String>,
    /// Run the plugin's code in this process, for a debugger
    #[arg(long)]
    in_process: bool,
    /// How long a check may take, such as 500ms or 10s; long checks get twelve times that
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    timeout: Duration,
    /// Where chance begins; the same seed makes the same calls
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Instead: call the plugin by chance for that long, one seed after the other
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["only", "in_process"])]
    fuzz_minutes: Option<u32>,
    /// Print the names of all checks
    #[arg(long)]
    list: bool,
}

impl PluginCheck {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        match (&self.target, self.fuzz_minutes) {
            (Some(_), _) if self.list => list(console),
            (None, _) => list(console),
            (Some(target), None) => {
                let report = check(target, &self.options()?).map_err(wrong)?;
                tell(console, &report)
            }
            (Some(target), Some(minutes)) => {
                let time = Duration::from_secs(60 * u64::from(minutes));
                let fuzzed = fuzz(target, &self.options()?, time).map_err(wrong)?;
                tell_fuzzed(console, &fuzzed)
            }
        }
    }

    fn options(&self) -> Result<Options, Failure> {
        let mut options = Options::new(program()?);
        options.only.clone_from(&self.only);
        options.process = if self.in_process { Process::This } else { Process::Child };
        options.timeout = self.timeout;
        options.seed = self.seed;
        options.keys = Plugins::at(&Sources::default()).config.keys;
        Ok(options)
    }
}

/// This program, as the process of one check.
pub(super) fn program() -> Result<HostProgram, Failure> {
    let path = env::current_exe().map_err(|error| {
        let message = format!("this program does not know its own file: {error}");
        Failure::input(message, "call it by its full path")
    })?;
    Ok(HostProgram { path, args: vec![CHECK_VERB.to_owned()] })
}

pub(super) fn wrong(error: TargetError) -> Failure {
    Failure::input(error.to_string(), "name a library, or the folder of a plugin with one in it")
}

/// The name of a check.
fn name(text: &str) -> Result<String, String> {
    match checks().iter().any(|check| check.name == text) {
        true => Ok(text.to_owned()),
        false => Err("there is no such check; `--list` prints them".into()),
    }
}

/// `500ms`, `10s` or `10`.
fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1),
        None => (text.strip_suffix('s').unwrap_or(text), 1000),
    };
    let millis = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    match millis {
        Some(millis) if millis > 0 => Ok(Duration::from_millis(millis)),
        Some(_) | None => Err("write a time such as 500ms or 10s".into()),
    }
}

fn list(console: &Console) -> Result<(), Failure> {
    if console.json {
        let all = checks().iter().map(|check| {
            json!({ "id": check.name, "stage": check.stage.as_str(), "about": check.about })
        });
        return console.out_json(&all.collect::<Json>());
    }
    let mut table = Table::with_heads(&["id", "stage", "a plugin that passes"]);
    for check in checks() {
        table.row([check.name, check.stage.as_str(), check.about]);
    }
    console.out(table.text())
}

fn tell(console: &Console, report: &Report) -> Result<(), Failure> {
    if console.json {
        console.out_json(&json!(report))?;
    } else {
        let mut table = Table::default();
        for Checked { name, status, why, .. } in &report.checked {
            table.row([status.as_str(), *name, why.as_str()]);
        }
        console.out(table.text())?;
        let of = |status| report.of(status).count();
        console.say(&format!(
            "{}: {} passed, {} skipped, {}, {} failed\n",
            count(report.checked.len(), "check"),
            of(Status::Pass),
            of(Status::Skip),
            count(of(Status::Warn), "warning"),
            of(Status::Fail),
        ));
    }
    if report.is_fine() { Ok(()) } else { Err(Failure::Check) }
}

fn tell_fuzzed(console: &Console, fuzzed: &Fuzzed) -> Result<(), Failure> {
    if console.json {
        console.out_json(&json!(fuzzed))?;
    } else {
        let tried = count(fuzzed.seeds as usize, "seed");
        let told = match &fuzzed.found {
            None => format!("{tried}: nothing found\n"),
            Some((seed, why)) => format!(
                "{tried}: {why}\nagain: --only fuzz-short --seed {seed}, with --in-process under a debugger\n"
            ),
        };
        console.out(told)?;
    }
    if fuzzed.found.is_none() { Ok(()) } else { Err(Failure::Check) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(time("10"), time("10s"));
        for wrong in ["", "s", "0s", "-1s", "1.5s", "1m", "99999999999999999999s"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
