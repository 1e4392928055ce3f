//! An answer that comes whole.
//!
//! In: the upstream's body. Out: Anthropic's message. Never: a message of an answer that failed.

use hyper::body::Incoming;
use promptweave_wire::{Answering, Failure, FailureKind, Usage, answer};
use serde_json::Value as Json;

use crate::config::Upstream;
use crate::secret::Secret;
use crate::upstream::{Read, Trouble, collected, without_keys};

/// The longest answer, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// Reads the message that a body holds, and what it cost.
#[derive(Debug)]
pub(crate) struct Whole<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) answering: Answering,
}

impl Read for Whole<'_> {
    type Made = (Json, Usage);

    async fn read(&self, body: Incoming, keys: Vec<Secret>) -> Result<(Json, Usage), Trouble> {
        let Self { upstream, answering } = self;
        let limits = (upstream.timeouts.idle, MAX_BYTES);
        let bytes = collected(body, &upstream.name, limits).await?;
        let json = serde_json::from_slice::<Json>(&bytes).map_err(|_| no_json(upstream))?;
        let told = |failure| Trouble::of(without_keys(failure, &upstream.name, &keys));
        let message = answer(upstream.target, answering.clone(), &json).map_err(told)?;
        let usage = usage(&message);
        Ok((message, usage))
    }
}

fn usage(message: &Json) -> Usage {
    let count = |key: &str| message["usage"].get(key).and_then(Json::as_u64);
    Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        ..Usage::default()
    }
}

fn no_json(upstream: &Upstream) -> Trouble {
    let message = format!("the answer of upstream `{}` is not JSON, or cut", upstream.name);
    Trouble::of(Failure { kind: FailureKind::Api, message })
}
