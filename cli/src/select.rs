//! The selectors that most verbs share: which packs, which context, which variant.
//!
//! In: flags. Out: an engine, a context, a built prompt. Never: prints a result.

use clap::Args;
use promptweave::{Ask, Context, Diagnostic, Engine, Error, Prompt};
use promptweave_inspect::Built;

use crate::console::{Console, grave};
use crate::context::ContextFlags;
use crate::failure::Failure;
use crate::packs::PackFlags;
use crate::session::{self, Keep, SessionFlags};

/// Which variant, instead of or besides matching.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Variant")]
pub(crate) struct AskFlags {
    /// Take this variant instead of the one that matches
    #[arg(long, value_name = "ID[@VERSION|@LABEL]", conflicts_with = "tag")]
    pub(crate) variant: Option<String>,
    /// Take the version with this label
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Option<String>,
    /// Ask only variants with this tag
    #[arg(long, value_name = "NAME")]
    pub(crate) tag: Option<String>,
    /// Drop sections until the prompt has at most so many tokens
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
}

impl AskFlags {
    /// What the engine is asked for.
    pub(crate) fn ask(&self) -> Ask {
        let Self { variant, label, tag, max_tokens } = self.clone();
        Ask { variant, label, tag, budget: max_tokens }
    }
}

/// Whether warnings end a verb.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Strictness {
    /// Fail at the first warning, with exit status 1 and without a result
    #[arg(long)]
    pub(crate) strict: bool,
}

impl Strictness {
    /// Fails when it is strict and one of these is more than a note.
    pub(crate) fn judge<'d>(
        self,
        told: impl IntoIterator<Item = &'d Diagnostic>,
    ) -> Result<(), Failure> {
        if self.strict && grave(told) > 0 { Err(Failure::Check) } else { Ok(()) }
    }
}

/// Which packs, which context, which variant.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Selectors {
    #[command(flatten)]
    pub(crate) strictness: Strictness,
    #[command(flatten)]
    pub(crate) context: ContextFlags,
    #[command(flatten)]
    pub(crate) ask: AskFlags,
    #[command(flatten)]
    pub(crate) session: SessionFlags,
    #[command(flatten)]
    pub(crate) packs: PackFlags,
}

/// A build, whether it gave a prompt or not.
pub(crate) struct Attempt {
    engine: Engine,
    context: Context,
    probed: Vec<Diagnostic>,
    built: Result<Prompt, Error>,
}

impl Selectors {
    /// Builds the prompt and tells what there is to tell.
    pub(crate) fn build(&self, console: &Console) -> Result<Built, Failure> {
        let attempt = self.attempt(self.packs.engine()?, Keep::Written)?;
        console.tell(attempt.told());
        self.strictness.judge(attempt.told())?;
        attempt.finish()
    }

    /// Builds the prompt and tells nothing.
    pub(crate) fn attempt(&self, engine: Engine, keep: Keep) -> Result<Attempt, Failure> {
        let ask = self.ask.ask();
        let (context, probed, built) = match &self.session.session {
            Some(file) => session::prompt(&engine, (file, keep), &self.context, &ask)?,
            None => {
                let (context, probed) = self.context.probed(&engine)?;
                let built = engine.prompt_for(&context, &ask);
                (context, probed, built)
            }
        };
        Ok(Attempt { engine, context, probed, built })
    }
}

impl Attempt {
    /// What there is to tell.
    pub(crate) fn told(&self) -> impl Iterator<Item = &Diagnostic> {
        let own = self.built.as_ref().map(Prompt::diagnostics).unwrap_or_default();
        self.engine.diagnostics().iter().chain(&self.probed).chain(own)
    }

    /// The prompt, or why there is none.
    pub(crate) fn finish(self) -> Result<Built, Failure> {
        let Self { engine, context, probed, built } = self;
        Ok(Built::new(engine, context, built?).told_before(probed))
    }
}
