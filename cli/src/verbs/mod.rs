//! The verbs, one file each: flags, then what they do.

pub(crate) mod blame;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod gateway;
pub(crate) mod layers;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod matrix;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod parse;
pub(crate) mod plugin;
pub(crate) mod replay;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod skills;
pub(crate) mod test;
pub(crate) mod tidy;
pub(crate) mod trust;
pub(crate) mod watch;
