//! A preview that is served in this process, and a client that sends what it is told to.
//!
//! In: an engine, limits, requests as bytes. Out: answers. Never: mends a request.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use promptweave::Engine;
use promptweave_loader::Listed;
use promptweave_loopback::{Limits, Shutdown, Token};
use promptweave_preview::{Preview, Server, SessionLimits, Setup};
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

/// A token that [`token`] writes.
pub const TOKEN: &str = "correct-horse-battery-staple";

/// A preview that is served until it is dropped.
pub struct Served {
    /// Where.
    pub address: SocketAddr,
    /// What is served.
    pub preview: Preview,
    /// Its end.
    pub shutdown: Shutdown,
    runtime: Option<Runtime>,
}

/// How a preview is served.
#[derive(Default)]
pub struct How {
    /// How much it takes.
    pub limits: Limits,
    /// Who asks must know it.
    pub token: Option<Token>,
    /// The plugins that were found.
    pub plugins: Vec<Listed>,
    /// How many sessions there may be.
    pub sessions: SessionLimits,
}

impl Served {
    /// Serves an engine with the usual limits.
    pub fn new(engine: Engine) -> Self {
        Self::with(engine, How::default())
    }

    /// Serves an engine.
    ///
    /// # Panics
    /// When the system gives no port.
    pub fn with(engine: Engine, how: How) -> Self {
        let How { limits, token, plugins, sessions } = how;
        let machine = || json!({ "os": "linux", "date": "2026-01-15" });
        let threads = limits.concurrency;
        let preview = Preview::new(Setup { engine, plugins, machine, sessions, threads });
        let (runtime, shutdown) = (Runtime::new().expect("a runtime"), Shutdown::default());
        let (ready, address) = mpsc::channel();
        let server =
            Server { address: ([127, 0, 0, 1], 0).into(), token, hosts: Vec::new(), limits };
        let (served, ends) = (preview.clone(), shutdown.clone());
        runtime.spawn(async move {
            let tell = move |address| ready.send(address).expect("somebody waits");
            server.serve(&served, &ends, tell).await.expect("a server");
        });
        let address = address.recv().expect("an address");
        Self { address, preview, shutdown, runtime: Some(runtime) }
    }

    /// A connection.
    ///
    /// # Panics
    /// When there is none.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
        stream
    }

    /// Sends a request on a connection of its own: `head` is its first line and headers without those of host and length.
    ///
    /// # Panics
    /// When what comes back is no answer.
    pub fn ask(&self, head: &str, body: &[u8]) -> Answer {
        let own = if head.contains("Host: ") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let length = if body.is_empty() {
            String::new()
        } else {
            format!("Content-Length: {}\r\n", body.len())
        };
        let mut stream = self.connect();
        // Who is refused may be cut off while it writes.
        let _ = stream
            .write_all(format!("{head}\r\n{own}{length}Connection: close\r\n\r\n").as_bytes());
        let _ = stream.write_all(body);
        Answer::read(&mut stream)
    }

    /// Asks for a path.
    pub fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1"), b"")
    }

    /// Sends JSON.
    pub fn post(&self, path: &str, body: &Json) -> Answer {
        self.post_text(path, body.to_string().as_bytes())
    }

    /// Sends bytes that say they are JSON.
    pub fn post_text(&self, path: &str, body: &[u8]) -> Answer {
        self.ask(&format!("POST {path} HTTP/1.1\r\nContent-Type: application/json"), body)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shutdown.begin();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status; 0 when the connection ended without an answer.
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    /// The body, its chunks joined.
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads until the connection ends.
    ///
    /// # Panics
    /// When it does not end in time.
    pub fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        if let Err(error) = stream.read_to_end(&mut bytes) {
            let reset = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
            assert!(reset.contains(&error.kind()), "{error}");
        }
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let (head, body) = bytes.split_at(end.map_or(bytes.len(), |end| end + 4));
        let head = String::from_utf8_lossy(head).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let is_chunked = head.contains("transfer-encoding: chunked");
        Self { status, body: if is_chunked { joined(body) } else { body.to_vec() }, head }
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    pub fn json(&self) -> Json {
        let text = self.text();
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {}{text}", self.head))
    }

    /// The body as text.
    ///
    /// # Panics
    /// When it is none.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a text")
    }

    /// The status and the code of a problem.
    pub fn problem(&self) -> (u16, String) {
        let json = self.json();
        let kind = self.header("content-type");
        assert_eq!(kind, Some("application/problem+json"), "{}", self.head);
        (self.status, json["code"].as_str().unwrap_or_default().to_owned())
    }
}

fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(at) = chunks.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&chunks[..at])
            .ok()
            .and_then(|size| usize::from_str_radix(size, 16).ok());
        let Some(size) = size.filter(|size| *size > 0 && chunks.len() >= at + 2 + size) else {
            break;
        };
        body.extend_from_slice(&chunks[at + 2..at + 2 + size]);
        chunks = chunks.get(at + 4 + size..).unwrap_or_default();
    }
    body
}

/// Writes a token into a folder, for its owner alone, and reads it.
///
/// # Panics
/// When the disk does not take it.
pub fn token(folder: &Path) -> Token {
    let file = folder.join("token");
    std::fs::write(&file, format!("{TOKEN}\n")).expect("a file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let owner = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&file, owner).expect("permissions");
    }
    Token::from_file(&file).expect("a token")
}
