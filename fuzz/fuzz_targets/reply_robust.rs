//! Bytes in pieces become blocks in robust mode, in all dialects and with all options: the same as whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promptweave_reply::{ParamKind, ParamSpec, Parser, Specs, StopReason, ToolSpec};

fn parser(options: u8) -> Parser {
    let param = |name: &str, kind| ParamSpec { name: name.into(), kind, schema_type: None };
    let params = vec![param("p", ParamKind::Scalar), param("content", ParamKind::Raw)];
    let tools = ["a", "write_to_file", "think"];
    let mut parser =
        Parser::new(Specs::from_tools(&tools.map(|name| ToolSpec { name: name.into(), params: params.clone() })));
    if options & 1 > 0 {
        parser = parser.fenced_calls();
    }
    if options & 2 > 0 {
        parser = parser.starts_in_reasoning();
    }
    if options & 4 > 0 {
        parser = parser.call_ends_reasoning();
    }
    parser
}

fn blocks(parser: &Parser) -> Vec<String> {
    parser.blocks().map(|block| block.to_json().to_string()).collect()
}

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (options, size, bytes) = (input.0, usize::from(input.1) % 16 + 1, input.2);
    let reason = if options & 8 > 0 { StopReason::MaxTokens } else { StopReason::EndTurn };
    let mut whole = parser(options);
    let _ = whole.push(bytes);
    let _ = whole.finish(reason);
    let (mut pieces, mut opened) = (parser(options), 0);
    for chunk in bytes.chunks(size) {
        opened += pieces.push(chunk).count();
    }
    opened += pieces.finish(reason).count();
    assert_eq!(blocks(&pieces), blocks(&whole), "whole and in pieces");
    let raw: Vec<u8> = pieces.raw().flat_map(|(_, slice)| slice.into_owned()).collect();
    assert_eq!(raw, bytes, "raw slices make the input");
    assert!(pieces.memory() <= 2 * bytes.len() + 256 * (opened + 1), "the bound on memory");
});
