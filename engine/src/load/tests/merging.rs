//! `extends`, `[patch]`, `[override]`, the forms of components.

use super::*;

const BASE: &str = "
== generic.toml
family = 'plain'
description = 'the base'
tags = ['base']
order = ['role', 'rules']
separator = '---'
tools = ['read_file']
tool_calls = 'text'
minimal = 'You are.'
[match]
models = ['*']
[placeholders]
NAME = 'Weaver'
HOUSE = 'base'
[override.role]
text = 'base wording'
== generic.hbs
{{role}}

{{rules}}
== components/role.toml
text = 'You are an agent.'
== components/rules.md
Be kind.
== components/extra.md
More.
== components/more.md
Even more.
== tools/read_file.toml
== tools/write_file.toml
";

fn with(text: &str) -> Registry {
    clean(&[pack("demo", &format!("{BASE}{text}"))])
}

#[test]
fn tables_merge_and_lists_replace() {
    let registry = with(
        "
== claude.toml
version = 2
extends = 'generic'
order = ['rules', 'role']
[placeholders]
HOUSE = 'own'
",
    );
    let claude = registry.current("claude").unwrap();
    assert_eq!(order(claude), ["rules", "role"]);
    assert_eq!(claude.placeholders["NAME"].value, "Weaver");
    assert_eq!(claude.placeholders["HOUSE"].value, "own");
    assert_eq!(&*claude.separator, "---");
    assert_eq!(claude.tool_calls.as_str(), "text");
    assert_eq!(template(claude), "{{role}}\n\n{{rules}}");
    assert!(claude.minimal.is_some());
    assert_eq!(wording(claude.overrides["role"].body.as_ref()), "base wording");
    assert_eq!(claude.bases[0].as_str(), "generic");
    // Not inherited.
    assert_eq!((claude.version, &*claude.family), (2, "claude"));
    assert!(claude.matcher.is_none() && claude.tags.is_empty() && claude.description.is_none());
}

#[test]
fn an_own_template_replaces_the_bases() {
    let registry = with(
        "
== one.toml
extends = 'generic'
template = '{{rules}}'
== two.toml
extends = 'one'
== two.hbs
{{role}}
== three.toml
extends = 'two'
template_file = 'wordings/three.hbs'
== wordings/three.hbs
{{rules}} 3
",
    );
    for (id, expected) in [("one", "{{rules}}"), ("two", "{{role}}"), ("three", "{{rules}} 3")] {
        assert_eq!(template(registry.current(id).unwrap()), expected);
    }
    let bases = &registry.current("three").unwrap().bases;
    assert_eq!(bases.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["two", "one", "generic"]);
}

#[test]
fn inserts_stand_beside_their_anchor_in_order_and_template() {
    for (insert, expected_order, expected_template) in [
        ("after = 'role'", vec!["role", "extra", "rules"], "{{role}}\n\n{{extra}}\n\n{{rules}}"),
        ("before = 'role'", vec!["extra", "role", "rules"], "{{extra}}\n\n{{role}}\n\n{{rules}}"),
        ("first = true", vec!["extra", "role", "rules"], "{{extra}}\n\n{{role}}\n\n{{rules}}"),
        ("last = true", vec!["role", "rules", "extra"], "{{role}}\n\n{{rules}}\n\n{{extra}}"),
    ] {
        let registry = with(&format!(
            "== claude.toml\nextends = 'generic'\n[patch]\ninsert = [{{ component = 'extra', {insert} }}]\n"
        ));
        let claude = registry.current("claude").unwrap();
        assert_eq!(order(claude), expected_order, "{insert}");
        assert_eq!(template(claude), expected_template, "{insert}");
        assert_eq!(template(registry.current("generic").unwrap()), "{{role}}\n\n{{rules}}");
    }
}

#[test]
fn several_inserts_keep_the_order_of_the_file() {
    let registry = with(
        "
== claude.toml
extends = 'generic'
[patch]
insert = [{ component = 'extra', after = 'role' }, { component = 'more', after = 'role' }]
remove = ['rules']
== free.toml
extends = 'claude'
template = '{{more}} then {{role}}'
[patch]
insert = [{ component = 'extra', first = true }, { component = 'rules', last = true }]
",
    );
    let claude = registry.current("claude").unwrap();
    assert_eq!(order(claude), ["role", "extra", "more"]);
    assert_eq!(template(claude), "{{role}}\n\n{{extra}}\n\n{{more}}\n\n{{rules}}");
    let free = registry.current("free").unwrap();
    assert_eq!(order(free), ["role", "extra", "more", "rules"], "what is there stays where it is");
    assert_eq!(template(free), "{{more}}\n\n{{rules}} then {{extra}}\n\n{{role}}");
}

#[test]
fn tools_are_added_and_removed() {
    let registry = with(
        "
== all.toml
== fewer.toml
extends = 'all'
[patch]
tools = { remove = ['write_file'] }
== again.toml
extends = 'fewer'
[patch]
tools = { add = ['write_file'] }
== more.toml
extends = 'generic'
[patch]
tools = { add = ['write_file', 'read_file'] }
",
    );
    let tools = |id: &str| {
        let tools = registry.current(id).unwrap().tools.as_ref();
        tools.map(|tools| tools.iter().map(|id| id.as_str()).collect::<Vec<_>>())
    };
    assert_eq!(tools("all"), None);
    assert_eq!(tools("fewer"), Some(vec!["read_file"]));
    assert_eq!(tools("again"), None, "all again");
    assert_eq!(tools("more"), Some(vec!["read_file", "write_file"]));
}

#[test]
fn overrides_stand_on_each_other() {
    let registry = with(
        "
== claude.toml
extends = 'generic'
[override.role]
template = '{{base}} and more'
== off.toml
extends = 'claude'
[override.role]
enabled = false
== on.toml
extends = 'off'
[override.role]
enabled = true
",
    );
    let role = |id: &str| registry.current(id).unwrap().overrides["role"].clone();
    let claude = role("claude");
    assert_eq!(wording(claude.body.as_ref()), "{{base}} and more");
    assert_eq!(wording(claude.base.as_ref().unwrap().body.as_ref()), "base wording");
    let off = role("off");
    assert!(!off.enabled);
    assert_eq!(wording(off.body.as_ref()), "{{base}} and more", "the keys merge");
    assert!(off.base.is_some());
    assert!(role("on").enabled);
}

#[test]
fn texts_know_their_place() {
    let registry = with(
        "
== components/placed.toml
template = '''
first
second'''
== components/escaped.toml
template = \"a\\tb\"
== components/front.md
+++
priority = 3
+++
body
",
    );
    for (id, exact, line, column) in
        [("placed", true, 3, 1), ("escaped", false, 1, 12), ("front", true, 4, 1)]
    {
        let Body::Template(template) = &registry.components[id].body else { panic!() };
        let source = template.source();
        assert_eq!(source.exact, exact, "{id}");
        let at = if id == "placed" { 6..12 } else { 0..1 };
        assert_eq!(source.origin_of(at).position(), Some((line, column)), "{id}");
    }
}

#[test]
fn every_form_of_a_component() {
    let registry = with(
        "
== components/value.toml
value = 'user.system_prompt'
== components/item.toml
from = 'acme/workspace'
== components/cases.toml
select = 'all'
[[case]]
models = ['gpt']
tools = ['read_file']
variants = ['generic']
template = ''
[[case]]
text = 'else'
== components/volatile.toml
text = 'now'
cache = 'volatile'
reason = 'the time'
when = 'true'
== components/blank.md
",
    );
    assert!(
        matches!(&registry.components["value"].body, Body::Value(path) if &**path == "user.system_prompt")
    );
    assert!(
        matches!(&registry.components["item"].body, Body::From(item) if &**item == "acme/workspace")
    );
    let Body::Cases(cases) = &registry.components["cases"].body else { panic!() };
    assert_eq!(cases.cases.len(), 2);
    assert!(cases.cases[0].models.is_some() && cases.cases[1].models.is_none());
    assert_eq!(cases.cases[0].tools[0].as_str(), "read_file");
    let volatile = &registry.components["volatile"];
    assert_eq!(volatile.reason.as_deref(), Some("the time"));
    assert_eq!(text(&registry.components["blank"].body), "");
}

#[test]
fn a_mistake_in_a_guard_closes_it() {
    let text = "
== generic.toml
order = []
[match]
models = 'gpt'
== components/guarded.toml
text = 'secret'
when = 3
== components/cases.toml
[[case]]
modles = ['gpt']
text = 'never'
[[case]]
text = 'else'
";
    let (registry, told) = load(&[pack("demo", text)]);
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(registry.current("generic").unwrap().matcher.is_none(), "it would match everything");
    assert!(registry.components["guarded"].when.is_some());
    let Body::Cases(cases) = &registry.components["cases"].body else { panic!() };
    assert_eq!(cases.cases.len(), 1);
}

#[test]
fn a_tool_is_read_whole() {
    let registry = with(
        "
== tools/search.toml
description = 'Searches'
role = 'search'
when = \"'fs' in capabilities\"
[[parameter]]
name = 'pattern'
required = true
instruction = 'In {{CWD}}'
depends_on = ['read_file']
[parameter.schema]
enum = ['a', 'b']
default = 1
[variant.claude]
description = 'Looks'
[[variant.claude.parameter]]
name = 'query'
type = 'integer'
[variant.gpt]
",
    );
    let tool = &registry.tools["search"];
    assert_eq!(tool.role.as_deref(), Some("search"));
    let pattern = &tool.parameters[0];
    assert!(pattern.required && pattern.instruction.is_some());
    assert_eq!(pattern.schema["enum"], serde_json::json!(["a", "b"]));
    assert_eq!(&*pattern.depends_on[0], "read_file");
    let claude = &tool.wordings["claude"];
    assert_eq!(&*claude.parameters.as_ref().unwrap()[0].kind, "integer");
    assert!(tool.wordings["gpt"].parameters.is_none());
}
