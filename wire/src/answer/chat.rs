//! OpenAI's Chat Completions, and all that claim to be compatible with it.
//!
//! In: chunks of a stream, or the whole answer: both have the same keys. Out: pieces. Never: an index of the provider's as
//! the place of a block, for indices are left out, repeated and skipped.

use serde_json::Value as Json;

use super::balance::Balance;
use super::counts::Counts;
use super::finishes::{CHAT, Meaning, meaning};
use super::{arguments, failure, some, text};
use crate::carry::Carry;
use crate::event::{Failure, FailureKind, Stop, Usage};
use crate::note::NoteCode;
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
    name: Option<String>,
    index: Option<u64>,
    balance: Balance,
}

/// What a piece says of the call that it belongs to.
#[derive(Clone, Copy, Debug)]
struct Said<'p> {
    id: Option<&'p str>,
    name: Option<&'p str>,
    index: Option<u64>,
}

impl Call {
    /// Whether a piece that has its id or its index begins another call: it has a name, and the name or the index is another.
    fn ends_before(&self, said: Said<'_>) -> bool {
        let differs =
            |own: Option<u64>, its: Option<u64>| own.zip(its).is_some_and(|(a, b)| a != b);
        said.name.is_some_and(|name| {
            self.name.as_deref().is_some_and(|own| own != name) || differs(self.index, said.index)
        })
    }

    /// Whether the latest call of an index goes on with a piece of it.
    fn goes_on_with(&self, said: Said<'_>) -> bool {
        let is_whole = self.balance.is_whole();
        let fits = match said.id {
            // Some servers give each piece an id of its own: without a name it begins no call.
            Some(_) => (self.id.is_none() || said.name.is_none()) && !is_whole,
            None => !(said.name.is_some() && is_whole),
        };
        fits && !self.ends_before(said)
    }
}

impl Chat {
    pub(super) fn chunk(&mut self, chunk: &Json, out: &mut Vec<Piece>) {
        let error = chunk.get("error").filter(|error| !error.is_null());
        let choices = chunk.get("choices");
        let usage = [chunk.get("usage"), chunk.get("x_groq").and_then(|groq| groq.get("usage"))];
        usage.into_iter().flatten().for_each(|told| counts(told, out));
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
            parts => items(parts).iter().for_each(|part| self.part(part, out)),
        }
        if let Some(refusal) = some(delta, "refusal") {
            self.refused = Some(Stop::Refusal);
            self.text(&refusal, out);
        }
        let old = delta.get("function_call").filter(|call| call.is_object());
        for (place, call) in items(delta.get("tool_calls")).iter().enumerate() {
            match call.is_object() {
                true => self.call(call, &call["function"], place, out),
                false => out.push(Piece::Note(NoteCode::PieceDropped)),
            }
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
        let Some(thoughts) = part.get("thinking") else {
            return out.push(Piece::Note(NoteCode::PieceDropped));
        };
        for thought in items(Some(thoughts)).iter().filter_map(|thought| some(thought, "text")) {
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
        if id.is_none() && name.is_none() && arguments.is_empty() {
            return out.push(Piece::Note(NoteCode::PieceDropped));
        }
        let index = call.get("index").and_then(Json::as_u64);
        let key = self.key(Said { id: id.as_deref(), name: name.as_deref(), index }, place);
        let own = &mut self.calls[key];
        own.id = own.id.take().or_else(|| id.clone());
        own.name = own.name.take().or_else(|| name.clone());
        own.balance.push(&arguments);
        out.push(Piece::Call { key, id, name, arguments });
    }

    /// Which call a piece belongs to: by its id, else by its index, else the latest.
    fn key(&mut self, said: Said<'_>, place: usize) -> usize {
        let of_id = |call: &Call| said.id.is_some() && call.id.as_deref() == said.id;
        let both = self.calls.iter().rposition(|call| of_id(call) && call.index == said.index);
        let by_id = both.or_else(|| self.calls.iter().rposition(of_id));
        // A list without indices holds one call at each place.
        let fits = |call: &Call| match said.index {
            Some(_) => call.index == said.index,
            None => place == 0,
        };
        let goes_on = match by_id {
            Some(key) => Some(key).filter(|key| !self.calls[*key].ends_before(said)),
            None => {
                let latest = self.calls.iter().rposition(fits);
                latest.filter(|key| self.calls[*key].goes_on_with(said))
            }
        };
        goes_on.unwrap_or_else(|| {
            let (id, index, balance) = (None, said.index, Balance::default());
            self.calls.push(Call { id, name: None, index, balance });
            self.calls.len() - 1
        })
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

/// The items of a list; what is alone stands for a list of one.
fn items(json: Option<&Json>) -> &[Json] {
    match json {
        Some(Json::Array(items)) => items,
        Some(Json::Null) | None => &[],
        Some(alone) => std::slice::from_ref(alone),
    }
}

/// OpenAI counts what is cached as part of the prompt, Anthropic beside it.
fn counts(told: &Json, out: &mut Vec<Piece>) {
    let counts = Counts::of(told);
    let prompt = counts.at(&["prompt_tokens"]);
    let said = counts.at(&["completion_tokens"]);
    // xAI counts reasoning beside what was said, and both in the total.
    let total = counts.at(&["total_tokens"]).zip(prompt);
    let output = said.max(total.map(|(total, prompt)| total.saturating_sub(prompt)));
    let first = |paths: &[&[&str]]| paths.iter().find_map(|path| counts.at(path));
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
    if usage != Usage::default() {
        counts.tell(usage, out);
    }
}
