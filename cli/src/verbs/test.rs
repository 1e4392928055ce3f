//! `test`: builds the cases of a pack and compares them with the snapshots beside them.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Ask, Code, Diagnostic, Engine, Origin, SourceFile};
use promptweave_inspect as inspect;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use similar::TextDiff;

use crate::console::{Console, Progress};
use crate::context::{self, Overlay};
use crate::failure::Failure;
use crate::files;
use crate::packs::{self, PackFlags};
use crate::select::{AskFlags, Strictness};
use crate::session::NoSession;
use crate::table::{count, visible};

const EXAMPLES: &str = r#"Examples:
  promptweave test packs/acme
  promptweave test packs/acme --bless

A case, tests/plan.toml; every key may be left out:
  variant = "acme"          # or label, tag
  model = "claude-opus-4"   # also provider, mode, tools = ["read_file"]
  context_file = "big.json" # or a table [context]
  set = { "user.language" = "de" }
Its snapshot, tests/plan.snap.txt, holds the prompt's bytes."#;

const CASE_FOLDER: &str = "tests";
const SNAPSHOT_ENDING: &str = "snap.txt";

/// Build each `tests/*.toml` of a pack and compare it with the snapshot beside it
///
/// The packs are loaded on top of the standard pack and of each --pack. A case without a context has an
/// empty one: the machine fills in nothing. Selectors given here win over those of the cases.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    /// Folders of packs; without one, the pack here or the project's
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Take what is built as the new snapshots
    #[arg(long)]
    bless: bool,
    #[command(flatten)]
    strictness: Strictness,
    /// A context instead of the cases' own
    #[arg(short, long, value_name = "FILE|-")]
    context: Option<PathBuf>,
    #[command(flatten)]
    overlay: Overlay,
    #[command(flatten)]
    ask: AskFlags,
    #[command(flatten)]
    packs: PackFlags,
    #[command(flatten)]
    _no_session: NoSession,
}

/// A case as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    variant: Option<String>,
    label: Option<String>,
    tag: Option<String>,
    model: Option<String>,
    provider: Option<String>,
    mode: Option<String>,
    tools: Option<Vec<String>>,
    #[serde(default)]
    set: toml::Table,
    context: Option<toml::Table>,
    context_file: Option<PathBuf>,
}

/// What became of a case.
enum Verdict {
    Same,
    /// The snapshot was written.
    Blessed,
    Differs {
        diff: String,
    },
    /// There is no snapshot.
    New,
    Failed {
        why: String,
    },
}

impl Test {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let mut verdicts = Vec::new();
        for dir in self.dirs()? {
            let engine = self.packs.engine_of(&dir)?;
            console.tell(engine.diagnostics());
            self.strictness.judge(engine.diagnostics())?;
            let cases = cases(&dir)?;
            let mut progress = Progress::new(console, cases.len());
            for path in cases {
                progress.step(console, &path.display().to_string());
                let verdict = self.verdict(console, &engine, &path)?;
                verdicts.push((path, verdict));
            }
        }
        if console.json {
            let all: Json = verdicts.iter().map(|(path, verdict)| verdict.to_json(path)).collect();
            console.out_json(&all)?;
        } else {
            console.out(report(&verdicts))?;
        }
        let failed = verdicts.iter().any(|(_, verdict)| verdict.is_failure());
        if failed { Err(Failure::Check) } else { Ok(()) }
    }

    fn dirs(&self) -> Result<Vec<PathBuf>, Failure> {
        if !self.dirs.is_empty() {
            return Ok(self.dirs.clone());
        }
        let here = packs::pack_here().map(|dir| vec![dir]);
        here.ok_or_else(|| Failure::Usage("there is no pack here; name its folder".into()))
    }

    fn verdict(&self, console: &Console, engine: &Engine, path: &Path) -> Result<Verdict, Failure> {
        let case = read(path)?;
        let mut root = match &self.context {
            Some(own) => context::read(own)?,
            None => case.root(path)?,
        };
        case.put_on(&mut root)?;
        let context = self.overlay.on(root)?;
        let prompt = match engine.prompt_for(&context, &self.ask(&case)) {
            Ok(prompt) => prompt,
            Err(error) => return Ok(Verdict::Failed { why: format!("{}: {error}", error.code()) }),
        };
        console.tell(prompt.diagnostics());
        self.strictness.judge(prompt.diagnostics())?;
        let snapshot = path.with_extension(SNAPSHOT_ENDING);
        let expected = snapshot.exists().then(|| files::read_regular(&snapshot)).transpose()?;
        match expected {
            Some(expected) if expected == prompt.text() => Ok(Verdict::Same),
            _ if self.bless => files::replace(&snapshot, prompt.text()).map(|()| Verdict::Blessed),
            Some(expected) => Ok(Verdict::Differs { diff: diff(&expected, prompt.text()) }),
            None => Ok(Verdict::New),
        }
    }

    fn ask(&self, case: &Case) -> Ask {
        let own = self.ask.ask();
        if own != Ask::default() {
            return own;
        }
        let Case { variant, label, tag, .. } = case;
        Ask { variant: variant.clone(), label: label.clone(), tag: tag.clone(), budget: None }
    }
}

impl Case {
    /// The context before anything is set in it.
    fn root(&self, path: &Path) -> Result<Json, Failure> {
        match (&self.context, &self.context_file) {
            (Some(_), Some(_)) => Err(Failure::Usage(format!(
                "`{}` has both `context` and `context_file`",
                path.display()
            ))),
            (Some(table), None) => {
                context::json_of(toml::Value::Table(table.clone())).map_err(Failure::Usage)
            }
            (None, Some(file)) => context::read_regular(&path.with_file_name("").join(file)),
            (None, None) => Ok(json!({})),
        }
    }

    /// Puts the case's own values on its context.
    fn put_on(&self, root: &mut Json) -> Result<(), Failure> {
        let Self { model, provider, mode, tools, set, .. } = self;
        let set = set.iter().map(|(path, value)| {
            Ok(inspect::Assignment { path: path.clone(), value: context::json_of(value.clone())? })
        });
        let values = inspect::Overlay {
            model: model.clone(),
            provider: provider.clone(),
            mode: mode.clone(),
            tools: tools.clone(),
            set: set.collect::<Result<_, _>>().map_err(Failure::Usage)?,
        };
        values.put_on(root).map_err(context::misplaced)
    }
}

impl Verdict {
    fn word(&self) -> &'static str {
        match self {
            Self::Same => "ok",
            Self::Blessed => "blessed",
            Self::Differs { .. } => "differs",
            Self::New => "new",
            Self::Failed { .. } => "failed",
        }
    }

    fn is_failure(&self) -> bool {
        match self {
            Self::Same | Self::Blessed => false,
            Self::Differs { .. } | Self::New | Self::Failed { .. } => true,
        }
    }

    /// What there is to say beside the word.
    fn detail(&self) -> &str {
        match self {
            Self::Same | Self::Blessed => "",
            Self::Differs { diff } => diff,
            Self::New => "there is no snapshot; `--bless` takes what is built as one\n",
            Self::Failed { why } => why,
        }
    }

    fn to_json(&self, path: &Path) -> Json {
        let mut json = json!({ "case": path.display().to_string(), "verdict": self.word() });
        match self {
            Self::Same | Self::Blessed | Self::New => {}
            Self::Differs { diff } => json["diff"] = json!(diff),
            Self::Failed { why } => json["why"] = json!(why),
        }
        json
    }
}

fn read(path: &Path) -> Result<Case, Failure> {
    let text = files::read_file(path)?;
    toml::from_str(&text).map_err(|error| {
        let file = SourceFile::new(path.display().to_string(), text.as_str());
        let origin = Origin::file(&file, error.span().unwrap_or_default());
        let told = Diagnostic::new(Code::InvalidValue, error.message().trim(), origin);
        Failure::Input(Box::new(told.help("`promptweave test --help` shows a case")))
    })
}

/// The cases of a pack, by name.
fn cases(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let folder = dir.join(CASE_FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(&folder).map_err(|error| {
        Failure::input(
            format!("`{}` cannot be read: {error}", folder.display()),
            "look at its permissions",
        )
    })?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut cases: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    cases.sort();
    Ok(cases)
}

fn diff(expected: &str, built: &str) -> String {
    let diff = TextDiff::from_lines(expected, built);
    diff.unified_diff().header("snapshot", "built").to_string()
}

fn report(verdicts: &[(PathBuf, Verdict)]) -> String {
    let mut text = String::new();
    for (path, verdict) in verdicts {
        text.push_str(&format!("{:8}{}\n", verdict.word(), visible(&path.display().to_string())));
        for line in verdict.detail().lines() {
            text.push_str(&format!("        {}\n", visible(line)));
        }
    }
    let failed = verdicts.iter().filter(|(_, verdict)| verdict.is_failure()).count();
    text.push_str(&format!("{}, {failed} failed\n", count(verdicts.len(), "test")));
    text
}
