//! Texts that are made to take long: each must take time in proportion to its length, or this test does not end.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::fs;

use promptweave_instructions::{Instructions, Place, Profile, discover};

const BYTES: usize = 200_000;

/// What is repeated in a text.
const UNITS: &[&str] = &[
    "[",
    "`",
    "``` \n",
    "<!-- ",
    "<!--\n",
    "<!-- x -->",
    "\n\n<!-- x -->\n\n",
    "> ",
    ">\n",
    "- ",
    "*a_ ",
    "***",
    "@a.md ",
    "`a.md` @b.md ",
    "@a\\ ",
    "@",
    "@@",
    "[a](",
    "![",
    "<",
    "&",
    "\\",
    "* a\n ",
    "1. ",
    "    a\n",
    "a`",
    "|a",
    "<a ",
    "<?",
    "<![CDATA[",
    "[^a]: ",
    "[a]: b\n",
    "~~~\n",
    "\r",
    "\u{feff}",
    "---\n",
];

/// What is repeated in a front matter.
const YAML: &[&str] = &[
    "[",
    "{",
    "- ",
    "a: ",
    "a: b\n",
    "a: &a b\n",
    "? ",
    "!a ",
    "&a ",
    "*a ",
    "'",
    "\"",
    "|\n",
    "# ",
    "\t",
    "a:\n ",
    "paths: *.ts\n",
    "- *.ts\n",
    "{a,b}",
    "globs: {a,b}\n",
    "%A\n",
    "...\n",
    "<<: *a\n",
    "\u{85}",
];

fn found(files: &[(&str, &str)]) -> Instructions {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let place = Place { touched: vec!["a.ts".into()], ..Place::new(root.path()) };
    let found = discover(&Profile::named("claude-code").unwrap(), &place);
    discover(&Profile::named("gemini-cli").unwrap(), &place);
    found
}

#[test]
fn texts() {
    for unit in UNITS {
        let text = unit.repeat(BYTES / unit.len());
        let found = found(&[("CLAUDE.md", &text), ("GEMINI.md", &text)]);
        assert!(!found.report.is_empty(), "{unit:?}");
    }
}

#[test]
fn front_matters() {
    for unit in YAML {
        for most in [60_000, BYTES] {
            let yaml = unit.repeat(most / unit.len());
            let rules =
                [format!("---\n{yaml}\n---\nText."), format!("---\npaths: \"{yaml}\"\n---\nText.")];
            let found =
                found(&[(".claude/rules/1.md", &rules[0]), (".claude/rules/2.md", &rules[1])]);
            assert!(found.report.len() >= 2, "{unit:?}");
        }
    }
}

#[test]
fn globs() {
    let nested = format!("{}a{}", "{".repeat(30_000), "}".repeat(30_000));
    let lists = "{a,b,c,d,e,f,g,h,i,j}".repeat(3);
    let classes = "[a-z]".repeat(10_000);
    for glob in [
        &nested,
        &lists,
        &classes,
        &"**/".repeat(20_000),
        &"*a".repeat(30_000),
        &"?".repeat(60_000),
    ] {
        let rule = format!("---\npaths: \"{glob}\"\n---\nText.");
        let found = found(&[(".claude/rules/1.md", &rule)]);
        assert_eq!(found.waiting.len() + found.in_force.len(), 1, "{}", &glob[..9]);
    }
    let many = "- \"**/*.ts\"\n".repeat(3000);
    let rule = format!("---\npaths:\n{many}\n---\nText.");
    assert_eq!(found(&[(".claude/rules/1.md", &rule)]).in_force.len(), 1);
}

#[test]
fn imports_that_double() {
    // Each file names the next one twice: as a tree these would be a thousand million files.
    let names: Vec<String> = (0..30).map(|at| format!("{at}.md")).collect();
    let texts: Vec<String> = (1..31).map(|at| format!("@{at}.md @./{at}.md")).collect();
    let mut files: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    files.extend([("CLAUDE.md", "@0.md @./0.md"), ("GEMINI.md", "@0.md @./0.md")]);
    assert!(found(&files).report.len() < 50);
}

#[test]
fn folders_that_are_deep_and_links_that_branch() {
    let root = tempfile::tempdir().unwrap();
    let deep = root.path().join("d/".repeat(1900));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("AGENTS.md"), "Deep.").unwrap();
    #[cfg(unix)]
    {
        let rules = root.path().join(".claude/rules");
        for at in 0..8 {
            let folder = rules.join(at.to_string());
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("r.md"), "Rule.").unwrap();
            for other in 0..8 {
                std::os::unix::fs::symlink("..", folder.join(format!("up{other}"))).unwrap();
            }
        }
    }
    let place = Place::new(root.path());
    let found = discover(&Profile::named("agents-md").unwrap(), &place);
    assert_eq!(found.waiting.len(), 1);
    let found = discover(&Profile::named("claude-code").unwrap(), &place);
    assert_eq!(found.in_force.len(), 8);
}
