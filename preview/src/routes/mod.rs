//! The routes: each stands once, with what is said of it in the document.
//!
//! In: a preview, a gate. Out: a router. Never: a route that the document does not have.

mod auth;
mod builds;
mod events;
mod lists;
mod parse;
mod sessions;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};
use promptweave_loopback::{Gate, Problem, Shutdown};
use schemars::SchemaGenerator;
use serde_json::json;

use crate::asked::{BuildRequest, DiffRequest, MatrixRequest, NoRequest, TokenRequest};
use crate::builds::answer;
use crate::document::{Answer, Operation, Sent, document};
use crate::page;
use crate::preview::Preview;

/// What handlers have.
#[derive(Clone)]
pub(super) struct App {
    pub(super) preview: Preview,
    pub(super) gate: Gate,
    pub(super) shutdown: Shutdown,
}

/// A route and what is said of it.
pub(crate) struct Route {
    pub(crate) about: Operation,
    serve: MethodRouter<App>,
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Who knows the token.
    Token,
    /// Everybody: nothing of the packs is told.
    Open,
}

pub(crate) fn app(preview: &Preview, gate: &Gate, shutdown: &Shutdown) -> Router {
    let (mut open, mut closed) = (page::routes(), Router::new());
    for Route { about, serve } in routes() {
        match about.access {
            Access::Open => open = open.route(about.path, serve),
            Access::Token => closed = closed.route(about.path, serve),
        }
    }
    let state = App { preview: preview.clone(), gate: gate.clone(), shutdown: shutdown.clone() };
    gate.admit(open.merge(gate.authorise(closed))).with_state(state)
}

/// All of them but the page.
pub(crate) fn routes() -> Vec<Route> {
    builds().into_iter().chain(lists()).chain(streams()).chain(sessions()).chain(own()).collect()
}

fn streams() -> [Route; 2] {
    [
        Route {
            about: Operation::new(
                "post",
                "/v1/parse",
                "Cuts a reply into text, reasoning and calls",
            )
            .sends(Sent::Reply)
            .answers(Answer::Blocks),
            serve: post(parse::parse),
        },
        Route {
            about: Operation::new("get", "/v1/events", "Reloads and diagnostics, as they happen")
                .answers(Answer::Events),
            serve: get(events::events),
        },
    ]
}

fn sessions() -> [Route; 3] {
    let of = |method, path, summary, answer, serve| Route {
        about: Operation::new(method, path, summary).answers(answer),
        serve,
    };
    let (id, reset) = ("/v1/sessions/{id}", "/v1/sessions/{id}/reset");
    let begun = Answer::Created("session");
    let all = [
        of("post", "/v1/sessions", "Begins a session", begun, post(sessions::begin)),
        of("post", reset, "Forgets what a session said", Answer::Nothing, post(sessions::reset)),
        of("delete", id, "Ends a session", Answer::Nothing, delete(sessions::end)),
    ];
    let nothing = || Sent::Nothing(SchemaGenerator::subschema_for::<NoRequest>);
    all.map(|Route { about, serve }| Route { about: about.sends(nothing()), serve })
}

/// What the server tells of itself.
fn own() -> [Route; 4] {
    let of = |path, summary, answer, serve| Route {
        about: Operation::new("get", path, summary).answers(answer),
        serve,
    };
    let numbers = Answer::Text("application/openmetrics-text");
    let health = of("/healthz", "Whether the server runs", Answer::Json("health"), get(health));
    [
        of("/v1/openapi.json", "This document", Answer::Json("document"), get(openapi)),
        of("/metrics", "What was counted, for Prometheus", numbers, get(metrics)),
        Route { about: health.about.open(), serve: health.serve },
        Route {
            about: Operation::new("post", "/auth", "Exchanges the token for a cookie")
                .open()
                .sends(Sent::of::<TokenRequest>())
                .answers(Answer::Nothing),
            serve: post(auth::auth),
        },
    ]
}

fn builds() -> [Route; 5] {
    let of = |about: Operation, serve: MethodRouter<App>| Route { about, serve };
    let build = Sent::of::<BuildRequest>;
    [
        of(
            Operation::new("post", "/v1/build", "Builds a prompt")
                .sends(build())
                .answers(Answer::Build),
            post(builds::build),
        ),
        of(
            Operation::new(
                "post",
                "/v1/layers",
                "The parts of a prompt: origin, class, bytes, tokens",
            )
            .sends(build())
            .answers(Answer::Json("layers")),
            post(builds::layers),
        ),
        of(
            Operation::new(
                "post",
                "/v1/explain",
                "Why this variant, why each section is in or out",
            )
            .sends(build())
            .answers(Answer::Json("result")),
            post(builds::explain),
        ),
        of(
            Operation::new("post", "/v1/diff", "Two builds section by section")
                .sends(Sent::of::<DiffRequest>())
                .answers(Answer::Json("difference")),
            post(builds::diff),
        ),
        of(
            Operation::new("post", "/v1/matrix", "All variants in given contexts")
                .sends(Sent::of::<MatrixRequest>())
                .answers(Answer::Json("matrix")),
            post(builds::matrix),
        ),
    ]
}

fn lists() -> [Route; 8] {
    let of = |path, summary, answer, serve| Route {
        about: Operation::new("get", path, summary).answers(Answer::Json(answer)),
        serve,
    };
    [
        of("/v1/variants", "The variants", "list", get(lists::variants)),
        of("/v1/components", "The components", "list", get(lists::components)),
        of("/v1/tools", "The tools", "list", get(lists::tools)),
        of("/v1/plugins", "The plugins that were found", "list", get(lists::plugins)),
        of("/v1/diagnostics", "What loading has to tell", "diagnostics", get(lists::diagnostics)),
        of("/v1/context", "What the machine and probes fill in", "machine", get(lists::context)),
        of("/v1/schema/{kind}", "The JSON Schema of a format", "document", get(lists::schema)),
        of("/v1/show/{kind}/{id}", "The source of a thing", "shown", get(lists::show)),
    ]
}

async fn openapi() -> Result<Response, Problem> {
    answer(&document())
}

async fn health() -> Result<Response, Problem> {
    answer(&json!({ "status": "ok" }))
}

async fn metrics(State(app): State<App>) -> Response {
    let mut response = app.gate.metrics().text().into_response();
    let kind =
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
