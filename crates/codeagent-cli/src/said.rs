//! Notes and errors that were written for tools, with commands in place of tool calls.
//!
//! **Limits.** Knows the tools that notes name.

/// What notes name, and what does it here. What holds another comes first.
const COMMANDS: [(&str, &str); 18] = [
    (
        "call index_files with them and ask again",
        "run `codeagent index`",
    ),
    (
        "(path, tests, kind, min_confidence)",
        "(--path, --tests, --kind, --min-confidence)",
    ),
    (
        "by a longer name, parameters, `file` or node_id",
        "by a longer name, parameters or --file",
    ),
    (
        "`language` or `project_id` exclude",
        "--language or --project exclude",
    ),
    ("`node_id` must be", "NAME must be"),
    ("index_files", "`codeagent index`"),
    ("list_directory shows it", "`ls` shows it"),
    ("search_symbols", "`codeagent search`"),
    ("lookup_symbol", "`codeagent lookup`"),
    ("get_symbol", "`codeagent symbol`"),
    ("get_file_outline", "`codeagent outline`"),
    ("get_callers", "`codeagent callers`"),
    ("get_callees", "`codeagent callees`"),
    ("get_implementations", "`codeagent implementations`"),
    ("get_references", "`codeagent references`"),
    ("get_dependencies", "`codeagent dependencies`"),
    ("get_dependents", "`codeagent dependents`"),
    ("get_status", "`codeagent status`"),
];

/// The note as a command says it; `stale` are the files that have changed since they were indexed.
pub fn by_command(note: &str, stale: &[&str]) -> String {
    let named = if stale.is_empty() {
        note.to_owned()
    } else {
        note.replace("stale_files", &stale.join(", "))
    };
    let typed: String = named
        .split('`')
        .enumerate()
        .map(|(at, part)| {
            if at % 2 == 0 {
                part.to_owned()
            } else {
                in_shell(part)
            }
        })
        .collect::<Vec<_>>()
        .join("`");
    COMMANDS
        .iter()
        .fold(typed, |note, (tool, command)| note.replace(tool, command))
}

/// A call of a tool, as it is typed; anything else as it is.
fn in_shell(call: &str) -> String {
    let Some((tool, name)) = call.split_once(' ') else {
        return call.to_owned();
    };
    let Some((_, command)) = COMMANDS.iter().find(|(known, _)| *known == tool) else {
        return call.to_owned();
    };
    let is_plain = |c: char| c.is_alphanumeric() || "._-/:#".contains(c);
    let quote = if name.chars().all(is_plain) { "" } else { "'" };
    format!("{} {quote}{name}{quote}", command.trim_matches('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_become_commands() {
        for (note, stale, expected) in [
            (
                "changed: stale_files (call index_files with them and ask again)",
                &["a.cs", "b.cs"][..],
                "changed: a.cs, b.cs (run `codeagent index`)",
            ),
            (
                "its uses: get_references lists them",
                &[],
                "its uses: `codeagent references` lists them",
            ),
            (
                "its uses: `get_references src/a.ts#C.m`",
                &[],
                "its uses: `codeagent references src/a.ts#C.m`",
            ),
            (
                "its members: `get_callers A.B.*`, `class A<T>`",
                &[],
                "its members: `codeagent callers 'A.B.*'`, `class A<T>`",
            ),
            ("nothing else", &[], "nothing else"),
        ] {
            assert_eq!(by_command(note, stale), expected);
        }
    }

    #[test]
    fn every_tool_about_symbols_that_is_a_command_is_known() {
        for tool in codeagent_mcp::tools::all()
            .filter(|tool| tool.name.starts_with("get_") && tool.name != "get_source_spans")
        {
            let is_known = COMMANDS.iter().any(|(name, _)| *name == tool.name);
            assert!(
                is_known || matches!(tool.name, "get_status" | "get_directory_tree"),
                "{}",
                tool.name
            );
        }
    }
}
