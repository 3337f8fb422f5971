//! The prompts of the `local` contract. Each is one message that a user can send, without
//! arguments.

use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};

use super::contract;

const ARCHITECTURE: &str = "\
Write ARCHITECTURE.md for this repository.

1. local_view_structure with depth 2 at the root, then at the folders that hold sources. Note the build files.
2. local_find_files for entry points (main, index, Program, app) and configuration; local_ripgrep with filesOnly for what imports what.
3. local_fetch_content with matchString for the few definitions that everything else uses. Put independent queries into one call.

Say in this order: what the system is for; entry points with path and line; each folder's purpose and what may depend on it; the few types one must \
know; decisions that surprise, with the reason if the code gives one; what cuts across: errors, configuration, tests, security. Name only what you \
have seen, with its path. Leave out what a listing shows anyway.";

const AGENTS: &str = "\
Write AGENTS.md for assistants that work in this repository.

1. local_find_files for instructions that exist (AGENTS.md, CLAUDE.md, .cursorrules, .claude/, CONTRIBUTING.md) and take over what they say.
2. local_view_structure with depth 2; local_fetch_content of the manifests for the commands that build, test, lint and format.
3. local_ripgrep for conventions that the code keeps: names, errors, tests beside or apart.

Say in this order: what the repository is; the map of folders; the commands, exactly; what may be changed freely, what needs a question first, what \
must not be touched (generated files, secrets, lock files); style as it is, not as it might be; how to check a change. One page.";

const EXPLORER: &str = "\
Answer a question about this code by looking, step by step: read the question, think what would answer it, plan the queries, ask them, verify.

- Unknown ground: local_view_structure with depth 1 or 2. Known pattern: local_ripgrep with filesOnly=true, then again with type or include and a few \
matches. Known name or age: local_find_files. Known place: local_fetch_content with matchString.
- One to five independent queries in a call; give each its researchGoal.
- Read the hints: they say what to ask next. An empty result is a result, too: widen once, then change the pattern.
- Before answering, fetch the lines the answer rests on. Cite path and line. Say what was not found.";

const MINIFIED: &str = "\
Analyse a large minified or obfuscated JavaScript file.

1. local_find_files with details for its size; a source map or an unminified copy beside it ends the work early.
2. local_ripgrep for texts that minifying keeps: messages, URLs, property names, `use strict`, module wrappers; matchContentLength 400. Note the \
charOffset of what you find.
3. local_fetch_content with charOffset and charLength around those offsets, minified=false, to read one function at a time.
4. Follow names by their property accesses, not by their one-letter variables. Keep a table: short name, what it seems to be, offset, how sure.

Report the modules, the data that flows between them and the calls to the outside, each with its offset.";

fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    [
        ("generate_architecture_file", ARCHITECTURE),
        ("generate_agents_file", AGENTS),
        ("research_local_explorer", EXPLORER),
        ("analyze_minified", MINIFIED),
    ]
    .into_iter()
}

/// Returns the prompts as shown to clients.
#[must_use]
pub fn prompts() -> Vec<Prompt> {
    contract::prompts()
        .map(|(name, doc)| Prompt::new(name, Some(doc), Some(Vec::new())))
        .collect()
}

/// Returns a prompt; `None` if there is none of this name.
#[must_use]
pub fn prompt(name: &str) -> Option<GetPromptResult> {
    let (_, text) = texts().find(|(known, _)| *known == name)?;
    Some(GetPromptResult::new(vec![PromptMessage::new_text(
        Role::User,
        text,
    )]))
}
