//! Profiles: sets of tools with their own names, paths, limits and errors. A server offers one
//! profile, so names of different contracts never collide.

#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_workspace::{RepoPath, Workspace};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, Tool as ToolDescription, ToolAnnotations};
use serde_json::{Map, Value};

use crate::arguments::{Arguments, schema};
use crate::error::{ErrorKind, FileToolError};
use crate::exec::Launcher;
use crate::tool::{Call, Effect, FileTool};
use crate::{assistant, local, patch, workspace};

/// The sets of tools that a server can offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Symbol queries, answered by the index.
    Index,
    /// The queries that answer most questions in one call, and a tool that reads files.
    Agent,
    /// Read and search files.
    Assistant,
    /// Change files with patches.
    Patch,
    /// Read, edit and move files.
    Workspace,
    /// Search files, with several queries per call.
    Local,
}

/// Options of a profile's server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether to reject every change.
    pub read_only: bool,
    /// Limits of `assistant`, from the environment.
    pub limits: assistant::Limits,
    /// Whether commands run, and how.
    pub exec: ExecPolicy,
}

/// Whether commands run, and how.
#[derive(Clone, Debug, Default)]
pub enum ExecPolicy {
    /// Command tools are not offered.
    #[default]
    Off,
    /// Command tools are offered but reject every call, for this reason.
    Refused(String),
    /// Commands run in a sandbox.
    Jail(Launcher),
}

impl ExecPolicy {
    /// Returns the policy that runs commands in a sandbox, if the system supports it.
    #[must_use]
    pub fn allowed() -> Self {
        Launcher::of_this_program()
            .map_or_else(|error| Self::Refused(error.to_string()), Self::Jail)
    }

    /// Returns the launcher, or an error that says why commands are rejected.
    pub fn launcher(&self) -> Result<&Launcher, FileToolError> {
        match self {
            Self::Jail(launcher) => Ok(launcher),
            Self::Off => Err(FileToolError::new(
                ErrorKind::CommandRefused,
                "commands are not allowed; start the server with --allow-exec",
            )),
            Self::Refused(reason) => Err(FileToolError::new(ErrorKind::CommandRefused, reason)),
        }
    }
}

/// How the protocol's revision reports errors of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolEra {
    /// Before 2026-07-28: a tool may answer with a protocol error.
    Legacy,
    /// Since 2026-07-28: tools always answer with a result.
    Modern,
}

/// Properties of the caller.
#[derive(Clone, Debug)]
pub struct CallContext {
    /// How errors are reported.
    pub era: ProtocolEra,
    /// Set when the caller cancels the call.
    pub cancelled: Arc<AtomicBool>,
}

/// The outcome of a call.
#[derive(Debug)]
pub struct Answer {
    /// The result as sent to the client.
    pub result: Result<CallToolResult, ErrorData>,
    /// The paths that the call changed, for the index: `None` if it changed nothing, empty if it
    /// ran a command that may have changed anything.
    pub changed: Option<Vec<RepoPath>>,
}

/// The tools of a profile and their options.
#[derive(Clone, Debug)]
pub struct ToolSet {
    /// The profile.
    pub profile: Profile,
    options: Options,
}

impl Profile {
    /// All profiles with their names.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("index", Self::Index),
        ("agent", Self::Agent),
        ("assistant", Self::Assistant),
        ("patch", Self::Patch),
        ("workspace", Self::Workspace),
        ("local", Self::Local),
    ];

    /// Returns the name of the profile.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, profile)| *profile == self)
            .map_or("index", |(name, _)| name)
    }

    /// Finds a profile by name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, profile)| *profile)
    }

    /// Reports whether its tools are answered by the index.
    #[must_use]
    pub fn asks_index(self) -> bool {
        matches!(self, Self::Index | Self::Agent)
    }

    /// Returns the table of its tools. It is empty for profiles answered by the index, whose tools
    /// are in `codeagent-mcp`, and for `local`, whose tools are in its contract.
    #[must_use]
    pub fn table(self) -> &'static [FileTool] {
        match self {
            Self::Index | Self::Agent | Self::Local => &[],
            Self::Assistant => assistant::TOOLS,
            Self::Patch => patch::TOOLS,
            Self::Workspace => workspace::TOOLS,
        }
    }
}

impl ToolSet {
    /// Creates the tool set of a profile.
    #[must_use]
    pub fn new(profile: Profile, options: Options) -> Self {
        Self { profile, options }
    }

    /// Creates the tool set of another profile with the same options.
    #[must_use]
    pub fn of_profile(&self, profile: Profile) -> Self {
        Self::new(profile, self.options.clone())
    }

    /// Returns the server's name for `initialize`.
    #[must_use]
    pub fn server_name(&self) -> String {
        match self.profile {
            Profile::Index | Profile::Agent => "codeagent".to_owned(),
            // The name in the recorded contract.
            Profile::Local => local::server_name().to_owned(),
            other => format!("codeagent-{}", other.as_str()),
        }
    }

    /// Reports whether the server needs an index: to answer queries, or to index changes.
    #[must_use]
    pub fn needs_index(&self) -> bool {
        match self.profile {
            Profile::Index | Profile::Agent => true,
            Profile::Assistant | Profile::Local => false,
            Profile::Patch | Profile::Workspace => !self.options.read_only,
        }
    }

    /// Returns the instructions for models.
    #[must_use]
    pub fn instructions(&self) -> String {
        let offers = |effect| self.tools().any(|tool| tool.effect == effect);
        match self.profile {
            Profile::Index | Profile::Agent => String::new(),
            Profile::Assistant => assistant::INSTRUCTIONS.to_owned(),
            Profile::Patch if offers(Effect::Runs) => {
                format!("{} {}", patch::INSTRUCTIONS, patch::RUNS)
            }
            Profile::Patch => patch::INSTRUCTIONS.to_owned(),
            Profile::Workspace if offers(Effect::Writes) => {
                format!("{} {}", workspace::INSTRUCTIONS, workspace::WRITES)
            }
            Profile::Workspace => workspace::INSTRUCTIONS.to_owned(),
            Profile::Local => local::instructions().to_owned(),
        }
    }

    /// Returns the offered tools.
    pub fn tools(&self) -> impl Iterator<Item = &'static FileTool> {
        // In `patch`, writing tools stay in the list and return `ReadOnly`, as its contract
        // requires.
        let hides = self.options.read_only && self.profile == Profile::Workspace;
        let runs = !matches!(self.options.exec, ExecPolicy::Off);
        self.profile
            .table()
            .iter()
            .filter(move |tool| match tool.effect {
                Effect::Reads => true,
                Effect::Writes => !hides,
                Effect::Runs => runs,
            })
    }

    /// Returns tools of the contract that this server does not offer. Calling one is an error that
    /// gives the reason.
    fn forbidden(&self) -> impl Iterator<Item = &'static FileTool> {
        let is_off = matches!(self.options.exec, ExecPolicy::Off);
        self.profile
            .table()
            .iter()
            .filter(move |tool| is_off && tool.effect == Effect::Runs)
    }

    /// Reports whether this set handles calls of a tool, possibly by rejecting them.
    #[must_use]
    pub fn answers(&self, name: &str) -> bool {
        self.names().contains(&name) || self.forbidden().any(|tool| tool.name == name)
    }

    /// Returns the names of the offered tools.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        if self.profile == Profile::Local {
            local::names().collect()
        } else {
            self.tools().map(|tool| tool.name).collect()
        }
    }

    /// Reports whether a tool changes files directly, without a command.
    #[must_use]
    pub fn changes_files(&self, name: &str) -> bool {
        self.tools()
            .any(|tool| tool.name == name && tool.effect == Effect::Writes)
    }

    /// Returns the tools as shown to clients in `tools/list`.
    #[must_use]
    pub fn descriptions(&self) -> Vec<ToolDescription> {
        if self.profile == Profile::Local {
            local::descriptions()
        } else {
            self.tools().map(describe).collect()
        }
    }

    /// Calls a tool; returns `None` if there is no tool of this name.
    #[must_use]
    pub fn call(
        &self,
        workspace: &Workspace,
        name: &str,
        sent: Map<String, Value>,
        caller: &CallContext,
    ) -> Option<Answer> {
        if self.profile == Profile::Local {
            let result = local::call(workspace, name, sent, &caller.cancelled)?;
            return Some(Answer {
                result: Ok(result),
                changed: None,
            });
        }

        let tool = self
            .tools()
            .chain(self.forbidden())
            .find(|tool| tool.name == name)?;
        let (answer, changed) = self.run(workspace, tool, sent, caller);
        Some(Answer {
            result: self.render(answer, caller.era),
            changed,
        })
    }

    /// Returns the answer to a call that cannot be started.
    pub fn refused(&self, reason: String, era: ProtocolEra) -> Result<CallToolResult, ErrorData> {
        self.render(Err(FileToolError::new(ErrorKind::Internal, reason)), era)
    }

    fn render(
        &self,
        answer: Result<Value, FileToolError>,
        era: ProtocolEra,
    ) -> Result<CallToolResult, ErrorData> {
        match (self.profile, answer) {
            (Profile::Assistant, answer) => assistant::render(answer, era),
            (Profile::Patch, answer) => Ok(patch::render(answer)),
            (Profile::Local, Err(failure)) => Ok(local::refused(&failure)),
            (Profile::Index | Profile::Agent | Profile::Workspace | Profile::Local, answer) => {
                Ok(workspace::render(answer))
            }
        }
    }

    fn run(
        &self,
        workspace: &Workspace,
        tool: &FileTool,
        sent: Map<String, Value>,
        caller: &CallContext,
    ) -> (Result<Value, FileToolError>, Option<Vec<RepoPath>>) {
        let arguments = match self.check(workspace, tool, sent) {
            Ok(arguments) => arguments,
            Err(failure) => return (Err(failure), None),
        };

        let call = Call::new(workspace, &arguments, &self.options, &caller.cancelled);
        let answer = catch_unwind(AssertUnwindSafe(|| (tool.run)(&call)));
        let answer = answer.unwrap_or_else(|_| {
            tracing::error!(tool = tool.name, "a tool panicked");
            Err(FileToolError::new(
                ErrorKind::Internal,
                format!(
                    "`{}` failed on this call because of a bug in codeagent",
                    tool.name
                ),
            ))
        });

        (answer, call.into_changed())
    }

    /// Checks a call's arguments, and whether this server may run the tool.
    fn check(
        &self,
        workspace: &Workspace,
        tool: &FileTool,
        sent: Map<String, Value>,
    ) -> Result<Arguments, FileToolError> {
        if tool.effect == Effect::Runs && matches!(self.options.exec, ExecPolicy::Off) {
            self.options.exec.launcher()?;
        }

        let arguments = Arguments::check(tool.parameters, sent)
            .map_err(|error| FileToolError::new(ErrorKind::BadArguments, error.to_string()))?;
        if self.options.read_only && tool.effect == Effect::Writes {
            return Err(FileToolError::new(
                ErrorKind::ReadOnly,
                format!(
                    "`{}` changes files, but this server is read-only",
                    tool.name
                ),
            ));
        }

        if self.profile == Profile::Assistant {
            assistant::check_root(workspace, &self.options.limits)?;
        }

        Ok(arguments)
    }
}

fn describe(tool: &FileTool) -> ToolDescription {
    let mut description = ToolDescription::new(tool.name, tool.doc, schema(tool.parameters));
    description.title = Some(tool.title.to_owned());
    let reads = tool.effect == Effect::Reads;
    let hints = ToolAnnotations::with_title(tool.title)
        .read_only(reads)
        .open_world(false);
    description.annotations = Some(if reads {
        hints.idempotent(true)
    } else {
        hints.destructive(true)
    });
    description
}
