//! Prints what the gateway adds to the way of an event, beside a bare proxy of bytes made of axum and hyper, within one run; and
//! what a process with a thousand open streams weighs.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::convert::Infallible;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::channel::{Channel, Sender};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use promptweave::Engine;
use promptweave_benches::table::{Goal, Table};
use promptweave_gateway::{Config, Gateway, Shutdown};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

/// Events of each way, in turns.
const EVENTS: usize = 3_000;
const WARM: usize = 300;
const STREAMS: usize = 1_000;
/// The word by which this program becomes the gateway that is weighed.
const SERVE: &str = "--serve-gateway";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|word| word == SERVE) {
        return serve(&arguments[at + 1]);
    }
    allow_files();
    let mut table = Table::of_arguments();
    for target in ["openai-chat", "anthropic"] {
        let name = format!("gateway to {target}, added to an event / by a byte proxy");
        table.row(&name, Goal::AtMost(2.0), || added(target));
    }
    table.row("gateway, MB with 1,000 open streams", Goal::AtMost(100.0), weight);
    table.verdict()
}

/// A thread of its own for each program, as they would have.
fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

/// A provider whose streams say the next event when they are told to.
#[derive(Clone, Default)]
struct Provider {
    open: Arc<Mutex<Vec<Sender<Bytes, Infallible>>>>,
    arrived: Arc<Notify>,
}

impl Provider {
    fn start(runtime: &Runtime) -> (Self, SocketAddr) {
        let provider = Self::default();
        let own = provider.clone();
        let handler = move || {
            let (sender, body) = Channel::new(4);
            own.open.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
            own.arrived.notify_one();
            let body = Body::new(body);
            async move {
                Response::builder()
                    .header("content-type", "text/event-stream")
                    .body(body)
                    .expect("a response")
            }
        };
        let addr = listen(runtime, Router::new().fallback(handler));
        (provider, addr)
    }

    /// The stream that was opened last.
    fn last(&self) -> Option<Sender<Bytes, Infallible>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

fn listen(runtime: &Runtime, router: Router) -> SocketAddr {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let addr = listener.local_addr().expect("an address");
    runtime.spawn(async move {
        use axum::serve::ListenerExt;
        let listener = listener.tap_io(|io| _ = io.set_nodelay(true));
        axum::serve(listener, router).await
    });
    addr
}

fn http() -> Client<HttpConnector, Body> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    Client::builder(TokioExecutor::new()).build(connector)
}

/// What does nothing but hand bytes on.
fn byte_proxy(runtime: &Runtime, upstream: SocketAddr) -> SocketAddr {
    let client = http();
    listen(
        runtime,
        Router::new().fallback(move |mut request: Request| {
            let client = client.clone();
            async move {
                let path = request.uri().path().to_owned();
                *request.uri_mut() = format!("http://{upstream}{path}").parse().expect("a URI");
                client.request(request).await.expect("an answer").map(Body::new)
            }
        }),
    )
}

fn gateway(target: &str, upstream: SocketAddr) -> Gateway {
    let text = format!(
        "format = 1\nserver = {{ addr = '127.0.0.1:0' }}\n[[upstream]]\nname = 'up'\ntarget = '{target}'\n\
         base_url = 'http://{upstream}'\n[[route]]\nmodels = ['*']\nupstream = 'up'\n"
    );
    let (config, told) = Config::from_toml(("bench", &text), Path::new("."), &|_| None);
    let engine = Engine::builder().build().expect("an engine");
    Gateway::new(config.unwrap_or_else(|| panic!("{told:?}")), engine).expect("a gateway")
}

/// An event of a provider, as it comes over the wire.
fn event(target: &str, number: usize) -> Bytes {
    let word = format!(" word{}", number % 97);
    let json = match target {
        "anthropic" => {
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": word } })
        }
        _ => json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "system_fingerprint": "f",
            "choices": [{ "index": 0, "delta": { "content": word }, "logprobs": null, "finish_reason": null }], "usage": null,
        }),
    };
    format!("data: {json}\n\n").into()
}

/// What a stream begins with.
fn beginning(target: &str) -> Bytes {
    match target {
        "anthropic" => Bytes::from_static(
            b"data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":1}}}\n\n\
              data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
        ),
        _ => event(target, 0),
    }
}

/// A request as agents send them: 20 kB.
fn request(addr: SocketAddr) -> hyper::Request<Body> {
    let body = json!({
        "model": "m", "max_tokens": 100, "stream": true, "system": "x".repeat(20_000),
        "messages": [{ "role": "user", "content": "Hi" }],
    });
    let request = hyper::Request::post(format!("http://{addr}/v1/messages"));
    request
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .expect("a request")
}

/// One open stream: the provider's end and the client's.
struct Way {
    sender: Sender<Bytes, Infallible>,
    body: Incoming,
    times: Vec<Duration>,
}

impl Way {
    async fn open(provider: &Provider, addr: SocketAddr, target: &str) -> Self {
        let client = http();
        let asked =
            tokio::spawn(async move { client.request(request(addr)).await.expect("an answer") });
        provider.arrived.notified().await;
        let mut sender = provider.last().expect("a stream");
        sender.send_data(beginning(target)).await.expect("somebody reads");
        let mut body = asked.await.expect("an answer").into_body();
        next(&mut body).await;
        Self { sender, body, times: Vec::new() }
    }

    /// The time of one event from the provider to the client.
    async fn event(&mut self, event: Bytes) {
        let begun = Instant::now();
        self.sender.send_data(event).await.expect("somebody reads");
        next(&mut self.body).await;
        self.times.push(begun.elapsed());
    }

    fn median(mut self) -> f64 {
        let mut times = self.times.split_off(WARM);
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e6
    }
}

async fn next(body: &mut Incoming) {
    while let Some(frame) = body.frame().await {
        if frame.expect("a stream").data_ref().is_some_and(|data| !data.is_empty()) {
            return;
        }
    }
    panic!("the stream ended");
}

/// What the gateway adds to the direct way, in multiples of what the byte proxy adds.
fn added(target: &str) -> (f64, String) {
    let (ours, theirs, of_provider, client) = (runtime(), runtime(), runtime(), runtime());
    let (provider, upstream) = Provider::start(&of_provider);
    let bytes = byte_proxy(&theirs, upstream);
    let served =
        ours.block_on(promptweave_gateway::serve(gateway(target, upstream))).expect("a port");
    let addr = served.addr();
    ours.spawn(async move { served.until(&Shutdown::default()).await });
    let (direct, theirs, ours) = client.block_on(async {
        let mut direct = Way::open(&provider, upstream, target).await;
        let mut theirs = Way::open(&provider, bytes, target).await;
        let mut ours = Way::open(&provider, addr, target).await;
        for number in 0..WARM + EVENTS {
            for way in [&mut direct, &mut theirs, &mut ours] {
                way.event(event(target, number)).await;
            }
        }
        (direct.median(), theirs.median(), ours.median())
    });
    let told = format!("times; direct {direct:.0} µs, byte proxy {theirs:.0}, gateway {ours:.0}");
    ((ours - direct) / (theirs - direct), told)
}

fn allow_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("more open files");
}

/// Becomes a gateway before the upstream at an address, and says where.
fn serve(upstream: &str) -> ExitCode {
    let upstream = upstream.parse().expect("an address");
    let served = promptweave_gateway::run(gateway("openai-chat", upstream), |addr| {
        eprintln!("{addr}");
    });
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A gateway in a process of its own, which ends with this.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    fn start(upstream: SocketAddr) -> (Self, SocketAddr) {
        let own = std::env::current_exe().expect("this program");
        let mut command = Command::new(own);
        // What the benches set to measure time is no part of a server.
        command.env_remove("MALLOC_MMAP_THRESHOLD_").env_remove("MALLOC_TRIM_THRESHOLD_");
        let mut child = command
            .args([SERVE, &upstream.to_string()])
            .stderr(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut line = String::new();
        let said = child.stderr.take().expect("its output");
        BufReader::new(said).read_line(&mut line).expect("an address");
        (Self(child), line.trim().parse().expect("an address"))
    }

    /// The memory that is its own and in use, in MB.
    fn megabytes(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.unwrap_or(f64::NAN) / 1024.0
    }
}

fn weight() -> (f64, String) {
    let (of_provider, client) = (runtime(), runtime());
    let (provider, upstream) = Provider::start(&of_provider);
    let (process, addr) = Process::start(upstream);
    let alone = process.megabytes();
    let megabytes = client.block_on(async {
        let mut ways = Vec::new();
        for _ in 0..STREAMS {
            ways.push(Way::open(&provider, addr, "openai-chat").await);
        }
        for number in 0..20 {
            for way in &mut ways {
                way.event(event("openai-chat", number)).await;
            }
        }
        process.megabytes()
    });
    (megabytes, format!("MB; {alone:.1} before the first"))
}
