//! What there is, where it comes from, what it shadows.
//!
//! In: a registry, plugins that were found. Out: one entry for each thing. Never: loads anything.

use promptweave::{Origin, Registry, Shadowed, SourceFile};
use promptweave_loader::Listed;
use serde_json::{Value as Json, json};

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Variants, each with its current version.
    Variants,
    /// Components.
    Components,
    /// Tools.
    Tools,
    /// Plugins that were found, loaded or not.
    Plugins,
}

/// One thing of the list.
#[derive(Debug)]
pub struct Entry<'r> {
    /// `variant`, `component`, `tool` or `plugin`.
    pub kind: &'static str,
    /// Its id; of variants with the number: `claude@2`.
    pub name: String,
    /// None of a plugin: it may lie outside of packs.
    pub pack: Option<&'r str>,
    /// Where it is written.
    pub origin: Origin,
    /// What has the same id in packs below.
    pub shadows: Vec<&'r Shadowed>,
    json: Json,
}

/// All things of a kind, by id.
pub fn list<'r>(registry: &'r Registry, plugins: &[Listed], kind: Kind) -> Vec<Entry<'r>> {
    match kind {
        Kind::Variants => variants(registry).collect(),
        Kind::Components => components(registry).collect(),
        Kind::Tools => tools(registry).collect(),
        Kind::Plugins => plugins.iter().map(plugin).collect(),
    }
}

impl Entry<'_> {
    /// `{id, kind, origin, shadows}`, and what its kind has.
    pub fn into_json(self) -> Json {
        let shadows: Json = self.shadows.iter().map(|shadowed| place(shadowed)).collect();
        let mut json = self.json;
        json["kind"] = json!(self.kind);
        if let Some(pack) = self.pack {
            json["pack"] = json!(pack);
        }
        json["origin"] = self.origin.to_json();
        json["shadows"] = shadows;
        json
    }
}

fn place(shadowed: &Shadowed) -> Json {
    json!({ "pack": shadowed.pack.as_str(), "origin": shadowed.origin.to_json() })
}

fn shadows<'r>(registry: &'r Registry, kind: &str, id: &str) -> Vec<&'r Shadowed> {
    let same = |shadowed: &&Shadowed| shadowed.kind == kind && &*shadowed.id == id;
    registry.shadowed.iter().filter(same).collect()
}

fn variants(registry: &Registry) -> impl Iterator<Item = Entry<'_>> {
    let all = registry
        .variants
        .iter()
        .filter_map(|(id, versions)| Some((id.as_str(), versions, registry.current(id.as_str())?)));
    all.map(|(id, versions, current)| {
        let numbers: Vec<u32> = versions.by_number.keys().copied().collect();
        Entry {
            kind: "variant",
            name: format!("{id}@{}", current.version),
            pack: Some(current.pack.as_str()),
            origin: current.origin.clone(),
            shadows: shadows(registry, "variant", id),
            json: json!({
                "id": id, "version": current.version, "versions": numbers, "labels": versions.labels,
                "family": current.family, "description": current.description, "tags": current.tags,
            }),
        }
    })
}

fn components(registry: &Registry) -> impl Iterator<Item = Entry<'_>> {
    registry.components.iter().map(|(id, component)| Entry {
        kind: "component",
        name: id.to_string(),
        pack: Some(component.pack.as_str()),
        origin: component.origin.clone(),
        shadows: shadows(registry, "component", id.as_str()),
        json: json!({ "id": id.as_str(), "description": component.description }),
    })
}

fn tools(registry: &Registry) -> impl Iterator<Item = Entry<'_>> {
    registry.tools.iter().map(|(id, tool)| Entry {
        kind: "tool",
        name: id.to_string(),
        pack: Some(tool.pack.as_str()),
        origin: tool.origin.clone(),
        shadows: shadows(registry, "tool", id.as_str()),
        json: json!({ "id": id.as_str(), "role": tool.role }),
    })
}

/// What one shadows is told when plugins are looked for.
fn plugin<'r>(plugin: &Listed) -> Entry<'r> {
    Entry {
        kind: "plugin",
        name: plugin.id.clone(),
        pack: None,
        origin: Origin::file(&SourceFile::new(plugin.path.clone(), ""), 0..0),
        shadows: Vec::new(),
        json: json!(plugin),
    }
}
