//! What happens to the packs while the server runs.
//!
//! In: reloads, diagnostics. Out: server-sent events for whoever listens. Never: waits for a slow listener: who is too slow is told so.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
pub(crate) struct Events {
    told: broadcast::Sender<Happened>,
    /// What the newest load has to tell: who begins to listen hears it first.
    newest: Mutex<Arc<Json>>,
}

impl Events {
    /// Begins with what the first load has to tell.
    pub(crate) fn new(diagnostics: Json) -> Self {
        Self { told: broadcast::Sender::new(KEPT), newest: Mutex::new(Arc::new(diagnostics)) }
    }

    pub(crate) fn tell(&self, happened: Happened) {
        let mut newest = self.lock();
        if let Happened::Diagnostics(told) = &happened {
            *newest = Arc::clone(told);
        }
        // Nobody need listen.
        let _ = self.told.send(happened);
    }

    /// What the newest load has to tell.
    pub(crate) fn newest(&self) -> Arc<Json> {
        Arc::clone(&self.lock())
    }

    /// Listens from here on; with what the newest load had to tell.
    pub(crate) fn listen(&self) -> (Happened, broadcast::Receiver<Happened>) {
        let newest = self.lock();
        (Happened::Diagnostics(Arc::clone(&newest)), self.told.subscribe())
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Json>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
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
