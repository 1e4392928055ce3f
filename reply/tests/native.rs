//! Events that a provider gives beside the text, or instead of it.

mod common;

use common::{Fold, blocks};
use promptweave_reply::{NativeEvent, Parser, Specs, StopReason, ToolSpec};
use serde_json::{Value, json};

fn specs() -> Specs {
    Specs::from_tools(&[ToolSpec { name: "read".into(), params: Vec::new() }])
}

/// Feeds events and checks that what is told is what is shown.
fn fed(mut parser: Parser, events: &[NativeEvent<'_>], reason: StopReason) -> Vec<Value> {
    let mut fold = Fold::default();
    for event in events {
        parser.push_event(*event).for_each(|event| fold.take(&event));
    }
    parser.finish(reason).for_each(|event| fold.take(&event));
    fold.check(&parser, b"native events");
    blocks(&parser)
}

#[test]
fn a_call_streams() {
    let arguments = r#"{"path": "a\n\u00e9", "lines": [1, {"b": "}"}], "all": true}"#;
    for size in 1..8 {
        let pieces: Vec<&str> = common::pieces(arguments.as_bytes(), size)
            .into_iter()
            .map(|piece| std::str::from_utf8(piece).expect("ASCII"))
            .collect();
        let mut events = vec![
            NativeEvent::Text("I look."),
            NativeEvent::CallStart { id: "toolu_1", name: "read" },
        ];
        events.extend(pieces.iter().map(|piece| NativeEvent::CallArguments(piece)));
        events.extend([
            NativeEvent::Signature("sig"),
            NativeEvent::CallEnd,
            NativeEvent::Text("Done."),
        ]);
        let call = json!({
            "type": "tool_use", "id": "toolu_1", "name": "read", "partial": false, "end": "text", "native": true,
            "signature": "sig", "params": { "path": "a\né", "lines": [1, { "b": "}" }], "all": true },
        });
        let text = |text: &str| json!({ "type": "text", "content": text, "partial": false });
        for parser in [Parser::new(specs()), Parser::exact(&["read"], &["path"])] {
            let found = fed(parser, &events, StopReason::EndTurn);
            assert_eq!(found, [text("I look."), call.clone(), text("Done.")], "pieces of {size}");
        }
    }
}

#[test]
fn parallel_calls_reasoning_and_unknown_tools() {
    let events = [
        NativeEvent::Reasoning("Think "),
        NativeEvent::Reasoning("twice."),
        NativeEvent::Signature("r"),
        NativeEvent::CallStart { id: "1", name: "nobody" },
        NativeEvent::CallEnd,
        NativeEvent::CallStart { id: "2", name: "read" },
        NativeEvent::CallArguments("{}"),
        NativeEvent::CallStart { id: "3", name: "read" },
        NativeEvent::CallArguments("{\"path\": \"half"),
    ];
    let found = fed(Parser::new(specs()), &events, StopReason::MaxTokens);
    let call = |id: &str, name: &str, params: Value, end: &str| json!({ "type": "tool_use", "id": id, "name": name, "params": params, "partial": end != "text", "end": end, "native": true });
    assert_eq!(
        found,
        [
            json!({ "type": "reasoning", "content": "Think twice.", "partial": false, "signature": "r" }),
            call("1", "nobody", json!({}), "text"),
            call("2", "read", json!({}), "text"),
            call("3", "read", json!({ "path": "half" }), "length"),
        ]
    );
}

#[test]
fn native_text_is_not_searched() {
    let events = [NativeEvent::Text("<read>"), NativeEvent::Text("</read>")];
    let found = fed(Parser::new(specs()), &events, StopReason::EndTurn);
    assert_eq!(found, [json!({ "type": "text", "content": "<read></read>", "partial": false })]);
}

#[test]
fn text_that_is_pushed_ends_where_an_event_comes() {
    let mut parser = Parser::new(specs());
    let mut fold = Fold::default();
    parser.push("Look: <read").for_each(|event| fold.take(&event));
    parser
        .push_event(NativeEvent::CallStart { id: "1", name: "read" })
        .for_each(|event| fold.take(&event));
    parser.push_event(NativeEvent::CallEnd).for_each(|event| fold.take(&event));
    parser.push("<read></read>").for_each(|event| fold.take(&event));
    parser.finish(StopReason::EndTurn).for_each(|event| fold.take(&event));
    fold.check(&parser, b"text and events");
    let kinds: Vec<_> = blocks(&parser).iter().map(|block| block["type"].clone()).collect();
    assert_eq!(kinds, ["text", "tool_use", "tool_use"]);
    assert_eq!(blocks(&parser)[0]["content"], "Look: <read");
}
