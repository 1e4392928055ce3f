//! Prints how many times as long as a bare handler `/v1/build` takes, with 64 connections from a second process, and how much
//! memory an idle server takes.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use axum::routing::post;
use promptweave::{Ask, Context, Engine, Offsets};
use promptweave_benches::packs;
use promptweave_benches::table::{Goal, Table};
use promptweave_inspect::Built;
use promptweave_loopback::{Limits, Shutdown};
use promptweave_preview::{Preview, Server, SessionLimits, Setup};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

const CONNECTIONS: usize = 64;
/// Of each connection in a turn.
const REQUESTS: usize = 60;
const TURNS: usize = 15;
/// The word that makes this program the second process.
const LOAD: &str = "load";

type Fails<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, address, body] = arguments.as_slice()
        && word == LOAD
    {
        return match load(address, body) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("load: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let mut table = Table::of_arguments();
    if let Err(error) = rows(&mut table) {
        eprintln!("serve: {error}");
        return ExitCode::FAILURE;
    }
    table.verdict()
}

fn rows(table: &mut Table) -> Fails<()> {
    let names =
        ["serve, /v1/build of 30 kB / a bare handler", "the same, the 99th of 100 requests"];
    if names.iter().any(|name| table.wants(name)) {
        let runtime = Runtime::new()?;
        let made = packs::ready();
        let context = made.context.as_json().clone();
        let ours = served(&runtime, made.engine.clone())?;
        let theirs = bare(&runtime, result(&made.engine, &made.context)?)?;
        let measured = turns(&[ours, theirs], &json!({ "context": context }))?;
        for (at, name) in names.into_iter().enumerate() {
            table.row(name, Goal::AtMost(2.0), || {
                let [ours, theirs] = measured.map(|each| each[at]);
                (
                    ours.as_secs_f64() / theirs.as_secs_f64(),
                    format!("times; {ours:.2?} and {theirs:.2?}"),
                )
            });
        }
    }
    table.row("serve, idle memory", Goal::AtMost(40.0), || match idle() {
        Some(megabytes) => (megabytes, "MB".into()),
        None => (f64::NAN, "skipped: the program is not built for release".into()),
    });
    Ok(())
}

/// What both servers answer with.
fn result(engine: &Engine, context: &Context) -> Fails<Json> {
    let prompt = engine.prompt_for(context, &Ask::default())?;
    Ok(Built::new(engine.clone(), context.clone(), prompt).result(Offsets::Bytes).to_json())
}

fn served(runtime: &Runtime, engine: Engine) -> Fails<SocketAddr> {
    let limits = Limits::default();
    let preview = Preview::new(Setup {
        engine,
        plugins: Vec::new(),
        machine: || json!({}),
        sessions: SessionLimits::default(),
        threads: limits.concurrency,
    });
    let (ready, address) = mpsc::channel();
    let server =
        Server { address: ([127, 0, 0, 1], 0).into(), token: None, hosts: Vec::new(), limits };
    runtime.spawn(async move {
        let tell = move |address| _ = ready.send(address);
        server.serve(&preview, &Shutdown::default(), tell).await
    });
    Ok(address.recv()?)
}

/// The least that does the same: parses the same context, serialises the same value.
fn bare(runtime: &Runtime, result: Json) -> Fails<SocketAddr> {
    let result = Arc::new(result);
    let handler = async move |body: Bytes| {
        let context: Json = serde_json::from_slice(&body).unwrap_or_default();
        std::hint::black_box(context);
        let bytes = serde_json::to_vec(&*result).unwrap_or_default();
        let response = Response::builder().header(CONTENT_TYPE, "application/json");
        response.body(Body::from(bytes)).unwrap_or_default()
    };
    let app = Router::new().route("/v1/build", post(handler));
    let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
    let address = listener.local_addr()?;
    runtime.spawn(async move { axum::serve(listener, app).await });
    Ok(address)
}

/// The median over the turns, of each server: time by request, time of the 99th of 100.
fn turns(servers: &[SocketAddr; 2], body: &Json) -> Fails<[[Duration; 2]; 2]> {
    let mut all = [const { [const { Vec::new() }; 2] }; 2];
    for _ in 0..TURNS {
        for (server, figures) in servers.iter().zip(&mut all) {
            let load = Command::new(std::env::current_exe()?)
                .args([LOAD, &server.to_string(), &body.to_string()])
                .stderr(Stdio::inherit())
                .output()?;
            let told: Vec<u64> = serde_json::from_slice(&load.stdout)?;
            for (figure, nanoseconds) in figures.iter_mut().zip(told) {
                figure.push(Duration::from_nanos(nanoseconds));
            }
        }
    }
    Ok(all.map(|each| each.map(median)))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The second process: prints both times in nanoseconds.
fn load(address: &str, body: &str) -> Fails<()> {
    let request = Arc::new(format!(
        "POST /v1/build HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (took, mut times) = runtime.block_on(async {
        let mut streams = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut stream = TcpStream::connect(address).await?;
            // The first request of a connection warms it up.
            ask(&mut stream, &request).await?;
            streams.push(stream);
        }
        let began = Instant::now();
        let tasks = streams.into_iter().map(|stream| tokio::spawn(asks(stream, request.clone())));
        let tasks: Vec<_> = tasks.collect();
        let mut times = Vec::new();
        for task in tasks {
            times.extend(task.await??);
        }
        Ok::<_, Box<dyn Error + Send + Sync>>((began.elapsed(), times))
    })?;
    times.sort();
    let late = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
    let each = took / u32::try_from(times.len().max(1))?;
    let told = json!([each.as_nanos() as u64, late.as_nanos() as u64]);
    std::io::Write::write_all(&mut std::io::stdout(), told.to_string().as_bytes())?;
    Ok(())
}

async fn asks(mut stream: TcpStream, request: Arc<String>) -> Fails<Vec<Duration>> {
    let mut times = Vec::with_capacity(REQUESTS);
    for _ in 0..REQUESTS {
        let began = Instant::now();
        ask(&mut stream, &request).await?;
        times.push(began.elapsed());
    }
    Ok(times)
}

/// One request and its whole answer.
async fn ask(stream: &mut TcpStream, request: &str) -> Fails<()> {
    stream.write_all(request.as_bytes()).await?;
    let (mut bytes, mut whole) = (Vec::with_capacity(256 << 10), None);
    while whole.is_none_or(|whole| bytes.len() < whole) {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err("the connection ended".into());
        }
        if whole.is_none()
            && let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n")
        {
            whole = Some(end + 4 + length(&String::from_utf8_lossy(&bytes[..end]))?);
        }
    }
    Ok(())
}

/// The length that the head of a good answer tells.
fn length(head: &str) -> Fails<usize> {
    if !head.starts_with("HTTP/1.1 200") {
        return Err(head.into());
    }
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    Ok(length.ok_or("no length")?.1.trim().parse()?)
}

/// The resident megabytes of a server that has answered once.
fn idle() -> Option<f64> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target"));
    let program = target.unwrap_or(own).join("release/promptweave");
    let mut child = Command::new(program)
        .args(["serve", "--addr", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut url = String::new();
    BufReader::new(child.stdout.take()?).read_line(&mut url).ok()?;
    std::thread::sleep(Duration::from_millis(500));
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok();
    let _ = child.kill();
    let _ = child.wait();
    let kilobytes = status?.lines().find_map(|line| {
        line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<f64>().ok()
    });
    Some(kilobytes? / 1024.0)
}
