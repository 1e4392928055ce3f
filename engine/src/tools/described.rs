//! What the host and its MCP servers say about tools.
//!
//! In: the context's `tools` and `mcp.servers`. Out: [`Described`], read once a build and good for every variant.
//! Never: copies a schema, or reads a name as anything but a name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::name::JOINED;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::model::Context;

/// What the host and its MCP servers say about tools.
#[derive(Debug, Default)]
pub(crate) struct Described<'a> {
    /// The context's `tools`, in its order; none when the host does not restrict.
    pub host: Option<Vec<HostTool<'a>>>,
    /// The tools of connected servers, by server and tool name: a server that comes back must not reorder the request.
    pub mcp: Vec<McpTool<'a>>,
    /// Whether MCP servers may bring tools: there may be none now and some in the next build, which
    /// makes the whole list volatile. Not so where the host gives `capabilities` without `mcp`.
    pub may_have_servers: bool,
    /// What could not be read, is there twice or was renamed.
    pub diagnostics: Vec<Diagnostic>,
    by_name: BTreeMap<&'a str, usize>,
}

/// An entry of the context's `tools`: a name, and what the host says about it.
#[derive(Debug)]
pub(crate) struct HostTool<'a> {
    pub name: &'a str,
    pub role: Option<&'a str>,
    pub description: Option<&'a str>,
    pub schema: Option<&'a Json>,
    pub origin: Origin,
}

/// A tool of an MCP server.
#[derive(Debug)]
pub(crate) struct McpTool<'a> {
    /// `server__tool`, made fitting and unique among the servers' tools.
    pub name: Arc<str>,
    pub server: &'a str,
    /// Its name at the server.
    pub tool: &'a str,
    pub description: Option<&'a str>,
    pub schema: Option<&'a Json>,
    pub origin: Origin,
}

impl<'a> Described<'a> {
    /// Reads a context. A server without `status` counts as connected; one without `name` is called `mcp`.
    pub(crate) fn read(context: &'a Context) -> Self {
        let mut described = Self::default();
        if let Some(tools) = context.get("tools").and_then(Json::as_array) {
            described.host = Some(described.read_host(tools));
        }
        let capabilities = context.texts("capabilities");
        described.may_have_servers = capabilities.is_none_or(|list| list.contains(&"mcp"));
        if described.may_have_servers {
            let servers = context.get("mcp.servers").and_then(Json::as_array);
            described.read_servers(servers.map_or(&[][..], Vec::as_slice));
        }
        described
    }

    /// The host's entry of that name.
    pub(crate) fn host_tool(&self, name: &str) -> Option<&HostTool<'a>> {
        self.host.as_ref()?.get(*self.by_name.get(name)?)
    }

    fn read_host(&mut self, tools: &'a [Json]) -> Vec<HostTool<'a>> {
        let mut list: Vec<HostTool<'a>> = Vec::with_capacity(tools.len());
        for (index, entry) in tools.iter().enumerate() {
            let origin = || Origin::Context(format!("tools.{index}").into());
            let tool = match entry {
                Json::String(name) => Some(HostTool::bare(name, origin())),
                Json::Object(map) => HostTool::described(map, origin()),
                _ => None,
            };
            let Some(tool) = tool else {
                self.diagnostics.push(unreadable(origin()));
                continue;
            };
            if !self.by_name.contains_key(tool.name) {
                self.by_name.insert(tool.name, list.len());
                list.push(tool);
            } else if tool.is_described() {
                self.diagnostics.push(duplicate(tool.name, origin()));
            }
        }
        list
    }

    fn read_servers(&mut self, servers: &'a [Json]) {
        for (at, server) in servers.iter().enumerate() {
            let text = |key| server.get(key).and_then(Json::as_str);
            if text("status").is_some_and(|status| status != "connected") {
                continue;
            }
            let name = text("name").unwrap_or("mcp");
            let tools = server.get("tools").and_then(Json::as_array);
            for (index, tool) in tools.into_iter().flatten().enumerate() {
                let origin = Origin::Context(format!("mcp.servers.{at}.tools.{index}").into());
                match McpTool::read(name, tool, origin.clone()) {
                    Some(tool) => self.mcp.push(tool),
                    None => self.diagnostics.push(unreadable(origin)),
                }
            }
        }
        self.mcp.sort_by(|one, other| (one.server, one.tool).cmp(&(other.server, other.tool)));
        self.name_mcp_tools();
    }

    fn name_mcp_tools(&mut self) {
        let mut taken: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut kept: Vec<McpTool<'a>> = Vec::with_capacity(self.mcp.len());
        for mut tool in std::mem::take(&mut self.mcp) {
            let last = kept.last().map(|last| (last.server, last.tool));
            if last == Some((tool.server, tool.tool)) {
                let joined = joined(tool.server, tool.tool);
                self.diagnostics.push(duplicate(&joined, tool.origin));
                continue;
            }
            self.diagnostics.extend(tool.settle_name(|name| taken.contains(name)));
            taken.insert(Arc::clone(&tool.name));
            kept.push(tool);
        }
        self.mcp = kept;
    }
}

impl<'a> HostTool<'a> {
    fn bare(name: &'a str, origin: Origin) -> Self {
        Self { name, role: None, description: None, schema: None, origin }
    }

    fn described(map: &'a Map<String, Json>, origin: Origin) -> Option<Self> {
        let text = |key| map.get(key).and_then(Json::as_str);
        let (role, description) = (text("role"), text("description"));
        Some(Self { name: text("name")?, role, description, schema: schema_of(map), origin })
    }

    /// Whether the host says more than a name and a role.
    pub(crate) fn is_described(&self) -> bool {
        self.description.is_some() || self.schema.is_some()
    }
}

impl<'a> McpTool<'a> {
    fn read(server: &'a str, tool: &'a Json, origin: Origin) -> Option<Self> {
        let map = tool.as_object()?;
        let text = |key| map.get(key).and_then(Json::as_str);
        let (name, description) = (text("name")?, text("description"));
        let schema = schema_of(map);
        Some(Self { name: "".into(), server, tool: name, description, schema, origin })
    }

    /// Takes a name that is free; tells when it is not just server and tool joined.
    fn settle_name(&mut self, taken: impl Fn(&str) -> bool) -> Option<Diagnostic> {
        let joined = joined(self.server, self.tool);
        self.name = self.free_name(taken);
        (*self.name != *joined).then(|| renamed(&joined, &self.name, self.origin.clone()))
    }

    /// A fitting name that is free.
    pub(crate) fn free_name(&self, taken: impl Fn(&str) -> bool) -> Arc<str> {
        let whole = format!("{}\0{}", self.server, self.tool);
        JOINED.fit_apart(&joined(self.server, self.tool), &whole, taken).into()
    }
}

fn joined(server: &str, tool: &str) -> String {
    format!("{server}__{tool}")
}

/// `input_schema`, or `inputSchema` as MCP spells it; null counts as absent.
fn schema_of(map: &Map<String, Json>) -> Option<&Json> {
    let schema = map.get("input_schema").or_else(|| map.get("inputSchema"));
    schema.filter(|schema| !schema.is_null())
}

fn unreadable(origin: Origin) -> Diagnostic {
    Diagnostic::new(Code::ContextType, "a tool has no name and is left out", origin)
        .help("give a name, or an object with `name`, `description` and `input_schema`")
}

fn duplicate(name: &str, origin: Origin) -> Diagnostic {
    let message = format!("`{name}` is described twice; this description is left out");
    Diagnostic::new(Code::ToolDuplicate, message, origin).help("describe each tool once")
}

pub(super) fn renamed(from: &str, to: &str, origin: Origin) -> Diagnostic {
    Diagnostic::new(Code::ToolRenamed, format!("`{from}` is called `{to}` here"), origin)
        .help("calls come back under the new name; the result lists both")
}
