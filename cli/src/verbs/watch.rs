//! `watch`: the prompt, again whenever a pack or a plugin changes.
//!
//! In: the packs, plugins and context in force. Out: a prompt, then differences. Never: ends because of a mistake
//! in a file that changed.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use promptweave::{Diagnostic, Engine, Prompt};
use promptweave_loader::{Live, Reload};
use similar::TextDiff;

use crate::console::Console;
use crate::failure::Failure;
use crate::packs;
use crate::select::Selectors;
use crate::table::{count, size};

const EXAMPLES: &str = "\
Examples:
  promptweave watch --model claude-sonnet-4-5
  promptweave watch --pack packs/acme -c context.json --full";

/// How long one wait for a change lasts; then the next begins.
const ROUND: Duration = Duration::from_secs(3600);

/// Build again whenever a file of a pack or a plugin changes
///
/// The first prompt is printed whole, each later one as a difference to the one before. While the packs have
/// errors, the last good ones stay in force, and the errors are printed. Plugins are started anew, so a
/// library may be built over while this runs.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Watch {
    /// Print each prompt whole
    #[arg(long)]
    full: bool,
    /// End after so many builds
    #[arg(long, value_name = "N")]
    builds: Option<usize>,
    #[command(flatten)]
    selectors: Selectors,
}

impl Watch {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        if self.selectors.session.session.is_some() {
            let why = "`watch` shows what a change makes, and a session keeps what it said before: leave out `--session`";
            return Err(Failure::Usage(why.into()));
        }
        let packs = self.selectors.packs.clone();
        let live = Live::start(&self.paths(), move || packs.engine()).map_err(packs::unwatched)?;
        let mut last = String::new();
        let mut built = self.show(console, &live.engine(), &mut last)?;
        while self.builds.is_none_or(|builds| built < builds) {
            match live.wait(ROUND) {
                None => {}
                Some(Reload::New(engine)) => built += self.show(console, &engine, &mut last)?,
                Some(Reload::Kept(broken)) => {
                    console.tell(broken.diagnostics());
                    console.say("errors: the last good prompt stays in force\n");
                }
                Some(Reload::Failed(failure)) => failure.tell(console),
            }
        }
        Ok(())
    }

    /// Prints what an engine builds; one build more, even when it has no prompt to give.
    fn show(
        &self,
        console: &Console,
        engine: &Engine,
        last: &mut String,
    ) -> Result<usize, Failure> {
        let (context, probed) = self.selectors.context.probed(engine)?;
        let prompt = match engine.prompt_for(&context, &self.selectors.ask.ask()) {
            Ok(prompt) => prompt,
            Err(error) => {
                console.tell(engine.diagnostics().iter().chain(&probed));
                Failure::from(error).tell(console);
                return Ok(1);
            }
        };
        let told = engine.diagnostics().iter().chain(&probed).chain(prompt.diagnostics());
        let told: Vec<&Diagnostic> = told.collect();
        console.tell(told.iter().copied());
        if self.full || last.is_empty() {
            let ended = if prompt.text().ends_with('\n') { "" } else { "\n" };
            console.out(format!("{}{ended}", prompt.text()))?;
        } else {
            console.out(difference(last, prompt.text()))?;
        }
        console.say(&summary(&prompt, told.len()));
        prompt.text().clone_into(last);
        Ok(1)
    }

    /// Whatever the packs and plugins in force are made of.
    fn paths(&self) -> Vec<PathBuf> {
        let mut paths = packs::watched(&self.selectors.packs);
        paths.extend(self.selectors.context.context.clone().filter(|path| path.is_file()));
        paths
    }
}

fn difference(before: &str, after: &str) -> String {
    if before == after {
        return "the prompt is the same\n".into();
    }
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(3).header("before", "after").to_string()
}

fn summary(prompt: &Prompt, told: usize) -> String {
    let variant = prompt.variant();
    let (sections, bytes) = (prompt.sections().len(), size(prompt.text().len()));
    format!(
        "{}@{}: {}, {bytes}, {}\n",
        variant.id,
        variant.version,
        count(sections, "section"),
        count(told, "diagnostic")
    )
}
