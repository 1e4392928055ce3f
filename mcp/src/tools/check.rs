//! `check_pack`.
//!
//! In: perhaps the name of a loaded pack. Out: what `check --json` prints, in an object. Never: loads anything.

use promptweave::{Diagnostic, Engine, Origin, Pack};
use promptweave_inspect::check;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::refusal::Refusal;

/// What is checked.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CheckArguments {
    /// The name of a pack that is loaded; all of them without it
    pack: Option<String>,
    /// Warn of each variant whose prompt, made from an empty context, has more tokens
    max_tokens: Option<u32>,
}

impl CheckArguments {
    /// `{diagnostics}`: that there are some is no failure of the check.
    pub(super) fn check(self, engine: &Engine) -> Result<Json, Refusal> {
        let Self { pack, max_tokens } = self;
        let packs = &engine.registry().packs;
        let named = |name: String| {
            let found: Vec<&Pack> =
                packs.iter().filter(|pack| pack.name.as_str() == name).collect();
            if found.is_empty() { Err(unknown(packs, &name)) } else { Ok(found) }
        };
        let only = pack.map(named).transpose()?;
        let mut told = check(engine, None, max_tokens.map(|most| most as usize));
        if let Some(only) = only {
            told.retain(|one| only.iter().any(|pack| is_of(one, pack)));
        }
        let told: Json = told.iter().map(Diagnostic::to_json).collect();
        Ok(json!({ "diagnostics": told }))
    }
}

fn unknown(packs: &[Pack], name: &str) -> Refusal {
    let names: Vec<&str> = packs.iter().map(|pack| pack.name.as_str()).collect();
    Refusal::failed("unknown-pack", format_args!("there is no pack `{name}`")).help(format!(
        "there are: {}; others are named on the server's command line",
        names.join(", ")
    ))
}

/// Whether a diagnostic is about a file of a pack, loaded or not.
fn is_of(told: &Diagnostic, pack: &Pack) -> bool {
    if let Origin::Item { extension, .. } = &told.origin {
        return **extension == *pack.name.as_str();
    }
    let folder = pack.origin.file_name().and_then(|file| file.strip_suffix("pack.toml"));
    let file = told.origin.file_name();
    folder.zip(file).is_some_and(|(folder, file)| file.starts_with(folder))
}
