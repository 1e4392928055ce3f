//! What an evaluation costs, in a release build: `cargo test --release -p promptweave speed -- --ignored --nocapture`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::{Table, template};
use crate::template::Missing;
use crate::trace::CacheClass::{Session, Static, Volatile};
use crate::trace::{Piece, PieceKind, Traced};

/// The fastest of many rounds, per run.
fn time(mut run: impl FnMut()) -> Duration {
    let round = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..500).for_each(|_| run());
        start.elapsed() / 500
    };
    (0..40).map(|_| round(&mut run)).min().unwrap()
}

/// 15 sections of 2 kB in 5 pieces each, a third of them not static, and a template that prints them.
fn sections() -> (String, Table, Vec<String>) {
    let (mut source, mut table, mut parts) = (String::new(), Table::default(), Vec::new());
    for at in 0..15 {
        let name = format!("section_{at}");
        let text =
            format!("# Section {at}\n") + &"Some words of a rule, and a few more.\n".repeat(52);
        source += &format!("{{{{{name}}}}}\n\n====\n\n");
        let class = [Static, Static, Session][at % 3];
        table = table.section(&name, &text, class, class);
        if let super::Entry::Section(Traced { pieces, text, .. }) =
            &mut table.names.get_mut(&name).unwrap().entry
        {
            let piece = |nth: usize| Piece {
                end: (text.len() * nth / 5) as u32,
                kind: PieceKind::Template,
                class,
                source: 0,
                at: 0,
            };
            *pieces = (1..=5).map(piece).collect();
        }
        parts.extend([text, "\n\n====\n\n".to_owned()]);
    }
    (source, table, parts)
}

#[test]
#[ignore = "measures; wants a release build"]
fn ready_sections() {
    let (source, table, parts) = sections();
    let template = template(&source);
    let (full, text) = (template.evaluate(&table, Missing::Empty).unwrap(), parts.concat());
    assert_eq!(full.traced.text, text);
    let concat = time(|| drop(black_box(black_box(&parts).concat())));
    let traced = time(|| drop(black_box(template.evaluate(&table, Missing::Empty))));
    let silent = time(|| drop(black_box(template.evaluate_text(&table, Missing::Empty))));
    let (pieces, marks) = (full.traced.pieces.len(), full.traced.marks.len());
    println!("{} bytes, {pieces} pieces, {marks} hinges", text.len());
    println!(
        "concat {concat:?}, traced {traced:?} ({:.2}x), text only {silent:?} ({:.2}x)",
        ratio(traced, concat),
        ratio(silent, concat)
    );
    println!("spans and hinges cost {:.0} %", (ratio(traced, silent) - 1.0) * 100.0);
}

#[test]
#[ignore = "measures; wants a release build"]
fn small_values() {
    let names: Vec<String> = (0..15).map(|at| format!("name_{at}")).collect();
    let table = names.iter().fold(Table::default(), |table, name| table.text(name, "v", Volatile));
    let source: String = names.iter().map(|name| format!("Some {{{{{name}}}}} ")).collect();
    let template = template(&source);
    let traced = time(|| drop(black_box(template.evaluate(&table, Missing::Empty))));
    let silent = time(|| drop(black_box(template.evaluate_text(&table, Missing::Empty))));
    println!("per placeholder with its text: {:?}, text only {:?}", traced / 15, silent / 15);
}

#[test]
#[ignore = "measures; wants a release build"]
fn parsing() {
    for (what, line) in [
        ("names", "Some text and {{a_name}} in it.\n"),
        ("calls", "{{#if (eq a \"b\")}}\nx\n{{/if}}\n"),
    ] {
        for tags in [1_000, 2_000, 4_000, 8_000] {
            let source = line.repeat(if what == "calls" { tags / 2 } else { tags });
            let start = Instant::now();
            assert!(template(&source).check().is_empty());
            println!("{what}: {tags} tags, {} kB: {:?}", source.len() / 1000, start.elapsed());
        }
    }
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}
