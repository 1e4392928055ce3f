//! Gemini's `generateContent` and `streamGenerateContent`.
//!
//! In: whole responses, one or many. Out: pieces. Never: waits for an end that is said: the stream ends, and the last reason
//! and counts hold.

use serde_json::{Value as Json, json};

use super::counts::Counts;
use super::finishes::{GEMINI, Meaning, meaning};
use super::{arguments, failure, list, some, text};
use crate::carry::Carry;
use crate::event::{Failure, FailureKind, Stop, Usage};
use crate::piece::{Finish, Piece};

#[derive(Debug, Default)]
pub(crate) struct Gemini {
    /// Calls so far.
    calls: usize,
    /// Blocks that only Anthropic's form can show.
    others: usize,
}

impl Gemini {
    pub(super) fn chunk(&mut self, chunk: &Json, out: &mut Vec<Piece>) {
        // Vertex AI answers errors in a list of one.
        let chunk = chunk.as_array().and_then(|list| list.first()).unwrap_or(chunk);
        if chunk.get("error").is_some_and(|error| !error.is_null()) || !chunk.is_object() {
            return out.push(Piece::Fail(failure(chunk, None)));
        }
        usage(chunk, out);
        out.push(Piece::Start {
            id: some(chunk, "responseId"),
            model: some(chunk, "modelVersion"),
        });
        let candidate = chunk.get("candidates").and_then(|all| all.get(0));
        if let Some(candidate) = candidate {
            for part in candidate.get("content").map_or(&[][..], |content| list(content, "parts")) {
                self.part(part, out);
            }
            finish(candidate, out);
        }
        let blocked = chunk.get("promptFeedback").and_then(|fed| some(fed, "blockReason"));
        if blocked.is_some() {
            out.push(Piece::Finish(Stop::Refusal.into()));
        }
    }

    fn part(&mut self, part: &Json, out: &mut Vec<Piece>) {
        let signature = some(part, "thoughtSignature");
        if let Some(call) = part.get("functionCall") {
            return self.call(call, signature, out);
        }
        if part.get("thought").and_then(Json::as_bool) == Some(true) {
            out.extend(some(part, "text").map(Piece::Thinking));
            let carry = signature.map(|signature| Carry::GeminiThought { signature });
            return out.extend(carry.map(|carry| Piece::Signature(carry.to_text())));
        }
        let code = part.get("executableCode").and_then(|code| some(code, "code"));
        let result = part.get("codeExecutionResult").and_then(|result| some(result, "output"));
        for said in [some(part, "text"), code, result].into_iter().flatten() {
            out.push(Piece::Text(said));
        }
        if let Some(data) = part.get("inlineData") {
            let source =
                json!({ "type": "base64", "media_type": data["mimeType"], "data": data["data"] });
            let block = json!({ "type": "image", "source": source });
            // Calls never end before the answer does, and count from 0: these keys are theirs alone.
            let key = usize::MAX - self.others;
            self.others += 1;
            out.extend([Piece::Block { key, block }, Piece::BlockEnd { key }]);
        }
        let carry = signature.map(|signature| Carry::GeminiText { signature });
        out.extend(carry.map(|carry| Piece::Redacted(carry.to_text())));
    }

    /// Calls come whole. Their signature goes back in a block before them.
    fn call(&mut self, call: &Json, signature: Option<String>, out: &mut Vec<Piece>) {
        let carry = signature.map(|signature| Carry::GeminiCall { signature });
        out.extend(carry.map(|carry| Piece::Redacted(carry.to_text())));
        let key = self.calls;
        self.calls += 1;
        let (id, name) = (some(call, "id"), some(call, "name"));
        let arguments = arguments(call.get("args"));
        out.extend([Piece::Call { key, id, name, arguments }, Piece::CallEnd { key }]);
    }
}

fn finish(candidate: &Json, out: &mut Vec<Piece>) {
    let Some(word) = text(candidate, "finishReason") else { return };
    match meaning(GEMINI, word) {
        Meaning::Ends(stop) => out.push(Piece::Finish(Finish::from(stop))),
        // It ended, and does not say how: the blocks do.
        Meaning::Open => out.push(Piece::Finish(Finish::from(Stop::EndTurn))),
        Meaning::Fails => {
            let told = text(candidate, "finishMessage").unwrap_or(word);
            let failure =
                Failure::new(FailureKind::Api, format!("the model's call is malformed: {told}"));
            out.push(Piece::Fail(failure));
        }
    }
}

/// The prompt's count includes what is cached; thoughts are output.
fn usage(chunk: &Json, out: &mut Vec<Piece>) {
    let Some(told) = chunk.get("usageMetadata") else { return };
    let counts = Counts::of(told);
    let cache_read = counts.at(&["cachedContentTokenCount"]);
    let prompt = counts.at(&["promptTokenCount"]);
    let tools = counts.at(&["toolUsePromptTokenCount"]).unwrap_or_default();
    let input = prompt.map(|all| (all + tools).saturating_sub(cache_read.unwrap_or_default()));
    let said = counts.at(&["candidatesTokenCount"]);
    let thought = counts.at(&["thoughtsTokenCount"]);
    let output = (said.is_some() || thought.is_some())
        .then(|| said.unwrap_or_default() + thought.unwrap_or_default());
    counts.tell(Usage { input, output, cache_read, ..Usage::default() }, out);
}
