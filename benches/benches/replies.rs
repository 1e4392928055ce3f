//! Prints how many times as long as something plain the reply parser takes, each within one run.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use promptweave_benches::measure::{Pair, pair};
use promptweave_benches::replies::{ALL, Corpus, MIXED, PROSE, param_names, specs, tool_names};
use promptweave_benches::table::{Goal, Table, times};
use promptweave_reply::{Block, Dialect, Parser, Specs, StopReason};

const MEGABYTE: usize = 1 << 20;
/// A long reply that is there at once.
const WHOLE: usize = MEGABYTE;
/// As much as a long reply has.
const REPLY: usize = 64 * 1024;
/// As models send them.
const CHUNK: usize = 8;

fn main() -> ExitCode {
    let mut table = Table::of_arguments();
    one_shot(&mut table);
    chunks(&mut table);
    steady(&mut table);
    reparse(&mut table);
    snapshots(&mut table);
    table.verdict()
}

/// Makes new parsers, one for each reply.
struct Make {
    specs: Specs,
    tools: Vec<&'static str>,
    params: Vec<&'static str>,
}

impl Make {
    fn new() -> Self {
        Self { specs: specs(), tools: tool_names(), params: param_names() }
    }

    fn exact(&self) -> Parser {
        Parser::exact(&self.tools, &self.params)
    }

    fn robust(&self) -> Parser {
        Parser::new(self.specs.clone())
    }

    fn xml(&self) -> Parser {
        self.robust().dialect(Dialect::named("xml").unwrap_or_default())
    }
}

/// For one who has the whole reply and reads its blocks.
fn whole(mut parser: Parser, text: &str) -> Parser {
    let _ = parser.push(text);
    let _ = parser.finish(StopReason::EndTurn);
    black_box(parser.blocks().len());
    parser
}

/// What no parser can do without: keep the text, and look for both ends of a tag.
fn plain(text: &str) -> usize {
    let kept = black_box(text.as_bytes().to_vec());
    memchr::memchr2_iter(b'<', b'>', &kept).count()
}

fn one_shot(table: &mut Table) {
    let make = Make::new();
    for corpus in ALL {
        let text = corpus.text(WHOLE);
        let name = |mode: &str| format!("{mode}, {} at once / memcpy and memchr2", corpus.name);
        table.row(&name("exact"), Goal::AtMost(2.0), || {
            times(pair(|| whole(make.exact(), &text), || plain(&text)))
        });
        table.row(&name("robust"), Goal::AtMost(4.0), || {
            times(pair(|| whole(make.robust(), &text), || plain(&text)))
        });
        table.row(&name("robust in one dialect"), Goal::None, || {
            times(pair(|| whole(make.xml(), &text), || plain(&text)))
        });
    }
}

/// Without looking at the events.
fn pushed(mut parser: Parser, text: &str) -> Parser {
    for chunk in text.as_bytes().chunks(CHUNK) {
        let _ = parser.push(chunk);
    }
    parser
}

/// Looking at each event.
fn told(mut parser: Parser, text: &str) -> (Parser, usize) {
    let mut count = 0;
    for chunk in text.as_bytes().chunks(CHUNK) {
        for event in parser.push(chunk) {
            black_box(&event);
            count += 1;
        }
    }
    (parser, count)
}

fn appended(text: &str) -> Vec<u8> {
    let mut kept = Vec::new();
    for chunk in text.as_bytes().chunks(CHUNK) {
        kept.extend_from_slice(black_box(chunk));
    }
    kept
}

fn chunks(table: &mut Table) {
    let make = Make::new();
    for corpus in ALL {
        let text = corpus.text(REPLY);
        let name = |mode: &str| format!("{mode}, {} by 8 bytes / append to a Vec", corpus.name);
        table.row(&name("exact"), Goal::AtMost(6.0), || {
            times(pair(|| pushed(make.exact(), &text), || appended(&text)))
        });
        table.row(&name("robust and its events"), Goal::AtMost(10.0), || {
            times(pair(|| told(make.robust(), &text), || appended(&text)))
        });
    }
}

/// How long the tenths of a stream take, the first and the last.
fn tenths(mut parser: Parser, text: &str) -> (Duration, Duration) {
    let bytes = text.as_bytes();
    let tenth = bytes.len() / 10 / CHUNK * CHUNK;
    let mut took = Vec::new();
    for part in bytes.chunks(tenth).take(10) {
        let started = Instant::now();
        for chunk in part.chunks(CHUNK) {
            black_box(parser.push(chunk).count());
        }
        took.push(started.elapsed());
    }
    (took[0], took[took.len() - 1])
}

fn steady(table: &mut Table) {
    let make = Make::new();
    for corpus in ALL {
        let text = corpus.text(10 * MEGABYTE);
        for (mode, parser) in
            [("exact", Make::exact as fn(&Make) -> Parser), ("robust", Make::robust)]
        {
            let name = format!("{mode}, last tenth of 10 MB of {} / first tenth", corpus.name);
            table.row(&name, Goal::AtMost(1.25), || {
                let mut runs: Vec<_> = (0..9).map(|_| tenths(parser(&make), &text)).collect();
                let mut middle = |of: fn(&(Duration, Duration)) -> Duration| {
                    runs.sort_by_key(of);
                    of(&runs[runs.len() / 2])
                };
                times(Pair { theirs: middle(|run| run.0), ours: middle(|run| run.1) })
            });
        }
    }
}

/// Parses all there is again for each chunk.
fn reparsed(make: impl Fn() -> Parser, text: &str) -> usize {
    let cuts = (CHUNK..=text.len()).step_by(CHUNK);
    cuts.map(|to| {
        let mut parser = make();
        let _ = parser.push(&text.as_bytes()[..to]);
        parser.blocks().len()
    })
    .sum()
}

fn reparse(table: &mut Table) {
    let make = Make::new();
    for corpus in [PROSE, MIXED] {
        let text = corpus.text(REPLY);
        for (mode, parser) in
            [("exact", Make::exact as fn(&Make) -> Parser), ("robust", Make::robust)]
        {
            let name = format!("{mode}, 64 kB of {} again for each 8 bytes / once", corpus.name);
            table.row(&name, Goal::AtLeast(300.0), || {
                let Pair { ours, theirs } =
                    pair(|| pushed(parser(&make), &text), || reparsed(|| parser(&make), &text));
                times(Pair { ours: theirs, theirs: ours })
            });
        }
    }
}

/// Looks at the blocks after each chunk, as a view that shows the last one does.
fn shown(mut parser: Parser, text: &str) -> usize {
    let mut seen = 0;
    for chunk in text.as_bytes().chunks(CHUNK) {
        let _ = parser.push(chunk);
        seen += match parser.blocks().next_back() {
            Some(Block::Text { content, .. } | Block::Reasoning { content, .. }) => {
                content.read().len()
            }
            Some(Block::ToolUse(call)) => call.name().len(),
            _ => 0,
        };
    }
    seen
}

fn snapshots(table: &mut Table) {
    let make = Make::new();
    for corpus in ALL {
        let Corpus { name, .. } = corpus;
        let text = corpus.text(REPLY);
        for (mode, parser) in
            [("exact", Make::exact as fn(&Make) -> Parser), ("robust", Make::robust)]
        {
            let name = format!("{mode}, push and blocks, {name} by 8 bytes / push alone");
            table.row(&name, Goal::AtMost(2.0), || {
                times(pair(|| shown(parser(&make), &text), || pushed(parser(&make), &text)))
            });
        }
    }
}
