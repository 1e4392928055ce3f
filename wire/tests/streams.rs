//! Streams of every provider, whole and cut: bytes in, Anthropic's events out.

mod common;

use std::path::Path;

use common::{answering, blocks, check, converted, random_pieces, sse};
use promptweave_wire::{Failure, FailureKind, Stream, StreamEvent, Target, fold};

fn target(path: &Path) -> Target {
    let folder = path.parent().and_then(Path::file_name).expect("a folder");
    Target::from_name(folder.to_str().expect("UTF-8")).expect("a target")
}

/// How far cuts are apart.
fn step(bytes: &[u8]) -> usize {
    1 + bytes.len() / 400
}

#[test]
fn streams() {
    insta::glob!("cases/streams/*/*.sse", |path| {
        let bytes = std::fs::read(path).expect("a case");
        let events = converted(target(path), [&bytes[..]]);
        check(&events);
        let mut shown: Vec<String> =
            events.iter().map(|event| event.to_json().to_string()).collect();
        shown.push("=> blocks".into());
        shown.extend(blocks(&events).iter().map(ToString::to_string));
        insta::assert_snapshot!(shown.join("\n"));
    });
}

#[test]
fn vertex_is_read_as_anthropic() {
    insta::glob!("cases/streams/anthropic/*.sse", |path| {
        let bytes = std::fs::read(path).expect("a case");
        let events = |target| sse(&converted(target, [&bytes[..]]));
        assert_eq!(events(Target::Vertex), events(Target::Anthropic));
    });
}

#[test]
fn cuts_do_not_matter() {
    insta::glob!("cases/streams/*/*.sse", |path| {
        let bytes = std::fs::read(path).expect("a case");
        let whole = sse(&converted(target(path), [&bytes[..]]));
        // Short streams at every byte, long ones at some.
        for at in (0..=bytes.len()).step_by(step(&bytes)) {
            let (front, back) = bytes.split_at(at);
            assert_eq!(sse(&converted(target(path), [front, back])), whole, "cut at {at}");
        }
        assert_eq!(sse(&converted(target(path), bytes.chunks(1))), whole, "byte by byte");
        for seed in 0..20 {
            let pieces = random_pieces(&bytes, seed);
            assert_eq!(sse(&converted(target(path), pieces)), whole, "seed {seed}");
        }
    });
}

#[test]
fn a_converted_stream_is_one_of_anthropics() {
    insta::glob!("cases/streams/*/*.sse", |path| {
        let bytes = std::fs::read(path).expect("a case");
        let once = converted(target(path), [&bytes[..]]);
        let twice = converted(Target::Anthropic, [sse(&once).as_bytes()]);
        assert_eq!(sse(&twice), sse(&once));
        assert_eq!(blocks(&twice), blocks(&once));
        assert_eq!(fold(&twice), fold(&once));
    });
}

#[test]
fn each_cut_off_stream_is_valid_and_never_clean() {
    insta::glob!("cases/streams/*/*.sse", |path| {
        let bytes = std::fs::read(path).expect("a case");
        for at in (0..bytes.len()).step_by(step(&bytes)) {
            check(&converted(target(path), [&bytes[..at]]));
        }
    });
}

#[test]
fn what_is_ended_from_outside_closes_what_is_open() {
    let failure = Failure { kind: FailureKind::Timeout, message: "too late".into() };
    let mut stream = Stream::new(Target::OpenAiChat, answering());
    let mut events = stream.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n");
    events.extend(stream.fail(failure.clone()));
    check(&events);
    assert_eq!(events.last(), Some(&StreamEvent::Error(failure.clone())));
    assert!(stream.is_over() && stream.fail(failure).is_empty() && stream.finish().is_empty());
}
