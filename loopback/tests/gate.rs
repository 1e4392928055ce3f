//! A server behind the gate, asked by raw bytes: politely, wrongly, slowly, by many at once.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::stream;
use promptweave_loopback::{
    Allowed, Gate, Limits, Problem, Setup, Shutdown, Token, listen, read, serve,
};
use tokio::runtime::Runtime;

/// A server with a few routes; it ends when it is dropped.
struct Server {
    address: SocketAddr,
    gate: Gate,
    shutdown: Shutdown,
    runtime: Option<Runtime>,
}

impl Server {
    fn new(limits: Limits, token: Option<Token>) -> Self {
        let runtime = Runtime::new().unwrap();
        let shutdown = Shutdown::default();
        let (address, gate) = runtime.block_on(async {
            let (listener, address) = listen(([127, 0, 0, 1], 0).into(), None).await.unwrap();
            let setup = Setup {
                allowed: Allowed::at(address),
                limits,
                token,
                cookie: Some("own".into()),
                ..Setup::default()
            };
            let gate = Gate::new(setup, |_| {});
            let open = Router::new().route("/healthz", get(async || "ok"));
            let routes = open.merge(gate.authorise(routes(&gate)));
            let (app, own, shutdown) = (gate.admit(routes), gate.clone(), shutdown.clone());
            tokio::spawn(async move { serve(listener, app, &own, &shutdown).await });
            (address, gate)
        });
        Self { address, gate, shutdown, runtime: Some(runtime) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends a request on a connection of its own; the answer as text.
    fn ask(&self, head: &str, body: &str) -> String {
        let mut stream = self.connect();
        let head = head.replace("HOST", &format!("Host: {}", self.address));
        // Who is refused may be cut off while it writes.
        let _ = write!(stream, "{head}Connection: close\r\n\r\n{body}");
        rest(&mut stream)
    }

    fn post(&self, path: &str, headers: &str, body: &str) -> String {
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHOST\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}"
        );
        self.ask(&head, body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.begin();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

fn routes(gate: &Gate) -> Router {
    Router::new()
        .route("/echo", post(async |body: Body| read(body).await))
        .route("/panic", get(panics))
        .route("/slow", get(async || tokio::time::sleep(Duration::from_millis(300)).await))
        .route("/never", get(std::future::pending::<()>))
        .route("/stream", get(streamed))
        .with_state(gate.clone())
}

async fn panics() -> &'static str {
    panic!("on purpose")
}

async fn streamed(State(gate): State<Gate>) -> Result<Response, Problem> {
    let place = gate.streams().open()?;
    let lines = stream::unfold(place, |place| async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        Some((Ok::<_, std::io::Error>("line\n"), place))
    });
    Ok(Response::new(Body::from_stream(lines)))
}

/// Everything until the connection ends.
fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}"),
    }
    String::from_utf8(bytes).unwrap()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
}

fn token(folder: &Path) -> Token {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("token");
    std::fs::write(&file, "0123456789abcdef\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    Token::from_file(&file).unwrap()
}

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn what_is_no_request_of_ours_is_refused() {
    let server = Server::new(Limits::default(), None);
    for (head, expected) in [
        ("GET /healthz HTTP/1.1\r\nHOST\r\n", 200),
        ("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n", 421),
        ("GET /healthz HTTP/1.1\r\nHOST\r\nOrigin: http://evil.example\r\n", 403),
        ("GET /healthz HTTP/1.1\r\nHOST\r\nOrigin: null\r\n", 403),
        ("GET /none HTTP/1.1\r\nHOST\r\n", 404),
        ("DELETE /echo HTTP/1.1\r\nHOST\r\n", 405),
        ("POST /echo HTTP/1.1\r\nHOST\r\nContent-Length: 2\r\n", 415),
        ("POST /echo HTTP/1.1\r\nHOST\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n", 415),
        (
            "POST /echo HTTP/1.1\r\nHOST\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 2\r\n",
            415,
        ),
        (
            "POST /echo HTTP/1.1\r\nHOST\r\nContent-Type: multipart/form-data\r\nContent-Length: 2\r\n",
            415,
        ),
        (
            "POST /echo HTTP/1.1\r\nHOST\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n",
            200,
        ),
        ("nonsense\r\n", 400),
    ] {
        let body = if head.contains("Length") { "{}" } else { "" };
        let answer = server.ask(head, body);
        assert_eq!(status(&answer), expected, "{head}{answer}");
        if expected != 400 {
            let lower = answer.to_ascii_lowercase();
            assert!(lower.contains("x-content-type-options: nosniff"), "{answer}");
            assert!(!lower.contains("access-control"), "{answer}");
        }
    }
    let answer = server.ask("DELETE /echo HTTP/1.1\r\nHOST\r\n", "");
    assert!(
        answer.contains("allow: POST") && answer.contains(r#""code":"method-not-allowed""#),
        "{answer}"
    );
}

#[test]
fn without_the_token_nobody_passes() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(Limits::default(), Some(token(folder.path())));
    let cookie = format!("Cookie: own={}\r\n", server.gate.token().unwrap().cookie());
    for (headers, expected) in [
        ("", 401),
        ("Authorization: Bearer wrong\r\n", 401),
        ("Cookie: own=0123456789abcdef\r\n", 401),
        ("Authorization: Bearer 0123456789abcdef\r\n", 200),
        (&cookie, 200),
    ] {
        let answer = server.post("/echo", headers, "[1]");
        assert_eq!(status(&answer), expected, "{headers}");
        assert_eq!(answer.contains("www-authenticate: Bearer"), expected == 401, "{answer}");
    }
    assert_eq!(status(&server.ask("GET /healthz HTTP/1.1\r\nHOST\r\n", "")), 200);
}

#[test]
fn long_bodies_are_413_however_they_come() {
    let limits = Limits { body_bytes: 1000, ..Limits::default() };
    let server = Server::new(limits, None);
    let fits = "x".repeat(1000);
    assert!(server.post("/echo", "", &fits).ends_with(&fits));
    let long = "x".repeat(100 << 20);
    assert_eq!(status(&server.post("/echo", "", &long)), 413);
    let head = format!("POST /echo HTTP/1.1\r\nHOST\r\n{JSON}Transfer-Encoding: chunked\r\n");
    let chunked = format!("{:x}\r\n{long}\r\n0\r\n\r\n", long.len());
    assert_eq!(status(&server.ask(&head, &chunked)), 413);
    assert_eq!(status(&server.post("/echo", "", "{}")), 200);
}

/// A connection that ends while its client writes would take the answer along.
#[test]
fn who_is_refused_early_sees_the_answer() {
    let limits = Limits { concurrency: 1, queue: 0, ..Limits::default() };
    let server = Server::new(limits, None);
    let mut running = server.connect();
    write!(running, "GET /slow HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
    thread::sleep(Duration::from_millis(50));
    let host = server.address;
    for (host, path, expected) in [
        (format!("Host: {host}"), "/echo", 503),
        ("Host: evil.example".into(), "/echo", 421),
        (format!("Host: {host}\r\nOrigin: null"), "/none", 403),
    ] {
        let mut stream = server.connect();
        let head = format!(
            "POST {path} HTTP/1.1\r\n{host}\r\n{JSON}Content-Length: 100000\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        for _ in 0..10 {
            thread::sleep(Duration::from_millis(5));
            stream.write_all(&[b' '; 10_000]).unwrap();
        }
        assert_eq!(status(&rest(&mut stream)), expected);
    }
}

/// It cannot be told from one that has gone, which must hold no place.
#[test]
fn who_closes_its_own_direction_counts_as_gone() {
    let server = Server::new(Limits::default(), None);
    let mut stream = server.connect();
    write!(stream, "GET /never HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(rest(&mut stream), "");
}

/// Half a body, and then nothing: it would be waited for.
fn half(server: &Server, headers: &str, sent: usize) -> TcpStream {
    let mut stream = server.connect();
    let host = server.address;
    let head = format!(
        "POST /echo HTTP/1.1\r\nHost: {host}\r\n{JSON}{headers}Content-Length: 1000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&vec![b' '; sent]).unwrap();
    stream
}

#[test]
fn who_sends_half_a_body_takes_no_place() {
    let limits = Limits { concurrency: 2, queue: 0, ..Limits::default() };
    let server = Server::new(limits, None);
    let halves: Vec<_> = (0..64).map(|_| half(&server, "", 500)).collect();
    for _ in 0..10 {
        assert_eq!(status(&server.post("/echo", "", "{}")), 200);
    }
    for mut stream in halves {
        stream.write_all(&[b' '; 500]).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(status(std::str::from_utf8(&start).unwrap()), 200);
    }
}

#[test]
fn half_a_body_of_who_may_not_ask_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { concurrency: 2, queue: 0, ..Limits::default() };
    let server = Server::new(limits, Some(token(folder.path())));
    let halves: Vec<_> = (0..64).map(|_| half(&server, "", 500)).collect();
    for mut stream in halves {
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(status(std::str::from_utf8(&start).unwrap()), 401);
    }
}

#[test]
fn all_bodies_together_have_a_limit() {
    let limits = Limits { held_bytes: 1000, ..Limits::default() };
    let server = Server::new(limits, None);
    let held = half(&server, "", 600);
    thread::sleep(Duration::from_millis(100));
    let answer = server.post("/echo", "", &" ".repeat(600));
    assert_eq!(status(&answer), 503, "{answer}");
    drop(held);
    let is_free = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(20));
        status(&server.post("/echo", "", &" ".repeat(600))) == 200
    });
    assert!(is_free, "the room is never free again");
}

#[test]
fn open_routes_are_answered_while_all_else_waits() {
    let limits = Limits { concurrency: 1, queue: 0, ..Limits::default() };
    let server = Server::new(limits, None);
    let mut running = server.connect();
    write!(running, "GET /never HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(status(&server.post("/echo", "", "{}")), 503);
    assert_eq!(status(&server.ask("GET /healthz HTTP/1.1\r\nHOST\r\n", "")), 200);
}

#[test]
fn long_heads_and_packed_bodies_are_problems() {
    let server = Server::new(Limits::default(), None);
    let get = |path: &str, headers: &str| {
        server.ask(&format!("GET {path} HTTP/1.1\r\nHOST\r\n{headers}"), "")
    };
    for (answer, expected, code) in [
        (get(&format!("/{}", "a".repeat(17 << 10)), ""), 414, "uri-too-long"),
        (get("/healthz", &"X: y\r\n".repeat(100)), 431, "headers-too-large"),
        (get("/healthz", &format!("X: {}\r\n", "y".repeat(33 << 10))), 431, "headers-too-large"),
        (server.post("/echo", "Content-Encoding: gzip\r\n", "{}"), 415, "body-encoded"),
        (server.post("/echo", "Content-Encoding: identity, br\r\n", "{}"), 415, "body-encoded"),
        (server.post("/echo", "Content-Encoding:\r\n", "{}"), 415, "body-encoded"),
    ] {
        assert_eq!(status(&answer), expected, "{answer}");
        assert!(answer.contains("content-type: application/problem+json"), "{answer}");
        assert!(answer.contains(&format!("\"code\":\"{code}\"")), "{answer}");
        assert!(answer.contains("x-request-id: "), "{answer}");
    }
    assert_eq!(status(&server.post("/echo", "Content-Encoding: identity\r\n", "{}")), 200);
    assert_eq!(status(&get(&format!("/{}", "a".repeat(15 << 10)), "")), 404);
}

#[test]
fn slow_heads_and_bodies_are_ended() {
    let short = Duration::from_millis(200);
    let limits =
        Limits { header_time: short, body_time: short, request_time: short, ..Limits::default() };
    let server = Server::new(limits, None);
    let mut slow = server.connect();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHo").unwrap();
    assert_eq!(rest(&mut slow), "", "the connection ends");
    let mut slow = server.connect();
    let host = server.address;
    write!(slow, "POST /echo HTTP/1.1\r\nHost: {host}\r\n{JSON}Content-Length: 10\r\n\r\nabc")
        .unwrap();
    assert_eq!(status(&rest(&mut slow)), 408);
    assert_eq!(status(&server.ask("GET /never HTTP/1.1\r\nHOST\r\n", "")), 503);
    assert_eq!(status(&server.ask("GET /healthz HTTP/1.1\r\nHOST\r\n", "")), 200);
}

#[test]
fn a_panic_is_one_answer() {
    let server = Server::new(Limits::default(), None);
    let answer = server.ask("GET /panic HTTP/1.1\r\nHOST\r\n", "");
    assert_eq!(status(&answer), 500);
    assert!(!answer.contains("on purpose"), "{answer}");
    assert_eq!(status(&server.ask("GET /healthz HTTP/1.1\r\nHOST\r\n", "")), 200);
}

#[test]
fn more_than_fits_is_503_and_the_rest_is_served() {
    let limits = Limits { concurrency: 2, queue: 2, ..Limits::default() };
    let server = Arc::new(Server::new(limits, None));
    let asks = (0..20).map(|_| {
        let server = Arc::clone(&server);
        thread::spawn(move || status(&server.ask("GET /slow HTTP/1.1\r\nHOST\r\n", "")))
    });
    let asks: Vec<_> = asks.collect();
    let told: Vec<u16> = asks.into_iter().map(|ask| ask.join().unwrap()).collect();
    assert!(told.iter().all(|status| [200, 503].contains(status)), "{told:?}");
    assert!(told.contains(&200) && told.contains(&503), "{told:?}");
    assert_eq!(status(&server.ask("GET /slow HTTP/1.1\r\nHOST\r\n", "")), 200);
}

#[test]
fn a_stream_gives_its_place_back_when_its_client_goes() {
    let limits = Limits { streams: 1, ..Limits::default() };
    let server = Server::new(limits, None);
    let host = server.address;
    let mut first = server.connect();
    write!(first, "GET /stream HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    first.read_exact(&mut [0; 100]).unwrap();
    let ask = || {
        let mut second = server.connect();
        write!(second, "GET /stream HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut head = [0; 12];
        second.read_exact(&mut head).unwrap();
        status(std::str::from_utf8(&head).unwrap())
    };
    assert_eq!(ask(), 503);
    drop(first);
    let is_free = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(20));
        ask() == 200
    });
    assert!(is_free, "the place is never free again");
}

#[test]
fn a_shutdown_finishes_what_has_begun() {
    let server = Server::new(Limits::default(), None);
    let mut running = server.connect();
    write!(running, "GET /slow HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
    thread::sleep(Duration::from_millis(100));
    server.shutdown.begin();
    assert_eq!(status(&rest(&mut running)), 200);
    let refused = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(20));
        TcpStream::connect(server.address).is_err()
    });
    assert!(refused, "it still listens");
}

#[test]
fn requests_are_counted_by_route() {
    let server = Server::new(Limits::default(), None);
    server.post("/echo", "", "{}");
    server.ask("GET /any/thing HTTP/1.1\r\nHOST\r\n", "");
    let text = server.gate.metrics().text();
    let requests = "promptweave_http_requests_total";
    assert!(
        text.contains(&format!("{requests}{{method=\"POST\",route=\"/echo\",status=\"200\"}} 1")),
        "{text}"
    );
    assert!(
        text.contains(&format!("{requests}{{method=\"GET\",route=\"other\",status=\"404\"}} 1")),
        "{text}"
    );
    assert!(!text.contains("thing"), "what clients write is no label");
}
