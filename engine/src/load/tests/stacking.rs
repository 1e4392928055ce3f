//! Later wins by id; what it replaces stays within reach.

use super::*;
use crate::model::{PackName, Step};
use crate::trace::CacheClass;

#[test]
fn later_wins_and_keeps_what_it_shadows() {
    let low = pack(
        "low",
        "
== generic.toml
order = ['rules']
== components/rules.md
low rules
== tools/read.toml
== partials/intro.hbs
low
",
    );
    let high = pack(
        "high",
        "
== generic.toml
extends = 'generic'
separator = '+'
== components/rules.md
{{base}} and high
== tools/read.toml
== partials/intro.hbs
high
",
    );
    let registry = clean(&[low, high]);
    let rules = &registry.components["rules"];
    assert_eq!(text(&rules.body), "{{base}} and high");
    assert_eq!(text(&rules.base.as_ref().unwrap().body), "low rules");
    assert_eq!(registry.tools["read"].base.as_ref().unwrap().pack.as_str(), "low");
    assert_eq!(&*registry.partials["intro"].source().text, "high");
    let generic = registry.current("generic").unwrap();
    assert_eq!((order(generic), &*generic.separator), (vec!["rules"], "+"));
    assert_eq!((generic.pack.as_str(), generic.rank), ("high", 1));
    assert!(generic.bases.is_empty(), "its own id is no base");
    let shadowed: Vec<_> =
        registry.shadowed.iter().map(|one| (one.kind, &*one.id, one.pack.as_str())).collect();
    assert_eq!(
        shadowed,
        [
            ("variant", "generic", "low"),
            ("component", "rules", "low"),
            ("tool", "read", "low"),
            ("partial", "intro", "low"),
        ]
    );
    assert_eq!(registry.packs.len(), 2);
    assert_ne!(registry.packs[0].sha256, registry.packs[1].sha256);
}

#[test]
fn extends_looks_no_higher_than_its_own_pack() {
    let low = pack(
        "low",
        "
== base.toml
order = []
separator = 'low'
== claude.toml
extends = 'base'
",
    );
    let high = pack(
        "high",
        "
== base.toml
extends = 'claude'
separator = 'high'
== gpt.toml
extends = 'base'
",
    );
    let registry = clean(&[low, high]);
    assert_eq!(&*registry.current("claude").unwrap().separator, "low");
    assert_eq!(&*registry.current("gpt").unwrap().separator, "high");
    let bases = &registry.current("gpt").unwrap().bases;
    assert_eq!(bases.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["base", "claude"]);
}

#[test]
fn versions_stand_side_by_side() {
    let low = pack(
        "low",
        "
[labels.claude]
stable = 1
next = 3
== claude@1.toml
separator = '1'
== claude.toml
version = 2
separator = '2'
== claude@3.toml
version = 3
extends = 'claude@1'
== gpt@4.toml
version = 4
== gpt@7.toml
version = 7
extends = 'gpt@4'
",
    );
    let canary = pack(
        "high",
        "
[labels.claude]
stable = 2
== claude@4.toml
version = 4
extends = 'claude'
",
    );
    let registry = clean(&[low.clone(), canary]);
    let claude = &registry.variants["claude"];
    assert_eq!(claude.by_number.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(claude.current, 2, "a number in the name never becomes current by itself");
    assert_eq!(&*claude.by_number[&3].separator, "1");
    assert_eq!(&*claude.by_number[&4].separator, "2");
    assert_eq!((claude.labels["stable"], claude.labels["next"]), (2, 3));
    assert_eq!(registry.variants["gpt"].current, 7, "without a plain file the highest");
    assert!(registry.shadowed.is_empty());

    let own = pack("own", "== claude.toml\nseparator = 'own'\n");
    let registry = clean(&[low, own]);
    let claude = registry.current("claude").unwrap();
    assert_eq!((claude.version, &*claude.separator), (1, "own"));
    assert_eq!(registry.shadowed.len(), 1);
}

#[test]
fn patches_change_the_packs_below() {
    let low = pack(
        "low",
        "
== generic.toml
tags = ['plain']
order = ['role']
== claude.toml
extends = 'generic'
tags = ['frontier']
== components/role.md
You are.
== components/house.md
House.
",
    );
    let middle = pack(
        "middle",
        "
== own.toml
extends = 'generic'
== alone.toml
order = ['role']
== patch.toml
[[patch]]
variants = ['gen*', 'tag:frontier']
insert = [{ component = 'house', after = 'role' }]
[patch.placeholders]
NAME = 'Patched'
[patch.override.role]
text = 'patched role'
[[patch]]
variants = ['claude']
remove = ['role']
",
    );
    let registry = clean(&[low, middle]);
    let variant = |id: &str| registry.current(id).unwrap();
    assert_eq!(order(variant("generic")), ["role", "house"]);
    assert_eq!(order(variant("claude")), ["house"]);
    assert_eq!(order(variant("own")), ["role", "house"], "it extends the patched one");
    assert_eq!(order(variant("alone")), ["role"], "the pack's own are not changed");
    assert_eq!(variant("generic").placeholders["NAME"].value, "Patched");
    assert_eq!(wording(variant("claude").overrides["role"].body.as_ref()), "patched role");
    assert_eq!(variant("generic").pack.as_str(), "low");
}

#[test]
fn declared_keys_narrow_known_ones() {
    let low = pack(
        "low",
        "
[context.'house.style']
type = 'string'
default = 'plain'
class = 'static'
[context.tools]
class = 'static'
[context.cwd]
required = true
",
    );
    let registry = clean(&[low]);
    assert_eq!(registry.class_of_path(&["ctx", "house", "style"]), CacheClass::Static);
    assert_eq!(registry.class_of_path(&["tools"]), CacheClass::Static);
    assert_eq!(registry.class_of_path(&["cwd"]), CacheClass::Session);
    assert!(registry.keys["cwd"].required);
}

#[test]
fn code_joins_as_a_layer() {
    let low = pack(
        "low",
        "
== generic.toml
order = ['rules', 'made']
== components/rules.md
low
",
    );
    let made = |id: &str| Component {
        id: ComponentId::new(id).unwrap(),
        pack: PackName::new("host").unwrap(),
        origin: crate::diagnostic::Origin::Engine,
        description: None,
        when: None,
        cache: None,
        reason: None,
        priority: 1,
        body: Body::From("host/made".into()),
        base: None,
    };
    let mut host = layer("host", "");
    host.kind = LayerKind::Extension;
    host.components = vec![made("made"), made("rules")];
    let registry = clean(&[low, host]);
    assert_eq!(text(&registry.components["rules"].base.as_ref().unwrap().body), "low");
    assert_eq!(text(&registry.components["made"].body), "host/made");
    assert_eq!(registry.packs.len(), 1, "an extension without files is no pack");
    let steps: Vec<&Step> = registry.current("generic").unwrap().order.iter().collect();
    assert_eq!(steps.len(), 2);
}

#[test]
fn packs_of_one_name_and_packs_without() {
    let one = pack("twin", "== a.toml\n");
    let two = pack("twin", "== b.toml\n");
    let registry = clean(&[one, two]);
    assert_eq!((registry.packs.len(), registry.variants.len()), (2, 2));
    let (registry, told) = load(&[layer(".My Pack", "== pack.toml\n== a.toml\n")]);
    assert_eq!(told.len(), 1);
    assert_eq!(registry.packs[0].name.as_str(), "my-pack");
}

#[test]
fn a_pack_keeps_what_it_says_to_plugins() {
    let registry = clean(&[
        pack(
            "low",
            "[plugins.acme]\ndepth = 2\n[plugins.acme.paths]\nroots = ['a', { b = 1.5 }]\n",
        ),
        pack("high", "[plugins]\nacme.depth = 3\n'other.x-1'.since = 2026-01-02\nempty = {}\n"),
    ]);
    let said: Vec<String> = registry
        .packs
        .iter()
        .flat_map(|pack| &pack.plugins)
        .map(|(plugin, json)| format!("{} {json}", plugin.as_str()))
        .collect();
    let expected = [
        r#"acme {"depth":2,"paths":{"roots":["a",{"b":1.5}]}}"#,
        r#"acme {"depth":3}"#,
        "empty {}",
        r#"other.x-1 {"since":"2026-01-02"}"#,
    ];
    assert_eq!(said, expected);
}

#[test]
fn what_is_said_to_plugins_is_a_table_under_a_name() {
    let told = told(&[
        pack("one", "[plugins]\nacme = 'deep'\n[plugins.'Acme Corp']\ndepth = 2\n"),
        pack("two", "plugins = 1\n"),
    ]);
    let expected = [
        "error[wrong-type] one/pack.toml:3:8: `acme` holds a string, not a table",
        "error[invalid-id] one/pack.toml:4:10: `Acme Corp` is not a pack name",
        "error[wrong-type] two/pack.toml:2:11: `plugins` holds an integer, not a table",
    ];
    assert_eq!(told, expected);
}
