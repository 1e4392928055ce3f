use proptest::prelude::*;

use super::*;

fn parse(items: &[&str], kind: PatternKind) -> (Patterns, Vec<Diagnostic>) {
    let items: Vec<_> = items.iter().map(|item| ((*item).to_owned(), Origin::Engine)).collect();
    Patterns::parse(&items, kind)
}

/// The verdict of a list of model patterns, as people read it.
fn model(items: &[&str], id: &str) -> String {
    let (patterns, diagnostics) = parse(items, PatternKind::Model);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let verdict = patterns.matches(&Subject::model(id));
    format!("{} {}", if verdict.holds() { "yes:" } else { "no:" }, verdict.describe())
}

#[test]
fn model_lists() {
    let claude = ["claude", "!claude-2", "!/claude-3[.-]/"];
    for (items, id, expected) in [
        (&claude[..], "claude-sonnet-4", "yes: `claude`"),
        (&claude, "us.anthropic.Claude-Sonnet-4-v1:0", "yes: `claude`"),
        (&claude, "anthropic/claude-2.1", "no: refused by `!claude-2`"),
        (&claude, "CLAUDE-3.7", "no: refused by `!/claude-3[.-]/`"),
        (&claude, "gpt-5", "no: no item fits"),
        (&["!gpt"], "claude", "yes: refused by none"),
        (&["!gpt"], "", "yes: refused by none"),
        (&["!gpt"], "GPT-4", "no: refused by `!gpt`"),
        (&[], "claude", "no: no item fits"),
        (&["*"], "", "yes: `*`"),
        (&["?*"], "", "no: no item fits"),
        (&["?*"], "x", "yes: `?*`"),
        (&["GPT-5*"], "gpt-5-mini", "yes: `GPT-5*`"),
        (&["gpt-5*"], "openai/gpt-5", "yes: `gpt-5*`"),
        (&["gpt-5*"], "openrouter/openai/gpt-5", "yes: `gpt-5*`"),
        (&["openai/*"], "openrouter/openai/gpt-5", "yes: `openai/*`"),
        (&["gpt-5*"], "openai:gpt-5", "yes: `gpt-5*`"),
        (&["gpt-5*"], "azure:openai/gpt-5", "yes: `gpt-5*`"),
        (&["gpt-5*"], "my-gpt-5", "no: no item fits"),
        (&["30b"], "qwen3-coder:30b", "yes: `30b`"),
        (&["b*"], "vendor/a:b", "no: no item fits"),
        (&["/^o[134](-|$)/"], "openai/o3-mini", "yes: `/^o[134](-|$)/`"),
        (&["/^o[134](-|$)/"], "gpt-4o3", "no: no item fits"),
        (&["*[45]"], "claude-4", "yes: `*[45]`"),
        (&["*-[!0-3]"], "claude-3", "no: no item fits"),
        (&["z-ai/glm"], "Z-AI/glm-4.5", "yes: `z-ai/glm`"),
        (&["/models"], "my/models", "yes: `/models`"),
        (&["ÜBER"], "über-1", "yes: `ÜBER`"),
        (&["a"], "/", "no: no item fits"),
    ] {
        assert_eq!(model(items, id), expected, "{items:?} on {id}");
    }
}

#[test]
fn provider_lists() {
    let (patterns, _) = parse(&["Anthropic", "bed*", "!bedrock-eu"], PatternKind::Provider);
    let verdict = |id: &str| patterns.matches(&Subject::provider(id)).describe();
    assert_eq!(verdict("anthropic"), "`Anthropic`");
    assert_eq!(verdict("ANTHROPIC"), "`Anthropic`");
    assert_eq!(verdict("anthropic-vertex"), "no item fits");
    assert_eq!(verdict("x/anthropic"), "no item fits");
    assert_eq!(verdict("bedrock"), "`bed*`");
    assert_eq!(verdict("Bedrock-EU"), "refused by `!bedrock-eu`");
    assert_eq!(verdict(""), "no item fits");
}

#[test]
fn mistakes_are_reported_and_left_out() {
    let items = ["", "!", "/(/", "[a", "[b-a]", "/\\w{99}/", "//", "gpt"];
    let (patterns, diagnostics) = parse(&items, PatternKind::Model);
    let messages: Vec<_> = diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`` is no pattern: it is empty",
            "`!` is no pattern: it is empty",
            "`/(/` is no pattern: the regular expression is not valid, unclosed group",
            "`[a` is no pattern: a `[` has no `]`",
            "`[b-a]` is no pattern: the range `b-a` is empty",
            "`/\\w{99}/` is no pattern: the regular expression is too large",
            "`//` is no pattern: it is empty",
        ]
    );
    assert!(diagnostics.iter().all(|it| it.code == Code::PatternSyntax && it.help.is_some()));
    assert_eq!(patterns.matches(&Subject::model("gpt-4")), Verdict::Accepted("gpt"));
}

#[test]
fn globs_fit_whole_texts() {
    for (glob, text, fits) in [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("**", "ab", true),
        ("a*b*c", "a--b--c", true),
        ("a*b*c", "a--b--cd", false),
        ("*ab", "aab", true),
        ("a?c", "aéc", true),
        ("[]]", "]", true),
        ("[!]]", "]", false),
        ("[!!]", "!", false),
        ("[a-cx-z]", "y", true),
        ("[a-]", "-", true),
        ("[-a]", "-", true),
        ("[[]x", "[x", true),
        ("{a,b}", "a", false),
    ] {
        assert_eq!(Glob::parse(glob).unwrap().matches(text), fits, "{glob} on {text}");
    }
    let long = "a".repeat(10_000);
    assert!(!Glob::parse(&format!("{}b", "*a".repeat(50))).unwrap().matches(&long));
}

proptest! {
    #[test]
    fn any_item_is_survived(item in "\\PC{0,20}|[!/*?\\[\\]a-c-]{0,12}", id in "[a-c/:*!-]{0,12}") {
        for kind in [PatternKind::Model, PatternKind::Provider] {
            let (patterns, diagnostics) = parse(&[&item], kind);
            prop_assert!(diagnostics.len() <= 1);
            let _ = patterns.matches(&Subject::model(&id)).describe();
        }
    }

    /// The oracle: a regular expression.
    #[test]
    fn globs_fit_like_regexes(glob in "[ab*?]{0,8}", text in "[ab]{0,10}") {
        let regex = format!("^{}$", glob.replace('*', ".*").replace('?', "."));
        let expected = Regex::new(&regex).unwrap().is_match(&text);
        prop_assert_eq!(Glob::parse(&glob).unwrap().matches(&text), expected);
    }
}
