//! `matrix`: all variants × given contexts.

use std::path::PathBuf;

use clap::Args;
use promptweave::{Context, Engine};
use promptweave_inspect::{Cell, Variants, matrix, variants};
use serde_json::Value as Json;

use crate::console::{Console, Progress};
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
            cells.iter().for_each(|cell| table.row(row(cell)));
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
        let asked = Variants { tag: self.tag.clone(), ids: self.variants.clone() };
        let variants = variants(engine, &asked)
            .map_err(|id| Failure::Usage(format!("there is no variant `{id}`")))?;
        let contexts = self.contexts()?;
        let mut progress = Progress::new(console, contexts.len() * variants.len());
        let mut cells = Vec::new();
        for (name, context) in &contexts {
            for cell in matrix(engine, (name, context), &variants) {
                progress.step(console, &format!("{} in {name}", cell.variant));
                cells.push(cell);
            }
        }
        Ok(cells)
    }
}

fn row(cell: &Cell) -> Vec<String> {
    let mut row = vec![
        cell.context.clone(),
        format!("{}@{}", cell.variant, cell.version),
        if cell.matches { "yes" } else { "" }.to_owned(),
    ];
    match &cell.built {
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
