//! What `new` makes on top of the standard pack passes `check`, and what it copies changes nothing.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use common::Sandbox;

#[test]
fn a_fresh_override_prints_the_same() {
    let sandbox = Sandbox::new();
    sandbox.write("mine/pack.toml", "name = 'mine'\nversion = '1'\n");
    // A component that shadows one of the standard pack, and stands on it.
    sandbox.write("mine/components/safety.md", "{{base}}\n- And mind the house.\n");
    sandbox.write(
        "c.json",
        r#"{"cwd": "/repo", "date": "2026-01-02", "user": {"language": "German"}}"#,
    );
    let build = |variant: &str| {
        let done =
            sandbox.run(&["build", "-c", "c.json", "--pack", "mine", "--variant", variant], b"");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    for (variant, component) in [
        ("generic", "identity"),
        ("generic", "safety"),
        ("claude", "editing"),
        ("claude", "working"),
        ("codex", "verifying"),
        ("text", "tool_use"),
        ("small", "identity"),
    ] {
        let before = build(variant);
        let new = ["new", "override", component, "--variant", variant, "--into", "mine"];
        let done = sandbox.run(&new, b"");
        assert!(done.status.success(), "{new:?}: {}", String::from_utf8_lossy(&done.stderr));
        assert_same(&before, &build(variant), &format!("{component} of {variant}"));
    }
    let checked = sandbox.run(&["check", "mine"], b"");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let twice =
        sandbox.run(&["new", "override", "safety", "--variant", "generic", "--into", "mine"], b"");
    assert_eq!(twice.status.code(), Some(2));
}

fn assert_same(before: &str, after: &str, what: &str) {
    let diff = similar::TextDiff::from_lines(before, after);
    assert!(before == after, "{what}:\n{}", diff.unified_diff());
}

#[test]
fn scaffolds_pass_check() {
    let sandbox = Sandbox::new();
    sandbox.write("PROMPT.md", "# Identity\n{{who}}\n\n## Safety\n\n");
    for new in [
        &["new", "pack", "made"][..],
        &["new", "pack", "from", "--from", "PROMPT.md"],
        &["new", "variant", "mine", "--into", "made"],
        &["new", "variant", "claude", "--into", "made"],
        &["new", "variant", "short", "--extends", "small", "--into", "made"],
        &["new", "component", "notes_of_mine", "--into", "made"],
        &["new", "tool", "deploy", "--into", "made"],
        &["new", "override", "agent_role", "--variant", "made", "--into", "made"],
    ] {
        let done = sandbox.run(new, b"");
        assert!(done.status.success(), "{new:?}: {}", String::from_utf8_lossy(&done.stderr));
        let checked =
            sandbox.run(&["check", "made", "from"][..if new[2] == "made" { 2 } else { 3 }], b"");
        assert!(checked.status.success(), "{new:?}: {}", String::from_utf8_lossy(&checked.stderr));
    }
    // Ids of the standard pack are not taken, so that nobody else's sections change.
    let listed = sandbox.run(&["list", "components", "--pack", "from", "--json"], b"");
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let shadowing =
        listed.as_array().unwrap().iter().filter(|one| one["shadows"] != serde_json::json!([]));
    assert_eq!(shadowing.count(), 0);
}
