//! Calls that become tasks, by the protocol's extension for tasks.
//!
//! The product does not offer tasks; the transport is the product's.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ClientCapabilities,
    ContentBlock, CreateTaskResult, GetTaskParams, GetTaskResult, InputRequest,
    InputRequiredResult, UpdateTaskParams,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::{Map, Value, json};

use crate::conformance::fixture::{parsed, text};

/// Duration of a job that does nothing.
const BREATH: Duration = Duration::from_millis(500);
/// Maximum duration of a job.
const LONGEST: Duration = Duration::from_secs(600);

#[derive(Clone, Default)]
pub struct Tasks {
    manager: TaskManager,
}

/// The work of a called tool.
enum Job {
    Sleep {
        time: Duration,
        output: String,
    },
    FailAsTool,
    FailAsRequest,
    /// Requests these inputs from the client, all at once.
    Ask(Vec<(&'static str, InputRequest)>),
}

impl Tasks {
    /// Calls a tool that may become a task; returns `None` if there is no tool with this name.
    pub async fn call(
        &self,
        request: &CallToolRequestParams,
        has_tasks: bool,
    ) -> Result<Option<CallToolResponse>, ErrorData> {
        let arguments = request.arguments.clone().unwrap_or_default();
        let word = |name: &str, other: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or(other)
                .to_owned()
        };
        let given = request
            .input_responses
            .as_ref()
            .and_then(|given| given.get("user_name"))
            .filter(|given| given.is_object());
        let (needs_task, job) = match request.name.as_ref() {
            "greet" => {
                return Ok(Some(
                    text(format!("Hello, {}!", word("name", "stranger"))).into(),
                ));
            }
            "slow_compute" => {
                let seconds = arguments
                    .get("seconds")
                    .and_then(Value::as_f64)
                    .unwrap_or(1.0);
                let time =
                    Duration::try_from_secs_f64(seconds).map_or(LONGEST, |time| time.min(LONGEST));
                (
                    false,
                    Job::Sleep {
                        time,
                        output: word("label", "computed"),
                    },
                )
            }
            "failing_job" => (true, Job::FailAsTool),
            "protocol_error_job" => (false, Job::FailAsRequest),
            "confirm_delete" => {
                let question = form(
                    &format!("Delete {}?", word("filename", "it")),
                    "confirm",
                    "boolean",
                );
                (true, Job::Ask(vec![("confirm", parsed(question)?)]))
            }
            "multi_input" => {
                let [first, second] = ["first", "second"]
                    .map(|name| parsed(form(&format!("The {name} value?"), "value", "string")));
                (true, Job::Ask(vec![("first", first?), ("second", second?)]))
            }
            "test_tool_with_task" => match given {
                Some(name) => (
                    true,
                    Job::Sleep {
                        time: BREATH,
                        output: format!("Hello: {name}"),
                    },
                ),
                None if has_tasks => {
                    let requests = Map::from_iter([(
                        "user_name".to_owned(),
                        form("What is your name?", "name", "string"),
                    )]);
                    return Ok(Some(
                        InputRequiredResult::from_input_requests(parsed(requests.into())?).into(),
                    ));
                }
                None => return Err(tasks_needed()),
            },
            _ => return Ok(None),
        };
        if has_tasks {
            let task = self.manager.spawn(TaskOptions::default(), |context| {
                Box::pin(async move { job.run(Some(context)).await })
            });
            return Ok(Some(CreateTaskResult::new(task).into()));
        }
        if needs_task {
            return Err(tasks_needed());
        }
        match job.run(None).await {
            Ok(done) => Ok(Some(done.into())),
            Err(TaskExit::Error(error)) => Err(error),
            Err(TaskExit::Cancelled) => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    pub fn get(&self, request: &GetTaskParams) -> Result<GetTaskResult, ErrorData> {
        self.manager
            .get_task(&request.task_id)
            .map(GetTaskResult::new)
    }

    pub fn update(&self, request: UpdateTaskParams) -> Result<(), ErrorData> {
        self.manager
            .update_task(&request.task_id, request.input_responses)
    }

    pub fn cancel(&self, request: &CancelTaskParams) -> Result<(), ErrorData> {
        self.manager.cancel_task(&request.task_id)
    }
}

impl Job {
    /// Runs the job, as a task or while the caller waits.
    async fn run(self, task: Option<TaskContext>) -> Result<CallToolResult, TaskExit> {
        match (self, task) {
            (Self::Sleep { time, output }, None) => {
                tokio::time::sleep(time).await;
                Ok(text(output))
            }
            (Self::Sleep { time, output }, Some(task)) => tokio::select! {
                () = task.cancelled() => Err(TaskExit::Cancelled),
                () = tokio::time::sleep(time) => Ok(text(output)),
            },
            (Self::FailAsTool, _) => {
                tokio::time::sleep(BREATH).await;
                Ok(CallToolResult::error(vec![ContentBlock::text(
                    "it fails on purpose",
                )]))
            }
            (Self::FailAsRequest, _) => {
                tokio::time::sleep(BREATH).await;
                Err(TaskExit::Error(ErrorData::internal_error(
                    "it fails on purpose",
                    None,
                )))
            }
            (Self::Ask(questions), Some(task)) => {
                let ask = |(key, request)| {
                    let task = task.clone();
                    tokio::spawn(async move { task.request_input(key, request).await })
                };
                let asked: Vec<_> = questions.into_iter().map(ask).collect();
                let mut answers = Vec::new();
                for answer in asked {
                    answers.push(answer.await.map_err(|_| TaskExit::Cancelled)??);
                }
                Ok(text(json!(answers).to_string()))
            }
            (Self::Ask(_), None) => Err(TaskExit::Error(tasks_needed())),
        }
    }
}

fn tasks_needed() -> ErrorData {
    ErrorData::missing_required_client_capability(
        ClientCapabilities::builder().enable_tasks().build(),
    )
}

/// Returns a form that asks the user for one value.
fn form(message: &str, name: &str, kind: &str) -> Value {
    let schema =
        json!({ "type": "object", "properties": { name: { "type": kind } }, "required": [name] });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message, "requestedSchema": schema } })
}
