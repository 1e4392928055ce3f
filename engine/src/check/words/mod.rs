//! Looks for names in the words of prompts: tools, placeholders, skills and files that the build does not have.
//!
//! In: a registry, the names of skills. Out: a diagnostic for each place that names what is not there, with the variants that print
//! it. Never: takes a word for a name without evidence in how it is written, or tells of one that the text asks for first.

mod judge;
mod lexicon;
mod markdown;
mod scan;
mod texts;
mod told;
mod way;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::place;
use crate::diagnostic::{Diagnostic, Origin, SourceText};
use crate::model::{CACHE_BOUNDARY, Variant};
use crate::registry::Registry;
use crate::template::{Part, Template, Words};
use judge::{Kind, judge};
use lexicon::Lexicon;
use scan::{Mention, Scanner};
use texts::{Text, Texts, of_component, of_tool};
use told::{Found, Held};
use way::{Offer, Way};

/// How deep partials may stand in each other here.
const MAX_PARTIALS: usize = 16;

/// What texts name and a build does not have, by file and place.
pub(super) fn words(registry: &Registry, skills: Option<&BTreeSet<String>>) -> Vec<Diagnostic> {
    let mut walk = Walk {
        registry,
        lexicon: Lexicon::of(registry, skills),
        scanner: Scanner::new(),
        sheets: BTreeMap::new(),
        held: BTreeMap::new(),
    };
    for variant in registry.variants.values().flat_map(|versions| versions.by_number.values()) {
        walk.variant(variant);
    }
    walk.leftovers();
    walk.held.into_values().flat_map(|held| held.told(&walk.lexicon)).collect()
}

struct Walk<'a> {
    registry: &'a Registry,
    lexicon: Lexicon<'a>,
    scanner: Scanner,
    /// What was read already, by the address of the text.
    sheets: BTreeMap<*const SourceText, Rc<Sheet<'a>>>,
    /// By file.
    held: BTreeMap<String, Held>,
}

/// A text that was read: its words, where it is a template without mistakes, and what they name.
struct Sheet<'a> {
    words: Option<Words<'a>>,
    mentions: Vec<Mention>,
}

/// Whose text it is, and with which tools it is read.
#[derive(Clone, Copy)]
struct Reader<'a> {
    owner: Owner,
    offer: Offer<'a>,
}

/// What a text is a text of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Components and base templates, which may ask for tools.
    Prompt,
    /// Tools, whose texts may not.
    Tool,
    /// A value that a variant gives a placeholder.
    Value,
}

/// The sections that a base template prints, each with the ways to its places.
type Sections<'a> = BTreeMap<Box<str>, Vec<Way<'a>>>;

impl<'a> Walk<'a> {
    /// Everything that a variant prints.
    fn variant(&mut self, variant: &'a Variant) {
        let offer = Offer { registry: self.registry, variant: Some(variant) };
        let reader = Reader { owner: Owner::Prompt, offer };
        let mut sections = Sections::new();
        for template in [&variant.template, &variant.minimal].into_iter().flatten() {
            self.template(template, &Way::default(), reader, &mut sections);
        }
        let steps = variant.order.iter().chain(&variant.user_context);
        let ids: BTreeSet<_> = steps.chain(&variant.system_context).map(|step| &step.id).collect();
        for id in ids.into_iter().filter(|id| id.as_str() != CACHE_BOUNDARY) {
            let own = variant.overrides.get(id);
            let runs = own.is_none_or(|own| own.enabled);
            let component = self.registry.components.get(id).filter(|_| runs);
            let ways = sections.remove(id.as_str()).unwrap_or_else(|| vec![Way::default()]);
            for (component, way) in
                component.into_iter().flat_map(|one| ways.iter().map(move |way| (one, way)))
            {
                self.texts(of_component(component, own, way, offer), reader);
            }
        }
        let reader = Reader { owner: Owner::Tool, offer };
        for tool in self.registry.tools.values().filter(|tool| offer.has(tool.id.as_str())) {
            self.texts(of_tool(tool, offer), reader);
        }
        self.values(variant, Reader { owner: Owner::Value, offer });
    }

    /// The values that a variant gives placeholders, which are printed as they are.
    fn values(&mut self, variant: &'a Variant, reader: Reader<'a>) {
        for placeholder in variant.placeholders.values() {
            let Some(text) = placeholder.value.as_str() else { continue };
            for mention in self.scanner.mentions(text, &self.lexicon) {
                self.hold(&mention, &Way::default(), reader, (&placeholder.origin, Kind::Literal));
            }
        }
    }

    /// What no variant prints: nothing is known of its tools.
    fn leftovers(&mut self) {
        let registry = self.registry;
        let offer = Offer { registry, variant: None };
        let reader = Reader { owner: Owner::Prompt, offer };
        let mut next: Vec<_> = registry.components.values().collect();
        while let Some(component) = next.pop() {
            let texts = of_component(component, None, &Way::default(), offer);
            self.texts(self.unread(texts), reader);
            next.extend(&component.base);
        }
        for tool in registry.tools.values() {
            let texts = self.unread(of_tool(tool, offer));
            self.texts(texts, Reader { owner: Owner::Tool, offer });
        }
        let partials = registry.partials.values();
        let partials = partials.map(|one| (Text::Template(one), Way::default())).collect();
        self.texts(self.unread(partials), reader);
    }

    fn unread(&self, mut texts: Texts<'a>) -> Texts<'a> {
        texts.retain(|(text, _)| !self.sheets.contains_key(&text.address()));
        texts
    }

    fn texts(&mut self, texts: Texts<'a>, reader: Reader<'a>) {
        for (text, way) in texts {
            if way.is_closed(&reader.offer) {
                continue;
            }
            match text {
                Text::Template(template) => {
                    self.template(template, &way, reader, &mut Sections::new());
                }
                Text::Literal(source) => {
                    let sheet = self.sheet(text);
                    for mention in &sheet.mentions {
                        let origin = source.origin_of(mention.at.clone());
                        self.hold(mention, &way, reader, (&origin, Kind::Literal));
                    }
                }
            }
        }
    }

    /// A template and the partials in it; notes what else it prints.
    fn template(
        &mut self,
        template: &'a Template,
        way: &Way<'a>,
        reader: Reader<'a>,
        sections: &mut Sections<'a>,
    ) {
        let mut open = vec![(template, way.clone(), 0)];
        while let Some((template, way, depth)) = open.pop() {
            let sheet = self.sheet(Text::Template(template));
            let Some(words) = &sheet.words else { continue };
            for mention in &sheet.mentions {
                let way = way.and(words.asks_at(mention.at.start));
                let origin = template.source().origin_of(mention.at.clone());
                self.hold(mention, &way, reader, (&origin, Kind::Template));
            }
            for (part, asks) in &words.parts {
                match part {
                    Part::Value(steps) => {
                        let name = match steps {
                            [only] => only,
                            [first, second] if &**first == "sections" => second,
                            _ => continue,
                        };
                        sections.entry(name.clone()).or_default().push(way.and(asks));
                    }
                    Part::Partial(name) => {
                        let partial = self.registry.partials.get(*name);
                        let partial = partial.filter(|_| depth < MAX_PARTIALS);
                        open.extend(partial.map(|one| (&**one, way.and(asks), depth + 1)));
                    }
                }
            }
        }
    }

    /// Holds a name against what there is.
    fn hold(
        &mut self,
        mention: &Mention,
        way: &Way<'a>,
        reader: Reader<'a>,
        (origin, kind): (&Origin, Kind),
    ) {
        let Some(fault) = judge(mention, way, reader.offer, (&self.lexicon, kind)) else { return };
        let (file, start) = place(origin);
        let role = || self.registry.tools.get(&*mention.name)?.role.as_deref().map(str::to_owned);
        let variant = reader.offer.variant.map(|variant| self.name(variant));
        let new = || Found {
            name: mention.name.clone(),
            fault,
            owner: reader.owner,
            origin: origin.clone(),
            role: role(),
            variants: BTreeSet::new(),
        };
        self.held.entry(file).or_default().hold((start, &mention.name), variant, new);
    }

    /// The variant's id, with its number where there are several.
    fn name(&self, variant: &Variant) -> String {
        let versions = self.registry.variants.get(&variant.id);
        match versions.is_some_and(|versions| versions.by_number.len() > 1) {
            true => variant.name(),
            false => variant.id.to_string(),
        }
    }

    fn sheet(&mut self, text: Text<'a>) -> Rc<Sheet<'a>> {
        let read = || {
            let (words, literal) = match text {
                Text::Template(template) => (template.words(), None),
                Text::Literal(source) => (None, Some(&*source.text)),
            };
            let text = words.as_ref().map(|words| &*words.text).or(literal).unwrap_or_default();
            let mentions = self.scanner.mentions(text, &self.lexicon);
            Rc::new(Sheet { words, mentions })
        };
        Rc::clone(self.sheets.entry(text.address()).or_insert_with(read))
    }
}
