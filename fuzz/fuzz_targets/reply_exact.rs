//! Bytes in pieces become blocks in exact mode: the same as whole, and for every prefix.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promptweave_reply::{Parser, StopReason};

const TOOLS: [&str; 3] = ["a", "write_to_file", "x"];
const PARAMS: [&str; 4] = ["p", "content", "path", "x"];

fn blocks(parser: &Parser) -> Vec<String> {
    parser.blocks().map(|block| block.to_json().to_string()).collect()
}

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = (usize::from(input.0) % 16 + 1, input.1);
    let mut whole = Parser::exact(&TOOLS, &PARAMS);
    let _ = whole.push(bytes);
    let mut pieces = Parser::exact(&TOOLS, &PARAMS);
    for chunk in bytes.chunks(size) {
        let _ = pieces.push(chunk);
    }
    assert_eq!(blocks(&pieces), blocks(&whole), "whole and in pieces");
    let _ = (whole.finish(StopReason::EndTurn), pieces.finish(StopReason::EndTurn));
    assert_eq!(blocks(&pieces), blocks(&whole), "whole and in pieces, at the end");
    let raw: Vec<u8> = pieces.raw().flat_map(|(_, slice)| slice.into_owned()).collect();
    assert_eq!(raw, bytes, "raw slices make the input");
});
