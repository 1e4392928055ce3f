//! The pages of the book whose code is complete: it must compile and run.

/// From a host's first prompt to the reply.
#[doc = include_str!("../../docs/embedding.md")]
pub struct Embedding;

/// The guard.
#[doc = include_str!("../../docs/guard.md")]
pub struct Guard;

/// Looking into a prompt.
#[doc = include_str!("../../docs/inspect.md")]
pub struct Inspect;

/// The reply parser.
#[doc = include_str!("../../docs/replies.md")]
pub struct Replies;

/// Sessions, request levels, budgets.
#[doc = include_str!("../../docs/sessions.md")]
pub struct Sessions;

/// Requests and streams of every provider.
#[doc = include_str!("../../docs/wire.md")]
pub struct Wire;
