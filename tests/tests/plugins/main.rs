//! Plugins as third parties ship them: libraries that work, and libraries that do everything wrong.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod anywhere;
mod codes;
mod containment;
mod growth;
mod hostile;
mod life;
mod logs;
mod parity;
mod placing;
mod sandbox;
mod untrusted;
