//! Turns protocol requests into tool calls.
//!
//! Arguments are checked here, tools run on blocking threads, and a panic in a tool becomes an
//! error. A call that is cancelled while it waits for its turn never starts. A running one stops
//! reading the index and searching texts when it is cancelled or the server stops; it is not
//! answered.
//!
//! Limitations: offers tools and prompts, no resources. Tools with effects (`index_files`, tools
//! that write) are not interrupted.

use std::sync::Arc;
use std::time::Duration;

use codeagent_core::Canceller;
use codeagent_files::{CallContext, Options, Profile, ProtocolEra, ToolSet, local};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig, Tool as ToolDescription, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::answer::{Answer, error_result, error_text_result};
use crate::arguments::brief_schema;
use crate::call::{ListFormat, ToolCall};
use crate::changed::index_changed;
use crate::error::ToolError;
use crate::prompts;
use crate::report::ProgressReporter;
use crate::repositories::Repositories;
use crate::roots::Roots;
use crate::several;
use crate::state::State;
use crate::tools::{self, Tool};

const INSTRUCTIONS: &str = "\
Answers questions about one repository's C# and TypeScript/JavaScript code from an index of its \
symbols, resolved almost as a compiler would. Prefer it to text search for questions about code: \
where something is, who calls it, what implements it, what breaks if it changes. Use text search \
for everything that is not a symbol: strings, comments, configuration, other languages.

1. Find: search_symbols by words, lookup_symbol by name, get_file_outline for a file.
2. Follow: get_callers, get_callees, get_implementations, get_references, get_dependencies \
(edge_type `contains`: members), get_dependents.
3. Read: get_symbol for a signature and a summary, read_file with line_start and line_end for the \
source.

A node_id can also be a name or its last segments (`OrderService.Place`, `Place`; TypeScript: \
`src/cart.ts#Cart.total`), with parameter types for an overload (`Cart.Add(Product, int)`), or \
`FILE:LINE`. If a name matches several symbols, results cover all of them; `file` selects some. \
Paths are relative to the repository root.
Lists: `path` (file, folder or glob), `tests`, `kind` and `min_confidence` filter; `sites` limits \
the locations per row; `format` `compact` is shorter; pass `next_cursor` as `cursor` for the next \
page. `note` says why a list is empty. `unresolved` and `possible` are uses that may also belong to \
the list. The index follows edits; if an answer is out of date, `note` says so and `stale_files` \
names files whose line numbers may be off. Confidence `exact` is proven, `inferred` is the best of \
several candidates. Libraries are not indexed, but uses of their symbols are: query them by name \
(`HttpClient.SendAsync`, `npm:rxjs#map`).";

const AGENT_INSTRUCTIONS: &str = "\
Answers questions about one repository's C# and TypeScript/JavaScript code from an index of its \
symbols, resolved almost as a compiler would. One call of explore usually answers where something \
is, who calls it, what implements it, what it does; call it before you search text or read files. \
read_file shows lines of a file, get_status how complete the index is.

Name symbols by their names or last segments (`Cart.Total`, `src/cart.ts#Cart.total`), FILE:LINE, \
files, folders or quoted literals, one or several, or ask in a sentence. Answers are text of at \
most max_chars characters; the last line says what was left out and how to get it. Uses listed as \
possible are not certain. The index follows edits. Libraries are not indexed, but uses of their \
symbols are (`HttpClient.SendAsync`, `npm:rxjs#map`).";

/// Maximum number of running tools. Others wait in the order of their calls: with a hundred running
/// at once, all would be answered late.
const RUNNING: usize = 16;

/// Interval at which a cancelled call is asked again to stop.
const STOPPING: Duration = Duration::from_millis(1);

/// The server of one repository or several.
#[derive(Clone)]
pub struct Server {
    repositories: Arc<Repositories>,
    set: Arc<ToolSet>,
    lists: ListFormat,
    turns: Arc<Semaphore>,
    /// Acquired by tools that change files or the index.
    changes: Arc<Semaphore>,
}

impl Server {
    /// Creates a server of the index profile over shared state.
    #[must_use]
    pub fn new(state: Arc<State>) -> Self {
        Self::of(state, ToolSet::new(Profile::Index, Options::default()))
    }

    /// Creates a server of any profile over shared state.
    #[must_use]
    pub fn of(state: Arc<State>, set: ToolSet) -> Self {
        Self::about(Repositories::known(state), set)
    }

    /// Creates a server of any profile over repositories that may not be known yet.
    #[must_use]
    pub fn about(repositories: Arc<Repositories>, set: ToolSet) -> Self {
        let semaphore = || Arc::new(Semaphore::new(RUNNING));
        Self {
            repositories,
            set: Arc::new(set),
            lists: ListFormat::default(),
            turns: semaphore(),
            changes: semaphore(),
        }
    }

    /// Sets the default format of lists.
    #[must_use]
    pub fn with_lists(self, lists: ListFormat) -> Self {
        Self { lists, ..self }
    }

    /// Returns its tools.
    #[must_use]
    pub fn tools(&self) -> &ToolSet {
        &self.set
    }

    /// Returns a server of other tools that shares state and limits with this one.
    #[must_use]
    pub fn with(&self, tools: ToolSet) -> Self {
        Self {
            set: Arc::new(tools),
            ..self.clone()
        }
    }

    /// Waits until no tool changes anything. Commands are not waited for: they end with the
    /// process.
    pub async fn wait_for_changes(&self) {
        // Cannot fail, because the semaphore is never closed.
        self.changes.acquire_many(RUNNING as u32).await.ok();
    }

    /// Returns a permit for a tool that changes something, to be held while it runs.
    async fn change(&self, changes: bool) -> Option<OwnedSemaphorePermit> {
        // There are as many permits as running tools, so this does not wait.
        if changes {
            Arc::clone(&self.changes).acquire_owned().await.ok()
        } else {
            None
        }
    }

    async fn call_file_tool(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.set.answers(&request.name) {
            return Err(no_such_tool(&request.name, self.set.names().into_iter()));
        }

        let is_modern = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let era = if is_modern {
            ProtocolEra::Modern
        } else {
            ProtocolEra::Legacy
        };

        let roots = match self.repositories.roots(&context.peer).await {
            Ok(roots) => roots,
            Err(reason) => return self.set.refused(reason, era).map(CallToolResponse::from),
        };
        let _turn = self
            .turns
            .acquire()
            .await
            .map_err(|_| ErrorData::internal_error("the server is shutting down", None))?;

        let change = self.change(self.set.changes_files(&request.name)).await;
        let set = Arc::clone(&self.set);
        let canceller = Canceller::default();
        let caller = CallContext {
            era,
            cancelled: canceller.flag(),
        };
        let work = move || {
            let _change = change;
            let mut arguments = request.arguments.unwrap_or_default();
            let state = match state_of_file_call(&roots, &mut arguments) {
                Ok(state) => state,
                Err(reason) => return set.refused(reason, era),
            };
            let answer = set.call(&state.workspace(), &request.name, arguments, &caller);
            let Some(answer) = answer else {
                return Err(no_such_tool(&request.name, std::iter::empty()));
            };
            if let Some(changed) = answer.changed {
                index_changed(&state, changed);
            }
            answer.result
        };

        let answer = until_cancelled(work, context.ct.cancelled(), &canceller)
            .await
            .map_err(|error| {
                ErrorData::internal_error(format!("the tool was stopped: {error}"), None)
            })?;

        answer.map(CallToolResponse::from)
    }

    /// Answers a call of a tool that reads the index.
    async fn call_index_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.index_tool(&request.name)?;
        let refused = if tool.output.is_text {
            error_text_result
        } else {
            error_result
        };

        let roots = match self.repositories.roots(&context.peer).await {
            Ok(roots) => roots,
            Err(reason) => return Ok(refused(&ToolError::unavailable(reason)).into()),
        };
        let turn = self.wait_for_turn(&context).await?;

        let (reporter, sending) = match context.meta.get_progress_token() {
            Some(token) => Some(ProgressReporter::to(context.peer, token)).unzip(),
            None => (None, None),
        };
        let reporter = reporter.unwrap_or_default();
        let sent = request.arguments.unwrap_or_default();
        let canceller = Canceller::default();
        let of_call = canceller.clone();
        let change = self.change(tool.writes).await;
        let call = ToolCall {
            tool,
            lists: self.lists,
            reporter,
            canceller: of_call,
        };
        let work = move || {
            let _held = (turn, change);
            call.run(&roots, sent)
        };

        let answer = until_cancelled(work, context.ct.cancelled(), &canceller).await;
        let answer = answer.unwrap_or_else(|error| {
            Err(ToolError::index(format!(
                "`{}` was stopped: {error}",
                request.name
            )))
        });

        if let Some(sending) = sending {
            // All progress must be sent before the answer.
            sending.await.ok();
        }

        Ok(answer
            .map_or_else(|error| refused(&error), Answer::into_result)
            .into())
    }

    /// Returns the offered tool with this name.
    fn index_tool(&self, name: &str) -> Result<&'static Tool, ErrorData> {
        let profile = self.set.profile;
        let Some(tool) = tools::of_profile(profile).find(|tool| tool.name == name) else {
            return Err(no_such_tool(
                name,
                tools::of_profile(profile).map(|tool| tool.name),
            ));
        };

        Ok(tool)
    }

    /// Waits until a call may run; fails if it is cancelled before.
    async fn wait_for_turn(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<OwnedSemaphorePermit, ErrorData> {
        let turn = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("the call was cancelled", None)),
            turn = Arc::clone(&self.turns).acquire_owned() => turn.map_err(|_| ErrorData::internal_error(" \
                the server is shutting down", None))?,
        };

        Ok(turn)
    }
}

/// Returns the repository that a call of a file tool is about. Files are not searched in several
/// repositories, so that no change reaches another repository than the caller means.
fn state_of_file_call(
    roots: &Roots,
    sent: &mut serde_json::Map<String, serde_json::Value>,
) -> Result<Arc<State>, String> {
    let chosen = match roots.only() {
        Some(only) => Some(only),
        None => roots.take_chosen(sent)?,
    };
    chosen.ok_or_else(|| roots.not_chosen())?.state()
}

fn no_such_tool<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> ErrorData {
    ErrorData::invalid_params(
        format!(
            "unknown tool `{name}`; available: {}",
            known.collect::<Vec<_>>().join(", ")
        ),
        None,
    )
}

fn not_offered(method: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("unknown method `{method}`"),
        None,
    )
}

/// Accepts only requests for the first page: every list of the protocol fits on one.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(
            "invalid `cursor`: the list has one page",
            None,
        )),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let instructions = match self.set.profile {
            Profile::Index => INSTRUCTIONS.to_owned(),
            Profile::Agent => AGENT_INSTRUCTIONS.to_owned(),
            _ => self.set.instructions(),
        };
        let instructions = match self.repositories.known_roots() {
            Some(roots) if roots.only().is_none() => several::instructed(instructions, &roots),
            _ => instructions,
        };

        let offered = ServerCapabilities::builder().enable_tools();
        let offered = match self.set.profile {
            // The contract states this, although the lists never change.
            Profile::Local => offered
                .enable_tool_list_changed()
                .enable_prompts()
                .enable_prompts_list_changed()
                .build(),
            Profile::Index | Profile::Agent => offered.enable_prompts().build(),
            _ => offered.build(),
        };

        ServerConfig::new(offered)
            .with_server_info(Implementation::new(
                self.set.server_name(),
                env!("CARGO_PKG_VERSION"),
            ))
            .with_instructions(instructions)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.repositories.seek_once(context.peer);
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.repositories.seek(context.peer);
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        let profile = self.set.profile;
        let all = if profile.asks_index() {
            tools::of_profile(profile)
                .map(|tool| describe(tool, profile == Profile::Index))
                .collect()
        } else {
            self.set.descriptions()
        };

        let all = match self.repositories.roots(&context.peer).await {
            Ok(roots) if roots.only().is_none() => several::described(all, &roots),
            _ => all,
        };

        Ok(ListToolsResult::with_all_items(all))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.set.profile.asks_index() {
            return self.call_file_tool(request, &context).await;
        }

        self.call_index_tool(request, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        match self.set.profile {
            profile if profile.asks_index() => {
                Ok(ListPromptsResult::with_all_items(prompts::all()))
            }
            Profile::Local => Ok(ListPromptsResult::with_all_items(local::prompts())),
            _ => Err(not_offered("prompts/list")),
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self.set.profile {
            profile if profile.asks_index() => {
                let arguments = request.arguments.as_ref();
                return Ok(prompts::get(profile, &request.name, arguments)?.into());
            }
            Profile::Local => {}
            _ => return Err(not_offered("prompts/get")),
        }

        let prompt = local::prompt(&request.name);
        prompt.map(GetPromptResponse::from).ok_or_else(|| {
            ErrorData::invalid_params(format!("unknown prompt `{}`", request.name), None)
        })
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(not_offered("resources/list"))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(not_offered("resources/templates/list"))
    }

    /// Handles unknown methods, and known methods with wrong parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let is_modern = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);

        Err(match request.method.as_str() {
            "tools/call" => ErrorData::invalid_params(
                "`tools/call` takes `name`, a string, and `arguments`, an object with the tool's parameters",
                None,
            ),
            "initialize" if !is_modern => ErrorData::invalid_params(
                "`initialize` takes `protocolVersion`, `capabilities` and `clientInfo`",
                None,
            ),
            other => not_offered(other),
        })
    }
}

/// Runs blocking work on its own thread; on cancellation, tells it to stop and waits for it.
async fn until_cancelled<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    cancelled: impl Future<Output = ()>,
    canceller: &Canceller,
) -> Result<T, JoinError> {
    let mut work = tokio::task::spawn_blocking(work);
    tokio::select! {
        biased;
        done = &mut work => return done,
        () = cancelled => {}
    }

    loop {
        // The work may be between two statements, so repeat until it ends.
        canceller.cancel();
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(STOPPING) => {}
        }
    }
}

fn describe(tool: &Tool, with_output: bool) -> ToolDescription {
    let mut description = ToolDescription::new(tool.name, tool.doc, brief_schema(tool.parameters));
    description.title = Some(tool.title.to_owned());
    if with_output && !tool.output.is_text {
        description.output_schema = Some(Arc::new(tool.output.bare_schema()));
    }

    // Tools that only read are neither destructive nor non-idempotent. So is updating the index: it
    // follows from the files, and doing it twice changes nothing.
    let hints = ToolAnnotations::new()
        .read_only(!tool.writes)
        .idempotent(true)
        .open_world(false);
    description.annotations = Some(if tool.writes {
        hints.destructive(false)
    } else {
        hints
    });
    description
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_cancelled_call_is_waited_for_until_it_stops() {
        let canceller = Canceller::default();
        let of_call = canceller.clone();
        let work = move || {
            while !of_call.is_cancelled() {
                std::thread::sleep(STOPPING);
            }
            "stopped"
        };

        let later = tokio::time::sleep(Duration::from_millis(20));
        assert_eq!(
            until_cancelled(work, later, &canceller).await.unwrap(),
            "stopped"
        );

        let never = std::future::pending();
        assert_eq!(
            until_cancelled(|| "done", never, &Canceller::default())
                .await
                .unwrap(),
            "done"
        );
    }
}
