//! Which host to follow, and what the user allows.
//!
//! In: JSON. Out: [`Config`], with its profile read. Never: corrects a value in silence.

use std::path::PathBuf;

use promptweave_plugin::Error;
use serde::Deserialize;

use crate::profile::Profile;

/// The keys of the configuration; `plugin.toml` has the same defaults.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    profile: String,
    profile_toml: String,
    report: Report,
    named: Vec<String>,
    approved: Vec<PathBuf>,
    exclude: Vec<String>,
}

impl Default for Written {
    fn default() -> Self {
        Self {
            profile: "agents-md".into(),
            profile_toml: String::new(),
            report: Report::Warnings,
            named: Vec::new(),
            approved: Vec::new(),
            exclude: Vec::new(),
        }
    }
}

/// Which entries of the report become diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Report {
    /// Those that their authors should do something about.
    Warnings,
    All,
}

/// The configuration as it is meant.
pub(crate) struct Config {
    pub(crate) profile: Profile,
    pub(crate) report: Report,
    pub(crate) named: Vec<String>,
    pub(crate) approved: Vec<PathBuf>,
    pub(crate) exclude: Vec<String>,
}

impl Config {
    pub(crate) fn read(json: &str) -> Result<Self, Error> {
        let Written { profile, profile_toml, report, named, approved, exclude } =
            serde_json::from_str(json)?;
        let profile = match profile_toml.as_str() {
            "" => Profile::named(&profile)?,
            own => Profile::parse(own)?,
        };
        Ok(Self { profile, report, named, approved, exclude })
    }
}
