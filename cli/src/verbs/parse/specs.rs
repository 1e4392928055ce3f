//! Which tools a reply may call: of the packs, of a file, or named in the flags.
//!
//! In: flags. Out: tools with their parameters, and the dialect of a variant. Never: drops a name without saying so.

use std::path::PathBuf;

use clap::Args;
use promptweave::{Engine, Parameter, Registry, Tool, Variant};
use promptweave_reply::{ParamKind, ParamSpec, Specs, ToolSpec};

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::packs::PackFlags;

/// Which tools; without a flag those of the packs in force.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Tools")]
pub(super) struct SpecFlags {
    /// Read the tools from JSON: {"tools": {"name": {"params": {"p": "raw|scalar"}}}}, or the list that a provider got
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tools", "params", "raw", "variant"])]
    specs: Option<PathBuf>,
    /// Only these tools, with commas between; an empty value is none
    #[arg(long, value_name = "NAMES")]
    tools: Option<String>,
    /// Each tool has these parameters
    #[arg(long, value_name = "NAMES")]
    params: Option<String>,
    /// These parameters are read raw, all others as scalars
    #[arg(long, value_name = "NAMES")]
    raw: Option<String>,
    /// The tools and the dialect of this variant
    #[arg(long, value_name = "ID[@VERSION|@LABEL]")]
    variant: Option<String>,
    #[command(flatten)]
    packs: PackFlags,
}

/// What was chosen.
pub(super) struct Chosen {
    tools: Vec<ToolSpec>,
    /// Parameters that belong to every tool.
    params: Option<Vec<String>>,
    pub(super) dialect: Option<String>,
}

impl SpecFlags {
    pub(super) fn choose(&self, console: &Console) -> Result<Chosen, Failure> {
        let mut chosen = match &self.specs {
            Some(path) => Chosen { tools: from_file(path)?, params: None, dialect: None },
            None => self.of_packs(console)?,
        };
        if let Some(names) = &self.tools {
            let named = list(names).map(|name| {
                let known = chosen.tools.iter().find(|tool| tool.name == name).cloned();
                known.unwrap_or_else(|| ToolSpec { name: name.into(), params: Vec::new() })
            });
            chosen.tools = named.collect();
        }
        chosen.params =
            self.params.as_deref().map(|names| list(names).map(str::to_owned).collect());
        if let Some(params) = &chosen.params {
            let all: Vec<ParamSpec> =
                params.iter().map(|name| ParamSpec::new(name, None)).collect();
            chosen.tools.iter_mut().for_each(|tool| tool.params = all.clone());
        }
        if let Some(raw) = &self.raw {
            let raw: Vec<&str> = list(raw).collect();
            for param in chosen.tools.iter_mut().flat_map(|tool| &mut tool.params) {
                let is_raw = raw.contains(&param.name.as_str());
                param.kind = if is_raw { ParamKind::Raw } else { ParamKind::Scalar };
            }
        }
        Ok(chosen)
    }

    /// All tools of the packs, or those of one variant.
    fn of_packs(&self, console: &Console) -> Result<Chosen, Failure> {
        if self.variant.is_none() && self.tools.is_some() && self.params.is_some() {
            return Ok(Chosen { tools: Vec::new(), params: None, dialect: None });
        }
        let engine: Engine = self.packs.engine()?;
        console.tell(engine.diagnostics());
        let registry = engine.registry();
        let variant = self.variant.as_deref().map(|name| find(registry, name)).transpose()?;
        let offered = |tool: &&std::sync::Arc<Tool>| {
            let only = variant.and_then(|variant| variant.tools.as_ref());
            only.is_none_or(|only| only.contains(&tool.id))
        };
        let tools = registry.tools.values().filter(offered).map(|tool| spec(tool, variant));
        Ok(Chosen {
            tools: tools.collect(),
            params: None,
            dialect: variant.map(|variant| variant.dialect.to_string()),
        })
    }
}

impl Chosen {
    pub(super) fn tool_names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    pub(super) fn param_names(&self) -> Vec<String> {
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

    pub(super) fn specs(&self) -> Result<Specs, Failure> {
        let specs = Specs::from_tools(&self.tools);
        match specs.rejected() {
            [] => Ok(specs),
            names => Err(Failure::Usage(format!(
                "`{}` cannot be a tag: a name is not empty and holds no `<`, `>` or `/`",
                names.join("`, `")
            ))),
        }
    }
}

fn from_file(path: &std::path::Path) -> Result<Vec<ToolSpec>, Failure> {
    let read = Specs::read_tools(&files::read(path)?);
    read.map_err(|error| {
        let message = format!("`{}` names no tools: {error}", path.display());
        Failure::input(message, "give {\"tools\": {…}} or the list of tools that the provider got")
    })
}

fn find<'r>(registry: &'r Registry, name: &str) -> Result<&'r Variant, Failure> {
    let found = registry.version(name).or_else(|| registry.current(name));
    found.map(|variant| &**variant).ok_or_else(|| {
        Failure::Usage(format!(
            "there is no variant `{name}`; `promptweave list variants` names them"
        ))
    })
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

/// The names between commas; none in an empty text.
fn list(names: &str) -> impl Iterator<Item = &str> {
    names.split(',').map(str::trim).filter(|name| !name.is_empty())
}
