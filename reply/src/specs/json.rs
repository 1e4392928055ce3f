//! Reads tool specs from JSON: our own form, or the tool list that a provider was given.
//!
//! In: `{"tools": {"name": {"params": {"p": "raw|scalar"}}}}`, or a list of OpenAI, Anthropic or Gemini declarations.
//! Out: specs. Never: skips an entry that it does not understand.

use std::fmt;

use serde_json::{Map, Value};

use super::{ParamKind, ParamSpec, Specs, ToolSpec};

/// Why JSON is no list of tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecsError(String);

impl fmt::Display for SpecsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SpecsError {}

impl Specs {
    /// Reads tools from JSON: our own form, or the list that was sent to OpenAI (chat or responses), Anthropic or
    /// Gemini; an object with such a list under `tools` does as well.
    ///
    /// # Errors
    /// When it is no JSON, or an entry has no name or a kind that does not exist.
    pub fn from_json(text: &str) -> Result<Self, SpecsError> {
        Ok(Self::from_tools(&Self::read_tools(text)?))
    }

    /// The tools that such JSON states, to be changed before they become [`Specs`].
    ///
    /// # Errors
    /// Those of [`Specs::from_json`].
    pub fn read_tools(text: &str) -> Result<Vec<ToolSpec>, SpecsError> {
        let json: Value =
            serde_json::from_str(text).map_err(|error| SpecsError(format!("not JSON: {error}")))?;
        let mut tools = Vec::new();
        match json.get("tools").unwrap_or(&json) {
            Value::Object(own) => {
                for (name, spec) in own {
                    tools.push(own_form(name, spec)?);
                }
            }
            Value::Array(list) => {
                for entry in list {
                    declared(entry, &mut tools)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(SpecsError("`tools` is neither an object nor a list".into()));
            }
        }
        Ok(tools)
    }
}

/// `{"params": {"path": "scalar", "content": {"kind": "raw", "type": "string"}}}`.
fn own_form(name: &str, spec: &Value) -> Result<ToolSpec, SpecsError> {
    let params = match spec.get("params") {
        None => Vec::new(),
        Some(Value::Object(params)) => {
            let read = params.iter().map(|(param, kind)| own_param(name, param, kind));
            read.collect::<Result<_, _>>()?
        }
        Some(_) => return Err(SpecsError(format!("`params` of tool `{name}` is no object"))),
    };
    Ok(ToolSpec { name: name.into(), params })
}

fn own_param(tool: &str, name: &str, spec: &Value) -> Result<ParamSpec, SpecsError> {
    let schema_type = spec.get("type").and_then(Value::as_str);
    let mut param = ParamSpec::new(name, schema_type);
    match spec.as_str().or_else(|| spec.get("kind").and_then(Value::as_str)) {
        Some("raw") => param.kind = ParamKind::Raw,
        Some("scalar") => param.kind = ParamKind::Scalar,
        None if spec.is_object() || spec.is_null() => {}
        None | Some(_) => {
            return Err(SpecsError(format!(
                "parameter `{name}` of tool `{tool}` is neither `raw` nor `scalar`"
            )));
        }
    }
    Ok(param)
}

/// One entry of a provider's list; Gemini groups several.
fn declared(entry: &Value, tools: &mut Vec<ToolSpec>) -> Result<(), SpecsError> {
    let groups = ["functionDeclarations", "function_declarations"];
    if let Some(Value::Array(group)) = groups.iter().find_map(|key| entry.get(key)) {
        return group.iter().try_for_each(|entry| declared(entry, tools));
    }
    let tool = entry.get("function").unwrap_or(entry);
    let Some(name) = tool.get("name").and_then(Value::as_str) else {
        return Err(SpecsError(format!("entry {} of the tools has no name", tools.len() + 1)));
    };
    let schemas = ["parameters", "input_schema", "inputSchema", "parametersJsonSchema"];
    let schema = schemas.iter().find_map(|key| tool.get(key));
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let params = properties.map(schema_params).unwrap_or_default();
    tools.push(ToolSpec { name: name.into(), params });
    Ok(())
}

fn schema_params(properties: &Map<String, Value>) -> Vec<ParamSpec> {
    let params = properties.iter().map(|(name, schema)| {
        let schema_type = schema.get("type").and_then(one_type).map(str::to_lowercase);
        ParamSpec::new(name, schema_type.as_deref())
    });
    params.collect()
}

/// `"string"`, or the first of `["string", "null"]` that says more than null.
fn one_type(value: &Value) -> Option<&str> {
    match value {
        Value::String(one) => Some(one),
        Value::Array(list) => list.iter().filter_map(Value::as_str).find(|one| *one != "null"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}
