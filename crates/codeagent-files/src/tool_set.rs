//! Profiles: a profile is one set of tools with its own names, paths, limits and errors. A server
//! offers one, so names of different contracts never collide.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_workspace::{RepoPath, Workspace};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, Tool as ToolDescription, ToolAnnotations};
use serde_json::{Map, Value};

use crate::arguments::{Arguments, schema};
use crate::exec::{ExecError, Launcher};
use crate::failure::{Failure, FailureKind};
use crate::tool::{Call, Effect, FileTool};
use crate::{assistant, local, patch, workspace};

/// The sets of tools there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Questions about symbols, from the index.
    Index,
    /// Reading files and searching them.
    Assistant,
    /// Changing files by patches.
    Patch,
    /// Reading, editing and moving files.
    Workspace,
    /// Research: several queries a call.
    Local,
}

/// What a server of a profile may do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Nothing is written.
    pub read_only: bool,
    /// What the environment may set for `assistant`.
    pub limits: assistant::Limits,
    /// Whether and how commands are run.
    pub exec: Exec,
}

/// Whether and how commands are run.
#[derive(Clone, Debug, Default)]
pub enum Exec {
    /// There are no tools that run commands.
    #[default]
    Off,
    /// They were asked for and refuse, for this reason.
    Refused(String),
    /// In a jail.
    Jail(Launcher),
}

impl Exec {
    /// In a jail that the running program makes of itself, if it can.
    #[must_use]
    pub fn allowed() -> Self {
        Launcher::of_this_program()
            .map_or_else(|error| Self::Refused(error.to_string()), Self::Jail)
    }

    /// What runs commands, or why nothing does.
    pub fn launcher(&self) -> Result<&Launcher, Failure> {
        match self {
            Self::Jail(launcher) => Ok(launcher),
            Self::Off => Err(Failure::new(
                FailureKind::CommandRefused,
                "commands are not allowed; start the server with --allow-exec",
            )),
            Self::Refused(reason) => Err(Failure::new(FailureKind::CommandRefused, reason)),
        }
    }

    /// What to say of a command that was not run.
    #[must_use]
    pub fn failure(error: ExecError) -> Failure {
        let kind = match error {
            ExecError::Folder(error) => return Failure::from(error).of_folder(),
            ExecError::NotInstalled(_) | ExecError::NoJail(_) | ExecError::Busy => {
                FailureKind::CommandRefused
            }
            ExecError::Arguments(_) => FailureKind::BadArguments,
            ExecError::Io(_) => FailureKind::Internal,
        };
        Failure::new(kind, error.to_string())
    }
}

/// How the protocol's revision wants errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Before 2026-07-28: a tool may answer an error of the protocol.
    Legacy,
    /// Since then: what a tool says is a result.
    Modern,
}

/// Who calls a tool.
#[derive(Clone, Debug)]
pub struct Caller {
    /// How errors are wanted.
    pub era: Era,
    /// Set when the caller no longer waits.
    pub cancelled: Arc<AtomicBool>,
}

/// What came of a call.
#[derive(Debug)]
pub struct Answer {
    /// As the client gets to see it.
    pub result: Result<CallToolResult, ErrorData>,
    /// The paths that the call changed, for the index: `None` if it changed nothing, empty if it ran
    /// a command that may have changed anything.
    pub changed: Option<Vec<RepoPath>>,
}

/// The tools of a profile with what they may do.
#[derive(Clone, Debug)]
pub struct ToolSet {
    /// Which profile.
    pub profile: Profile,
    options: Options,
}

impl Profile {
    /// All of them with the words for them.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("index", Self::Index),
        ("assistant", Self::Assistant),
        ("patch", Self::Patch),
        ("workspace", Self::Workspace),
        ("local", Self::Local),
    ];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, profile)| *profile == self)
            .map_or("index", |(name, _)| name)
    }

    /// The profile of a word.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, profile)| *profile)
    }

    /// The table of its tools; empty for the index, whose tools are in `codeagent-mcp`, and for
    /// `local`, whose tools are in its contract.
    #[must_use]
    pub fn table(self) -> &'static [FileTool] {
        match self {
            Self::Index | Self::Local => &[],
            Self::Assistant => assistant::TOOLS,
            Self::Patch => patch::TOOLS,
            Self::Workspace => workspace::TOOLS,
        }
    }
}

impl ToolSet {
    /// The tools of a profile.
    #[must_use]
    pub fn new(profile: Profile, options: Options) -> Self {
        Self { profile, options }
    }

    /// The tools of another profile with the same options.
    #[must_use]
    pub fn of_profile(&self, profile: Profile) -> Self {
        Self::new(profile, self.options.clone())
    }

    /// How the server calls itself.
    #[must_use]
    pub fn server_name(&self) -> String {
        match self.profile {
            Profile::Index => "codeagent".to_owned(),
            // As its contract records it.
            Profile::Local => local::server_name().to_owned(),
            other => format!("codeagent-{}", other.as_str()),
        }
    }

    /// Whether the index has to be kept, because it is asked or files are changed.
    #[must_use]
    pub fn needs_index(&self) -> bool {
        match self.profile {
            Profile::Index => true,
            Profile::Assistant | Profile::Local => false,
            Profile::Patch | Profile::Workspace => !self.options.read_only,
        }
    }

    /// What a model should know before it calls a tool.
    #[must_use]
    pub fn instructions(&self) -> &'static str {
        match self.profile {
            Profile::Index => "",
            Profile::Assistant => assistant::INSTRUCTIONS,
            Profile::Patch => patch::INSTRUCTIONS,
            Profile::Workspace => workspace::INSTRUCTIONS,
            Profile::Local => local::instructions(),
        }
    }

    /// The tools that may be called.
    pub fn tools(&self) -> impl Iterator<Item = &'static FileTool> {
        // The contract of `patch` keeps its writing tools in the list and answers `ReadOnly`.
        let hides = self.options.read_only && self.profile == Profile::Workspace;
        let runs = !matches!(self.options.exec, Exec::Off);
        self.profile
            .table()
            .iter()
            .filter(move |tool| match tool.effect {
                Effect::Reads => true,
                Effect::Writes => !hides,
                Effect::Runs => runs,
            })
    }

    /// The tools that the contract has and the server was not allowed to offer. A call of one is
    /// told so.
    fn forbidden(&self) -> impl Iterator<Item = &'static FileTool> {
        let is_off = matches!(self.options.exec, Exec::Off);
        self.profile
            .table()
            .iter()
            .filter(move |tool| is_off && tool.effect == Effect::Runs)
    }

    /// Reports whether a call of this name has an answer of the profile.
    #[must_use]
    pub fn answers(&self, name: &str) -> bool {
        self.names().contains(&name) || self.forbidden().any(|tool| tool.name == name)
    }

    /// Their names.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        if self.profile == Profile::Local {
            local::names().collect()
        } else {
            self.tools().map(|tool| tool.name).collect()
        }
    }

    /// Reports whether a tool changes files by itself, not by a command.
    #[must_use]
    pub fn changes_files(&self, name: &str) -> bool {
        self.tools()
            .any(|tool| tool.name == name && tool.effect == Effect::Writes)
    }

    /// The tools as a client gets to see them.
    #[must_use]
    pub fn descriptions(&self) -> Vec<ToolDescription> {
        if self.profile == Profile::Local {
            local::descriptions()
        } else {
            self.tools().map(describe).collect()
        }
    }

    /// Calls a tool; `None` if there is none of that name.
    #[must_use]
    pub fn call(
        &self,
        workspace: &Workspace,
        name: &str,
        sent: Map<String, Value>,
        caller: &Caller,
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
            result: self.rendered(answer, caller.era),
            changed,
        })
    }

    /// What a call is told that cannot be begun.
    pub fn refused(&self, reason: String, era: Era) -> Result<CallToolResult, ErrorData> {
        self.rendered(Err(Failure::new(FailureKind::Internal, reason)), era)
    }

    fn rendered(
        &self,
        answer: Result<Value, Failure>,
        era: Era,
    ) -> Result<CallToolResult, ErrorData> {
        match (self.profile, answer) {
            (Profile::Assistant, answer) => assistant::render(answer, era),
            (Profile::Patch, answer) => Ok(patch::render(answer)),
            (Profile::Local, Err(failure)) => Ok(local::refused(&failure)),
            (Profile::Index | Profile::Workspace | Profile::Local, answer) => {
                Ok(workspace::render(answer))
            }
        }
    }

    fn run(
        &self,
        workspace: &Workspace,
        tool: &FileTool,
        sent: Map<String, Value>,
        caller: &Caller,
    ) -> (Result<Value, Failure>, Option<Vec<RepoPath>>) {
        let arguments = match self.check(workspace, tool, sent) {
            Ok(arguments) => arguments,
            Err(failure) => return (Err(failure), None),
        };

        let call = Call::new(workspace, &arguments, &self.options, &caller.cancelled);
        let answer = catch_unwind(AssertUnwindSafe(|| (tool.run)(&call)));
        let answer = answer.unwrap_or_else(|_| {
            tracing::error!(tool = tool.name, "a tool panicked");
            Err(Failure::new(
                FailureKind::Internal,
                format!(
                    "`{}` failed on this call because of a defect in codeagent",
                    tool.name
                ),
            ))
        });

        (answer, call.into_changed())
    }

    /// Checks a call's arguments, and whether this server may run the tool at all.
    fn check(
        &self,
        workspace: &Workspace,
        tool: &FileTool,
        sent: Map<String, Value>,
    ) -> Result<Arguments, Failure> {
        if tool.effect == Effect::Runs && matches!(self.options.exec, Exec::Off) {
            self.options.exec.launcher()?;
        }
        let arguments = Arguments::check(tool.parameters, sent)
            .map_err(|error| Failure::new(FailureKind::BadArguments, error.to_string()))?;
        if self.options.read_only && tool.effect == Effect::Writes {
            return Err(Failure::new(
                FailureKind::ReadOnly,
                format!("`{}` changes files, and this server only reads", tool.name),
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
