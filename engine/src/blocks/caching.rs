//! What a context says about who serves a prompt, and who may share it.

use std::sync::Arc;

use serde_json::Value as Json;

use super::CacheMode;
use crate::model::Context;

/// What a context says about who serves a prompt, and who may share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caching {
    /// The model's id; empty when the context has none.
    pub model: Arc<str>,
    /// Who serves it.
    pub provider: Option<Arc<str>>,
    pub query_source: Option<Arc<str>>,
    pub global: GlobalCaching,
    /// How many marks the host sets itself.
    pub marks_used: usize,
    pub tools: ToolStability,
}

/// Whether entries should be shared beyond the organisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GlobalCaching {
    #[default]
    Off,
    On,
}

/// Whether tools may come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToolStability {
    #[default]
    Fixed,
    Volatile,
}

/// How hosts name Anthropic's own API.
const FIRST_PARTY: [&str; 3] = ["anthropic", "first-party", "firstparty"];

impl Caching {
    /// The first steps of all paths that are read.
    pub(crate) const ROOTS: &[&str] = &["model", "provider", "request", "mcp"];

    /// Reads a context.
    pub(crate) fn of(context: &Context) -> Self {
        let text = |path| context.text(path).filter(|text| !text.trim().is_empty()).map(Arc::from);
        let servers = context.get("mcp.servers").and_then(Json::as_array);
        let tools = match servers.is_some_and(|servers| !servers.is_empty()) {
            true => ToolStability::Volatile,
            false => ToolStability::Fixed,
        };
        let (model, provider) = (text("model.id").unwrap_or_default(), text("provider.id"));
        let read = Self { model, provider, tools, ..Self::default() };
        if context.get("request").is_none() {
            return read;
        }
        let global = match context.get("request.global_cache").and_then(Json::as_bool) {
            Some(true) => GlobalCaching::On,
            Some(false) | None => GlobalCaching::Off,
        };
        let used = context.get("request.marks_used").and_then(Json::as_i64).unwrap_or_default();
        Self {
            query_source: text("request.query_source"),
            global,
            marks_used: usize::try_from(used).unwrap_or_default(),
            ..read
        }
    }

    /// Whether the context says that Anthropic itself serves the model; none when it says nothing.
    pub(crate) fn is_first_party(&self) -> Option<bool> {
        let provider = self.provider.as_deref()?;
        Some(FIRST_PARTY.iter().any(|name| provider.eq_ignore_ascii_case(name)))
    }

    /// The mode, when Anthropic's own API is asked or not, for a static block of so many bytes.
    pub(crate) fn mode(&self, first_party: bool, static_bytes: usize) -> CacheMode {
        match (self.tools, self.global) {
            (ToolStability::Volatile, _) => CacheMode::ToolsVolatile,
            (ToolStability::Fixed, GlobalCaching::On) if first_party && static_bytes > 0 => {
                CacheMode::Global
            }
            (ToolStability::Fixed, GlobalCaching::On | GlobalCaching::Off) => CacheMode::Default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_follows_from_servers_provider_and_head() {
        for (context, head, mode) in [
            (r#"{}"#, 9, CacheMode::Default),
            (r#"{"mcp": {"servers": []}}"#, 9, CacheMode::Default),
            (r#"{"mcp": {"servers": [{"name": "a"}]}}"#, 9, CacheMode::ToolsVolatile),
            (r#"{"request": {"global_cache": true}}"#, 9, CacheMode::Default),
            (
                r#"{"request": {"global_cache": true}, "provider": {"id": "Anthropic"}}"#,
                9,
                CacheMode::Global,
            ),
            (
                r#"{"request": {"global_cache": true}, "provider": {"id": "anthropic"}}"#,
                0,
                CacheMode::Default,
            ),
            (
                r#"{"request": {"global_cache": true}, "provider": {"id": "bedrock"}}"#,
                9,
                CacheMode::Default,
            ),
            (
                r#"{"request": {"global_cache": false}, "provider": {"id": "anthropic"}}"#,
                9,
                CacheMode::Default,
            ),
            (
                r#"{"request": {"global_cache": true}, "provider": {"id": "anthropic"}, "mcp": {"servers": [{}]}}"#,
                9,
                CacheMode::ToolsVolatile,
            ),
        ] {
            let caching = Caching::of(&Context::from_json(context).unwrap());
            let first_party = caching.is_first_party().unwrap_or_default();
            assert_eq!(caching.mode(first_party, head), mode, "{context}");
        }
    }

    #[test]
    fn what_is_blank_or_below_zero_counts_as_absent() {
        let text =
            r#"{"request": {"query_source": " ", "marks_used": -3}, "provider": {"id": ""}}"#;
        let caching = Caching::of(&Context::from_json(text).unwrap());
        assert!(caching.query_source.is_none() && caching.provider.is_none());
        assert_eq!(caching.marks_used, 0);
    }
}
