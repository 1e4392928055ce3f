//! Which tools are effective.
//!
//! In: what a variant offers and what the context describes. Out: [`EffectiveIds`], cheap enough for every candidate.
//! Never: renders a text; [`EffectiveIds::word`] does that for the chosen variant.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::described::{Described, HostTool, McpTool, renamed};
use super::name::JOINED;
use crate::condition::Condition;
use crate::diagnostic::{Diagnostic, Origin};
use crate::model::{Tool, ToolId, Variant};
use crate::registry::Registry;
use crate::template::Template;
use crate::trace::CacheClass;

/// A value with the class of everything that was read for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classed<T> {
    pub value: T,
    pub class: CacheClass,
}

/// Evaluates the conditions and templates of tools.
pub(crate) trait Evaluate {
    /// Whether a condition holds.
    fn holds(&self, condition: &Condition) -> Classed<bool>;
    /// The text of a template.
    fn text(&self, template: &Template) -> Classed<String>;
}

/// What the tools are chosen from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer<'a> {
    pub registry: &'a Registry,
    pub variant: &'a Variant,
    pub described: &'a Described<'a>,
}

/// The effective tools by name, role and class; what conditions, `has_tool` and `tool` see.
#[derive(Debug, Default)]
pub(crate) struct EffectiveIds<'a> {
    /// The variant's tools in its order, then the host's, then those of MCP servers.
    pub tools: Vec<Listed<'a>>,
    /// The class of the whole list.
    pub class: CacheClass,
    /// Tools of MCP servers that got another name, since theirs was taken; conditions that failed.
    pub diagnostics: Vec<Diagnostic>,
    /// The class of the list without the tools of servers.
    pub own_class: CacheClass,
    /// The class of the context's list of tools.
    list_class: CacheClass,
    by_id: BTreeMap<Arc<str>, usize>,
    /// Tools whose condition does not hold: the role, and the class of that answer.
    withheld: BTreeMap<Arc<str>, (Option<Arc<str>>, CacheClass)>,
}

/// One effective tool, unworded.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    /// The name that the model calls it by.
    pub id: Arc<str>,
    /// What it is for; the host's word beats the pack's.
    pub role: Option<Arc<str>>,
    /// The class of the answer that it is there.
    pub class: CacheClass,
    pub(super) kind: Kind<'a>,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    File { tool: &'a Tool, host: Option<&'a HostTool<'a>> },
    Host(&'a HostTool<'a>),
    Mcp(&'a McpTool<'a>),
    Name(Origin),
}

impl<'a> EffectiveIds<'a> {
    /// Chooses: the variant's tools whose `when` holds, cut to the host's list where there is one, then what the host
    /// and connected MCP servers describe besides.
    ///
    /// A name without a tool file counts, be it the variant's or the host's. A tool file that the host names but the
    /// variant does not offer stays out, unless the host describes the tool itself.
    pub(crate) fn choose(offer: &Offer<'a>, evaluate: &dyn Evaluate) -> Self {
        let class = offer.registry.class_of_path(&["tools"]);
        let mut ids = Self { class, list_class: class, ..Self::default() };
        match &offer.variant.tools {
            Some(listed) => listed.iter().for_each(|id| ids.offer(id, offer, evaluate)),
            None => offer.registry.tools.keys().for_each(|id| ids.offer(id, offer, evaluate)),
        }
        for tool in offer.described.host.iter().flatten() {
            ids.add_host(tool, offer.registry, class);
        }
        ids.own_class = ids.class;
        ids.class = ids.class.max(offer.registry.class_of_path(&["capabilities"]));
        if offer.described.may_have_servers {
            let class = offer.registry.class_of_path(&["mcp", "servers"]);
            offer.described.mcp.iter().for_each(|tool| ids.add_mcp(tool, class));
            ids.class = ids.class.max(class);
        }
        ids
    }

    /// Whether a tool is effective.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The tool of that name.
    pub(crate) fn find(&self, id: &str) -> Option<&Listed<'a>> {
        self.tools.get(*self.by_id.get(id)?)
    }

    /// The class of the answer whether a tool is there. Servers come and go, but not under just any name.
    pub(crate) fn class_of(&self, id: &str) -> CacheClass {
        let may_be_joined = id.contains("__") || id.len() == JOINED.max;
        match (self.find(id), self.withheld.get(id)) {
            (Some(tool), _) => tool.class,
            (None, Some((_, class))) => *class,
            (None, None) if may_be_joined => self.class,
            (None, None) => self.list_class,
        }
    }

    /// The class of the answer which tool has a role: the first that has it, or that might.
    pub(crate) fn class_of_role(&self, role: &str) -> CacheClass {
        let has = |own: &Option<Arc<str>>| own.as_deref() == Some(role);
        let there = self.tools.iter().filter(|tool| has(&tool.role)).map(|tool| tool.class);
        let withheld = self.withheld.values().filter(|(own, _)| has(own)).map(|(_, class)| *class);
        there.chain(withheld).fold(self.list_class, CacheClass::max)
    }

    /// The first tool of that role.
    pub(crate) fn by_role(&self, role: &str) -> Option<&Listed<'a>> {
        self.tools.iter().find(|tool| tool.role.as_deref() == Some(role))
    }

    /// The names, in order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| &*tool.id)
    }

    fn offer(&mut self, id: &ToolId, offer: &Offer<'a>, evaluate: &dyn Evaluate) {
        let described = offer.described;
        let host = described.host_tool(id.as_str());
        if self.has(id.as_str()) || (described.host.is_some() && host.is_none()) {
            return;
        }
        let file = offer.registry.tools.get(id).map(AsRef::as_ref);
        let mut class = offer.registry.class_of_path(&["tools"]);
        if let Some(when) = file.and_then(|file| file.when.as_ref()) {
            let answer = evaluate.holds(when);
            class = class.max(answer.class);
            self.class = self.class.max(class);
            if !answer.value {
                let role = file.and_then(|file| file.role.clone());
                self.withheld.insert(Arc::clone(id.shared()), (role, class));
                return;
            }
        }
        let role = host.and_then(|host| host.role).map(Arc::from);
        let (role, kind) = match (file, host) {
            (Some(tool), host) => (role.or_else(|| tool.role.clone()), Kind::File { tool, host }),
            (None, Some(host)) => (role, Kind::Host(host)),
            (None, None) => (None, Kind::Name(offer.variant.origin.clone())),
        };
        self.push(Listed { id: Arc::clone(id.shared()), role, class, kind });
    }

    fn add_host(&mut self, tool: &'a HostTool<'a>, registry: &Registry, class: CacheClass) {
        let stays_out = !tool.is_described() && registry.tools.contains_key(tool.name);
        if !stays_out && !self.has(tool.name) {
            let role = tool.role.map(Arc::from);
            self.push(Listed { id: tool.name.into(), role, class, kind: Kind::Host(tool) });
        }
    }

    fn add_mcp(&mut self, tool: &'a McpTool<'a>, class: CacheClass) {
        let mut id = Arc::clone(&tool.name);
        if self.has(&id) {
            id = tool.free_name(|name| self.has(name));
            self.diagnostics.push(renamed(&tool.name, &id, tool.origin.clone()));
        }
        self.push(Listed { id, role: None, class, kind: Kind::Mcp(tool) });
    }

    fn push(&mut self, tool: Listed<'a>) {
        self.by_id.insert(Arc::clone(&tool.id), self.tools.len());
        self.tools.push(tool);
    }
}
