//! What breaks cached prefixes, and what that costs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod by_hand;
mod cases;
mod laws;

use std::num::NonZeroUsize;

use promptweave::{Ask, CacheMeter, CacheStep, Context, Engine, Error};

/// The steps of contexts in a row.
fn steps(engine: &Engine, contexts: &[Context], threads: usize) -> Vec<CacheStep> {
    let mut steps = Vec::new();
    let contexts = contexts.iter().map(|context| Ok::<_, Error>(context.clone()));
    let meter = CacheMeter::new(engine, Ask::default());
    let threads = NonZeroUsize::new(threads).unwrap();
    let each = |step: CacheStep| {
        steps.push(step);
        Ok(())
    };
    meter.follow(threads, contexts, Ok, each).unwrap();
    steps
}
