//! The figures that `fixtures/cache/session/README.md` derives by hand.

use std::collections::BTreeMap;

use promptweave::{CacheStep, CacheTotals, Context, Engine};
use promptweave_tests::{conformance::read, pack};
use serde::Deserialize;
use serde_json::Value as Json;

use super::steps;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contexts {
    requests: usize,
    first: Json,
    change: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    from: usize,
    #[serde(flatten)]
    set: serde_json::Map<String, Json>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// Read, written, uncached.
    usage: [usize; 3],
    /// Paid, unbroken, without a cache.
    price: [f64; 3],
    breaks: Vec<Break>,
    /// Those that cost most first.
    causes: Vec<Cause>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Break {
    request: usize,
    key: String,
    section: String,
    at: usize,
    billed_again: usize,
    price: f64,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Cause {
    key: String,
    breaks: usize,
    billed_again: usize,
    price: f64,
    first: usize,
}

fn contexts() -> Vec<Context> {
    let written: Contexts =
        toml::from_str(&read(&pack::fixture("cache/session/contexts.toml"))).unwrap();
    let mut root = written.first.clone();
    let context = |request| {
        for change in written.change.iter().filter(|change| change.from == request) {
            merge(&mut root, &Json::Object(change.set.clone()));
        }
        Context::from_value(root.clone()).unwrap()
    };
    (1..=written.requests).map(context).collect()
}

/// Puts a value over what is there; objects are merged.
fn merge(place: &mut Json, value: &Json) {
    match value {
        Json::Object(map) => map.iter().for_each(|(key, value)| merge(&mut place[key], value)),
        other => *place = other.clone(),
    }
}

fn engine(models: &str) -> Engine {
    let models = read(&pack::fixture(&format!("cache/session/{models}.toml")));
    let pack = pack::fixture("cache/session/pack");
    Engine::builder().pack_dir(pack).model_data("models", &models).strict(true).build().unwrap()
}

/// Prices in steps of a ten-millionth of a dollar.
fn rounded(price: f64) -> f64 {
    (price * 1e7).round() / 1e7
}

fn of(steps: &[CacheStep]) -> Expected {
    let mut totals = CacheTotals::default();
    steps.iter().for_each(|step| totals.add(step));
    let breaks = steps.iter().filter_map(|step| {
        let broken = step.broken.as_ref()?;
        let hinge = broken.hinge.as_ref().unwrap();
        assert_eq!(*hinge.cause, *broken.keys[0], "the hinge names the key");
        assert!(hinge.at <= broken.at && broken.span.is_some());
        Some(Break {
            request: step.request + 1,
            key: broken.keys.join(", "),
            section: broken.section.as_deref().unwrap().to_owned(),
            at: broken.at,
            billed_again: broken.billed_again,
            price: rounded(broken.price.unwrap()),
        })
    });
    let causes = totals.by_cost().into_iter().map(|(key, one)| Cause {
        key: key.to_owned(),
        breaks: one.breaks,
        billed_again: one.billed_again,
        price: rounded(one.price),
        first: one.first + 1,
    });
    let (usage, price) = (totals.usage, totals.price);
    Expected {
        usage: [usage.read, usage.written, usage.uncached],
        price: [price.paid, price.unbroken, price.without].map(rounded),
        breaks: breaks.collect(),
        causes: causes.collect(),
    }
}

#[test]
fn the_figures_are_those_of_the_readme() {
    let expected: BTreeMap<String, Expected> =
        toml::from_str(&read(&pack::fixture("cache/session/expected.toml"))).unwrap();
    let contexts = contexts();
    assert_eq!((expected.len(), contexts.len()), (3, 200));
    for (models, expected) in expected {
        for threads in [1, 2, 7] {
            let measured = of(&steps(&engine(&models), &contexts, threads));
            assert_eq!(measured.breaks, expected.breaks, "{models}");
            assert_eq!(measured.usage, expected.usage, "{models}");
            assert_eq!(measured.price, expected.price, "{models}");
            assert_eq!(measured.causes, expected.causes, "{models}");
        }
    }
}
