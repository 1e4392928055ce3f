//! Plugins as third parties ship them: libraries that work, and libraries that do everything wrong.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod containment;
mod growth;
mod hostile;
mod life;
mod parity;
mod sandbox;
mod untrusted;
