//! From a context to a prompt: selects, builds, renders.
//!
//! In: what is loaded, a context, what is asked for, and in a session what it knows. Out: [`Composed`], a prompt and what
//! a session keeps of it. Never: keeps anything by itself.

mod splice;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::budget::{self, Budget, Counter};
use crate::build::{self, Before, Built, Outcome, Sections};
use crate::diagnostic::{Code, Diagnostic};
use crate::error::Error;
use crate::extension::Extensions;
use crate::model::{ComponentId, Context, Pack, SkipReason, Step, Variant};
use crate::moment::{Moment, World};
use crate::prompt::{Asides, Parts, Prompt};
use crate::recall::{Desk, Record, apart};
use crate::registry::Registry;
use crate::render::{self, Ready, Rendered};
use crate::request::{Body, Request};
use crate::select::{self, Ask, Field, Selection};
use crate::tools::Described;
use crate::trace::Traced;
use splice::Edit;

/// What is loaded.
#[derive(Clone, Copy)]
pub(crate) struct Loaded<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) extensions: &'a Extensions,
    pub(crate) candidates: &'a [Arc<Variant>],
    pub(crate) packs: &'a Arc<[Pack]>,
    pub(crate) counter: Counter,
}

/// A session's part in a build.
pub(crate) struct Recall<'a> {
    pub(crate) desk: &'a Desk,
    /// What went for the budget.
    pub(crate) gone: &'a mut BTreeSet<ComponentId>,
    /// The build before, and the keys that have other values now.
    pub(crate) past: Option<(&'a Composed, &'a BTreeSet<Arc<str>>)>,
}

/// The sections of a variant's order, of its system context, of its user context.
pub(crate) type Lists = [Vec<Arc<Built>>; 3];

/// What the lists are called.
const PARTS: [&str; 3] = ["order", "system_context", "user_context"];

/// A prompt, and what it was made of.
#[derive(Clone)]
pub(crate) struct Composed {
    pub(crate) prompt: Prompt,
    pub(crate) selection: Arc<Selection>,
    pub(crate) lists: Lists,
    /// What was read to choose the variant.
    pub(crate) chosen: Arc<Record>,
    /// What the text reads besides its sections.
    pub(crate) rendered: Arc<Record>,
    /// All that was read, and perhaps more.
    pub(crate) whole: Arc<Record>,
    /// Whether rendering told nothing.
    is_quiet: bool,
}

/// Builds the prompt of the variant that is asked for.
///
/// # Errors
/// Those of selecting and of rendering.
pub(crate) fn compose(
    loaded: &Loaded<'_>,
    context: &Context,
    ask: &Ask,
    recall: Option<&mut Recall<'_>>,
) -> Result<Composed, Error> {
    let (context, of_keys) = loaded.registry.complete(context);
    let (desk, past) = recall.as_ref().map_or((None, None), |own| (Some(own.desk), own.past));
    let described = OnceCell::new();
    let (selection, chosen) = choose(loaded, (&context, ask), &described, (desk, past))?;
    let variant = &*selection.variant;
    let Loaded { registry, extensions, .. } = *loaded;
    let world = World { registry, extensions, context: &context, variant, desk };
    let (moment, of_tools) =
        apart(desk, || Moment::new(world, described.get_or_init(|| Described::read(&context))));
    let past = past.filter(|(past, _)| Arc::ptr_eq(&past.selection.variant, &selection.variant));
    let request = Request::read(&context, variant.minimal.as_deref());
    let mut told: Vec<Diagnostic> = context.diagnostics().iter().cloned().chain(of_keys).collect();
    told.extend(selection.diagnostics.iter().cloned().chain(moment.chosen()));
    told.extend(moment.drain());
    let [order, ending, aside] = sections(&moment, &request, past);
    let lists = [order.all.clone(), ending.all.clone(), aside.all.clone()];
    let mut printed = [order, ending];
    let built = || lists.iter().flatten();
    told.extend(once(built().flat_map(|built| built.told_of_tools.iter().cloned())));
    let of_turns = built().flat_map(|built| built.told.iter().cloned());
    let most = ask.budget.or(request.budget);
    if let Some((past, changed)) = past.filter(|_| most.is_none())
        && past.stays_around(changed, &moment, &lists)
        && let Some((text, edits)) = splice::spliced(past, &printed)
    {
        told.extend(of_turns);
        let prompt = with_edits(&past.prompt, text, &edits).with_told(told);
        let (chosen, rendered) = (Arc::clone(&past.chosen), Arc::clone(&past.rendered));
        let whole = past.whole_with(&lists);
        return Ok(Composed { prompt, selection, lists, chosen, rendered, whole, is_quiet: true });
    }
    let (rendered, of_text) = apart(desk, || {
        let mut nobody = BTreeSet::new();
        let gone = recall.map_or(&mut nobody, |own| &mut *own.gone);
        let budget = most.map(|most| Budget { most, counter: loaded.counter, gone });
        render(&moment, &mut printed, &request, budget)
    });
    let Rendered { traced, layers, diagnostics: of_rendering } = rendered?;
    let user_context = render::joined(&moment, &aside, &variant.user_context).text;
    let of_text_tools = moment.drain();
    let is_quiet = of_rendering.is_empty() && of_text_tools.is_empty() && !request.lacks_minimal;
    told.extend(of_text_tools.into_iter().chain(of_turns));
    told.extend(request.lacks_minimal.then(|| no_minimal(variant)).into_iter().chain(of_rendering));
    // Only a session asks for it.
    let mut whole =
        desk.map_or_else(Record::default, |_| whole(registry, [&chosen, &of_tools, &of_text]));
    if desk.is_some() {
        built().for_each(|built| whole.add(&built.record));
        whole.add(moment.tools_record());
    }
    let parts = Parts {
        selection: Arc::clone(&selection),
        diagnostics: told,
        lists: &printed,
        packs: loaded.packs,
        tools: moment.tools.ids().map(Arc::from).collect(),
        asides: asides(&request, &user_context),
    };
    let prompt = Prompt::new(parts, traced, layers);
    let (rendered, whole) = (of_text.into(), whole.into());
    Ok(Composed { prompt, selection, lists, chosen, rendered, whole, is_quiet })
}

impl Composed {
    /// Whether nothing but sections of the text can have changed.
    fn stays_around(
        &self,
        changed: &BTreeSet<Arc<str>>,
        moment: &Moment<'_>,
        [_, _, aside]: &Lists,
    ) -> bool {
        let same = |(old, new): (&Arc<Built>, &Arc<Built>)| Arc::ptr_eq(old, new);
        self.is_quiet
            && [&*self.chosen, &*self.rendered, moment.tools_record()]
                .into_iter()
                .all(|record| record.holds(changed))
            && !changed.contains("request")
            && moment.world.registry.keys.keys().all(|key| !changed.contains(key))
            && self.lists[2].iter().zip(aside).all(same)
    }

    /// All that is read with other sections; mostly they read the same.
    fn whole_with(&self, lists: &Lists) -> Arc<Record> {
        let pairs = self.lists.iter().flatten().zip(lists.iter().flatten());
        let mut changed = pairs.filter(|(old, new)| !Arc::ptr_eq(old, new)).peekable();
        let alike = |(old, new): (&Arc<Built>, &Arc<Built>)| old.record == new.record;
        if changed.peek().is_some() && changed.all(alike) {
            return Arc::clone(&self.whole);
        }
        let mut whole = Record::clone(&self.whole);
        lists.iter().flatten().for_each(|built| whole.add(&built.record));
        Arc::new(whole)
    }
}

/// The prompt with another text, in which sections have changed.
fn with_edits(prompt: &Prompt, text: Traced, edits: &[Edit]) -> Prompt {
    let mut sections = prompt.sections().to_vec();
    for Edit { built, place } in edits {
        let Outcome::Section { traced, class, .. } = &built.outcome else { continue };
        let end = place.start + traced.text.len();
        for section in &mut sections {
            if *section.id == *built.id.as_str() {
                section.range = place.start..end;
                (section.class, section.took) = (built.presence.max(*class), built.took);
            } else {
                // One that is printed twice may stand around the edit.
                let moved = |at: usize| if at >= place.end { at - place.end + end } else { at };
                section.range = moved(section.range.start)..moved(section.range.end);
            }
        }
    }
    prompt.with_text(text, sections)
}

/// What a session gives to the choice of the variant.
type Known<'a> = (Option<&'a Desk>, Option<(&'a Composed, &'a BTreeSet<Arc<str>>)>);

/// Chooses the variant, unless all that the choice reads is as it was.
fn choose<'c>(
    loaded: &Loaded<'_>,
    (context, ask): (&'c Context, &Ask),
    described: &OnceCell<Described<'c>>,
    (desk, past): Known<'_>,
) -> Result<(Arc<Selection>, Arc<Record>), Error> {
    if let Some((past, changed)) = past
        && past.chosen.holds(changed)
    {
        return Ok((Arc::clone(&past.selection), Arc::clone(&past.chosen)));
    }
    let Loaded { registry, extensions, candidates, .. } = *loaded;
    let field = Field { registry, extensions, candidates, context, described, desk };
    let (selection, record) = apart(desk, || select::select(&field, ask));
    Ok((Arc::new(selection?), Arc::new(record)))
}

/// Runs the components that the request leaves in.
fn sections(
    moment: &Moment<'_>,
    request: &Request<'_>,
    past: Option<(&Composed, &BTreeSet<Arc<str>>)>,
) -> [Sections; 3] {
    let variant = moment.world.variant;
    let replaced = match &request.body {
        Body::Sections => None,
        Body::Minimal(_) => Some("`request.minimal` is true".to_owned()),
        Body::Text(given) => Some(format!("`{}` stands in its place", given.path)),
    };
    let none = |steps: &[Step], reason, why: &str| build::left_out(steps, reason, why);
    let run = |steps: &[Step], list: usize| {
        if let Some(desk) = moment.world.desk {
            desk.begin(PARTS[list]);
        }
        let before = past.map(|(past, changed)| Before { built: &past.lists[list], changed });
        build::build(moment, steps, before.as_ref())
    };
    let order = match &replaced {
        Some(why) => none(&variant.order, SkipReason::Replaced, why),
        None => run(&variant.order, 0),
    };
    let ending = match request.leaves_out.system_context {
        Some(why) => none(&variant.system_context, SkipReason::Disabled, why),
        None => run(&variant.system_context, 1),
    };
    let aside = match request.leaves_out.user_context {
        Some(why) => none(&variant.user_context, SkipReason::Disabled, why),
        None => run(&variant.user_context, 2),
    };
    [order, ending, aside]
}

fn render(
    moment: &Moment<'_>,
    lists: &mut [Sections; 2],
    request: &Request<'_>,
    budget: Option<Budget<'_>>,
) -> Result<Rendered, Error> {
    match budget {
        Some(mut budget) => budget::fit(moment, lists, request, &mut budget),
        None => {
            let [sections, ending] = &*lists;
            render::render(moment, &Ready { sections, ending, request })
        }
    }
}

fn asides(request: &Request<'_>, user_context: &str) -> Asides {
    let wrapped = || format!("<system-reminder>\n{user_context}\n</system-reminder>");
    Asides {
        level: request.level,
        attribution: request.attribution.map(str::to_owned),
        prefix: request.prefix.map(str::to_owned),
        user_context: (!user_context.is_empty()).then(wrapped),
    }
}

/// What is read whatever the variant, and these.
fn whole(registry: &Registry, records: [&Record; 3]) -> Record {
    let mut whole = Record::default();
    records.into_iter().for_each(|record| whole.add(record));
    whole.keys.extend(registry.keys.keys().cloned());
    whole.keys.insert("request".into());
    whole
}

/// Sections that are handed out again tell again what others may tell too.
fn once(told: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    told.filter(|one| seen.insert(one.to_string())).collect()
}

fn no_minimal(variant: &Variant) -> Diagnostic {
    let message =
        format!("variant `{}` has no `minimal`, so its whole prompt was built", variant.id);
    Diagnostic::new(Code::MinimalMissing, message, variant.origin.clone())
        .help("give it a `minimal` line, or do not ask for `request.minimal`")
}
