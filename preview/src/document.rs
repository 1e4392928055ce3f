//! The OpenAPI 3.1 document of the routes.
//!
//! In: the routes with what is said of each, the types of requests, the schemas of answers. Out: one JSON document. Never: a shape
//! that is written down here a second time.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value as Json, json};

use crate::asked::{ChunkLine, ParseQuery, ParseRequest, SchemaName, ShowName};
use crate::routes::{Access, routes};

const SCHEMAS: &str = "#/components/schemas/";

/// What a request may be refused with, whatever it asks.
const REFUSALS: [&str; 13] =
    ["400", "401", "403", "404", "405", "408", "413", "414", "415", "421", "422", "431", "503"];

/// What is said of a route.
pub(crate) struct Operation {
    method: &'static str,
    pub(crate) path: &'static str,
    summary: &'static str,
    pub(crate) access: Access,
    sends: Option<Sent>,
    answer: Answer,
}

/// A schema of a type.
type Shape = fn(&mut SchemaGenerator) -> Schema;

/// What a request brings.
#[derive(Clone, Copy)]
pub(crate) enum Sent {
    /// A JSON body.
    Json(Shape),
    /// A reply: whole, or in lines.
    Reply,
    /// No body, or a JSON body without a key.
    Nothing(Shape),
}

impl Sent {
    pub(crate) fn of<T: JsonSchema>() -> Self {
        Self::Json(SchemaGenerator::subschema_for::<T>)
    }
}

/// What an answer is.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// JSON of this name.
    Json(&'static str),
    /// The same, with status 201.
    Created(&'static str),
    /// A prompt in one of its forms.
    Build,
    /// Blocks, or events.
    Blocks,
    /// Server-sent events.
    Events,
    /// Text of this type.
    Text(&'static str),
    /// Status 204.
    Nothing,
}

impl Operation {
    pub(crate) fn new(method: &'static str, path: &'static str, summary: &'static str) -> Self {
        let (access, answer) = (Access::Token, Answer::Nothing);
        Self { method, path, summary, access, sends: None, answer }
    }

    pub(crate) fn open(self) -> Self {
        Self { access: Access::Open, ..self }
    }

    pub(crate) fn sends(self, sent: Sent) -> Self {
        Self { sends: Some(sent), ..self }
    }

    pub(crate) fn answers(self, answer: Answer) -> Self {
        Self { answer, ..self }
    }

    fn to_json(&self, generator: &mut SchemaGenerator) -> Json {
        let mut parameters = self.of_path(generator);
        let mut json = json!({
            "operationId": format!("{}{}", self.method, self.path.replace(['/', '{', '}', '.'], "_")),
            "summary": self.summary,
            "responses": self.responses(),
        });
        if let Some(sent) = self.sends {
            json["requestBody"] = body(sent, generator);
            if matches!(sent, Sent::Reply) {
                parameters.extend(of_query(generator));
            }
        }
        if !parameters.is_empty() {
            json["parameters"] = Json::Array(parameters);
        }
        if self.access == Access::Open {
            json["security"] = json!([]);
        }
        json
    }

    fn of_path(&self, generator: &mut SchemaGenerator) -> Vec<Json> {
        let names =
            self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let mut of = |name: &str| match (name, self.path.starts_with("/v1/schema/")) {
            ("kind", true) => generator.subschema_for::<SchemaName>(),
            ("kind", false) => generator.subschema_for::<ShowName>(),
            _ => generator.subschema_for::<String>(),
        };
        names
            .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": of(name) }))
            .collect()
    }

    fn responses(&self) -> Json {
        let mut responses: Map<String, Json> = REFUSALS
            .iter()
            .map(|status| {
                ((*status).to_owned(), json!({ "$ref": "#/components/responses/Problem" }))
            })
            .collect();
        let (status, content) = content(self.answer);
        let mut answer = json!({ "description": "what was asked for" });
        if let Some(content) = content {
            answer["content"] = content;
        }
        responses.insert(status.into(), answer);
        Json::Object(responses)
    }
}

fn content(answer: Answer) -> (&'static str, Option<Json>) {
    let of = |name: &str| json!({ "application/json": { "schema": named(name) } });
    let text = json!({ "schema": { "type": "string" } });
    match answer {
        Answer::Json(name) => ("200", Some(of(name))),
        Answer::Created(name) => ("201", Some(of(name))),
        Answer::Build => {
            let forms = json!({ "anyOf": [named("result"), named("blocks"), named("payload")] });
            let content = json!({ "application/json": { "schema": forms }, "text/plain": text });
            ("200", Some(content))
        }
        Answer::Blocks => {
            let mut content = of("parsed");
            content["text/event-stream"] = text;
            ("200", Some(content))
        }
        Answer::Events => ("200", Some(json!({ "text/event-stream": text }))),
        Answer::Text(kind) => ("200", Some(json!({ kind: text }))),
        Answer::Nothing => ("204", None),
    }
}

fn body(sent: Sent, generator: &mut SchemaGenerator) -> Json {
    let content = match sent {
        Sent::Json(shape) | Sent::Nothing(shape) => {
            json!({ "application/json": { "schema": shape(generator) } })
        }
        Sent::Reply => {
            let whole = generator.subschema_for::<ParseRequest>();
            let lines = generator.subschema_for::<ChunkLine>();
            json!({
                "application/json": { "schema": whole },
                "application/x-ndjson": { "schema": { "type": "string", "description": "lines of JSON", "x-line": lines } },
            })
        }
    };
    json!({ "required": !matches!(sent, Sent::Nothing(_)), "content": content })
}

/// The fields of a query as parameters.
fn of_query(generator: &mut SchemaGenerator) -> Vec<Json> {
    let schema = Json::from(ParseQuery::json_schema(generator));
    let fields = schema["properties"].as_object().into_iter().flatten();
    let parameter = |(name, field): (&String, &Json)| {
        let description = &field["description"];
        json!({ "name": name, "in": "query", "description": description, "schema": field })
    };
    fields.map(parameter).collect()
}

fn named(name: &str) -> Json {
    json!({ "$ref": format!("{SCHEMAS}{name}") })
}

/// The document: made of the routes and of the types that they take.
pub fn document() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Json> = Map::new();
    for route in routes() {
        let operation = route.about.to_json(&mut generator);
        let path = paths.entry(route.about.path).or_insert_with(|| json!({}));
        path[route.about.method] = operation;
    }
    let mut schemas = answers();
    schemas.extend(generator.take_definitions(true));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "promptweave",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Prompts as the command line builds them. Packs and plugins are those of the server's own command line.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{}, { "bearer": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": { "Problem": {
                "description": "why it is refused",
                "content": { "application/problem+json": { "schema": named("problem") } },
            } },
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
        },
    })
}

/// The schemas of answers: that of results, and the others, with one name space for what they share.
fn answers() -> Map<String, Json> {
    let mut schemas = Map::new();
    for text in [promptweave_inspect::RESULT_SCHEMA, promptweave_inspect::ANSWER_SCHEMAS] {
        // A test holds the document against these: none is left out unseen.
        let mut schema: Json =
            serde_json::from_str(&text.replace("#/$defs/", SCHEMAS)).unwrap_or_default();
        let shared = schema.as_object_mut().and_then(|schema| schema.remove("$defs"));
        if let Some(Json::Object(shared)) = shared {
            schemas.extend(shared);
        }
        if let Some(schema) = schema.as_object_mut().filter(|schema| schema.contains_key("type")) {
            schema.remove("$schema");
            schemas.insert("result".into(), Json::Object(schema.clone()));
        }
    }
    // No route answers so; a tool over MCP does.
    schemas.remove("checked");
    schemas
}
