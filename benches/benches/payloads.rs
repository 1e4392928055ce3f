//! Prints how many times as long as a plain concatenation it takes to make payloads and to count tokens.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::process::ExitCode;

use promptweave::{Ask, Delivery, Target, deliver};
use promptweave_benches::measure::pair;
use promptweave_benches::table::{Goal, Table, times};
use promptweave_benches::{concat, packs};
use serde_json::json;

fn main() -> ExitCode {
    let mut table = Table::of_arguments();
    payloads(&mut table);
    tokens(&mut table);
    table.verdict()
}

fn payloads(table: &mut Table) {
    let made = packs::ready();
    let context = made.context.with("model", json!({ "id": "claude-opus-4-5" }));
    let prompt = made.engine.prompt(&context).expect("a variant");
    let parts = made.parts();
    let of = |delivery: &Delivery| deliver(&prompt, Vec::new(), delivery);
    for target in Target::ALL {
        let delivery = made.engine.delivery(*target, "claude-opus-4-5");
        let goal = match target {
            Target::Anthropic => Goal::AtMost(4.0),
            _ => Goal::None,
        };
        table.row(&format!("{} payload of 30 kB / concat", target.as_str()), goal, || {
            times(pair(|| of(&delivery), || concat(&parts)))
        });
    }
    let standard = packs::standard();
    let declared = standard.declare_tools(&context, &Ask::default(), Target::Anthropic.dialect());
    let tools = declared.expect("a variant").tools;
    let delivery = made.engine.delivery(Target::Anthropic, "claude-opus-4-5");
    table.row("anthropic payload and a copy of all tools / concat", Goal::None, || {
        times(pair(|| deliver(&prompt, tools.clone(), &delivery), || concat(&parts)))
    });
}

fn tokens(table: &mut Table) {
    let made = packs::ready();
    let context = made.context.with("model", json!({ "id": "gpt-5.2" }));
    let prompt = made.engine.prompt(&context).expect("a variant");
    let parts = made.parts();
    let counter = made.engine.token_counter(&prompt);
    table.row("tokens of 15 sections, counted before / concat", Goal::None, || {
        times(pair(|| counter.report(&prompt), || concat(&parts)))
    });
    table.row("tokens of 15 sections, counted anew / concat", Goal::None, || {
        times(pair(|| made.engine.token_counter(&prompt).report(&prompt), || concat(&parts)))
    });
}
