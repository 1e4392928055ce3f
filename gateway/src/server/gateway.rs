//! What a gateway is made of.
//!
//! In: a configuration, an engine. Out: [`Gateway`]. Never: a connection before the first request.

use std::sync::Arc;

use promptweave::{Code, Diagnostic, Engine, Severity};
use promptweave_loopback::{Shutdown, Token};

use crate::config::{Config, Route, Server};
use crate::metrics::Metrics;
use crate::upstream::{Door, Needed, tls};

/// A gateway that can be served.
#[derive(Debug)]
pub struct Gateway {
    pub(super) inner: Inner,
    pub(super) token: Option<Token>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) server: Server,
    pub(crate) engine: Engine,
    pub(crate) routes: Vec<(Route, Door)>,
    pub(crate) metrics: Arc<Metrics>,
    /// What gateways call it on the way of a request.
    pub(crate) id: String,
    /// Begins when all answers must end.
    pub(crate) over: Shutdown,
}

impl Gateway {
    /// Makes a gateway. The engine builds the prompts of routes that want one, and counts tokens.
    ///
    /// # Errors
    /// The token cannot be used; the system has no certificates to check an upstream by; a route's prompt wants a variant that there is
    /// not.
    pub fn new(config: Config, engine: Engine) -> Result<Self, Vec<Diagnostic>> {
        let Config { server, upstreams: _, routes } = config;
        let token = token(&server);
        let secure = routes.iter().any(|route| route.upstream.base_url.starts_with("https://"));
        let tls = tls(if secure { Needed::Yes } else { Needed::No });
        let tls = tls.map_err(|told| vec![*told])?;
        let told: Vec<_> = routes.iter().filter_map(|route| unknown(route, &engine)).collect();
        if !told.is_empty() {
            return Err(told);
        }
        let mut doors: Vec<Door> = Vec::new();
        let mut with_doors = Vec::new();
        for route in routes {
            let same = |door: &&Door| Arc::ptr_eq(&door.upstream, &route.upstream);
            let door = match doors.iter().find(same) {
                Some(door) => door.clone(),
                None => Door::new(Arc::clone(&route.upstream), tls.clone()),
            };
            doors.push(door.clone());
            with_doors.push((probed(route, &engine), door));
        }
        let metrics = Arc::new(Metrics::default());
        let (id, over) = (format!("{:016x}", fastrand::u64(..)), Shutdown::default());
        let inner = Inner { server, engine, routes: with_doors, metrics, id, over };
        Ok(Self { inner, token: token.map_err(|told| vec![*told])? })
    }
}

/// Reads the token, if there is to be one.
fn token(server: &Server) -> Result<Option<Token>, Box<Diagnostic>> {
    let Some((file, origin)) = &server.token else { return Ok(None) };
    Token::from_file(file).map(Some).map_err(|error| {
        let told = Diagnostic::new(Code::InvalidValue, error.to_string(), origin.clone());
        Box::new(
            told.help("write a line of 16 or more random characters, and `chmod 600` the file"),
        )
    })
}

/// Tells the variant that a route wants and no pack has.
fn unknown(route: &Route, engine: &Engine) -> Option<Diagnostic> {
    let rule = route.prompt.as_ref().filter(|rule| rule.ask.variant.is_some())?;
    let error = engine.select(&rule.context, &rule.ask).err()?;
    let told = Diagnostic::new(Code::InvalidValue, error.to_string(), rule.origin.clone());
    Some(told.help("`promptweave list variants` names those of the packs in force"))
}

/// The route with what probes find for its prompt; they look once.
fn probed(mut route: Route, engine: &Engine) -> Route {
    if let Some(rule) = &mut route.prompt {
        let (context, told) = engine.probe(&rule.context);
        rule.context = context;
        for told in told.iter().filter(|told| told.severity > Severity::Note) {
            tracing::warn!(code = told.code.as_str(), "probe");
        }
    }
    route
}
