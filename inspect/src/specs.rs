//! Which tools a reply may call: of the packs, as told, or named.
//!
//! In: a choice, a registry. Out: tools with their parameters, and the dialect of a variant. Never: drops a name without saying so.

use std::sync::Arc;

use promptweave::{Parameter, Registry, Tool, Variant};
use promptweave_reply::{ParamKind, ParamSpec, Specs, ToolSpec};

/// Which tools a reply may call; by default those of the packs.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// These, instead of those of the packs.
    pub specs: Option<Vec<ToolSpec>>,
    /// Only these.
    pub tools: Option<Vec<String>>,
    /// Each tool has these parameters.
    pub params: Option<Vec<String>>,
    /// These parameters are read raw, all others as scalars.
    pub raw: Option<Vec<String>>,
    /// The tools and the dialect of this variant.
    pub variant: Option<String>,
}

/// What was chosen.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    tools: Vec<ToolSpec>,
    /// Parameters that belong to every tool.
    params: Option<Vec<String>>,
    /// How the variant's model writes calls.
    pub dialect: Option<String>,
}

/// Why there are no tools.
#[derive(Debug, thiserror::Error)]
pub enum SpecsProblem {
    /// The variant does not exist.
    #[error("there is no variant `{0}`; `promptweave list variants` names them")]
    NoVariant(String),
    /// These cannot be names of tags.
    #[error("`{}` cannot be a tag: a name is not empty and holds no `<`, `>` or `/`", .0.join("`, `"))]
    NoTag(Vec<String>),
}

impl Choice {
    /// Whether it needs the packs.
    pub fn is_of_packs(&self) -> bool {
        let is_named = self.variant.is_none() && self.tools.is_some() && self.params.is_some();
        self.specs.is_none() && !is_named
    }

    /// The tools; the registry counts where [`Choice::is_of_packs`] says so.
    ///
    /// # Errors
    /// [`SpecsProblem::NoVariant`].
    pub fn choose(self, registry: &Registry) -> Result<Chosen, SpecsProblem> {
        let of_packs = self.is_of_packs();
        let Self { specs, tools, params, raw, variant } = self;
        let mut chosen = match specs {
            Some(tools) => Chosen { tools, ..Chosen::default() },
            None if of_packs => of(registry, variant.as_deref())?,
            None => Chosen::default(),
        };
        if let Some(names) = tools {
            let named = names.into_iter().map(|name| {
                let known = chosen.tools.iter().find(|tool| tool.name == name).cloned();
                known.unwrap_or(ToolSpec { name, params: Vec::new() })
            });
            chosen.tools = named.collect();
        }
        if let Some(params) = &params {
            let all: Vec<ParamSpec> =
                params.iter().map(|name| ParamSpec::new(name, None)).collect();
            chosen.tools.iter_mut().for_each(|tool| tool.params = all.clone());
        }
        chosen.params = params;
        if let Some(raw) = &raw {
            for param in chosen.tools.iter_mut().flat_map(|tool| &mut tool.params) {
                let is_raw = raw.contains(&param.name);
                param.kind = if is_raw { ParamKind::Raw } else { ParamKind::Scalar };
            }
        }
        Ok(chosen)
    }
}

/// All tools of the packs, or those of one variant.
fn of(registry: &Registry, variant: Option<&str>) -> Result<Chosen, SpecsProblem> {
    let variant = variant.map(|name| find(registry, name)).transpose()?;
    let offered = |tool: &&Arc<Tool>| {
        let only = variant.and_then(|variant| variant.tools.as_ref());
        only.is_none_or(|only| only.contains(&tool.id))
    };
    let tools = registry.tools.values().filter(offered).map(|tool| spec(tool, variant));
    let dialect = variant.map(|variant| variant.dialect.to_string());
    Ok(Chosen { tools: tools.collect(), params: None, dialect })
}

impl Chosen {
    /// The names of the tools.
    pub fn tool_names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    /// The names of the parameters of all tools, each once.
    pub fn param_names(&self) -> Vec<String> {
        let own = || {
            let mut names: Vec<String> = Vec::new();
            for param in self.tools.iter().flat_map(|tool| &tool.params) {
                if !names.contains(&param.name) {
                    names.push(param.name.clone());
                }
            }
            names
        };
        self.params.clone().unwrap_or_else(own)
    }

    /// The tools as the parser takes them.
    ///
    /// # Errors
    /// [`SpecsProblem::NoTag`].
    pub fn specs(&self) -> Result<Specs, SpecsProblem> {
        let specs = Specs::from_tools(&self.tools);
        match specs.rejected() {
            [] => Ok(specs),
            names => Err(SpecsProblem::NoTag(names.to_vec())),
        }
    }
}

fn find<'r>(registry: &'r Registry, name: &str) -> Result<&'r Variant, SpecsProblem> {
    let found = registry.version(name).or_else(|| registry.current(name));
    found.map(|variant| &**variant).ok_or_else(|| SpecsProblem::NoVariant(name.into()))
}

/// The tool as the variant words it: its own list of parameters, or that of its family, may replace the common one.
fn spec(tool: &Tool, variant: Option<&Variant>) -> ToolSpec {
    let words = |variant: &Variant| {
        let wording = [variant.id.as_str(), &variant.family]
            .into_iter()
            .find_map(|name| tool.wordings.get(name));
        wording.and_then(|wording| wording.parameters.clone())
    };
    let params: Vec<Parameter> = match variant {
        Some(variant) => words(variant).unwrap_or_else(|| tool.parameters.clone()),
        None => all_wordings(tool),
    };
    let params = params.iter().map(|param| ParamSpec::new(&*param.name, Some(&param.kind)));
    ToolSpec { name: tool.id.to_string(), params: params.collect() }
}

/// Which variant has spoken is not known: a parameter of any wording counts.
fn all_wordings(tool: &Tool) -> Vec<Parameter> {
    let mut all = tool.parameters.clone();
    for param in tool.wordings.values().filter_map(|wording| wording.parameters.as_ref()).flatten()
    {
        if !all.iter().any(|known| known.name == param.name) {
            all.push(param.clone());
        }
    }
    all
}
