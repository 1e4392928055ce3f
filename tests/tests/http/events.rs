//! What is told while the server runs.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use promptweave::Engine;
use promptweave_loopback::Limits;
use promptweave_tests::http::{Answer, How, Served};
use promptweave_tests::pack;
use serde_json::{Value as Json, json};

fn engine(order: &str) -> Engine {
    pack::engine(&[("generic.toml", order), ("components/a.md", "a"), ("components/b.md", "b")])
}

/// A client that listens; it has read the head.
struct Listener(BufReader<TcpStream>);

impl Listener {
    /// One that has read what each hears first.
    fn new(served: &Served) -> Self {
        let mut listener = Self::begin(served);
        assert_eq!(listener.event().0, "diagnostics");
        listener
    }

    fn begin(served: &Served) -> Self {
        let mut stream = served.connect();
        let head = format!("GET /v1/events HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
        stream.write_all(head.as_bytes()).unwrap();
        let mut listener = Self(BufReader::new(stream));
        while listener.line() != "" {}
        listener
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The name and the data of the next event.
    fn event(&mut self) -> (String, Json) {
        loop {
            if let Some(name) = self.line().strip_prefix("event: ") {
                let data = self.line();
                let data = data.strip_prefix("data: ").unwrap();
                return (name.into(), serde_json::from_str(data).unwrap());
            }
        }
    }
}

#[test]
fn a_reload_is_told_to_all_and_counts_for_the_next_request() {
    let served = Served::new(engine("order = ['a']"));
    let mut listeners = [Listener::new(&served), Listener::new(&served)];
    let text =
        |served: &Served| served.post("/v1/build", &json!({ "format": "text" })).text().to_owned();
    assert_eq!(text(&served), "a");
    served.preview.replace(engine("order = ['a', 'b']\nordre = 1"), Vec::new());
    assert_eq!(text(&served), "a\n\nb");
    for listener in &mut listeners {
        assert_eq!(listener.event(), ("reload".into(), json!({ "generation": 1 })));
        let (name, told) = listener.event();
        assert_eq!((name.as_str(), &told[0]["code"]), ("diagnostics", &json!("unknown-key")));
    }
    assert_eq!(served.get("/v1/diagnostics").json()[0]["code"], "unknown-key");
}

/// Who comes while files have errors learns so at once.
#[test]
fn the_newest_load_counts_even_where_it_is_not_in_force() {
    let served = Served::new(engine("order = ['a']"));
    assert_eq!(Listener::begin(&served).event(), ("diagnostics".into(), json!([])));
    served.preview.tell(engine("order = [").diagnostics());
    let told = served.get("/v1/diagnostics").json();
    assert_eq!(told[0]["code"], "toml-syntax");
    assert_eq!(Listener::begin(&served).event(), ("diagnostics".into(), told));
    assert_eq!(served.post("/v1/build", &json!({ "format": "text" })).text(), "a");
    served.preview.replace(engine("order = ['b']"), Vec::new());
    assert_eq!(served.get("/v1/diagnostics").json(), json!([]));
    assert_eq!(Listener::begin(&served).event(), ("diagnostics".into(), json!([])));
}

#[test]
fn a_listener_that_does_not_read_holds_nobody_up() {
    let served = Served::new(engine("order = ['a']"));
    let mut slow = Listener::new(&served);
    // Far more than the queue and the system's buffers hold.
    let broken = engine("ordre = 1");
    let many: Vec<_> = broken.diagnostics().iter().cycle().take(400).cloned().collect();
    (0..400).for_each(|_| served.preview.tell(&many));
    served.preview.replace(engine("order = ['b']"), Vec::new());
    assert_eq!(served.post("/v1/build", &json!({ "format": "text" })).text(), "b");
    let missed = (0..500).map(|_| slow.event()).find(|(name, _)| name == "lagged");
    assert!(missed.is_some_and(|(_, data)| data["missed"].as_u64() > Some(0)));
    let reload = (0..500).map(|_| slow.event()).find(|(name, _)| name == "reload");
    assert!(reload.is_some(), "it goes on behind the gap");
}

#[test]
fn places_for_listeners_are_counted_and_given_back() {
    let limits = Limits { streams: 2, ..Limits::default() };
    let served = Served::with(engine("order = ['a']"), How { limits, ..How::default() });
    let listeners = [Listener::new(&served), Listener::new(&served)];
    assert_eq!(served.get("/v1/events").problem(), (503, "overloaded".into()));
    assert!(served.get("/metrics").text().contains("promptweave_http_streams 2"));
    drop(listeners);
    // What is written to a client that has gone tells that it has gone.
    let is_free = (0..200).any(|_| {
        served.preview.tell(&[]);
        thread::sleep(Duration::from_millis(10));
        served.get("/metrics").text().contains("promptweave_http_streams 0")
    });
    assert!(is_free);
}

#[test]
fn the_end_of_the_server_ends_streams() {
    let served = Served::new(engine("order = ['a']"));
    let mut stream = served.connect();
    write!(stream, "GET /v1/events HTTP/1.1\r\nHost: {}\r\n\r\n", served.address).unwrap();
    thread::sleep(Duration::from_millis(100));
    served.shutdown.begin();
    assert_eq!(Answer::read(&mut stream).status, 200);
}
