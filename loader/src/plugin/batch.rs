//! The components of one plugin in one build: asked together, answered one by one.

use std::collections::BTreeMap;

use promptweave::{Batch, Build, Inputs, Output};

use super::memo::{self, Key};
use super::source::{prepare, read_all};
use super::{Plugin, told};
use crate::answer::Answer;
use crate::process::{Process, Sent};
use crate::table::Item;

/// An item that is asked, and where its answer is kept.
type Open<'a> = (&'a Item, Option<Key>);

/// The answers of one build; while `sent` is there, a child works on them.
pub(super) struct Asked<'a> {
    plugin: &'a Plugin,
    process: &'a Process,
    answers: BTreeMap<&'a str, Result<Answer, String>>,
    sent: Option<Working<'a>>,
}

/// What a child works on: each item with the key of its answer.
struct Working<'a> {
    sent: Sent,
    asked: Vec<Open<'a>>,
}

impl<'a> Asked<'a> {
    /// Sends what is not remembered. Items that read sections wait for their turn, when those exist.
    pub(super) fn begin(plugin: &'a Plugin, process: &'a Process, build: &Build<'_>) -> Self {
        let (mut answers, mut open) = (BTreeMap::new(), Vec::new());
        for id in build.components {
            let Some(item) = plugin.component(id).filter(|item| item.sections.is_empty()) else {
                continue;
            };
            let key = memo::key(item, &prepare(build, &[item]));
            match key.and_then(|key| plugin.remembered(&key)) {
                Some(answer) => _ = answers.insert(item.id.as_str(), Ok(answer)),
                None => open.push((item, key)),
            }
        }
        let sent = (!open.is_empty()).then(|| {
            let items: Vec<&Item> = open.iter().map(|(item, _)| *item).collect();
            let asked = items.iter().map(|item| (item.at, String::new())).collect();
            Working { sent: process.send(prepare(build, &items), asked), asked: open }
        });
        Self { plugin, process, answers, sent }
    }

    /// Waits for the child; it is free for others from here on.
    fn collect(&mut self) {
        let Some(Working { sent, asked }) = self.sent.take() else { return };
        for ((item, key), got) in asked.into_iter().zip(self.process.collect(sent)) {
            if let (Some(key), Ok(answer)) = (key, &got) {
                self.plugin.remember(key, answer);
            }
            self.answers.insert(&item.id, self.plugin.explained(got));
        }
    }
}

impl Batch for Asked<'_> {
    fn component(&mut self, id: &str, inputs: &Inputs<'_>) -> Result<Option<Output>, String> {
        self.collect();
        let Some(item) = self.plugin.component(id) else {
            return Err(format!("the plugin has no component `{id}`"));
        };
        read_all(item, inputs);
        let answer = match self.answers.remove(id) {
            Some(answer) => answer?,
            None => self.plugin.ask(item, "", inputs)?,
        };
        told::tell(self.plugin.table().name.as_str(), item, &answer, inputs);
        told::output(answer)
    }
}

/// A child that was asked is waited for, else it would still be at work when the next build asks it.
impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.collect();
    }
}
