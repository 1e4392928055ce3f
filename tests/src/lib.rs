//! What the tests share: where their data is, how a prompt is checked and shown.
//!
//! In: fixtures, conformance data, prompts. Out: packs, contexts, texts to compare.
//! Never: decides what is right; that is written in the tests and their snapshots.

pub mod case;
pub mod cli;
pub mod conformance;
pub mod golden;
pub mod hosted;
pub mod http;
pub mod native;
pub mod pack;
pub mod plugin;
pub mod random;
pub mod shown;
pub mod standard;
pub mod whole;
pub mod words;

#[cfg(doctest)]
mod docs;

/// The README: its code must compile and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
