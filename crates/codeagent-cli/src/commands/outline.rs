//! `codeagent outline`: the symbols of a file in line order, or the outermost symbols of a folder.

use anyhow::bail;
use clap::Args;
use codeagent_core::query::is_in_place;
use codeagent_render::answers;
use codeagent_render::{OutlineRow, Page};
use codeagent_workspace::Workspace;

use crate::commands::Root;
use crate::commands::ask::ask;
use crate::error::Usage;
use crate::output::PrintedAnswer;
use crate::text::Line;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Path of the file or folder, from the current directory or from the root
    #[arg(value_name = "FILE")]
    path: String,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let path = find_file(root, &arguments.path)?;
    let answer = ask(root, |index| {
        let path = index.workspace().resolve(&path)?;
        answers::outline(index, &path, &Page::WHOLE)
    })?;

    // Last lines of the enclosing declarations.
    let mut open: Vec<u32> = Vec::new();
    let mut file = None;
    PrintedAnswer::new(answer, None).print(root, |row, places| {
        let heading = match &row.file_path {
            Some(path) if file.as_ref() != Some(path) => {
                open.clear();
                Some(Line::heading(places.of(path)))
            }
            _ => None,
        };
        file.clone_from(&row.file_path);
        open.retain(|end| *end >= row.line_start);
        let indent = "  ".repeat(open.len());
        open.push(row.line_end);
        let parameters = row.signature.all_parameters();
        let line = format!(
            "{:<5} {indent}{}{} {}{}",
            row.line_start,
            visibility(row),
            row.symbol.word(),
            name(row, &path),
            parameters
        );
        heading.into_iter().chain([line.into()]).collect()
    })
}

/// Finds the file for a typed path: with either kind of slash, the end of a path, or a glob, if
/// exactly one file matches.
fn find_file(root: &Root, typed: &str) -> anyhow::Result<String> {
    let path = root.path(typed)?;
    let workspace = Workspace::open(&root.folder)?;
    let is_there = |path: &str| {
        workspace
            .resolve(path)
            .is_ok_and(|path| workspace.stat(&path).is_ok())
    };

    let slashed = typed.replace('\\', "/");
    if is_there(&path) || slashed.split('/').any(|part| part == "..") || slashed.starts_with('/') {
        return Ok(path);
    }
    if is_there(&slashed) {
        return Ok(slashed);
    }

    let entries = workspace.walk().entries;
    let mut named = entries
        .iter()
        .map(|entry| entry.path.as_str())
        .filter(|path| is_in_place(path, &slashed));

    match (named.next(), named.next()) {
        (None, _) => Ok(path),
        (Some(one), None) => Ok(one.to_owned()),
        (Some(one), Some(other)) => {
            let more = match named.count() {
                0 => String::new(),
                more => format!("\nand {more} more"),
            };
            bail!(Usage(format!(
                "{typed} matches several files; pass a longer path:\n{one}\n{other}{more}"
            )))
        }
    }
}

/// Returns the access modifier or `exported`, followed by a space.
fn visibility(row: &OutlineRow) -> String {
    match row.signature.access_modifier {
        Some(access) => format!("{} ", access.replace('_', " ")),
        None if row.exported => "exported ".to_owned(),
        None => String::new(),
    }
}

/// Returns a symbol's name, in full for a namespace.
fn name<'a>(row: &'a OutlineRow, path: &str) -> &'a str {
    let symbol = &row.symbol;
    let is_namespace = symbol.node_type == "module" && !symbol.qualified_name.starts_with(path);
    if is_namespace {
        &symbol.qualified_name
    } else {
        &symbol.name
    }
}
