//! Bytes become what a plugin's process sends, and what it is sent: reading them ends, whatever they hold.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| promptweave_loader::unstable_machinery::read_anything(bytes));
