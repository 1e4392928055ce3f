//! Parses a condition and makes it ready to run.
//!
//! In: a text. Out: a [`Program`], or the first [`Flaw`].
//! Never: evaluates anything.
//!
//! The parsed tree is walked once. The walk collects the paths that are read, refuses what could only fail
//! when it runs (functions that do not exist, patterns that do not compile, a tree too deep for the
//! evaluator's stack), and replaces calls by our own where ours differ: see [`value`](super::value).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};

use cel::IdedExpr;
use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr, SourceInfo, operators,
};
use cel::parser::ParseErrors;

use super::Flaw;
use super::scan::{self, MAX_NESTING, second_comprehension};
use super::value::{ENV, MATCHES, Pattern, SAME, WITHIN};
use crate::diagnostic::Code;
use crate::pattern::{LetterCase, bounded_regex};

/// Deepest tree that is evaluated: an unoptimised evaluator takes 40 KiB of stack per level.
const MAX_DEPTH: usize = 24;

/// Functions called as `f(x)`.
const FUNCTIONS: [&str; 9] =
    ["bool", "bytes", "double", "dyn", "int", "size", "string", "type", "uint"];

/// Functions called as `x.f()`; `matches` apart.
const METHODS: [&str; 4] = ["contains", "endsWith", "size", "startsWith"];

/// Names of CEL's types, which are values: `type(x) == list`.
const TYPES: [&str; 11] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "optional_type",
    "string",
    "type",
    "uint",
];

/// A condition ready to run.
#[derive(Debug)]
pub(super) struct Program {
    /// What the crate evaluates.
    pub tree: IdedExpr,
    /// The first segments of the paths, sorted.
    pub roots: Box<[Box<str>]>,
    /// What the pattern names in the tree stand for, by their number.
    pub patterns: Box<[Pattern]>,
    paths: Box<[Box<str>]>,
}

impl Program {
    /// Compiles a text of any kind.
    pub(super) fn compile(text: &str) -> Result<Self, Flaw> {
        scan::scan(text)?;
        // The generated parser unwraps what its grammar promises; the fuzz tests found no text that
        // breaks a promise, but a condition comes from a file that anyone may have written.
        let parse = || {
            let parser = ENV.parser().max_recursion_depth(MAX_NESTING as u16);
            parser.parse_with_source_info(text)
        };
        let parsed = panic::catch_unwind(AssertUnwindSafe(parse))
            .map_err(|_| not_cel(0..text.len(), "the parser panicked"))?;
        let (mut tree, info) = parsed.map_err(|errors| first_error(text, &errors))?;
        let mut walk = Walk { text, info, ..Walk::default() };
        walk.node(&mut tree, 1);
        match walk.flaw {
            Some(flaw) => Err(flaw),
            None => Ok(Self {
                tree,
                roots: roots(&walk.paths),
                patterns: walk.patterns.into(),
                paths: walk.paths.into_iter().map(Box::from).collect(),
            }),
        }
    }

    /// The dotted paths that it reads, sorted.
    pub(super) fn paths(&self) -> &[Box<str>] {
        &self.paths
    }
}

fn roots(paths: &BTreeSet<String>) -> Box<[Box<str>]> {
    let mut roots: Vec<Box<str>> = paths.iter().map(|path| root(path).into()).collect();
    roots.dedup();
    roots.into()
}

/// The first segment of a path.
fn root(path: &str) -> &str {
    path.split_once('.').map_or(path, |(root, _)| root)
}

/// One walk over a tree.
#[derive(Default)]
struct Walk<'t> {
    text: &'t str,
    info: SourceInfo,
    paths: BTreeSet<String>,
    patterns: Vec<Pattern>,
    /// The name that the comprehension around this node binds.
    bound: Option<String>,
    /// The first mistake.
    flaw: Option<Flaw>,
}

impl Walk<'_> {
    fn node(&mut self, node: &mut IdedExpr, depth: usize) {
        if depth > MAX_DEPTH {
            let message =
                format!("the condition has more than {MAX_DEPTH} operations inside each other");
            let help = "chains count, except of `&&` and `||`; say it in several conditions";
            return self.refuse(self.place(node.id), Code::ConditionLimit, message, help);
        }
        let (id, depth) = (node.id, depth + 1);
        match &mut node.expr {
            Expr::Literal(_) => {}
            Expr::Ident(name) => self.read(vec![name]),
            Expr::Select(select) => match segments(select) {
                Some(path) => self.read(path),
                None => self.node(&mut select.operand, depth),
            },
            Expr::Call(call) => self.call(id, call, depth),
            Expr::List(list) => list.elements.iter_mut().for_each(|item| self.node(item, depth)),
            Expr::Map(map) => {
                for entry in &mut map.entries {
                    if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                        self.node(&mut entry.key, depth);
                        self.node(&mut entry.value, depth);
                    }
                }
            }
            Expr::Comprehension(comprehension) => self.comprehension(id, comprehension, depth),
            Expr::Struct(it) => {
                let message = format!("there is no type `{}`", it.type_name);
                let at = self.name_before(id, &it.type_name);
                self.refuse(at, Code::ConditionName, message, "write a map: {'key': value}");
            }
            Expr::Unspecified => {
                self.flaw.get_or_insert_with(|| not_cel(0..0, "it cannot be read"));
            }
        }
    }

    fn read(&mut self, path: Vec<&str>) {
        let root = path[0].trim_start_matches('.');
        let ours = root.starts_with('@') || self.bound.as_deref() == Some(root);
        if !ours && !(path.len() == 1 && TYPES.contains(&root)) {
            self.paths.insert(path.join(".").trim_start_matches('.').to_owned());
        }
    }

    fn call(&mut self, id: u64, call: &mut CallExpr, depth: usize) {
        let arguments = call.target.as_deref_mut().into_iter().chain(&mut call.args);
        arguments.for_each(|argument| self.node(argument, depth));
        let name = call.func_name.trim_start_matches('.');
        let operator = !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let known: &[&str] = if call.target.is_some() { &METHODS } else { &FUNCTIONS };
        if operator {
            replace_operator(call);
        } else if name == "matches" {
            self.matches(id, call);
        } else if !known.contains(&name) {
            self.unknown_function(id, call);
        }
    }

    /// Compiles the pattern of `matches` here, bounded, rather than each time it runs.
    fn matches(&mut self, id: u64, call: &mut CallExpr) {
        let target = call.target.take().map(|target| *target);
        let mut operands: Vec<IdedExpr> = target.into_iter().chain(call.args.drain(..)).collect();
        let [_, pattern] = &mut operands[..] else {
            let (at, message) =
                (self.name_before(id, "matches"), "`matches` takes a text and a pattern");
            return self.refuse(
                at,
                Code::ConditionSyntax,
                message,
                "write `text.matches('pattern')`",
            );
        };
        let at = self.place(pattern.id);
        let Expr::Literal(LiteralValue::String(source)) = &pattern.expr else {
            let message = "the pattern of `matches` is not written out";
            return self.refuse(
                at,
                Code::PatternSyntax,
                message,
                "write it as a string, in quotes",
            );
        };
        match bounded_regex(source.inner(), LetterCase::Exact) {
            Ok(regex) => {
                pattern.expr = Expr::Ident(Pattern::name(self.patterns.len()));
                self.patterns.push(Pattern(regex));
                let func_name = MATCHES.to_owned();
                *call = CallExpr { func_name, target: None, args: operands };
            }
            Err(bad) => self.refuse(at, Code::PatternSyntax, bad.message, bad.help),
        }
    }

    fn unknown_function(&mut self, id: u64, call: &CallExpr) {
        let name = call.func_name.trim_start_matches('.');
        let at = self.name_before(id, name);
        if scan::COMPREHENSIONS.contains(&name) || name == operators::HAS {
            let message = format!("`{name}` is not called like that");
            let help = "write `has(ctx.key)`, or `list.exists(x, x == 'a')`";
            return self.refuse(at, Code::ConditionSyntax, message, help);
        }
        let (kind, known): (_, &[&str]) = match call.target {
            Some(_) => ("method", &METHODS),
            None => ("function", &FUNCTIONS),
        };
        let message = format!("there is no {kind} `{name}`");
        let help = format!("there are {}, and `matches`", known.join(", "));
        self.refuse(at, Code::ConditionName, message, help);
    }

    fn comprehension(&mut self, id: u64, it: &mut ComprehensionExpr, depth: usize) {
        self.node(&mut it.iter_range, depth);
        self.node(&mut it.accu_init, depth);
        if self.bound.is_some() {
            // The scan counted them; this is for a text that the parser cuts into words differently.
            let flaw = second_comprehension(self.place(id));
            self.flaw.get_or_insert(flaw);
            return;
        }
        self.bound = Some(it.iter_var.clone());
        for part in [&mut it.loop_cond, &mut it.loop_step, &mut it.result] {
            self.node(part, depth);
        }
        self.bound = None;
    }

    /// Keeps the first mistake.
    fn refuse(
        &mut self,
        at: Range<usize>,
        code: Code,
        message: impl Into<String>,
        help: impl Into<Cow<'static, str>>,
    ) {
        self.flaw.get_or_insert_with(|| Flaw::new(code, at, message, help));
    }

    /// The bytes of the token that a node is known by: a name, a literal, an operator, the bracket of a call.
    fn place(&self, id: u64) -> Range<usize> {
        let bytes = self.info.offset_for(id).map(|(start, last)| start as usize..last as usize + 1);
        bytes.filter(|at| self.text.get(at.clone()).is_some()).unwrap_or(0..self.text.len())
    }

    /// The bytes of the name in front of the bracket that a call is known by.
    fn name_before(&self, id: u64, name: &str) -> Range<usize> {
        let bracket = self.place(id);
        let start = self.text[..bracket.start].rfind(name);
        start.map_or(bracket, |start| start..start + name.len())
    }
}

/// `a.b.c` as its segments, also inside `has()`; none when it selects from anything but a name.
fn segments(select: &SelectExpr) -> Option<Vec<&str>> {
    let mut segments = vec![select.field.as_str()];
    let mut operand = &select.operand.expr;
    while let Expr::Select(inner) = operand {
        segments.push(&inner.field);
        operand = &inner.operand.expr;
    }
    let Expr::Ident(root) = operand else { return None };
    segments.push(root);
    segments.reverse();
    Some(segments)
}

/// Lets our own functions compare where a list or map of the context may meet one of the crate's.
fn replace_operator(call: &mut CallExpr) {
    let [left, right] = &call.args[..] else { return };
    let compares = match call.func_name.as_str() {
        operators::EQUALS | operators::NOT_EQUALS => !is_literal(left) && !is_literal(right),
        operators::IN => !is_literal(left) && !is_list_of_literals(right),
        _ => false,
    };
    if !compares {
        return;
    }
    let ours = if call.func_name == operators::IN { WITHIN } else { SAME };
    let negated = call.func_name == operators::NOT_EQUALS;
    call.func_name = ours.to_owned();
    if negated {
        let equals = std::mem::take(call);
        let equals = IdedExpr { id: 0, expr: Expr::Call(equals) };
        let name = operators::LOGICAL_NOT.to_owned();
        *call = CallExpr { func_name: name, target: None, args: vec![equals] };
    }
}

fn is_literal(node: &IdedExpr) -> bool {
    matches!(node.expr, Expr::Literal(_))
}

fn is_list_of_literals(node: &IdedExpr) -> bool {
    matches!(&node.expr, Expr::List(list) if list.elements.iter().all(is_literal))
}

/// The first thing that the parser could not read; what it reports after that is mostly noise.
fn first_error(text: &str, errors: &ParseErrors) -> Flaw {
    let Some(error) = errors.errors.first() else { return not_cel(0..text.len(), "") };
    let at = offset(text, error.pos);
    let token = first_token(&text[at..]);
    let said = error.msg.strip_prefix("Syntax error: ").unwrap_or(&error.msg);
    let said = said.split_once(" expecting ").map_or(said, |(said, _)| said);
    let reason = match said {
        _ if said.starts_with("missing ") => said.replace('\'', "`"),
        _ if token.is_empty() => "it ends too early".to_owned(),
        _ if error.msg == said => said.replace('\'', "`"),
        _ => format!("unexpected `{token}`"),
    };
    not_cel(at..at + token.len(), &reason)
}

fn not_cel(at: Range<usize>, reason: &str) -> Flaw {
    let help = match reason {
        "unexpected `=`" => "`==` compares",
        "unexpected `&`" | "unexpected `and`" => "`&&` joins two conditions that must hold",
        "unexpected `|`" | "unexpected `or`" => "`||` joins two conditions of which one must hold",
        _ => "conditions are CEL: `native_tools && !('compact' in flags)`",
    };
    Flaw::new(Code::ConditionSyntax, at, format!("the condition is not CEL: {reason}"), help)
}

/// The word or character that a text begins with.
fn first_token(text: &str) -> &str {
    let word = text.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let one = text.chars().next().map_or(0, char::len_utf8);
    &text[..word.unwrap_or(text.len()).max(one)]
}

/// The byte of a line and column, both from 1; the parser counts characters.
fn offset(text: &str, (line, column): (isize, isize)) -> usize {
    let (lines, chars) = (usize::try_from(line - 1), usize::try_from(column - 1));
    let lines = text.split_inclusive('\n').take(lines.unwrap_or_default());
    let start: usize = lines.map(str::len).sum();
    let mut chars = text[start..].char_indices().skip(chars.unwrap_or_default());
    chars.next().map_or(text.len(), |(at, _)| start + at)
}
