//! Prompts, and what can be asked of them.
//!
//! In: builds that are asked for. Out: what the verbs of the command line print as JSON. Never: keeps a prompt.

use axum::extract::State;
use axum::response::Response;
use promptweave::{Context, Offsets};
use promptweave_inspect::{self as inspect, Built, Cell, Side, Variants};
use promptweave_loopback::Problem;
use serde_json::Value as Json;

use super::App;
use crate::asked::{BuildRequest, DiffRequest, MatrixRequest, Object};
use crate::body::Posted;
use crate::builds::{Order, answer, formed};
use crate::refusal::{invalid, of_engine};
use crate::work::Work;

/// The most contexts of a matrix.
const MAX_CONTEXTS: usize = 64;

pub(super) async fn build(
    State(app): State<App>,
    Posted(request, bytes): Posted<BuildRequest>,
) -> Result<Response, Problem> {
    let form = (request.format, Offsets::from(request.offsets));
    ask(&app, (request, bytes), move |built| formed(built, form)).await
}

pub(super) async fn layers(
    State(app): State<App>,
    Posted(request, bytes): Posted<BuildRequest>,
) -> Result<Response, Problem> {
    ask(&app, (request, bytes), |built| answer(&built.layers())).await
}

pub(super) async fn explain(
    State(app): State<App>,
    Posted(request, bytes): Posted<BuildRequest>,
) -> Result<Response, Problem> {
    ask(&app, (request, bytes), |built| answer(&built.explained())).await
}

/// Builds a prompt and asks it something.
async fn ask(
    app: &App,
    (request, bytes): (BuildRequest, usize),
    question: impl FnOnce(&Built) -> Result<Response, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let order = Order::new(&app.preview, request, bytes)?;
    let work = order.work;
    app.preview.threads().run(work, move || question(&order.build()?)).await?
}

pub(super) async fn diff(
    State(app): State<App>,
    Posted(DiffRequest { a, b }, bytes): Posted<DiffRequest>,
) -> Result<Response, Problem> {
    let orders = [a, b].map(|Object(request)| Order::new(&app.preview, request, bytes));
    let [a, b] = orders;
    let (a, b) = (a?, b?);
    let compare = move || {
        let before = Side::new("a".into(), a.build()?);
        let after = Side::new("b".into(), b.build()?);
        answer(&inspect::diff(&before, &after))
    };
    // Long texts are compared for up to seconds.
    app.preview.threads().run(Work::Slow, compare).await?
}

pub(super) async fn matrix(
    State(app): State<App>,
    Posted(MatrixRequest { contexts, tag, variants }, _): Posted<MatrixRequest>,
) -> Result<Response, Problem> {
    if contexts.len() > MAX_CONTEXTS {
        let why = format!("there are more than {MAX_CONTEXTS} contexts");
        return Err(invalid("request-invalid", why));
    }
    let engine = app.preview.loaded().engine.clone();
    let asked = Variants { tag, ids: variants };
    let all = move || {
        let variants = inspect::variants(&engine, &asked);
        let variants = variants
            .map_err(|id| invalid("unknown-variant", format!("there is no variant `{id}`")))?;
        let mut cells: Vec<Json> = Vec::new();
        for Object(named) in contexts {
            let context = Context::from_value(Json::Object(named.context));
            let context = context.map_err(|error| of_engine(&error.into()))?;
            let built = inspect::matrix(&engine, (&named.name, &context), &variants);
            cells.extend(built.map(|cell| Cell::to_json(&cell)));
        }
        answer(&cells)
    };
    app.preview.threads().run(Work::Slow, all).await?
}
