//! `serve`: the HTTP API and the page.
//!
//! In: an address, the packs and plugins in force. Out: a server that follows their files. Never: takes a pack, a plugin or a path
//! from a request.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;

use clap::Args;
use promptweave_loopback::Limits;
use promptweave_preview::{Preview, Server, ServerError, SessionLimits, Setup};

use crate::console::Console;
use crate::context;
use crate::failure::Failure;
use crate::packs::PackFlags;
use crate::plugins::Plugins;
use crate::served::{self, Newest};

const EXAMPLES: &str = "\
Examples:
  promptweave serve
  promptweave serve --addr 127.0.0.1:0 --pack packs/acme
  promptweave serve --addr 0.0.0.0:7979 --token-file token --allow-host box.example:7979";

/// Serve the HTTP API and the preview page
///
/// Every user of this machine reaches a port on loopback: without --token-file each of them may ask. Packs and plugins are
/// those of this command line; when their files change they are loaded anew. The first line of standard output is the address.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Where to listen; port 0 is a free one. An address that other machines reach needs --token-file
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:7979")]
    addr: SocketAddr,
    /// Ask for the token in this file: one line of 16 characters or more, which only its owner may read
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Answer to this name too, as browsers send it; may be given again
    #[arg(long, value_name = "HOST[:PORT]", value_parser = served::host)]
    allow_host: Vec<String>,
    #[command(flatten)]
    packs: PackFlags,
}

impl Serve {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let token = served::token(self.token_file.as_deref())?;
        let limits = Limits::default();
        let live = served::live(&self.packs, console)?;
        let plugins = Plugins::find(&self.packs);
        let preview = Preview::new(Setup {
            engine: live.engine(),
            plugins: plugins.listed(),
            machine: context::machine,
            sessions: SessionLimits::default(),
            threads: limits.concurrency,
        });
        let (followed, packs) = (preview.clone(), self.packs.clone());
        let told = Console::new(console.json, 0);
        thread::spawn(move || {
            served::follow(&live, &told, |newest| match newest {
                Newest::InForce(engine) => followed.replace(engine, Plugins::find(&packs).listed()),
                Newest::Refused(diagnostics) => followed.tell(diagnostics),
            });
        });
        let hosts = self.allow_host.clone();
        let server = Server { address: self.addr, token, hosts, limits };
        let ready = |address| served::tell(console, &format!("http://{address}/"));
        server.run(&preview, ready).map_err(|error| match error {
            ServerError::Listen(error) => served::unlistened(&error),
            ServerError::System(error) => served::unsupported(error),
        })
    }
}
