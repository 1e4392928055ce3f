//! What the verbs that serve have in common: a token, packs that are followed, an address to tell.
//!
//! In: flags, an engine that follows its files. Out: what a server begins with, and each engine after that. Never: says the same twice
//! on standard error, or more of a prompt than where in its pack something is wrong.

use std::path::Path;
use std::time::Duration;

use promptweave::{Diagnostic, Engine};
use promptweave_loader::{Live, Reload};
use promptweave_loopback::{ListenError, Token, TokenError, host_name};
use serde_json::json;

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::{self, PackFlags};

/// How long one wait for a change lasts; then the next begins.
const ROUND: Duration = Duration::from_secs(3600);

/// The token of a file, where one is named.
pub(crate) fn token(file: Option<&Path>) -> Result<Option<Token>, Failure> {
    file.map(Token::from_file).transpose().map_err(|error| match error {
        TokenError::Unreadable { .. } => {
            Failure::input(error.to_string(), "name a file; `openssl rand -hex 32` writes its line")
        }
        TokenError::Shared(_) | TokenError::Weak(_) | TokenError::Random(_) => Failure::Unserved {
            code: "token-unusable",
            message: error.to_string(),
            help: "write a long random line: `openssl rand -hex 32`",
        },
    })
}

/// Reads the name of a host, for a flag.
pub(crate) fn host(text: &str) -> Result<String, String> {
    host_name(text).map_err(|error| error.to_string())
}

/// Loads the packs and plugins in force, says what is wrong with them, and begins to follow their files.
pub(crate) fn live(flags: &PackFlags, console: &Console) -> Result<Live<Failure>, Failure> {
    let own = flags.clone();
    let live = Live::start(&packs::watched(flags), move || own.engine());
    let live = live.map_err(packs::unwatched)?;
    console.log(live.engine().diagnostics());
    Ok(live)
}

/// What came of a change.
pub(crate) enum Newest<'d> {
    /// This engine is in force.
    InForce(Engine),
    /// What was there before stays in force, for this is wrong with the files.
    Refused(&'d [Diagnostic]),
}

/// Hands on what each change makes, and says on standard error what is wrong with it. Ends with the process.
pub(crate) fn follow(live: &Live<Failure>, console: &Console, mut hand: impl FnMut(Newest<'_>)) {
    let mut told = Told::of(live.engine().diagnostics());
    loop {
        let refused = match live.wait(ROUND) {
            None => continue,
            Some(Reload::New(engine)) => {
                told.tell(console, engine.diagnostics());
                hand(Newest::InForce(engine));
                continue;
            }
            Some(Reload::Kept(broken)) => broken.diagnostics().to_vec(),
            Some(Reload::Failed(failure)) => failure.diagnostics(),
        };
        if told.tell(console, &refused) {
            console.say("errors: the last good packs stay in force\n");
        }
        hand(Newest::Refused(&refused));
    }
}

/// What was told last: saving a file often brings several changes, which have the same to tell.
struct Told(Vec<String>);

impl Told {
    fn of(diagnostics: &[Diagnostic]) -> Self {
        Self(diagnostics.iter().map(|one| one.to_json().to_string()).collect())
    }

    /// Whether it is not what was told last.
    fn tell(&mut self, console: &Console, diagnostics: &[Diagnostic]) -> bool {
        let now = Self::of(diagnostics);
        let is_new = self.0 != now.0;
        *self = now;
        if is_new {
            console.log(diagnostics);
        }
        is_new
    }
}

/// Where it listens; nobody need read it.
pub(crate) fn tell(console: &Console, url: &str) {
    let _ = match console.json {
        true => console.out_json(&json!({ "url": url })),
        false => console.out(format!("{url}\n")),
    };
}

/// Why nothing listens.
pub(crate) fn unlistened(error: &ListenError) -> Failure {
    let (code, help) = match error {
        ListenError::NoToken(_) => ("token-missing", "listen on loopback, or ask for a token"),
        ListenError::InUse(_) => (
            "address-in-use",
            "give another port, 0 for any that is free, or stop what listens there",
        ),
        ListenError::Bind { .. } => ("address-unusable", "give an address of this machine"),
    };
    Failure::Unserved { code, message: error.to_string(), help }
}

/// The system gives no threads, or lets nobody listen to signals.
pub(crate) fn unsupported(why: impl ToString) -> Failure {
    Failure::Unserved {
        code: "system-limit",
        message: why.to_string(),
        help: "the system's limit of threads or signals may be reached",
    }
}
