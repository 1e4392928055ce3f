//! A reply arrives in chunks: text is shown as it comes, a call runs once it is complete.

use promptweave_reply::{Block, End, Event, ParamSpec, Parser, Specs, StopReason, ToolSpec};

const CHUNKS: [&str; 5] = [
    "I look at the file.\n\n<read",
    "_file>\n<path>src/ma",
    "in.rs</path>\n</read_file>\nThe syntax `<read_file>` ",
    "is only named here.\n<read_file>\n<path>src/li",
    "b.rs</pa",
];

fn main() {
    let path = ParamSpec::new("path", Some("string"));
    let specs = Specs::from_tools(&[ToolSpec { name: "read_file".into(), params: vec![path] }]);
    let mut parser = Parser::new(specs);
    let (mut shown, mut ran) = (String::new(), Vec::new());
    let mut take = |event: Event<'_>| match event {
        Event::Delta { text, .. } => shown.push_str(&text.read()),
        Event::Closed { end: Some(End::Text), block: Block::ToolUse(call), .. } => {
            let path = call.param("path").map(|path| path.value.text().to_string());
            ran.push((call.name().to_owned(), path));
        }
        _ => {}
    };
    for chunk in CHUNKS {
        parser.push(chunk).for_each(&mut take);
    }
    parser.finish(StopReason::MaxTokens).for_each(&mut take);
    assert_eq!(shown, "I look at the file.The syntax `<read_file>` is only named here.");
    assert_eq!(ran, [("read_file".into(), Some("src/main.rs".into()))], "the second call was cut");
    let last = parser.blocks().next_back().map(|block| block.to_json().to_string());
    eprintln!("{shown}\n{ran:?}\n{}", last.unwrap_or_default());
}
