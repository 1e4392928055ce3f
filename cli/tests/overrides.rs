//! An override as it is scaffolded changes nothing.

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
        similar_asserts(&before, &build(variant), &format!("{component} of {variant}"));
    }
    let checked = sandbox.run(&["check", "mine"], b"");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let twice =
        sandbox.run(&["new", "override", "safety", "--variant", "generic", "--into", "mine"], b"");
    assert_eq!(twice.status.code(), Some(2));
}

fn similar_asserts(before: &str, after: &str, what: &str) {
    let diff = similar::TextDiff::from_lines(before, after);
    assert!(before == after, "{what}:\n{}", diff.unified_diff());
}
