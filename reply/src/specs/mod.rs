//! What the parser knows of the tools: their names, their parameters, how each value is read.
//!
//! In: plain values, or JSON that states them. Out: sets of names to ask. Never: knows how a call is written.

mod json;
mod kinds;
mod names;

use std::sync::Arc;

pub use json::SpecsError;
pub(crate) use names::Names;

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// Its name; not empty, and without `<`, `>` and `/`.
    pub name: String,
    /// Its parameters, in any order.
    pub params: Vec<ParamSpec>,
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamSpec {
    /// Its name; not empty, and without `<`, `>` and `/`.
    pub name: String,
    /// How its value ends, and what is cut off at its ends.
    pub kind: ParamKind,
    /// Its type in JSON Schema, if known: `string`, `integer`, `number`, `boolean`, `array`, `object`.
    pub schema_type: Option<String>,
}

impl ParamSpec {
    /// A parameter of which only the name, and perhaps the type, are known; the kind follows from both.
    pub fn new(name: impl Into<String>, schema_type: Option<&str>) -> Self {
        let name = name.into();
        let kind = kinds::infer(&name, schema_type);
        Self { name, kind, schema_type: schema_type.map(str::to_owned) }
    }
}

/// How a value between tags is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A path, a number, a flag: the first closing tag ends it; white space at both ends is cut off.
    Scalar,
    /// A file, a command, a message: it may itself hold tags, so a closing tag counts only if what follows it fits.
    /// One line end is cut off at each end, and nothing else.
    Raw,
}

/// The tools that a parser looks for. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Specs {
    pub(crate) tools: Arc<[Tool]>,
    pub(crate) names: Arc<Names>,
    rejected: Arc<[String]>,
}

#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) name: Arc<str>,
    pub(crate) params: Arc<Params>,
}

#[derive(Debug, Default)]
pub(crate) struct Params {
    pub(crate) list: Vec<ParamSpec>,
    pub(crate) names: Names,
}

impl Params {
    fn new(list: Vec<ParamSpec>) -> Self {
        let names = Names::new(list.iter().map(|param| param.name.as_str()));
        Self { list, names }
    }
}

impl Specs {
    /// The tools of a list; of tools with the same name the first one counts.
    pub fn from_tools(tools: &[ToolSpec]) -> Self {
        let mut rejected = Vec::new();
        let mut kept = Vec::new();
        for tool in tools {
            if !usable(&tool.name) {
                rejected.push(tool.name.clone());
                continue;
            }
            let (good, bad): (Vec<_>, Vec<_>) =
                tool.params.iter().cloned().partition(|param| usable(&param.name));
            rejected.extend(bad.into_iter().map(|param| format!("{}.{}", tool.name, param.name)));
            let params = Arc::new(Params::new(good));
            kept.push(Tool { name: tool.name.as_str().into(), params });
        }
        Self::of(kept, rejected)
    }

    /// Tools that all have the same parameters; those that `raw` names are [`ParamKind::Raw`].
    pub fn from_names<S: AsRef<str>>(tools: &[S], params: &[S], raw: &[S]) -> Self {
        let is_raw = |name: &str| raw.iter().any(|raw| raw.as_ref() == name);
        let param = |name: &S| ParamSpec {
            name: name.as_ref().into(),
            kind: if is_raw(name.as_ref()) { ParamKind::Raw } else { ParamKind::Scalar },
            schema_type: None,
        };
        let (good, bad): (Vec<&S>, Vec<&S>) = params.iter().partition(|name| usable(name.as_ref()));
        let params = Arc::new(Params::new(good.into_iter().map(param).collect()));
        let (good, worse): (Vec<&S>, Vec<&S>) =
            tools.iter().partition(|name| usable(name.as_ref()));
        let tool = |name: &S| Tool { name: name.as_ref().into(), params: params.clone() };
        let rejected = bad.into_iter().chain(worse).map(|name| name.as_ref().to_owned());
        Self::of(good.into_iter().map(tool).collect(), rejected.collect())
    }

    fn of(tools: Vec<Tool>, rejected: Vec<String>) -> Self {
        let names = Arc::new(Names::new(tools.iter().map(|tool| &*tool.name)));
        Self { tools: tools.into(), names, rejected: rejected.into() }
    }

    /// Names that no tag can hold, and that are therefore not looked for; of a parameter as `tool.parameter`.
    pub fn rejected(&self) -> &[String] {
        &self.rejected
    }

    /// The names of the tools, in the order in which they were given.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| &*tool.name)
    }
}

pub(crate) fn usable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['<', '>', '/'])
}
