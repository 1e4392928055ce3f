//! What a gateway is made of.
//!
//! In: a configuration, an engine. Out: [`Gateway`]. Never: a connection before the first request.

use std::sync::Arc;

use promptweave::{Code, Diagnostic, Engine, Severity};
use tokio::sync::Semaphore;

use crate::config::{Config, Route, Server};
use crate::metrics::Metrics;
use crate::upstream::{Door, Needed, tls};

/// A gateway that can be served; cheap to clone.
#[derive(Clone, Debug)]
pub struct Gateway(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) server: Server,
    pub(crate) engine: Engine,
    pub(crate) routes: Vec<(Route, Door)>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) permits: Arc<Semaphore>,
}

impl Gateway {
    /// Makes a gateway. The engine builds the prompts of routes that want one, and counts tokens.
    ///
    /// # Errors
    /// The system has no certificates to check an upstream by; a route's prompt wants a variant that there is not.
    pub fn new(config: Config, engine: Engine) -> Result<Self, Vec<Diagnostic>> {
        let Config { server, routes } = config;
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
        let permits = Arc::new(Semaphore::new(server.max_requests));
        let metrics = Arc::new(Metrics::default());
        Ok(Self(Arc::new(Inner { server, engine, routes: with_doors, metrics, permits })))
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }
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
