//! What the tests share: upstreams that say what they are told to say, a gateway before them, a client.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::channel::Channel;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::client::legacy::Client as Http;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use promptweave::{Engine, MemorySource};
use promptweave_gateway::{Config, Gateway, Shutdown, serve};
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

pub const KEY: &str = "sk-upstream-0123456789";
pub const TOKEN: &str = "token-of-the-gateway";

/// What an upstream says to one request.
#[derive(Clone, Debug)]
pub struct Say {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub enum Step {
    Bytes(Bytes),
    Pause(Duration),
    /// Nothing more comes until somebody says so.
    Wait(Arc<Notify>),
    /// The connection breaks.
    Cut,
    /// Nothing more comes, and the connection stays.
    Hang,
}

impl Say {
    pub fn new(status: u16, steps: Vec<Step>) -> Self {
        Self { status, headers: Vec::new(), steps }
    }

    pub fn json(status: u16, body: &Json) -> Self {
        Self::new(status, vec![Step::Bytes(body.to_string().into())])
            .with("content-type", "application/json")
    }

    pub fn sse(text: &str) -> Self {
        Self::new(200, vec![Step::Bytes(text.to_owned().into())])
            .with("content-type", "text/event-stream")
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A request that an upstream got.
#[derive(Clone, Debug)]
pub struct Got {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Json,
}

/// An upstream on loopback. It says what it was told, the last again and again.
#[derive(Clone, Debug)]
pub struct Upstream {
    pub addr: SocketAddr,
    said: Arc<Mutex<VecDeque<Say>>>,
    got: Arc<Mutex<Vec<Got>>>,
    /// How many bodies nobody reads any more.
    dropped: Arc<Mutex<usize>>,
}

impl Upstream {
    pub async fn start(said: impl IntoIterator<Item = Say>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let said = Arc::new(Mutex::new(said.into_iter().collect()));
        let upstream = Self { addr, said, got: Arc::default(), dropped: Arc::default() };
        let own = upstream.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let own = own.clone();
                let service = service_fn(move |request| {
                    let own = own.clone();
                    async move { Ok::<_, Infallible>(own.answer(request).await) }
                });
                tokio::spawn(async move {
                    let _ =
                        http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        upstream
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    pub fn dropped(&self) -> usize {
        *self.dropped.lock().unwrap()
    }

    pub async fn answer(&self, request: Request<Incoming>) -> Response<Channel<Bytes, Gone>> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let body = serde_json::from_slice(&body).unwrap_or_default();
        let path = head.uri.path_and_query().unwrap().to_string();
        self.got.lock().unwrap().push(Got { path, headers: head.headers, body });
        let say = {
            let mut said = self.said.lock().unwrap();
            let last = said.len() < 2;
            if last { said.front().cloned() } else { said.pop_front() }
        };
        let say = say.expect("something to say");
        let (mut sender, channel) = Channel::new(1);
        let mut response = Response::builder().status(say.status);
        for (name, value) in &say.headers {
            response = response.header(*name, value);
        }
        // A head that never comes.
        if matches!(say.steps.first(), Some(Step::Hang)) {
            let _seen = Seen(Arc::clone(&self.dropped));
            std::future::pending::<()>().await;
        }
        let dropped = Arc::clone(&self.dropped);
        tokio::spawn(async move {
            for step in say.steps {
                match step {
                    Step::Bytes(bytes) => {
                        if sender.send_data(bytes).await.is_err() {
                            *dropped.lock().unwrap() += 1;
                            return;
                        }
                    }
                    Step::Pause(pause) => sleep(pause).await,
                    Step::Wait(said) => said.notified().await,
                    Step::Cut => return sender.abort(Gone),
                    Step::Hang => loop {
                        sleep(Duration::from_millis(10)).await;
                        // A comment, so that a connection that is gone is noticed.
                        if sender.send_data(Bytes::from_static(b":\n")).await.is_err() {
                            *dropped.lock().unwrap() += 1;
                            return;
                        }
                    },
                }
            }
        });
        response.body(channel).unwrap()
    }
}

/// Counts a future that was given up.
struct Seen(Arc<Mutex<usize>>);

impl Drop for Seen {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

#[derive(Debug)]
pub struct Gone;

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("gone")
    }
}

impl std::error::Error for Gone {}

/// A gateway that is stopped when it is dropped.
#[derive(Debug)]
pub struct Served {
    pub addr: SocketAddr,
    shutdown: Shutdown,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shutdown.begin();
    }
}

/// Prompts of the tests.
pub fn engine() -> Engine {
    let pack = MemorySource::new(
        "acme",
        [
            ("pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'"),
            ("generic.toml", "order = ['role', 'tools']"),
            ("components/role.md", "You are {{model.id}}, for {{user.name}}."),
            ("components/tools.md", "{{#each tools}}\n- {{name}}\n{{/each}}"),
        ],
    );
    Engine::builder().pack(pack).build().unwrap()
}

pub fn env(name: &str) -> Option<String> {
    match name {
        "KEY" => Some(KEY.to_owned()),
        _ => None,
    }
}

/// A file that holds the token, and lives as long as this.
pub fn token_file() -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, TOKEN.as_bytes()).unwrap();
    file
}

/// A configuration before one upstream of a target.
pub fn config(target: &str, upstream: SocketAddr, route: &str) -> String {
    format!(
        "format = 1\nserver = {{ addr = '127.0.0.1:0' }}\n[[upstream]]\nname = 'up'\ntarget = '{target}'\n\
         base_url = 'http://{upstream}'\nkey = 'env:KEY'\ntimeouts = {{ connect = 2, head = 5, idle = 5 }}\n\
         [[route]]\nmodels = ['*']\nupstream = 'up'\n{route}\n"
    )
}

/// Serves a configuration.
pub async fn gateway(config: &str) -> Served {
    stopped(config).await.0
}

/// The same, with what ends when the gateway does.
pub async fn stopped(config: &str) -> (Served, JoinHandle<()>) {
    let (config, told) = Config::from_toml(("gateway.toml", config), Path::new("."), &env);
    let shown: Vec<String> = told.iter().map(ToString::to_string).collect();
    let gateway = Gateway::new(config.unwrap_or_else(|| panic!("{shown:?}")), engine()).unwrap();
    let running = serve(gateway).await.unwrap();
    let addr = running.addr();
    let shutdown = Shutdown::default();
    let begun = shutdown.clone();
    let ended = tokio::spawn(async move { running.until(&begun).await });
    (Served { addr, shutdown }, ended)
}

/// What a client got.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    /// Whether the body came to its end.
    pub whole: bool,
}

impl Reply {
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The kind of the error.
    pub fn error(&self) -> String {
        self.json()["error"]["type"].as_str().unwrap_or_default().to_owned()
    }

    /// The names of a stream's events.
    pub fn events(&self) -> Vec<&str> {
        self.text.lines().filter_map(|line| line.strip_prefix("event: ")).collect()
    }
}

pub fn client() -> Http<HttpConnector, Full<Bytes>> {
    Http::builder(TokioExecutor::new()).build_http()
}

pub async fn send(request: Request<Full<Bytes>>) -> Reply {
    let response = client().request(request).await.unwrap();
    let (head, mut body) = response.into_parts();
    let (mut bytes, mut whole) = (Vec::new(), true);
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => bytes.extend(frame.into_data().unwrap_or_default()),
            Err(_) => {
                whole = false;
                break;
            }
        }
    }
    let text = String::from_utf8(bytes).unwrap();
    Reply { status: head.status.as_u16(), headers: head.headers, text, whole }
}

pub fn request(addr: SocketAddr, path: &str, body: &Json) -> Request<Full<Bytes>> {
    Request::post(format!("http://{addr}{path}"))
        .header("content-type", "application/json")
        .body(Full::new(body.to_string().into()))
        .unwrap()
}

pub async fn ask(served: &Served, body: &Json) -> Reply {
    send(request(served.addr, "/v1/messages", body)).await
}

pub async fn get(served: &Served, path: &str) -> Reply {
    let request = Request::get(format!("http://{}{path}", served.addr));
    send(request.body(Full::default()).unwrap()).await
}

/// A request for a stream.
pub fn streamed() -> Json {
    json!({ "model": "m-1", "max_tokens": 64, "stream": true, "messages": [{ "role": "user", "content": "Hi" }] })
}

/// The same for a message.
pub fn plain() -> Json {
    let mut body = streamed();
    body.as_object_mut().unwrap().remove("stream");
    body
}

/// A stream of OpenAI's Chat Completions.
pub const CHAT: &str = "data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n\
    data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";

/// An answer of the same that is whole.
pub fn chat() -> Json {
    json!({
        "id": "c1", "object": "chat.completion", "model": "m",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": "Hello" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 3, "completion_tokens": 2 },
    })
}
