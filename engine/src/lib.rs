//! Builds the system prompts of agents from packs of variants and components.
//!
//! A *component* yields the text of one section. A *variant* puts components in order and says which
//! models it is for. A *pack* is a folder of both. The *context* is what the host knows, as JSON.
//!
//! ```
//! use promptweave::{Context, Engine, MemorySource};
//!
//! let pack = MemorySource::new("acme", [
//!     ("pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'"),
//!     // The fallback, and a variant for one family of models that extends it.
//!     ("generic.toml", "order = ['role', 'place']"),
//!     ("claude.toml", "extends = 'generic'\nmatch.models = ['claude']\n\
//!                      override.role.template = '{{base}} Act rather than advise.'"),
//!     ("components/role.md", "You are a coding agent."),
//!     ("components/place.md", "{{#if cwd}}\nWorking folder: {{cwd}}\n{{/if}}"),
//! ]);
//! let engine = Engine::builder().pack(pack).build()?;
//! assert!(engine.diagnostics().is_empty(), "every mistake of loading is listed here");
//!
//! let context = Context::from_json(r#"{ "model": { "id": "claude-sonnet-4-5" }, "cwd": "/project" }"#)?;
//! let prompt = engine.prompt(&context)?;
//! assert_eq!(prompt.variant().id.as_str(), "claude");
//! assert_eq!(prompt.text(), "You are a coding agent. Act rather than advise.\n\nWorking folder: /project");
//!
//! // Each byte knows where it comes from, and how long it stays the same.
//! let span = prompt.origin_at(0).expect("a prompt with text");
//! assert_eq!(span.origin.to_string(), "acme/components/role.md:1:1");
//! let blocks: Vec<&str> = prompt.blocks().map(|block| block.text).collect();
//! assert_eq!(blocks.concat(), prompt.text());
//! assert!(blocks[0].starts_with("You are a coding agent."), "the same for every user");
//!
//! // What is not there is listed with its reason.
//! let prompt = engine.prompt(&Context::default())?;
//! assert_eq!(prompt.text(), "You are a coding agent.");
//! assert_eq!(prompt.skipped()[0].reason.as_str(), "empty");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Next: [`Engine`], then [`Prompt`]; [`Items`] for components that are code, and [`Extension`] where their
//! calls are dear. The formats of packs and templates are in the folder `docs`, small programs in `examples`.
#![forbid(unsafe_code)]

mod blocks;
mod budget;
mod build;
mod cache;
mod check;
mod compose;
mod condition;
mod deliver;
mod diagnostic;
mod engine;
mod error;
mod extension;
mod facts;
mod load;
mod model;
mod moment;
mod pattern;
mod prompt;
mod recall;
mod registry;
mod render;
mod request;
mod select;
mod session;
mod template;
mod tidy;
mod tokens;
mod tools;
mod trace;
mod unstable;
mod weight;

pub use engine::{Engine, EngineBuilder, LoadedFile};
pub use load::{DirSource, MemorySource, Source, SourceEntry, Trust, TrustStore, is_pack_file};
pub use model::{CAPABILITIES, Context, ContextError, DistinctJson, KNOWN_KEYS, KeyType, KnownKey};
pub use select::{Ask, Asked, Selection};

pub use blocks::{Block, BlockKind, CacheMode, Scope};
pub use cache::{
    CacheBreak, CacheMeter, CachePlace, CachePrice, CacheStep, CacheTotals, CacheUsage,
    CauseTotals, CommonPrefix,
};
pub use deliver::{Delivery, MAX_MARKS, Payload, Target, TtlLatch, WireScope, deliver};
pub use facts::{Encoding, Errs, Facts, Known, Marks, Price, PromptRole, Ttl};
pub use moment::Layer;
pub use prompt::{
    Hinge, JsonOptions, Offsets, Prompt, PromptJson, Section, Span, SpanKind, TextLayer,
    TextLayerKind, TokenMethod, TokenReport,
};
pub use request::Level;
pub use session::{Clock, Session};
pub use tokens::TokenCounter;
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
