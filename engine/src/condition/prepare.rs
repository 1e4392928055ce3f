//! Makes the text of a condition ready to run.
//!
//! In: a text. Out: a [`Program`], or the first [`Flaw`].
//! Never: evaluates anything.
//!
//! The parsed tree is walked once. The walk collects the paths that are read, refuses what could only fail
//! when it runs (functions that do not exist, patterns that do not compile, a tree too deep for the
//! evaluator's stack), and puts [our own functions](super::functions) in the place of some of the crate's.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use cel::IdedExpr;
use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr, SourceInfo, operators,
};

use super::Flaw;
use super::functions::{MATCHES, Pattern, SAME, WITHIN};
use super::parse::{not_cel, parse};
use super::scan::{self, second_comprehension};
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
        let (mut tree, info) = parse(text)?;
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
            let message = format!("more than {MAX_DEPTH} operations stand inside each other");
            let help = "chains count, except those of `&&` and `||`";
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

    /// Keeps a path, unless its root is bound by a comprehension, or a type.
    fn read(&mut self, path: Vec<&str>) {
        let root = path[0].trim_start_matches('.');
        let bound = root.starts_with('@') || self.bound.as_deref() == Some(root);
        let names_a_type = path.len() == 1 && TYPES.contains(&root);
        if !bound && !names_a_type {
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
            let at = self.name_before(id, "matches");
            let message = "`matches` takes a text and a pattern";
            return self.refuse(at, Code::ConditionSyntax, message, "write `text.matches('a+')`");
        };
        let at = self.place(pattern.id);
        let Expr::Literal(LiteralValue::String(source)) = &pattern.expr else {
            let message = "the pattern of `matches` is not written out";
            return self.refuse(at, Code::PatternSyntax, message, "write a string, in quotes");
        };
        match bounded_regex(source.inner(), LetterCase::Exact) {
            Ok(regex) => {
                pattern.expr = Expr::Ident(Pattern::name(self.patterns.len()));
                self.patterns.push(Pattern(regex));
                let func_name = MATCHES.to_owned();
                *call = CallExpr { func_name, target: None, args: operands };
            }
            Err(bad) => self.refuse(at, Code::PatternSyntax, bad.reason, bad.help),
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
    let compares = !is_literal(left) && !is_literal(right);
    match call.func_name.as_str() {
        operators::EQUALS if compares => call.func_name = SAME.to_owned(),
        operators::NOT_EQUALS if compares => {
            let args = std::mem::take(&mut call.args);
            let same = CallExpr { func_name: SAME.to_owned(), target: None, args };
            call.func_name = operators::LOGICAL_NOT.to_owned();
            call.args = vec![IdedExpr { id: 0, expr: Expr::Call(same) }];
        }
        operators::IN if !is_literal(left) && !is_list_of_literals(right) => {
            call.func_name = WITHIN.to_owned();
        }
        _ => {}
    }
}

fn is_literal(node: &IdedExpr) -> bool {
    matches!(node.expr, Expr::Literal(_))
}

fn is_list_of_literals(node: &IdedExpr) -> bool {
    matches!(&node.expr, Expr::List(list) if list.elements.iter().all(is_literal))
}
