//! A plugin as the engine sees it: an extension like any other.
//!
//! In: a plugin that runs here or in a child. Out: its items, for [`Engine`](promptweave::Engine) to ask. Never: lets an item read
//! what it did not declare, or passes on text that it could not check.

mod batch;
mod data;
mod memo;
mod near;
pub(crate) mod source;
mod spent;
mod told;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use promptweave::{
    Batch, Build, CodeComponent, CodeHelper, CodeMatcher, Context, Diagnostic, Extension, Inputs,
    Probe,
};
use serde_json::{Map, Value as Json};

use crate::answer::{Answer, Outcome};
use crate::guest::{self, Instance};
use crate::limits::{Limits, Sandbox};
use crate::manifest::{Isolation, ItemKind};
use crate::process::{Fault, Prepared, Process};
use crate::table::{Item, Table};
pub(crate) use data::LeftOut;
use memo::{Key, Memo};
use near::Near;
pub(crate) use source::Source;
use source::{prepare, read_all};
use spent::Spent;

/// A loaded plugin; cheap to clone.
#[derive(Clone)]
pub struct Plugin(Arc<Inner>);

struct Inner {
    runner: Runner,
    memo: Mutex<Memo>,
    spent: Mutex<Spent>,
    files: data::Files,
}

enum Runner {
    Process(Box<Process>),
    InProcess(Box<Instance>, Limits),
}

impl Plugin {
    pub(crate) fn in_child(process: Process) -> (Self, Vec<LeftOut>) {
        Self::new(Runner::Process(Box::new(process)))
    }

    pub(crate) fn in_process(instance: Instance, limits: Limits) -> (Self, Vec<LeftOut>) {
        Self::new(Runner::InProcess(Box::new(instance), limits))
    }

    /// With the items that were left out.
    fn new(runner: Runner) -> (Self, Vec<LeftOut>) {
        let bare = Self(Arc::new(Inner {
            runner,
            memo: Mutex::default(),
            spent: Mutex::default(),
            files: Vec::new(),
        }));
        let (files, refused) = data::files(&bare);
        let Self(mut inner) = bare;
        if let Some(inner) = Arc::get_mut(&mut inner) {
            inner.files = files;
        }
        (Self(inner), refused)
    }

    /// What the plugin says of itself.
    pub fn table(&self) -> &Table {
        match &self.0.runner {
            Runner::Process(process) => process.table(),
            Runner::InProcess(instance, _) => instance.table(),
        }
    }

    /// Where it runs.
    pub fn isolation(&self) -> Isolation {
        match &self.0.runner {
            Runner::Process(_) => Isolation::Process,
            Runner::InProcess(..) => Isolation::InProc,
        }
    }

    /// How far its process is confined; in this process not at all.
    pub fn sandbox(&self) -> Sandbox {
        match &self.0.runner {
            Runner::Process(process) => process.sandbox(),
            Runner::InProcess(..) => Sandbox::None,
        }
    }

    pub(crate) fn component(&self, id: &str) -> Option<&Item> {
        self.table().of_kind(ItemKind::Component).find(|item| item.id == id)
    }

    /// The processes that it runs in, if it does.
    pub(crate) fn process(&self) -> Option<&Process> {
        match &self.0.runner {
            Runner::Process(process) => Some(process),
            Runner::InProcess(..) => None,
        }
    }

    /// What a call of an item brings along.
    pub(crate) fn prepare(&self, item: &Item, context: &Context) -> Prepared {
        prepare(context, &[item])
    }

    /// Calls one item now.
    pub(crate) fn ask(
        &self,
        item: &Item,
        args: &str,
        source: &dyn Source,
    ) -> Result<Answer, String> {
        read_all(item, source);
        match &self.0.runner {
            Runner::Process(process) => {
                let prepared = prepare(source, &[item]);
                let key = if args.is_empty() { memo::key(item, &prepared) } else { None };
                if let Some(answer) = key.and_then(|key| self.remembered(&key)) {
                    return Ok(answer);
                }
                let got = process.call(prepared, item.at, args.to_owned());
                if let (Some(key), Ok(answer)) = (key, &got) {
                    self.remember(key, answer);
                }
                self.explained(got)
            }
            Runner::InProcess(instance, limits) => Ok(near(instance, limits, (item, args, source))),
        }
    }

    /// Calls one item now, whatever is remembered.
    pub(crate) fn ask_afresh(
        &self,
        item: &Item,
        args: &str,
        source: &dyn Source,
    ) -> Result<Answer, String> {
        match &self.0.runner {
            Runner::Process(process) => {
                let got = process.call(prepare(source, &[item]), item.at, args.to_owned());
                got.map_err(|fault| fault.to_string())
            }
            Runner::InProcess(instance, limits) => Ok(near(instance, limits, (item, args, source))),
        }
    }

    fn remembered(&self, key: &Key) -> Option<Answer> {
        self.0.memo.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn remember(&self, key: Key, answer: &Answer) {
        self.0.memo.lock().unwrap_or_else(PoisonError::into_inner).keep(key, answer);
    }

    /// What a child gave, with failures as sentences.
    fn explained(&self, got: Result<Answer, Fault>) -> Result<Answer, String> {
        let answer = got.map_err(|fault| self.explain(&fault.to_string()))?;
        Ok(match answer.outcome {
            Outcome::Failed(why) => {
                Answer { outcome: Outcome::Failed(self.explain(&why)), ..answer }
            }
            Outcome::Nothing | Outcome::Text(_) => answer,
        })
    }

    /// Why an item failed; where the system may have refused it something, so does the sandbox's level.
    fn explain(&self, why: &str) -> String {
        let lower = why.to_lowercase();
        let refused = lower.contains("permission denied") || lower.contains("not permitted");
        match self.sandbox() {
            Sandbox::Partial | Sandbox::Full if refused => {
                let level = self.sandbox().as_str();
                format!(
                    "{why} (its sandbox is `{level}`: `capabilities` in its `plugin.toml` opens more)"
                )
            }
            Sandbox::None | Sandbox::Partial | Sandbox::Full => why.to_owned(),
        }
    }

    fn run(&self, item: &Item, inputs: &Inputs<'_>) -> Result<Option<promptweave::Output>, String> {
        let answer = self.ask(item, "", inputs)?;
        told::tell(&self.table().name, item, &answer, inputs);
        told::output(answer)
    }

    fn matches(&self, item: &Item, inputs: &Inputs<'_>) -> Result<bool, String> {
        let answer = self.ask(item, "", inputs)?;
        told::tell(&self.table().name, item, &answer, inputs);
        match answer.outcome {
            Outcome::Text(_) => Ok(true),
            Outcome::Nothing => Ok(false),
            Outcome::Failed(why) => Err(why),
        }
    }

    fn help(
        &self,
        item: &Item,
        inputs: &Inputs<'_>,
        (args, named): (&[Json], &Map<String, Json>),
    ) -> Result<Json, String> {
        let answer = self.ask_helper(item, &arguments(args, named), inputs)?;
        told::tell(&self.table().name, item, &answer, inputs);
        match answer.outcome {
            Outcome::Text(text) => Ok(text.into()),
            Outcome::Nothing => Ok(Json::Null),
            Outcome::Failed(why) => Err(why),
        }
    }

    /// All calls of helpers in one build share the time that one item has.
    fn ask_helper(&self, item: &Item, args: &str, inputs: &Inputs<'_>) -> Result<Answer, String> {
        let Some(process) = self.process() else { return self.ask(item, args, inputs) };
        let (build, budget) = (inputs.build(), process.budget());
        let spent = || self.0.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if spent().is_over(build, budget) {
            let spent = budget.as_millis();
            return Err(format!(
                "the plugin's helpers have used up their {spent} ms of this build"
            ));
        }
        let started = Instant::now();
        let answer = self.ask(item, args, inputs);
        spent().add(build, started.elapsed());
        answer
    }

    fn probe(
        &self,
        item: &Item,
        context: &Context,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Json, String> {
        let answer = self.ask(item, "", context)?;
        told.extend(told::reports(&self.table().name, item, &answer));
        match answer.outcome {
            Outcome::Text(text) if !text.is_empty() => serde_json::from_str(&text)
                .map_err(|error| format!("what it found is not JSON: {error}")),
            Outcome::Text(_) | Outcome::Nothing => Ok(Json::Null),
            Outcome::Failed(why) => Err(why),
        }
    }

    /// The items of a kind, each with a handle on the plugin.
    fn items<T>(&self, kind: ItemKind, make: impl Fn(Self, Arc<Item>) -> T) -> Vec<T> {
        let items = self.table().of_kind(kind);
        items.map(|item| make(self.clone(), Arc::new(item.clone()))).collect()
    }
}

/// Calls an item in this process.
fn near(
    instance: &Instance,
    limits: &Limits,
    (item, args, source): (&Item, &str, &dyn Source),
) -> Answer {
    let context = item.wants_context.then(|| source.context()).flatten().map(Json::to_string);
    let (context, variant) = (context.unwrap_or_default(), source.variant_id());
    let budget = Some(limits.call);
    let context = context.as_str();
    let asked = guest::Asked { item, variant, args, context, budget, limit: limits.output };
    instance.call(&asked, &Near::new(item, source))
}

/// A helper's arguments as a JSON array; those by name are an object at its end, where there are any.
fn arguments(args: &[Json], named: &Map<String, Json>) -> String {
    let named = (!named.is_empty()).then(|| Json::Object(named.clone()));
    Json::Array(args.iter().cloned().chain(named).collect()).to_string()
}

impl Extension for Plugin {
    fn name(&self) -> &str {
        &self.table().name
    }

    fn components(&self) -> Vec<CodeComponent> {
        self.items(ItemKind::Component, |plugin, item| {
            let made = component(plugin, &item);
            let keys: Vec<&str> = item.deps.iter().map(String::as_str).collect();
            let made = if item.wants_context { made } else { made.reads(&keys) };
            made.describe(&item.description)
        })
    }

    fn matchers(&self) -> Vec<CodeMatcher> {
        self.items(ItemKind::Matcher, |plugin, item| {
            let id = item.id.clone();
            CodeMatcher::new(&id, move |inputs| plugin.matches(&item, inputs))
        })
    }

    fn helpers(&self) -> Vec<CodeHelper> {
        self.items(ItemKind::Helper, |plugin, item| {
            let id = item.id.clone();
            let (class, deps) = (item.cache.into(), item.deps.clone());
            let keys: Vec<&str> = deps.iter().map(String::as_str).collect();
            CodeHelper::reading(&id, &keys, move |inputs, args, named| {
                plugin.help(&item, inputs, (args, named))
            })
            .class(class)
        })
    }

    fn probes(&self) -> Vec<Probe> {
        self.items(ItemKind::Probe, |plugin, item| {
            let key = item.data.clone();
            Probe::telling(&key, move |context, told| plugin.probe(&item, context, told))
        })
    }

    fn files(&self) -> Vec<(String, String)> {
        self.0.files.clone()
    }

    fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
        match &self.0.runner {
            Runner::Process(process) => Some(Box::new(batch::Asked::begin(self, process, build))),
            Runner::InProcess(..) => None,
        }
    }
}

/// A component of the class that the item declares.
fn component(plugin: Plugin, item: &Arc<Item>) -> CodeComponent {
    use crate::table::Cache;
    let own = Arc::clone(item);
    let run = move |inputs: &Inputs<'_>| plugin.run(&own, inputs);
    match item.cache {
        Cache::Static => CodeComponent::new(&item.id, run),
        Cache::Session => CodeComponent::new(&item.id, run).session(),
        Cache::Volatile => CodeComponent::volatile(&item.id, &item.reason, run),
    }
}
