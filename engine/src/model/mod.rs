//! What the engine works with: plain, always valid data.

pub(crate) mod pattern;
