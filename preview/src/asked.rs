//! What requests may say.
//!
//! In: JSON. Out: typed requests, and their schemas. Never: a field that names a pack, a plugin or a file: what is not here is refused.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use promptweave::{Offsets, Target};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

use crate::named::{Named, distinct, distinct_option, names, read_by_name};

/// An object and nothing else: a derived type would take a list for one.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<T, M::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        from.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Object<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Which prompt is built.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BuildRequest {
    /// What the host says about this moment, taken as it is; `GET /v1/schema/context` describes it
    #[serde(deserialize_with = "distinct")]
    pub(crate) context: Map<String, Json>,
    /// Values by dotted path, put on top of the context
    #[serde(deserialize_with = "distinct")]
    pub(crate) set: BTreeMap<String, Json>,
    /// The model's id
    pub(crate) model: Option<String>,
    /// Who serves the model
    pub(crate) provider: Option<String>,
    /// What the agent may do now
    pub(crate) mode: Option<AgentMode>,
    /// The tools, by name
    pub(crate) tools: Option<Vec<String>>,
    /// `ID`, `ID@VERSION` or `ID@LABEL`, instead of matching
    pub(crate) variant: Option<String>,
    /// The version with this label
    pub(crate) label: Option<String>,
    /// Only variants with this tag are asked
    pub(crate) tag: Option<String>,
    /// What `/v1/build` answers with
    pub(crate) format: Format,
    /// The unit of offsets in JSON
    pub(crate) offsets: Unit,
    /// Sections are dropped until the prompt has at most so many tokens
    pub(crate) max_tokens: Option<u32>,
    /// Whether the first warning is an error
    pub(crate) strict: bool,
    /// The session that goes on, by its id
    pub(crate) session: Option<String>,
}

/// What the agent may do.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(crate) enum AgentMode {
    Plan,
    Act,
}

names!(AgentMode, "mode":
    "plan" => AgentMode::Plan,
    "act" => AgentMode::Act,
);

impl AgentMode {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Act => "act",
        }
    }
}

/// The unit of offsets.
#[derive(Clone, Copy, Debug, Default, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(crate) enum Unit {
    /// Bytes of UTF-8
    #[default]
    Bytes,
    /// UTF-16 code units, for editors
    Utf16,
}

names!(Unit, "unit":
    "bytes" => Unit::Bytes,
    "utf16" => Unit::Utf16,
);

impl From<Unit> for Offsets {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Bytes => Self::Bytes,
            Unit::Utf16 => Self::Utf16,
        }
    }
}

/// The form of a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// Everything about it.
    #[default]
    Json,
    /// Its text, and nothing else.
    Text,
    /// Its text in runs of one cache scope.
    Blocks,
    /// A payload for an API.
    Payload(Target),
}

impl Named for Format {
    const WHAT: &'static str = "format";

    fn all() -> impl Iterator<Item = (&'static str, Self)> {
        let own = [("json", Self::Json), ("text", Self::Text), ("blocks", Self::Blocks)];
        let payloads = Target::ALL.iter().map(|target| (target.as_str(), Self::Payload(*target)));
        own.into_iter().chain(payloads)
    }
}

read_by_name!(Format);

impl JsonSchema for Format {
    fn schema_name() -> Cow<'static, str> {
        "Format".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Self::all().map(|(name, _)| name).collect();
        json_schema!({
            "type": "string",
            "enum": names,
            "description": "`json`: everything; `text`; `blocks`; or `{headers, body}` for the API of that name",
        })
    }
}

/// Two builds to compare.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiffRequest {
    /// The first one
    pub(crate) a: Object<BuildRequest>,
    /// The second one
    pub(crate) b: Object<BuildRequest>,
}

/// Contexts in which all variants are built.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatrixRequest {
    /// At most 64
    #[schemars(length(max = 64))]
    pub(crate) contexts: Vec<Object<NamedContext>>,
    /// Only variants with this tag
    #[serde(default)]
    pub(crate) tag: Option<String>,
    /// Only these variants
    #[serde(default)]
    pub(crate) variants: Vec<String>,
}

/// A context with a name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedContext {
    /// What it is called in the answer
    pub(crate) name: String,
    /// As in a build
    #[serde(deserialize_with = "distinct")]
    pub(crate) context: Map<String, Json>,
}

/// A reply to cut.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParseRequest {
    /// The text of the reply
    pub(crate) reply: String,
    /// The tools: `{"name": {"params": {"p": "raw|scalar"}}}`, or the list that a provider got
    #[serde(default, deserialize_with = "distinct_option")]
    pub(crate) specs: Option<Json>,
    /// Only these tools
    #[serde(default)]
    pub(crate) tools: Option<Vec<String>>,
    /// Each tool has these parameters
    #[serde(default)]
    pub(crate) params: Option<Vec<String>>,
    /// These parameters are read raw, all others as scalars
    #[serde(default)]
    pub(crate) raw: Option<Vec<String>>,
    /// The reply is cut into chunks of so many bytes, as if it arrived so
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(crate) chunk: Option<u32>,
    /// How the reply is cut
    #[serde(default)]
    pub(crate) mode: ParseMode,
    /// The name of a dialect, or `auto`
    #[serde(default)]
    pub(crate) dialect: Option<String>,
    /// The tools and the dialect of this variant
    #[serde(default)]
    pub(crate) variant: Option<String>,
    /// Why the model stopped, as its provider says
    #[serde(default)]
    pub(crate) stop_reason: Option<String>,
    /// Values get the type that the tool's schema states
    #[serde(default)]
    pub(crate) typed: bool,
    /// Accept a call in a code fence that holds nothing else
    #[serde(default)]
    pub(crate) fenced_calls: bool,
    /// The prompt's template has opened the reasoning
    #[serde(default)]
    pub(crate) starts_in_reasoning: bool,
    /// A call ends reasoning
    #[serde(default)]
    pub(crate) call_ends_reasoning: bool,
    /// Each tag that is a name ends so
    #[serde(default)]
    pub(crate) tag_suffix: Option<String>,
}

/// The same for a reply that arrives in lines; lists have commas between.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ParseQuery {
    /// Only these tools, with commas between
    pub(crate) tools: Option<String>,
    /// Each tool has these parameters, with commas between
    pub(crate) params: Option<String>,
    /// These parameters are read raw, with commas between
    pub(crate) raw: Option<String>,
    /// How the reply is cut
    pub(crate) mode: ParseMode,
    /// The name of a dialect, or `auto`
    pub(crate) dialect: Option<String>,
    /// The tools and the dialect of this variant
    pub(crate) variant: Option<String>,
    /// Why the model stopped, as its provider says
    pub(crate) stop_reason: Option<String>,
    /// Values get the type that the tool's schema states
    pub(crate) typed: bool,
    /// Accept a call in a code fence that holds nothing else
    pub(crate) fenced_calls: bool,
    /// The prompt's template has opened the reasoning
    pub(crate) starts_in_reasoning: bool,
    /// A call ends reasoning
    pub(crate) call_ends_reasoning: bool,
    /// Each tag that is a name ends so
    pub(crate) tag_suffix: Option<String>,
}

/// Which machine cuts.
#[derive(Clone, Copy, Debug, Default, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(crate) enum ParseMode {
    /// Tells real tags from those in code, prose, files and examples
    #[default]
    Robust,
    /// What the parser of Cline 4.0 makes of it
    Exact,
}

names!(ParseMode, "mode":
    "robust" => ParseMode::Robust,
    "exact" => ParseMode::Exact,
);

/// A line of a reply that arrives.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChunkLine {
    /// The next part of the reply
    pub(crate) chunk: String,
}

/// The token, to be changed for a cookie.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenRequest {
    /// What the token file holds
    pub(crate) token: String,
}

/// A request that has nothing to say: an empty body, or an object without keys.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoRequest {}

/// What `GET /v1/show` shows.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(crate) enum ShowName {
    Variant,
    Component,
    Tool,
    Partial,
}

names!(ShowName, "kind":
    "variant" => ShowName::Variant,
    "component" => ShowName::Component,
    "tool" => ShowName::Tool,
    "partial" => ShowName::Partial,
);

/// What `GET /v1/schema` describes.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(crate) enum SchemaName {
    Pack,
    Patch,
    Variant,
    Component,
    Tool,
    Context,
    Result,
}

names!(SchemaName, "kind":
    "pack" => SchemaName::Pack,
    "patch" => SchemaName::Patch,
    "variant" => SchemaName::Variant,
    "component" => SchemaName::Component,
    "tool" => SchemaName::Tool,
    "context" => SchemaName::Context,
    "result" => SchemaName::Result,
);
