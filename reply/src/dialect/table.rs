//! A dialect as it is written.
//!
//! In: TOML. Out: the same as Rust values, with the tokens as text. Never: knows what a token means.

use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use super::Grammar;

/// A dialect.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Table {
    pub(crate) name: String,
    /// For people.
    #[serde(default, rename = "description")]
    pub(crate) _description: String,
    /// Around one call or several; may be missing.
    #[serde(default)]
    pub(crate) wrapper: Vec<PairText>,
    #[serde(default)]
    pub(crate) reasoning: Vec<PairText>,
    /// Tokens that are no text.
    #[serde(default)]
    pub(crate) drop: Vec<String>,
    /// The ways in which a call is written.
    #[serde(default)]
    pub(crate) call: Vec<CallTable>,
    #[serde(skip)]
    pub(crate) grammar: OnceLock<Option<Arc<Grammar>>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PairText {
    pub(crate) open: String,
    pub(crate) close: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CallTable {
    /// None: it stands bare at the beginning of the message.
    #[serde(default)]
    pub(crate) open: Vec<String>,
    #[serde(default)]
    pub(crate) close: Vec<String>,
    #[serde(default)]
    pub(crate) closer: CloserText,
    pub(crate) tags: Option<TagsTable>,
    pub(crate) data: Option<DataTable>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CloserText {
    #[default]
    Required,
    /// A call without it is as good as one with it.
    Optional,
}

/// Parameters between tags.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TagsTable {
    pub(crate) open: Vec<String>,
    pub(crate) close: String,
    #[serde(default)]
    pub(crate) names: NamesText,
    #[serde(default)]
    pub(crate) values: ValuesText,
    /// Tags within a call that mean nothing.
    #[serde(default)]
    pub(crate) ignore: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NamesText {
    /// A tag is a parameter only if the tool has one of that name.
    #[default]
    Known,
    /// The tag itself says that it is a parameter.
    Any,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ValuesText {
    /// Raw or scalar, as the tool's specs say.
    #[default]
    BySpec,
    Raw,
    Scalar,
}

/// Parameters in JSON or in the form of a Python call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DataTable {
    #[serde(default)]
    pub(crate) style: StyleText,
    /// The keys that may hold the name; none: the opener holds it.
    #[serde(default)]
    pub(crate) name: Vec<String>,
    /// The keys that may hold the arguments; none: the object is the arguments.
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    /// The keys that may hold an id.
    #[serde(default)]
    pub(crate) id: Vec<String>,
    /// Between two calls that stand in no list.
    pub(crate) separator: Option<char>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StyleText {
    #[default]
    Json,
    Python,
}

impl Table {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}
