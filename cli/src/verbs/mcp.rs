//! `mcp`: a server of the Model Context Protocol.
//!
//! In: the packs and plugins in force. Out: a server that follows their files. Never: takes a pack, a plugin or a path from a
//! request, or writes anything but the protocol to the standard output that it speaks on.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use promptweave_loader::{Live, Reload};
use promptweave_loopback::{Limits, Token};
use promptweave_mcp::{HttpServer, Packs, ServeError, serve_stdio};
use serde_json::json;

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::{self, PackFlags};

const EXAMPLES: &str = "\
Examples:
  promptweave mcp
  promptweave mcp --pack packs/acme
  promptweave mcp --http 127.0.0.1:7980 --token-file token";

/// How long one wait for a change lasts; then the next begins.
const ROUND: Duration = Duration::from_secs(3600);

/// Serve the Model Context Protocol: prompts, tools, files of packs
///
/// On standard input and output, until the client closes them; or over HTTP. Each variant is a prompt; `build_prompt`,
/// `explain_prompt`, `check_pack` and `parse_reply` are tools. Packs and plugins are those of this command line; when their files
/// change they are loaded anew, and clients are told.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mcp {
    /// Serve streamable HTTP at /mcp instead; port 0 is a free one. An address that other machines reach needs --token-file
    #[arg(long, value_name = "IP:PORT")]
    http: Option<SocketAddr>,
    /// Ask for the token in this file: one line of 16 characters or more, which only its owner may read
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Answer to this name too, as clients send it; may be given again
    #[arg(long, value_name = "HOST[:PORT]", requires = "http")]
    allow_host: Vec<String>,
    #[command(flatten)]
    packs: PackFlags,
}

impl Mcp {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let token = self.token_file.as_deref().map(Token::from_file).transpose();
        let token = token.map_err(|error| {
            Failure::input(error.to_string(), "write a long random line: `openssl rand -hex 32`")
        })?;
        let limits = Limits::default();
        let flags = self.packs.clone();
        let live = Live::start(&packs::watched(&self.packs), move || flags.engine());
        let live = live.map_err(packs::unwatched)?;
        console.tell(live.engine().diagnostics());
        let packs = Packs::new(live.engine(), limits.concurrency);
        let (followed, told) = (packs.clone(), Console::new(console.json, 0));
        thread::spawn(move || follow(&live, &followed, &told));
        let Some(address) = self.http else { return serve_stdio(&packs).map_err(unserved) };
        let hosts = self.allow_host.clone();
        let server = HttpServer { address, token, hosts, limits };
        server.run(&packs, |url| tell(console, url)).map_err(unserved)
    }
}

/// Hands on each engine that the files make; what is wrong with others is said on standard error. Ends with the process.
fn follow(live: &Live<Failure>, packs: &Packs, console: &Console) {
    loop {
        match live.wait(ROUND) {
            None => {}
            Some(Reload::New(engine)) => {
                console.tell(engine.diagnostics());
                packs.replace(engine);
            }
            Some(Reload::Kept(broken)) => {
                console.tell(broken.diagnostics());
                console.say("errors: the last good packs stay in force\n");
            }
            Some(Reload::Failed(failure)) => failure.tell(console),
        }
    }
}

/// Where it listens; nobody need read it.
fn tell(console: &Console, url: &str) {
    let _ = match console.json {
        true => console.out_json(&json!({ "url": url })),
        false => console.out(format!("{url}\n")),
    };
}

fn unserved(error: ServeError) -> Failure {
    let help = match error {
        ServeError::Listen(_) => {
            "give a free address of loopback, or another one with `--token-file`"
        }
        ServeError::System(_) => "the system's limit of threads or signals may be reached",
    };
    Failure::input(error.to_string(), help)
}
