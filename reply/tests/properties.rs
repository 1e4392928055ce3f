//! What holds of every reply, whatever is in it.

mod common;

use common::{Random, blocks, feed, pieces, soup};
use promptweave_reply::{Dialect, ParamKind, ParamSpec, Parser, Specs, StopReason, ToolSpec};
use proptest::prelude::*;

fn specs() -> Specs {
    let param = |name: &str, kind| ParamSpec { name: name.into(), kind, schema_type: None };
    let params = vec![
        param("p", ParamKind::Scalar),
        param("q", ParamKind::Scalar),
        param("x", ParamKind::Raw),
        param("path", ParamKind::Scalar),
        param("content", ParamKind::Raw),
    ];
    let tools = ["a", "b", "x", "write_to_file"];
    Specs::from_tools(&tools.map(|name| ToolSpec { name: name.into(), params: params.clone() }))
}

/// A parser with options by number.
fn robust(options: usize) -> Parser {
    let mut parser = Parser::new(specs());
    if options & 1 > 0 {
        parser = parser.fenced_calls();
    }
    if options & 2 > 0 {
        parser = parser.starts_in_reasoning();
    }
    if options & 4 > 0 {
        parser = parser.call_ends_reasoning();
    }
    if options & 8 > 0 {
        parser = parser.dialect(Dialect::named("xml").expect("it is built in"));
    }
    parser
}

const REASONS: [StopReason; 4] =
    [StopReason::Unknown, StopReason::EndTurn, StopReason::MaxTokens, StopReason::Aborted];

/// Any way to cut the input gives the same blocks.
fn same_in_all_pieces(make: &dyn Fn() -> Parser, input: &[u8], reason: StopReason, seed: u64) {
    let whole = blocks(&feed(make(), &pieces(input, 0), reason));
    for size in [1, 2, 3, 7] {
        let cut = blocks(&feed(make(), &pieces(input, size), reason));
        assert_eq!(cut, whole, "pieces of {size} of {:?}", String::from_utf8_lossy(input));
    }
    let cut = blocks(&feed(make(), &common::random_pieces(input, seed), reason));
    assert_eq!(cut, whole, "pieces by seed {seed} of {:?}", String::from_utf8_lossy(input));
}

fn words(list: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(list), 0..30).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn xml_in_any_pieces(input in words(soup::XML), options in 0..16usize, reason in 0..4usize, seed: u64) {
        same_in_all_pieces(&|| robust(options), input.as_bytes(), REASONS[reason], seed);
    }

    #[test]
    fn dialects_in_any_pieces(input in words(soup::DIALECTS), options in 0..8usize, reason in 0..4usize, seed: u64) {
        same_in_all_pieces(&|| robust(options), input.as_bytes(), REASONS[reason], seed);
    }

    #[test]
    fn bytes_in_any_pieces(input: Vec<u8>, seed: u64) {
        same_in_all_pieces(&|| robust(0), &input, StopReason::EndTurn, seed);
        same_in_all_pieces(&|| Parser::exact(&["a"], &["p"]), &input, StopReason::EndTurn, seed);
    }

    #[test]
    fn broken_text_in_any_pieces(input in words(soup::XML), at: prop::sample::Index, byte: u8, seed: u64) {
        let mut input = input.into_bytes();
        input.insert(at.index(input.len() + 1), byte);
        same_in_all_pieces(&|| robust(0), &input, StopReason::EndTurn, seed);
        same_in_all_pieces(&|| Parser::exact(&["a"], &["p"]), &input, StopReason::EndTurn, seed);
    }
}

/// More than proptest tries in a normal run: `PROMPTWEAVE_FUZZ=1000000`.
#[test]
fn many_replies_in_any_pieces() {
    let inputs = std::env::var("PROMPTWEAVE_FUZZ").ok().and_then(|count| count.parse().ok());
    for seed in 0..inputs.unwrap_or(4_000u64) {
        let mut random = Random(seed ^ 0x5EED);
        let list = if random.below(2) == 0 { soup::XML } else { soup::DIALECTS };
        let input = soup::soup(list, &mut random, 30);
        let (options, reason) = (random.below(16), REASONS[random.below(4)]);
        let whole = blocks(&feed(robust(options), &pieces(input.as_bytes(), 0), reason));
        for cut in [pieces(input.as_bytes(), 1), common::random_pieces(input.as_bytes(), seed)] {
            assert_eq!(
                blocks(&feed(robust(options), &cut, reason)),
                whole,
                "seed {seed}, options {options}: {input:?}"
            );
        }
    }
}
