//! `mcp`: a server of the Model Context Protocol.
//!
//! In: the packs and plugins in force. Out: a server that follows their files. Never: takes a pack, a plugin or a path from a
//! request, or writes anything but the protocol to the standard output that it speaks on.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;

use clap::Args;
use promptweave_loopback::Limits;
use promptweave_mcp::{HttpServer, Packs, ServeError, serve_stdio};

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;
use crate::served::{self, Newest};

const EXAMPLES: &str = "\
Examples:
  promptweave mcp
  promptweave mcp --pack packs/acme
  promptweave mcp --http 127.0.0.1:7980 --token-file token";

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
    #[arg(long, value_name = "HOST[:PORT]", requires = "http", value_parser = served::host)]
    allow_host: Vec<String>,
    #[command(flatten)]
    packs: PackFlags,
}

impl Mcp {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let token = served::token(self.token_file.as_deref())?;
        let limits = Limits::default();
        let live = served::live(&self.packs, console)?;
        let packs = Packs::new(live.engine(), limits.concurrency);
        let (followed, told) = (packs.clone(), Console::new(console.json, 0));
        thread::spawn(move || {
            served::follow(&live, &told, |newest| match newest {
                Newest::InForce(engine) => followed.replace(engine),
                // Clients ask for it by `check_pack`.
                Newest::Refused(_) => {}
            });
        });
        let Some(address) = self.http else { return serve_stdio(&packs).map_err(unserved) };
        let hosts = self.allow_host.clone();
        let server = HttpServer { address, token, hosts, limits };
        server.run(&packs, |url| served::tell(console, url)).map_err(unserved)
    }
}

fn unserved(error: ServeError) -> Failure {
    match error {
        ServeError::Listen(error) => served::unlistened(&error),
        ServeError::System(error) => served::unsupported(error),
    }
}
