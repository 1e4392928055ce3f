//! A plugin to learn from: how a house wants its agent to write.
//!
//! In: a configuration, the branch of the moment. Out: a section, a matcher with the variant that it
//! chooses, a helper, a tool. Never: reads the world, or keeps anything between calls.
//!
//! Each file shows one thing; read them in this order: `style.rs` (configuration and a component), `release.rs`
//! (a matcher with a declared key), `plural.rs` (a helper with arguments), `plugin.toml` (the same facts for
//! hosts that have not run the plugin yet).
//!
//! A host may link it in, `Plugins::builder().linked(promptweave_house_style::plugin(), r#"{"tone": "warm"}"#)`, or
//! load the library that `cargo build -p promptweave-house-style --features export` makes.
#![forbid(unsafe_code)]

mod plural;
mod release;
mod style;

use promptweave_plugin::{Data, export_plugin};

export_plugin! {
    name: "house-style", version: env!("CARGO_PKG_VERSION"),
    description: "How a house wants its agent to write",
    license: "MIT OR Apache-2.0",
    state: style::Style, init: style::Style::from_config,
    components: [style::HouseStyle],
    matchers: [release::ReleaseBranch],
    helpers: [plural::Plural],
    // Data is written as the file of a pack would be, in JSON.
    variants: [Data::new(
        "house-release", "Short and careful, for release branches", include_str!("house-release.json")
    )],
    tools: [Data::new(
        "open_ticket", "Opens a ticket in the house's tracker", include_str!("open_ticket.json")
    )],
    symbol: cfg(feature = "export"),
}
