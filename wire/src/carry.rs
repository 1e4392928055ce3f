//! What must survive between turns, in places that every host sends back unread.
//!
//! In: a provider's signatures and ids. Out: text for the `signature` of a thinking block or the `data` of a redacted one. Never:
//! something for one provider sent to another.

use serde_json::{Value as Json, json};

/// What such a text begins with; what follows is JSON.
const MARK: &str = "promptweave/1 ";

/// What a provider wants to see again. As a text it is opaque to hosts: the form may change with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Carry {
    /// The reasoning before it is that of a chat model, which has no signatures.
    Chat,
    /// A reasoning item of Responses.
    Responses {
        /// The item's id.
        id: String,
        /// The item, encrypted; none where the provider stores it.
        encrypted: Option<String>,
    },
    /// A signature of Gemini's, for the reasoning that it stands in.
    GeminiThought {
        /// Opaque.
        signature: String,
    },
    /// A signature of Gemini's, for the call behind it.
    GeminiCall {
        /// Opaque.
        signature: String,
    },
    /// A signature of Gemini's, for the text before it.
    GeminiText {
        /// Opaque.
        signature: String,
    },
    /// Redacted reasoning of Bedrock's.
    Bedrock {
        /// Base64.
        data: String,
    },
}

impl Carry {
    /// The text for a host to keep.
    pub(crate) fn to_text(&self) -> String {
        let json = match self {
            Self::Chat => json!({ "of": "chat" }),
            Self::Responses { id, encrypted } => {
                json!({ "of": "responses", "id": id, "encrypted": encrypted })
            }
            Self::GeminiThought { signature } => {
                json!({ "of": "gemini-thought", "signature": signature })
            }
            Self::GeminiCall { signature } => {
                json!({ "of": "gemini-call", "signature": signature })
            }
            Self::GeminiText { signature } => {
                json!({ "of": "gemini-text", "signature": signature })
            }
            Self::Bedrock { data } => json!({ "of": "bedrock", "data": data }),
        };
        format!("{MARK}{json}")
    }

    /// What a host sent back; none when it is not from here.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let json: Json = serde_json::from_str(text.strip_prefix(MARK)?).ok()?;
        let held = |key: &str| json.get(key).and_then(Json::as_str).map(str::to_owned);
        Some(match json.get("of")?.as_str()? {
            "chat" => Self::Chat,
            "responses" => Self::Responses { id: held("id")?, encrypted: held("encrypted") },
            "gemini-thought" => Self::GeminiThought { signature: held("signature")? },
            "gemini-call" => Self::GeminiCall { signature: held("signature")? },
            "gemini-text" => Self::GeminiText { signature: held("signature")? },
            "bedrock" => Self::Bedrock { data: held("data")? },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let text = || "a\"\n".to_owned();
        for carry in [
            Carry::Chat,
            Carry::Responses { id: text(), encrypted: None },
            Carry::Responses { id: text(), encrypted: Some(text()) },
            Carry::GeminiThought { signature: text() },
            Carry::GeminiCall { signature: text() },
            Carry::GeminiText { signature: text() },
            Carry::Bedrock { data: text() },
        ] {
            assert_eq!(Carry::from_text(&carry.to_text()), Some(carry));
        }
        for foreign in ["", "EqQBCg", "promptweave/1 {}", "promptweave/1 [", "promptweave/2 {}"] {
            assert_eq!(Carry::from_text(foreign), None, "{foreign}");
        }
    }
}
