//! Tests of templates, all through [`Template`], against a table of names.

mod classes;
mod conformance;
mod dialect;
mod errors;
mod fuzz;
mod generator;
mod helpers;
mod insert;
mod limits;
mod oracle;
mod pieces;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::{Called, Evaluated, Found, Missing, Scope, Supply, Template, Val};
use crate::diagnostic::{Origin, SourceFile, SourceText};
use crate::trace::{CacheClass, Mark, MarkKind, Piece, PieceKind, Source, Traced};

/// A template that stands in a file, so that origins have lines.
fn template(text: &str) -> Template {
    Template::new(source(text))
}

fn source(text: &str) -> Arc<SourceText> {
    let file = SourceFile::new("t.hbs", text);
    let origin = Origin::file(&file, 0..text.len());
    Arc::new(SourceText { text: text.into(), origin, exact: true })
}

/// What a name of the table stands for.
enum Entry {
    Nothing,
    Json(Json),
    Section(Traced),
}

struct Named {
    entry: Entry,
    class: CacheClass,
    presence: CacheClass,
}

/// A scope made of tables.
#[derive(Default)]
struct Table {
    names: BTreeMap<String, Named>,
    partials: BTreeMap<String, Template>,
    helpers: BTreeMap<String, Function<Box<HelperFn>>>,
    tools: BTreeMap<String, String>,
    tools_class: CacheClass,
    docs: BTreeMap<String, String>,
    all_docs: String,
}

impl Table {
    /// Static values.
    fn of(values: Json) -> Self {
        let Json::Object(values) = values else { panic!("not an object") };
        values.into_iter().fold(Self::default(), |table, (name, value)| {
            table.json(&name, value, CacheClass::Static)
        })
    }

    fn json(mut self, name: &str, value: Json, class: CacheClass) -> Self {
        let named = Named { entry: Entry::Json(value), class, presence: class };
        self.names.insert(name.into(), named);
        self
    }

    fn nothing(mut self, name: &str) -> Self {
        let class = CacheClass::Static;
        self.names.insert(name.into(), Named { entry: Entry::Nothing, class, presence: class });
        self
    }

    fn section(mut self, name: &str, text: &str, class: CacheClass, presence: CacheClass) -> Self {
        let entry = Entry::Section(traced(name, text, class));
        self.names.insert(name.into(), Named { entry, class, presence });
        self
    }

    fn partial(mut self, name: &str, text: &str) -> Self {
        self.partials.insert(name.into(), template(text));
        self
    }

    fn helper<F>(mut self, name: &str, Function(class, run): Function<F>) -> Self
    where
        F: Fn(&[Json], &Map<String, Json>) -> Result<Json, String> + Send + Sync + 'static,
    {
        self.helpers.insert(name.into(), Function(class, Box::new(run)));
        self
    }
}

/// A section of two pieces.
fn traced(name: &str, text: &str, class: CacheClass) -> Traced {
    let mut half = text.len() / 2;
    while !text.is_char_boundary(half) {
        half -= 1;
    }
    let piece = |end: usize, class, at: usize| Piece {
        end: end as u32,
        kind: PieceKind::Template,
        class,
        source: 0,
        at: at as u32,
    };
    Traced {
        text: text.into(),
        pieces: vec![piece(half, CacheClass::Static, 0), piece(text.len(), class, half)],
        marks: Vec::new(),
        sources: vec![Arc::new(Source { text: source(text), section: Some(name.into()) })],
        causes: Vec::new(),
    }
}

impl Scope for Table {
    fn lookup(&self, path: &[Box<str>]) -> Option<Found<'_>> {
        if let [first, second, ..] = path
            && &**first == "sections"
        {
            let found = self.lookup(std::slice::from_ref(second))?;
            return Some(Found { steps: 2, ..found });
        }
        let named = self.names.get(&*path[0])?;
        let (class, presence) = (named.class, named.presence);
        let value = match &named.entry {
            Entry::Nothing => Val::Missing,
            Entry::Json(json) => Val::Json(Cow::Borrowed(json)),
            Entry::Section(section) => Val::Section(section),
        };
        Some(Found { value, class, presence, cause: None, steps: 1 })
    }

    fn supply(&self) -> &dyn Supply {
        self
    }

    fn size_hint(&self) -> usize {
        self.names
            .values()
            .map(|named| match &named.entry {
                Entry::Section(section) => section.text.len(),
                Entry::Nothing | Entry::Json(_) => 0,
            })
            .sum()
    }
}

impl Supply for Table {
    fn partial(&self, name: &str) -> Option<&Template> {
        self.partials.get(name)
    }

    fn has_helper(&self, name: &str) -> bool {
        self.helpers.contains_key(name)
    }

    fn call_helper(
        &self,
        name: &str,
        args: Vec<Json>,
        named: Map<String, Json>,
    ) -> Option<Called<'_>> {
        let Function(class, run) = self.helpers.get(name)?;
        Some(Called { value: run(&args, &named), class: *class, cause: None })
    }

    fn has_tool(&self, id: &str) -> (bool, CacheClass) {
        (self.docs.contains_key(id), self.tools_class)
    }

    fn tool(&self, role: &str) -> (Option<&str>, CacheClass) {
        (self.tools.get(role).map(String::as_str), self.tools_class)
    }

    fn tool_docs(&self, id: Option<&str>) -> Found<'_> {
        let text = match id {
            None => Some(&self.all_docs),
            Some(id) => self.docs.get(id),
        };
        let value = text.map_or(Val::Missing, |text| Val::Text(text));
        Found::new(value, self.tools_class)
    }
}

/// A helper from a function.
struct Function<F>(CacheClass, F);

type HelperFn = dyn Fn(&[Json], &Map<String, Json>) -> Result<Json, String> + Send + Sync;

fn evaluate(text: &str, table: &Table) -> Evaluated {
    template(text).evaluate(table, Missing::Empty).unwrap()
}

/// The text, after a look at what must hold of every result.
fn text(template_text: &str, table: &Table) -> String {
    let template = template(template_text);
    let evaluated = template.evaluate(table, Missing::Empty).unwrap();
    sound(&evaluated.traced);
    let silent = template.evaluate_text(table, Missing::Empty).unwrap();
    assert_eq!(silent, evaluated.traced.text);
    silent
}

fn check(template: &str, values: Json, expected: &str) {
    assert_eq!(text(template, &Table::of(values)), expected, "{template:?}");
}

/// Asserts what holds of every result: pieces cover the text, template pieces are their source's bytes, marks rise.
fn sound(traced: &Traced) {
    let (mut start, bytes) = (0, traced.text.as_bytes());
    for piece in &traced.pieces {
        let source = &traced.sources[piece.source as usize].text.text;
        assert!(piece.end >= start && (piece.at as usize) <= source.len());
        let written = &bytes[start as usize..piece.end as usize];
        if piece.kind == PieceKind::Template {
            let at = piece.at as usize;
            assert_eq!(written, &source.as_bytes()[at..at + written.len()]);
        }
        start = piece.end;
    }
    assert_eq!(start as usize, bytes.len());
    let mut at = 0;
    for mark in &traced.marks {
        assert!(mark.at >= at && mark.at as usize <= bytes.len());
        assert!((mark.site as usize) < traced.sources[mark.source as usize].text.text.len());
        match mark.kind {
            MarkKind::Hinge => {
                assert!(mark.class > CacheClass::Static);
                assert!((mark.cause as usize) < traced.causes.len());
            }
            MarkKind::Boundary => assert_eq!(mark.class, CacheClass::Static),
        }
        at = mark.at;
    }
}

/// Hinges as `offset class cause`.
fn hinges(traced: &Traced) -> Vec<String> {
    let show =
        |mark: &Mark| format!("{} {} {}", mark.at, mark.class, traced.causes[mark.cause as usize]);
    traced.marks.iter().filter(|mark| mark.kind == MarkKind::Hinge).map(show).collect()
}

/// Pieces as `T static "text"`, or `V` for values.
fn pieces(traced: &Traced) -> Vec<String> {
    let mut start = 0;
    let show = |piece: &Piece| {
        let text = &traced.text[start..piece.end as usize];
        start = piece.end as usize;
        let kind = match piece.kind {
            PieceKind::Template => "T",
            PieceKind::Value => "V",
            PieceKind::Tidy => "tidy",
        };
        format!("{kind} {} {text:?}", piece.class)
    };
    traced.pieces.iter().map(show).collect()
}
