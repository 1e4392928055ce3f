//! Calls by chance: any value at any key, any failure of the host, in any order.
//!
//! In: a seed. Out: the first thing that no plugin may do. Never: different for the same seed.

use std::time::Instant;

use promptweave_abi::Status;
use promptweave_loader::harness::Given;
use promptweave_loader::{Item, ItemKind};
use serde_json::{Map, Value as Json, json};

use crate::host::{Conduct, Fault, Function, Named, Time};
use crate::sample::{put, remove};
use crate::scene::{Outcome, Scene, Verdict, skip};

/// How deep a value by chance goes.
const DEPTH: u32 = 3;

/// The part of the time-out that calls may take.
const SHARE: u32 = 4;
/// What a host may refuse with.
const REFUSALS: [Status; 5] = [
    Status::E_ARG,
    Status::E_UNDECLARED,
    Status::E_LIMIT,
    Status::E_CANCELLED,
    Status::E_UNSUPPORTED,
];

/// SplitMix64: small, and the same everywhere.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not zero.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        if of.is_empty() { None } else { of.get(self.below(of.len() as u64) as usize) }
    }

    fn text(&mut self) -> String {
        let letters =
            ["a", "/", "\n", "\"", "{{x}}", "ß", "漢", "\u{1F980}", "\u{0}", "0", " ", "\\"];
        let length = [0, 1, 3, 20, 300][self.below(5) as usize];
        (0..length).filter_map(|_| self.one(&letters).copied()).collect()
    }

    fn value(&mut self, depth: u32) -> Json {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => Json::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.next() as i64),
            3 => json!(self.below(1_000_000) as f64 / 7.0 + 0.25),
            4 | 5 => Json::from(self.text()),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let mut entries = Map::new();
                for _ in 0..self.below(4) {
                    entries.insert(self.text(), self.value(depth - 1));
                }
                Json::Object(entries)
            }
        }
    }

    fn given(&mut self, item: &Item, usual: Given) -> Given {
        let mut given = usual;
        for dep in &item.deps {
            match self.below(8) {
                0 => remove(&mut given.context, dep),
                1 => {}
                _ => put(&mut given.context, dep, self.value(DEPTH)),
            }
        }
        for section in &item.sections {
            match self.below(3) {
                0 => _ = given.sections.remove(section),
                _ => _ = given.sections.insert(section.clone(), self.text()),
            }
        }
        if item.kind == ItemKind::Helper {
            given.args =
                (0..self.below(4)).map(|_| self.value(DEPTH)).collect::<Json>().to_string();
        }
        given
    }

    fn conduct(&mut self) -> Conduct {
        let (function, status) = (self.one(&Function::ALL).copied(), self.one(&REFUSALS).copied());
        let fault = function.zip(status).filter(|_| self.below(4) == 0);
        let fault = fault.map(|(function, status)| {
            let nth = 1 + self.below(6) as u32;
            Fault { function, nth, status }
        });
        Conduct {
            limit: [0, 10, 1000, 64 * 1024][self.below(4) as usize],
            time: if self.below(8) == 0 { Time::Over } else { Time::Enough },
            named: Named::Right,
            fault,
        }
    }
}

/// Makes calls until the effort is spent, or a part of the time: a slow plugin gets fewer of the same calls.
pub(crate) fn run(scene: &Scene) -> Verdict {
    let loaded = scene.loaded()?;
    let items: Vec<&Item> = loaded.callable().filter(|item| item.kind != ItemKind::Probe).collect();
    if items.is_empty() {
        return skip("no item but probes has code");
    }
    let seed = scene.ask.seed;
    let mut chance = Chance(seed);
    let mut state = scene.state(&loaded)?;
    let mut panicked = None;
    let end = Instant::now() + scene.ask.timeout / SHARE;
    for at in 0..scene.ask.effort.fuzzed {
        if Instant::now() > end {
            break;
        }
        let Some(item) = chance.one(&items).copied() else { break };
        let given = chance.given(item, scene.given(item, 1));
        let conduct = chance.conduct();
        let what = format!("{} `{}`, call {at} of seed {seed}", item.kind, item.id);
        scene.note(&what);
        let ended = state.call(item, &given, &conduct);
        if let Some(offence) = ended.offence() {
            return Err(Outcome::Once { why: format!("{what}: {offence}"), known_by: offence });
        }
        let fresh = chance.below(64) == 0;
        if ended.status == Status::E_PANIC || fresh {
            drop(state);
            state = scene.state(&loaded)?;
        }
        if ended.status == Status::E_PANIC {
            panicked.get_or_insert(format!("{what}: it panicked; return a failure"));
        }
    }
    panicked.map_or(Ok(()), |what| Err(Outcome::Warn(what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_seed() {
        let values = |seed| {
            let mut chance = Chance(seed);
            (0..50).map(|_| chance.value(DEPTH).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(values(7), values(7));
        assert_ne!(values(7), values(8));
    }
}
