//! Where work is done.
//!
//! In: closures. Out: their results. Never: lets a plugin, a lock or a long comparison hold a thread that answers others.

use std::sync::Arc;

use axum::http::StatusCode;
use promptweave_loopback::Problem;
use tokio::sync::Semaphore;

/// What work is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Some microseconds of computing: it is done where it stands.
    Quick,
    /// It may wait for something, or take long: it gets a thread.
    Slow,
}

/// Threads for slow work. A plugin that hangs keeps its place until its deadline, whatever its client does meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Threads(Arc<Semaphore>);

impl Threads {
    pub(crate) fn new(places: usize) -> Self {
        Self(Arc::new(Semaphore::new(places)))
    }

    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: Work,
        does: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        match work {
            Work::Quick => Ok(does()),
            Work::Slow => {
                let place = Arc::clone(&self.0).acquire_owned().await;
                let done = tokio::task::spawn_blocking(move || {
                    let _place = place;
                    does()
                });
                done.await.map_err(|_| {
                    let why = "the server failed at this request";
                    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", why)
                })
            }
        }
    }
}
