//! What is asked: the engine in force.
//!
//! In: an engine, and another one after each reload. Out: [`Packs`], of which each request takes a snapshot. Never: changes an
//! engine that a request uses.

use std::fmt;
use std::sync::Arc;

use promptweave::Engine;
use tokio::sync::{Semaphore, watch};

use crate::refusal::Refusal;

/// The packs and plugins in force. Cheap to clone.
#[derive(Clone)]
pub struct Packs {
    engine: watch::Sender<Engine>,
    /// A plugin that hangs keeps its place until its deadline, whatever its client does meanwhile.
    places: Arc<Semaphore>,
}

impl Packs {
    /// Those of an engine; so many requests are worked on at a time, the others wait.
    pub fn new(engine: Engine, places: usize) -> Self {
        Self { engine: watch::Sender::new(engine), places: Arc::new(Semaphore::new(places)) }
    }

    /// Puts another engine in force, and tells all clients. Requests that run keep theirs.
    pub fn replace(&self, engine: Engine) {
        self.engine.send_replace(engine);
    }

    /// The engine in force.
    pub(crate) fn engine(&self) -> Engine {
        self.engine.borrow().clone()
    }

    /// Changes when another engine is put in force.
    pub(crate) fn reloads(&self) -> watch::Receiver<Engine> {
        self.engine.subscribe()
    }

    /// Does work of milliseconds, which a plugin may hold up, on a thread of its own.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        does: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let engine = self.engine();
        // Nobody closes the semaphore.
        let place = Arc::clone(&self.places).acquire_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            does(&engine)
        });
        done.await.map_err(|_| Refusal::broken())
    }
}

impl fmt::Debug for Packs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packs").field("engine", &self.engine()).finish_non_exhaustive()
    }
}
