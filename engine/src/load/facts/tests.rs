//! The data that is shipped, and what is laid over it.

use super::*;
use crate::facts::{Facts, Known};

fn facts(provider: &str, model: &str) -> Facts {
    shipped().facts(provider, model)
}

#[test]
fn the_shipped_file_has_no_mistake() {
    let (data, told) = read("models.toml", SHIPPED);
    assert!(told.is_empty(), "{told:?}");
    for provider in ["anthropic", "vertex", "bedrock", "openai", "compatible", "xai", "gemini"] {
        assert!(data.providers.contains_key(provider), "{provider}");
    }
    for (name, provider) in &data.providers {
        let base = provider.base.as_deref();
        assert!(base.is_none_or(|base| data.providers.contains_key(base)), "{name}");
        for family in &provider.families {
            assert!(!family.models.is_empty(), "{name} {}", family.id);
        }
    }
}

/// A mark such as `[A1]`.
fn marks(line: &str) -> Vec<&str> {
    let inner = line.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let is_mark =
        |mark: &str| mark.len() == 2 && mark.starts_with(|first: char| first.is_ascii_uppercase());
    inner.map(|(mark, _)| mark).filter(|mark| is_mark(mark)).collect()
}

#[test]
fn every_fact_names_its_source_and_every_source_has_a_day() {
    let sources: Vec<&str> = SHIPPED.lines().filter(|line| line.starts_with("#   [")).collect();
    let legend = SHIPPED.split("# Sources").nth(1).unwrap().split("# Where").next().unwrap();
    let entries: Vec<&str> = legend.split("\n#   [").skip(1).collect();
    assert!(entries.iter().all(|entry| entry.contains(" 202")), "{entries:?}");
    for line in SHIPPED.lines().filter(|line| !line.starts_with('#')) {
        let Some((key, value)) = line.split_once('=') else { continue };
        let key = key.trim();
        // How an estimate errs goes with the estimate, and `bytes` says that there is no more to know.
        let is_own = key == "errs" || value.trim_start().starts_with("\"bytes\"");
        let of = marks(value);
        assert!(!FACTS.contains(&key) || is_own || !of.is_empty(), "no source: {line}");
        let listed = |mark: &&str| sources.iter().any(|own| own.contains(&format!("[{mark}]")));
        assert!(of.iter().all(listed), "not listed: {line}");
    }
}

#[test]
fn models_have_the_facts_of_their_families() {
    for (provider, model, family, known) in [
        ("anthropic", "claude-opus-4-5-20251101", Some("opus-4-5"), Known::Model),
        ("anthropic", "claude-opus-4-20250514", Some("opus-4"), Known::Model),
        ("anthropic", "Claude-Sonnet-5", Some("sonnet-5"), Known::Model),
        ("anthropic", "claude-sonnet-9", Some("sonnet-5"), Known::Family),
        ("anthropic", "claude-opus-4-9", Some("opus-5-5"), Known::Family),
        ("anthropic", "house-model", None, Known::Provider),
        ("anthropic", "", None, Known::Model),
        ("vertex", "claude-haiku-4-5@20251001", Some("haiku-4-5"), Known::Model),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some("sonnet-4"), Known::Model),
        ("bedrock", "amazon.nova-pro-v1:0", Some("nova"), Known::Model),
        ("bedrock", "meta.llama3-3-70b-instruct-v1:0", Some("uncached"), Known::Model),
        ("openai", "gpt-5.6-sol", Some("gpt-5-6"), Known::Model),
        ("openai", "gpt-5-mini", Some("gpt-5-mini"), Known::Model),
        ("openai", "gpt-5.9", Some("gpt-5-5"), Known::Family),
        ("gemini", "gemini-2.5-pro", Some("gemini-2-5-pro"), Known::Model),
        ("gemini", "gemma-3-27b-it", Some("gemma"), Known::Model),
        ("xai", "grok-4-fast", Some("grok-4"), Known::Model),
        ("nobody", "x", None, Known::Provider),
    ] {
        let found = facts(provider, model);
        assert_eq!((found.family.as_deref(), found.known), (family, known), "{provider} {model}");
        assert_eq!(found.unknown().is_some(), known != Known::Model);
    }
}

#[test]
fn a_provider_beats_what_its_base_says_of_a_family() {
    let (own, gateway) = (facts("openai", "gpt-5.6"), facts("compatible", "gpt-5.6"));
    assert_eq!((own.marks, gateway.marks), (Marks::Explicit, Marks::Automatic));
    assert_eq!(own.encoding, Some(Encoding::O200k));
    assert_eq!(facts("bedrock", "claude-opus-5").price, facts("anthropic", "claude-opus-5").price);
    assert!(facts("bedrock", "arn:aws:bedrock:us-east-1:1:x/abc").marks == Marks::Explicit);
    assert!(!facts("vertex", "claude-opus-5").global_cache);
}

#[test]
fn a_model_is_found_at_any_provider() {
    let data = shipped();
    for (named, model, provider) in [
        (None, "gpt-5.2", "openai"),
        (Some("ANTHROPIC"), "x", "anthropic"),
        (Some("house"), "claude-opus-5", "anthropic"),
        (None, "house-model", "compatible"),
        (None, "gemini-9", "gemini"),
        (None, "", "compatible"),
        (Some("gemini"), "", "gemini"),
    ] {
        assert_eq!(&*data.facts_anywhere(named, model).provider, provider, "{named:?} {model}");
    }
}

#[test]
fn what_is_laid_over_wins_key_by_key() {
    let text = "[provider.anthropic]\nminimum = 7\n\
        [[provider.anthropic.family]]\nid = 'opus-5'\nglobal_cache = false\n\
        [[provider.anthropic.family]]\nid = 'house'\nmodels = ['House-Model']\nminimum = 9\n\
        [provider.house]\nbase = 'anthropic'\nminimum = 1";
    let (above, told) = read("own.toml", text);
    assert!(told.is_empty(), "{told:?}");
    let data = shipped().clone().overlaid(above);
    let opus = data.facts("anthropic", "claude-opus-5");
    assert_eq!((opus.minimum, opus.global_cache, opus.price.is_some()), (512, false, true));
    assert_eq!(data.facts("anthropic", "house-model-large").minimum, 9);
    assert_eq!(data.facts("anthropic", "").minimum, 7);
    assert_eq!(data.facts("house", "claude-opus-5").minimum, 1);
}

#[test]
fn mistakes_are_told_and_cost_their_key_alone() {
    let text = "format = 2\nkolor = 1\n[provider.a]\nminimum = -1\nmarks = 'loud'\nttls = ['9m', '5m']\n\
        bytes_per_token = 0\nerrs = 'high'\nprice = { read = 1.0 }\nbetas = 3\n\
        [[provider.a.family]]\nmodels = ['x']\n[[provider.a.family]]\nid = 'b'\nmodels = ['']";
    let (data, told) = read("own.toml", text);
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    error[invalid-value] own.toml:1:10: the engine knows model data of format 1
    error[unknown-key] own.toml:2:1: `kolor` is not a key of model data
    error[invalid-value] own.toml:4:11: `minimum` is below 0
    error[invalid-value] own.toml:5:9: `loud` is not a value of `marks`
    error[invalid-value] own.toml:6:9: `9m` is no life of cache entries
    error[invalid-value] own.toml:7:19: `bytes_per_token` is not above 0
    error[invalid-value] own.toml:9:9: a price needs `uncached`, `read` and `write`
    error[wrong-type] own.toml:10:9: `betas` holds an integer, not a table
    error[wrong-type] own.toml:11:1: a family needs an `id`
    error[invalid-value] own.toml:15:11: an empty name fits every model
    ");
    assert_eq!(data.facts("a", "").ttls, [Ttl::FiveMinutes]);
    assert!(read("own.toml", "= =").1.iter().any(|told| told.code == Code::TomlSyntax));
}
