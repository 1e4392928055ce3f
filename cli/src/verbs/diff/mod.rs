//! `diff`: two builds, section by section, and what the step from one to the other costs.

mod text;

use std::path::PathBuf;

use clap::Args;
use promptweave::{Diagnostic, Engine};
use promptweave_inspect::{Assignment, Side, diff};
use serde_json::json;

use crate::console::Console;
use crate::context;
use crate::failure::Failure;
use crate::paint::Paint;
use crate::select::{Attempt, Selectors};
use crate::session::Keep;

const EXAMPLES: &str = "\
Examples:
  promptweave diff --model claude-sonnet-4-5 --vs-model gpt-5
  promptweave diff -c plan.json --vs-context act.json
  promptweave diff --pack packs/acme --vs-pack packs/acme-next --json
  promptweave diff --pack packs/acme -c context.json --vs-git HEAD~1";

/// Compare two builds section by section: sizes, texts, and what a cache has to read again
///
/// The first build is the one that the other flags describe; the second one differs in what --vs-* says, and
/// all of them may be given together. With --vs-git the second build is the packs' past, so it is shown as the first.
/// The exit status is 0 whether or not there is a difference. A session's file is read and not written.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diff {
    #[command(flatten)]
    other: Other,
    #[command(flatten)]
    selectors: Selectors,
}

/// In what the second build differs.
#[derive(Args)]
#[group(required = true, multiple = true)]
#[command(next_help_heading = "The other build")]
struct Other {
    /// Its model's id
    #[arg(long, value_name = "ID")]
    vs_model: Option<String>,
    /// Its variant, instead of --variant, --label and --tag
    #[arg(long, value_name = "ID[@VERSION|@LABEL]")]
    vs_variant: Option<String>,
    /// Its context, instead of -c; what --set and its like say is put on both
    #[arg(long, value_name = "FILE|-")]
    vs_context: Option<PathBuf>,
    /// Its packs, instead of each --pack; may be given again
    #[arg(long, value_name = "DIR")]
    vs_pack: Vec<PathBuf>,
    /// The revision of the packs of --pack and of a trusted project; read from the repository, and nothing of it is run
    #[arg(long, value_name = "REV")]
    vs_git: Option<String>,
}

impl Diff {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let selectors = self.other.put_on(&self.selectors)?;
        let engine = self.selectors.packs.engine()?;
        let other = self.other.engine(&selectors, &engine)?;
        let this = self.selectors.attempt(engine, Keep::AsItIs)?;
        let other = selectors.attempt(other, Keep::AsItIs)?;
        let told = once(&this, &other);
        console.tell(told.iter().copied());
        self.selectors.strictness.judge(told)?;
        let this = Side::new("this build".into(), this.finish()?);
        let other = Side::new(self.other.name(), other.finish()?);
        let (before, after) =
            if self.other.vs_git.is_some() { (other, this) } else { (this, other) };
        match console.json {
            true => console.out_json(&diff(&before, &after)),
            false => console.out(text::text(&before, &after, Paint::of_stdout())),
        }
    }
}

impl Other {
    /// The selectors of the second build.
    fn put_on(&self, selectors: &Selectors) -> Result<Selectors, Failure> {
        let mut other = selectors.clone();
        if let Some(model) = &self.vs_model {
            // Behind every `--set`, so that it wins.
            let model = Assignment { path: "model.id".into(), value: json!(model) };
            other.context.overlay.set.push(context::Assignment(model));
        }
        if let Some(variant) = &self.vs_variant {
            (other.ask.variant, other.ask.label, other.ask.tag) =
                (Some(variant.clone()), None, None);
        }
        if let Some(context) = &self.vs_context {
            other.context.context = Some(context.clone());
        }
        if !self.vs_pack.is_empty() {
            other.packs.pack.clone_from(&self.vs_pack);
        }
        Ok(other)
    }

    /// The engine of the second build; the first one's where the packs are the same.
    fn engine(&self, selectors: &Selectors, engine: &Engine) -> Result<Engine, Failure> {
        match &self.vs_git {
            Some(revision) => selectors.packs.engine_at(revision),
            None if self.vs_pack.is_empty() => Ok(engine.clone()),
            None => selectors.packs.engine(),
        }
    }

    /// What the second build is called.
    fn name(&self) -> String {
        let Self { vs_model, vs_variant, vs_context, vs_pack, vs_git } = self;
        let path = |path: &PathBuf| path.display().to_string();
        let model = vs_model.iter().map(|id| format!("model {id}"));
        let variant = vs_variant.iter().map(|id| format!("variant {id}"));
        let context = vs_context.iter().map(|file| format!("context {}", path(file)));
        let packs = vs_pack.iter().map(|dir| format!("pack {}", path(dir)));
        let git = vs_git.iter().map(|revision| format!("git {revision}"));
        let all = model.chain(variant).chain(context).chain(packs).chain(git);
        all.collect::<Vec<_>>().join(", ")
    }
}

/// What both have to tell, each thing once.
fn once<'a>(this: &'a Attempt, other: &'a Attempt) -> Vec<&'a Diagnostic> {
    let mut told: Vec<&Diagnostic> = this.told().collect();
    let known: Vec<String> = told.iter().map(ToString::to_string).collect();
    told.extend(other.told().filter(|one| !known.contains(&one.to_string())));
    told
}
