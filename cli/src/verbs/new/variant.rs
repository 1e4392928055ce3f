//! `new variant`: a variant that stands on another one.

use clap::Args;
use promptweave::VariantId;

use super::{Place, checked, write_all};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  promptweave new variant acme --into packs/acme
  promptweave new variant acme-small --extends small";

/// What a variant stands on when nothing else is said and it is there.
const USUAL_BASE: &str = "generic";

/// Make a variant that extends another one
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewVariant {
    /// Its id
    id: String,
    /// What it stands on; without it the variant of the same id that it shadows, else `generic`
    #[arg(long, value_name = "ID")]
    extends: Option<String>,
    #[command(flatten)]
    place: Place,
}

impl NewVariant {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        checked(VariantId::new(&self.id))?;
        let dir = self.place.dir()?;
        let engine = self.place.packs.bare_engine_of(&dir)?;
        let known = |id: &&str| engine.registry().current(id).is_some();
        let base = match &self.extends {
            Some(base) if known(&base.as_str()) => Some(base.as_str()),
            Some(base) => return Err(Failure::Usage(format!("there is no variant `{base}`"))),
            None => [&*self.id, USUAL_BASE].into_iter().find(known),
        };
        write_all(console, &dir, &[(format!("{}.toml", self.id).into(), text(base))])
    }
}

fn text(base: Option<&str>) -> String {
    let stands = match base {
        Some(base) => format!(
            "extends = \"{base}\"

# What it does otherwise than its base, and survives changes of it.
# [patch]
# insert = [{{ component = \"house_rules\", last = true }}]
# remove = []
"
        ),
        None => "order = [] # ids of components\n".into(),
    };
    format!(
        "description = \"What this design is for\"
{stands}
# Uncomment to let it claim contexts by itself; this is never inherited.
# [match]
# models = [\"claude\", \"!claude-2\"]
"
    )
}
