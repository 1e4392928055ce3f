//! The APIs that requests go to and answers come from.
//!
//! In: names. Out: [`Target`]. Never: an address or a key.

/// An API that requests go to; the names are those of the engine's targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Anthropic's Messages.
    Anthropic,
    /// Claude on Vertex AI.
    Vertex,
    /// Bedrock's Converse.
    Bedrock,
    /// OpenAI's Chat Completions.
    OpenAiChat,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// What is compatible with OpenAI's Chat Completions: DeepSeek, Ollama, vLLM, gateways.
    OpenAiCompatible,
    /// xAI's Chat Completions.
    Xai,
    /// Gemini's `generateContent`.
    Gemini,
}

impl Target {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Anthropic,
        Self::Vertex,
        Self::Bedrock,
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::OpenAiCompatible,
        Self::Xai,
        Self::Gemini,
    ];

    /// The name on the command line and in data files, e.g. `openai-chat`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Vertex => "vertex",
            Self::Bedrock => "bedrock",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Xai => "xai",
            Self::Gemini => "gemini",
        }
    }

    /// The target of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|target| target.as_str() == name)
    }
}
