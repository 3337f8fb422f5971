//! The fixture server for the protocol's conformance suite, with the tools, prompts and resources
//! that the suite's scenarios name.
//!
//! Fixed answers are in `fixture.json`. Answers that need code while they run (notifications,
//! requests to the client, delays) are here and in `rounds` and `tasks`.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ClientCapabilities,
    ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetTaskParams,
    GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingLevel, LoggingMessageNotificationParam,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, ServerRequest,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::conformance::rounds;
use crate::conformance::tasks::Tasks;

/// Delay between two notifications of a tool.
const BREATH: Duration = Duration::from_millis(50);
/// Capacity of the channel of list changes.
const CHANGES: usize = 16;

#[derive(Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

#[derive(Clone)]
pub struct Fixture {
    output: Arc<Value>,
    changes: broadcast::Sender<Change>,
    tasks: Tasks,
}

impl Default for Fixture {
    fn default() -> Self {
        let output = serde_json::from_str(include_str!("fixture.json")).unwrap();
        Self {
            output: Arc::new(output),
            changes: broadcast::Sender::new(CHANGES),
            tasks: Tasks::default(),
        }
    }
}

/// Converts JSON to one of the protocol's types.
pub fn parsed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Converts a result of `fixture.json`, marked as complete.
fn result<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = "complete".into();
    parsed(value)
}

/// Returns a result with one text block.
pub fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn unknown(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no `{name}`"), None)
}

/// Returns a copy of the value with each `{name}` in its strings replaced by that argument.
fn filled(value: &Value, arguments: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) => {
            let fill = |text: String, (name, value): (&String, &Value)| {
                text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default())
            };
            arguments.iter().fold(text.clone(), fill).into()
        }
        Value::Array(items) => items.iter().map(|item| filled(item, arguments)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), filled(value, arguments)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

impl Fixture {
    /// Returns the rows of a table of `fixture.json`; the first element of each is its list entry.
    fn rows(&self, table: &str) -> &[Value] {
        self.output
            .pointer(table)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the list entries of these tables.
    fn listed<T: DeserializeOwned>(&self, tables: &[&str]) -> Result<Vec<T>, ErrorData> {
        let rows = tables.iter().flat_map(|table| self.rows(table));
        rows.map(|row| parsed(row.get(0).unwrap_or(row).clone()))
            .collect()
    }

    fn find(&self, table: &str, field: &str, name: &str) -> Option<&Value> {
        self.rows(table).iter().find(|row| row[0][field] == name)
    }

    /// Sends the client a request over its session while the tool runs.
    async fn ask(
        row: &Value,
        arguments: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let request: ServerRequest = parsed(filled(&row[1], arguments))?;
        match context.peer.send_request(request).await {
            Ok(answer) => Ok(text(format!(
                "{}{}",
                row[2].as_str().unwrap_or_default(),
                json!(answer)
            ))),
            Err(error) => Ok(CallToolResult::error(vec![ContentBlock::text(
                error.to_string(),
            )])),
        }
    }

    async fn log(context: &RequestContext<RoleServer>, level: LoggingLevel, output: &str) {
        let message =
            LoggingMessageNotificationParam::new(level, json!(output)).with_logger("conformance");
        context.peer.notify_logging_message(message).await.ok();
    }

    async fn work(
        &self,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<CallToolResult>, ErrorData> {
        match name {
            "test_tool_with_logging" => {
                for output in [
                    "Tool execution started",
                    "Tool processing data",
                    "Tool execution completed",
                ] {
                    Self::log(context, LoggingLevel::Info, output).await;
                    tokio::time::sleep(BREATH).await;
                }
            }
            "test_tool_with_progress" => {
                for reached in [0.0, 50.0, 100.0] {
                    if let Some(token) = context.meta.get_progress_token() {
                        context
                            .peer
                            .notify_progress(
                                ProgressNotificationParam::new(token, reached).with_total(100.0),
                            )
                            .await
                            .ok();
                    }
                    tokio::time::sleep(BREATH).await;
                }
            }
            "test_logging_tool" => {
                if let Some(level) = context.meta.log_level() {
                    Self::log(context, level, "wanted").await;
                }
            }
            "test_reconnection" => tokio::time::sleep(BREATH).await,
            "test_missing_capability" => {
                if context
                    .client_capabilities()
                    .is_none_or(|offered| offered.sampling.is_none())
                {
                    let needed = ClientCapabilities::builder().enable_sampling().build();
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
            }
            // Sending fails if nobody listens.
            "test_trigger_tool_change" => drop(self.changes.send(Change::Tools)),
            "test_trigger_prompt_change" => drop(self.changes.send(Change::Prompts)),
            _ => return Ok(None),
        }
        Ok(Some(text("done")))
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let offered = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed();
        let offered = offered
            .enable_resources()
            .enable_resources_subscribe()
            .enable_logging()
            .enable_completions()
            .enable_tasks()
            .build();
        ServerConfig::new(offered).with_server_info(Implementation::new(
            "conformance",
            env!("CARGO_PKG_VERSION"),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let rows = ["/tools/answered", "/tools/asking"]
            .iter()
            .find_map(|table| self.find(table, "name", name));
        rows.and_then(|row| parsed(row[0].clone()).ok())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tables = [
            "/tools/answered",
            "/tools/asking",
            "/tools/rounds",
            "/tools/working",
        ];
        Ok(ListToolsResult::with_all_items(self.listed(&tables)?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.clone().unwrap_or_default();
        if let Some(row) = self.find("/tools/answered", "name", &request.name) {
            return result::<CallToolResult>(row[1].clone()).map(CallToolResponse::from);
        }
        if let Some(row) = self.find("/tools/asking", "name", &request.name) {
            return Self::ask(row, &arguments, &context)
                .await
                .map(CallToolResponse::from);
        }
        if let Some(row) = self.find("/tools/rounds", "name", &request.name) {
            let offered = context.client_capabilities().unwrap_or_default();
            let next = rounds::next(
                row,
                &offered,
                request.input_responses.as_ref(),
                request.request_state.as_deref(),
            )?;
            return Ok(next.map_or_else(CallToolResponse::from, |done| text(done).into()));
        }
        if let Some(done) = self.work(&request.name, &context).await? {
            return Ok(done.into());
        }
        let has_tasks = context
            .client_capabilities()
            .is_some_and(|offered| offered.supports_tasks());
        self.tasks
            .call(&request, has_tasks)
            .await?
            .ok_or_else(|| unknown(&request.name))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(
            self.listed(&["/prompts/answered", "/prompts/rounds"])?,
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(row) = self.find("/prompts/answered", "name", &request.name) {
            let arguments = json!(request.arguments.unwrap_or_default());
            let filled = filled(&row[1], arguments.as_object().unwrap_or(&Map::new()));
            return result::<GetPromptResult>(filled).map(GetPromptResponse::from);
        }
        let row = self
            .find("/prompts/rounds", "name", &request.name)
            .ok_or_else(|| unknown(&request.name))?;
        let offered = context.client_capabilities().unwrap_or_default();
        match rounds::next(
            row,
            &offered,
            request.input_responses.as_ref(),
            request.request_state.as_deref(),
        )? {
            Ok(done) => {
                let message =
                    json!({ "role": "user", "content": { "type": "text", "text": done } });
                result::<GetPromptResult>(json!({ "messages": [message] }))
                    .map(GetPromptResponse::from)
            }
            Err(needed) => Ok(needed.into()),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(
            self.listed(&["/resources"])?,
        ))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = parsed(self.output["template"][0].clone())?;
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri
            .strip_prefix("test://template/")
            .and_then(|rest| rest.strip_suffix("/data"));
        let row = match id {
            Some(_) => Some(&self.output["template"]),
            None => self.find("/resources", "uri", uri),
        };
        let row = row.ok_or_else(|| {
            ErrorData::invalid_params("there is no such resource", Some(json!({ "uri": uri })))
        })?;
        let id = Map::from_iter(id.map(|id| ("id".to_owned(), json!(id))));
        let mut contents = filled(&row[1], &id);
        contents["uri"] = uri.into();
        contents["mimeType"] = row[0]["mimeType"].clone();
        result::<ReadResourceResult>(
            json!({ "contents": [contents], "ttlMs": 0, "cacheScope": "private" }),
        )
        .map(ReadResourceResponse::from)
    }

    // Nothing here changes, so there are no subscribers to notify.
    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        wanted: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(wanted.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // The sink drops notifications that the listener did not ask for.
            match change {
                Ok(Change::Tools) => drop(context.sink().notify_tool_list_changed().await),
                Ok(Change::Prompts) => drop(context.sink().notify_prompt_list_changed().await),
                Err(_) => return Ok(()),
            }
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.tasks.get(&request)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update(request)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel(&request)
    }
}
