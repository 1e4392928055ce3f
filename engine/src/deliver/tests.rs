//! Payloads of every target.
