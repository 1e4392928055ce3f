//! What a change of the prompt costs where the prompt is cached by its prefix.
//!
//! In: two built prompts. Out: how far they are the same, where that ends and why, what is billed again.
//! Never: knows a price, or which marks a request has.

use promptweave::{CacheClass, Dialect, Hinge, Prompt, Span};
use serde_json::Value as Json;

use crate::built::Built;
use crate::place::{common_prefix, position};

/// What the step from one prompt to another one does to a cache.
#[derive(Debug)]
pub struct Effect {
    /// Bytes of the text that both begin with.
    pub common: Amount,
    /// Bytes of the second text that no entry of the first one serves.
    pub again: Amount,
    /// None when the texts are the same.
    pub ends: Option<Ends>,
    /// Why not even the same bytes are served.
    pub apart: Option<Apart>,
    /// Which tools differ.
    pub tools: Tools,
}

/// A size of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Bytes of UTF-8.
    pub bytes: usize,
    /// Tokens, as the second prompt's model counts them.
    pub tokens: usize,
}

/// Where the common bytes end.
#[derive(Debug)]
pub struct Ends {
    /// Offset in bytes, the same in both.
    pub at: usize,
    /// The line in the second text, from 1.
    pub line: usize,
    /// The column there in characters, from 1.
    pub column: usize,
    /// Which part of the first prompt is hurt: `Static` for the static head, `Session` for the session head,
    /// `Volatile` for what is behind them.
    pub within: CacheClass,
    /// What stands there; none at a text's end.
    pub before: Option<Span>,
    /// The same in the second prompt.
    pub after: Option<Span>,
    /// The place that decided what stands there; none where static text itself differs.
    pub hinge: Option<Hinge>,
}

/// Why two prompts share no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// The models.
    Model,
    /// The providers.
    Provider,
    /// The declarations of tools.
    Tools,
    /// The attribution blocks.
    Attribution,
    /// The prefix blocks.
    Prefix,
}

impl Apart {
    /// The name of what differs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Provider => "provider",
            Self::Tools => "tools",
            Self::Attribution => "attribution",
            Self::Prefix => "prefix",
        }
    }

    /// Why that matters, as a sentence.
    pub fn why(self) -> &'static str {
        match self {
            Self::Model => "the models differ, and each has a cache of its own",
            Self::Provider => "the providers differ, and each has a cache of its own",
            Self::Tools => "the declarations of tools differ, and stand before the text",
            Self::Attribution => "the attribution blocks differ, and stand before the text",
            Self::Prefix => "the prefix blocks differ, and stand before the text",
        }
    }
}

/// The tools that only one side has, by id.
#[derive(Debug)]
pub struct Tools {
    /// Only the second one has them.
    pub added: Vec<String>,
    /// Only the first one has them.
    pub removed: Vec<String>,
}

impl Tools {
    /// Whether both have the same ones.
    pub fn are_same(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// The effect of a step from `before` to `after`; tokens are those of the second one's model.
pub fn effect(before: &Built, after: &Built) -> Effect {
    let (old, new) = (before.prompt.text(), after.prompt.text());
    let amount = |text: &str| Amount { bytes: text.len(), tokens: after.counter.count(text).0 };
    let at = common_prefix(old, new);
    let apart = apart(before, after);
    let served = if apart.is_some() { 0 } else { at };
    Effect {
        common: amount(&new[..at]),
        again: amount(&new[served..]),
        ends: (old != new).then(|| ends(&before.prompt, &after.prompt, at)),
        apart,
        tools: tools(&before.prompt, &after.prompt),
    }
}

fn ends(before: &Prompt, after: &Prompt, at: usize) -> Ends {
    let within = match at {
        at if at < before.static_head() => CacheClass::Static,
        at if at < before.session_head() => CacheClass::Session,
        _ => CacheClass::Volatile,
    };
    let spans = [before.origin_at(at), after.origin_at(at)];
    // Text that a hinge decided has the class of what decided.
    let is_decided = spans.iter().flatten().any(|span| span.class > CacheClass::Static);
    let hinges = before.hinges().chain(after.hinges()).filter(|hinge| is_decided && hinge.at <= at);
    let hinge = hinges.max_by_key(|hinge| hinge.at);
    let (line, column) = position(after.text(), at);
    let [before, after] = spans;
    Ends { at, line, column, within, before, after, hinge }
}

fn apart(before: &Built, after: &Built) -> Option<Apart> {
    let key = |path: &str| before.context.text(path) != after.context.text(path);
    let (one, other) = (&before.prompt, &after.prompt);
    let differ = [
        (key("model.id"), Apart::Model),
        (key("provider.id"), Apart::Provider),
        (declared(before) != declared(after), Apart::Tools),
        (one.attribution() != other.attribution(), Apart::Attribution),
        (one.prefix() != other.prefix(), Apart::Prefix),
    ];
    differ.into_iter().find_map(|(differs, why)| differs.then_some(why))
}

/// The native declarations: none where tools are offered in text. Those of one API stand for all, since only whether
/// they are the same is asked.
fn declared(built: &Built) -> Vec<Json> {
    let declared =
        built.engine.declare_tools(&built.context, built.prompt.ask(), Dialect::Anthropic);
    declared.map(|declared| declared.tools).unwrap_or_default()
}

fn tools(before: &Prompt, after: &Prompt) -> Tools {
    let lacking = |all: &Prompt, other: &Prompt| {
        let own = all.tools().iter().filter(|id| !other.tools().contains(id));
        own.map(ToString::to_string).collect()
    };
    Tools { added: lacking(after, before), removed: lacking(before, after) }
}
