//! The arguments: one definition, from which help, completions and man pages come.

use clap::{Parser, Subcommand};

use crate::console::Console;
use crate::failure::Failure;
use crate::verbs;

const STATUS: &str = "\
Exit status:
  0  done; notes and warnings allowed
  1  a check failed, or --strict met a warning
  2  wrong usage
  3  no variant
  4  input cannot be read";

/// Builds the system prompts of agents from packs of variants and components.
#[derive(Parser)]
#[command(name = "promptweave", version, after_help = STATUS)]
pub(crate) struct Args {
    /// Print the result, and the diagnostics on standard error, as JSON
    #[arg(long, global = true, display_order = 100)]
    pub(crate) json: bool,
    /// Print what the engine does to standard error; twice: in more detail
    #[arg(short, long, global = true, display_order = 100, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// One file per verb in `verbs/`.
#[derive(Subcommand)]
pub(crate) enum Verb {
    #[command(visible_alias = "render")]
    Build(verbs::build::Build),
    #[command(visible_alias = "why")]
    Explain(verbs::explain::Explain),
    Blame(verbs::blame::Blame),
    Layers(verbs::layers::Layers),
    Diff(verbs::diff::Diff),
    Replay(verbs::replay::Replay),
    #[command(visible_alias = "lint")]
    Check(verbs::check::Check),
    List(verbs::list::List),
    Show(verbs::show::Show),
    Cache(verbs::cache::Cache),
    Matrix(verbs::matrix::Matrix),
    Test(verbs::test::Test),
    Watch(verbs::watch::Watch),
    Serve(verbs::serve::Serve),
    Mcp(verbs::mcp::Mcp),
    Trust(verbs::trust::Trust),
    Skills(verbs::skills::Skills),
    Plugin(verbs::plugin::Plugin),
    Tidy(verbs::tidy::Tidy),
    Parse(verbs::parse::Parse),
    Gateway(verbs::gateway::Gateway),
    Schema(verbs::schema::Schema),
    New(verbs::new::New),
    Init(verbs::new::pack::NewPack),
    Completions(verbs::completions::Completions),
    Man(verbs::man::Man),
}

impl Verb {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        match self {
            Self::Build(verb) => verb.run(console),
            Self::Explain(verb) => verb.run(console),
            Self::Blame(verb) => verb.run(console),
            Self::Layers(verb) => verb.run(console),
            Self::Diff(verb) => verb.run(console),
            Self::Replay(verb) => verb.run(console),
            Self::Check(verb) => verb.run(console),
            Self::List(verb) => verb.run(console),
            Self::Show(verb) => verb.run(console),
            Self::Cache(verb) => verb.run(console),
            Self::Matrix(verb) => verb.run(console),
            Self::Test(verb) => verb.run(console),
            Self::Watch(verb) => verb.run(console),
            Self::Serve(verb) => verb.run(console),
            Self::Mcp(verb) => verb.run(console),
            Self::Trust(verb) => verb.run(console),
            Self::Skills(verb) => verb.run(console),
            Self::Plugin(verb) => verb.run(console),
            Self::Tidy(verb) => verb.run(console),
            Self::Parse(verb) => verb.run(console),
            Self::Gateway(verb) => verb.run(console),
            Self::Schema(verb) => verb.run(console),
            Self::New(verb) => verb.run(console),
            Self::Init(verb) => verb.run(console),
            Self::Completions(verb) => verb.run(console),
            Self::Man(verb) => verb.run(console),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn definitions_agree() {
        super::Args::command().debug_assert();
    }

    #[test]
    fn every_verb_has_an_example() {
        for verb in super::Args::command().get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("promptweave "), "{} has no example", verb.get_name());
        }
    }
}
