//! From a context to a prompt: selects, builds, renders.
//!
//! In: what is loaded, a context, what is asked for, and in a session what it knows. Out: [`Composed`], a prompt and what
//! a session keeps of it. Never: keeps anything by itself.

mod retouch;
mod splice;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::budget::{self, Budget, Counting};
use crate::build::{self, Before, Built, Sections};
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
use crate::template::{REMINDER, contained};
use crate::tools::Described;
pub(crate) use retouch::{Change, Retouch, Touch, retouch};

/// What is loaded.
#[derive(Clone, Copy)]
pub(crate) struct Loaded<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) extensions: &'a Extensions,
    pub(crate) candidates: &'a [Arc<Variant>],
    pub(crate) packs: &'a Arc<[Pack]>,
    pub(crate) counting: &'a dyn Counting,
}

/// A session's part in a build.
pub(crate) struct Recall<'a> {
    pub(crate) desk: &'a Desk,
    /// What went for the budget.
    pub(crate) gone: &'a mut BTreeSet<ComponentId>,
    /// The build before, and the keys that have other values now.
    pub(crate) past: Option<(&'a Composed, &'a Changed)>,
    /// The sections of the text, where they are built already.
    pub(crate) ready: Option<[Sections; 2]>,
}

/// Keys that have other values than before.
pub(crate) type Changed = BTreeSet<Arc<str>>;

/// The sections of a variant's order, of its system context, of its user context.
pub(crate) type Lists = [Vec<Arc<Built>>; 3];

/// What the lists are called.
const PARTS: [&str; 3] = ["order", "system_context", "user_context"];

/// A prompt, and what it was made of.
pub(crate) struct Composed {
    pub(crate) prompt: Prompt,
    pub(crate) selection: Arc<Selection>,
    pub(crate) lists: Lists,
    /// What was read to choose the variant.
    pub(crate) chosen: Arc<Record>,
    /// What the text reads besides its sections.
    pub(crate) rendered: Record,
    /// All that was read besides the sections of the text.
    around: Record,
    /// All that was read, and perhaps more.
    pub(crate) whole: Record,
    /// What was told before the sections were built; none where more than sections may change with them.
    before: Option<Vec<Diagnostic>>,
}

/// Builds the prompt of the variant that is asked for.
///
/// # Errors
/// Those of selecting and of rendering.
pub(crate) fn compose(
    loaded: &Loaded<'_>,
    context: &Context,
    ask: &Ask,
    mut recall: Option<&mut Recall<'_>>,
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
    let ready = recall.as_mut().and_then(|own| own.ready.take());
    let sections = sections(&moment, &request, (past, ready));
    let (counting, gone) = (loaded.counting, recall.map(|own| &mut *own.gone));
    let most = ask.budget.or(request.budget);
    let limit = most.map(|most| Limit { most, counting, gone });
    let (moment, request, packs) = (&moment, &request, loaded.packs);
    let selection = Arc::clone(&selection);
    Draft { moment, request, packs, selection, chosen, of_tools, told }.finish(sections, limit)
}

/// A build whose sections are there.
struct Draft<'a> {
    moment: &'a Moment<'a>,
    request: &'a Request<'a>,
    packs: &'a Arc<[Pack]>,
    selection: Arc<Selection>,
    chosen: Arc<Record>,
    /// What was read to know the tools.
    of_tools: Record,
    told: Vec<Diagnostic>,
}

/// How long a prompt may be.
struct Limit<'a> {
    most: usize,
    counting: &'a dyn Counting,
    /// A session's list of what went before.
    gone: Option<&'a mut BTreeSet<ComponentId>>,
}

impl Draft<'_> {
    /// Renders the sections, and sums up what was read and told.
    fn finish(
        self,
        [order, ending, aside]: [Sections; 3],
        limit: Option<Limit<'_>>,
    ) -> Result<Composed, Error> {
        let Self { moment, request, packs, selection, chosen, of_tools, mut told } = self;
        let (variant, desk) = (moment.world.variant, moment.world.desk);
        let before = desk.filter(|_| limit.is_none()).map(|_| told.clone());
        let lists = [order.all.clone(), ending.all.clone(), aside.all.clone()];
        let mut printed = [order, ending];
        let (rendered, of_text) = apart(desk, || render(moment, &mut printed, request, limit));
        let Rendered { traced, layers, diagnostics: of_rendering } = rendered?;
        let user_context = render::joined(moment, &aside, &variant.user_context).text;
        let of_text_tools = moment.drain();
        let is_quiet = of_rendering.is_empty() && of_text_tools.is_empty();
        let [of_section_tools, of_turns] = told_by(&lists);
        told.extend(of_section_tools.into_iter().chain(of_text_tools).chain(of_turns));
        told.extend(request.lacks_minimal.then(|| no_minimal(variant)));
        told.extend(of_rendering);
        let records = [&*chosen, &of_tools, &of_text, moment.tools_record()];
        let (around, whole) = read(desk, moment.world.registry, records, &lists);
        let parts = Parts {
            selection: Arc::clone(&selection),
            diagnostics: told,
            lists: &printed,
            packs,
            tools: moment.tools.ids().map(Arc::from).collect(),
            asides: asides(request, &user_context),
        };
        let prompt = Prompt::new(parts, traced, layers);
        let may_retouch = is_quiet && !request.lacks_minimal && retouch::may_retouch(variant);
        let before = before.filter(|_| may_retouch);
        Ok(Composed { prompt, selection, lists, chosen, rendered: of_text, around, whole, before })
    }
}

/// What a session gives to the choice of the variant.
type Known<'a> = (Option<&'a Desk>, Option<(&'a Composed, &'a Changed)>);

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
    (past, ready): (Option<(&Composed, &Changed)>, Option<[Sections; 2]>),
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
    let text = || {
        let order = match &replaced {
            Some(why) => none(&variant.order, SkipReason::Replaced, why),
            None => run(&variant.order, 0),
        };
        let ending = match request.leaves_out.system_context {
            Some(why) => none(&variant.system_context, SkipReason::Disabled, why),
            None => run(&variant.system_context, 1),
        };
        [order, ending]
    };
    let [order, ending] = ready.unwrap_or_else(text);
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
    limit: Option<Limit<'_>>,
) -> Result<Rendered, Error> {
    let Some(Limit { most, counting, gone }) = limit else {
        let [sections, ending] = &*lists;
        return render::render(moment, &Ready { sections, ending, request });
    };
    let counter = counting.counter(moment.world.context);
    let mut nobody = BTreeSet::new();
    let gone = gone.unwrap_or(&mut nobody);
    budget::fit(moment, lists, request, &mut Budget { most, counter: &counter, gone })
}

fn asides(request: &Request<'_>, user_context: &str) -> Asides {
    let wrapped = || format!("<{REMINDER}>\n{}\n</{REMINDER}>", contained(REMINDER, user_context));
    Asides {
        level: request.level,
        attribution: request.attribution.map(str::to_owned),
        prefix: request.prefix.map(str::to_owned),
        user_context: (!user_context.is_empty()).then(wrapped),
    }
}

/// What a session must know: all that was read besides the sections of the text, and with them.
fn read(
    desk: Option<&Desk>,
    registry: &Registry,
    records: [&Record; 4],
    [order, ending, aside]: &Lists,
) -> (Record, Record) {
    let mut around = Record::default();
    if desk.is_none() {
        return (around.clone(), around);
    }
    let aside = aside.iter().map(|built| &built.record);
    records.into_iter().chain(aside).for_each(|record| around.add(record));
    around.keys.extend(registry.keys.keys().cloned());
    around.keys.insert("request".into());
    let mut whole = around.clone();
    order.iter().chain(ending).for_each(|built| whole.add(&built.record));
    (around, whole)
}

/// What sections tell of tools, each thing once, and of their own turns.
fn told_by(lists: &[Vec<Arc<Built>>]) -> [Vec<Diagnostic>; 2] {
    let built = || lists.iter().flatten();
    let of_tools = once(built().flat_map(|built| built.told_of_tools.iter().cloned()));
    [of_tools, built().flat_map(|built| built.told.iter().cloned()).collect()]
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
