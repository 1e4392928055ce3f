//! Completes arguments of prompts and of resource templates.
//!
//! In: what is completed, the text so far. Out: the known values that begin with it. Never: more than a hundred, as the protocol says.

use promptweave::Engine;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use crate::argument::{self, VERSION};
use crate::prompts::{self, no_argument};
use crate::refusal::Refusal;
use crate::resources::{self, FILES, KINDS, SOURCES};

/// The values for an argument.
pub(crate) fn complete(
    engine: &Engine,
    request: CompleteRequestParams,
) -> Result<CompleteResult, Refusal> {
    let CompleteRequestParams { r#ref, argument, context, .. } = request;
    let given = context.and_then(|context| context.arguments).unwrap_or_default();
    let given = |name: &str| given.get(name).map(String::as_str);
    let (name, text) = (argument.name.as_str(), argument.value.as_str());
    let values = match &r#ref {
        Reference::Prompt(prompt) => of_prompt(engine, &prompt.name, (name, text))?,
        Reference::Resource(template) => of_template(engine, (&template.uri, name), given)?,
        // Kinds that the protocol does not have yet.
        _ => return Err(Refusal::arguments("this kind of reference cannot be completed")),
    };
    // What is written is not lost to the case of its letters.
    let begun = text.to_lowercase();
    let mut values: Vec<String> =
        values.into_iter().filter(|value| value.to_lowercase().starts_with(&begun)).collect();
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let has_more = total > values.len();
    let total = u32::try_from(total).ok();
    let info = CompletionInfo::with_pagination(values, total, has_more);
    Ok(CompleteResult::new(info.map_err(|_| Refusal::broken())?))
}

fn of_prompt(
    engine: &Engine,
    prompt: &str,
    (name, text): (&str, &str),
) -> Result<Vec<String>, Refusal> {
    if engine.registry().current(prompt).is_none() {
        return Err(prompts::unknown(engine, prompt));
    }
    if name == VERSION {
        return Ok(prompts::versions(engine, prompt));
    }
    let argument = argument::find(engine.registry(), name).ok_or_else(|| no_argument(name))?;
    Ok(argument.values(engine, text))
}

fn of_template<'g>(
    engine: &Engine,
    (template, name): (&str, &str),
    given: impl Fn(&str) -> Option<&'g str>,
) -> Result<Vec<String>, Refusal> {
    let registry = engine.registry();
    match (template, name) {
        (FILES, "pack") => Ok(registry.packs.iter().map(|pack| pack.name.to_string()).collect()),
        (FILES, "path") => {
            let pack = given("pack");
            let files = resources::files(engine).into_values();
            let files = files.filter(|file| pack.is_none_or(|pack| file.pack.as_str() == pack));
            Ok(files.map(|file| file.path.into_owned()).collect())
        }
        (SOURCES, "kind") => Ok(KINDS.iter().map(|(kind, _)| (*kind).to_owned()).collect()),
        (SOURCES, "id") => Ok(match given("kind") {
            None | Some("variant") => registry.variants.keys().map(ToString::to_string).collect(),
            Some("component") => registry.components.keys().map(ToString::to_string).collect(),
            Some("tool") => registry.tools.keys().map(ToString::to_string).collect(),
            Some("partial") => registry.partials.keys().map(ToString::to_string).collect(),
            Some(_) => Vec::new(),
        }),
        _ => Err(Refusal::arguments("there is no such argument of a resource template")
            .help("`resources/templates/list` names them")),
    }
}
