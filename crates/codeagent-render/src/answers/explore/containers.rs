//! Section about what a container runs: the last commands of Dockerfiles, and the scripts of packages behind them.

use codeagent_core::query::{
    self, EntryPoint, Occurrence, Occurrences, RunScript, Targets, TextSearchQuery,
};

use super::literal::regex;
use super::start_scripts;
use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Words for what runs in a container.
const CONTAINERS: [&str; 4] = ["container", "docker", "dockerfile", "image"];

/// Instructions that say what a container runs.
const COMMANDS: &str = r"^\s*(CMD|ENTRYPOINT)\b";

/// Adds what the containers of a question run, and keeps the entry points among these.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (targets, entries): (&Targets, &mut Vec<EntryPoint>),
) -> Result<(), AnswerError> {
    if !CONTAINERS.iter().any(|word| targets.has_word(word)) {
        return Ok(());
    }
    let query = TextSearchQuery {
        path: Some("**/*Dockerfile*"),
        ..regex(COMMANDS)
    };
    let found = query::search_text(occurrences, &query)?;

    let (mut lines, mut commands) = (Vec::new(), Vec::new());
    for place in &found.others {
        let source = place.source.as_deref().unwrap_or_default();
        lines.push(format!("{}:{} {source}", place.path, place.line));
        commands.push(source.to_owned());
        for script in scripts_of(occurrences, place)? {
            lines.push(format!("  {}", start_scripts::row(&script)));
            commands.push(script.command);
        }
    }
    let order = |entry: &EntryPoint| commands.iter().position(|command| is_run(entry, command));
    if entries.iter().any(|entry| order(entry).is_some()) {
        entries.retain(|entry| order(entry).is_some());
        entries.sort_by_key(order);
    }
    let title = "what containers run, with the scripts of packages";
    document.section(Section::lines("containers", title, lines).weighing(WANTED));
    Ok(())
}

/// Reports whether a command names the file of an entry point, or the program of its project: `dotnet Shop.dll`.
fn is_run(entry: &EntryPoint, command: &str) -> bool {
    let is_between = |c: char| c.is_whitespace() || "\"'`[],".contains(c);
    let mut words = command.split(is_between).filter(|word| word.contains('.'));
    words.any(|word| match word.strip_suffix(".dll") {
        Some(project) => entry.path.split('/').any(|folder| folder == project),
        None => {
            let path = word.trim_start_matches("./");
            entry.path == path || entry.path.ends_with(&format!("/{path}"))
        }
    })
}

/// Returns the scripts that an instruction runs.
fn scripts_of(
    occurrences: &Occurrences<'_, '_>,
    command: &Occurrence,
) -> Result<Vec<RunScript>, AnswerError> {
    let source = command.source.as_deref().unwrap_or_default();
    let words = source.trim_start_matches(char::is_alphabetic);
    Ok(query::scripts_run(
        occurrences.sources,
        &command.path,
        words,
    )?)
}
