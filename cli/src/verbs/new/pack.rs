//! `new pack`: an empty pack, or one that builds a given prompt.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{ComponentId, PackName};

use super::prompt::{Part, cut};
use super::quote::toml_string;
use super::{NewFile, checked, write_all};
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::packs::{PACK_FILE, PROJECT_FOLDER, PackFlags};

const EXAMPLES: &str = "\
Examples:
  promptweave new pack
  promptweave new pack packs/acme --from PROMPT.md
  promptweave build --pack packs/acme --variant acme";

/// Make a pack with one variant
///
/// With --from, the prompt is cut at its headings into components, and the variant builds the identical
/// bytes.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewPack {
    /// Its folder
    #[arg(value_name = "DIR", default_value = PROJECT_FOLDER)]
    dir: PathBuf,
    /// Its name, and its variant's; without it the folder's
    #[arg(long)]
    name: Option<String>,
    /// A prompt in Markdown
    #[arg(long, value_name = "FILE|-")]
    from: Option<PathBuf>,
    /// Cut at headings of this level and above
    #[arg(long, value_name = "1-6", default_value_t = 2, requires = "from")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=6))]
    level: u8,
    #[command(flatten)]
    packs: PackFlags,
}

impl NewPack {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let name = self.name.clone().unwrap_or_else(|| slug(&folder_name(&self.dir)));
        checked(PackName::new(&name))?;
        let engine = self.packs.bare_engine()?;
        let taken = engine.registry().components.keys().map(ToString::to_string).collect();
        let new = match &self.from {
            None => scaffold(&name, &taken),
            Some(path) => from_prompt(&name, &files::read_exact(path)?, self.level, taken),
        };
        write_all(console, &self.dir, &new)?;
        if self.dir.ends_with(PROJECT_FOLDER) && console.err_is_terminal() {
            console.say("`promptweave trust` lets a project's pack load\n");
        }
        Ok(())
    }
}

/// The name of the folder; of a project's pack, the project's.
fn folder_name(dir: &Path) -> String {
    let whole = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let own = if whole.ends_with(PROJECT_FOLDER) { whole.parent() } else { Some(&*whole) };
    let name = own.and_then(Path::file_name).unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A name of lower-case letters, digits and `-`.
fn slug(words: &str) -> String {
    let words = words.to_lowercase();
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    let slug = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    let slug: String = slug.chars().take(MAX_ID - SUFFIX).collect();
    if slug.is_empty() { "pack".into() } else { slug }
}

/// Bytes of an id, and those that are kept for making it unique.
const MAX_ID: usize = 64;
const SUFFIX: usize = 8;

fn pack_file(name: &str) -> NewFile {
    let text = format!(
        "# What this folder is: `promptweave check` tells what is wrong with it.
format = 1
name = \"{name}\"
version = \"0.1.0\"
description = \"What these prompts are for\"
"
    );
    (PACK_FILE.into(), text)
}

fn scaffold(name: &str, taken: &BTreeSet<String>) -> Vec<NewFile> {
    let mut ids = Ids::new(taken.clone());
    let (role, rules) = (ids.of("agent_role"), ids.of("house_rules"));
    let variant = format!(
        "# One prompt design; `promptweave build --variant {name}` asks for it by name.
description = \"What this design is for\"
order = [\"{role}\", \"{rules}\"]

# Uncomment to let it claim contexts by itself.
# [match]
# models = [\"claude\", \"!claude-2\"]

[placeholders]
AGENT_NAME = \"Weaver\"
"
    );
    let role_text = "+++
description = \"Who the agent is\"
+++
You are {{AGENT_NAME}}, an agent that works on software with its user.
";
    let rules_text = "+++
description = \"What holds in every task\"
+++
# Rules

- Answer the question before doing more.
{{#if CWD}}
- Stay inside {{CWD}}.
{{/if}}
";
    vec![
        pack_file(name),
        (format!("{name}.toml").into(), variant),
        (format!("components/{role}.md").into(), role_text.into()),
        (format!("components/{rules}.md").into(), rules_text.into()),
    ]
}

/// The files of a pack that builds `text`. Its components have ids that nobody else has, so that no
/// other variant changes.
pub(super) fn from_prompt(
    name: &str,
    text: &str,
    level: u8,
    taken: BTreeSet<String>,
) -> Vec<NewFile> {
    let mut ids = Ids::new(taken);
    let mut variant = format!(
        "# Builds the prompt that it was made from, byte for byte: nothing stands between its sections,
# and nothing is tidied. `promptweave build --variant {name}` asks for it by name.
description = \"Made from a prompt in Markdown\"
separator = \"\"
tidy = \"off\"
"
    );
    let mut new = vec![pack_file(name)];
    if text.trim().is_empty() {
        // No section is blank, but a template may be.
        variant.push_str(&format!("order = []\ntemplate = {}\n", toml_string(text)));
    } else {
        variant.push_str("order = [\n");
        for part in cut(text, level.into()) {
            let id = ids.of(&identifier(part.title));
            variant.push_str(&format!("    \"{id}\",\n"));
            new.push((format!("components/{id}.toml").into(), component(&part)));
        }
        variant.push_str("]\n");
    }
    new.push((format!("{name}.toml").into(), variant));
    new
}

fn component(part: &Part<'_>) -> String {
    let title = part.title.map(str::trim).filter(|title| !title.is_empty());
    let description = toml_string(title.unwrap_or("What stands before the first heading"));
    format!("description = {description}\ntext = {}\n", toml_string(part.text))
}

/// A component id out of a heading's words.
pub(super) fn identifier(title: Option<&str>) -> String {
    let words = title.unwrap_or("opening").to_lowercase();
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    let id = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
    let id: String = id.chars().take(MAX_ID - SUFFIX).collect();
    match id.chars().next() {
        None => "part".into(),
        Some(first) if first.is_ascii_alphabetic() => id,
        Some(_) => format!("part_{id}").chars().take(MAX_ID - SUFFIX).collect(),
    }
}

/// Makes ids unique.
pub(super) struct Ids {
    taken: BTreeSet<String>,
}

impl Ids {
    pub(super) fn new(taken: BTreeSet<String>) -> Self {
        Self { taken }
    }

    /// The id itself, or with a number behind it where it is taken or may not name a component.
    pub(super) fn of(&mut self, id: &str) -> String {
        let id = if promptweave::is_reserved(id) { format!("part_{id}") } else { id.to_owned() };
        let numbered = (2..).map(|number| format!("{id}_{number}"));
        let mut free = std::iter::once(id.clone()).chain(numbered);
        let free = free.find(|id| !self.taken.contains(id)).unwrap_or_default();
        self.taken.insert(free.clone());
        debug_assert!(ComponentId::new(&free).is_ok(), "{free}");
        free
    }
}

#[cfg(test)]
mod tests;
