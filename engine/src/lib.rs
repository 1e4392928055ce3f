//! Builds the system prompts of agents from packs of variants and components.
#![forbid(unsafe_code)]

mod blocks;
mod build;
mod check;
mod condition;
mod diagnostic;
mod engine;
mod error;
mod extension;
mod load;
mod moment;
mod pattern;
mod prompt;
mod registry;
mod render;
mod select;
mod template;
mod tidy;
mod tools;
mod trace;

pub mod model;

pub use blocks::{Block, Scope};
pub use diagnostic::{Code, Diagnostic, Origin, Severity, SourceFile, SourceText};
pub use engine::{Engine, EngineBuilder};
pub use error::Error;
pub use load::{DirSource, MemorySource, Source, Trust, TrustStore};
pub use model::{Context, ContextError};
pub use prompt::{Hinge, JsonOptions, Offsets, Prompt, Section, Span, SpanKind};
pub use registry::{Registry, Shadowed, Versions};
pub use select::{Ask, Asked, Selection};
pub use template::{Missing, Template, is_reserved};
pub use tidy::tidy_text;
pub use tools::{Declared, Dialect};
pub use trace::CacheClass;
/// Components, variants, matchers, helpers, tools and probes written in code.
pub mod code {
    pub use crate::extension::{
        Batch, Build, CodeComponent, CodeHelper, CodeMatcher, Extension, Inputs, IntoOutput, Items,
        Output, Probe,
    };
}
