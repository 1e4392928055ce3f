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
mod model;
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
mod unstable;

pub use engine::{Engine, EngineBuilder};
pub use load::{DirSource, MemorySource, Source, SourceEntry, Trust, TrustStore};
pub use model::{CAPABILITIES, Context, ContextError, KNOWN_KEYS, KeyType, KnownKey};
pub use select::{Ask, Asked, Selection};

pub use blocks::{Block, Scope};
pub use moment::Layer;
pub use prompt::{Hinge, JsonOptions, Offsets, Prompt, Section, Span, SpanKind};
pub use trace::CacheClass;

pub use diagnostic::{Code, Diagnostic, Origin, Severity, SourceFile, SourceText};
pub use error::Error;

pub use extension::{
    Batch, Build, CodeComponent, CodeHelper, CodeMatcher, Extension, Inputs, IntoOutput, Items,
    Output, Probe,
};
pub use tools::{Declared, DeclaredName, Dialect, ToolSource};

pub use condition::Condition;
pub use model::{
    Body, Case, CaseBody, Cases, Component, ComponentId, DeclaredKey, InvalidId, Matcher,
    NamedMatcher, Override, Pack, PackName, Parameter, Placeholder, Select, SkipReason, Skipped,
    Step, TidyMode, Tool, ToolCalls, ToolId, Variant, VariantId, Wording,
};
pub use pattern::Patterns;
pub use registry::{Registry, Shadowed, Versions};
pub use template::{Missing, Template, is_reserved};
pub use tidy::tidy_text;

/// For the benches of this workspace; no part of the interface.
#[doc(hidden)]
pub mod unstable_machinery {
    pub use crate::unstable::{Ready, parse_template};
}
