//! What the tests share: conformance data, chunks, folding of events.
#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

pub mod soup;

use std::path::{Path, PathBuf};

use promptweave_reply::{Block, Event, Parser, StopReason};
use serde_json::{Map, Value, json};

/// The rows of a file of JSON lines beside the checkout; without it a loud line, and none.
pub fn rows(name: &str) -> Vec<Value> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance");
    let folder = std::env::var_os("PROMPTWEAVE_CONFORMANCE").map_or_else(beside, PathBuf::from);
    let path = folder.join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("\n!!! NOT TESTED: {} is absent; set PROMPTWEAVE_CONFORMANCE\n", path.display());
        return Vec::new();
    };
    let lines = text.split('\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).expect("a row of JSON")).collect()
}

pub fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().expect("a list");
    list.iter().map(|item| item.as_str().expect("a string").to_owned()).collect()
}

/// Splits bytes in pieces of a size; 0 is all at once.
pub fn pieces(bytes: &[u8], size: usize) -> Vec<&[u8]> {
    if size == 0 { vec![bytes] } else { bytes.chunks(size).collect() }
}

/// Pieces of random lengths.
pub fn random_pieces(bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut random = Random(seed);
    let (mut rest, mut pieces) = (bytes, Vec::new());
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(1 + random.below(rest.len().min(40)));
        pieces.push(piece);
        rest = later;
    }
    pieces
}

/// A small generator of numbers, so that a seed says it all.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

pub fn blocks(parser: &Parser) -> Vec<Value> {
    parser.blocks().map(|block| block.to_json()).collect()
}

/// What the conformance files state of a block.
pub fn plain(block: &Block<'_>) -> Value {
    let mut json = block.to_json();
    let object = json.as_object_mut().expect("an object");
    ["id", "end", "repaired", "native"].iter().for_each(|key| _ = object.remove(*key));
    json
}

pub fn plain_blocks(parser: &Parser) -> Value {
    parser.blocks().map(|block| plain(&block)).collect()
}

/// Builds the blocks from events alone.
#[derive(Default)]
pub struct Fold {
    pub blocks: Vec<Value>,
    open: Vec<bool>,
    /// Blocks and parameters that there were.
    pub opened: usize,
}

impl Fold {
    pub fn take(&mut self, event: &Event<'_>) {
        let json = event.to_json();
        self.opened +=
            usize::from(matches!(event, Event::Opened { .. } | Event::ParamOpened { .. }));
        let index = json["index"].as_u64().expect("an index") as usize;
        if let Event::Opened { kind, .. } = event {
            assert_eq!(index, self.blocks.len(), "blocks open in their order");
            self.blocks.push(match kind.as_str() {
                "tool_use" => json!({ "type": "tool_use", "id": json["id"], "name": json["name"], "params": {} }),
                kind => json!({ "type": kind, "content": "" }),
            });
            self.open.push(true);
            return;
        }
        assert!(self.open[index], "nothing happens to a block that is closed: {json}");
        let block = &mut self.blocks[index];
        match event {
            Event::Delta { text, .. } => append(&mut block["content"], &text.read()),
            Event::ParamOpened { name, .. } => {
                let params = block["params"].as_object_mut().expect("parameters");
                let before = params.insert(name.to_string(), json!(""));
                assert!(
                    before.is_none(),
                    "a parameter opens once, or a repair took it back: {json}"
                );
            }
            Event::ParamDelta { name, text, .. } => {
                append(&mut block["params"][&*name.read()], &text.read())
            }
            Event::ParamClosed { name, .. } => {
                block["params"][&*name.read()] = json["value"].clone()
            }
            Event::Repaired { .. } => {
                block["params"] = json["params"].clone();
                block["repaired"] = json["why"].clone();
            }
            Event::Closed { .. } => {
                block["end"] = json["end"].clone();
                self.open[index] = false;
                let last = &json["block"];
                assert_eq!(
                    block.get("content"),
                    last.get("content"),
                    "deltas make the final block"
                );
                assert_eq!(params_of(block), params_of(last), "deltas make the final block");
            }
            _ => unreachable!("opened is handled, and there are no others"),
        }
    }

    /// Whether the events give these blocks.
    pub fn check(&self, parser: &Parser, input: &[u8]) {
        let shown = blocks(parser);
        let shown_to = || String::from_utf8_lossy(input).into_owned();
        assert_eq!(self.blocks.len(), shown.len(), "as many blocks from events: {}", shown_to());
        for (folded, block) in self.blocks.iter().zip(&shown) {
            for key in ["type", "content", "id", "name", "repaired"] {
                assert_eq!(folded.get(key), block.get(key), "{key} of {block} in {}", shown_to());
            }
            assert_eq!(params_of(folded), params_of(block), "parameters in {}", shown_to());
        }
    }
}

fn params_of(block: &Value) -> Map<String, Value> {
    text_of(&block.get("params").and_then(Value::as_object).cloned().unwrap_or_default())
}

/// A value that is not closed is text in events, and may be JSON by now.
fn text_of(params: &Map<String, Value>) -> Map<String, Value> {
    let text = |value: &Value| match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        value => value.clone(),
    };
    params.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

fn append(value: &mut Value, text: &str) {
    let Value::String(before) = value else { panic!("text goes to text") };
    before.push_str(text);
}

/// What a parser may hold before it has anything to hold.
const SMALLEST: usize = 256;

/// Feeds all pieces, and checks what must hold of every reply.
pub fn feed(mut parser: Parser, pieces: &[&[u8]], reason: StopReason) -> Parser {
    let input = pieces.concat();
    let mut fold = Fold::default();
    for piece in pieces {
        let told = format!("{:?}", parser.push(piece).collect::<Vec<_>>());
        assert_eq!(format!("{:?}", parser.events().collect::<Vec<_>>()), told, "told once more");
        for event in parser.events() {
            fold.take(&event);
        }
    }
    for event in parser.finish(reason) {
        fold.take(&event);
    }
    fold.check(&parser, &input);
    let raw: Vec<u8> = parser.raw().flat_map(|(_, slice)| slice.into_owned()).collect();
    assert_eq!(raw, input, "raw slices make the input");
    let limit = 2 * input.len() + 256 * fold.opened + SMALLEST;
    let held = parser.memory();
    assert!(
        held <= limit,
        "{held} bytes for {} of input: {}",
        input.len(),
        String::from_utf8_lossy(&input)
    );
    parser
}
