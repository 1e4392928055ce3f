//! The host extension `weave.origin/1`: where the parts of a section came from.
//!
//! In: nothing. Out: the twin of `promptweave-origin.h`. Never: part of the frozen tables; a host may
//! lack it.

use crate::{Ctx, Status, Str};

/// The id to ask [`HostApi::extension`](crate::HostApi::extension) for.
pub const ORIGIN_EXTENSION: &str = "weave.origin/1";

/// `weave_origin_extension`; it lives until the process ends.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OriginExtension {
    /// The size that the host knows.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// The bytes `start..end` of what this call has written so far come from the file `path`, the first
    /// of them from line `line` (from 1; 0: not known). Later notes win where they overlap.
    /// [`Status::E_ARG`]: an end beyond what was written, a start beyond the end, or no UTF-8.
    pub add:
        unsafe extern "C" fn(ctx: *mut Ctx, start: u64, end: u64, path: Str, line: u32) -> Status,
}
