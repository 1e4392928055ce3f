//! Tests of the tools floor.
