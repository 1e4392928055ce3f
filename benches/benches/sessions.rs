//! Prints how many times as long as a plain concatenation a session takes to build a prompt again.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::process::ExitCode;

use promptweave::{Clock, Context, Prompt, Session};
use promptweave_benches::concat;
use promptweave_benches::measure::pair;
use promptweave_benches::packs::{Lively, lively};
use promptweave_benches::table::{Goal, Table, times};

fn main() -> ExitCode {
    let mut table = Table::of_arguments();
    let Lively { engine, contexts, parts } = lively();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let session = || engine.session(Clock::default());
    let [one, other, same, _] = &contexts;
    assert_eq!(built(&session(), one).text(), concat(&parts), "both make the same text");
    let still = session();
    table.row("session, nothing changed / concat of 15 sections, 30 kB", Goal::AtMost(3.0), || {
        let mut turn = in_turns([one, same]);
        times(pair(|| built(&still, turn()), || concat(&parts)))
    });
    let moving = session();
    table.row("session, one volatile section changed / concat", Goal::AtMost(5.0), || {
        let mut turn = in_turns([one, other]);
        times(pair(|| built(&moving, turn()), || concat(&parts)))
    });
    table.row("no session / concat", Goal::None, || {
        times(pair(|| engine.prompt(one), || concat(&parts)))
    });
    table.row("session restored, first prompt / no session", Goal::None, || {
        let saved = still.save();
        let restored = || built(&engine.restore(&saved).expect("a session"), one);
        times(pair(restored, || engine.prompt(one)))
    });
    table.verdict()
}

fn built(session: &Session, context: &Context) -> Prompt {
    session.prompt(context).expect("a prompt")
}

/// One after the other, for ever.
fn in_turns<'c>(contexts: [&'c Context; 2]) -> impl FnMut() -> &'c Context {
    let mut at = 0;
    move || {
        at = 1 - at;
        contexts[at]
    }
}
