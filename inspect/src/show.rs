//! The source of one thing, from wherever it comes.
//!
//! In: a registry, a kind, an id. Out: the files that it is written in. Never: reads a file: the registry has their texts.

use std::sync::Arc;

use promptweave::{
    Body, CaseBody, Component, Origin, Registry, SourceFile, Template, Tool, Variant,
};
use serde_json::{Value as Json, json};

/// What has a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowKind {
    /// A variant; by ID, ID@VERSION or ID@LABEL.
    Variant,
    /// A component.
    Component,
    /// A tool.
    Tool,
    /// A partial template.
    Partial,
}

/// The files that a thing is written in, in the order in which they are met; none when code supplies it.
#[derive(Debug)]
pub struct Shown(pub Vec<Arc<SourceFile>>);

impl Shown {
    /// `[{file, text}]`.
    pub fn to_json(&self) -> Json {
        let files = self.0.iter();
        files.map(|file| json!({ "file": file.name(), "text": file.text() })).collect()
    }
}

/// The source of a thing.
///
/// # Errors
/// A sentence that names all things of the kind, when this is none.
pub fn show(registry: &Registry, kind: ShowKind, id: &str) -> Result<Shown, String> {
    let found = Finder { registry, files: Vec::new() }.find(kind, id);
    found.map(Shown).ok_or_else(|| unknown(registry, kind, id))
}

fn unknown(registry: &Registry, kind: ShowKind, id: &str) -> String {
    let (kind, ids): (_, Vec<&str>) = match kind {
        ShowKind::Variant => ("variant", registry.variants.keys().map(|id| id.as_str()).collect()),
        ShowKind::Component => {
            ("component", registry.components.keys().map(|id| id.as_str()).collect())
        }
        ShowKind::Tool => ("tool", registry.tools.keys().map(|id| id.as_str()).collect()),
        ShowKind::Partial => ("partial", registry.partials.keys().map(AsRef::as_ref).collect()),
    };
    let ids = if ids.is_empty() { "none".into() } else { ids.join(", ") };
    format!("there is no {kind} `{id}`; there are: {ids}")
}

/// Collects the files that a thing is written in, in the order in which they are met.
struct Finder<'r> {
    registry: &'r Registry,
    files: Vec<Arc<SourceFile>>,
}

impl<'r> Finder<'r> {
    /// None when there is no such thing; no files when code supplies it.
    fn find(mut self, kind: ShowKind, id: &str) -> Option<Vec<Arc<SourceFile>>> {
        let registry = self.registry;
        match kind {
            ShowKind::Variant => self.variant(registry.version(id)?),
            ShowKind::Component => self.component(registry.components.get(id)?),
            ShowKind::Tool => self.tool(registry.tools.get(id)?),
            ShowKind::Partial => self.template(registry.partials.get(id)?),
        }
        Some(self.files)
    }

    fn origin(&mut self, origin: &Origin) {
        if let Origin::File { file, .. } = origin
            && !self.files.iter().any(|seen| seen.name() == file.name())
        {
            self.files.push(Arc::clone(file));
        }
    }

    fn template(&mut self, template: &Template) {
        self.origin(&template.source().origin);
    }

    fn variant(&mut self, variant: &Variant) {
        self.origin(&variant.origin);
        // What is inherited or patched in has its own file, which is not this variant's source.
        let own = |origin: &Origin| beside(&variant.origin, origin);
        let base = variant.template.iter().filter(|template| own(&template.source().origin));
        base.for_each(|template| self.template(template));
        for changed in variant.overrides.values() {
            if changed.origin.file_name() == variant.origin.file_name() {
                changed.body.iter().for_each(|body| self.body(body));
            }
        }
    }

    fn component(&mut self, component: &Component) {
        self.origin(&component.origin);
        match &component.body {
            Body::Template(template) => self.template(template),
            Body::Text(text) => self.origin(&text.origin),
            Body::Cases(cases) => cases.cases.iter().for_each(|case| self.body(&case.body)),
            Body::Value(_) | Body::From(_) => {}
        }
    }

    fn tool(&mut self, tool: &Tool) {
        self.origin(&tool.origin);
    }

    fn body(&mut self, body: &CaseBody) {
        match body {
            CaseBody::Template(template) => self.template(template),
            CaseBody::Text(text) => self.origin(&text.origin),
        }
    }
}

/// Whether two files stand in the same folder of the same pack and share their stem.
fn beside(one: &Origin, other: &Origin) -> bool {
    let stem = |origin: &Origin| Some(origin.file_name()?.rsplit_once('.')?.0.to_owned());
    stem(one).is_some() && stem(one) == stem(other)
}
