//! Server-sent events about the packs.
//!
//! In: nothing. Out: what the newest load has to tell, then events until the client goes or the server ends. Never: more listeners than there are places.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::{Stream, StreamExt, stream};
use promptweave_loopback::Problem;

use super::App;
use crate::events::next;

/// A comment goes out after so long, so that a client that has gone is noticed.
const ALIVE: Duration = Duration::from_secs(15);

pub(super) async fn events(
    State(app): State<App>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let place = app.gate.streams().open()?;
    let (newest, listener) = app.preview.events().listen();
    let later = stream::unfold((listener, place), async |(mut listener, place)| {
        next(&mut listener).await.map(|event| (Ok(event), (listener, place)))
    });
    let events = stream::iter([Ok(newest.event())]).chain(later);
    let events = events.take_until(app.shutdown.begun_owned());
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)))
}
