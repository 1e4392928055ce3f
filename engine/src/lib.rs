//! Builds the system prompts of agents from packs of variants and components.
#![forbid(unsafe_code)]

mod condition;
mod diagnostic;
mod model;
mod trace;
