//! `new component`: a component in Markdown.

use clap::Args;
use promptweave::ComponentId;

use super::{Place, checked, write_all};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  promptweave new component house_rules --into packs/acme";

const TEXT: &str = "\
+++
description = \"What this section is for\"
# when = \"'fs' in capabilities\"
+++
{{!-- A comment never reaches the model; {{CWD}} prints a value. --}}
# Title

What the model is told.
";

/// Make a component; a variant that names it in its `order` prints it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewComponent {
    /// Its id
    id: String,
    #[command(flatten)]
    place: Place,
}

impl NewComponent {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        checked(ComponentId::new(&self.id))?;
        if promptweave::is_reserved(&self.id) {
            let why = format!("`{}` is the name of a helper, or begins with `else`", self.id);
            return Err(Failure::Usage(why));
        }
        let new = (format!("components/{}.md", self.id).into(), TEXT.to_owned());
        write_all(console, &self.place.dir()?, &[new])
    }
}
