//! `new tool`: a tool.

use clap::Args;
use promptweave::ToolId;

use super::{Place, checked, write_all};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  promptweave new tool deploy --into packs/acme";

const TEXT: &str = "\
description = \"What the tool does and what it gives back.\"
# when = \"'shell' in capabilities\"

[[parameter]]
name = \"path\"
type = \"string\"
required = true
instruction = \"What the model has to give\"
usage = \"a sample value\"
";

/// Make a tool
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewTool {
    /// Its name, by which the model calls it
    id: String,
    #[command(flatten)]
    place: Place,
}

impl NewTool {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        checked(ToolId::new(&self.id))?;
        let new = (format!("tools/{}.toml", self.id).into(), TEXT.to_owned());
        write_all(console, &self.place.dir()?, &[new])
    }
}
