//! `matrix`: all variants × given contexts.

use std::path::PathBuf;

use clap::Args;
use promptweave::{Ask, Context, Engine, Error, Prompt};
use serde_json::{Value as Json, json};

use crate::console::{Console, Progress, grave};
use crate::context::{self, Overlay};
use crate::failure::Failure;
use crate::packs::PackFlags;
use crate::select::Strictness;
use crate::session::NoSession;
use crate::table::{Table, size};

const EXAMPLES: &str = "\
Examples:
  promptweave matrix -c plan.json -c act.json
  promptweave matrix -c contexts.jsonl --tag frontier --json";

/// Build every variant in every context: which one matches, sizes, missing sections
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Matrix {
    /// A context; may be given again; each line of a `.jsonl` is one. Without any, the machine's
    #[arg(short, long = "context", value_name = "FILE|-")]
    contexts: Vec<PathBuf>,
    /// Only variants with this tag
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
    /// Only these variants
    #[arg(long = "variant", value_name = "ID")]
    variants: Vec<String>,
    #[command(flatten)]
    strictness: Strictness,
    #[command(flatten)]
    overlay: Overlay,
    #[command(flatten)]
    packs: PackFlags,
    #[command(flatten)]
    _no_session: NoSession,
}

/// One variant in one context.
struct Cell {
    context: String,
    variant: String,
    version: u32,
    matches: bool,
    built: Result<Figures, Error>,
}

/// What is kept of a prompt: thousands of them would not fit into memory.
struct Figures {
    bytes: usize,
    static_head: usize,
    sections: usize,
    warnings: usize,
    /// The components that yielded nothing here, and why.
    missing: Vec<(String, &'static str)>,
}

impl From<Prompt> for Figures {
    fn from(prompt: Prompt) -> Self {
        let skipped = prompt.skipped().iter();
        Self {
            bytes: prompt.text().len(),
            static_head: prompt.static_head(),
            sections: prompt.sections().len(),
            warnings: grave(prompt.diagnostics()),
            missing: skipped.map(|one| (one.id.to_string(), one.reason.as_str())).collect(),
        }
    }
}

impl Matrix {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let engine = self.packs.engine()?;
        console.tell(engine.diagnostics());
        self.strictness.judge(engine.diagnostics())?;
        let cells = self.cells(console, &engine)?;
        if console.json {
            let cells: Json = cells.iter().map(Cell::to_json).collect();
            console.out_json(&cells)?;
        } else {
            let mut table = Table::with_heads(&[
                "context", "variant", "matches", "size", "static", "sections", "warnings",
                "missing",
            ]);
            cells.iter().for_each(|cell| table.row(cell.row()));
            console.out(table.text())?;
        }
        let is_grave = |cell: &Cell| cell.built.as_ref().is_ok_and(|figures| figures.warnings > 0);
        if self.strictness.strict && cells.iter().any(is_grave) {
            return Err(Failure::Check);
        }
        Ok(())
    }

    fn contexts(&self) -> Result<Vec<(String, Context)>, Failure> {
        if self.contexts.is_empty() {
            return Ok(vec![("machine".into(), self.overlay.on(context::machine())?)]);
        }
        let mut all = Vec::new();
        for path in &self.contexts {
            for (name, root) in context::read_all(path)? {
                all.push((name, self.overlay.on(root)?));
            }
        }
        Ok(all)
    }

    fn cells(&self, console: &Console, engine: &Engine) -> Result<Vec<Cell>, Failure> {
        let (contexts, variants) = (self.contexts()?, self.variants(engine)?);
        let mut progress = Progress::new(console, contexts.len() * variants.len());
        let mut cells = Vec::new();
        for (name, context) in &contexts {
            let chosen = engine.select(context, &Ask::default()).ok().map(|chosen| chosen.variant);
            for (id, version) in &variants {
                progress.step(console, &format!("{id} in {name}"));
                let ask = Ask { variant: Some(format!("{id}@{version}")), ..Ask::default() };
                cells.push(Cell {
                    context: name.clone(),
                    variant: id.clone(),
                    version: *version,
                    matches: chosen.as_ref().is_some_and(|chosen| {
                        chosen.id.as_str() == id && chosen.version == *version
                    }),
                    built: engine.prompt_for(context, &ask).map(Figures::from),
                });
            }
        }
        Ok(cells)
    }

    fn variants(&self, engine: &Engine) -> Result<Vec<(String, u32)>, Failure> {
        let registry = engine.registry();
        let unknown = self.variants.iter().find(|id| registry.current(id).is_none());
        if let Some(id) = unknown {
            return Err(Failure::Usage(format!("there is no variant `{id}`")));
        }
        let current = registry.variants.keys().filter_map(|id| registry.current(id.as_str()));
        let tagged = current.filter(|variant| match &self.tag {
            Some(tag) => variant.tags.iter().any(|own| **own == **tag),
            None => true,
        });
        let asked =
            |id: &str| self.variants.is_empty() || self.variants.iter().any(|own| own == id);
        let variants = tagged.filter(|variant| asked(variant.id.as_str()));
        Ok(variants.map(|variant| (variant.id.to_string(), variant.version)).collect())
    }
}

impl Cell {
    fn row(&self) -> Vec<String> {
        let mut row = vec![
            self.context.clone(),
            format!("{}@{}", self.variant, self.version),
            if self.matches { "yes" } else { "" }.to_owned(),
        ];
        match &self.built {
            Err(error) => row.push(format!("{}: {error}", error.code())),
            Ok(figures) => row.extend([
                size(figures.bytes),
                size(figures.static_head),
                figures.sections.to_string(),
                figures.warnings.to_string(),
                figures.missing.iter().map(|(id, _)| &**id).collect::<Vec<_>>().join(", "),
            ]),
        }
        row
    }

    fn to_json(&self) -> Json {
        let Self { context, variant, version, matches, built } = self;
        let mut json = json!({
            "context": context, "variant": variant, "version": version, "matches": matches,
        });
        match built {
            Err(error) => {
                json["error"] = json!({ "code": error.code(), "message": error.to_string() })
            }
            Ok(figures) => {
                json["bytes"] = json!(figures.bytes);
                json["static_head_bytes"] = json!(figures.static_head);
                json["sections"] = json!(figures.sections);
                json["warnings"] = json!(figures.warnings);
                let missing = figures.missing.iter();
                json["missing"] = missing
                    .map(|(id, reason)| json!({ "id": id, "reason_code": reason }))
                    .collect();
            }
        }
        json
    }
}
