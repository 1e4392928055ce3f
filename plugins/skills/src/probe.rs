//! The probe: what a context says of skills.
//!
//! In: the context's `cwd` and `home`. Out: the list `skills`. Never: looks again while nothing has changed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use promptweave_plugin::{Cx, Error, Level, Probe, Report};
use serde_json::{Value as Json, json};

use crate::config::Config;
use crate::index::{Form, Index};
use crate::note::{Code, Gravity, Note};
use crate::scan::{Place, Trust};
use crate::shelf::Shelf;

/// The configuration, and the shelf of the last place that was asked for.
pub(crate) struct State {
    config: Config,
    last: Mutex<Option<(Where, Arc<Shelf>)>>,
}

/// The folders that decide which skills there are.
#[derive(Clone, PartialEq, Eq)]
struct Where {
    home: Option<PathBuf>,
    project: Option<PathBuf>,
}

impl State {
    pub(crate) fn read(json: &str) -> Result<Self, Error> {
        Ok(Self { config: Config::read(json)?, last: Mutex::default() })
    }

    fn shelf(&self, place: Where) -> Arc<Shelf> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shelf)) = last.as_ref().filter(|(before, _)| *before == place) {
            return Arc::clone(shelf);
        }
        let trust = |project: &Path| match self.config.trusts(project) {
            true => Trust::Trusted,
            false => Trust::Untrusted,
        };
        let project = place.project.as_deref().map(|project| (project, trust(project)));
        let places = Place::all(&self.config.folders, place.home.as_deref(), project);
        let shelf = Arc::new(Shelf::new(places));
        *last = Some((place, Arc::clone(&shelf)));
        shelf
    }
}

pub(crate) struct Skills;

impl Probe<State> for Skills {
    const ID: &'static str = "skills";
    const DESCRIPTION: &'static str =
        "The skills of the user and the project, shortened to the budget";
    const KEY: &'static str = "skills";
    const DEPS: &'static [&'static str] = &["cwd", "home"];

    fn probe(state: &State, cx: &mut Cx<'_>) -> Result<(), Error> {
        let home = cx.get_str("home")?.map(PathBuf::from).or_else(std::env::home_dir);
        let cwd = cx.get_str("cwd")?.map(Path::new);
        let found = state.shelf(Where { home, project: cwd.map(project) }).look();
        let index = found.index(state.config.budget());
        for note in found.notes.iter().chain(&cut(&index, state.config.budget())) {
            tell(cx, note)?;
        }
        let skills: Vec<Json> = index.entries.iter().map(entry).collect();
        cx.write(&serde_json::to_string(&skills)?)
    }
}

/// The repository that holds a folder, else the folder.
fn project(cwd: &Path) -> PathBuf {
    let has_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    cwd.ancestors().find(has_git).unwrap_or(cwd).to_owned()
}

fn entry(entry: &crate::index::Entry) -> Json {
    let skill = &entry.skill;
    let mut json = json!({ "name": skill.name, "path": skill.path.to_string_lossy() });
    if !entry.description.is_empty() {
        json["description"] = json!(entry.description);
    }
    if let Some(category) = &skill.category {
        json["category"] = json!(category);
    }
    if !skill.tags.is_empty() {
        json["tags"] = json!(skill.tags);
    }
    json
}

/// What the budget cost.
fn cut(index: &Index, budget: Option<usize>) -> Option<Note> {
    let budget = budget?;
    let count = index.entries.len();
    let message = match index.form {
        Form::Full => return None,
        Form::Shortened => {
            format!("the descriptions of {count} skills are shortened to fit {budget} tokens")
        }
        Form::Names if index.cut.is_empty() => {
            format!("{count} skills are listed by name alone to fit {budget} tokens")
        }
        Form::Names => {
            let names: Vec<String> = index.cut.iter().map(|name| format!("`{name}`")).collect();
            let (left, names) = (names.len(), names.join(", "));
            format!("{left} skills do not fit {budget} tokens even by name: {names}")
        }
    };
    let help = "raise `budget` of the plugin `skills`, or remove skills";
    Some(Note::warning(Code::SkillsCut, PathBuf::new(), message, help))
}

fn tell(cx: &mut Cx<'_>, note: &Note) -> Result<(), Error> {
    let level = match note.gravity {
        Gravity::Note => Level::INFO,
        Gravity::Warning => Level::WARN,
    };
    let message = match note.path.as_os_str().is_empty() {
        true => note.message.clone(),
        false => format!("`{}`: {}", note.path.display(), note.message),
    };
    cx.report(Report { level, code: note.code.as_str(), message: &message, help: Some(note.help) })
}
