//! Makes a prompt fit its budget.
//!
//! In: the sections of a build and the text they gave. Out: the text without as many sections as must go, each with its
//! reason. Never: drops a section of the static head while another one can go, or cuts inside one.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::build::{Built, Outcome, Sections};
use crate::diagnostic::{Code, Diagnostic};
use crate::error::Error;
use crate::model::{ComponentId, Context, SkipReason};
use crate::moment::Moment;
use crate::render::{self, Ready, Rendered};
use crate::request::Request;
use crate::trace::{CacheClass, Traced};

/// Counts tokens for the model that a context names.
pub(crate) trait Counting {
    /// What counts the tokens of a text.
    fn counter(&self, context: &Context) -> Box<Counter<'_>>;
}

/// Counts the tokens of a text, and names the method.
pub(crate) type Counter<'a> = dyn Fn(&Traced) -> (usize, String) + 'a;

/// How many bytes an estimated token has.
const BYTES_OF_A_TOKEN: usize = 4;

/// An estimate: four bytes are a token. Too low for most languages but English, and for code.
pub(crate) fn estimate(traced: &Traced) -> (usize, String) {
    let tokens = traced.text.len().div_ceil(BYTES_OF_A_TOKEN);
    (tokens, format!("estimate, {BYTES_OF_A_TOKEN} bytes a token"))
}

/// How many tokens there may be, and what counts them.
pub(crate) struct Budget<'a> {
    pub(crate) most: usize,
    pub(crate) counter: &'a Counter<'a>,
    /// What went before: in a session it stays away, so that a prompt near its budget does not change to and fro.
    pub(crate) gone: &'a mut BTreeSet<ComponentId>,
}

/// Which of two lists a section is in, and where.
type Place = (usize, usize);

/// Drops one section after another until the text fits: by priority, of equals the least stable and then the last one.
///
/// # Errors
/// Those of [`render::render`].
pub(crate) fn fit(
    moment: &Moment<'_>,
    lists: &mut [Sections; 2],
    request: &Request<'_>,
    budget: &mut Budget<'_>,
) -> Result<Rendered, Error> {
    let class = widest(lists);
    for list in lists.iter_mut() {
        for built in list.all.iter_mut().filter(|built| budget.gone.contains(&built.id)) {
            *built = Arc::new(dropped(built, class, "it went earlier in the session"));
        }
    }
    loop {
        let [sections, ending] = &*lists;
        let mut rendered = render::render(moment, &Ready { sections, ending, request })?;
        let (tokens, method) = (budget.counter)(&rendered.traced);
        if tokens <= budget.most {
            return Ok(rendered);
        }
        let tokens = format!("{tokens} tokens ({method})");
        let Some((list, at)) = next(lists, &rendered.traced) else {
            rendered.diagnostics.push(exceeded(moment, &tokens, budget.most));
            return Ok(rendered);
        };
        let built = &mut lists[list].all[at];
        budget.gone.insert(built.id.clone());
        let sizes = format!("there were {tokens}, and {} may be", budget.most);
        *built = Arc::new(dropped(built, class, &sizes));
    }
}

/// The section that goes first, of those that are printed.
fn next(lists: &[Sections; 2], traced: &Traced) -> Option<Place> {
    let head = traced.head(CacheClass::Session);
    let printed = traced.places();
    let all = lists.iter().enumerate().flat_map(|(list, sections)| {
        sections.all.iter().enumerate().map(move |(at, built)| ((list, at), built))
    });
    let candidates = all.filter_map(|(place, built)| {
        let Outcome::Section { class, priority, .. } = &built.outcome else { return None };
        let range = printed.get(built.id.shared())?;
        let class = built.presence.max(*class);
        Some(((range.end <= head, *priority, Reverse(class), Reverse(range.start)), place))
    });
    candidates.min().map(|(_, place)| place)
}

/// Whether a section goes depends on the length of every other one.
fn widest(lists: &[Sections; 2]) -> CacheClass {
    let classes = lists.iter().flat_map(|list| &list.all).map(|built| match &built.outcome {
        Outcome::Section { class, .. } => built.presence.max(*class),
        Outcome::Skipped { .. } => built.presence,
    });
    classes.max().unwrap_or_default().max(CacheClass::Session)
}

fn dropped(built: &Built, class: CacheClass, sizes: &str) -> Built {
    let detail = match &built.outcome {
        Outcome::Section { priority, .. } => format!("priority {priority}: {sizes}"),
        Outcome::Skipped { detail, .. } => detail.to_string(),
    };
    Built {
        id: built.id.clone(),
        origin: built.origin.clone(),
        outcome: Outcome::Skipped { reason: SkipReason::Budget, detail: detail.into() },
        presence: built.presence.max(class),
        cause: Some("request.budget".into()),
        took: built.took,
        record: built.record.clone(),
        told: built.told.clone(),
        told_of_tools: built.told_of_tools.clone(),
    }
}

fn exceeded(moment: &Moment<'_>, tokens: &str, most: usize) -> Diagnostic {
    let variant = moment.world.variant;
    let message = format!("the prompt has {tokens}, and its budget is {most}");
    Diagnostic::new(Code::BudgetExceeded, message, variant.origin.clone())
        .help("no section is left to drop; shorten the template, or raise the budget")
}
