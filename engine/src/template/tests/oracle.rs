//! The renderer of the `handlebars` crate as the oracle: the same text, or a difference that was decided.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::mem::discriminant;

use handlebars::{Handlebars, RenderErrorReason, handlebars_helper, no_escape};
use serde_json::Value as Json;

use super::generator::{Case, Random, case};
use super::{Function, Table, sound, template};
use crate::template::expr::steps;
use crate::template::scan::scan;
use crate::template::scope::Val;
use crate::template::token::{Kind, Tag, Token};
use crate::template::{Missing, TemplateError};
use crate::trace::CacheClass;

/// What one side made of a case.
#[derive(Clone, Debug, PartialEq)]
enum Made {
    Text(String),
    /// The template does not parse.
    Refused(String),
    /// The crate takes a step into a list by something that is no number for an error.
    ListStep,
    Failed(String),
}

/// A decided difference, and how a source looks without it.
type Difference = (&'static str, fn(&str) -> String);

const DIFFERENCES: &[Difference] = &[
    ("lists and objects print as JSON", without_collections),
    ("only a partial alone on its line indents, template lines only", without_indents),
    ("a line begins behind a partial alone on its line", without_partial_lines),
    ("no stale trim flag", without_stale_flags),
    ("`this` at the root has no value", without_this),
    ("a partial has no copy of the context", without_hash),
    ("raw blocks keep the white space they begin with", without_raw_blanks),
    ("blanks behind a tag may end the source", without_blank_end),
];

handlebars_helper!(Show: |value: Json| shown(value));

/// A value as ours prints it.
fn shown(value: &Json) -> String {
    Val::Json(Cow::Borrowed(value)).printed().into_owned()
}

fn theirs(case: &Case) -> Made {
    let mut handlebars = Handlebars::new();
    handlebars.register_escape_fn(no_escape);
    handlebars.register_helper("show", Box::new(Show));
    let main = [("main".to_owned(), case.template.clone())];
    for (name, text) in case.partials.iter().chain(&main) {
        if let Err(error) = handlebars.register_partial(name, text) {
            return Made::Refused(error.reason().to_string());
        }
    }
    match handlebars.render("main", &case.values) {
        Ok(text) => Made::Text(text),
        Err(error) => match error.reason() {
            RenderErrorReason::InvalidJsonIndex(_) => Made::ListStep,
            reason => Made::Failed(reason.to_string()),
        },
    }
}

fn ours(case: &Case) -> Made {
    let mut table = Table::of(case.values.clone());
    let show = |args: &[Json], _: &serde_json::Map<String, Json>| Ok(shown(&args[0]).into());
    table = table.helper("show", Function(CacheClass::Static, show));
    for (name, text) in &case.partials {
        table = table.partial(name, text);
    }
    let refused = |error: TemplateError| Made::Refused(error.message);
    for partial in table.partials.values() {
        if let Err(error) = partial.nodes() {
            return refused(*error);
        }
    }
    let template = template(&case.template);
    if let Err(error) = template.nodes() {
        return refused(*error);
    }
    match template.evaluate(&table, Missing::Empty) {
        Ok(evaluated) => {
            sound(&evaluated.traced);
            assert_eq!(
                template.evaluate_text(&table, Missing::Empty).unwrap(),
                evaluated.traced.text
            );
            Made::Text(evaluated.traced.text)
        }
        Err(error) => Made::Failed(error.message),
    }
}

/// The kind of the case: equal, not comparable, or the decided differences that it shows; none when unexplained.
fn kind(case: &Case) -> Option<String> {
    match both(case) {
        (one, other) if one == other => Some("equal".into()),
        (Made::Refused(_), Made::Refused(_)) => Some("refused by both".into()),
        (Made::ListStep, Made::Text(_)) => {
            Some("not comparable: a step into a list is an error there".into())
        }
        (_, Made::Refused(why)) if why.contains("begins with `else`") => {
            Some("refused: a printed name that begins with `else`".into())
        }
        (Made::Text(_), Made::Text(_)) => explained(case),
        _ => None,
    }
}

/// The differences without which both sides agree: one, or the fewest of all.
fn explained(case: &Case) -> Option<String> {
    let all: Vec<usize> = (0..DIFFERENCES.len()).collect();
    let agree = |taken: &[usize]| {
        let (theirs, ours) = both(&without(case, taken));
        theirs == ours
    };
    if let Some(&at) = all.iter().find(|&&at| agree(&[at])) {
        return Some(format!("differs: {}", DIFFERENCES[at].0));
    }
    if agree(&all) {
        let fewest = all.iter().fold(all.clone(), |taken, &at| {
            let fewer: Vec<usize> = taken.iter().copied().filter(|&other| other != at).collect();
            if agree(&fewer) { fewer } else { taken }
        });
        return Some(format!("differs in {} of these ways at once", fewest.len()));
    }
    let not_comparable = matches!(both(&without(case, &all)), (Made::ListStep, Made::Text(_)));
    not_comparable.then(|| "differs, and is not comparable without".into())
}

fn both(case: &Case) -> (Made, Made) {
    (theirs(case), ours(case))
}

/// The case without some differences.
fn without(case: &Case, taken: &[usize]) -> Case {
    let mut case = case.clone();
    let sources = case.partials.iter_mut().map(|(_, text)| text);
    for source in sources.chain([&mut case.template]) {
        for &at in taken {
            *source = DIFFERENCES[at].1(source);
        }
    }
    case
}

#[test]
fn the_same_text_as_the_crate() {
    #[expect(clippy::disallowed_methods, reason = "tests may be told to do more")]
    let cases: u64 = std::env::var("ORACLE_CASES").map_or(5_000, |count| count.parse().unwrap());
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..cases {
        let case = case(&mut Random(seed));
        match kind(&case) {
            Some(kind) => *kinds.entry(kind).or_default() += 1,
            None => {
                let case = shrunk(case);
                let (theirs, ours) = both(&case);
                panic!("seed {seed}: {case:?}\ntheirs {theirs:?}\nours   {ours:?}");
            }
        }
    }
    let table = kinds.iter().fold(String::new(), |mut table, (kind, count)| {
        writeln!(table, "{count:7} {kind}").unwrap();
        table
    });
    println!("{cases} random templates:\n{table}");
    assert!(kinds["equal"] * 2 > cases as usize);
}

/// A smaller case that is unexplained too.
fn shrunk(mut case: Case) -> Case {
    let shape = |case: &Case| (discriminant(&theirs(case)), discriminant(&ours(case)));
    let (mut size, same) = (case.template.len(), shape(&case));
    while size > 0 {
        for at in 0..=case.partials.len() {
            let mut start = 0;
            loop {
                let mut smaller = case.clone();
                let source = match smaller.partials.get_mut(at) {
                    Some((_, text)) => text,
                    None => &mut smaller.template,
                };
                let end = (start + size).min(source.len());
                if start >= end {
                    break;
                }
                if source.is_char_boundary(start) && source.is_char_boundary(end) {
                    source.replace_range(start..end, "");
                    if shape(&smaller) == same && kind(&smaller).is_none() {
                        case = smaller;
                        continue;
                    }
                }
                start += size;
            }
        }
        size /= 2;
    }
    case
}

/// The source with every tag replaced.
fn edited(source: &str, mut edit: impl FnMut(&Tag, &str) -> String) -> String {
    let (tokens, _) = scan(source);
    let (mut out, mut at) = (String::new(), 0);
    for token in tokens {
        if let Token::Tag(tag) = token {
            out.push_str(&source[at..tag.span.start as usize]);
            out.push_str(&edit(&tag, tag.span.of(source)));
            at = tag.span.end as usize;
        }
    }
    out + &source[at..]
}

fn without_collections(source: &str) -> String {
    edited(source, |tag, text| {
        let body = tag.body.of(source);
        if tag.kind != Kind::Value {
            return text.to_owned();
        }
        let call = body.contains(char::is_whitespace) && !body.starts_with('(');
        let (before, after) = (tilde(tag.trim_before), tilde(tag.trim_after));
        let arg = if call { format!("({body})") } else { body.to_owned() };
        format!("{{{{{before}show {arg}{after}}}}}")
    })
}

fn tilde(is: bool) -> &'static str {
    if is { "~" } else { "" }
}

fn without_indents(source: &str) -> String {
    let (tokens, _) = scan(source);
    let mut source = source.to_owned();
    for token in tokens.iter().rev() {
        if let Token::Tag(Tag { kind: Kind::Partial, span, .. }) = token {
            let start = span.start as usize;
            let kept = source[..start].trim_end_matches([' ', '\t']).len();
            source.replace_range(kept..start, "");
        }
    }
    source
}

/// Puts text behind partials, so that none stands alone on its line.
fn without_partial_lines(source: &str) -> String {
    edited(source, |tag, text| match tag.kind {
        Kind::Partial => format!("{text}."),
        _ => text.to_owned(),
    })
}

/// Takes `~` from tags where the crate forgets to reset a flag: a comment comes next, which keeps the one for white
/// space, or nothing but white space up to the next tag, which keeps the one for the line.
fn without_stale_flags(source: &str) -> String {
    let (tokens, _) = scan(source);
    let mut source = source.to_owned();
    for at in (0..tokens.len()).rev() {
        let Token::Tag(tag) = &tokens[at] else { continue };
        let mut blank = true;
        let next = tokens[at + 1..].iter().find_map(|token| match token {
            Token::Tag(tag) => Some(tag),
            Token::Text(span) => {
                blank &= span.of(&source).trim().is_empty();
                None
            }
        });
        let Some(next) = next.filter(|_| tag.trim_after) else { continue };
        if next.kind == Kind::Comment || (blank && tag.kind != Kind::Value) {
            let end = tag.span.end as usize;
            let tilde = source[..end].rfind('~').unwrap();
            source.replace_range(tilde..=tilde, "");
        }
    }
    source
}

/// Replaces `this` where it is the root, or may be.
fn without_this(source: &str) -> String {
    let mut frames = Vec::new();
    let opens = |body: &str| body.starts_with("each") || body.starts_with("with");
    edited(source, |tag, text| {
        let body = tag.body.of(source);
        match tag.kind {
            Kind::Else | Kind::ElseIf | Kind::Close => drop(frames.pop()),
            _ => {}
        }
        let depth = frames.iter().filter(|frame| **frame).count();
        match tag.kind {
            Kind::Open | Kind::ElseIf => frames.push(opens(body)),
            Kind::Else => frames.push(false),
            _ => {}
        }
        if matches!(tag.kind, Kind::Comment | Kind::RawOpen | Kind::RawClose) {
            return text.to_owned();
        }
        let words = text.split_inclusive([' ', '\n', '(', ')', '{', '}', '~', '=']);
        words.fold(String::new(), |out, word| {
            let path = word.trim_end_matches([' ', '\n', '(', ')', '{', '}', '~', '=']);
            let steps = steps(path);
            let root = steps.root || steps.up >= depth;
            let this = path.contains("this") && steps.segments.is_empty() && root;
            out + &if this { word.replace(path, "nope") } else { word.to_owned() }
        })
    })
}

fn without_hash(source: &str) -> String {
    edited(source, |tag, text| {
        if tag.kind != Kind::Partial {
            return text.to_owned();
        }
        let (before, after) = (tilde(tag.trim_before), tilde(tag.trim_after));
        let words = tag.body.of(source).split(' ').filter(|word| !word.contains('='));
        format!("{{{{{before}> {}{after}}}}}", words.collect::<Vec<_>>().join(" "))
    })
}

fn without_raw_blanks(source: &str) -> String {
    let (tokens, _) = scan(source);
    let mut source = source.to_owned();
    for token in tokens.iter().rev() {
        if let Token::Tag(Tag { kind: Kind::RawOpen, span, .. }) = token {
            let end = span.end as usize;
            let blanks = source[end..].len()
                - source[end..].trim_start_matches([' ', '\t', '\n', '\r']).len();
            source.replace_range(end..end + blanks, "");
        }
    }
    source
}

fn without_blank_end(source: &str) -> String {
    source.trim_end_matches([' ', '\t']).to_owned()
}
