//! `gateway`: the Messages API on loopback, in front of any provider.
//!
//! In: a configuration, the packs in force. Out: the address on standard output, then answers until it is stopped. Never: a key or a
//! text of a request anywhere.

use std::path::PathBuf;

use clap::Args;
use promptweave::{Code, Diagnostic, Severity};
use promptweave_gateway::Config;
use serde_json::json;

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;
use crate::served;

const EXAMPLES: &str = "\
Examples:
  promptweave gateway --config gateway.toml
  promptweave gateway --config gateway.toml --check
  ANTHROPIC_BASE_URL=http://127.0.0.1:8790 my-agent";

/// Serve the Anthropic Messages API on loopback, in front of any provider
///
/// Requests go to upstreams by the model that they name, in the form of each, and answers come back in Anthropic's, streams event by
/// event. Keys are named in the configuration and stand in the environment or in files. The first line of the output is the address.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Gateway {
    /// The configuration: upstreams, routes, limits
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Look at the configuration and its keys, and serve nothing
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    packs: PackFlags,
}

impl Gateway {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let (config, told) = Config::read(&self.config);
        if let [unreadable] = &told[..]
            && unreadable.code == Code::FileUnreadable
        {
            return Err(Failure::Input(Box::new(unreadable.clone())));
        }
        console.tell(&told);
        let Some(config) = config else { return Err(Failure::Check) };
        let found = (config.routes.len(), config.upstreams.len());
        let engine = self.packs.engine()?;
        console.tell(engine.diagnostics());
        let gateway = promptweave_gateway::Gateway::new(config, engine).map_err(|told| {
            console.tell(&told);
            Failure::Check
        })?;
        if self.check {
            let is_grave = |told: &Diagnostic| told.severity > Severity::Note;
            return match told.iter().any(is_grave) {
                true => Err(Failure::Check),
                false => self.found(console, found),
            };
        }
        let ready = |addr| served::tell(console, &format!("http://{addr}"));
        promptweave_gateway::run(gateway, ready).map_err(|error| served::unlistened(&error))
    }

    /// Says what was looked at.
    fn found(&self, console: &Console, (routes, upstreams): (usize, usize)) -> Result<(), Failure> {
        if console.json {
            return console.out_json(&json!({ "routes": routes, "upstreams": upstreams }));
        }
        let counted = |count: usize, what: &str| {
            format!("{count} {what}{}", if count == 1 { "" } else { "s" })
        };
        let (routes, upstreams) = (counted(routes, "route"), counted(upstreams, "upstream"));
        let file = self.config.display();
        console.out(format!("{file}: {routes}, {upstreams}, no mistakes\n"))
    }
}
