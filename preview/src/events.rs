//! What happens to the packs while the server runs.
//!
//! In: reloads, diagnostics. Out: server-sent events for whoever listens. Never: waits for a slow listener: who is too slow is told so.

use std::sync::Arc;

use axum::response::sse::Event;
use serde_json::{Value as Json, json};
use tokio::sync::broadcast;

/// Events that a listener may be behind.
const KEPT: usize = 64;

/// What happened.
#[derive(Clone, Debug)]
pub(crate) enum Happened {
    /// There is another engine.
    Reload { generation: u64 },
    /// What the newest load has to tell, be it in force or not.
    Diagnostics(Arc<Json>),
}

impl Happened {
    pub(crate) fn event(&self) -> Event {
        match self {
            Self::Reload { generation } => Event::default()
                .event("reload")
                .data(json!({ "generation": generation }).to_string()),
            Self::Diagnostics(told) => Event::default().event("diagnostics").data(told.to_string()),
        }
    }
}

/// Where it is told.
#[derive(Debug)]
pub(crate) struct Events(broadcast::Sender<Happened>);

impl Default for Events {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

impl Events {
    pub(crate) fn tell(&self, happened: Happened) {
        // Nobody need listen.
        let _ = self.0.send(happened);
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<Happened> {
        self.0.subscribe()
    }
}

/// The next event for a listener; none when the server ends.
pub(crate) async fn next(listener: &mut broadcast::Receiver<Happened>) -> Option<Event> {
    match listener.recv().await {
        Ok(happened) => Some(happened.event()),
        Err(broadcast::error::RecvError::Lagged(missed)) => {
            Some(Event::default().event("lagged").data(json!({ "missed": missed }).to_string()))
        }
        Err(broadcast::error::RecvError::Closed) => None,
    }
}
