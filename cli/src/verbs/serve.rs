//! `serve`: the HTTP API and the page.
//!
//! In: an address, the packs and plugins in force. Out: a server that follows their files. Never: takes a pack, a plugin or a path
//! from a request.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use promptweave_loader::{Live, Reload};
use promptweave_loopback::{Limits, Token};
use promptweave_preview::{Preview, Server, ServerError, SessionLimits, Setup};
use serde_json::json;

use crate::console::Console;
use crate::context;
use crate::failure::Failure;
use crate::packs::{self, PackFlags};
use crate::plugins::Plugins;

const EXAMPLES: &str = "\
Examples:
  promptweave serve
  promptweave serve --addr 127.0.0.1:0 --pack packs/acme
  promptweave serve --addr 0.0.0.0:7979 --token-file token --allow-host box.example:7979";

/// How long one wait for a change lasts; then the next begins.
const ROUND: Duration = Duration::from_secs(3600);

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
    #[arg(long, value_name = "HOST[:PORT]")]
    allow_host: Vec<String>,
    #[command(flatten)]
    packs: PackFlags,
}

impl Serve {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let token = self.token_file.as_deref().map(Token::from_file).transpose();
        let token = token.map_err(|error| {
            Failure::input(error.to_string(), "write a long random line: `openssl rand -hex 32`")
        })?;
        let limits = Limits::default();
        let flags = self.packs.clone();
        let live = Live::start(&packs::watched(&self.packs), move || flags.engine());
        let live = live.map_err(packs::unwatched)?;
        let plugins = Plugins::find(&self.packs);
        console.tell(live.engine().diagnostics());
        let preview = Preview::new(Setup {
            engine: live.engine(),
            plugins: plugins.listed(),
            machine: context::machine,
            sessions: SessionLimits::default(),
            threads: limits.concurrency,
        });
        let (followed, packs) = (preview.clone(), self.packs.clone());
        thread::spawn(move || follow(&live, &followed, &packs));
        let hosts = self.allow_host.clone();
        let server = Server { address: self.addr, token, hosts, limits };
        server.run(&preview, |address| tell(console, address)).map_err(unserved)
    }
}

/// Hands on each engine that the files make; ends with the process.
fn follow(live: &Live<Failure>, preview: &Preview, packs: &PackFlags) {
    loop {
        match live.wait(ROUND) {
            None => {}
            Some(Reload::New(engine)) => preview.replace(engine, Plugins::find(packs).listed()),
            Some(Reload::Kept(broken)) => preview.tell(broken.diagnostics()),
            Some(Reload::Failed(failure)) => preview.tell(&failure.diagnostics()),
        }
    }
}

/// Where it listens; nobody need read it.
fn tell(console: &Console, address: SocketAddr) {
    let url = format!("http://{address}/");
    let _ = match console.json {
        true => console.out_json(&json!({ "url": url })),
        false => console.out(format!("{url}\n")),
    };
}

fn unserved(error: ServerError) -> Failure {
    match error {
        ServerError::Listen(error) => Failure::input(
            error.to_string(),
            "give a free address of loopback, or another one with `--token-file`",
        ),
        ServerError::System(error) => Failure::input(
            format!("nothing can be served: {error}"),
            "the system's limit of threads or signals may be reached",
        ),
    }
}
