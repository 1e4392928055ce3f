//! One plan for every API: what the request holds, in order, and which prefix ends are marked.
//!
//! In: a prompt, tools, a delivery. Out: a [`Plan`] with at most [`MAX_MARKS`] marks, less what the host uses.
//! Never: marks what is empty; all marks have one life, so that it never rises along the request.

use serde_json::Value as Json;

use super::{Delivery, Target, WireScope};
use crate::blocks::{BlockKind, CacheMode, GlobalCaching, Scope};
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::facts::{Facts, Marks, Ttl};
use crate::prompt::Prompt;
use crate::weight::weight;

/// How many cache marks a request may hold, over tools, system and messages: the limit of Anthropic, Bedrock and OpenAI.
pub const MAX_MARKS: usize = 4;

/// The end of a prefix that should be cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub ttl: Ttl,
    /// Who shares the entry, where the request says so.
    pub scope: Option<Scope>,
}

/// A text of the request.
#[derive(Debug)]
pub(super) struct Part<'p> {
    pub text: &'p str,
    pub kind: BlockKind,
    pub mark: Option<Mark>,
}

impl Part<'_> {
    /// What stands behind it where parts are put next to each other: only the prefix is no part of the prompt's text.
    pub(super) fn behind(&self) -> &'static str {
        match self.kind {
            BlockKind::Prefix => "\n\n",
            BlockKind::Attribution | BlockKind::Static | BlockKind::Dynamic => "",
        }
    }

    /// The text with what stands behind it.
    pub(super) fn apart(&self) -> String {
        [self.text, self.behind()].concat()
    }
}

/// What a request holds, in the order in which providers cache it: tools, system, messages.
#[derive(Debug)]
pub(super) struct Plan<'p> {
    pub model: &'p str,
    pub tools: Vec<Json>,
    pub tools_mark: Option<Mark>,
    pub system: Vec<Part<'p>>,
    /// The first user message, and its mark.
    pub user: Option<(&'p str, Option<Mark>)>,
}

/// A place that can be marked: the end of a part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Tools,
    System(BlockKind),
    User,
}

impl End {
    /// Which is kept when not all can be: what most sessions share comes first, then what a session shares.
    fn priority(self) -> u8 {
        match self {
            Self::System(BlockKind::Static) => 0,
            Self::System(BlockKind::Dynamic) => 1,
            Self::User => 2,
            Self::Tools => 3,
            Self::System(BlockKind::Prefix | BlockKind::Attribution) => 4,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::System(BlockKind::Attribution) => "attribution",
            Self::System(BlockKind::Prefix) => "prefix",
            Self::System(BlockKind::Static) => "static",
            Self::System(BlockKind::Dynamic) => "dynamic",
            Self::User => "user context",
        }
    }
}

pub(super) fn plan<'p>(
    prompt: &'p Prompt,
    tools: Vec<Json>,
    delivery: &'p Delivery,
) -> (Plan<'p>, Vec<Diagnostic>) {
    let mut planner = Planner::new(prompt, delivery);
    let system = planner.system();
    let user = prompt.user_context().map(|text| (text, None));
    let model = &*delivery.facts.model;
    let model = if model.is_empty() { &*prompt.caching().model } else { model };
    let mut plan = Plan { model, tools, tools_mark: None, system, user };
    planner.mark(&mut plan);
    planner.measure(&plan);
    (plan, planner.told)
}

/// The end of a part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) end: End,
    /// The life of the entry that ends here.
    pub(crate) mark: Option<Ttl>,
}

/// The ends of all parts that are cached or can be, in the order of the request, and what there is to tell. The tools are
/// those of a payload as text: only whether there are any, and how long they are, matters.
pub(crate) fn ended(
    prompt: &Prompt,
    tools: &str,
    delivery: &Delivery,
) -> (Vec<Ended>, Vec<Diagnostic>) {
    let tools = Some(tools).filter(|tools| !tools.is_empty()).map(Json::from);
    let (plan, told) = plan(prompt, tools.into_iter().collect(), delivery);
    let ended = |end, mark: Option<Mark>| Ended { end, mark: mark.map(|mark| mark.ttl) };
    let tools = (!plan.tools.is_empty()).then(|| ended(End::Tools, plan.tools_mark));
    let system = plan.system.iter().filter(|part| part.kind != BlockKind::Attribution);
    let system = system.map(|part| ended(End::System(part.kind), part.mark));
    let user = plan.user.iter().map(|(_, mark)| ended(End::User, *mark));
    (tools.into_iter().chain(system).chain(user).collect(), told)
}

struct Planner<'p> {
    prompt: &'p Prompt,
    delivery: &'p Delivery,
    first_party: bool,
    mode: CacheMode,
    told: Vec<Diagnostic>,
}

impl<'p> Planner<'p> {
    fn new(prompt: &'p Prompt, delivery: &'p Delivery) -> Self {
        let caching = prompt.caching();
        let first_party =
            delivery.target == Target::Anthropic && caching.is_first_party().unwrap_or(true);
        let mode = caching.mode(first_party, prompt.boundary());
        let mut planner = Self { prompt, delivery, first_party, mode, told: Vec::new() };
        planner.told.extend(delivery.facts.unknown());
        if caching.global == GlobalCaching::On {
            planner.judge_global();
        }
        planner
    }

    /// Global caching that was asked for and is not there is told.
    fn judge_global(&mut self) {
        let facts = &self.delivery.facts;
        let why = match self.mode {
            CacheMode::Global if facts.global_cache => return,
            CacheMode::Global => "the model data does not list it for this model",
            CacheMode::ToolsVolatile => "servers bring tools that come and go",
            CacheMode::Default if !self.first_party => "only Anthropic's own API has it",
            CacheMode::Default => "the prompt has no static head",
        };
        let help = "leave `request.global_cache` out";
        self.tell(
            Code::GlobalRefused,
            format!("global caching: {why}"),
            "request.global_cache",
            help,
        );
    }

    fn tell(&mut self, code: Code, message: String, key: &str, help: &str) {
        let told = Diagnostic::new(code, message, Origin::Context(key.into())).help(help);
        self.told.push(told);
    }

    /// The texts of the system prompt: attribution alone and first, prefix, then the prompt's blocks.
    fn system(&mut self) -> Vec<Part<'p>> {
        let (prompt, mut parts) = (self.prompt, Vec::with_capacity(4));
        let mut push = |kind, text| parts.push(Part { text, kind, mark: None });
        match prompt.attribution() {
            Some(text) if self.first_party => push(BlockKind::Attribution, text),
            Some(_) => {
                let message =
                    format!("`{}` gets no attribution block", self.delivery.target.as_str());
                let help = "leave `request.attribution` out for this target";
                self.tell(Code::AttributionDropped, message, "request.attribution", help);
            }
            None => {}
        }
        if let Some(text) = prompt.prefix() {
            push(BlockKind::Prefix, text);
        }
        if !prompt.text().trim().is_empty() {
            prompt.blocks_for(self.first_party).for_each(|block| push(block.kind, block.text));
        }
        parts
    }

    /// The ends that should be marked, in the order of the request.
    fn ends(&self, plan: &Plan<'_>) -> Vec<End> {
        let (target, marks) = (self.delivery.target, self.delivery.facts.marks);
        if matches!(marks, Marks::Automatic | Marks::None) || target.marks() == 0 {
            return Vec::new();
        }
        let tools = !plan.tools.is_empty()
            && target.marks_tools()
            && marks == Marks::Explicit
            && self.mode != CacheMode::ToolsVolatile;
        let shared = |part: &&Part<'_>| self.mode.scope(part.kind) != Scope::None;
        let system = plan.system.iter().filter(shared).map(|part| End::System(part.kind));
        let tools = tools.then_some(End::Tools).into_iter();
        tools.chain(system).chain(plan.user.as_ref().map(|_| End::User)).collect()
    }

    fn mark(&mut self, plan: &mut Plan<'_>) {
        let mut ends = self.ends(plan);
        let used = self.prompt.caching().marks_used;
        let free = self.delivery.target.marks().saturating_sub(used);
        ends.sort_by_key(|end| end.priority());
        let without = ends.split_off(ends.len().min(free));
        self.tell_full(used, &without);
        if ends.is_empty() {
            return;
        }
        let ttl = self.ttl();
        let mark = Mark { ttl, scope: None };
        if ends.contains(&End::Tools) {
            plan.tools_mark = Some(mark);
        }
        for part in &mut plan.system {
            if ends.contains(&End::System(part.kind)) {
                part.mark = Some(Mark { ttl, scope: self.wire_scope(part.kind) });
            }
        }
        if let Some((_, user)) = plan.user.as_mut().filter(|_| ends.contains(&End::User)) {
            *user = Some(mark);
        }
    }

    fn wire_scope(&self, kind: BlockKind) -> Option<Scope> {
        let scope = self.mode.scope(kind);
        let is_told = self.delivery.wire_scope == WireScope::On && scope == Scope::Global;
        is_told.then_some(scope)
    }

    fn tell_full(&mut self, used: usize, without: &[End]) {
        if used > MAX_MARKS {
            let message = format!("the host sets {used} marks, and a request may hold {MAX_MARKS}");
            self.tell(Code::MarksOver, message, "request.marks_used", "set fewer on messages");
        } else if !without.is_empty() {
            let names: Vec<&str> = without.iter().map(|end| end.name()).collect();
            let message = format!("no mark ends: {}", names.join(", "));
            let help = "what stands there is cached by the marks behind it alone";
            self.tell(Code::MarksFull, message, "request.marks_used", help);
        }
    }

    /// The life that was asked for where the model offers it, else its default.
    fn ttl(&mut self) -> Ttl {
        let (asked, Facts { ttls, .. }) = (self.delivery.ttl, &self.delivery.facts);
        if ttls.contains(&asked) {
            return asked;
        }
        let default = ttls.first().copied().unwrap_or_default();
        if asked > default {
            let (asked, default) = (asked.as_str(), default.as_str());
            let message = format!("entries live for {default}, since this model has no {asked}");
            let help = "take the query source off the list of those with an hour";
            self.tell(Code::TtlLowered, message, "request.query_source", help);
        }
        default
    }

    /// Tells of a prompt that is too short to be cached up to the end of its static head.
    fn measure(&mut self, plan: &Plan<'_>) {
        let facts = &self.delivery.facts;
        let (minimum, is_short) = (facts.minimum, |bytes| facts.estimate(bytes) < facts.minimum);
        let parts = plan.system.iter().filter(|part| part.kind != BlockKind::Attribution);
        let mut kinds = parts.clone().map(|part| part.kind).rev();
        let last = kinds.find(|kind| *kind != BlockKind::Dynamic).unwrap_or(BlockKind::Dynamic);
        let mut bytes = parts.filter(|part| part.kind <= last).map(|part| part.text.len()).sum();
        if facts.marks == Marks::None || bytes == 0 || !is_short(bytes) {
            return;
        }
        bytes += plan.tools.iter().map(|tool| weight(tool, usize::MAX)).sum::<usize>();
        if is_short(bytes) {
            let (name, about) = (End::System(last).name(), facts.estimate(bytes));
            let of = facts.family.as_deref().unwrap_or(&facts.provider);
            let message = format!(
                "the {name} block ends after about {about} tokens, and `{of}` caches {minimum} or more"
            );
            let help =
                "nothing is lost but the discount; a longer prompt, or more tools, would be cached";
            let told =
                Diagnostic::new(Code::CacheMinimum, message, self.prompt.variant().origin.clone())
                    .help(help);
            self.told.push(told);
        }
    }
}
