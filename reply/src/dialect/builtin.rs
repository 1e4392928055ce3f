//! The dialects that are built in, as files in `dialects/`.
//!
//! In: the files' text. Out: tables, read once. Never: a dialect that is no file.

use std::sync::{Arc, LazyLock};

use super::Table;

/// In the order in which they are asked.
const FILES: &[&str] = &[
    include_str!("../../dialects/xml.toml"),
    include_str!("../../dialects/prefixed.toml"),
    include_str!("../../dialects/invoke.toml"),
    include_str!("../../dialects/legacy.toml"),
    include_str!("../../dialects/minimax.toml"),
    include_str!("../../dialects/dsml.toml"),
    include_str!("../../dialects/qwen3-coder.toml"),
    include_str!("../../dialects/hermes.toml"),
    include_str!("../../dialects/glm.toml"),
    include_str!("../../dialects/mistral.toml"),
    include_str!("../../dialects/llama.toml"),
    include_str!("../../dialects/deepseek.toml"),
    include_str!("../../dialects/kimi.toml"),
    include_str!("../../dialects/harmony.toml"),
    include_str!("../../dialects/cohere.toml"),
];

static TABLES: LazyLock<Vec<Arc<Table>>> = LazyLock::new(|| {
    // A test reads each file; one that is wrong would be missing here.
    FILES.iter().filter_map(|text| Table::parse(text).ok()).map(Arc::new).collect()
});

pub(super) fn tables() -> &'static [Arc<Table>] {
    &TABLES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    #[test]
    fn every_file_is_a_dialect() {
        for text in FILES {
            Dialect::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
        assert_eq!(tables().len(), FILES.len());
    }
}
