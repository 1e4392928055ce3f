//! OpenAI's Chat Completions, and all that claim to be compatible with it.
//!
//! In: chunks of a stream, or the whole answer: both have the same keys. Out: pieces. Never: an index of the provider's as
//! the place of a block, for indices are left out, repeated and skipped.

use serde_json::Value as Json;

use super::balance::Balance;
use super::finishes::{CHAT, Meaning, meaning};
use super::{arguments, count, failure, list, some, text};
use crate::carry::Carry;
use crate::event::{Failure, FailureKind, Stop, Usage};
use crate::piece::{Finish, Piece};

/// Keys of what has no choices and is an error.
const FAILURES: &[&str] = &["message", "detail", "msg", "code"];

#[derive(Debug, Default)]
pub(crate) struct Chat {
    calls: Vec<Call>,
    /// Reasoning that is still to be signed.
    reasoning: Signing,
    refused: Option<Stop>,
}

/// Whether reasoning waits for its signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Signing {
    #[default]
    None,
    Open,
}

#[derive(Debug)]
struct Call {
    id: Option<String>,
    index: Option<u64>,
    balance: Balance,
}

impl Chat {
    pub(super) fn chunk(&mut self, chunk: &Json, out: &mut Vec<Piece>) {
        let error = chunk.get("error").filter(|error| !error.is_null());
        let choices = chunk.get("choices");
        let usage = [chunk.get("usage"), chunk.get("x_groq").and_then(|groq| groq.get("usage"))];
        out.extend(usage.into_iter().flatten().filter_map(counts).map(Piece::Usage));
        let is_failure = |key: &str| chunk.get(key).is_some_and(|told| !told.is_null());
        if error.is_some() || (choices.is_none() && FAILURES.iter().any(|key| is_failure(key))) {
            return out.push(Piece::Fail(failure(chunk, None)));
        }
        if choices.is_none() && chunk.get("usage").is_none() {
            return;
        }
        out.push(Piece::Start { id: some(chunk, "id"), model: some(chunk, "model") });
        let Some(choice) = choices.and_then(|choices| choices.get(0)) else { return };
        for key in ["delta", "message"] {
            if let Some(delta) = choice.get(key).filter(|delta| delta.is_object()) {
                self.delta(delta, out);
            }
        }
        self.finish(choice, out);
    }

    /// Reasoning, text and calls, in the order in which models make them.
    fn delta(&mut self, delta: &Json, out: &mut Vec<Piece>) {
        let thought = some(delta, "reasoning_content").or_else(|| some(delta, "reasoning"));
        if let Some(thought) = thought {
            self.reasoning = Signing::Open;
            out.push(Piece::Thinking(thought));
        }
        match delta.get("content") {
            Some(Json::String(said)) => self.text(said, out),
            Some(Json::Array(parts)) => parts.iter().for_each(|part| self.part(part, out)),
            _ => {}
        }
        if let Some(refusal) = some(delta, "refusal") {
            self.refused = Some(Stop::Refusal);
            self.text(&refusal, out);
        }
        let old = delta.get("function_call").filter(|call| call.is_object());
        for (place, call) in list(delta, "tool_calls").iter().enumerate() {
            self.call(call, &call["function"], place, out);
        }
        if let Some(function) = old {
            self.call(&Json::Null, function, 0, out);
        }
    }

    fn text(&mut self, said: &str, out: &mut Vec<Piece>) {
        if !said.is_empty() {
            self.sign(out);
            out.push(Piece::Text(said.to_owned()));
        }
    }

    /// Mistral's parts.
    fn part(&mut self, part: &Json, out: &mut Vec<Piece>) {
        if let Some(said) = text(part, "text") {
            return self.text(said, out);
        }
        for thought in list(part, "thinking").iter().filter_map(|thought| some(thought, "text")) {
            self.reasoning = Signing::Open;
            out.push(Piece::Thinking(thought));
        }
    }

    /// What ends reasoning tells whose it is, so that it goes back to nobody else.
    fn sign(&mut self, out: &mut Vec<Piece>) {
        if std::mem::take(&mut self.reasoning) == Signing::Open {
            out.push(Piece::Signature(Carry::Chat.to_text()));
        }
    }

    fn call(&mut self, call: &Json, function: &Json, place: usize, out: &mut Vec<Piece>) {
        self.sign(out);
        let (id, name) = (some(call, "id"), some(function, "name"));
        let arguments = arguments(function.get("arguments"));
        let key = self.key(&id, call.get("index").and_then(Json::as_u64), place, name.is_some());
        self.calls[key].balance.push(&arguments);
        out.push(Piece::Call { key, id, name, arguments });
    }

    /// Which call a piece belongs to: by its id, else by its index, else the latest.
    fn key(&mut self, id: &Option<String>, index: Option<u64>, place: usize, named: bool) -> usize {
        let by_id = id.as_ref().and_then(|_| self.calls.iter().position(|call| call.id == *id));
        if let Some(key) = by_id {
            return key;
        }
        // A list without indices holds one call at each place.
        let fits = |call: &Call| match index {
            Some(_) => call.index == index,
            None => place == 0,
        };
        let latest = self.calls.iter().rposition(fits);
        let goes_on = latest.filter(|key| match id {
            // Some servers give each piece an id of its own: without a name it begins no call.
            Some(_) => {
                let Call { id, balance, .. } = &self.calls[*key];
                (id.is_none() || !named) && !balance.is_whole()
            }
            None => !(named && self.calls[*key].balance.is_whole()),
        });
        match goes_on {
            Some(key) => {
                self.calls[key].id = self.calls[key].id.take().or_else(|| id.clone());
                key
            }
            None => {
                self.calls.push(Call { id: id.clone(), index, balance: Balance::default() });
                self.calls.len() - 1
            }
        }
    }

    fn finish(&mut self, choice: &Json, out: &mut Vec<Piece>) {
        let Some(word) = text(choice, "finish_reason") else { return };
        let meant = meaning(CHAT, word);
        if meant != Meaning::Open {
            self.sign(out);
        }
        match meant {
            Meaning::Ends(stop) => {
                // vLLM and SGLang tell which sequence it was; OpenAI does not.
                let matched = ["stop_reason", "matched_stop"];
                let sequence = matched.iter().find_map(|key| some(choice, key));
                let sequence = sequence.filter(|_| stop == Stop::EndTurn);
                let stop = if sequence.is_some() { Stop::StopSequence } else { stop };
                let stop = self.refused.take().unwrap_or(stop);
                out.push(Piece::Finish(Finish { stop, sequence }));
            }
            Meaning::Open => {}
            Meaning::Fails => out.push(Piece::Fail(Failure::new(
                FailureKind::Api,
                format!("the provider ended the answer with `{word}`"),
            ))),
        }
    }
}

/// OpenAI counts what is cached as part of the prompt, Anthropic beside it.
fn counts(usage: &Json) -> Option<Usage> {
    let prompt = count(usage, &["prompt_tokens"]);
    let said = count(usage, &["completion_tokens"]);
    // xAI counts reasoning beside what was said, and both in the total.
    let total = count(usage, &["total_tokens"]).zip(prompt);
    let output = said.max(total.map(|(total, prompt)| total.saturating_sub(prompt)));
    let first = |paths: &[&[&str]]| paths.iter().find_map(|path| count(usage, path));
    let cache_read = first(&[
        &["prompt_tokens_details", "cached_tokens"],
        &["prompt_cache_hit_tokens"],
        &["cache_read_input_tokens"],
    ]);
    let cache_write = first(&[
        &["prompt_tokens_details", "cache_write_tokens"],
        &["prompt_tokens_details", "cache_creation_tokens"],
        &["cache_creation_input_tokens"],
    ]);
    let cached = cache_read.unwrap_or_default() + cache_write.unwrap_or_default();
    let input = prompt.map(|prompt| prompt.saturating_sub(cached));
    let usage = Usage { input, output, cache_read, cache_write, ..Usage::default() };
    (usage != Usage::default()).then_some(usage)
}
