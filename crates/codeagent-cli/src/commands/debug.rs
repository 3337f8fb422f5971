//! `codeagent debug`: what the engine extracts and resolves for a file, a line or all calls, for
//! contributors (`docs/CONTRIBUTING.md`).
//!
//! Limitations: the output is for people, not an interface, and changes without notice.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use codeagent_core::inspect::{self, SitesAt};
use codeagent_workspace::{DataRoot, Workspace};

use crate::commands::Root;
use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: DebugCommand,
}

#[derive(Debug, Subcommand)]
enum DebugCommand {
    /// Print what is extracted from a file: declarations, imports, exports, uses
    Facts {
        /// Path of the file, from the root or absolute
        #[arg(value_name = "FILE")]
        path: String,
    },
    /// Print why each use on a line has its edge, or none
    Link {
        /// Path of the file, line, and the column to select one use
        #[arg(value_name = "FILE:LINE[:COLUMN]")]
        place: String,
    },
    /// Print every call of the repository and how it is counted: edge, unresolved, unknown name,
    /// value or external
    Calls,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let workspace = Workspace::open(&root.folder)?
        .with_packages(DataRoot::default().packages())
        .configured(true)?;
    let text = match &arguments.what {
        DebugCommand::Facts { path } => inspect::facts(&workspace, &workspace.resolve(path)?)?,
        DebugCommand::Link { place } => {
            let (path, line, column) =
                parse_place(place).context("expected FILE:LINE or FILE:LINE:COLUMN")?;
            inspect::links(
                &workspace,
                &workspace.resolve(path)?,
                SitesAt { line, column },
            )?
        }
        DebugCommand::Calls => inspect::calls(&workspace)?,
    };

    if root.json {
        return output::json(
            &serde_json::json!({ "results": text.lines().collect::<Vec<_>>(), "notes": [] }),
        );
    }

    output::lines(text.lines())
}

/// Parses `src/a.cs:3` or `src/a.cs:3:5`.
fn parse_place(place: &str) -> Option<(&str, u32, Option<u32>)> {
    let (before, last) = place.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match before
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, line.parse().ok()?)))
    {
        Some((path, line)) => Some((path, line, Some(last))),
        None => Some((before, last, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_ends_in_a_line_and_an_optional_column() {
        assert_eq!(parse_place("src/a.cs:3"), Some(("src/a.cs", 3, None)));
        assert_eq!(parse_place("src/a.cs:3:5"), Some(("src/a.cs", 3, Some(5))));
        assert_eq!(parse_place("C:/a.cs:3"), Some(("C:/a.cs", 3, None)));
        assert_eq!(parse_place("src/a.cs"), None);
        assert_eq!(parse_place("src/a.cs:x"), None);
    }
}
