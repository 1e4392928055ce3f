//! The recorded results of the other parser, and the right results where it is wrong.

mod common;

use common::{feed, pieces, plain_blocks, random_pieces, rows, strings};
use promptweave_reply::{Block, Dialect, Parser, Specs, StopReason};
use serde_json::{Map, Value, json};

fn exact(row: &Value) -> Parser {
    Parser::exact(&strings(&row["tools"]), &strings(&row["params"]))
}

/// The recorded blocks, without what no text parser can know.
fn recorded(blocks: &Value) -> Value {
    let mut blocks = blocks.clone();
    for block in blocks.as_array_mut().into_iter().flatten() {
        block.as_object_mut().map(|block| block.remove("isNativeToolCall"));
    }
    blocks
}

#[test]
fn exact_messages() {
    let rows = rows("parser.jsonl");
    for (number, row) in rows.iter().enumerate() {
        let input = row["input"].as_str().expect("an input").as_bytes();
        let cuts = [pieces(input, 0), pieces(input, 1), random_pieces(input, number as u64)];
        for cut in cuts {
            let parser = feed(exact(row), &cut, StopReason::Unknown);
            assert_eq!(plain_blocks(&parser), recorded(&row["expected"]), "row {number}");
        }
    }
    eprintln!("{} messages in exact mode", rows.len());
}

fn fnv1a(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}

/// What a checkpoint states.
fn shape(parser: &Parser) -> Value {
    let block = |block: Block<'_>| match block {
        Block::Text { content, partial, .. } => {
            json!(["text", partial, content.read().len(), fnv1a(&content.read())])
        }
        Block::ToolUse(call) => {
            let value = |text: &str| json!([text.len(), fnv1a(text)]);
            let params = call
                .params()
                .map(|param| (param.name.to_string(), value(&param.value.text().read())));
            json!(["tool_use", call.name(), call.partial(), params.collect::<Map<_, _>>()])
        }
        other => panic!("exact mode makes no {other:?}"),
    };
    parser.blocks().map(block).collect()
}

#[test]
fn exact_streams() {
    let rows = rows("parser-streams.jsonl");
    for (number, row) in rows.iter().enumerate() {
        let chunks = strings(&row["chunks"]);
        let mut parser = exact(row);
        let mut checkpoints = row["checkpoints"].as_array().expect("checkpoints").iter().peekable();
        for (at, chunk) in chunks.iter().enumerate() {
            let _ = parser.push(chunk);
            while let Some(checkpoint) = checkpoints.next_if(|next| next["after"] == at + 1) {
                assert_eq!(shape(&parser), checkpoint["shape"], "row {number} after {}", at + 1);
            }
        }
        assert!(checkpoints.next().is_none(), "every checkpoint of row {number} was passed");
        assert_eq!(plain_blocks(&parser), recorded(&row["expected_final"]), "row {number}");
        let input = chunks.concat();
        for cut in [
            pieces(input.as_bytes(), 0),
            pieces(input.as_bytes(), 1),
            random_pieces(input.as_bytes(), 7),
        ] {
            let parser = feed(exact(row), &cut, StopReason::Unknown);
            assert_eq!(plain_blocks(&parser), recorded(&row["expected_final"]), "row {number}");
        }
    }
    eprintln!("{} streams in exact mode", rows.len());
}

#[test]
fn robust_messages() {
    let rows = rows("parser-robust.jsonl");
    for row in &rows {
        let (tools, params, raw) =
            (strings(&row["tools"]), strings(&row["params"]), strings(&row["raw"]));
        let specs = Specs::from_names(&tools, &params, &raw);
        let input = row["input"].as_str().expect("an input").as_bytes();
        for dialect in [Dialect::Auto, Dialect::named("xml").expect("it is built in")] {
            for size in [0, 1, 2, 3, 7, 13] {
                let parser = Parser::new(specs.clone()).dialect(dialect.clone());
                let parser = feed(parser, &pieces(input, size), StopReason::Unknown);
                assert_eq!(
                    plain_blocks(&parser),
                    row["right"],
                    "{} in pieces of {size}",
                    row["name"]
                );
            }
        }
    }
    eprintln!("{} messages in robust mode", rows.len());
}
