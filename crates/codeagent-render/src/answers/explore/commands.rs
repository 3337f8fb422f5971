//! Section about the commands of command lines that a file or folder registers, with what runs on
//! each.

use codeagent_core::model::graph::Confidence;
use codeagent_core::query::{self, CallbackLines, DispatchStep, Occurrences, Targets};

use super::callees::called;
use super::registered::files_at;
use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::answers::symbol_line::symbol_line;
use crate::text::{Document, NameRow, Section};

/// Beginnings of words for commands.
const COMMANDS: &[&str] = &["command", "subcommand", "cli"];

/// Maximum number of files that are read.
const MAX_FILES: usize = 300;

/// Weight of the section if the question does not ask for commands.
const UNASKED: u32 = 10;

/// Adds the commands that the files at a path register, outside tests.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    targets: &Targets,
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let files = files_at(snapshot, path)?;

    let mut commands = Vec::new();
    for path in files.iter().take(MAX_FILES) {
        commands.extend(query::commands_in(snapshot, path)?);
    }

    let weight = if targets.mentions(COMMANDS) {
        WANTED
    } else {
        UNASKED
    };
    document.section(listed(occurrences, &commands)?.weighing(weight));
    Ok(())
}

/// Lists commands with what runs on each.
pub(super) fn listed(
    occurrences: &mut Occurrences<'_, '_>,
    commands: &[DispatchStep],
) -> Result<Section, AnswerError> {
    let is_one_file = commands
        .windows(2)
        .all(|pair| pair[0].site.0 == pair[1].site.0);
    let mut title = "registered commands".to_owned();
    let mut rows = Vec::with_capacity(commands.len());
    for command in commands {
        let (file, line) = command.site;
        let path = occurrences.path(file)?;
        let place = if is_one_file {
            title = format!("commands registered in {path}");
            line.to_string()
        } else {
            format!("{path}:{line}")
        };

        let doubt = if command.confidence == Confidence::Exact {
            ""
        } else {
            "possibly "
        };
        let handler = match command.to {
            Some(handler) if command.from != command.to => symbol_line(occurrences, handler)?,
            _ => unnamed(occurrences, command, &path)?,
        };
        rows.push(NameRow {
            full: format!("{place} {doubt}{}: {handler}", command.label),
            short: command.label.clone(),
        });
    }

    Ok(Section::names("commands", title, rows))
}

/// Describes an unnamed handler by what the call that registers it calls.
fn unnamed(
    occurrences: &mut Occurrences<'_, '_>,
    command: &DispatchStep,
    path: &str,
) -> Result<String, AnswerError> {
    let description = "an unnamed function";
    let registered = query::registered_in(occurrences.sources.snapshot(), path)?;
    let whole = registered.iter().find(|one| one.start == command.site.1);
    let (Some(whole), Some(around)) = (whole, command.to) else {
        return Ok(description.to_owned());
    };

    let within = CallbackLines {
        file: command.site.0,
        callback: whole.clone(),
    };
    let calls = called(occurrences, &[around], Some(&within))?;
    let mut calls: Vec<String> = calls.into_iter().map(|row| row.short).collect();
    let is_inside = |start: u32, end: u32| start > whole.start && end <= whole.end;
    for inner in registered
        .iter()
        .filter(|one| is_inside(one.start, one.end))
    {
        let callee = inner.label.split(" \"").next().unwrap_or_default();
        calls.retain(|name| last_part(name) != last_part(callee));
        calls.push(inner.label.clone());
    }

    Ok(match calls.as_slice() {
        [] => description.to_owned(),
        calls => format!("{description} with calls of {}", calls.join(", ")),
    })
}

/// Returns the last of some names with dots between them.
fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
