//! Sessions of clients, by an id that cannot be guessed.
//!
//! In: engines, ids. Out: sessions. Never: keeps one longer than its time, or more of them than its cap.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use prometheus_client::metrics::gauge::Gauge;
use promptweave::{Clock, Engine, Session};
use promptweave_loopback::Problem;

use crate::refusal::not_found;

/// How many sessions there may be, and how long one stays unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// Sessions at a time; more is 503.
    pub most: usize,
    /// After that long without a request a session ends.
    pub unused: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { most: 256, unused: Duration::from_secs(30 * 60) }
    }
}

/// A session, and the engine that it was begun with.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    pub(crate) session: Arc<Session>,
    pub(crate) engine: Engine,
}

impl Begun {
    /// Contexts of requests say it all: no clock, no probes.
    fn new(engine: Engine) -> Self {
        let session = engine.session(Clock::default()).without_probes();
        Self { session: Arc::new(session), engine }
    }
}

/// All of them.
#[derive(Debug)]
pub(crate) struct Sessions {
    limits: SessionLimits,
    kept: Mutex<BTreeMap<String, (Begun, Instant)>>,
    open: Gauge,
}

impl Sessions {
    pub(crate) fn new(limits: SessionLimits, open: Gauge) -> Self {
        Self { limits, kept: Mutex::default(), open }
    }

    /// Begins one; its id is 128 random bits in hex.
    pub(crate) fn begin(&self, engine: Engine) -> Result<String, Problem> {
        let id = random_id()?;
        let mut kept = self.kept();
        if kept.len() >= self.limits.most {
            return Err(Problem::overloaded("there are as many sessions as there may be"));
        }
        kept.insert(id.clone(), (Begun::new(engine), Instant::now()));
        self.open.set(kept.len() as i64);
        Ok(id)
    }

    /// The session of an id; its time begins anew.
    pub(crate) fn get(&self, id: &str) -> Result<Begun, Problem> {
        let mut kept = self.kept();
        let (begun, used) = kept.get_mut(id).ok_or_else(unknown)?;
        *used = Instant::now();
        Ok(begun.clone())
    }

    /// Begins it anew with an engine.
    pub(crate) fn reset(&self, id: &str, engine: Engine) -> Result<(), Problem> {
        let mut kept = self.kept();
        let place = kept.get_mut(id).ok_or_else(unknown)?;
        *place = (Begun::new(engine), Instant::now());
        Ok(())
    }

    /// Ends it.
    pub(crate) fn end(&self, id: &str) -> Result<(), Problem> {
        let mut kept = self.kept();
        kept.remove(id).ok_or_else(unknown)?;
        self.open.set(kept.len() as i64);
        Ok(())
    }

    /// Those whose time is not over.
    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, (Begun, Instant)>> {
        // Whoever panicked here left a whole map behind.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (_, used)| used.elapsed() < self.limits.unused);
        self.open.set(kept.len() as i64);
        kept
    }
}

fn unknown() -> Problem {
    not_found("there is no such session, or its time is over")
        .help("begin one: `POST /v1/sessions`")
}

fn random_id() -> Result<String, Problem> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| {
        let why = "the system gives no random bytes";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-randomness", why)
    })?;
    Ok(bytes.iter().fold(String::new(), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Engine {
        Engine::builder().build().unwrap()
    }

    #[test]
    fn ids_are_random_and_forgotten() {
        let sessions = Sessions::new(SessionLimits::default(), Gauge::default());
        let [one, other] = [(); 2].map(|()| sessions.begin(engine()).unwrap());
        assert!(one != other && one.len() == 32);
        let first = sessions.get(&one).unwrap().session;
        sessions.reset(&one, engine()).unwrap();
        assert!(!Arc::ptr_eq(&first, &sessions.get(&one).unwrap().session));
        sessions.end(&one).unwrap();
        let gone = sessions.get(&one).unwrap_err();
        assert_eq!((gone.status.as_u16(), sessions.open.get()), (404, 1));
        assert!(sessions.end(&one).is_err() && sessions.reset(&one, engine()).is_err());
    }

    #[test]
    fn there_are_not_more_than_the_cap_and_time_frees_places() {
        let limits = SessionLimits { most: 1, unused: Duration::from_millis(20) };
        let sessions = Sessions::new(limits, Gauge::default());
        let first = sessions.begin(engine()).unwrap();
        assert_eq!(sessions.begin(engine()).unwrap_err().status.as_u16(), 503);
        std::thread::sleep(Duration::from_millis(30));
        assert!(sessions.get(&first).is_err());
        assert!(sessions.begin(engine()).is_ok());
    }
}
