//! Everything that is wrong with packs.
//!
//! In: an engine, perhaps a limit of tokens. Out: diagnostics, each once. Never: builds in another context than the empty one.

use std::collections::BTreeSet;

use promptweave::{Ask, Code, Context, Diagnostic, Engine, VariantId};

/// What loading said, what a closer look says, and which variants have more than `max_tokens` tokens. Which skills there
/// are is known where they were looked for; else nothing is said of them.
pub fn check(
    engine: &Engine,
    skills: Option<&BTreeSet<String>>,
    max_tokens: Option<usize>,
) -> Vec<Diagnostic> {
    let mut told = match skills {
        Some(names) => engine.review_with_skills(names),
        None => engine.review(),
    };
    told.extend(max_tokens.into_iter().flat_map(|most| too_long(engine, most)));
    told
}

/// The variants whose prompts are longer than that.
fn too_long(engine: &Engine, most: usize) -> Vec<Diagnostic> {
    let told = |id: &VariantId| {
        let ask = Ask { variant: Some(id.to_string()), ..Ask::default() };
        // What keeps a variant from being built is told already.
        let prompt = engine.prompt_for(&Context::default(), &ask).ok()?;
        let report = engine.token_counter(&prompt).report(&prompt);
        let over = report.total.checked_sub(most).filter(|over| *over > 0)?;
        let message = format!(
            "variant `{id}` has {} tokens ({}) before it knows anything, {over} more than {most}",
            report.total, report.method
        );
        let told = Diagnostic::new(Code::BudgetExceeded, message, prompt.variant().origin.clone());
        Some(told.help("shorten its components, or allow more with `--max-tokens`"))
    };
    engine.registry().variants.keys().filter_map(told).collect()
}
