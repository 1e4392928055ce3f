//! Whole prompts, from a folder for each case into a snapshot beside it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use promptweave_tests::case::Case;

#[test]
fn prompts() {
    insta::glob!("../fixtures/prompts", "*/case.toml", |path| {
        let folder = path.parent().unwrap();
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.remove_snapshot_suffix();
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("prompt", Case::read(path).run(folder)));
    });
}
