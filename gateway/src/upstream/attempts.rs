//! Tries until there is an answer, or enough was tried.
//!
//! In: one try, how often. Out: its result. Never: a try after the first byte went to the client.

use std::sync::Arc;

use promptweave_loopback::Shutdown;
use promptweave_wire::FailureKind;
use tokio::time::sleep;

use super::trouble::Again;
use super::{Call, Door, Opened, Trouble, backoff};
use crate::metrics::Metrics;
use crate::refusal::Refusal;

/// One request, sent until it is answered.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    pub(crate) door: &'a Door,
    pub(crate) call: Call,
    pub(crate) retries: u32,
    pub(crate) metrics: &'a Arc<Metrics>,
    /// Begins when the gateway must end.
    pub(crate) over: &'a Shutdown,
}

/// What is made of a response before anything of it goes to the client.
pub(crate) trait Read: Sync {
    /// What it becomes.
    type Made: Send;

    /// Reads a response; another one may follow if that fails. What it tells of a failure holds none of the keys.
    fn read(&self, opened: Opened) -> impl Future<Output = Result<Self::Made, Trouble>> + Send;
}

impl Attempts<'_> {
    /// What is made of the first response that can be read.
    ///
    /// # Errors
    /// What the last try met, or that the gateway must end.
    pub(crate) async fn until<R: Read>(&self, reader: &R) -> Result<R::Made, Refusal> {
        tokio::select! {
            made = self.tried(reader) => made,
            () = self.over.begun() => {
                Err(Refusal::new(FailureKind::Overloaded, "the gateway is being stopped"))
            }
        }
    }

    async fn tried<R: Read>(&self, reader: &R) -> Result<R::Made, Refusal> {
        let mut tries = 0;
        loop {
            let tried = match self.door.send(&self.call).await {
                Ok(opened) => reader.read(opened).await,
                Err(trouble) => Err(trouble),
            };
            let trouble = match tried {
                Ok(done) => return Ok(done),
                Err(trouble) => trouble,
            };
            tries += 1;
            let (upstream, reason) = (&self.door.upstream.name, trouble.reason);
            let may = trouble.again == Again::Maybe && tries <= self.retries;
            let Some(wait) = may.then(|| backoff::wait(tries, trouble.wait)).flatten() else {
                tracing::warn!(upstream, reason, tries, "no answer");
                self.metrics.failure(upstream, reason, false);
                return Err(trouble.refusal());
            };
            tracing::info!(upstream, reason, tries, wait_ms = wait.as_millis() as u64, "again");
            self.metrics.failure(upstream, reason, true);
            sleep(wait).await;
        }
    }
}
