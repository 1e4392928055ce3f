//! What no polite client sends.

use std::io::{Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use promptweave_loopback::Limits;
use promptweave_tests::http::{Answer, How, Served};
use promptweave_tests::standard;
use serde_json::json;

/// The server answers as before.
fn is_well(served: &Served) {
    assert_eq!(served.post("/v1/build", &json!({})).status, 200);
}

#[test]
fn malformed_json_is_400_and_another_shape_422() {
    let served = Served::new(standard::engine());
    let deep = "[".repeat(100_000);
    let deep_object = format!("{{\"context\":{}", "{\"a\":".repeat(10_000));
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("nonsense", 400),
        ("{\"context\": {}} trailing", 400),
        ("{\"context\": {\"a\": 1e999}}", 400),
        ("{\"context\": \"\\ud800\"}", 400),
        (&deep, 422),
        (&deep_object, 400),
        ("null", 422),
        ("[]", 422),
        ("{\"context\": []}", 422),
        ("[{}, {}]", 422),
        ("{\"context\": 1}", 422),
        ("{\"set\": {\"a..b\": 1}}", 422),
        ("{\"context\": {\"a\": 1}, \"set\": {\"a.b\": 1}}", 422),
        ("{\"max_tokens\": -1}", 422),
        ("{\"format\": \"pdf\"}", 422),
        ("{\"mode\": \"sleep\"}", 422),
        ("{\"variant\": \"none\"}", 422),
        ("{\"variant\": \"a\", \"tag\": \"b\"}", 422),
        ("{\"session\": \"\"}", 404),
        ("{\"model\": \"a\", \"model\": \"b\"}", 422),
    ] {
        let answer = served.post_text("/v1/build", body.as_bytes());
        assert_eq!(answer.problem().0, status, "{}", &body[..body.len().min(60)]);
    }
    assert_eq!(served.post_text("/v1/build", b"{\"model\": \"\xff\"}").problem().0, 400);
    for (path, body) in [
        ("/v1/diff", "{\"a\": [], \"b\": {}}"),
        ("/v1/matrix", "{\"contexts\": [[\"a\", {}]]}"),
        ("/v1/parse", "[\"Hi\"]"),
    ] {
        let answer = served.post_text(path, body.as_bytes());
        assert_eq!(answer.problem().0, 422, "a list is no object: {path}");
    }
    is_well(&served);
}

#[test]
fn a_hundred_megabytes_are_413_however_they_come() {
    let served = Served::new(standard::engine());
    let long = vec![b' '; 100 << 20];
    assert_eq!(served.post_text("/v1/build", &long).status, 413);
    let mut stream = served.connect();
    let head = format!(
        "POST /v1/parse HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
        served.address,
        long.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(&long);
    let _ = stream.write_all(b"\r\n0\r\n\r\n");
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start[9..], b"413");
    is_well(&served);
}

#[test]
fn slow_heads_and_bodies_cost_their_own_connection() {
    let short = Duration::from_millis(300);
    let limits = Limits { header_time: short, body_time: short, ..Limits::default() };
    let served = Served::with(standard::engine(), How { limits, ..How::default() });
    let slow: Vec<_> = (0..50)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(b"POST /v1/build HTTP/1.1\r\nX-Slow: ").unwrap();
            stream
        })
        .collect();
    is_well(&served);
    for mut stream in slow {
        assert_eq!(Answer::read(&mut stream).status, 0, "cut off without a word");
    }
    let mut stream = served.connect();
    let head = format!(
        "POST /v1/build HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(Answer::read(&mut stream).problem(), (408, "body-late".into()));
    is_well(&served);
}

/// Whoever waits for the rest of a body waits for it alone.
#[test]
fn half_bodies_hold_nobody_up() {
    let served = Served::new(standard::engine());
    let halves: Vec<_> = ["/v1/build", "/v1/parse", "/v1/sessions", "/auth"]
        .iter()
        .cycle()
        .take(256)
        .map(|path| {
            let mut stream = served.connect();
            let kind = if *path == "/v1/parse" { "application/x-ndjson" } else { "application/json" };
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: {kind}\r\nContent-Length: 100\r\n\r\n{{",
                served.address
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    is_well(&served);
    assert_eq!(served.get("/healthz").status, 200);
    drop(halves);
}

#[test]
fn heads_that_are_a_little_too_long_are_problems() {
    let served = Served::new(standard::engine());
    let long = served.get(&format!("/{}", "a".repeat(20_000)));
    assert_eq!(long.problem(), (414, "uri-too-long".into()));
    let many = served.ask(&format!("GET / HTTP/1.1{}", "\r\nX: y".repeat(70)), b"");
    assert_eq!(many.problem(), (431, "headers-too-large".into()));
    for answer in [long, many] {
        assert!(answer.header("x-request-id").is_some(), "{}", answer.head);
    }
}

#[test]
fn a_thousand_at_once_are_all_answered() {
    let limits = Limits { concurrency: 4, queue: 100, ..Limits::default() };
    let served = Arc::new(Served::with(standard::engine(), How { limits, ..How::default() }));
    let expected = served.post("/v1/build", &json!({ "format": "text" }));
    let threads = (0..1000).map(|_| {
        let (served, expected) = (Arc::clone(&served), expected.body.clone());
        thread::Builder::new().stack_size(256 << 10).spawn(move || {
            let answer = served.post("/v1/build", &json!({ "format": "text" }));
            match answer.status {
                200 => assert!(answer.body == expected),
                status => assert_eq!((status, answer.problem().1.as_str()), (503, "overloaded")),
            }
            answer.status
        })
    });
    let threads: Vec<_> = threads.map(Result::unwrap).collect();
    let told: Vec<u16> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let served_well = told.iter().filter(|status| **status == 200).count();
    assert!(served_well >= 104, "{served_well}");
    is_well(&served);
    let metrics = served.get("/metrics").text().to_owned();
    assert!(metrics.contains("promptweave_http_running 1"), "nothing is left behind: {metrics}");
}

#[test]
fn clients_that_go_leave_nothing_behind() {
    let served = Served::new(standard::engine());
    for path in ["/v1/events", "/v1/parse"] {
        for _ in 0..100 {
            let mut stream = served.connect();
            let head = match path {
                "/v1/events" => format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", served.address),
                _ => format!(
                    "POST {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{{\"chunk\": \"Hi\"}}\n\r\n",
                    served.address
                ),
            };
            stream.write_all(head.as_bytes()).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            assert!([b"200", b"503"].contains(&&start[9..].try_into().unwrap()), "{path}");
        }
    }
    let is_empty = (0..500).any(|_| {
        served.preview.tell(&[]);
        thread::sleep(Duration::from_millis(10));
        served.get("/metrics").text().contains("promptweave_http_streams 0")
    });
    assert!(is_empty, "{}", served.get("/metrics").text());
    is_well(&served);
}

#[test]
fn heads_that_are_none_end_the_connection() {
    let served = Served::new(standard::engine());
    for head in [
        "\0\0\0\0\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".into(),
        format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(100_000)),
        format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(1000)),
        "POST /v1/build HTTP/1.1\r\nContent-Length: -1\r\n\r\n".into(),
        "POST /v1/build HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}".into(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(),
    ] {
        let mut stream = served.connect();
        let _ = stream.write_all(head.as_bytes());
        let status = Answer::read(&mut stream).status;
        assert!(
            [0, 400, 414, 421, 431].contains(&status),
            "{status}: {}",
            &head[..head.len().min(40)]
        );
    }
    is_well(&served);
}
