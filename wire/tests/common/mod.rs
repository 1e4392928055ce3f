//! What the tests share: cuts, and what must hold for any stream.
#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use promptweave_reply::{Parser, Specs};
use promptweave_wire::{Answering, Replay, StartBlock, Stop, Stream, StreamEvent, Target};
use serde_json::Value as Json;

pub fn answering() -> Answering {
    Answering { seed: Some("seed".into()), ..Answering::default() }
}

/// What chunks become.
pub fn converted<'c>(
    target: Target,
    chunks: impl IntoIterator<Item = &'c [u8]>,
) -> Vec<StreamEvent> {
    let mut stream = Stream::new(target, answering());
    let mut events: Vec<_> = chunks.into_iter().flat_map(|chunk| stream.push(chunk)).collect();
    events.extend(stream.finish());
    assert!(stream.is_over());
    assert_eq!(stream.push(b"data: {}\n\n"), []);
    assert_eq!(stream.finish(), []);
    events
}

/// The events as bytes of a stream.
pub fn sse(events: &[StreamEvent]) -> String {
    events.iter().map(StreamEvent::to_sse).collect()
}

/// The blocks that the reply parser makes of the events.
pub fn blocks(events: &[StreamEvent]) -> Vec<Json> {
    let mut replay = Replay::new(Parser::new(Specs::default()));
    events.iter().for_each(|event| replay.take(event, |_| {}));
    replay.parser().blocks().map(|block| block.to_json()).collect()
}

/// Fails unless the events are a valid stream.
pub fn check(events: &[StreamEvent]) {
    let shown = || sse(events);
    let (mut next, mut open, mut calls, mut ids) = (0, None, 0, Vec::new());
    let mut phase = 0;
    for event in events {
        match event {
            StreamEvent::Ping => {}
            StreamEvent::MessageStart { id, .. } => {
                assert_eq!(phase, 0, "one start: {}", shown());
                assert!(id.starts_with("msg_"), "{id}");
                phase = 1;
            }
            StreamEvent::BlockStart { index, block } => {
                assert_eq!((phase, open), (1, None), "one block after the other: {}", shown());
                assert_eq!(*index, next, "dense: {}", shown());
                open = Some(*index);
                next += 1;
                if let StartBlock::ToolUse { id, name } = block {
                    calls += 1;
                    assert!(!name.is_empty() && !ids.contains(id), "{}", shown());
                    let safe = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                    assert!(!id.is_empty() && id.chars().all(safe), "{id}");
                    ids.push(id.clone());
                }
            }
            StreamEvent::BlockDelta { index, .. } => {
                assert_eq!((phase, open), (1, Some(*index)), "{}", shown());
            }
            StreamEvent::BlockStop { index } => {
                assert_eq!((phase, open), (1, Some(*index)), "{}", shown());
                open = None;
            }
            StreamEvent::MessageDelta { stop_reason, .. } => {
                assert_eq!((phase, open), (1, None), "every block is closed: {}", shown());
                match stop_reason {
                    Stop::ToolUse => assert!(calls > 0, "{}", shown()),
                    Stop::EndTurn | Stop::StopSequence => assert_eq!(calls, 0, "{}", shown()),
                    _ => {}
                }
                phase = 2;
            }
            StreamEvent::MessageStop => {
                assert_eq!(phase, 2, "{}", shown());
                phase = 3;
            }
            StreamEvent::Error(_) => {
                assert!(phase < 2 && open.is_none(), "{}", shown());
                phase = 3;
            }
            _ => unreachable!("there are no others"),
        }
    }
    assert_eq!(phase, 3, "one end: {}", shown());
}

/// Pieces of random lengths.
pub fn random_pieces(bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut state = seed;
    let mut below = |limit: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit.max(1)
    };
    let (mut rest, mut pieces) = (bytes, Vec::new());
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(1 + below(rest.len().min(60)));
        pieces.push(piece);
        rest = later;
    }
    pieces
}
