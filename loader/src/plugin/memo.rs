//! Answers that are still right.
//!
//! In: everything that an item's answer depends on. Out: the answer, if it was given before. Never: keeps
//! what a volatile item said, or a failure.

use std::collections::{BTreeMap, VecDeque};

use sha2::{Digest, Sha256};

use crate::answer::{Answer, Outcome};
use crate::frame::Encoder;
use crate::manifest::ItemKind;
use crate::process::Prepared;
use crate::table::{Cache, Item};

/// The most answers of one plugin, and the most bytes of their texts.
const MOST: usize = 1024;
const MOST_BYTES: usize = 16 << 20;

/// Of the item, the variant, the values of its keys and its sections. Library and configuration do not
/// change while a plugin is loaded.
pub(super) type Key = [u8; 32];

/// The answers of one plugin; the oldest go first.
#[derive(Default)]
pub(super) struct Memo {
    answers: BTreeMap<Key, Answer>,
    ages: VecDeque<Key>,
    bytes: usize,
}

/// The key of an item's answer; none when it may differ at every call.
pub(super) fn key(item: &Item, prepared: &Prepared) -> Option<Key> {
    match (item.kind, item.cache) {
        // It reads the world: the same call finds something else an hour later.
        (ItemKind::Probe, _) | (_, Cache::Volatile) => None,
        (_, Cache::Static | Cache::Session) => {
            let mut whole = Encoder::default();
            whole.u32(item.at);
            let digest = Sha256::new().chain_update(whole.0).chain_update(prepared.bytes());
            Some(digest.finalize().into())
        }
    }
}

impl Memo {
    pub(super) fn get(&self, key: &Key) -> Option<&Answer> {
        self.answers.get(key)
    }

    pub(super) fn keep(&mut self, key: Key, answer: &Answer) {
        let text = match &answer.outcome {
            Outcome::Failed(_) => return,
            Outcome::Nothing => 0,
            Outcome::Text(text) => text.len(),
        };
        if answer.volatile.is_some() || text > MOST_BYTES {
            return;
        }
        if self.answers.insert(key, answer.clone()).is_none() {
            self.ages.push_back(key);
            self.bytes += text;
        }
        while self.answers.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.ages.pop_front() else { return };
            if let Some(Answer { outcome: Outcome::Text(text), .. }) = self.answers.remove(&oldest)
            {
                self.bytes -= text.len();
            }
        }
    }
}
