//! Checks of states: made, ended, made again.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::loaded::name;
use crate::scene::{Outcome, Scene, Verdict, fail, skip};
use crate::system;

/// How many states are made and ended.
const STATES: usize = 100;
/// How long threads may take to leave after `deinit`.
const LEAVE: Duration = Duration::from_millis(500);
/// How deep an odd configuration goes: below what parsers refuse.
const DEPTH: usize = 100;

const NO_INIT: &str = "it has no `init`";

pub(super) fn empty_config(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    if !loaded.has_init() {
        return skip(NO_INIT);
    }
    scene.note("`init` with the configuration `{}`");
    match loaded.init("{}") {
        Ok(_) => Ok(()),
        Err((_, Some(why))) if !why.is_empty() => {
            Err(Outcome::Warn(format!("it needs a configuration, and says so: {why}")))
        }
        Err((status, _)) => fail(format!(
            "`init` refuses an empty configuration ({}) and does not say why",
            name(status)
        )),
    }
}

/// Each configuration is valid JSON: a host gives no other. It may be refused, with a reason.
pub(super) fn bad_config(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    if !loaded.has_init() {
        return skip(NO_INIT);
    }
    for config in odd_configs(&scene.target.config()) {
        let shown: String = config.chars().take(60).collect();
        scene.note(&format!("`init` with the configuration `{shown}`"));
        if let Err((status, why)) = loaded.init(&config)
            && why.is_none_or(|why| why.is_empty())
        {
            return fail(format!(
                "`init` refuses `{shown}` ({}) and does not say why",
                name(status)
            ));
        }
    }
    Ok(())
}

fn odd_configs(own: &str) -> Vec<String> {
    let own: Json = serde_json::from_str(own).unwrap_or_default();
    let mut odd = vec![json!([]), json!(null), json!(7), json!("text"), json!({"unheard_of": 1})];
    for key in own.as_object().into_iter().flat_map(serde_json::Map::keys) {
        for value in
            [json!(null), json!([{}]), json!({"a": 1}), json!(-1.5e300), json!("\u{1F980}")]
        {
            let mut changed = own.clone();
            changed[key] = value;
            odd.push(changed);
        }
    }
    odd.push(json!({ "text": "x".repeat(100_000) }));
    let deep = (0..DEPTH).fold(json!(1), |inner, _| json!({ "a": inner }));
    odd.push(deep);
    odd.iter().map(Json::to_string).collect()
}

pub(super) fn init_deinit(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let before = system::descriptors().map(|open| open.len());
    for at in 0..STATES / 2 {
        scene.note(&format!("states {} and {}, made and ended", 2 * at + 1, 2 * at + 2));
        let first = scene.state(&loaded)?;
        let second = scene.state(&loaded)?;
        drop(first);
        drop(second);
    }
    let after = system::descriptors().map(|open| open.len());
    match before.zip(after).map(|(before, after)| after.saturating_sub(before)) {
        Some(more) if more >= STATES / 2 => {
            fail(format!("{STATES} states leave {more} files open"))
        }
        Some(_) | None => Ok(()),
    }
}

pub(super) fn stops_threads(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let Some(before) = system::threads() else { return skip("this system does not show threads") };
    let state = scene.state(&loaded)?;
    thread::sleep(Duration::from_millis(5));
    drop(state);
    let end = Instant::now() + LEAVE;
    while system::threads().is_some_and(|now| now > before) {
        if Instant::now() > end {
            return fail("a thread that `init` started runs on after `deinit`");
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
