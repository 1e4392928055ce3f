//! The tokens of a prompt, as they were counted.
//!
//! In: numbers. Out: the same, as they are shown. Never: counts.

use std::fmt;

use serde_json::{Value as Json, json};

use crate::facts::{Encoding, Errs};

/// How tokens were counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenMethod {
    /// Exactly, with this encoding.
    Exact(Encoding),
    /// From the number of bytes.
    Estimate {
        /// Bytes of UTF-8 for each token.
        bytes_per_token: f64,
        /// The side on which it is mostly wrong.
        errs: Errs,
    },
}

/// `o200k_base`, `cl100k_base`, or `estimate, 3.5 bytes a token, mostly high`.
impl fmt::Display for TokenMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(Encoding::O200k) => f.write_str("o200k_base"),
            Self::Exact(Encoding::Cl100k) => f.write_str("cl100k_base"),
            Self::Estimate { bytes_per_token, errs } => {
                let side = match errs {
                    Errs::High => "high",
                    Errs::Low => "low",
                };
                write!(f, "estimate, {bytes_per_token} bytes a token, mostly {side}")
            }
        }
    }
}

/// The tokens of a prompt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TokenReport {
    /// Of the whole text.
    pub total: usize,
    /// Of each of [`sections`](super::Prompt::sections) by itself. Their sum may differ from the total by what stands between them.
    pub sections: Vec<usize>,
    /// Of the static head.
    pub static_head: usize,
    /// How they were counted.
    pub method: TokenMethod,
}

impl TokenReport {
    /// Puts `tokens` and `token_method` into a tree of [`PromptJson`](super::PromptJson), and `tokens` into its sections.
    pub fn add_to(&self, result: &mut Json) {
        result["tokens"] = json!(self.total);
        result["token_method"] = json!(self.method.to_string());
        let sections = result["sections"].as_array_mut().into_iter().flatten();
        for (section, tokens) in sections.zip(&self.sections) {
            section["tokens"] = json!(tokens);
        }
    }
}
