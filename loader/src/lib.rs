//! Loads plugins.
mod answer;
mod child;
mod frame;
mod guest;
mod key;
mod log;
mod plugin;
mod policy;
mod process;
mod table;
pub use child::serve;
pub use plugin::Plugin;
pub use policy::*;
pub use process::HostProgram;
pub use table::*;
