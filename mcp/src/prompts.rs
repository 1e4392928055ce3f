//! Variants as prompts.
//!
//! In: an engine, the name of a variant, texts for keys of its context. Out: lists of prompts; a built prompt as one message, with
//! what else is known of it beside. Never: fills in what the request does not say.

use promptweave::{Ask, Diagnostic, Engine, Prompt, Variant};
use promptweave_inspect::Overlay;
use rmcp::model::{
    GetPromptResult, JsonObject, MetaObject, Prompt as Listed, PromptArgument, PromptMessage, Role,
};
use serde_json::{Value as Json, json};

use crate::argument::{self, VERSION, arguments};
use crate::refusal::Refusal;

/// All variants, by id.
pub(crate) fn list(engine: &Engine) -> Vec<Listed> {
    let registry = engine.registry();
    let current = registry.variants.keys().filter_map(|id| registry.current(id.as_str()));
    current.map(|variant| listed(engine, variant)).collect()
}

fn listed(engine: &Engine, variant: &Variant) -> Listed {
    let keys = arguments(engine, variant).into_iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    let version = PromptArgument::new(VERSION)
        .with_description("the number of a version, or its label")
        .with_required(false);
    let version = Some(version).filter(|_| versions(engine, variant.id.as_str()).len() > 1);
    let description = variant.description.as_deref().map(str::to_owned);
    Listed::new(variant.id.as_str(), description, Some(keys.chain(version).collect()))
}

/// What the version of a variant may be called: numbers and labels.
pub(crate) fn versions(engine: &Engine, id: &str) -> Vec<String> {
    let versions = engine.registry().variants.get(id).into_iter();
    let names = versions.flat_map(|all| {
        let numbers = all.by_number.keys().map(ToString::to_string);
        numbers.chain(all.labels.keys().map(ToString::to_string))
    });
    names.collect()
}

/// There is no prompt of that name.
pub(crate) fn unknown(engine: &Engine, name: &str) -> Refusal {
    let names: Vec<&str> = engine.registry().variants.keys().map(|id| id.as_str()).collect();
    let names = if names.is_empty() { "none".into() } else { names.join(", ") };
    Refusal::arguments(format_args!("there is no prompt `{name}`"))
        .help(format!("there are: {names}"))
}

/// Builds a variant.
///
/// An empty text stands for an argument that is not given: that is what forms send.
pub(crate) fn get(
    engine: &Engine,
    name: &str,
    given: JsonObject,
) -> Result<GetPromptResult, Refusal> {
    let registry = engine.registry();
    let variant = registry.current(name).ok_or_else(|| unknown(engine, name))?;
    let (mut asked, mut overlay) = (name.to_owned(), Overlay::default());
    let mut missing = arguments(engine, variant);
    missing.retain(|argument| argument.required);
    for (key, value) in given {
        let Json::String(text) = value else {
            return Err(Refusal::arguments(format_args!("argument `{key}` is not a string")));
        };
        if text.is_empty() {
            continue;
        }
        if key == VERSION {
            asked = format!("{name}@{text}");
            continue;
        }
        let argument = argument::find(registry, &key).ok_or_else(|| no_argument(&key))?;
        missing.retain(|one| one.name != argument.name);
        overlay.set.push(argument.assign(&text)?);
    }
    if let Some(argument) = missing.first() {
        let why = format!("argument `{}` is required by its pack, and absent", argument.name);
        return Err(Refusal::arguments(why));
    }
    let context = overlay.on(json!({}))?;
    let ask = Ask { variant: Some(asked), ..Ask::default() };
    let prompt = engine.prompt_for(&context, &ask)?;
    Ok(delivered(&prompt))
}

/// A name that no key has.
pub(crate) fn no_argument(name: &str) -> Refusal {
    Refusal::arguments(format_args!("there is no argument `{name}`"))
        .help("`prompts/list` names those of each prompt; any other key is given by its path, if it is known or declared")
}

/// The protocol knows no message of a system: the prompt is the user's first message, and its host may move it.
fn delivered(prompt: &Prompt) -> GetPromptResult {
    let variant = prompt.variant();
    let told: Json = prompt.diagnostics().iter().map(Diagnostic::to_json).collect();
    let mut meta = MetaObject::new();
    let mut say = |name: &str, value: Json| meta.0.insert(format!("promptweave/{name}"), value);
    say("variant", json!({ "id": variant.id.as_str(), "version": variant.version }));
    say("diagnostics", told);
    let beside = [
        ("attribution", prompt.attribution()),
        ("prefix", prompt.prefix()),
        ("user_context", prompt.user_context()),
    ];
    for (name, text) in beside.into_iter().filter_map(|(name, text)| Some((name, text?))) {
        say(name, json!(text));
    }
    let message = PromptMessage::new_text(Role::User, prompt.text());
    let mut result = GetPromptResult::new(vec![message]);
    result.description = variant.description.as_deref().map(str::to_owned);
    result.meta = Some(meta);
    result
}
