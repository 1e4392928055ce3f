//! The Anthropic Messages API on loopback, in front of any provider.
//!
//! In: a configuration, an engine. Out: a server that [`promptweave_wire`] speaks through to eight APIs. Never: a key or a text in a
//! log; an answer held back until it is whole.
//!
//! ```
//! use std::path::Path;
//! use promptweave_gateway::Config;
//!
//! let text = r#"
//! format = 1
//! [[upstream]]
//! name = "local"
//! target = "openai-compatible"
//! base_url = "http://localhost:11434"
//! [[route]]
//! models = ["*"]
//! upstream = "locl"
//! "#;
//! let (config, told) = Config::from_toml(("gateway.toml", text), Path::new("."), &|_| None);
//! assert!(config.is_none());
//! assert_eq!(told[0].to_string(), "error[invalid-value] gateway.toml:9:12: there is no upstream `locl`");
//! ```
#![forbid(unsafe_code)]

mod answer;
mod config;
mod metrics;
mod prompts;
mod reading;
mod refusal;
mod secret;
mod server;
mod upstream;

pub use config::{Config, Reading, Route, Server};
pub use config::{HeaderSource, PromptPlace, PromptRule, Timeouts, Upstream};
pub use promptweave_loopback::{ListenError, Shutdown};
pub use secret::{KeySource, Secret};
pub use server::{Gateway, Running, run, serve};
