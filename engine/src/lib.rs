//! Builds the system prompts of agents from packs of variants and components.
#![forbid(unsafe_code)]

mod diagnostic;
mod template;
mod trace;
