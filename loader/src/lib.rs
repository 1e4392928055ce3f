//! Finds the plugins of promptweave, checks them, and knows which of them the user trusts.
//!
//! A *plugin* is a folder with a `plugin.toml`, or a library by itself. What is here reads files and
//! never runs a plugin's code: manifests, the symbol tables of libraries, digests, signatures, the list
//! of what is trusted. Only Linux is tried; for macOS and Windows there is code that nobody has run.
//!
//! ```
//! use promptweave_loader::{Discovery, Judge, LOCK_FILE, Lock, Sources, Store, UserConfig, Verdict};
//!
//! # let folder = std::env::temp_dir().join("promptweave-loader-example");
//! let (data, config) = (folder.join("data"), UserConfig::open(&folder.join("config.toml")));
//! let lock = Lock::open(data.join(LOCK_FILE));
//! let judge = Judge { lock: &lock, policy: &config.policy, keys: &config.keys };
//! let found = Discovery::of(&Sources { data: Some(data.clone()), ..Sources::default() });
//! for candidate in &found.candidates {
//!     if let (Verdict::Load(grant, runs), Some(library)) = (judge.verdict(candidate), candidate.library()) {
//!         let copy = Store::new(&data).keep(library)?;
//!         println!("{} {} may run as {}: {}", grant.name, grant.version, runs.as_str(), copy.display());
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod child;
mod config;
mod digest;
mod discover;
mod files;
mod frame;
mod guest;
pub mod harness;
mod judge;
mod key;
mod limits;
mod lock;
mod log;
mod manifest;
mod object;
mod pack_files;
mod plugin;
mod plugins;
mod process;
mod reader;
mod report;
mod signature;
mod start;
mod store;
mod table;
mod unstable;
#[cfg(feature = "watch")]
mod watch;

pub use discover::{Candidate, Content, Discovery, Place, Sources};
pub use judge::{Judge, Runs, Verdict, may_run_in_proc};
pub use lock::{Grant, LOCK_FILE, Lock, Part, State};
pub use report::{Listed, ListedItem};
pub use store::{LibraryFile, MAX_LIBRARY_BYTES, Store, StoreError};

pub use config::{
    Given, NativePolicy, Policy, Require, SandboxPolicy, UserConfig, effective_config,
};
pub use signature::{InvalidKey, KeyId, Keys, SIGNATURE_FILE, Signed};

pub use digest::{Digest, InvalidDigest};
pub use manifest::{
    AbiVersion, Capabilities, ConfigKey, Folder, Giver, Isolation, ItemEntry, ItemKind,
    LibraryEntry, MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest, Permission, Run,
};
pub use object::{
    Binding, Export, Fit, GlibcFloor, Language, ObjectError, ObjectFacts, Stack, host_target,
};
pub use pack_files::PackFiles;

pub use child::serve;
pub use limits::{Limits, Quarantine, Sandbox};
pub use plugin::Plugin;
pub use plugins::{Plugins, PluginsBuilder};
pub use process::HostProgram;
pub use table::{Cache, Item, Table};

#[cfg(feature = "watch")]
pub use watch::{Live, Reload, WatchError};

/// For the benches and the fuzzing of this workspace; no part of the interface.
#[doc(hidden)]
pub mod unstable_machinery {
    pub use crate::frame::read_anything;
    pub use crate::unstable::{Call, new_child};
}
