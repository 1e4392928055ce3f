//! `show`: the source of one thing, from wherever it comes.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use promptweave::{
    Body, CaseBody, Component, Origin, Registry, SourceFile, Template, Tool, Variant,
};
use serde_json::{Value as Json, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;

const EXAMPLES: &str = "\
Examples:
  promptweave show component editing
  promptweave show variant claude
  promptweave show tool read_file > tools/read_file.toml";

/// Print the source of a variant, component, tool or partial
///
/// When it is written in more than one file, a line `==> FILE <==` stands before each.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// What it is
    #[arg(value_enum)]
    kind: Kind,
    /// Its id; of a variant also ID@VERSION or ID@LABEL
    id: String,
    #[command(flatten)]
    packs: PackFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Variant,
    Component,
    Tool,
    Partial,
}

impl Show {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let engine = self.packs.bare_engine()?;
        console.tell(engine.diagnostics());
        let found = Finder::new(engine.registry()).find(self.kind, &self.id);
        let files = found.ok_or_else(|| Failure::Usage(self.unknown(engine.registry())))?;
        if console.json {
            let files: Json = files
                .iter()
                .map(|file| json!({ "file": file.name(), "text": file.text() }))
                .collect();
            return console.out_json(&files);
        }
        match files.as_slice() {
            [] => {
                Err(Failure::Usage(format!("`{}` is supplied by code and has no source", self.id)))
            }
            [only] => console.out(only.text()),
            several => console.out(several.iter().map(|file| headed(file)).collect::<String>()),
        }
    }

    fn unknown(&self, registry: &Registry) -> String {
        let (kind, ids): (_, Vec<&str>) = match self.kind {
            Kind::Variant => ("variant", registry.variants.keys().map(|id| id.as_str()).collect()),
            Kind::Component => {
                ("component", registry.components.keys().map(|id| id.as_str()).collect())
            }
            Kind::Tool => ("tool", registry.tools.keys().map(|id| id.as_str()).collect()),
            Kind::Partial => ("partial", registry.partials.keys().map(AsRef::as_ref).collect()),
        };
        let ids = if ids.is_empty() { "none".into() } else { ids.join(", ") };
        format!("there is no {kind} `{}`; there are: {ids}", self.id)
    }
}

fn headed(file: &SourceFile) -> String {
    let end = if file.text().ends_with('\n') { "" } else { "\n" };
    format!("==> {} <==\n{}{end}", file.name(), file.text())
}

/// Collects the files that a thing is written in, in the order in which they are met.
struct Finder<'r> {
    registry: &'r Registry,
    files: Vec<Arc<SourceFile>>,
}

impl<'r> Finder<'r> {
    fn new(registry: &'r Registry) -> Self {
        Self { registry, files: Vec::new() }
    }

    /// None when there is no such thing; no files when code supplies it.
    fn find(mut self, kind: Kind, id: &str) -> Option<Vec<Arc<SourceFile>>> {
        let registry = self.registry;
        match kind {
            Kind::Variant => self.variant(registry.version(id)?),
            Kind::Component => self.component(registry.components.get(id)?),
            Kind::Tool => self.tool(registry.tools.get(id)?),
            Kind::Partial => self.template(registry.partials.get(id)?),
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
