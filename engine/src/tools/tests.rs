//! Tests of the tools floor.

mod conformance;
mod effective;
mod native;
mod random;
mod support;
