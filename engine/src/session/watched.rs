//! The files that answers of code were made of.
//!
//! In: answers that were given just now, with the files that they name. Out: a note for each file that is another one
//! since. Never: reads a file, or asks the code again: what changed waits for the reset.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::load::Stamp;
use crate::recall::Basis;

/// The files of each component's answer, with their stamps; none for a file that was not there.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched(BTreeMap<String, Answer>);

#[derive(Clone, Debug, Default)]
struct Answer {
    component: String,
    files: BTreeMap<Arc<str>, Option<Stamp>>,
}

impl Watched {
    /// Remembers how the files are that answers were made of just now. A path that is not absolute counts from `folder`.
    pub(super) fn look(&mut self, bases: Vec<Basis>, folder: &Path) {
        for Basis { question, component, files } in bases {
            let stamp = |file: Arc<str>| {
                let path = folder.join(&*file);
                (path.to_string_lossy().into(), Stamp::of(&path))
            };
            let files: BTreeMap<_, _> = files.into_iter().map(stamp).collect();
            self.0.remove(&question);
            if !files.is_empty() {
                self.0.insert(question, Answer { component, files });
            }
        }
    }

    /// A note for each file that has changed since it was looked at last.
    pub(super) fn changed(&mut self) -> Vec<Diagnostic> {
        let mut found: BTreeMap<Arc<str>, BTreeSet<String>> = BTreeMap::new();
        for Answer { component, files } in self.0.values_mut() {
            for (file, before) in files {
                let now = Stamp::of(Path::new(&**file));
                if std::mem::replace(before, now) != now {
                    found.entry(Arc::clone(file)).or_default().insert(component.clone());
                }
            }
        }
        found.iter().map(|(file, components)| note(file, components)).collect()
    }

    /// `{question: {component, files: {path: stamp}}}`.
    pub(super) fn to_json(&self) -> Json {
        let answers = self.0.iter().map(|(question, Answer { component, files })| {
            let files = files
                .iter()
                .map(|(path, stamp)| (path.to_string(), json!(stamp.map(Stamp::to_json))));
            (
                question.clone(),
                json!({ "component": component, "files": files.collect::<Map<_, _>>() }),
            )
        });
        answers.collect::<Map<_, _>>().into()
    }

    /// Reads what [`Watched::to_json`] wrote; what has another shape is left out, and no longer watched.
    pub(super) fn from_json(json: &Json) -> Self {
        let answers = json.as_object().into_iter().flatten().filter_map(|(question, answer)| {
            let files = answer["files"].as_object()?.iter();
            let files = files.map(|(path, stamp)| (path.as_str().into(), Stamp::from_json(stamp)));
            let component = answer["component"].as_str()?.to_owned();
            Some((question.clone(), Answer { component, files: files.collect() }))
        });
        Self(answers.collect())
    }
}

fn note(file: &Arc<str>, components: &BTreeSet<String>) -> Diagnostic {
    let names: Vec<String> = components.iter().map(|id| format!("`{id}`")).collect();
    let message = format!(
        "`{file}` has changed since section {} was made of it; the session keeps the old text",
        names.join(", ")
    );
    let origin = Origin::Line { file: Arc::clone(file), line: 0 };
    Diagnostic::new(Code::SessionFileChanged, message, origin)
        .help("reset the session, as after `/clear`, to take the new text")
}
