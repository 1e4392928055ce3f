//! Calls the helpers of extensions, once in a build for the same arguments.
//!
//! In: the name of a helper and its arguments. Out: its answer with the class of what it read, and what it
//! reported. Never: calls again what failed.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value as Json};

use super::World;
use crate::diagnostic::Diagnostic;
use crate::extension::{CodeHelper, Inputs, Item, Reads, covers, shielded};
use crate::recall::{Printed, Record};
use crate::template::Called;
use crate::trace::CacheClass;

/// The helpers of one build, and what they answered.
pub(super) struct Helpers<'a> {
    world: World<'a>,
    /// By the name and the arguments, as one text.
    answers: RefCell<BTreeMap<String, Answered>>,
    told: RefCell<Vec<Diagnostic>>,
    /// Given at the first call.
    build: OnceCell<u64>,
}

/// As [`Called`], with the place of the cause among the declared keys.
#[derive(Clone)]
struct Answered {
    value: Result<Json, String>,
    class: CacheClass,
    cause: Option<usize>,
    record: Record,
}

impl<'a> Helpers<'a> {
    pub(super) fn new(world: World<'a>) -> Self {
        Self {
            world,
            answers: RefCell::default(),
            told: RefCell::default(),
            build: OnceCell::new(),
        }
    }

    /// What the helper of that name answers; none when there is no such helper.
    pub(super) fn call(
        &self,
        name: &str,
        args: Vec<Json>,
        named: Map<String, Json>,
    ) -> Option<Called<'a>> {
        let helper = self.world.extensions.helper(name)?;
        let question = question(name, &args, &named);
        let known = self.answers.borrow().get(&question).cloned();
        let Answered { value, class, cause, record } = known.unwrap_or_else(|| {
            let kept = self.kept(&question);
            let answer = kept.unwrap_or_else(|| self.answer(helper, &question, &args, &named));
            self.answers.borrow_mut().insert(question, answer.clone());
            answer
        });
        if let Some(desk) = self.world.desk {
            desk.add(&record);
        }
        Some(Called { value, class, cause: cause.and_then(|at| helper.code.reads.get(at)) })
    }

    /// What helpers reported since this was asked last.
    pub(super) fn drain(&self) -> Vec<Diagnostic> {
        self.told.take()
    }

    /// What was answered in an earlier build of the session.
    fn kept(&self, question: &str) -> Option<Answered> {
        let World { context, variant, desk, .. } = self.world;
        let answer = desk?.answer::<Printed>(&variant.question(question), context)?;
        let record = answer.record();
        let Printed { value, class, cause } = answer.said;
        Some(Answered { value: Ok(value), class, cause, record })
    }

    fn answer(
        &self,
        helper: &Item<CodeHelper>,
        question: &str,
        args: &[Json],
        named: &Map<String, Json>,
    ) -> Answered {
        let answer = self.ask(helper, args, named);
        let World { context, variant, desk, .. } = self.world;
        if let (Some(desk), Ok(value)) = (desk, &answer.value) {
            let said = Printed { value: value.clone(), class: answer.class, cause: answer.cause };
            desk.keep(&variant.question(question), said, &answer.record, context);
        }
        answer
    }

    fn ask(&self, helper: &Item<CodeHelper>, args: &[Json], named: &Map<String, Json>) -> Answered {
        let World { registry, context, variant, .. } = self.world;
        let code = &helper.code;
        let inputs = Inputs::new(registry, context, variant, Some(&code.reads));
        let inputs = inputs.in_build(*self.build.get_or_init(next_build));
        let value = shielded(|| (code.run)(&inputs, args, named));
        let mut reads = inputs.into_reads();
        let whose = format!("helper `{}`", code.name());
        self.told.borrow_mut().extend(reads.told(&whose, &helper.origin));
        let (class, cause) = self.class_of(code, &reads);
        let widened = reads.widened.as_ref().map_or(CacheClass::Static, |(class, _)| *class);
        let is_loose = value.is_err() || code.class.max(widened) == CacheClass::Volatile;
        let keys = reads.keys.iter().map(|key| key.as_str().into()).collect();
        Answered { value, class, cause, record: Record { keys, is_loose } }
    }

    /// The widest class of what the helper says of itself and of what it read, and which declared key has it.
    fn class_of(&self, code: &CodeHelper, reads: &Reads) -> (CacheClass, Option<usize>) {
        let widened = reads.widened.as_ref().map_or(CacheClass::Static, |(class, _)| *class);
        let own = (code.class.max(widened), None);
        reads.keys.iter().fold(own, |widest, path| {
            let class = self.world.class_of_path(path);
            let declared = || code.reads.iter().position(|key| covers(key, path));
            if class > widest.0 { (class, declared()) } else { widest }
        })
    }
}

/// A number that no build had before.
fn next_build() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Texts are the same exactly when names and arguments are: keys stand in quotes, before a sign that no value begins with.
fn question(name: &str, args: &[Json], named: &Map<String, Json>) -> String {
    let args = args.iter().map(Json::to_string);
    let named = named.iter().map(|(key, value)| format!("{key:?}={value}"));
    let parts: Vec<String> = args.chain(named).collect();
    format!("{name} {}", parts.join(" "))
}
