//! Every case in `manifests/`: what is understood of it, and everything that is told.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;

use promptweave::SourceFile;
use promptweave_loader::Manifest;

#[test]
fn manifests() {
    insta::glob!("manifests", "*/plugin.toml", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let mut settings = insta::Settings::clone_current();
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(shown(&text)));
    });
}

fn shown(text: &str) -> String {
    let (manifest, diagnostics) = Manifest::parse(&SourceFile::new("plugin.toml", text));
    let mut shown = String::new();
    for one in &diagnostics {
        let help = one.help.as_deref().expect("each says what to do");
        writeln!(shown, "{one}\n  {help}").unwrap();
    }
    let Some(manifest) = manifest else { return shown + "no manifest" };
    // Places are in the diagnostics; here they would be in the way.
    let whole = format!("{manifest:#?}");
    let lines = whole.lines().scan(0, |skipped, line| {
        let indent = line.len() - line.trim_start().len();
        if line.trim() == "origin: File {" {
            *skipped = indent;
            return Some(None);
        }
        let inside = *skipped > 0;
        if inside && indent == *skipped {
            *skipped = 0;
        }
        Some((!inside).then_some(line))
    });
    shown + &lines.flatten().collect::<Vec<_>>().join("\n")
}

#[test]
fn there_is_an_end_to_mistakes_and_items() {
    let many = "[[component]]\nid = 'a b'\n".repeat(2000);
    let text = format!("name = 'a'\nversion = '1'\nabi = '1.0'\n{many}");
    let (manifest, diagnostics) = Manifest::parse(&SourceFile::new("plugin.toml", text));
    assert!(manifest.unwrap().items.is_empty());
    assert_eq!(diagnostics.len(), 50);
    let many: String = (0..2000).map(|at| format!("[[tool]]\nid = 't{at}'\n")).collect();
    let text = format!("name = 'a'\nversion = '1'\nabi = '1.0'\n{many}");
    let (manifest, diagnostics) = Manifest::parse(&SourceFile::new("plugin.toml", text));
    assert_eq!(manifest.unwrap().items.len(), 1024);
    assert!(!diagnostics.is_empty());
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange(mut text in "[a-z\\[\\]=\"'.0-9{}, \n]{0,200}", at in 0_usize..200) {
        let whole = include_str!("manifests/whole/plugin.toml");
        let at = whole.char_indices().nth(at * 7).map_or(0, |(at, _)| at);
        text.insert_str(0, &whole[..at]);
        text.push_str(&whole[at..]);
        let _ = Manifest::parse(&SourceFile::new("plugin.toml", text));
    }
}
