//! Counts tokens: exactly where the encoding is public and at hand, else by bytes.
//!
//! In: [`Facts`] of a model, texts. Out: numbers, with the name of the method. Never: changes a byte of a prompt, or calls an
//! estimate a count.

#[cfg_attr(not(feature = "tokens"), path = "without.rs")]
mod exact;
mod layers;
mod seams;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::facts::{Encoding, Errs, Facts};
use crate::prompt::{Prompt, TokenMethod, TokenReport};

/// Counts tokens for one model, and remembers what it counted by the digest of the text.
#[derive(Debug)]
pub struct TokenCounter {
    encoding: Option<Encoding>,
    bytes_per_token: f64,
    errs: Errs,
    counted: Mutex<BTreeMap<[u8; 32], usize>>,
}

/// How many counts are remembered; then all are forgotten.
const MAX_REMEMBERED: usize = 4096;
/// Below that many bytes a digest costs about as much as a count.
const MIN_REMEMBERED_BYTES: usize = 64;

impl TokenCounter {
    /// A counter for a model.
    pub fn new(facts: &Facts) -> Self {
        let Facts { encoding, bytes_per_token, errs, .. } = *facts;
        Self { encoding, bytes_per_token, errs, counted: Mutex::default() }
    }

    /// Counts the tokens of a text.
    pub fn count(&self, text: &str) -> (usize, TokenMethod) {
        let exact =
            self.encoding.and_then(|encoding| Some((self.exact(encoding, text)?, encoding)));
        match exact {
            Some((tokens, encoding)) => (tokens, TokenMethod::Exact(encoding)),
            None => ((text.len() as f64 / self.bytes_per_token).ceil() as usize, self.estimate()),
        }
    }

    /// Counts the tokens of a prompt and of its sections. What did not change since the last time is not counted again:
    /// the text is cut where that changes no count.
    pub fn report(&self, prompt: &Prompt) -> TokenReport {
        let text = prompt.text();
        let edges = prompt.sections().iter().flat_map(|one| [one.range.start, one.range.end]);
        let (total, method) = self.count_at(text, edges);
        let section =
            |range: std::ops::Range<usize>| text.get(range).map_or(0, |text| self.count(text).0);
        TokenReport {
            total,
            sections: prompt.sections().iter().map(|one| section(one.range.clone())).collect(),
            static_head: section(0..prompt.boundary()),
            method,
        }
    }

    /// The same count as that of the whole text, piece by piece: a text is cut at those of the edges where that changes
    /// nothing.
    pub(crate) fn count_at(
        &self,
        text: &str,
        edges: impl Iterator<Item = usize>,
    ) -> (usize, TokenMethod) {
        if self.encoding.is_none() {
            return self.count(text);
        }
        let (mut total, mut method) = (0, self.count("").1);
        for piece in seams::cut(text, edges) {
            let (tokens, of_piece) = self.count(piece);
            total += tokens;
            if matches!(of_piece, TokenMethod::Estimate { .. }) {
                method = of_piece;
            }
        }
        if let TokenMethod::Estimate { bytes_per_token, .. } = method {
            total = (text.len() as f64 / bytes_per_token).ceil() as usize;
        }
        (total, method)
    }

    fn estimate(&self) -> TokenMethod {
        TokenMethod::Estimate { bytes_per_token: self.bytes_per_token, errs: self.errs }
    }

    fn exact(&self, encoding: Encoding, text: &str) -> Option<usize> {
        if text.len() < MIN_REMEMBERED_BYTES {
            return exact::count(encoding, text);
        }
        let digest = Sha256::digest(text.as_bytes()).into();
        let remembered = self.remembered().get(&digest).copied();
        if remembered.is_some() {
            return remembered;
        }
        // Not under the lock: another thread may count meanwhile.
        let tokens = exact::count(encoding, text)?;
        let mut counted = self.remembered();
        if counted.len() >= MAX_REMEMBERED {
            counted.clear();
        }
        counted.insert(digest, tokens);
        Some(tokens)
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, BTreeMap<[u8; 32], usize>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
