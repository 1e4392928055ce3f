//! A pack, contexts for it, and a reader of payloads.

use serde_json::{Value as Json, json};

use crate::diagnostic::Diagnostic;
use crate::engine::Engine;
use crate::load::MemorySource;
use crate::model::Context;
use crate::prompt::Prompt;
use crate::select::Ask;

use super::super::{Delivery, Payload, Target, deliver};

/// What the prompt of the usual pack says: a static head, and a rest that is none.
pub(super) const TEXT: &str = "Be brief.\n\nFolder: /p";

const USUAL: &str =
    "order = ['role', 'place']\nuser_context = ['rules']\ntools = ['read_file', 'write']";

/// A variant, and a context.
pub(super) struct Case<'a> {
    pub pack: &'a str,
    pub role: &'a str,
    pub context: Json,
}

impl Case<'_> {
    pub(super) fn of(context: &Json) -> Self {
        let mut all = json!({ "cwd": "/p" });
        merge(&mut all, context);
        Self { pack: USUAL, role: "Be brief.", context: all }
    }

    pub(super) fn engine(&self) -> Engine {
        let tool = |name: &str| {
            let text = format!(
                "description = 'Does {name}.'\n[[parameter]]\nname = 'path'\nrequired = true"
            );
            (format!("tools/{name}.toml"), text)
        };
        let files = [
            ("pack.toml".to_owned(), "format = 1\nname = 'made'\nversion = '1'".to_owned()),
            ("generic.toml".into(), self.pack.into()),
            ("components/role.toml".into(), format!("text = {}", json!(self.role))),
            ("components/place.md".into(), "Folder: {{cwd}}".into()),
            (
                "components/now.toml".into(),
                "reason = 'it ticks'\ncache = 'volatile'\ntemplate = 'Now: {{time}}'".into(),
            ),
            ("components/today.md".into(), "Today is {{date}}.".into()),
            ("components/rules.md".into(), "Read the rules.".into()),
            tool("read_file"),
            tool("write"),
        ];
        Engine::builder().pack(MemorySource::new("made", files)).build().unwrap()
    }

    pub(super) fn prompt(&self) -> Prompt {
        self.engine().prompt(&self.read()).unwrap()
    }

    pub(super) fn read(&self) -> Context {
        Context::from_value(self.context.clone()).unwrap()
    }

    pub(super) fn delivery(&self, target: Target) -> Delivery {
        self.engine().delivery(target, self.context["model"]["id"].as_str().unwrap_or_default())
    }

    pub(super) fn deliver(&self, target: Target) -> (Payload, Vec<Diagnostic>) {
        self.deliver_as(&self.delivery(target))
    }

    pub(super) fn deliver_as(&self, delivery: &Delivery) -> (Payload, Vec<Diagnostic>) {
        let tools =
            self.engine().declare_tools(&self.read(), &Ask::default(), delivery.target.dialect());
        deliver(&self.prompt(), tools.unwrap().tools, delivery)
    }

    pub(super) fn deliver_without_tools(&self, target: Target) -> (Payload, Vec<Diagnostic>) {
        deliver(&self.prompt(), Vec::new(), &self.delivery(target))
    }
}

/// Puts the keys of an object into another, objects into objects.
pub(super) fn merge(into: &mut Json, from: &Json) {
    for (key, value) in from.as_object().unwrap() {
        match (&mut into[key], value) {
            (place @ Json::Object(_), Json::Object(_)) => merge(place, value),
            (place, value) => *place = value.clone(),
        }
    }
}

/// The elements of a payload in the order of the request: tools, system, messages.
fn elements(target: Target, body: &Json) -> Vec<Json> {
    let list = |value: &Json| match value {
        Json::Array(items) => items.clone(),
        Json::Null => Vec::new(),
        one => vec![json!({ "text": one })],
    };
    let contents = |key: &str, parts: &str| -> Vec<Json> {
        list(&body[key]).iter().flat_map(|message| list(&message[parts])).collect()
    };
    let (tools, system, messages) = match target {
        Target::Anthropic | Target::Vertex => {
            (&body["tools"], list(&body["system"]), contents("messages", "content"))
        }
        Target::Bedrock => {
            (&body["toolConfig"]["tools"], list(&body["system"]), contents("messages", "content"))
        }
        Target::OpenAiChat | Target::OpenAiCompatible | Target::Xai => {
            (&body["tools"], Vec::new(), contents("messages", "content"))
        }
        Target::OpenAiResponses => {
            (&body["tools"], list(&body["instructions"]), contents("input", "content"))
        }
        Target::Gemini => (
            &body["tools"],
            list(&body["systemInstruction"]["parts"]),
            contents("contents", "parts"),
        ),
    };
    list(tools).into_iter().chain(system).chain(messages).collect()
}

/// The marks of a payload, in its order.
pub(super) fn marks(target: Target, body: &Json) -> Vec<Json> {
    let keys = ["cache_control", "cachePoint", "prompt_cache_breakpoint"];
    let found = elements(target, body)
        .into_iter()
        .filter_map(move |element| keys.iter().find_map(|key| element.get(key).cloned()));
    found.collect()
}

/// The texts of a payload, in its order, without those of tools.
pub(super) fn texts(target: Target, body: &Json) -> Vec<String> {
    let all = elements(target, body).into_iter();
    all.filter_map(|element| Some(element.get("text")?.as_str()?.to_owned())).collect()
}
