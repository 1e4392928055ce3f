//! Asks every extension once what it supplies.
//!
//! In: extensions, in stacking order. Out: [`Extensions`], what each adds to the stack of packs, and a
//! diagnostic for each name that cannot be used or is there twice. Never: lets a panic through.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{
    CodeComponent, CodeHelper, CodeMatcher, Extension, Extensions, Item, Probe, item_origin,
    shielded,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Component, ComponentId, InvalidId, PackName, ToolId, is_key_path};
use crate::template::is_reserved;

/// What an extension adds to the stack of packs.
pub(crate) struct Supplied {
    pub(crate) name: PackName,
    pub(crate) files: Vec<(String, String)>,
    /// One for each component in code.
    pub(crate) components: Vec<Component>,
}

/// Asks all extensions; of what is there twice the later counts.
pub(crate) fn gather(all: Vec<Arc<dyn Extension>>) -> (Extensions, Vec<Supplied>, Vec<Diagnostic>) {
    let mut gather = Gather::default();
    let all: Vec<_> = all.into_iter().filter_map(|one| gather.ask(one)).collect();
    let mut supplied = Vec::new();
    for (at, (extension, answers)) in all.iter().enumerate() {
        let name = &answers.name;
        if all[at + 1..].iter().any(|(_, later)| later.name == *name) {
            let message = format!("two extensions are called `{name}`");
            let help = "the later one counts, nothing of the other is loaded; rename one of them";
            gather.tell(Code::ExtensionConflict, &format!("{name}/"), message, help);
            continue;
        }
        supplied.push(gather.take(extension, answers));
    }
    (gather.extensions, supplied, gather.told)
}

/// Everything that one extension answered.
struct Answers {
    name: PackName,
    components: Vec<CodeComponent>,
    matchers: Vec<CodeMatcher>,
    helpers: Vec<CodeHelper>,
    probes: Vec<Probe>,
    files: Vec<(String, String)>,
}

/// What an item is; items of one kind need names of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Component,
    Matcher,
    Helper,
    Probe,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Component => "component",
            Self::Matcher => "matcher",
            Self::Helper => "helper",
            Self::Probe => "probe",
        })
    }
}

#[derive(Default)]
struct Gather {
    extensions: Extensions,
    /// Which extension supplies an item.
    owners: BTreeMap<(Kind, String), PackName>,
    told: Vec<Diagnostic>,
}

impl Gather {
    fn ask(&mut self, extension: Arc<dyn Extension>) -> Option<(Arc<dyn Extension>, Answers)> {
        let name = match shielded(|| Ok(extension.name().to_owned())) {
            Ok(name) => name,
            Err(why) => return self.refuse("extension", &why),
        };
        let name = match PackName::new(&name) {
            Ok(name) => name,
            Err(shape) => {
                let message = format!("`{name}` cannot be the name of an extension");
                let help = format!("{}; nothing of it is loaded", use_shape(&shape));
                self.tell(Code::ExtensionFailed, &format!("{name}/"), message, &help);
                return None;
            }
        };
        let answers = shielded(|| {
            Ok(Answers {
                name: name.clone(),
                components: extension.components(),
                matchers: extension.matchers(),
                helpers: extension.helpers(),
                probes: extension.probes(),
                files: extension.files(),
            })
        });
        match answers {
            Ok(answers) => Some((extension, answers)),
            Err(why) => self.refuse(name.as_str(), &why),
        }
    }

    /// An extension that does not even say what it supplies.
    fn refuse<T>(&mut self, name: &str, why: &str) -> Option<T> {
        let message = format!("the extension `{name}` does not say what it supplies: {why}");
        let help = "nothing of it is loaded; mend its code";
        self.tell(Code::ExtensionFailed, &format!("{name}/"), message, help);
        None
    }

    fn take(&mut self, extension: &Arc<dyn Extension>, answers: &Answers) -> Supplied {
        let name = &answers.name;
        let mut components: Vec<Component> = Vec::new();
        for item in &answers.components {
            let Some(id) = self.component_id(name, item.id()) else { continue };
            components.retain(|before| before.id != id);
            components.push(item.component(id, name));
            self.extensions.components.insert(format!("{name}/{}", item.id()), item.clone());
        }
        for item in &answers.matchers {
            let shape = ToolId::new(item.name()).map_err(|_| MATCHER_SHAPE.to_owned());
            if self.claim(name, Kind::Matcher, item.name(), shape).is_some() {
                let matchers = &mut self.extensions.matchers;
                let (bare, whole) = (item.name(), format!("{name}/{}", item.name()));
                let item = Item { code: item.clone(), origin: item_origin(&whole) };
                matchers.insert(whole, item.clone());
                matchers.insert(bare.into(), item);
            }
        }
        for item in &answers.helpers {
            let shape = ComponentId::new(item.name()).map_err(|why| use_shape(&why));
            if self.claim(name, Kind::Helper, item.name(), shape).is_some() {
                let origin = item_origin(&format!("{name}/{}", item.name()));
                let helper = Item { code: item.clone(), origin };
                self.extensions.helpers.insert(item.name().into(), helper);
            }
        }
        for item in &answers.probes {
            let shape = is_key_path(item.key()).then_some(()).ok_or_else(|| KEY_SHAPE.to_owned());
            if self.claim(name, Kind::Probe, item.key(), shape).is_some() {
                let probes = &mut self.extensions.probes;
                probes.retain(|(_, before)| before.key() != item.key());
                probes.push((Arc::clone(name.shared()), item.clone()));
            }
        }
        self.extensions.all.push((Arc::clone(name.shared()), Arc::clone(extension)));
        Supplied { name: name.clone(), files: answers.files.clone(), components }
    }

    /// The id of a component: a name that templates can print.
    fn component_id(&mut self, extension: &PackName, id: &str) -> Option<ComponentId> {
        let shape = if is_reserved(id) {
            Err("use another name: this is a word of the template language".to_owned())
        } else {
            ComponentId::new(id).map_err(|why| use_shape(&why))
        };
        self.claim(extension, Kind::Component, id, shape)
    }

    /// Takes the name of an item, if it has the right shape.
    fn claim<T>(
        &mut self,
        extension: &PackName,
        kind: Kind,
        id: &str,
        shape: Result<T, String>,
    ) -> Option<T> {
        let item = format!("{extension}/{id}");
        let named = match shape {
            Ok(named) => named,
            Err(help) => {
                let message = format!("`{id}` cannot be the name of a {kind}; it is left out");
                self.tell(Code::ExtensionFailed, &item, message, &help);
                return None;
            }
        };
        if let Some(before) = self.owners.insert((kind, id.into()), extension.clone()) {
            let message = match before == *extension {
                true => format!("extension `{extension}` supplies the {kind} `{id}` twice"),
                false => format!("`{before}` and `{extension}` both supply the {kind} `{id}`"),
            };
            self.tell(
                Code::ExtensionConflict,
                &item,
                message,
                "the later one counts; rename one of them",
            );
        }
        Some(named)
    }

    fn tell(&mut self, code: Code, item: &str, message: String, help: &str) {
        self.told.push(Diagnostic::new(code, message, item_origin(item)).help(help));
    }
}

const MATCHER_SHAPE: &str = "use a letter, then letters, digits, `_` and `-`, at most 64 bytes";
const KEY_SHAPE: &str = "use letters, digits, `_` and `-`, with dots between the steps";

fn use_shape(why: &InvalidId) -> String {
    format!("use {}", why.shape())
}
