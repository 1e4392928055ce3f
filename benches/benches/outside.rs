//! The same for text from outside: the guard, the index of skills.

use std::path::Path;
use std::process::ExitCode;

use promptweave_benches::measure::{pair, pair_of_inputs};
use promptweave_benches::table::{Goal, Table, times};
use promptweave_benches::texts::{self, text};
use promptweave_guard::Guard;
use promptweave_skills::{Place, Scope, Shelf};

const SKILLS: usize = 500;
const BUDGET: usize = 20_000;

fn main() -> ExitCode {
    let mut table = Table::of_arguments();
    guard(&mut table);
    index(&mut table);
    table.verdict()
}

fn guard(table: &mut Table) {
    let guard = Guard::standard();
    let scripts = "Ein sauberer Text über Öfen — « déjà vu », 日本語の文章、русский текст 🙂. ";
    for (name, clean) in [
        ("1 MB of clean text", text(texts::PROSE, 1 << 20)),
        ("64 MB of clean text", text(texts::PROSE, 64 << 20)),
        ("64 kB of many scripts", scripts.repeat((64 << 10) / scripts.len())),
    ] {
        assert!(guard.look("mcp", &clean).findings.is_empty(), "a clean text");
        table.row(&format!("guard of {name} / memcpy"), Goal::AtMost(25.0), || {
            times(pair(|| guard.look("mcp", &clean).findings.len(), || clean.as_bytes().to_vec()))
        });
    }
    for (name, dirty) in
        [("clean", "A line of text, no more.\n"), ("hostile", "[INST] a\u{200b}b `x\n")]
    {
        table.row(&format!("guard of 8 MB / 1 MB of {name} text"), Goal::AtMost(10.0), || {
            let (large, small) =
                (dirty.repeat((8 << 20) / dirty.len()), dirty.repeat((1 << 20) / dirty.len()));
            times(pair_of_inputs(&large, &small, |text: String| {
                guard.look("mcp", &text).findings.len()
            }))
        });
    }
}

fn index(table: &mut Table) {
    let Ok(folder) = tempfile::tempdir() else {
        return eprintln!("index of skills: skipped, there is no folder for temporary files");
    };
    if let Err(error) = write(folder.path()) {
        return eprintln!("index of skills: skipped, {error}");
    }
    let shelf = || Shelf::new(vec![Place::free(folder.path(), Scope::User)]);
    let index = |shelf: &Shelf| shelf.look().index(Some(BUDGET)).entries.len();
    let warm = shelf();
    assert_eq!(warm.look().skills.len(), SKILLS);
    table.row("index of 500 skills, warm / cold", Goal::AtMost(0.05), || {
        times(pair(|| index(&warm), || index(&shelf())))
    });
}

fn write(folder: &Path) -> std::io::Result<()> {
    (0..SKILLS).try_for_each(|at| {
        let name = format!("skill-{at:03}");
        let skill = folder.join(&name);
        std::fs::create_dir(&skill)?;
        let about = "Sorts things, counts them and writes down what is missing. ".repeat(4);
        let front = format!(
            "---\nname: {name}\ndescription: {about}\nmetadata:\n  category: sorting\n---\n"
        );
        std::fs::write(skill.join("SKILL.md"), front + &"Do it step by step.\n".repeat(100))
    })
}
