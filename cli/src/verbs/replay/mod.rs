//! `replay`: builds again what a receipt says was built.

mod receipt;
mod verdict;

use std::path::PathBuf;

use clap::Args;
use promptweave::{Diagnostic, JsonOptions, Prompt};

use crate::console::Console;
use crate::context::{self, Overlay};
use crate::failure::Failure;
use crate::files::STDIN;
use crate::packs::PackFlags;
use crate::select::Strictness;
use crate::session::NoSession;
use receipt::Receipt;
use verdict::Verdict;

const EXAMPLES: &str = "\
Examples:
  promptweave build -c context.json --format json > receipt.json
  promptweave replay receipt.json -c context.json
  promptweave replay receipt.json -c context.json --pack packs/acme --json

Exit status: 0 the same bytes, 1 they differ, 4 the receipt or the context cannot be read.";

/// Build again from a receipt and its context: the same bytes, or what differs
///
/// A receipt is what `build --format json` printed. It holds the variant, label, tag and budget that were asked for;
/// the context, what --set and its like put on it, and the packs are given again as they were for the build. What is
/// compared is all that is sent: the text, its blocks, the first message, the request's own blocks, the tools.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Replay {
    /// The receipt
    #[arg(value_name = "RECEIPT|-")]
    receipt: PathBuf,
    /// The context that it was built from
    #[arg(short, long, value_name = "FILE|-")]
    context: PathBuf,
    #[command(flatten)]
    strictness: Strictness,
    #[command(flatten)]
    overlay: Overlay,
    #[command(flatten)]
    packs: PackFlags,
    #[command(flatten)]
    _no_session: NoSession,
}

impl Replay {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        if self.receipt.as_os_str() == STDIN && self.context.as_os_str() == STDIN {
            let why = "standard input holds one text: the receipt or the context";
            return Err(Failure::Usage(why.into()));
        }
        let before = Receipt::read(&self.receipt)?;
        let engine = self.packs.engine()?;
        let context = self.overlay.on(context::read(&self.context)?)?;
        let built = engine.prompt_for(&context, &before.ask());
        let own = built.as_ref().map(Prompt::diagnostics).unwrap_or_default();
        let told: Vec<&Diagnostic> = engine.diagnostics().iter().chain(own).collect();
        console.tell(told.iter().copied());
        self.strictness.judge(told)?;
        let after = Receipt::of(&built?.to_json(&JsonOptions::default()))?;
        let verdict = Verdict::new(&before, &after);
        match console.json {
            true => console.out_json(&verdict.to_json())?,
            false => console.out(verdict.text(&after))?,
        }
        if verdict.is_same() { Ok(()) } else { Err(Failure::Check) }
    }
}
