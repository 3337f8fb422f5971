//! Which tools does a server offer? A profile is one set of tools with its own names, paths, limits and errors; a server serves one, so names
//! of different profiles never meet.
//!
//! `index` is what the other modules of this crate are about. The other four are files over one repository: `assistant` reads, `patch` and
//! `workspace` read, write and, if allowed, run commands in a jail, `local` searches. Each has a folder of its own with the table of its tools;
//! `tool` says what a row is, `failure` what can go wrong, and each profile says how that is told.
//!
//! **Limits.** On systems that are no Unix only the `index` profile is to be had.

pub mod assistant;
pub mod failure;
pub mod patch;
pub mod tool;
pub mod workspace;

use std::panic::{AssertUnwindSafe, catch_unwind};

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, Tool as ToolDescription, ToolAnnotations};
use serde_json::{Map, Value};

use crate::arguments::{Arguments, schema};
use crate::state::State;

use failure::{Failure, Kind};
use tool::{Call, Effect, FileTool};

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
}

/// What a server of a profile may do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Nothing is written.
    pub read_only: bool,
    /// What the environment may set for `assistant`.
    pub limits: assistant::Limits,
}

/// How the protocol's revision wants errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Before 2026-07-28: a tool may answer an error of the protocol.
    Legacy,
    /// Since then: what a tool says is a result.
    Modern,
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
    pub const NAMES: [(&'static str, Self); 4] =
        [("index", Self::Index), ("assistant", Self::Assistant), ("patch", Self::Patch), ("workspace", Self::Workspace)];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES.iter().find(|(_, profile)| *profile == self).map_or("index", |(name, _)| name)
    }

    /// The profile of a word.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, profile)| *profile)
    }

    /// The table of its tools; empty for the index, whose tools are in [`crate::tools`].
    #[must_use]
    pub fn table(self) -> &'static [FileTool] {
        match self {
            Self::Index => &[],
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

    /// How the server calls itself.
    #[must_use]
    pub fn server_name(&self) -> String {
        match self.profile {
            Profile::Index => "codeagent".to_owned(),
            other => format!("codeagent-{}", other.as_str()),
        }
    }

    /// Whether the index has to be kept, because it is asked or files are changed.
    #[must_use]
    pub fn needs_index(&self) -> bool {
        match self.profile {
            Profile::Index => true,
            Profile::Assistant => false,
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
        }
    }

    /// The tools that may be called.
    pub fn tools(&self) -> impl Iterator<Item = &'static FileTool> {
        // The contract of `patch` keeps its writing tools in the list and answers `ReadOnly`.
        let hides = self.options.read_only && self.profile == Profile::Workspace;
        self.profile.table().iter().filter(move |tool| !(hides && tool.effect == Effect::Writes))
    }

    /// The tools as a client gets to see them.
    #[must_use]
    pub fn descriptions(&self) -> Vec<ToolDescription> {
        self.tools().map(describe).collect()
    }

    /// Calls a tool; `None` if there is none of that name.
    #[must_use]
    pub fn call(&self, state: &State, name: &str, sent: Map<String, Value>, era: Era) -> Option<Result<CallToolResult, ErrorData>> {
        let tool = self.tools().find(|tool| tool.name == name)?;
        let answer = self.run(state, tool, sent);
        Some(match self.profile {
            Profile::Assistant => assistant::render(answer, era),
            Profile::Patch => Ok(patch::render(answer)),
            Profile::Index | Profile::Workspace => Ok(workspace::render(answer)),
        })
    }

    fn run(&self, state: &State, tool: &FileTool, sent: Map<String, Value>) -> Result<Value, Failure> {
        let arguments =
            Arguments::check(tool.name, tool.parameters, sent).map_err(|error| Failure::new(Kind::BadArguments, error.message))?;
        if self.options.read_only && tool.effect == Effect::Writes {
            return Err(Failure::new(Kind::ReadOnly, format!("`{}` changes files, and this server only reads", tool.name)));
        }
        let call = Call { state, arguments: &arguments, options: &self.options };
        catch_unwind(AssertUnwindSafe(|| (tool.run)(&call))).unwrap_or_else(|_| {
            tracing::error!(tool = tool.name, "a tool panicked");
            Err(Failure::new(Kind::Internal, format!("`{}` failed on this call because of a defect in codeagent", tool.name)))
        })
    }
}

fn describe(tool: &FileTool) -> ToolDescription {
    let mut description = ToolDescription::new(tool.name, tool.doc, schema(tool.parameters));
    description.title = Some(tool.title.to_owned());
    let reads = tool.effect == Effect::Reads;
    let hints = ToolAnnotations::with_title(tool.title).read_only(reads).open_world(false);
    description.annotations = Some(if reads { hints.idempotent(true) } else { hints.destructive(true) });
    description
}
