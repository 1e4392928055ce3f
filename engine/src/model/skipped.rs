//! A component without a section, and the reason.
//!
//! In: what a build met. Out: the step, its place and why. Never: the component's text.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::ComponentId;
use crate::diagnostic::Origin;

/// Why a component has no section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// No such component is loaded.
    Unknown,
    /// The variant switches it off.
    Disabled,
    /// Its condition, or the conditions of all its cases, do not hold.
    ConditionFalse,
    /// It yielded nothing but blanks.
    Empty,
    /// It failed.
    Failed,
    /// It yielded text, but the template does not print it.
    Unplaced,
    /// The request asks for another text instead.
    Replaced,
    /// The host sends it as messages.
    Delivered,
    /// It went, so that the prompt fits its budget.
    Budget,
}

impl SkipReason {
    /// The stable name that tools see, in kebab case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Disabled => "disabled",
            Self::ConditionFalse => "condition-false",
            Self::Empty => "empty",
            Self::Failed => "failed",
            Self::Unplaced => "unplaced",
            Self::Replaced => "replaced",
            Self::Delivered => "delivered",
            Self::Budget => "budget",
        }
    }
}

/// A component that has no section, and why.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Skipped {
    /// The component.
    pub id: ComponentId,
    /// Where it, or the step that names it, is written.
    pub origin: Origin,
    /// Why.
    pub reason: SkipReason,
    /// The condition, the error, or a sentence.
    pub detail: Arc<str>,
}

/// `{id, state: "skipped", origin, reason_code, reason}`.
impl Serialize for Skipped {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { id, origin, reason, detail } = self;
        let mut skipped = to.serialize_struct("Skipped", 5)?;
        skipped.serialize_field("id", id.as_str())?;
        skipped.serialize_field("origin", origin)?;
        skipped.serialize_field("reason", &**detail)?;
        skipped.serialize_field("reason_code", reason.as_str())?;
        skipped.serialize_field("state", "skipped")?;
        skipped.end()
    }
}
