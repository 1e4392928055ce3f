//! The configuration as it is meant.
//!
//! In: a TOML file, the environment. Out: [`Config`], always valid, and every mistake with its place. Never: a key as text in the
//! file, or a request.

mod headers;
mod keys;
mod reader;
mod route;
mod server;
mod upstream;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, Uri};
use promptweave::{Ask, Code, Context, Diagnostic, Origin, Patterns, SourceFile};
use promptweave_wire::{Target, ToolCalls};
use toml::de::DeTable;

use crate::reading;
use crate::secret::KeySource;
pub(crate) use headers::HOPS;
use keys::Keys;
use reader::{Reader, Table};

/// What a gateway does.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens, and whom it lets in.
    pub server: Server,
    /// The APIs that requests may go to, by name.
    pub upstreams: Vec<Arc<Upstream>>,
    /// Which requests go where, in the order of the file.
    pub routes: Vec<Route>,
}

/// Where the gateway listens, and whom it lets in.
#[derive(Clone, Debug)]
pub struct Server {
    /// The address; port 0 takes a free one.
    pub addr: SocketAddr,
    /// The file of the token that clients must show, as `x-api-key` or as a bearer token, and where it is named.
    pub token: Option<(PathBuf, Origin)>,
    /// Names that a request may be addressed to beside those of the address: `name` or `name:port`, as clients send it.
    pub hosts: Vec<String>,
    /// The longest body of a request, in bytes.
    pub max_body: usize,
    /// How many requests may be open; more are refused as overload.
    pub max_requests: usize,
    /// How long open requests may go on once the gateway is told to stop.
    pub grace: Duration,
}

/// An API that requests go to.
#[derive(Clone, Debug)]
pub struct Upstream {
    /// How the file calls it.
    pub name: String,
    /// Its form.
    pub target: Target,
    /// Its address, without a slash at the end.
    pub base_url: String,
    /// The path of requests, where it is not the target's own.
    pub path: Option<String>,
    /// Headers that every request carries, the key among them.
    pub headers: Vec<(HeaderName, HeaderSource)>,
    /// How long it may take.
    pub timeouts: Timeouts,
}

/// What a header holds.
#[derive(Clone, Debug)]
pub enum HeaderSource {
    /// This text.
    Plain(String),
    /// A key.
    Key(KeySource),
    /// `Bearer`, and a key.
    Bearer(KeySource),
}

/// How long an upstream may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Until there is a connection.
    pub connect: Duration,
    /// From then until the first event of a stream, or the head of an answer that comes whole.
    pub head: Duration,
    /// Between two pieces of the answer.
    pub idle: Duration,
    /// From the request to the end of the answer.
    pub whole: Duration,
}

impl Timeouts {
    /// Until the answer begins.
    pub(crate) fn first(&self) -> Duration {
        self.connect.saturating_add(self.head).min(self.whole)
    }
}

/// Which models go where, and how.
#[derive(Clone, Debug)]
pub struct Route {
    /// The models it takes.
    pub models: Patterns,
    /// The models that it is said to have.
    pub listed: Vec<String>,
    /// Where their requests go.
    pub upstream: Arc<Upstream>,
    /// The model's name there, where it is another.
    pub model: Option<String>,
    /// How the model calls tools, where its target does not say it rightly.
    pub tool_calls: Option<ToolCalls>,
    /// How often a request is sent again at most.
    pub retries: u32,
    /// The prompt that promptweave adds.
    pub prompt: Option<PromptRule>,
}

/// The prompt that promptweave adds to the requests of a route.
#[derive(Clone, Debug)]
pub struct PromptRule {
    /// Where it stands.
    pub place: PromptPlace,
    /// Which variant.
    pub ask: Ask,
    /// What is known; the request adds its model and its tools.
    pub context: Context,
    /// Where the file says so.
    pub origin: Origin,
}

/// Where promptweave's prompt stands beside that of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptPlace {
    /// Before it.
    #[default]
    Before,
    /// Behind it.
    After,
    /// In its place.
    Instead,
}

/// A configuration that can be used if there is one, and what there is to tell.
pub type Reading = (Option<Config>, Vec<Diagnostic>);

/// What a file of a configuration may hold, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// The longest time that anything may take: a week.
const MOST_SECONDS: f64 = 604_800.0;
/// The format that is known.
const FORMAT: usize = 1;

impl Config {
    /// Reads a file, and the keys that it names from this process's environment.
    pub fn read(path: &Path) -> Reading {
        let name = path.to_string_lossy().into_owned();
        match reading::text(path, MAX_FILE_BYTES) {
            Ok(text) => {
                let folder = path.parent().unwrap_or(Path::new(""));
                Self::from_toml((&name, &text), folder, &|key| std::env::var(key).ok())
            }
            Err(why) => {
                let message = format!("`{name}` cannot be read: {why}");
                let told = Diagnostic::new(Code::FileUnreadable, message, Origin::Engine);
                (None, vec![told.help("name a file as `docs/gateway.md` describes it")])
            }
        }
    }

    /// Reads a text under a name; paths in it are below `folder`, and `env` answers for the environment.
    pub fn from_toml(
        (name, text): (&str, &str),
        folder: &Path,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Reading {
        let reader = Reader::new(SourceFile::new(name, text));
        let tree = match DeTable::parse(text) {
            Ok(tree) => tree.into_inner(),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let help = "mend it; until then nothing else is looked at";
                reader.tell(Code::TomlSyntax, span, error.message().replace('\n', ", "), help);
                return (None, reader.finish());
            }
        };
        let config = whole(&reader, &tree, &Keys { folder, env });
        let config = config.filter(|_| !reader.has_errors());
        (config, reader.finish())
    }
}

/// The whole file.
fn whole(reader: &Reader, tree: &DeTable<'_>, keys: &Keys<'_>) -> Option<Config> {
    let known = ["format", "server", "upstream", "route"];
    let root = Table::new(reader, tree, ("the file", 0..0), &known);
    if let Some(format) = root.needed("format", "write `format = 1`")
        && format.count((0, usize::MAX)).is_some_and(|number| number != FORMAT)
    {
        format.refuse::<()>("only format 1 is known".to_owned(), "write `format = 1`");
    }
    let server = server::read(&root, keys);
    let upstreams = upstream::read(&root, keys);
    let routes = route::read(&root, &upstreams, keys);
    let upstreams = upstreams.into_values().flatten().collect();
    Some(Config { server: server?, upstreams, routes })
}

/// Seconds under a key, up to a week.
fn seconds(table: &Table<'_>, key: &str, default: f64) -> Duration {
    let given = table.get(key).and_then(|value| value.number(MOST_SECONDS));
    Duration::try_from_secs_f64(given.unwrap_or(default)).unwrap_or_default()
}

/// Whether a server with this address can be reached from this machine alone.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// The host of an address.
fn host_of(uri: &Uri) -> &str {
    uri.host().unwrap_or_default()
}

/// A path of the file, below the file's folder.
fn below(folder: &Path, path: &str) -> PathBuf {
    folder.join(path)
}
