//! Folders: which uses which, and how much of each was understood.

use codeagent_core::query::{self, FolderPart, IndexedFile};
use serde_json::{Value, json};

use super::{ApiError, Query};

/// Maximum number of folders of a matrix.
const MAX_FOLDERS: usize = 60;

/// Maximum number of folders whose health is listed.
const MAX_HEALTH: usize = 500;

/// Maximum number of files or pairs of files.
const MAX_FILES: usize = 200;

/// Number of names with the most unresolved uses.
const NAMES: usize = 20;

/// Returns which part of a folder uses which.
pub fn matrix(query: &Query<'_>) -> Result<Value, ApiError> {
    let path = query.parameters.get("path").unwrap_or_default();
    let files = query.repository.files(query.snapshot)?;
    let found = files.matrix(path, MAX_FOLDERS);
    let folders: Vec<Value> = found
        .parts
        .iter()
        .map(|part| part_row(&found.folder, part))
        .collect();
    Ok(json!({
        "path": found.folder,
        "folders": folders,
        "cells": found.uses,
        "cycles": found.cycles,
        "left_out": found.left_out,
    }))
}

fn part_row(folder: &str, part: &FolderPart) -> Value {
    let name = part.path.strip_prefix(folder).unwrap_or(&part.path);
    let name = if part.is_files {
        "(files here)"
    } else {
        name.trim_start_matches('/')
    };

    json!({
        "path": part.path,
        "name": name,
        "is_leaf": part.is_files,
        "files": part.files,
        "tests": part.tests,
        "lines": part.lines,
        "failed": part.failed,
        "partial": part.partial,
        "calls": part.calls.all,
        "resolved": part.calls.resolved,
        "external": part.calls.external,
    })
}

/// Returns the pairs of files behind a cell of the matrix.
pub fn crossing(query: &Query<'_>) -> Result<Value, ApiError> {
    let (from, to) = (query.parameters.text("from")?, query.parameters.text("to")?);
    let files = query.repository.files(query.snapshot)?;
    let pairs = files.pairs(from, to);
    let rows: Vec<Value> = pairs
        .iter()
        .take(MAX_FILES)
        .map(|pair| json!({ "from": pair.from, "to": pair.to, "uses": pair.uses }))
        .collect();
    Ok(json!({ "total": pairs.len(), "rows": rows }))
}

/// Returns how much of a folder was understood.
pub fn health(query: &Query<'_>) -> Result<Value, ApiError> {
    let path = query.parameters.get("path").unwrap_or_default();
    let files = query.repository.files(query.snapshot)?;
    let found = files.health(path);
    let folders: Vec<Value> = found
        .parts
        .iter()
        .take(MAX_HEALTH)
        .map(|part| part_row(path, part))
        .collect();
    let rows: Vec<Value> = found
        .problems
        .iter()
        .take(MAX_FILES)
        .map(|file| json!({ "path": file.path, "line": file.partial, "problem": problem(file) }))
        .collect();
    let names = if path.is_empty() {
        query::most_unresolved(query.snapshot, NAMES)?
    } else {
        Vec::new()
    };

    Ok(json!({
        "total": part_row("", &found.total),
        "folders": folders,
        "left_out": found.parts.len().saturating_sub(MAX_HEALTH),
        "files": { "total": found.problems.len(), "rows": rows },
        "names": names,
    }))
}

/// Says what is wrong with a file.
pub fn problem(file: &IndexedFile) -> String {
    match &file.problem {
        Some(problem) => format!("failed: {problem}"),
        None => "parsed in part".to_owned(),
    }
}
