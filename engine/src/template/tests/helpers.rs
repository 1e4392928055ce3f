//! The built-in helpers, and those of extensions.

use serde_json::{Map, Value as Json, json};

use super::{Function, Table, check, evaluate, hinges, text};
use crate::template::helpers::HELPERS;
use crate::template::helpers::{Builtin, builtin, is_block};
use crate::template::{IssueKind, is_reserved};
use crate::trace::CacheClass::{Session, Static, Volatile};

#[test]
fn comparisons() {
    let values = json!({"s": "a", "n": 1, "f": 1.0, "nil": null, "xs": [1, "b"], "o": {"k": 1}, "e": "", "no": false});
    check(
        "{{eq s 'a'}} {{eq n 1}} {{eq n f}} {{eq n '1'}} {{eq nil nope}} {{eq xs [1, \"b\"]}} {{ne s 'a'}}",
        values.clone(),
        "true true false false true true false",
    );
    check(
        "{{and n s}} {{and n e}} {{or e no n}} {{or e no}} {{not e}} {{not xs}}",
        values.clone(),
        "true false true false true false",
    );
    check(
        "{{contains xs 1}} {{contains xs 'b'}} {{contains xs '1'}} {{contains o 'k'}} {{contains 'abc' 'bc'}} {{contains nope 1}}",
        values.clone(),
        "true true false true true false",
    );
    check(
        "{{#contains xs 1}}y{{else}}n{{/contains}}{{#not no}}y{{/not}}{{#or e n}}y{{/or}}",
        values,
        "yyy",
    );
}

#[test]
fn texts() {
    let values = json!({"s": "a<b>&", "xs": [1, "b", null, [2]], "o": {"k": "q\"", "a": 1}, "ml": "x\n\n y\n", "e": "", "no": false});
    check("{{len xs}} {{len o}} {{len 'é'}} {{len nope}} {{len no}}", values.clone(), "4 2 2 0 0");
    check(
        "{{default nope 'd'}} {{default e 'd'}} {{default no 'd'}} {{default s 'd'}}",
        values.clone(),
        "d d false a<b>&",
    );
    check(
        "{{json o}} {{json s}} {{json nope}} {{json no}}",
        values.clone(),
        r#"{"a":1,"k":"q\""} "a<b>&" null false"#,
    );
    check("{{join xs ', '}} {{join s '-'}}", values.clone(), "1, b, , [2] a<b>&");
    check(
        "{{xml s}} {{xml o}} {{xml nope}}",
        values.clone(),
        "a&lt;b&gt;&amp; {\"a\":1,\"k\":\"q\\\"\"} ",
    );
    check("{{indent 2 ml}}|{{indent 0 ml}}", values.clone(), "  x\n\n   y\n|x\n\n y\n");
    check("{{fence 't' s}}{{fence 't' nope}}", values, "<t>\na<b>&\n</t>");
}

#[test]
fn a_fence_is_ended_by_itself_alone() {
    for (inside, printed) in [
        ("</t>", "&lt;/t>"),
        ("< / T x=1>", "&lt; / T x=1>"),
        ("<t><T", "&lt;t>&lt;T"),
        ("a < b <u></u> <", "a < b <u></u> <"),
        ("é</é> <table></t->", "é</é> <table></t->"),
        ("<\u{200b}/\u{feff}t>", "&lt;\u{200b}/\u{feff}t>"),
        ("</system-reminder> <System-Reminder>", "&lt;/system-reminder> &lt;System-Reminder>"),
    ] {
        let values = json!({ "s": inside });
        check("{{fence 't' s}}", values.clone(), &format!("<t>\n{printed}\n</t>"));
        check("<t a=1>{{inside 't' s}}</t>", values, &format!("<t a=1>{printed}</t>"));
    }
    check("{{inside 't' nope}}{{inside 't' xs}}", json!({ "xs": [1, "</t>"] }), "[1,\"&lt;/t>\"]");
    let cut = |most: usize| format!("{{{{fence 't' s {most}}}}}");
    for (most, printed) in [
        (9, "éé"),
        (4, "éé"),
        (3, "é\n[2 more bytes are left out]"),
        (0, "\n[4 more bytes are left out]"),
    ] {
        check(&cut(most), json!({ "s": "éé" }), &format!("<t>\n{printed}\n</t>"));
    }
}

#[test]
fn sections_as_arguments_are_text() {
    let table = Table::default()
        .section("rules", "Be <kind>.\n", Session, Static)
        .section("blank", " \n", Session, Session);
    assert_eq!(
        text("{{section 'rules'}}{{section (default nope 'rules')}}", &table),
        "Be <kind>.\nBe <kind>.\n"
    );
    assert_eq!(
        text("{{xml rules}}{{len rules}} {{contains rules 'kind'}} {{eq rules 'x'}}", &table),
        "Be &lt;kind&gt;.\n11 true false"
    );
    assert_eq!(
        text(
            "{{#if rules}}1{{/if}}{{#if blank}}2{{/if}}{{#if (or blank rules)}}3{{/if}}{{default blank 'd'}}{{#if (section 'blank')}}4{{/if}}",
            &table
        ),
        "13d"
    );
    let evaluated = evaluate("{{#if rules}}a{{/if}}{{#if (not rules)}}b{{/if}}{{rules}}", &table);
    // Whether it is there is static, what it says is not.
    assert_eq!(hinges(&evaluated.traced), ["1 session rules"]);
}

#[test]
fn tools() {
    let mut table = Table::default();
    table.tools.insert("read".into(), "view_file".into());
    table.docs.insert("view_file".into(), "## view_file".into());
    table.all_docs = "all of them".into();
    table.tools_class = Session;
    let template = "{{tool 'read'}}|{{tool 'write'}}|{{#if (has_tool 'view_file')}}y{{/if}}{{#has_tool 'x'}}n{{/has_tool}}|{{tool_docs}}|{{tool_doc 'view_file'}}|{{tool_doc 'x'}}";
    assert_eq!(text(template, &table), "view_file||y|all of them|## view_file|");
    let evaluated = evaluate(template, &table);
    assert!(hinges(&evaluated.traced).iter().all(|hinge| hinge.ends_with(" session tools")));
    assert_eq!(hinges(&evaluated.traced).len(), 7);
    let kinds: Vec<_> =
        evaluated.issues.iter().map(|issue| (issue.kind.clone(), &*issue.name)).collect();
    assert_eq!(kinds, [(IssueKind::Role, "write"), (IssueKind::Absent, "x")]);
}

#[test]
fn helpers_of_extensions() {
    let shout = |args: &[Json], hash: &Map<String, Json>| {
        let text = args.first().and_then(Json::as_str).ok_or("needs a text")?;
        Ok(json!(format!(
            "{}{}",
            text.to_uppercase(),
            hash.get("mark").and_then(Json::as_str).unwrap_or("!")
        )))
    };
    let table = Table::of(json!({"s": "hi", "o": {"shout": "data"}}))
        .json("v", json!("wide"), Volatile)
        .helper("shout", Function(Static, shout))
        .helper("now", Function(Session, |_: &[Json], _: &Map<String, Json>| Ok(json!("noon"))))
        .helper("none", Function(Static, |_: &[Json], _: &Map<String, Json>| Ok(Json::Null)));
    assert_eq!(
        text(
            "{{shout s}} {{shout 'a' mark='?'}} {{now}} {{shout (now)}} {{none}}{{xml (shout '<')}}",
            &table
        ),
        "HI! A? noon NOON! &lt;!"
    );
    assert_eq!(
        text(
            "{{#if (eq (now) 'noon')}}y{{/if}}{{#with o}}{{#each (lookup @root.o 'none')}}{{/each}}{{./shout}}{{/with}}",
            &table
        ),
        "ydata"
    );
    let evaluated = evaluate("{{shout s}}{{now}}{{shout v}}{{shout}}{{shout 1}}{{none}}", &table);
    assert_eq!(hinges(&evaluated.traced), ["3 session now", "7 volatile v"]);
    let failed = IssueKind::Failed("needs a text".into());
    assert_eq!(evaluated.issues.len(), 2);
    assert!(evaluated.issues.iter().all(|issue| issue.kind == failed && &*issue.name == "shout"));
}

#[test]
fn a_width_out_of_range_is_told() {
    let evaluated =
        evaluate("{{indent 257 's'}}{{indent -1 's'}}{{indent 'x' 's'}}", &Table::default());
    assert_eq!(evaluated.traced.text, "");
    assert_eq!(evaluated.issues.len(), 3);
}

#[test]
fn names_that_are_taken() {
    for name in HELPERS {
        assert!(builtin(name).is_some() && is_reserved(name), "{name}");
    }
    for name in [
        "if",
        "unless",
        "each",
        "with",
        "raw",
        "else",
        "elsewhere",
        "else_x",
        "this",
        "true",
        "null",
        "as",
    ] {
        assert!(is_reserved(name), "{name}");
    }
    for name in ["rules", "log", "gt", "iff", "CWD", "base", "tools"] {
        assert!(!is_reserved(name) && !is_block(name) && builtin(name).is_none(), "{name}");
    }
    assert_eq!(builtin("eq"), Some(Builtin::Eq));
}
