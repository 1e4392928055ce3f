//! Stand-in for patterns.
use crate::diagnostic::{Code, Diagnostic, Origin};

#[derive(Clone, Debug)]
pub struct Patterns(pub Vec<String>);
#[derive(Clone, Copy, Debug)]
pub enum PatternKind {
    Model,
    Provider,
}
impl Patterns {
    pub fn parse(items: &[(String, Origin)], _kind: PatternKind) -> (Patterns, Vec<Diagnostic>) {
        let bad = items.iter().filter(|(text, _)| text.starts_with("/(") && !text.contains(')'));
        let told = bad
            .map(|(_, at)| Diagnostic::new(Code::PatternSyntax, "stand-in", at.clone()))
            .collect();
        (Patterns(items.iter().map(|(text, _)| text.clone()).collect()), told)
    }
}
