use std::borrow::Cow;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::diagnostic::SourceFile;

/// Names from the members of one JSON object.
struct Object(Value);

impl Names for Object {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.0.get(name).map(Cow::Borrowed)
    }
}

fn names() -> Object {
    Object(json!({
        "model": { "id": "claude-4", "context_window": 200_000 },
        "provider": { "id": "anthropic" },
        "native_tools": true,
        "flags": ["compact", "beta"],
        "tools": ["read_file", "write_to_file"],
        "roots": [{ "path": "/a", "name": "a" }, { "path": "/b", "name": "b" }],
        "mcp": { "servers": [{ "name": "git", "status": "connected", "tools": [{ "name": "log" }] }] },
        "user": { "language": "" },
        "ctx": {
            "house": { "style": "plain", "half": 0.5, "big": u64::MAX, "none": null },
            "list": ["x", 1, 2.0, true, null, ["n"], { "k": "v" }],
            "empty": [], "map": { "a": 1, "b": [1, 2] }, "copy": { "b": [1, 2], "a": 1 },
            "text": "Zürich 東京",
        },
    }))
}

fn condition(text: impl Into<Arc<str>>) -> Condition {
    Condition::new(SourceText::new(text, Origin::Engine))
}

fn decide(text: &str) -> Decision {
    let condition = condition(text);
    assert!(condition.check().is_empty(), "{text}: {:?}", condition.check());
    condition.decide(&names())
}

#[test]
fn conditions_are_shared_between_threads() {
    fn check<T: Clone + Send + Sync>(_: &T) {}
    check(&condition("true"));
}

#[test]
fn large_contexts_hold() {
    let many: Vec<Value> = (0..50_000).map(|n| json!({ "name": n, "tags": ["a"] })).collect();
    let names = Object(json!({ "ctx": { "many": many, "house": { "style": "plain" } } }));
    for text in
        ["has(ctx.house)", "ctx.house.style == 'plain'", "ctx['many'].size() > 9", "'many' in ctx"]
    {
        let condition = condition(text);
        for _ in 0..100 {
            assert_eq!(condition.decide(&names), Decision::Holds(true), "{text}");
        }
    }
}

#[test]
fn conditions_hold() {
    for text in [
        "native_tools && 'compact' in flags",
        "!('x' in flags)",
        "model.context_window > 16384 && model.context_window <= 200000",
        "model.id.startsWith('claude') && provider.id == 'anthropic'",
        "mcp.servers.size() > 0 && size(flags) == 2",
        "mcp.servers.exists(s, s.status == 'connected' && s.tools.size() == 1)",
        "roots.all(r, r.path.startsWith('/'))",
        "roots.map(r, r.name) == ['a', 'b']",
        "['a', 'b'] == roots.map(r, r.name)",
        "roots.filter(r, r.name == 'a')[0].path == '/a'",
        "roots.exists_one(r, r.name == 'a')",
        "has(ctx.house) && !has(ctx.mouse) && has(ctx.house.style)",
        "has(ctx.house.none) && ctx.house.none == null",
        "ctx.house.half < 1 && ctx.house.half == 0.5 && ctx.house.big > 5",
        "type(model.context_window) == int && type(ctx.list) == list && type(ctx.house) == map",
        "'x' in ctx.list && 1 in ctx.list && 2 in ctx.list && null in ctx.list && true in ctx.list",
        "['n'] in ctx.list && {'k': 'v'} in ctx.list && !(['m'] in ctx.list)",
        "ctx.list[5] in [['n'], ['m']]",
        "ctx.list[5] in [ctx.list[5]]",
        "!(model.id in ['gpt-5', 'o3'])",
        "'a' in ctx.map && !('z' in ctx.map) && !(1 in ctx.map)",
        "ctx.map == {'a': 1, 'b': [1, 2]} && {'a': 1, 'b': [1, 2]} == ctx.map",
        "ctx.map == ctx.copy && ctx.map != ctx.house",
        "ctx.empty == [] && [] == ctx.empty && flags != []",
        "['compact', 'beta'] == flags && flags == ['compact', 'beta']",
        "flags + ['x'] == ['compact', 'beta', 'x'] && ['x'] + flags == ['x', 'compact', 'beta']",
        "ctx.map.exists(k, k == 'a')",
        "ctx['house']['style'] == 'plain' && ctx.house['style'] == 'plain'",
        "ctx.text.matches('^Z.rich') && matches(ctx.text, r'\\w+ \\w+')",
        "ctx.text.size() == 9 && ctx.text.contains('ü')",
        "ctx.house.style == 'plain' ? native_tools : false",
        "user.language == '' || ctx.missing.deep",
        "ctx.missing.deep || user.language == ''",
        ".native_tools && .model.id == 'claude-4'",
        "flags.exists(model, model == 'beta')",
        "int('3') + 1 == 4 && string(3) == '3' && double(1) == 1.0",
        "'a(((((((b' != \"[[[[[[[\" && r'\\' != '' && b'((((((((' == b'((((((((' // ((((((((",
        "'.exists(' != '.exists(' || flags.exists(f, f == 'beta')",
        "'''a'b''' == \"a'b\" && '''\n''' == '\\n' && '\\x41\\u0041\\101' == 'AAA'",
    ] {
        assert_eq!(decide(text), Decision::Holds(true), "{text}");
    }
}

#[test]
fn absent_keys_are_missing() {
    for (text, path) in [
        ("ctx.mouse.style == 'x'", "ctx.mouse"),
        ("ctx.house.colour == 'x'", "ctx.house.colour"),
        ("!(ctx.house.colour == 'x')", "ctx.house.colour"),
        ("native_tools && ctx.mouse", "ctx.mouse"),
        ("has(ctx.mouse.style)", "ctx.mouse"),
        ("has(ctx.mouse) || ctx.house.colour == 'x'", "ctx.house.colour"),
        ("model.family == 'x'", "model.family"),
        ("mcp.servers.exists(s, s.title == 'x')", "title"),
        ("ctx['mouse'] == 'x'", "mouse"),
        ("roots[7].path == 'x'", "an item of a list"),
        ("[1, 2][7] == 1", "an item of a list"),
        ("ctx.house.none.deep == 1", "ctx.house.none.deep"),
        ("has(ctx.house.none.deep)", "ctx.house.none.deep"),
        ("ctx.list.exists(x, x == null && x.y)", "a key of null"),
    ] {
        assert_eq!(decide(text), Decision::Missing(path.to_owned()), "{text}");
    }
}

#[test]
fn failures_say_why_without_values() {
    for (text, reason) in [
        ("modle.id == 'x'", "there is no name `modle`"),
        ("model.id", "it is neither true nor false, but of type `string`"),
        ("model.id > 3", "`>` does not take (string, int)"),
        ("model.id.style == 3", "`.` does not take (string, string)"),
        ("ctx.list['x'] == 1", "`[]` does not take (list, string)"),
        ("!model.id", "`!` does not take (string)"),
        ("model.id && native_tools", "`&&` does not take (string, bool)"),
        ("native_tools.exists(x, x)", "a value is not of type `iterable`"),
        ("model.id + 1 == 'x'", "`+` does not take (string, int)"),
        ("flags + 1 == flags", "`+` does not take (list, int)"),
        ("int(model.id) == 1", "`int` cannot convert its argument"),
        ("1 / (model.context_window - 200000) == 1", "a number is divided by zero"),
        ("9223372036854775807 + 1 == 0", "a number is out of range"),
        ("{'a': 1, 'a': 2} == ctx.map", "a map has the same key twice"),
        ("model.context_window.matches('x')", "`matches` does not take (int, pattern)"),
        ("3 in model.id", "`in` does not take (int, string)"),
        ("model.id in provider.id", "`in` does not take (string, string)"),
        ("native_tools ? 1 : 2", "it is neither true nor false, but of type `int`"),
        ("!native_tools || nonsense", "there is no name `nonsense`"),
    ] {
        assert_eq!(decide(text), Decision::Failed(reason.to_owned()), "{text}");
    }
}

#[test]
fn paths_are_static_and_sorted() {
    let check = |text: &str, expected: &[&str]| {
        let condition = condition(text);
        let paths: Vec<&str> = condition.paths().iter().map(|path| &**path).collect();
        assert_eq!(paths, expected, "{text}");
    };
    check("tools.size() > 0 && has(ctx.house.style)", &["ctx.house.style", "tools"]);
    check("mcp.servers.exists(s, s.status == ctx.want)", &["ctx.want", "mcp.servers"]);
    check("flags.exists(model, model == 'x') && model.id == ''", &["flags", "model.id"]);
    check("type(ctx.a) == list && ctx[provider.id].b == 1", &["ctx", "ctx.a", "provider.id"]);
    check(".model.id.matches('x')", &["model.id"]);
    check("1 == 1", &[]);
    check("no condition (", &[]);
}

fn flaw(text: &str) -> String {
    let file = SourceFile::new("a.toml", format!("when = {text}"));
    let source = SourceText {
        text: text.into(),
        origin: Origin::file(&file, 7..7 + text.len()),
        exact: true,
    };
    let condition = Condition::new(Arc::new(source));
    let diagnostics = condition.check();
    let [diagnostic] = &diagnostics[..] else { panic!("{text}: {diagnostics:?}") };
    assert!(diagnostic.help.is_some());
    assert_eq!(condition.decide(&names()), Decision::Failed(diagnostic.message.clone()));
    let Origin::File { span, .. } = &diagnostic.origin else { panic!("no file") };
    format!(
        "{} at `{}`: {}",
        diagnostic.code.as_str(),
        &file.text()[span.clone()],
        diagnostic.message
    )
}

#[test]
fn mistakes_are_pointed_at() {
    let not_cel = |at: &str, reason: &str| {
        format!("condition-syntax at `{at}`: the condition is not CEL: {reason}")
    };
    for (text, expected) in [
        ("", not_cel("", "it ends too early")),
        ("a &&", not_cel("", "it ends too early")),
        ("(a", not_cel("", "missing `)` at `<EOF>`")),
        ("'é' == a = b", not_cel("=", "unexpected `=`")),
        ("a and b", not_cel("and", "unexpected `and`")),
        ("a &&\n 'é' b", not_cel("b", "unexpected `b`")),
        ("a §", not_cel("§", "unexpected `§`")),
        ("ctx.?a", not_cel(".", "unsupported syntax `.?`")),
        ("has(a)", not_cel("a", "invalid argument to has() macro")),
        ("for", not_cel("for", "reserved identifier: for")),
        ("1 == 99999999999999999999", not_cel("99999999999999999999", "invalid int literal")),
    ] {
        assert_eq!(flaw(text), expected, "{text}");
    }
    for (text, expected) in [
        ("a == 'b", "condition-syntax at `'b`: the condition has a string that does not end"),
        ("a == 'b\n'", "condition-syntax at `'b`: the condition has a string that does not end"),
        (r"a.matches('\d')", r"condition-syntax at `\`: the condition has an unknown escape"),
        (r"a == '\u12'", r"condition-syntax at `\`: the condition has an unknown escape"),
        ("ctx.`a`", "condition-syntax at ```: the condition has names in backticks"),
        ("'é' == a.lower()", "condition-name at `lower`: there is no method `lower`"),
        ("len ( a ) == 1", "condition-name at `len`: there is no function `len`"),
        ("Foo{a: 1} == 1", "condition-name at `Foo`: there is no type `Foo`"),
        ("exists(a, b)", "condition-syntax at `exists`: `exists` is not called like that"),
        ("a.exists(b)", "condition-syntax at `exists`: `exists` is not called like that"),
        ("a.matches(b)", "pattern-syntax at `b`: the pattern of `matches` is not written out"),
        ("a.matches()", "condition-syntax at `matches`: `matches` takes a text and a pattern"),
        (
            "a.matches('é(')",
            "pattern-syntax at `'é('`: the regular expression is not valid, unclosed group",
        ),
        (
            "a.matches('\\\\w{999}')",
            "pattern-syntax at `'\\\\w{999}'`: the regular expression is too large",
        ),
        (
            "a.map(x, x) == b.filter(x, x)",
            "condition-limit at `filter`: the condition has more than one comprehension",
        ),
    ] {
        assert_eq!(flaw(text), expected, "{text}");
    }
}

#[test]
fn limits_are_counted_in_text() {
    let flaw_of = |text: String| flaw(&text);
    assert!(flaw_of(format!("a == '{}'", "x".repeat(1024))).contains("longer than 1024"));
    for (open, inside, close) in
        [("(", "1", ")"), ("[", "1", "]"), ("{1:", "1", "}"), ("f(", "1", ")"), ("a?a:", "a", "")]
    {
        let nested = |n: usize| format!("{}{inside}{}", open.repeat(n), close.repeat(n));
        assert!(!message_of(&nested(6)).contains("nested"), "{}", nested(6));
        assert!(flaw_of(nested(7)).contains("nested deeper than 6"), "{}", nested(7));
    }
    assert!(flaw_of(format!("a{} == 1", "+1".repeat(40))).contains("more than 24 operations"));
    let many = vec!["model.id == 'x'"; 50].join(" || ");
    assert_eq!(decide(&many), Decision::Holds(false));
    let many = vec!["has(ctx.a)"; 70].join(" && ");
    assert_eq!(decide(&many), Decision::Holds(false));
}

fn message_of(text: &str) -> String {
    let condition = condition(text);
    condition.check().first().map(|it| it.message.clone()).unwrap_or_default()
}

const TOKENS: [&str; 72] = [
    "a",
    "ctx",
    "ctx.a",
    "model.id",
    "flags",
    "tools",
    "roots",
    "x",
    "x.name",
    "_",
    "1",
    "0",
    "7u",
    "0x1F",
    "1.5",
    "1e3",
    ".5",
    "'s'",
    "\"q\"",
    "r'\\d'",
    "b'b'",
    "'''t'''",
    "''",
    "'\\n'",
    "'\\",
    "'",
    "\"",
    "`",
    "true",
    "false",
    "null",
    " in ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    ":",
    "?",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "has(ctx.a)",
    ".size()",
    ".exists(x, ",
    ".map(x, ",
    ".all(x, ",
    ".filter(x, ",
    ".matches('a+')",
    "size(",
    "int(",
    "string(",
    "type(",
    "dyn(",
    " ",
    "\n",
    "//",
    "é",
];

/// Whether a text brings the crate down, which nothing should.
fn panics(condition: &Condition) -> bool {
    let decision = condition.decide(&names());
    matches!(decision, Decision::Failed(reason) if reason.contains("panicked"))
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}|[-a-z0-9'\"(){}\\[\\].,:?!=<>&|+*/% \\\\]{0,80}") {
        prop_assert!(!panics(&condition(text)));
    }

    #[test]
    fn any_tokens_are_survived(
        tokens in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..40),
        text in arb_text(),
    ) {
        prop_assert!(!panics(&condition(tokens.concat())));
        prop_assert!(!panics(&condition(text)));
    }

    #[test]
    fn comprehensions_are_counted_outside_of_strings(
        parts in prop::collection::vec(prop::sample::select(&[
            ("flags.exists(f, f == 'x')", 1),
            ("flags . all // (\n ( f, true)", 1),
            ("size(flags.map(f, f)) == 2", 1),
            ("'.exists(' == ''", 0),
            (r"r'\' != '.map('", 0),
            (r#"".all(" == '\'.all('"#, 0),
            ("has(ctx.exists)", 0),
            ("'''a'.map(x'''.size() == 3 // .map(x\n", 0),
            ("b'.map(' != b''", 0),
            ("1e5 == 1 || r'.map(\\' == ''", 0),
        ][..]), 1..6),
    ) {
        let count: usize = parts.iter().map(|(_, count)| count).sum();
        let text = parts.iter().map(|(part, _)| *part).collect::<Vec<_>>().join(" || ");
        let limited = message_of(&text).contains("more than one comprehension");
        prop_assert_eq!(limited, count > 1, "{}", text);
    }

    #[test]
    fn nesting_is_counted_as_a_stack(brackets in prop::collection::vec(0..5usize, 0..30)) {
        let (mut text, mut open, mut deepest) = (String::new(), Vec::new(), 0);
        for choice in brackets {
            if let Some((opening, closing)) = [("[", "1]"), ("{1:", "1}")].get(choice) {
                text.push_str(opening);
                open.push(closing);
                deepest = deepest.max(open.len());
            } else if let Some(closing) = open.pop() {
                text.push_str(closing);
                text.push_str(",'(', ");
            }
        }
        prop_assert_eq!(message_of(&text).contains("nested deeper"), deepest > 6, "{}", text);
    }

    #[test]
    fn json_equals_its_literal(value in arb_json()) {
        let Some(literal) = literal(&value) else { return Ok(()) };
        let ctx = json!({ "a": value.clone(), "b": value, "list": [[], {}] });
        let names = Object(json!({ "ctx": ctx }));
        let text = format!("ctx.a == {literal} && {literal} == ctx.a && ctx.a in [{literal}]");
        prop_assume!(text.len() < 1024);
        let decision = condition(&*text).decide(&names);
        prop_assert_eq!(decision, Decision::Holds(true), "{}", text);
        let same = "ctx.a == ctx.b && !(ctx.a != ctx.b) && ctx != ctx.a && ctx.a in [ctx.b]";
        let decision = condition(same).decide(&names);
        prop_assert_eq!(decision, Decision::Holds(true));
    }
}

fn arb_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        "[a-z ]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let map = prop::collection::btree_map("[a-z]{1,3}", inner.clone(), 0..3);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
            map.prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A JSON value as CEL writes it; none where CEL has no literal.
fn literal(value: &Value) -> Option<String> {
    Some(match value {
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(literal).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Number(number) if *number == i64::MIN.into() => return None,
        other => other.to_string(),
    })
}

/// Texts that are mostly CEL.
fn arb_text() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(&TOKENS[..32]).prop_map(str::to_owned);
    let expression = leaf.prop_recursive(6, 60, 3, |inner| {
        let binary = prop::sample::select(&TOKENS[44..56]);
        prop_oneof![
            (inner.clone(), binary, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} in [{b}, 's']")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("-{a}")),
            inner.clone().prop_map(|a| format!("{{'k': {a}}}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}[{b}]")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("flags.exists(x, {a} == {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}].map(x, x)")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("{a} ? {b} : {c}")),
            (inner, prop::sample::select(&TOKENS[56..]))
                .prop_map(|(a, call)| format!("{call}{a})")),
        ]
    });
    (expression, any::<prop::sample::Index>(), prop::option::weighted(0.3, 0..TOKENS.len()))
        .prop_map(|(mut text, at, token)| {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            if let (Some(token), false) = (token, places.is_empty()) {
                text.insert_str(places[at.index(places.len())], TOKENS[token]);
            }
            text
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_panics(text in prop_oneof![
        3 => arb_text(),
        1 => prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..200).prop_map(|tokens| tokens.concat()),
    ]) {
        prop_assert!(!panics(&condition(text)));
    }
}

/// Texts at the limits, filled up with chains of operators, on the stack that threads have by default, less
/// a quarter for whoever calls.
#[test]
fn the_stack_suffices_at_the_limits() {
    let stack: usize = 1536 * 1024;
    let run = || {
        let openings =
            [("(", ")"), ("[", "]"), ("{1:", "}"), ("int(", ")"), ("true?1:", ""), ("!(1==", ")")];
        let chains = ["+1", " == 1", "&&true", ".a", "[0]", ".size()", " in a"];
        for (open, close) in openings {
            for chain in chains {
                for (levels, length) in [(6, 1000), (6, 16), (0, 1000), (0, 22)] {
                    let (open, close) = (open.repeat(levels), close.repeat(levels));
                    let room = (1020 - open.len() - close.len()) / chain.len();
                    let text = format!("{open}a{}{close}", chain.repeat(room.min(length)));
                    assert!(!panics(&condition(text)));
                }
            }
        }
    };
    std::thread::Builder::new().stack_size(stack).spawn(run).unwrap().join().unwrap();
}
