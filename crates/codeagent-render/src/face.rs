//! The faces of the engine (tools and commands), and how each writes queries, options and files.

#[cfg(test)]
mod listed_tools;

use codeagent_core::query::FollowUp;

/// The tools that answer rows.
const ROW_TOOLS: &[&str] = &[
    "list_directory",
    "read_file",
    "get_directory_tree",
    "search_symbols",
    "lookup_symbol",
    "find_similar",
    "get_symbol",
    "get_source_spans",
    "get_file_outline",
    "get_callers",
    "get_callees",
    "get_implementations",
    "get_references",
    "get_dependencies",
    "get_dependents",
    "index_files",
    "get_status",
];

/// The tools that answer text, and those that every profile of the index lists beside them.
const TEXT_TOOLS: &[&str] = &[
    "explore",
    "get_impact",
    "find_path",
    "search_text",
    "get_overview",
    "get_changes",
    "read_file",
    "get_status",
];

/// The reader of a text, which decides how it refers to other queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The tools of the MCP server that answer rows: `get_callers Cart.Total`.
    Tools,
    /// Tools that answer text, which a server may list without the others: `explore Cart.Total`.
    TextTools,
    /// Commands in a shell: `codeagent callers Cart.Total`.
    Commands,
}

impl Face {
    /// Returns the tools that its texts may name; a server that uses the face lists all of them.
    #[must_use]
    pub const fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Tools => ROW_TOOLS,
            Self::TextTools => TEXT_TOOLS,
            Self::Commands => &[],
        }
    }

    /// Returns the first value for tools and the second for commands.
    pub(crate) fn pick<T>(self, tools: T, commands: T) -> T {
        match self {
            Self::Tools | Self::TextTools => tools,
            Self::Commands => commands,
        }
    }

    /// Writes a query about a symbol as it is called, between backticks.
    pub(crate) fn call(self, query: FollowUp, name: &str) -> String {
        match self {
            Self::Tools => format!("`{} {name}`", tool(query)),
            Self::TextTools => format!("`explore {name}`"),
            Self::Commands => format!("`codeagent {} {}`", command(query), quoted(name)),
        }
    }

    /// Names the symbol search.
    pub(crate) fn search(self) -> &'static str {
        match self {
            Self::Tools => "search_symbols",
            Self::TextTools => "explore",
            Self::Commands => "`codeagent search`",
        }
    }

    /// Names the query that lists a directory.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Self::Tools => "list_directory",
            Self::TextTools => "explore",
            Self::Commands => "`ls`",
        }
    }

    /// Names the query that updates the index.
    pub(crate) fn update(self) -> &'static str {
        match self {
            Self::Tools => "index_files",
            Self::TextTools | Self::Commands => "`codeagent index`",
        }
    }
}

fn tool(query: FollowUp) -> &'static str {
    match query {
        FollowUp::Callers => "get_callers",
        FollowUp::Callees => "get_callees",
        FollowUp::Implementations => "get_implementations",
        FollowUp::References => "get_references",
        FollowUp::Dependencies => "get_dependencies",
    }
}

fn command(query: FollowUp) -> &'static str {
    match query {
        FollowUp::Callers => "callers",
        FollowUp::Callees => "callees",
        FollowUp::Implementations => "implementations",
        FollowUp::References => "references",
        FollowUp::Dependencies => "dependencies",
    }
}

/// Quotes a name that a shell would not read as one plain word.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/:#".contains(c);
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{name}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follow_ups_are_written_as_tool_calls_or_commands() {
        for (query, name, tool, command) in [
            (
                FollowUp::References,
                "src/a.ts#C.m",
                "`get_references src/a.ts#C.m`",
                "`codeagent references src/a.ts#C.m`",
            ),
            (
                FollowUp::Callers,
                "A.B.*",
                "`get_callers A.B.*`",
                "`codeagent callers 'A.B.*'`",
            ),
        ] {
            assert_eq!(Face::Tools.call(query, name), tool);
            assert_eq!(Face::Commands.call(query, name), command);
        }
    }
}
