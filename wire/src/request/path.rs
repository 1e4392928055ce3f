//! Where a request goes, below the address of its API.
//!
//! In: a target, a model, whether a stream is wanted. Out: a path. Never: a host, a project or a key.

use crate::target::Target;

/// Whether the answer is to be a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Whole,
    Stream,
}

/// The path, with the query that asks for server-sent events where it takes one.
pub(super) fn path(target: Target, model: &str, wanted: Wanted) -> String {
    let model = encoded(model);
    let choose = |whole, stream| match wanted {
        Wanted::Whole => whole,
        Wanted::Stream => stream,
    };
    match target {
        Target::Anthropic => "/v1/messages".to_owned(),
        Target::Vertex => {
            let verb = choose("rawPredict", "streamRawPredict");
            format!("/publishers/anthropic/models/{model}:{verb}")
        }
        Target::Bedrock => format!("/model/{model}/{}", choose("converse", "converse-stream")),
        Target::OpenAiChat | Target::OpenAiCompatible | Target::Xai => {
            "/v1/chat/completions".to_owned()
        }
        Target::OpenAiResponses => "/v1/responses".to_owned(),
        Target::Gemini => {
            let verb = choose("generateContent", "streamGenerateContent?alt=sse");
            format!("/v1beta/models/{model}:{verb}")
        }
    }
}

/// A model's id as one segment of a path: those of AWS hold colons and slashes.
fn encoded(model: &str) -> String {
    let mut out = String::with_capacity(model.len());
    for byte in model.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_stay_in_their_segment() {
        for (target, model, wanted, expected) in [
            (Target::Anthropic, "m", Wanted::Stream, "/v1/messages"),
            (Target::Xai, "m", Wanted::Whole, "/v1/chat/completions"),
            (Target::OpenAiResponses, "m", Wanted::Whole, "/v1/responses"),
            (
                Target::Gemini,
                "gemini-3-pro",
                Wanted::Whole,
                "/v1beta/models/gemini-3-pro:generateContent",
            ),
            (
                Target::Gemini,
                "../x?y",
                Wanted::Stream,
                "/v1beta/models/..%2Fx%3Fy:streamGenerateContent?alt=sse",
            ),
            (
                Target::Vertex,
                "claude@1",
                Wanted::Stream,
                "/publishers/anthropic/models/claude@1:streamRawPredict",
            ),
            (Target::Bedrock, "a:b/c", Wanted::Stream, "/model/a%3Ab%2Fc/converse-stream"),
        ] {
            assert_eq!(path(target, model, wanted), expected);
        }
    }
}
