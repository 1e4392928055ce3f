//! What there is.
//!
//! In: nothing but names. Out: lists, diagnostics, sources, schemas, the machine's context. Never: a file that no pack has.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use promptweave::Context;
use promptweave_inspect::{
    Entry, Kind, SchemaKind, ShowKind, list, schema as schema_of, show as source_of,
};
use promptweave_loopback::Problem;
use serde_json::{Value as Json, json};

use super::App;
use crate::asked::{SchemaName, ShowName};
use crate::body::Named;
use crate::builds::answer;
use crate::preview::as_json;
use crate::refusal::{not_found, of_engine};
use crate::work::Work;

pub(super) async fn variants(State(app): State<App>) -> Result<Response, Problem> {
    listed(&app, Kind::Variants)
}

pub(super) async fn components(State(app): State<App>) -> Result<Response, Problem> {
    listed(&app, Kind::Components)
}

pub(super) async fn tools(State(app): State<App>) -> Result<Response, Problem> {
    listed(&app, Kind::Tools)
}

pub(super) async fn plugins(State(app): State<App>) -> Result<Response, Problem> {
    listed(&app, Kind::Plugins)
}

fn listed(app: &App, kind: Kind) -> Result<Response, Problem> {
    let loaded = app.preview.loaded();
    let entries = list(loaded.engine.registry(), &loaded.plugins, kind).into_iter();
    answer(&entries.map(Entry::into_json).collect::<Json>())
}

pub(super) async fn diagnostics(State(app): State<App>) -> Result<Response, Problem> {
    answer(&*app.preview.events().newest())
}

/// Probes may look at files and repositories.
pub(super) async fn context(State(app): State<App>) -> Result<Response, Problem> {
    let (engine, machine) = (app.preview.loaded().engine.clone(), app.preview.machine());
    let probe = move || {
        let context = Context::from_value(machine).map_err(|error| of_engine(&error.into()))?;
        let (context, told) = engine.probe(&context);
        let diagnostics = as_json(&told);
        answer(&json!({ "context": context.as_json(), "diagnostics": diagnostics }))
    };
    app.preview.threads().run(Work::Slow, probe).await?
}

pub(super) async fn schema(
    State(app): State<App>,
    Named(name): Named<SchemaName>,
) -> Result<Response, Problem> {
    let kind = match name {
        SchemaName::Pack => SchemaKind::Pack,
        SchemaName::Patch => SchemaKind::Patch,
        SchemaName::Variant => SchemaKind::Variant,
        SchemaName::Component => SchemaKind::Component,
        SchemaName::Tool => SchemaKind::Tool,
        SchemaName::Context => SchemaKind::Context,
        SchemaName::Result => SchemaKind::Result,
    };
    let loaded = app.preview.loaded();
    let json = schema_of(kind, loaded.engine.registry())
        .and_then(|text| serde_json::from_str::<Json>(&text));
    let json = json.map_err(|error| {
        let why = format!("the schema is broken: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", why)
    })?;
    answer(&json)
}

pub(super) async fn show(
    State(app): State<App>,
    Named((name, id)): Named<(ShowName, String)>,
) -> Result<Response, Problem> {
    let kind = match name {
        ShowName::Variant => ShowKind::Variant,
        ShowName::Component => ShowKind::Component,
        ShowName::Tool => ShowKind::Tool,
        ShowName::Partial => ShowKind::Partial,
    };
    let loaded = app.preview.loaded();
    let shown = source_of(loaded.engine.registry(), kind, &id).map_err(not_found)?;
    answer(&shown.to_json())
}
