//! Runs a plugin's code in this process: the child's, or the host's own where it says so.
//!
//! In: a library or an entry function, and calls. Out: its [`Table`], and an [`Answer`] for each call.
//! Never: lets the plugin read what it did not declare, or keep what it was lent.

mod api;
mod call;
mod instance;
mod library;
mod read;

pub(crate) use api::kind_of;
pub(crate) use call::{Facts, Found};
pub(crate) use instance::{Asked, Instance};
pub(crate) use library::open;
pub(crate) use read::table;
