//! Prints how many times as long as something plain our work takes, each within one run.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use promptweave::unstable_machinery::{Ready, parse_template};
use promptweave::{Ask, TidyMode, tidy_text};
use promptweave_benches::measure::{Pair, alone, pair, pair_of_inputs};
use promptweave_benches::table::{Goal, Table, times};
use promptweave_benches::texts::{self, Kind, text};
use promptweave_benches::{chain, concat, packs};

fn main() -> ExitCode {
    let mut table = Table::from_args();
    render(&mut table);
    parse(&mut table);
    tidy(&mut table);
    linear(&mut table);
    build(&mut table);
    start(&mut table);
    table.verdict()
}

fn render(table: &mut Table) {
    let made = packs::ready();
    let parts = made.parts();
    let measured = Ready::with(&made.engine, &made.context, |ready| {
        assert_eq!(ready.text(), Some(concat(&parts)), "both make the same text");
        table.row("render of 15 ready sections, 30 kB / concat", Goal::AtMost(4.0), || {
            times(pair(|| ready.traced(), || concat(&parts)))
        });
        table.row("render and the layer of each name / concat", Goal::None, || {
            times(pair(|| ready.rendered(), || concat(&parts)))
        });
        table.row("render, nothing recorded / concat", Goal::None, || {
            times(pair(|| ready.text(), || concat(&parts)))
        });
        table.row("spans and hinges / none recorded", Goal::AtMost(1.25), || {
            times(pair(|| ready.traced(), || ready.text()))
        });
    });
    measured.expect("a variant");
}

fn parse(table: &mut Table) {
    for tags in [500, 5000] {
        let (one, two) = (packs::template(tags), packs::template(2 * tags));
        assert_eq!(parse_template(&one) + parse_template(&two), 0, "templates without mistakes");
        table.row(&format!("parse of {} tags / {tags} tags", 2 * tags), Goal::AtMost(2.2), || {
            times(pair(|| parse_template(&two), || parse_template(&one)))
        });
    }
}

fn classic(text: &str) -> String {
    tidy_text(TidyMode::Classic, text)
}

fn tidy(table: &mut Table) {
    const BYTES: usize = 30_000;
    for (kind, goal) in [
        (texts::PROSE, Goal::AtLeast(2.0)),
        (texts::DIRTY, Goal::AtLeast(2.0)),
        (texts::SIGNS, Goal::None),
        (texts::LINES, Goal::None),
        (texts::SEPARATORS, Goal::None),
        (texts::HEADINGS, Goal::None),
        (texts::WORST, Goal::None),
    ] {
        let text = text(kind, BYTES);
        assert_eq!(classic(&text), chain::classic(&text), "both make the same text of {}", kind.0);
        table.row(&format!("regex chain / classic tidy, 30 kB of {}", kind.0), goal, || {
            let Pair { ours, theirs } = pair(|| classic(&text), || chain::classic(&text));
            times(Pair { ours: theirs, theirs: ours })
        });
    }
    table.row("classic tidy, worst row, 30 kB", Goal::AtLeast(40.0), || {
        let text = text(texts::WORST, BYTES);
        let ours = alone(|| classic(&text));
        (text.len() as f64 / ours.as_secs_f64() / 1e6, format!("MB/s; {ours:.2?}"))
    });
}

fn linear(table: &mut Table) {
    const KINDS: [Kind; 5] =
        [texts::PROSE, texts::SIGNS, texts::LINES, texts::SEPARATORS, texts::HEADINGS];
    for mode in [TidyMode::Classic, TidyMode::Structural] {
        for kind in KINDS {
            let name = format!("{} tidy of 8 MB / 1 MB of {}", mode.as_str(), kind.0);
            table.row(&name, Goal::AtMost(10.0), || {
                let (large, small) = (text(kind, 8 << 20), text(kind, 1 << 20));
                times(pair_of_inputs(&large, &small, |text| tidy_text(mode, text)))
            });
        }
    }
}

fn build(table: &mut Table) {
    let long = packs::long();
    let parts = long.parts();
    table.row(
        "full build of 57 kB, classic, literal sections / concat",
        Goal::AtMost(40.0),
        || times(pair(|| long.engine.prompt(&long.context), || concat(&parts))),
    );
    let (standard, context) = (packs::standard(), packs::unclaimed());
    let ready = packs::ready();
    let parts = ready.parts();
    table.row("selection among all shipped variants / concat of 30 kB", Goal::AtMost(8.0), || {
        times(pair(|| standard.select(&context, &Ask::default()), || concat(&parts)))
    });
    table.row("full build of the standard pack / concat of 30 kB", Goal::None, || {
        times(pair(|| standard.prompt(&context), || concat(&parts)))
    });
}

/// The program from start to exit, beside an interpreter that does nothing.
fn start(table: &mut Table) {
    let name = "promptweave build, start to exit / node -e ''";
    if !table.wants(name) {
        return;
    }
    let Some(program) = program() else {
        return eprintln!("{name}: skipped, the program is not built for release");
    };
    if !runs(Command::new("node").args(["-e", ""])) {
        return eprintln!("{name}: skipped, there is no node");
    }
    let context =
        std::env::temp_dir().join(format!("promptweave-bench-{}.json", std::process::id()));
    let model = r#"{"model": {"id": "claude-sonnet-4-5"}, "cwd": "/p", "date": "2026-01-15"}"#;
    if let Err(error) = std::fs::write(&context, model) {
        return eprintln!("{name}: skipped, {}: {error}", context.display());
    }
    table.row(name, Goal::AtMost(0.2), || {
        let ours = || assert!(runs(Command::new(&program).args(["build", "-c"]).arg(&context)));
        times(pair(ours, || runs(Command::new("node").args(["-e", ""]))))
    });
    let _ = std::fs::remove_file(context);
}

/// The program beside this bench: `target/release/promptweave`.
fn program() -> Option<PathBuf> {
    let bench = std::env::current_exe().ok()?;
    let program = bench.parent()?.parent()?.join("promptweave");
    program.is_file().then_some(program)
}

fn runs(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
