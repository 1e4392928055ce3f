//! Answers one client.
//!
//! In: requests of the protocol. Out: results, or errors of the protocol. Never: does the work: that is the other modules'.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use tokio::task::JoinSet;

use crate::changes::{self, Followed};
use crate::packs::Packs;
use crate::page::page;
use crate::refusal::Refusal;
use crate::{complete, prompts, resources, tools};

const INSTRUCTIONS: &str = "\
promptweave builds the system prompts of agents from packs of variants and components. Each prompt is a variant; its arguments are keys of \
the context, by dotted path. `build_prompt` chooses the variant by the model. The resources are the files that all of it is made of.";

/// Answers one client of the packs.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    packs: Packs,
    followed: Followed,
    /// Tells the client of reloads; ends with the last clone.
    telling: Arc<Mutex<JoinSet<()>>>,
    begun: Arc<AtomicBool>,
}

type Request = RequestContext<RoleServer>;

impl Handler {
    /// For a client that nobody has heard of yet.
    pub(crate) fn new(packs: Packs) -> Self {
        let (followed, telling, begun) = (Followed::default(), Arc::default(), Arc::default());
        Self { packs, followed, telling, begun }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let own = Implementation::new("promptweave", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(own).with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Request,
    ) -> Result<InitializeResult, ErrorData> {
        if self.begun.swap(true, Ordering::Relaxed) {
            let why = Refusal::request("the session has begun");
            return Err(why.help("ask, or begin a session anew").into_error());
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let telling = changes::tell(self.packs.clone(), context.peer, self.followed.clone());
        let mut told = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that says it twice is told once.
        told.abort_all();
        told.spawn(telling);
    }

    async fn list_prompts(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListPromptsResult, ErrorData> {
        // The first look at an engine parses its templates.
        let prompts = self.packs.work(prompts::list).await.map_err(Refusal::into_error)?;
        let (prompts, next) =
            page(prompts, |prompt| &prompt.name, asked).map_err(Refusal::into_error)?;
        let mut result = ListPromptsResult::with_all_items(prompts);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Request,
    ) -> Result<GetPromptResponse, ErrorData> {
        let GetPromptRequestParams { name, arguments, .. } = request;
        let arguments = arguments.unwrap_or_default();
        let got = self.packs.work(move |engine| prompts::get(engine, &name, arguments)).await;
        got.and_then(|got| got).map(Into::into).map_err(Refusal::into_error)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: Request,
    ) -> Result<CompleteResult, ErrorData> {
        complete::complete(&self.packs.engine(), request).map_err(Refusal::into_error)
    }

    async fn list_tools(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListToolsResult, ErrorData> {
        let all = tools::list(&self.packs.engine());
        let (tools, next) = page(all, |tool| &tool.name, asked).map_err(Refusal::into_error)?;
        let mut result = ListToolsResult::with_all_items(tools);
        result.next_cursor = next;
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: Request,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = tools::named(&request.name).map_err(Refusal::into_error)?;
        let arguments = request.arguments.unwrap_or_default();
        let called = self.packs.work(move |engine| tools::call(engine, tool, arguments)).await;
        called.map_err(Refusal::into_error)?.map(Into::into)
    }

    async fn list_resources(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = resources::list(&self.packs.engine());
        let (all, next) =
            page(all, |resource| &resource.uri, asked).map_err(Refusal::into_error)?;
        let mut result = ListResourcesResult::with_all_items(all);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = resources::templates();
        let (templates, next) =
            page(all, |template| &template.uri_template, asked).map_err(Refusal::into_error)?;
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        result.next_cursor = next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Request,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = resources::read(&self.packs.engine(), &request.uri);
        read.map(Into::into).map_err(resources::not_found)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: Request,
    ) -> Result<(), ErrorData> {
        let uri = request.uri;
        if !resources::files(&self.packs.engine()).contains_key(&uri) {
            return Err(resources::not_found(resources::unknown()));
        }
        self.followed.add(uri).map_err(Refusal::into_error)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: Request,
    ) -> Result<(), ErrorData> {
        self.followed.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        tokio::select! {
            () = changes::listen(&self.packs, &context) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    /// Nothing is logged to clients.
    #[expect(deprecated, reason = "clients of older protocols ask for it")]
    async fn set_level(
        &self,
        _: rmcp::model::SetLevelRequestParams,
        _: Request,
    ) -> Result<(), ErrorData> {
        Err(Refusal::method("logging/setLevel").into_error())
    }

    /// A known method with parameters of another shape ends up here.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Request,
    ) -> Result<CustomResult, ErrorData> {
        let known =
            ["prompts/", "tools/", "resources/", "completion/", "server/", "subscriptions/"];
        let is_known = known.iter().any(|group| request.method.starts_with(group));
        if is_known || request.method == "ping" {
            let why = format!("the parameters of `{}` have another shape", request.method);
            return Err(Refusal::arguments(why).into_error());
        }
        Err(Refusal::method(&request.method).into_error())
    }
}
