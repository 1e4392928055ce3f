//! From a model to its route.
//!
//! In: a model's id. Out: the first route that takes it. Never: a guess.

use promptweave_wire::FailureKind;

use super::gateway::Inner;
use crate::config::Route;
use crate::refusal::Refusal;
use crate::upstream::Door;

/// How much of a model's id is told back, in characters.
const MAX_TOLD: usize = 100;

pub(super) fn route<'g>(gateway: &'g Inner, model: &str) -> Result<&'g (Route, Door), Refusal> {
    let found = gateway.routes.iter().find(|(route, _)| route.models.accepts_model(model));
    found.ok_or_else(|| {
        let told: String = model.chars().take(MAX_TOLD).collect();
        Refusal::new(FailureKind::NotFound, format!("no route takes model `{told}`"))
    })
}
