//! Bedrock's streams in their frames: the same events as from text, wherever the bytes are cut, and none from damaged ones.

mod common;

use common::{check, converted, random_pieces, sse};
use promptweave_wire::{ServerEvent, SseReader, StreamEvent, Target};

fn frame(event: &ServerEvent) -> Vec<u8> {
    let is_failure = event.name.ends_with("Exception");
    let (message, kind) = match is_failure {
        true => ("exception", ":exception-type"),
        false => ("event", ":event-type"),
    };
    let mut headers = Vec::new();
    let text =
        [(":message-type", message), (kind, &event.name), (":content-type", "application/json")];
    for (name, value) in text {
        headers.push(u8::try_from(name.len()).expect("short"));
        headers.extend_from_slice(name.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&u16::try_from(value.len()).expect("short").to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    // A header of a kind that says nothing here.
    headers.extend_from_slice(b"\x04:num\x04\x00\x00\x00\x01");
    framed(&headers, event.data.as_bytes())
}

fn framed(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let length = |bytes: usize| u32::try_from(bytes).expect("short").to_be_bytes();
    let mut all = Vec::new();
    all.extend_from_slice(&length(headers.len() + payload.len() + 16));
    all.extend_from_slice(&length(headers.len()));
    all.extend_from_slice(&crc32fast::hash(&all).to_be_bytes());
    all.extend_from_slice(headers);
    all.extend_from_slice(payload);
    all.extend_from_slice(&crc32fast::hash(&all).to_be_bytes());
    all
}

fn frames(text: &[u8]) -> Vec<u8> {
    let (mut reader, mut events) = (SseReader::default(), Vec::new());
    reader.push(text, &mut events).expect("a case");
    reader.finish(&mut events);
    events.iter().flat_map(frame).collect()
}

#[test]
fn frames_say_what_text_says() {
    insta::glob!("cases/streams/bedrock/*.sse", |path| {
        let text = std::fs::read(path).expect("a case");
        if text.starts_with(b"data") {
            return;
        }
        let bytes = frames(&text);
        let expected = sse(&converted(Target::Bedrock, [&text[..]]));
        assert_eq!(sse(&converted(Target::Bedrock, [&bytes[..]])), expected);
        assert_eq!(sse(&converted(Target::Bedrock, bytes.chunks(1))), expected);
        for seed in 0..20 {
            assert_eq!(sse(&converted(Target::Bedrock, random_pieces(&bytes, seed))), expected);
        }
        for at in 0..bytes.len() {
            check(&converted(Target::Bedrock, [&bytes[..at]]));
        }
    });
}

#[test]
fn damage_is_a_failure() {
    let text = b"event: messageStart\ndata: {\"role\":\"assistant\"}\n\nevent: contentBlockDelta\ndata: {\"contentBlockIndex\":0,\"delta\":{\"text\":\"a\"}}\n\nevent: messageStop\ndata: {\"stopReason\":\"end_turn\"}\n\n";
    let bytes = frames(text);
    for at in 1..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        let events = converted(Target::Bedrock, [&damaged[..]]);
        check(&events);
        assert!(matches!(events.last(), Some(StreamEvent::Error(_))), "{at}");
    }
    for headers in [&b"\x05:even"[..], b"\x01a\x0c", b"\x01a\x07\x00\xffx"] {
        let events = converted(Target::Bedrock, [&framed(headers, b"{}")[..]]);
        assert!(matches!(events.last(), Some(StreamEvent::Error(_))), "{headers:?}");
    }
    let error = b"\x0d:message-type\x07\x00\x05error\x0b:error-code\x07\x00\x03500\x0e:error-message\x07\x00\x04oops";
    let events = converted(Target::Bedrock, [&framed(error, b"")[..]]);
    assert!(sse(&events).contains("oops"), "{}", sse(&events));
}
