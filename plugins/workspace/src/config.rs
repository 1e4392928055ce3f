//! How much is told, and how long it may take.
//!
//! In: JSON. Out: [`Config`], within its limits. Never: corrects a number in silence.

use std::time::Duration;

use promptweave_plugin::{Cx, Error};
use serde::Deserialize;

const MAX_COMMITS: usize = 100;
const MAX_STATUS_LINES: usize = 1000;
/// Percent of the call's time that may pass before what is not ready is left out; the rest is for the answer.
const SHARE_OF_BUDGET: u32 = 80;

/// The keys of the configuration; `plugin.toml` has the same defaults.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// How many commits, newest first.
    pub(crate) commits: usize,
    /// How many lines of the status; the last one then says how many there are more.
    pub(crate) status_lines: usize,
    limit_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { commits: 5, status_lines: 40, limit_ms: 1000 }
    }
}

impl Config {
    pub(crate) fn read(json: &str) -> Result<Self, Error> {
        let config: Self = serde_json::from_str(json)?;
        within("commits", config.commits, MAX_COMMITS)?;
        within("status_lines", config.status_lines, MAX_STATUS_LINES)?;
        Ok(config)
    }

    /// The time that reading may take in this call.
    pub(crate) fn limit(&self, cx: &Cx<'_>) -> Duration {
        let own = Duration::from_millis(self.limit_ms);
        cx.budget().map_or(own, |budget| own.min(budget * SHARE_OF_BUDGET / 100))
    }
}

fn within(key: &str, number: usize, most: usize) -> Result<(), Error> {
    if number <= most { Ok(()) } else { Err(format!("`{key}` is at most {most}").into()) }
}
