//! The rules for phrases are frozen: samples came after them, and may not lead to rules that fit those samples alone.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::path::Path;

use sha2::{Digest, Sha256};

/// Of all ids and patterns of kind `phrase`, in order. A new rule needs new samples, collected by somebody who has not
/// seen it; say so where this value changes.
const FROZEN: &str = "4ffcefe4e5c548bf4ba8cdd5bc5f99d1c0bf01abf15a8dec00473476847c70ea";

#[test]
fn rules_are_frozen() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules.toml");
    let rules: toml::Table = toml::from_str(&std::fs::read_to_string(rules).unwrap()).unwrap();
    let mut hash = Sha256::new();
    for rule in rules["rule"].as_array().unwrap() {
        if rule["kind"].as_str() == Some("phrase") {
            for key in ["id", "pattern"] {
                hash.update(rule[key].as_str().unwrap());
                hash.update([0]);
            }
        }
    }
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, FROZEN);
}
