//! Stand-in for the template floor.
use std::sync::Arc;

use crate::diagnostic::SourceText;

#[derive(Debug)]
pub struct Template {
    source: Arc<SourceText>,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}
impl Template {
    pub fn new(source: Arc<SourceText>) -> Template {
        Self { source }
    }
    pub fn source(&self) -> &Arc<SourceText> {
        &self.source
    }
    pub fn insert(&self, anchor: &str, name: &str, side: Side) -> Option<Template> {
        let tag = format!("{{{{{anchor}}}}}");
        let new = match side {
            Side::Before => format!("{{{{{name}}}}}\n\n{tag}"),
            Side::After => format!("{tag}\n\n{{{{{name}}}}}"),
        };
        self.source.text.contains(&tag).then(|| {
            let text = self.source.text.replacen(&tag, &new, 1);
            Template::new(SourceText::new(text, self.source.origin.clone()))
        })
    }
}
pub fn is_reserved(name: &str) -> bool {
    const HELPERS: &[&str] =
        &["if", "unless", "each", "with", "lookup", "eq", "section", "cache_boundary"];
    name.starts_with("else") || HELPERS.contains(&name)
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Missing {
    #[default]
    Empty,
    Keep,
    Error,
}
