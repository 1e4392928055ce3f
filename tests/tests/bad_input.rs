//! Bad packs and bad contexts: a clear diagnostic, the rest works, nothing panics.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use promptweave::{
    Ask, Code, Context, Diagnostic, Dialect, Engine, MemorySource, TidyMode, tidy_text,
};
use promptweave_tests::{pack, whole};
use serde_json::json;

const ROLE: &[(&str, &str)] =
    &[("generic.toml", "order = [\"role\", \"other\"]\n"), ("components/role.md", "You are here.")];

/// The codes of loading, checking and building, without repetition, when `files` join a sound pack;
/// the sound part must be in the prompt.
fn codes_with(files: &[(&str, &str)], context: serde_json::Value) -> Vec<Code> {
    let all: Vec<(&str, &str)> = ROLE.iter().chain(files).copied().collect();
    let engine = pack::engine(&all);
    let prompt = engine.prompt(&pack::context(context)).expect("a prompt");
    assert!(prompt.text().contains("You are here."), "{:?}", prompt.text());
    whole::check(&prompt);
    let checked = engine.check();
    let told = engine.diagnostics().iter().chain(&checked).chain(prompt.diagnostics());
    let told: Vec<&Diagnostic> = told.inspect(|told| check_wording(told)).collect();
    let mut codes: Vec<Code> = told.iter().map(|told| told.code).collect();
    codes.sort();
    codes.dedup();
    codes.retain(|code| *code != Code::ComponentUnknown);
    codes
}

/// A message begins in lower case, has no full stop, and never holds much of a file.
fn check_wording(told: &Diagnostic) {
    let message = &told.message;
    assert!(!message.ends_with('.') && !message.is_empty(), "{told}");
    assert!(!message.starts_with(char::is_uppercase), "{told}");
    assert!(message.len() < 2000, "{} bytes of message", message.len());
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[Code]) {
    assert_eq!(codes_with(files, json!({})), expected, "{files:?}");
}

#[test]
fn broken_toml_and_unknown_keys() {
    check(&[("components/other.toml", "text = \"no end")], &[Code::TomlSyntax]);
    check(&[("components/other.toml", "[[[")], &[Code::TomlSyntax]);
    check(&[("components/other.toml", "text = \"a\"\ntext = \"b\"\n")], &[Code::TomlSyntax]);
    check(
        &[("components/other.toml", "txt = \"a\"\n")],
        &[Code::UnknownKey, Code::ConflictingKeys],
    );
    check(&[("components/other.toml", "text = 7\n")], &[Code::WrongType]);
    check(&[("other.toml", "ordr = []\n")], &[Code::UnknownKey]);
    check(&[("tools/other.toml", "[[parameter]]\nname = 7\n")], &[Code::WrongType]);
    check(&[("components/other.md", "+++\nwhen = \n+++\ntext")], &[Code::TomlSyntax]);
    let deep = format!("text = {}{}", "[".repeat(50_000), "]".repeat(50_000));
    check(&[("components/other.toml", &deep)], &[Code::TomlSyntax]);
}

#[test]
fn names() {
    check(&[("components/1other.md", "x")], &[Code::InvalidId]);
    check(&[("components/else_other.md", "x")], &[Code::InvalidId]);
    check(&[("components/if.md", "x")], &[Code::InvalidId]);
    check(&[("Other.toml", "")], &[Code::InvalidId]);
    check(&[("other@x.toml", "")], &[Code::InvalidId]);
    check(&[("other@2.toml", "version = 3\n")], &[Code::VersionMismatch]);
    check(
        &[("components/other.md", "x"), ("components/other.toml", "text = \"y\"\n")],
        &[Code::DuplicateId],
    );
    check(&[("notes.txt", "x")], &[Code::FileUnexpected]);
    check(&[("deep/er/still.md", "x")], &[Code::FileUnexpected]);
}

#[test]
fn cycles() {
    check(
        &[("a.toml", "extends = \"b\"\n"), ("b.toml", "extends = \"a\"\n")],
        &[Code::ExtendsCycle],
    );
    check(&[("a.toml", "extends = \"nobody\"\n")], &[Code::ExtendsUnknown]);
    let partials = [
        ("components/other.md", "{{> one}}"),
        ("partials/one.hbs", "{{> two}}"),
        ("partials/two.hbs", "{{> one}}"),
    ];
    let codes = codes_with(&partials, json!({}));
    assert!(codes.contains(&Code::PartialCycle), "{codes:?}");
}

#[test]
fn long_chains() {
    let chain: Vec<(String, String)> = (0..2000)
        .map(|at| (format!("v{at}.toml"), format!("extends = \"v{}\"\n", at + 1)))
        .chain([("v2000.toml".into(), "extends = \"generic\"\n".into())])
        .collect();
    let files: Vec<(&str, &str)> =
        chain.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    codes_with(&files, json!({}));
    let partials: Vec<(String, String)> = (0..2000)
        .map(|at| (format!("partials/p{at}.hbs"), format!("{{{{> p{}}}}}", at + 1)))
        .collect();
    let mut files: Vec<(&str, &str)> =
        partials.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("components/other.md", "{{> p0}}"));
    codes_with(&files, json!({}));
}

/// What `{{base}}` prints is printed by recursion, on the stack of a host's thread.
#[test]
fn overrides_upon_overrides() {
    let body = "[override.role]\ntemplate = \"{{base}}.\"\n";
    let chain: Vec<(String, String)> = (1..2000)
        .map(|at| (format!("v{at}.toml"), format!("extends = \"v{}\"\n{body}", at - 1)))
        .chain([("v0.toml".into(), "extends = \"generic\"\n".into())])
        .collect();
    let files = chain.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let files: Vec<(&str, &str)> = files.chain(ROLE.iter().copied()).collect();
    let engine = pack::engine(&files);
    let ask = |id: &str| Ask { variant: Some(id.into()), ..Ask::default() };
    for id in ["v200", "v1999"] {
        let prompt = engine.prompt_for(&Context::default(), &ask(id)).unwrap();
        assert!(prompt.text().starts_with("You are here......"), "{id}");
    }
    let told = |told: &&Diagnostic| told.code == Code::InvalidValue;
    let told: Vec<String> =
        engine.diagnostics().iter().filter(told).map(ToString::to_string).collect();
    assert_eq!(
        told[0],
        "error[invalid-value] test/v257.toml:2:11: `role` is overridden more than 256 times, one on \
         the other"
    );
}

/// Each variant of a chain holds a copy of all that those before it say.
#[test]
fn variants_that_inherit_without_end() {
    let placeholders = |at: usize| (0..200).map(move |one| format!("P{at}_{one} = \"x\"\n"));
    let chain: Vec<(String, String)> = (0..1000)
        .map(|at| {
            let base = if at == 0 { "generic".into() } else { format!("v{:04}", at - 1) };
            let own: String = placeholders(at).collect();
            (format!("v{at:04}.toml"), format!("extends = \"{base}\"\n[placeholders]\n{own}"))
        })
        .collect();
    let files: Vec<(&str, &str)> =
        chain.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let codes = codes_with(&files, json!({}));
    assert_eq!(codes, [Code::InvalidValue, Code::ExtendsUnknown]);
}

/// Names are as free as their authors; one that acts on a terminal could forge or hide a line.
#[test]
fn names_that_would_act_on_a_terminal() {
    let key = "\"ev\\u001b[31mil\\nerror[forged]\\u202e\" = 1\n";
    let engine = pack::engine(&[("generic.toml", key), ("a\u{1b}]0;b\u{7}\nc.txt", "")]);
    let ask = Ask { variant: Some("\u{1b}[2J".into()), ..Ask::default() };
    let error = engine.prompt_for(&Context::default(), &ask).unwrap_err();
    let told = engine.diagnostics().iter().map(ToString::to_string);
    let told: Vec<String> = told.chain([error.to_string()]).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().all(|told| !told.contains(['\u{1b}', '\n', '\u{202e}'])), "{told:?}");
    assert!(told[1].contains("`ev\\u{1b}[31mil\\nerror[forged]\\u{202e}`"), "{told:?}");
}

/// Servers name their tools as they like.
#[test]
fn a_tool_whose_name_is_a_book() {
    let tool = json!({ "name": "n".repeat(1 << 20), "input_schema": "none" });
    let context = json!({ "tools": [tool, { "name": "é".repeat(1 << 20) }] });
    codes_with(&[("components/other.md", "{{tool_docs}}")], context.clone());
    let engine = pack::engine(&[("generic.toml", "order = []\n")]);
    for dialect in [Dialect::Anthropic, Dialect::Gemini, Dialect::OpenAiChat] {
        let declared =
            engine.declare_tools(&pack::context(context.clone()), &Ask::default(), dialect);
        let told = declared.unwrap().diagnostics;
        assert!(!told.is_empty());
        told.iter().for_each(check_wording);
    }
}

/// The name that was likely meant is looked for among all there are.
#[test]
fn many_names_that_are_nearly_right() {
    let components: Vec<String> =
        (0..1500).map(|at| format!("components/a_component_of_a_long_name_{at}.md")).collect();
    let orders: Vec<(String, String)> = (0..4)
        .map(|variant| {
            let ids: Vec<String> =
                (0..1000).map(|at| format!("a_compnent_of_a_lng_nme_{variant}_{at}")).collect();
            (format!("v{variant}.toml"), format!("order = {ids:?}\n"))
        })
        .collect();
    let orders = orders.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let files: Vec<(&str, &str)> =
        components.iter().map(|path| (path.as_str(), "x")).chain(orders).collect();
    assert_eq!(codes_with(&files, json!({})), []);
}

/// Each insert looks through the template and stands behind those before it.
#[test]
fn inserts_behind_inserts() {
    let one = |at: usize| format!("{{ component = \"c{at}\", after = \"role\" }}");
    let patches = (0..200).map(|patch| {
        let ten: Vec<String> = (0..10).map(|at| one(patch * 10 + at)).collect();
        format!("[[patch]]\nvariants = [\"*\"]\ninsert = [{}]\n", ten.join(", "))
    });
    let patches: String = patches.collect();
    let below = [("generic.toml", "order = [\"role\"]\n"), ("generic.hbs", "{{role}}"), ROLE[1]];
    let builder = Engine::builder().pack(pack::memory(&below));
    let engine = builder.pack(pack::memory(&[("patch.toml", &patches)])).build().unwrap();
    let variant = engine.registry().current("generic").unwrap();
    assert_eq!(variant.order.len(), 1 + 256);
    let told = engine.diagnostics().iter().find(|told| told.code == Code::InvalidValue).unwrap();
    assert_eq!(told.message, "more than 256 components are inserted by this file");
    let own = vec!["{ component = \"role\", last = true }"; 300].join(", ");
    let own = format!("extends = \"generic\"\n[patch]\ninsert = [{own}]\n");
    check(&[("other.toml", &own)], &[Code::InvalidValue]);
}

#[test]
fn a_separator_that_is_a_text() {
    let long = "=".repeat(5000);
    check(&[("other.toml", &format!("separator = \"{long}\"\n"))], &[Code::InvalidValue]);
    let cases = format!("select = \"all\"\nseparator = \"{long}\"\n[[case]]\ntext = \"x\"\n");
    check(&[("components/other.toml", &cases)], &[Code::InvalidValue]);
}

#[test]
fn nul_and_size() {
    check(&[("components/other.md", "a\0b")], &[Code::FileNotUtf8]);
    let large = "x".repeat(5 << 20);
    check(&[("components/other.md", &large)], &[Code::FileTooLarge]);
}

#[test]
fn unreadable_files() {
    let folder = tempfile::tempdir().unwrap();
    pack::write_files(folder.path(), &[("pack.toml", pack::PACK)]);
    pack::write_files(folder.path(), ROLE);
    std::fs::write(folder.path().join("components/other.md"), b"caf\xe9").unwrap();
    std::fs::create_dir(folder.path().join("components/folder.md")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join("components/gone.md"))
        .unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("components/endless.md")).unwrap();
    let engine = Engine::builder().pack_dir(folder.path()).build().unwrap();
    let codes: Vec<Code> = engine.diagnostics().iter().map(|told| told.code).collect();
    assert!(codes.contains(&Code::FileNotUtf8), "{codes:?}");
    let unreadable = codes.iter().filter(|code| **code == Code::FileUnreadable).count();
    assert_eq!(unreadable, if cfg!(unix) { 2 } else { 0 }, "{codes:?}");
    assert_eq!(engine.prompt(&Context::default()).unwrap().text(), "You are here.");
    let nowhere = Engine::builder().pack_dir(folder.path().join("nowhere")).build().unwrap();
    assert_eq!(nowhere.diagnostics()[0].code, Code::PackMissing);
    assert_eq!(nowhere.prompt(&Context::default()).unwrap_err().code(), "no-variant");
}

/// What does not fit is the end of the list, whatever the disk's order; `pack.toml` always fits.
#[test]
fn a_folder_of_5000_files() {
    let folder = tempfile::tempdir().unwrap();
    pack::write_files(
        folder.path(),
        &[("pack.toml", pack::PACK), ("generic.toml", "order = [\"c0000\"]\n")],
    );
    let files: Vec<(String, &str)> =
        (0..5000).map(|at| (format!("components/c{at:04}.md"), "You are here.")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    pack::write_files(folder.path(), &files);
    let engine = Engine::builder().pack_dir(folder.path()).build().unwrap();
    let told: Vec<String> = engine.diagnostics().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("components/c4094.md:1:1: "), "{told:?}");
    assert!(
        told[0].ends_with("this one and those behind it, 906 in all, are left out"),
        "{told:?}"
    );
    assert_eq!(engine.prompt(&Context::default()).unwrap().text(), "You are here.");
}

/// A pack in the root of something large says so, but not once for each file.
#[test]
fn a_folder_of_things_that_are_no_part_of_a_pack() {
    let folder = tempfile::tempdir().unwrap();
    pack::write_files(folder.path(), &[("pack.toml", pack::PACK)]);
    pack::write_files(folder.path(), ROLE);
    let files: Vec<String> = (0..400).map(|at| format!("docs/d{at:03}.txt")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (&**path, "")).collect();
    pack::write_files(folder.path(), &files);
    let engine = Engine::builder().pack_dir(folder.path()).build().unwrap();
    let unexpected = |told: &&Diagnostic| told.code == Code::FileUnexpected;
    let told: Vec<&Diagnostic> = engine.diagnostics().iter().filter(unexpected).collect();
    assert_eq!(told.len(), 51);
    assert_eq!(told[50].message, "and 350 more files that are no part of a pack");
}

#[test]
fn packs_that_are_none() {
    for (files, code) in [
        (vec![("generic.toml", "")], Code::PackMissing),
        (
            vec![("pack.toml", "format = 2\nname = \"a\"\nversion = \"1\"\n")],
            Code::FormatUnsupported,
        ),
        (vec![("pack.toml", "format = \"one\"\n")], Code::WrongType),
        (vec![("pack.toml", "format = 1\nname = \"No Name\"\nversion = \"1\"\n")], Code::InvalidId),
    ] {
        let engine =
            Engine::builder().pack(MemorySource::new("odd", files.clone())).build().unwrap();
        let codes: Vec<Code> = engine.diagnostics().iter().map(|told| told.code).collect();
        assert!(codes.contains(&code), "{files:?}: {codes:?}");
        let strict = Engine::builder().pack(MemorySource::new("odd", files)).strict(true).build();
        assert_eq!(strict.unwrap_err().code(), engine.diagnostics()[0].code.as_str());
    }
}

#[test]
fn conditions() {
    let with = |when: &str| format!("when = '''{when}'''\ntext = \"other\"\n");
    for (when, code) in [
        ("flags.size( > 0", Code::ConditionSyntax),
        ("nobody > 0", Code::ConditionName),
        (&"true || ".repeat(200), Code::ConditionLimit),
        ("flags.all(a, flags.all(b, flags.all(c, a == b)))", Code::ConditionLimit),
        (&format!("{}true{}", "(".repeat(300), ")".repeat(300)), Code::ConditionLimit),
        ("'a'.matches('(')", Code::PatternSyntax),
    ] {
        let codes = codes_with(&[("components/other.toml", &with(when))], json!({}));
        let close = [code, Code::ConditionSyntax, Code::ConditionLimit];
        assert!(
            codes.iter().any(|told| close.contains(told)),
            "{when:.40}: {codes:?}, not {code:?}"
        );
    }
    codes_with(&[("components/other.toml", &with(&format!("{}true", "!".repeat(900))))], json!({}));
    let dividing = with("1 / flags.size() > 0");
    assert_eq!(
        codes_with(&[("components/other.toml", &dividing)], json!({})),
        [Code::ConditionFailed]
    );
    let typed = with("model.id > 7");
    let codes = codes_with(&[("components/other.toml", &typed)], json!({ "model": { "id": "m" } }));
    assert_eq!(codes, [Code::ConditionFailed]);
}

/// One comprehension over a long list is linear; a regular expression runs in linear time.
#[test]
fn conditions_that_would_run_long() {
    let many = vec!["a".repeat(100); 20_000];
    for when in [
        "flags.all(f, f.size() == 100)",
        "!flags.exists(f, f.matches('^(a+)+$b'))",
        "flags.exists(f, f.contains('b')) || true",
    ] {
        let component = format!("when = \"{when}\"\ntext = \"other\"\n");
        codes_with(&[("components/other.toml", &component)], json!({ "flags": many }));
    }
}

/// A comprehension runs once over a list, but each round may look at all of it again.
#[test]
fn conditions_that_look_at_everything_in_every_round() {
    let context = json!({ "flags": vec!["f"; 20_000], "house": { "big": "b".repeat(4 << 20) } });
    for when in [
        "flags.all(f, !(f + 'x' in flags))",
        "flags.all(f, flags.size() > 0)",
        "flags.all(f, ctx.house.big == ctx.house.big)",
        "flags.all(f, !ctx.house.big.contains(f + 'x'))",
    ] {
        let component = format!("when = \"{when}\"\ntext = \"other\"\n");
        let codes = codes_with(&[("components/other.toml", &component)], context.clone());
        assert_eq!(codes, [Code::ConditionFailed], "{when}");
    }
}

/// A loop takes one step for each round, but a helper in it may look at all of the context again.
#[test]
fn helpers_that_look_at_everything_in_every_round() {
    let context = json!({ "flags": vec!["f"; 20_000] });
    for template in [
        "{{#each flags}}{{#if (contains @root.flags \"x\")}}{{/if}}{{/each}}",
        "{{#each flags}}{{#if (eq (json @root.flags) \"x\")}}{{/if}}{{/each}}",
        "{{#each flags}}{{#if (eq @root.flags @root.flags)}}{{/if}}{{/each}}",
        "{{#each flags}}{{#if (not (join @root.flags \"x\"))}}{{/if}}{{/each}}",
        "{{#each flags}}{{#if (has_tool @root.flags)}}{{/if}}{{/each}}",
    ] {
        let codes = codes_with(&[("components/other.md", template)], context.clone());
        assert_eq!(codes, [Code::ComponentFailed], "{template}");
    }
}

/// An id is matched without each of its vendors, and each form takes a search of its own.
#[test]
fn a_model_of_many_vendors() {
    let variant = "extends = \"generic\"\n[match]\nmodels = [\"/(a+)+$/\", \"*b*\"]\n";
    let context = json!({ "model": { "id": "a/".repeat(200_000) } });
    assert_eq!(codes_with(&[("other.toml", variant)], context), []);
}

#[test]
fn patterns() {
    for (pattern, expected) in [
        ("/(/", vec![Code::PatternSyntax]),
        ("/a{1000}{1000}/", vec![Code::PatternSyntax]),
        ("/(a+)+$/", vec![]),
        ("[", vec![Code::PatternSyntax]),
    ] {
        let variant = format!("extends = \"generic\"\n[match]\nmodels = [{pattern:?}]\n");
        let model = "a".repeat(100_000) + "b";
        let codes = codes_with(&[("other.toml", &variant)], json!({ "model": { "id": model } }));
        assert_eq!(codes, expected, "{pattern}");
    }
}

#[test]
fn templates() {
    for (template, code) in [
        ("{{#if cwd}}", Code::TemplateSyntax),
        ("{{/if}}", Code::TemplateSyntax),
        ("{{cwd", Code::TemplateSyntax),
        ("{{#if cwd}}{{/unless}}", Code::TemplateSyntax),
        ("{{#*inline \"x\"}}{{/inline}}", Code::TemplateRefused),
        ("{{#> p}}{{/p}}", Code::TemplateRefused),
        ("{{> nobody}}", Code::PartialUnknown),
        ("{{nobody}}", Code::PlaceholderUnknown),
        ("{{nobody cwd}}", Code::HelperUnknown),
        (&nested(10_000), Code::TemplateLimit),
        (&"{{#if cwd}}".repeat(100_000), Code::TemplateLimit),
        (
            &format!("{{{{#if {}cwd{}}}}}{{{{/if}}}}", "(not ".repeat(10_000), ")".repeat(10_000)),
            Code::TemplateLimit,
        ),
    ] {
        let codes = codes_with(&[("components/other.md", template)], json!({ "cwd": "/p" }));
        assert!(codes.contains(&code), "{template:.60}: {codes:?}");
    }
}

/// `sections.x` names a component as `{{section "x"}}` does.
#[test]
fn sections_of_components_that_do_not_exist() {
    for template in
        ["{{sections.nobody}}", "{{section \"nobody\"}}", "{{#if sections.nobody.x}}{{/if}}"]
    {
        let engine = pack::engine(&[ROLE[0], ROLE[1], ("components/other.md", template)]);
        let told: Vec<String> = engine.check().iter().map(|told| told.message.clone()).collect();
        assert_eq!(told, ["there is no component `nobody`"], "{template}");
    }
}

fn nested(levels: usize) -> String {
    format!("{}deep{}", "{{#if cwd}}".repeat(levels), "{{/if}}".repeat(levels))
}

#[test]
fn a_section_that_grows_beyond_its_limit() {
    let rules = "r".repeat(1 << 20);
    let files = [(
        "components/other.md",
        "{{#each flags}}{{@root.rules.global}}{{../rules.global}}{{/each}}",
    )];
    let context = json!({ "flags": vec!["f"; 40], "rules": { "global": rules } });
    let codes = codes_with(&files, context);
    let told = [Code::TemplateLimit, Code::SectionTooLarge, Code::ComponentFailed];
    assert!(codes.iter().any(|code| told.contains(code)), "{codes:?}");
}

/// Offsets have 32 bits; memory ends sooner.
#[test]
fn sections_that_are_too_large_together() {
    let ids: Vec<String> = (0..17).map(|at| format!("b{at:02}")).collect();
    let variant = format!("order = {ids:?}\ntidy = \"off\"\n");
    let paths: Vec<String> = ids.iter().map(|id| format!("components/{id}.toml")).collect();
    let mut files: Vec<(&str, &str)> =
        paths.iter().map(|path| (&**path, "value = \"rules.global\"\n")).collect();
    files.push(("generic.toml", &variant));
    let rules = "r".repeat((16 << 20) - 1);
    let prompt = pack::engine(&files)
        .prompt(&pack::context(json!({ "rules": { "global": rules } })))
        .unwrap();
    assert_eq!(prompt.sections().len(), 16);
    assert_eq!(prompt.text().len(), 16 * rules.len() + 15 * 2);
    let told: Vec<&Diagnostic> = prompt.diagnostics().iter().collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].code, Code::SectionTooLarge);
    assert!(
        told[0].message.contains("the sections together are larger than 256 MiB"),
        "{}",
        told[0]
    );
}

/// The tools that fit are there, and what does not is told.
#[test]
fn tools_that_are_too_large_together() {
    let tool = |name: &str| json!({ "name": name, "description": name.repeat(7 << 20) });
    let context = json!({ "tools": [tool("a"), tool("b"), tool("c")], "native_tools": false });
    let engine = pack::engine(&[
        ("generic.toml", "order = [\"all\"]\n"),
        ("components/all.md", "{{tool_docs}}"),
    ]);
    let prompt = engine.prompt(&pack::context(context)).unwrap();
    let there = ["## a\n", "## b\n", "## c\n"].map(|head| prompt.text().contains(head));
    assert_eq!(there, [true, true, false]);
    let told: Vec<&str> = prompt.diagnostics().iter().map(|told| &*told.message).collect();
    assert_eq!(told, ["tool `c` is left out: all texts of tools are too large"]);
}

#[test]
fn separators_without_end() {
    for text in
        ["=".repeat(100_000), "====\n".repeat(1000), "=\n".repeat(1000), "\n====".repeat(1000)]
    {
        for mode in ["structural", "classic", "off"] {
            let variant = format!("order = [\"role\", \"other\"]\ntidy = \"{mode}\"\n");
            let base = format!("{{{{role}}}}\n{text}\n{{{{other}}}}\n");
            let files = [
                ("generic.toml", variant.as_str()),
                ("generic.hbs", &base),
                ("components/role.md", &text),
            ];
            whole::check(&pack::engine(&files).prompt(&Context::default()).unwrap());
        }
        for mode in [TidyMode::Structural, TidyMode::Classic, TidyMode::Off] {
            assert!(tidy_text(mode, &*text).len() <= 2 * text.len());
        }
    }
}

#[test]
fn contexts() {
    for text in [
        "",
        " ",
        "[]",
        "7",
        "null",
        "\"x\"",
        "{",
        "{\"a\":}",
        "{} {}",
        "\0",
        "{\"a\": \"\\ud800\"}",
    ] {
        let error = Context::from_json(text).expect_err(text);
        assert!(!error.to_string().is_empty());
    }
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    assert!(Context::from_json(&deep).is_err());
    let codes = codes_with(
        &[("components/other.md", "{{cwd}}")],
        json!({ "cwd": ["not", "a", "text"], "tools": { "no": "list" }, "mcp": 7, "placeholders": [] }),
    );
    assert_eq!(codes, [Code::ContextType, Code::ValueMissing]);
    let odd = json!({
        "tools": [7, null, {}, { "name": "" }, { "name": 7 }, "a b", { "name": "x".repeat(500) }],
        "mcp": { "servers": [7, null, {}, { "name": 7, "status": "connected", "tools": [null, 7, {}] }] },
        "skills": [7], "roots": [[]], "rules": { "files": [{}, 7] }, "flags": [null, {}],
    });
    codes_with(&[("components/other.md", "{{tool_docs}} {{json flags}}")], odd);
}

#[test]
fn a_context_of_50_megabytes() {
    let rules = "A rule that is long. ".repeat((50 << 20) / 21);
    let files = [("components/other.toml", "value = \"rules.global\"\n")];
    codes_with(&files, json!({ "rules": { "global": rules } }));
    let many: serde_json::Map<_, _> =
        (0..500_000).map(|at| (format!("key{at}"), json!([at, "value"]))).collect();
    codes_with(&[("components/other.md", "{{ctx.house.key7}}")], json!({ "house": many }));
}
