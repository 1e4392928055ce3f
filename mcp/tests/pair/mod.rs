//! A server and its client in the same process, and a pack for them.
#![allow(missing_docs, unreachable_pub, reason = "shared between tests alone")]

use promptweave::{Engine, MemorySource};
use promptweave_mcp::{Packs, serve_streams};
use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientConfig, CompleteRequestParams, ErrorCode,
    GetPromptRequestParams, JsonObject, Reference, ResourceUpdatedNotificationParam,
};
use rmcp::service::{
    NotificationContext, Peer, RoleClient, RunningService, ServiceError, serve_client,
};
use serde_json::Value as Json;
use tokio::sync::mpsc;

/// Hands on what the server says by itself.
#[derive(Clone)]
struct Listener(mpsc::UnboundedSender<String>);

impl Listener {
    fn heard(&self, what: &str) {
        self.0.send(what.into()).unwrap();
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::default()
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard("prompts");
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard("tools");
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard("resources");
    }

    async fn on_resource_updated(
        &self,
        about: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.heard(&about.uri);
    }
}

/// A server and its client.
pub struct Pair {
    pub packs: Packs,
    client: RunningService<RoleClient, Listener>,
    pub heard: mpsc::UnboundedReceiver<String>,
}

impl Pair {
    pub async fn new(engine: Engine) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let packs = Packs::new(engine, 4);
        let ((input, output), served) = (tokio::io::split(far), packs.clone());
        tokio::spawn(async move { serve_streams(&served, input, output).await });
        let (to, heard) = mpsc::unbounded_channel();
        let client = serve_client(Listener(to), near).await.unwrap();
        Self { packs, client, heard }
    }

    pub fn peer(&self) -> &Peer<RoleClient> {
        self.client.peer()
    }

    pub async fn call(
        &self,
        name: &'static str,
        arguments: Json,
    ) -> Result<CallToolResult, ServiceError> {
        self.peer()
            .call_tool(CallToolRequestParams::new(name).with_arguments(object(arguments)))
            .await
    }

    pub async fn get(&self, name: &str, arguments: Json) -> Result<(String, Json), ServiceError> {
        let request = GetPromptRequestParams::new(name).with_arguments(object(arguments));
        let got = serde_json::to_value(self.peer().get_prompt(request).await?).unwrap();
        assert_eq!(got["messages"].as_array().unwrap().len(), 1);
        assert_eq!(got["messages"][0]["role"], "user");
        Ok((got["messages"][0]["content"]["text"].as_str().unwrap().into(), got["_meta"].clone()))
    }

    pub async fn complete(&self, of: Reference, name: &str, text: &str) -> Vec<String> {
        let argument = rmcp::model::ArgumentInfo::new(name, text);
        let request = CompleteRequestParams::new(of, argument);
        self.peer().complete(request).await.unwrap().completion.values
    }
}

fn object(json: Json) -> JsonObject {
    json.as_object().unwrap().clone()
}

/// The code of an error of the protocol.
pub fn code<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> (ErrorCode, String) {
    match result.unwrap_err() {
        ServiceError::McpError(error) => (error.code, error.message.into_owned()),
        other => panic!("{other}"),
    }
}

pub fn files(role: &str) -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pack");
    let mut files = Vec::new();
    for below in ["", "components", "tools", "partials"] {
        for entry in std::fs::read_dir(format!("{folder}/{below}")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    for (name, text) in &mut files {
        if name == "components/role.md" {
            *text = format!("{role}\n");
        }
    }
    files
}

pub fn engine(role: &str) -> Engine {
    Engine::builder().pack(MemorySource::new("acme", files(role))).build().unwrap()
}

pub const ROLE: &str = "You are a coding agent.";
