//! `plugin bench`: what a plugin costs.

use std::path::PathBuf;

use clap::Args;
use promptweave_testkit::{Measured, Options, measure};
use serde_json::json;

use super::check::{program, wrong};
use crate::console::Console;
use crate::failure::Failure;
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  promptweave plugin bench target/release/libacme.so
  promptweave plugin bench plugins/acme --calls 10000 --json";

/// Measure a plugin: the time of each item in process and in a child, loading, memory
///
/// Runs the plugin's code, in a process of its own. A host remembers what does not change and asks
/// less often than this.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PluginBench {
    /// A library, or the folder of a plugin
    #[arg(value_name = "LIB|DIR")]
    target: PathBuf,
    /// How often each item is called
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    calls: u32,
}

impl PluginBench {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let mut options = Options::new(program()?);
        options.effort.timed = self.calls;
        let measured = measure(&self.target, &options).map_err(wrong)?;
        if console.json {
            return console.out_json(&json!(measured));
        }
        console.out(drawn(&measured))
    }
}

fn drawn(measured: &Measured) -> String {
    let heads = ["item", "in process: median", "p99", "in a child: median", "p99"];
    let mut table = Table::with_heads(&heads);
    for item in &measured.items {
        let times =
            [item.here.median_us, item.here.p99_us, item.child.median_us, item.child.p99_us];
        let name = format!("{} {}", item.kind, item.id);
        table.row(std::iter::once(name).chain(times.map(micros)));
    }
    let memory = measured.memory_kib.map(|kib| format!(", {kib} KiB of memory"));
    format!(
        "{}\nloading: {} in process{}, {} in a child\n",
        table.text(),
        micros(measured.load_us),
        memory.unwrap_or_default(),
        micros(measured.child_us)
    )
}

/// A time with a unit that suits it.
fn micros(time: f64) -> String {
    if time < 1000.0 { format!("{time:.1} us") } else { format!("{:.1} ms", time / 1000.0) }
}
