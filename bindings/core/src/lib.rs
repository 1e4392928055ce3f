//! What the bindings of promptweave share: each of them converts values and nothing else.
//!
//! In: options as JSON, contexts, bytes of replies, components of the host. Out: prompts, payloads, events, errors with
//! code, message, place and help. Never: knows a language; lets a component of the host take the process along.
//!
//! | type | made by | asked for |
//! | --- | --- | --- |
//! | [`Engine`] | [`Engine::new`]`(options, components)` | [`prompt`](Engine::prompt), [`session`](Engine::session), [`restore`](Engine::restore), [`probe`](Engine::probe), [`parser`](Engine::parser), [`check`](Engine::check), [`diagnostics`](Engine::diagnostics) |
//! | [`Session`] | [`Engine::session`], [`Engine::restore`] | [`prompt`](Session::prompt), [`reset`](Session::reset), [`save`](Session::save) |
//! | [`Prompt`] | [`Engine::prompt`], [`Session::prompt`] | [`text`](Prompt::text), [`result`](Prompt::result), [`blocks`](Prompt::blocks), [`layers`](Prompt::layers), [`section`](Prompt::section), [`sections`](Prompt::sections), [`diagnostics`](Prompt::diagnostics), [`deliver`](Prompt::deliver) |
//! | [`Parser`] | [`Engine::parser`], [`Parser::new`] | [`push`](Parser::push), [`finish`](Parser::finish), [`blocks`](Parser::blocks) |
//! | [`Component`] | [`Component::new`]`(declaration, `[`HostComponent`]`)` | goes into [`Engine::new`] |
//!
//! All but [`Parser`] are `Send` and `Sync`; engines, sessions and prompts are cheap to clone. Options are one JSON
//! object: a struct below says its keys, absent ones have their defaults, unknown ones are a mistake. Results are
//! [`Json`] values, so that a binding can make its own objects of them or one text.
//!
//! ```
//! use promptweave_bindings::{Answer, Call, Component, Engine, Json, context, parse};
//!
//! let options = parse(r#"{
//!     "standard": false,
//!     "packs": [{ "name": "acme", "files": {
//!         "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
//!         "generic.toml": "order = ['role', 'place']",
//!         "components/role.md": "You are a coding agent."
//!     } }]
//! }"#)?;
//! // A closure is a component of the host; bindings implement the trait for what their language calls.
//! let place = |call: Call| match call.inputs["cwd"].as_str() {
//!     Some(cwd) => Answer::Text(format!("Working folder: {cwd}")),
//!     None => Answer::Nothing,
//! };
//! let place = Component::new(parse(r#"{ "id": "place", "reads": ["cwd"] }"#)?, place)?;
//! let engine = Engine::new(options, vec![place])?;
//!
//! let prompt = engine.prompt(&context(r#"{ "cwd": "/project" }"#)?, Json::Null)?;
//! assert_eq!(prompt.text(), "You are a coding agent.\n\nWorking folder: /project");
//! assert_eq!(prompt.deliver("openai-chat", Json::Null)?.json["body"]["messages"][0]["role"], "developer");
//!
//! let error = engine.prompt(&context("{}")?, parse(r#"{ "variant": "none" }"#)?).unwrap_err();
//! assert_eq!(error.code(), "unknown-variant");
//! # Ok::<(), promptweave_bindings::Error>(())
//! ```
#![forbid(unsafe_code)]

mod engine;
mod error;
mod host;
mod input;
mod options;
mod parser;
mod plugins;
mod prompt;
mod session;

pub use engine::Engine;
pub use parser::{Parser, check_reason, write_events};
pub use prompt::{Payload, Prompt};
pub use session::Session;

pub use host::{Answer, Call, Component, HostComponent, Runs, inside_component};

pub use error::{Error, Misuse};
pub use input::{MAX_INPUT_BYTES, context, context_of, limited, parse};
pub use options::{
    AskOptions, ComponentOptions, DeliveryOptions, EngineOptions, Isolation, PackOptions,
    ParserMode, ParserOptions, PluginOptions, ResultOptions, SessionOptions, TrustOption, Unit,
};

pub use promptweave::Context;
pub use promptweave_reply::{Event, Events, Typing};
pub use serde_json::Value as Json;
