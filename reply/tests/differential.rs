//! Exact mode against a slow parser that does literally what the rules say.
//!
//! `PROMPTWEAVE_FUZZ=1000000 cargo test --release -p promptweave-reply --test differential` for a million inputs.

mod common;

use common::{Random, feed, plain_blocks, random_pieces, soup};
use promptweave_reply::{Parser, StopReason};
use serde_json::{Map, Value, json};

const TOOLS: &[&str] = &["a", "b", "write_to_file", "x", "aa"];
const PARAMS: &[&str] = &["p", "q", "content", "path", "x"];
const DEFAULT_INPUTS: usize = 20_000;

/// White space as ECMAScript trims it.
fn trim(text: &[char]) -> String {
    let is_space = |c: char| {
        matches!(c, '\u{9}'..='\u{d}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
            | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
    };
    text.iter().collect::<String>().trim_matches(is_space).to_owned()
}

/// Whether `tag` ends at `i`.
fn ends(text: &[char], i: usize, tag: &str) -> bool {
    let tag: Vec<char> = tag.chars().collect();
    i + 1 >= tag.len() && text[i + 1 - tag.len()..=i] == tag[..]
}

fn find(text: &[char], tag: &str, last: bool) -> Option<usize> {
    let length = tag.chars().count();
    let mut places = (0..text.len()).filter(|i| ends(text, *i, tag)).map(|i| i + 1 - length);
    if last { places.next_back() } else { places.next() }
}

/// One state for each of the three rows of the table, one pass over the characters.
fn reference(input: &str, tools: &[&str], params: &[&str]) -> Value {
    let text: Vec<char> = input.chars().collect();
    let mut blocks = Vec::new();
    let mut text_from = 0;
    let mut tool: Option<(&str, usize, Map<String, Value>)> = None;
    let mut param: Option<(&str, usize)> = None;
    for i in 0..text.len() {
        if let (Some((name, from)), Some((_, _, values))) = (param, &mut tool) {
            let closer = format!("</{name}>");
            if !ends(&text, i, &closer) {
                continue;
            }
            let to = i + 1 - closer.chars().count();
            values.insert(name.into(), json!(trim(&text[from..to])));
            param = None;
        }
        if let Some((name, from, values)) = &mut tool {
            if let Some(opened) = params.iter().find(|param| ends(&text, i, &format!("<{param}>")))
            {
                param = Some((opened, i + 1));
                continue;
            }
            let closer = format!("</{name}>");
            if ends(&text, i, &closer) {
                let inside = &text[*from..i + 1 - closer.chars().count()];
                if *name == "write_to_file" {
                    let open = find(inside, "<content>", false);
                    let close = find(inside, "</content>", true);
                    if let (Some(open), Some(close)) = (open, close)
                        && close > open
                    {
                        let open = open + "<content>".len();
                        values.insert("content".into(), json!(trim(&inside[open..close])));
                    }
                }
                blocks.push(
                    json!({ "type": "tool_use", "name": name, "params": values, "partial": false }),
                );
                tool = None;
                text_from = i + 1;
            }
            continue;
        }
        if let Some(opened) = tools.iter().find(|tool| ends(&text, i, &format!("<{tool}>"))) {
            let before = trim(&text[text_from..i + 1 - opened.chars().count() - 2]);
            if !before.is_empty() {
                blocks.push(json!({ "type": "text", "content": before, "partial": false }));
            }
            tool = Some((opened, i + 1, Map::new()));
        }
    }
    match (tool, param) {
        (Some((name, _, mut values)), param) => {
            if let Some((param, from)) = param {
                values.insert(param.into(), json!(trim(&text[from..])));
            }
            blocks.push(
                json!({ "type": "tool_use", "name": name, "params": values, "partial": true }),
            );
        }
        (None, _) => {
            let rest = trim(&text[text_from..]);
            if !rest.is_empty() {
                blocks.push(json!({ "type": "text", "content": rest, "partial": true }));
            }
        }
    }
    Value::Array(blocks)
}

#[test]
fn exact_mode_does_what_the_rules_say() {
    let inputs = std::env::var("PROMPTWEAVE_FUZZ").ok().and_then(|count| count.parse().ok());
    let inputs = inputs.unwrap_or(DEFAULT_INPUTS);
    for seed in 0..inputs as u64 {
        let mut random = Random(seed);
        let input = soup::soup(soup::XML, &mut random, 24);
        let expected = reference(&input, TOOLS, PARAMS);
        let parser = feed(
            Parser::exact(TOOLS, PARAMS),
            &random_pieces(input.as_bytes(), seed),
            StopReason::Unknown,
        );
        assert_eq!(plain_blocks(&parser), expected, "seed {seed}: {input:?}");
        // What is shown within the stream is what the whole so far gives.
        let mut cut = random.below(input.len() + 1);
        while !input.is_char_boundary(cut) {
            cut -= 1;
        }
        let mut parser = Parser::exact(TOOLS, PARAMS);
        let half = cut / 2;
        let _ = parser.push(&input.as_bytes()[..half]);
        let _ = parser.push(&input.as_bytes()[half..cut]);
        assert_eq!(
            plain_blocks(&parser),
            reference(&input[..cut], TOOLS, PARAMS),
            "seed {seed}: {:?}",
            &input[..cut]
        );
    }
    eprintln!("{inputs} inputs, no difference");
}
