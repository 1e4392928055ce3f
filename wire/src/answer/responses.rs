//! OpenAI's Responses.
//!
//! In: its events, or the whole response. Out: pieces. Never: text, arguments or items twice, though most are told as deltas,
//! as what is done, and in the end once more.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::counts::Counts;
use super::finishes::{Meaning, RESPONSES, meaning};
use super::{arguments, failure, index, list, some, text};
use crate::carry::Carry;
use crate::event::{Stop, Usage};
use crate::piece::{Finish, Piece};

#[derive(Debug, Default)]
pub(crate) struct Responses {
    /// Items whose text or reasoning came in deltas, by index.
    told: BTreeSet<usize>,
    /// Items that are done.
    done: BTreeSet<usize>,
    refused: Option<Stop>,
}

impl Responses {
    pub(super) fn event(&mut self, event: &Json, out: &mut Vec<Piece>) {
        let kind = text(event, "type").unwrap_or_default();
        let key = index(event, "output_index");
        let delta = || text(event, "delta").unwrap_or_default().to_owned();
        match kind.strip_prefix("response.").unwrap_or(kind) {
            "created" | "in_progress" | "queued" => start(&event["response"], out),
            "output_item.added" => call(key, &event["item"], out),
            "output_text.delta" => self.say(key, Piece::Text(delta()), out),
            "refusal.delta" => {
                self.refused = Some(Stop::Refusal);
                self.say(key, Piece::Text(delta()), out);
            }
            "reasoning_summary_text.delta" | "reasoning_text.delta" => {
                self.say(key, Piece::Thinking(delta()), out);
            }
            "reasoning_summary_part.added" if self.told.contains(&key) => {
                out.push(Piece::Thinking("\n\n".into()));
            }
            "function_call_arguments.delta" => {
                out.push(Piece::Call { key, id: None, name: None, arguments: delta() });
            }
            "function_call_arguments.done" => {
                let arguments = arguments(event.get("arguments"));
                out.push(Piece::CallWhole { key, arguments });
            }
            "output_item.done" => self.item(key, &event["item"], out),
            "completed" | "incomplete" | "failed" | "cancelled" => {
                self.end(&event["response"], out);
            }
            "error" => out.push(Piece::Fail(failure(event, None))),
            _ if event.get("error").is_some_and(Json::is_object) => {
                out.push(Piece::Fail(failure(event, None)));
            }
            _ => {}
        }
    }

    pub(super) fn whole(&mut self, answer: &Json, out: &mut Vec<Piece>) {
        match answer.get("output").or(answer.get("status")) {
            Some(_) => {
                start(answer, out);
                self.end(answer, out);
            }
            None => out.push(Piece::Fail(failure(answer, None))),
        }
    }

    fn say(&mut self, key: usize, piece: Piece, out: &mut Vec<Piece>) {
        self.told.insert(key);
        out.push(piece);
    }

    /// An item is done: what of it was not told in deltas is told now.
    fn item(&mut self, key: usize, item: &Json, out: &mut Vec<Piece>) {
        if !self.done.insert(key) {
            return;
        }
        match text(item, "type").unwrap_or_default() {
            "message" => {
                if !self.told.contains(&key) {
                    for part in list(item, "content") {
                        self.part(part, out);
                    }
                }
                out.push(Piece::TextEnd);
            }
            "reasoning" => self.reasoning(key, item, out),
            "function_call" | "custom_tool_call" => {
                call(key, item, out);
                let arguments = arguments(item.get("arguments"));
                out.extend([Piece::CallWhole { key, arguments }, Piece::CallEnd { key }]);
            }
            _ => {}
        }
    }

    fn part(&mut self, part: &Json, out: &mut Vec<Piece>) {
        if text(part, "type") == Some("refusal") {
            self.refused = Some(Stop::Refusal);
        }
        let said = some(part, "text").or_else(|| some(part, "refusal"));
        out.extend(said.map(Piece::Text));
    }

    fn reasoning(&mut self, key: usize, item: &Json, out: &mut Vec<Piece>) {
        if !self.told.contains(&key) {
            let parts = list(item, "summary").iter().chain(list(item, "content"));
            let thoughts: Vec<&str> = parts.filter_map(|part| text(part, "text")).collect();
            out.push(Piece::Thinking(thoughts.join("\n\n")));
        }
        let (id, encrypted) = (some(item, "id"), some(item, "encrypted_content"));
        let carry = Carry::Responses { id: id.unwrap_or_default(), encrypted };
        out.extend([Piece::Signature(carry.to_text()), Piece::TextEnd]);
    }

    fn end(&mut self, response: &Json, out: &mut Vec<Piece>) {
        for (key, item) in list(response, "output").iter().enumerate() {
            self.item(key, item, out);
        }
        usage(response, out);
        let details = response.get("incomplete_details");
        let word = details.and_then(|details| text(details, "reason"));
        let word = word.or_else(|| text(response, "status")).unwrap_or("completed");
        match meaning(RESPONSES, word) {
            Meaning::Ends(stop) => {
                let stop = self.refused.take().unwrap_or(stop);
                out.extend([Piece::Finish(Finish::from(stop)), Piece::Done]);
            }
            Meaning::Open => out.push(Piece::Done),
            Meaning::Fails => out.push(Piece::Fail(failure(response, None))),
        }
    }
}

fn start(response: &Json, out: &mut Vec<Piece>) {
    out.push(Piece::Start { id: some(response, "id"), model: some(response, "model") });
}

/// Begins a call, if the item is one.
fn call(key: usize, item: &Json, out: &mut Vec<Piece>) {
    if matches!(text(item, "type"), Some("function_call" | "custom_tool_call")) {
        let id = some(item, "call_id").or_else(|| some(item, "id"));
        let name = some(item, "name");
        out.push(Piece::Call { key, id, name, arguments: String::new() });
    }
}

fn usage(response: &Json, out: &mut Vec<Piece>) {
    let Some(told) = response.get("usage").filter(|usage| usage.is_object()) else { return };
    let counts = Counts::of(told);
    let cache_read = counts.at(&["input_tokens_details", "cached_tokens"]);
    let cache_write = counts.at(&["input_tokens_details", "cache_write_tokens"]);
    let cached = cache_read.unwrap_or_default() + cache_write.unwrap_or_default();
    let input = counts.at(&["input_tokens"]).map(|input| input.saturating_sub(cached));
    let output = counts.at(&["output_tokens"]);
    counts.tell(Usage { input, output, cache_read, cache_write, ..Usage::default() }, out);
}
