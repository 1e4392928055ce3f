//! A small generator of random numbers with a seed, and JSON written in random key order.
//!
//! In: a seed. Out: numbers, orders, texts; the same for the same seed. Never: reads the clock.

use serde_json::Value as Json;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit as u64) as usize
    }

    /// Whether something happens that happens once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of them; there is one.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Puts them in random order.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }

    /// A value as JSON text, the keys of each object in random order.
    pub fn json(&mut self, value: &Json) -> String {
        match value {
            Json::Object(map) => {
                let mut keys: Vec<&String> = map.keys().collect();
                self.shuffle(&mut keys);
                let pairs = keys
                    .into_iter()
                    .map(|key| format!("{}: {}", Json::from(key.as_str()), self.json(&map[key])));
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
            }
            Json::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.json(item)).collect();
                format!("[{}]", items.join(", "))
            }
            other => other.to_string(),
        }
    }
}

/// How often a property is tried: the environment's `PROMPTWEAVE_CASES`, else `default`.
pub fn cases(default: u32) -> u32 {
    let asked = std::env::var("PROMPTWEAVE_CASES").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(default)
}
