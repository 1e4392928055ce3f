//! Classes and hinges: a value changes nothing before the first place that has its class.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::generator::{Case, Random, wide_case};
use super::{Entry, Function, Named, Table, sound, template, traced};
use crate::template::{Evaluated, Missing};
use crate::trace::CacheClass::{self, Session, Static, Volatile};
use crate::trace::Traced;

const CLASSES: [CacheClass; 3] = [Static, Session, Volatile];

/// Something that may change between two builds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wide<'n> {
    Name(&'n str),
    /// A section's text, not whether it is there.
    Text(&'n str),
    /// Whether a section is there.
    Presence(&'n str),
    Tools,
    Helper,
}

/// The classes of everything, and what takes another value.
struct World {
    classes: Vec<(String, CacheClass)>,
    tools: CacheClass,
    helper: CacheClass,
    /// Of both sections: text, presence.
    sections: [(CacheClass, CacheClass); 2],
}

impl World {
    /// Everything is static but `wide`, or everything has any class.
    fn new(random: &mut Random, case: &Case, wide: Wide<'_>, alone: bool) -> Self {
        let mut class = |this: bool| match (this, alone) {
            (true, _) => CLASSES[1 + random.below(2)],
            (false, true) => Static,
            (false, false) => CLASSES[random.below(3)],
        };
        let names = case.values.as_object().unwrap().keys();
        let classes = names.map(|name| (name.clone(), class(wide == Wide::Name(name)))).collect();
        let sections = ["r", "u"].map(|name| {
            let presence = class(wide == Wide::Presence(name));
            (class(wide == Wide::Text(name)).max(presence), presence)
        });
        Self {
            classes,
            tools: class(wide == Wide::Tools),
            helper: class(wide == Wide::Helper),
            sections,
        }
    }

    fn class(&self, wide: Wide<'_>) -> CacheClass {
        let section = |name: &str| self.sections[usize::from(name == "u")];
        match wide {
            Wide::Name(name) => self
                .classes
                .iter()
                .find(|(known, _)| known == name)
                .map_or(Volatile, |(_, class)| *class),
            Wide::Text(name) => section(name).0,
            Wide::Presence(name) => section(name).1,
            Wide::Tools => self.tools,
            Wide::Helper => self.helper,
        }
    }

    /// The table of one build; in the other one `changed` is different.
    fn table(&self, case: &Case, changed: Option<(Wide<'_>, Json)>) -> Table {
        let changed = |wide: Wide<'_>| match &changed {
            Some((this, json)) if *this == wide => Some(json.clone()),
            _ => None,
        };
        let mut table = Table::default();
        for (name, class) in &self.classes {
            let value = changed(Wide::Name(name)).unwrap_or_else(|| case.values[name].clone());
            table = table.json(name, value, *class);
        }
        for (name, (class, presence)) in ["r", "u"].into_iter().zip(self.sections) {
            let text = if changed(Wide::Text(name)).is_some() { "Sameother" } else { "Same\n## x" };
            let there = changed(Wide::Presence(name)).is_none();
            let text = if there { text } else { "" };
            table = table.section(name, text, class, presence);
        }
        table.tools_class = self.tools;
        if changed(Wide::Tools).is_none() {
            table.tools.insert("read".into(), "view".into());
            table.docs.insert("v".into(), "docs of v".into());
            table.all_docs = "all docs".into();
        }
        let suffix = if changed(Wide::Helper).is_some() { "?" } else { "!" };
        let helper = move |args: &[Json], hash: &Map<String, Json>| {
            Ok(json!(format!("{}{:?}{suffix}", args.len(), hash.get("k"))))
        };
        table = table.helper("h", Function(self.helper, helper));
        case.partials.iter().fold(table, |table, (name, text)| table.partial(name, text))
    }
}

/// Where the first hinge or piece stands whose class is at least `class`.
fn head(traced: &Traced, class: CacheClass) -> usize {
    let marks = traced.marks.iter().filter(|mark| mark.class >= class).map(|mark| mark.at as usize);
    let starts = std::iter::once(0).chain(traced.pieces.iter().map(|piece| piece.end as usize));
    let pieces = starts
        .zip(&traced.pieces)
        .filter(|(_, piece)| piece.class >= class)
        .map(|(start, _)| start);
    marks.chain(pieces).min().unwrap_or(traced.text.len())
}

fn has(traced: &Traced, class: CacheClass) -> bool {
    traced.marks.iter().any(|mark| mark.class >= class)
        || traced.pieces.iter().any(|piece| piece.class >= class)
}

/// The bytes narrower than `class`, at which of them something stands that is not, and at which it could.
fn narrow(traced: &Traced, class: CacheClass) -> (String, BTreeSet<usize>, BTreeSet<usize>) {
    let (mut text, mut filled, mut known) = (String::new(), BTreeSet::new(), BTreeSet::new());
    let mut marks = traced.marks.iter().filter(|mark| mark.class >= class).peekable();
    let mut start = 0;
    for piece in &traced.pieces {
        let end = piece.end as usize;
        let is_narrow = piece.class < class;
        while let Some(mark) = marks.next_if(|mark| (mark.at as usize) < end) {
            known.insert(text.len() + if is_narrow { mark.at as usize - start } else { 0 });
        }
        if is_narrow {
            text.push_str(&traced.text[start..end]);
        } else if start < end {
            filled.insert(text.len());
        }
        start = end;
    }
    known.extend(marks.map(|_| text.len()));
    known.extend(&filled);
    (text, filled, known)
}

#[test]
fn nothing_changes_before_the_first_hinge() {
    #[expect(clippy::disallowed_methods, reason = "tests may be told to do more")]
    let cases: u64 = std::env::var("ORACLE_CASES").map_or(1_000, |count| count.parse().unwrap());
    let (mut compared, mut differed) = (0, 0);
    for seed in 0..cases {
        let mut random = Random(seed ^ 0x5eed);
        let case = wide_case(&mut random);
        let template = template(&case.template);
        if !template.check().is_empty() {
            continue;
        }
        let names: Vec<_> = case.values.as_object().unwrap().keys().cloned().collect();
        let used = |name: &&String| {
            [&case.template]
                .into_iter()
                .chain(case.partials.iter().map(|(_, text)| text))
                .any(|text| text.contains(name.as_str()))
        };
        let wides = names.iter().filter(used).map(|name| Wide::Name(name));
        let wides: Vec<_> = wides
            .chain([
                Wide::Tools,
                Wide::Helper,
                Wide::Text("r"),
                Wide::Presence("r"),
                Wide::Text("u"),
                Wide::Presence("u"),
            ])
            .collect();
        for _ in 0..5 {
            let wide = wides[random.below(wides.len())];
            let world = World::new(&mut random, &case, wide, seed % 2 == 0);
            let others =
                [json!(null), json!("other"), json!(""), json!([1]), json!({"a": "p1"}), json!(7)];
            let other = others[random.below(others.len())].clone();
            let build = |table: Table| {
                let evaluated = template.evaluate(&table, Missing::Empty);
                evaluated.inspect(|evaluated| sound(&evaluated.traced))
            };
            let (one, two) =
                (build(world.table(&case, None)), build(world.table(&case, Some((wide, other)))));
            // A partial whose name is a value may not exist.
            let (Ok(Evaluated { traced: one, .. }), Ok(Evaluated { traced: two, .. })) = (one, two)
            else {
                continue;
            };
            let class = world.class(wide);
            let (head_one, head_two) = (head(&one, class), head(&two, class));
            let context =
                || format!("seed {seed}, {wide:?} {class}: {case:#?}\n{one:#?}\n{two:#?}");
            assert_eq!(head_one, head_two, "{}", context());
            assert_eq!(
                one.text.as_bytes()[..head_one],
                two.text.as_bytes()[..head_one],
                "{}",
                context()
            );
            let (bytes_one, filled_one, known_one) = narrow(&one, class);
            let (bytes_two, filled_two, known_two) = narrow(&two, class);
            assert_eq!(bytes_one, bytes_two, "{}", context());
            assert!(
                filled_one.is_subset(&known_two) && filled_two.is_subset(&known_one),
                "{}",
                context()
            );
            // Without a hinge there is nothing to change.
            assert!(has(&one, class) || one.text == two.text, "{}", context());
            compared += 1;
            differed += usize::from(one.text != two.text);
        }
    }
    println!("{compared} pairs, {differed} with different text");
    assert!(differed * 20 > compared);
}

#[test]
fn unknown_names_are_volatile() {
    let evaluated = super::evaluate("a{{#if typo}}{{/if}}", &Table::default());
    assert_eq!(super::hinges(&evaluated.traced), ["1 volatile typo"]);
    let mut table = Table::default();
    let (class, presence) = (Session, Static);
    let entry = Entry::Section(traced("s", "S", Session));
    table.names.insert("s".into(), Named { entry, class, presence });
    assert!(super::hinges(&super::evaluate("{{#if s}}{{s}}{{/if}}", &table).traced).is_empty());
}
