//! The APIs that prompts are delivered to.

use crate::tools::Dialect;

/// An API that prompts are delivered to.
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

    /// The name on the command line, e.g. `openai-chat`.
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

    /// How it wants tools declared.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Anthropic | Self::Vertex => Dialect::Anthropic,
            Self::Bedrock => Dialect::Bedrock,
            Self::OpenAiChat | Self::OpenAiCompatible | Self::Xai => Dialect::OpenAiChat,
            Self::OpenAiResponses => Dialect::OpenAiResponses,
            Self::Gemini => Dialect::Gemini,
        }
    }

    /// Its provider's name in the model data.
    pub(crate) fn provider(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Vertex => "vertex",
            Self::Bedrock => "bedrock",
            Self::OpenAiChat | Self::OpenAiResponses => "openai",
            Self::OpenAiCompatible => "compatible",
            Self::Xai => "xai",
            Self::Gemini => "gemini",
        }
    }

    /// How many marks of ours one request may hold. OpenAI sets one of its own and counts it.
    pub(super) fn marks(self) -> usize {
        match self {
            Self::Anthropic | Self::Vertex | Self::Bedrock => super::MAX_MARKS,
            Self::OpenAiChat | Self::OpenAiResponses => super::MAX_MARKS - 1,
            Self::OpenAiCompatible | Self::Xai | Self::Gemini => 0,
        }
    }

    /// Whether tools can carry marks.
    pub(super) fn marks_tools(self) -> bool {
        matches!(self, Self::Anthropic | Self::Vertex | Self::Bedrock)
    }
}
