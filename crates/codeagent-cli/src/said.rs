//! What does a remark that was written for tools say on a command line? The same with the commands in place of the tools.
//!
//! **Limits.** Knows the tools that remarks name; parameters in a remark stay as the tools call them.

/// What remarks tell to do, and what does it here. What holds another comes first.
const COMMANDS: [(&str, &str); 14] = [
    ("call index_files with them and ask again", "run `codeagent index` and ask again"),
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

/// The remark as a command says it, about the files that are not as they were indexed.
pub fn by_command(note: &str, stale: &[&str]) -> String {
    let named = if stale.is_empty() { note.to_owned() } else { note.replace("stale_files", &stale.join(", ")) };
    COMMANDS.iter().fold(named, |note, (tool, command)| note.replace(tool, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_become_commands() {
        for (note, stale, expected) in [
            (
                "stale_files were changed since they were indexed: call index_files with them and ask again",
                &["a.cs", "b.cs"][..],
                "a.cs, b.cs were changed since they were indexed: run `codeagent index` and ask again",
            ),
            ("its uses: get_references lists them", &[], "its uses: `codeagent references` lists them"),
            ("nothing else", &[], "nothing else"),
        ] {
            assert_eq!(by_command(note, stale), expected);
        }
    }

    #[test]
    fn every_tool_about_symbols_that_is_a_command_is_known() {
        for tool in codeagent_mcp::tools::all().filter(|tool| tool.name.starts_with("get_") && tool.name != "get_source_spans") {
            let is_known = COMMANDS.iter().any(|(name, _)| *name == tool.name);
            assert!(is_known || matches!(tool.name, "get_status" | "get_directory_tree"), "{}", tool.name);
        }
    }
}
