//! Replies: whole, in pieces, and as they arrive.

use std::io::{BufRead, BufReader, Write};

use promptweave_loopback::Limits;
use promptweave_tests::http::{Answer, How, Served};
use promptweave_tests::{cli, standard};
use serde_json::{Value as Json, json};

const REPLY: &str =
    "Let me look.\n<read_file>\n<path>src/lib.rs</path>\n</read_file>\nDone \u{1f980}.";

/// The events of an answer: names and data.
fn events(answer: &Answer) -> Vec<(String, Json)> {
    let text = answer.text();
    let blocks = text.split("\n\n").filter(|block| block.starts_with("event: "));
    let event = |block: &str| {
        let (name, data) = block.split_once("\ndata: ").unwrap();
        (name.trim_start_matches("event: ").to_owned(), serde_json::from_str(data).unwrap())
    };
    blocks.map(event).collect()
}

const STREAM: &str =
    "POST /v1/parse HTTP/1.1\r\nContent-Type: application/json\r\nAccept: text/event-stream";

#[test]
fn blocks_and_events_are_those_of_the_command_line() {
    let served = Served::new(standard::engine());
    let blocks = served.post("/v1/parse", &json!({ "reply": REPLY, "stop_reason": "end_turn" }));
    let printed = cli::run_with(["parse", "--stop-reason", "end_turn"], REPLY.as_bytes());
    let printed: Json = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(blocks.json(), json!({ "blocks": printed }));
    let body = json!({ "reply": REPLY, "stop_reason": "end_turn" });
    let streamed = events(&served.ask(STREAM, body.to_string().as_bytes()));
    let lines = cli::run_with(["parse", "--events", "--stop-reason", "end_turn"], REPLY.as_bytes());
    let lines = String::from_utf8(lines.stdout).unwrap();
    let lines: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (done, told) = streamed.split_last().unwrap();
    assert_eq!(done, &("done".into(), blocks.json()));
    assert_eq!(told.iter().map(|(_, data)| data.clone()).collect::<Vec<_>>(), lines);
    assert!(told.iter().all(|(name, data)| data["event"] == *name));
}

#[test]
fn however_a_reply_is_cut_its_blocks_are_the_same() {
    let served = Served::new(standard::engine());
    let whole = served.post("/v1/parse", &json!({ "reply": REPLY })).json();
    for size in [1, 2, 3, 7, 1000] {
        let body = json!({ "reply": REPLY, "chunk": size }).to_string();
        let all = events(&served.ask(STREAM, body.as_bytes()));
        assert_eq!(all.last().unwrap().1, whole, "{size}");
        let characters: Vec<char> = REPLY.chars().collect();
        let lines = characters
            .chunks(size)
            .map(|part| format!("{}\n", json!({ "chunk": part.iter().collect::<String>() })));
        let lines: String = lines.collect();
        let head = "POST /v1/parse HTTP/1.1\r\nContent-Type: application/x-ndjson";
        assert_eq!(served.ask(head, lines.as_bytes()).json(), whole, "{size}");
    }
}

#[test]
fn a_part_of_any_length_is_looked_at_piece_by_piece() {
    let served = Served::new(standard::engine());
    // Pieces end within a character.
    let reply = format!("a{}", "\u{1f980}".repeat(50_000));
    let lines = "POST /v1/parse HTTP/1.1\r\nContent-Type: application/x-ndjson\r\nAccept: text/event-stream";
    for (head, body) in
        [(STREAM, json!({ "reply": reply, "chunk": 8 << 20 })), (lines, json!({ "chunk": reply }))]
    {
        let all = events(&served.ask(head, body.to_string().as_bytes()));
        let texts = all.iter().filter_map(|(_, data)| data["text"].as_str());
        let texts: Vec<&str> = texts.collect();
        assert!(texts.iter().all(|text| text.len() <= 64 << 10), "{}", texts.len());
        assert_eq!(texts.concat(), reply);
        assert_eq!(all.last().unwrap().1["blocks"][0]["content"], reply);
    }
}

#[test]
fn events_come_while_the_reply_arrives() {
    let served = Served::new(standard::engine());
    let mut stream = served.connect();
    let head = format!(
        "POST /v1/parse?tools=run&params=command HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-ndjson\r\nAccept: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut seen = |what: &str| {
        let mut line = String::new();
        while !line.contains(what) {
            line.clear();
            assert_ne!(reader.read_line(&mut line).unwrap(), 0, "`{what}` never comes");
        }
    };
    for (chunk, what) in [
        ("Hello, how ", "event: opened"),
        ("are you? <run><command>ls", "Hello"),
        (" -l</command></run>", "event: closed"),
    ] {
        let line = format!("{}\n", json!({ "chunk": chunk }));
        write!(stream, "{:x}\r\n{line}\r\n", line.len()).unwrap();
        seen(what);
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    seen("event: done");
}

#[test]
fn a_broken_line_or_a_pause_ends_the_stream_with_a_problem() {
    let limits =
        Limits { request_time: std::time::Duration::from_millis(300), ..Limits::default() };
    let served = Served::with(standard::engine(), How { limits, ..How::default() });
    let head = "POST /v1/parse HTTP/1.1\r\nContent-Type: application/x-ndjson\r\nAccept: text/event-stream";
    let all = events(&served.ask(head, b"{\"chunk\": \"a\"}\n{\"chunk\": \n"));
    let (name, problem) = all.last().unwrap();
    assert_eq!((name.as_str(), &problem["code"]), ("error", &json!("json-invalid")));
    assert!(problem["request_id"].is_string());
    let mut stream = served.connect();
    let host = served.address;
    write!(stream, "{head}\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{{\"chunk\": \"a\"}}\n").unwrap();
    let all = events(&Answer::read(&mut stream));
    assert_eq!(all.last().unwrap().1["code"], "body-late");
}

#[test]
fn tools_are_those_of_the_request() {
    let served = Served::new(standard::engine());
    let parse = |body: Json| served.post("/v1/parse", &body).json()["blocks"].clone();
    let reply = "<greet><name>Ada</name></greet>";
    assert_eq!(parse(json!({ "reply": reply }))[0]["type"], "text");
    let specs = json!({ "greet": { "params": { "name": "scalar" } } });
    let by_specs = parse(json!({ "reply": reply, "specs": { "tools": specs } }));
    assert_eq!(
        (&by_specs[0]["type"], &by_specs[0]["params"]["name"]),
        (&json!("tool_use"), &json!("Ada"))
    );
    let named = json!({ "reply": reply, "tools": ["greet"], "params": ["name"] });
    assert_eq!(parse(named)[0]["name"], "greet");
    for wrong in [
        json!({ "reply": "", "specs": 1 }),
        json!({ "reply": "", "tools": ["a<b"], "params": [] }),
        json!({ "reply": "", "variant": "none" }),
        json!({ "reply": "", "dialect": "none" }),
        json!({ "reply": "", "stop_reason": "none" }),
        json!({ "reply": "", "chunk": 0 }),
        json!({}),
    ] {
        assert_eq!(served.post("/v1/parse", &wrong).problem().0, 422, "{wrong}");
    }
}
