//! Any bytes from any provider: the result is a stream that ends, and the same wherever the bytes are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promptweave_wire::{Answering, Stream, StreamEvent, Target};

fn text<'c>(target: Target, chunks: impl IntoIterator<Item = &'c [u8]>) -> String {
    let mut stream = Stream::new(target, Answering::default());
    let mut events: Vec<StreamEvent> =
        chunks.into_iter().flat_map(|chunk| stream.push(chunk)).collect();
    events.extend(stream.finish());
    assert!(stream.is_over());
    events.iter().map(StreamEvent::to_sse).collect()
}

fuzz_target!(|input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else { return };
    let target = Target::ALL[usize::from(*first) % Target::ALL.len()];
    let whole = text(target, [bytes]);
    assert_eq!(text(target, bytes.chunks(1)), whole);
    // What came out is one of Anthropic's streams.
    assert_eq!(text(Target::Anthropic, [whole.as_bytes()]), whole);
});
