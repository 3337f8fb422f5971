//! Sections about what a file exports: its own declarations, those of other files, and other names.

use codeagent_core::model::graph::{Node, NodeType};
use codeagent_core::query::{self, Occurrences, Reexport};

use super::file_folder::{declared, public_members, uses_elsewhere};
use super::globals;
use super::heading::signature;
use super::wants::Wants;
use crate::answers::AnswerError;
use crate::note_text::counted;
use crate::text::{Document, NameRow, Section};

/// Maximum names behind an `export *` that are listed.
const MAX_NAMES: usize = 60;

/// Adds the exports of a file, and returns its outermost symbols: those visible to other files, and
/// the others.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (path, file): (&str, &Node),
    wants: Wants,
) -> Result<(Vec<Node>, Vec<Node>), AnswerError> {
    let (exported, internal) = declared(occurrences, path)?;
    let names = query::export_names(occurrences.sources.snapshot(), path)?;
    let mut renamed: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for node in &exported {
        let alias = alias(occurrences, (path, &names), node)?;
        renamed.extend(alias);
        rows.push(export_row(occurrences, (node, alias), path)?);
    }
    let section = Section::names("exports", "exported or public", rows);
    document.section(wants.weigh(section, wants.members, 20));

    let section = exports_of_others(occurrences, path, file)?;
    document.section(wants.weigh(section, wants.members, 20));

    let is_new = |name: &String| {
        !renamed.contains(&name.as_str()) && exported.iter().all(|node| node.name != *name)
    };
    let new = names.iter().filter(|(_, name)| is_new(name));
    let rows: Vec<String> = new.map(|(line, name)| format!("{line} {name}")).collect();
    let section = Section::lines("other exports", "other names that it exports", rows);
    document.section(wants.weigh(section, wants.members, 20));

    let globals = globals::assignments(occurrences, path)?;
    let is_global = |node: &Node| {
        let is_end = |c: char| !c.is_alphanumeric() && c != '_' && c != '$';
        let mut words = globals.iter().flat_map(|line| line.split(is_end));
        words.any(|word| word == node.name)
    };
    let is_internal =
        |node: &&Node| names.iter().all(|(_, name)| node.name != *name) && !is_global(node);
    let rows = internal.iter().filter(is_internal).map(internal_row);
    let internal_rows = Section::names("internal", "not exported", rows.collect());
    let title = "assigned to the global object";
    let section = Section::lines("globals", title, globals);
    document.section(wants.weigh(section, wants.members, 20));
    document.section(wants.weigh(internal_rows, false, 5));
    Ok((exported, internal))
}

/// Returns a section with the exports of what other files declare.
fn exports_of_others(
    occurrences: &Occurrences<'_, '_>,
    path: &str,
    file: &Node,
) -> Result<Section, AnswerError> {
    let exports = query::reexports(occurrences.sources.snapshot(), path, file.id)?;

    let mut rows = Vec::with_capacity(exports.len());
    for export in &exports {
        let names = match export.name {
            None => exported_names(occurrences, export, &mut vec![path.to_owned()])?,
            Some(_) => Vec::new(),
        };
        rows.push(reexport_row(export, &names));
    }

    Ok(Section::names(
        "exports of others",
        "exported from other files",
        rows,
    ))
}

/// Returns the name under which a file exports a symbol of another name: `make` for `export { makeCart as make }`.
fn alias<'n>(
    occurrences: &mut Occurrences<'_, '_>,
    (path, names): (&str, &'n [(u32, String)]),
    node: &Node,
) -> Result<Option<&'n str>, AnswerError> {
    if names.iter().any(|(_, name)| *name == node.name) {
        return Ok(None);
    }
    for (line, name) in names {
        let source = occurrences.sources.line(path, *line)?.unwrap_or_default();
        if source.contains(&format!("{} as {name}", node.name)) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Writes an exported symbol of a file with the other name that it has there, its public members and its uses in other
/// files.
fn export_row(
    occurrences: &mut Occurrences<'_, '_>,
    (node, alias): (&Node, Option<&str>),
    path: &str,
) -> Result<NameRow, AnswerError> {
    let uses = uses_elsewhere(occurrences, node, path)?;
    let mut name = occurrences.short_name(node)?;
    if let Some(alias) = alias {
        name += &format!(" as {alias}");
    }

    let members = public_members(occurrences, node)?;
    let count = counted(uses as u64, "use");

    Ok(NameRow {
        full: format!(
            "{} {name}{} ({count} elsewhere){members}",
            line_and_kind(node),
            signature(node)
        ),
        short: format!("{name} ({uses})"),
    })
}

/// Returns the names that a file exports again from another one as a whole, which passes on all but
/// the default export; `seen` are the files on the way.
fn exported_names(
    occurrences: &Occurrences<'_, '_>,
    export: &Reexport,
    seen: &mut Vec<String>,
) -> Result<Vec<String>, AnswerError> {
    let file = export.target.as_ref();
    let Some(file) = file.filter(|target| target.node_type == NodeType::File) else {
        return Ok(Vec::new());
    };
    let path = file.qualified_name.clone();
    if seen.contains(&path) {
        return Ok(Vec::new());
    }
    seen.push(path.clone());

    let snapshot = occurrences.sources.snapshot();
    let own = query::export_names(snapshot, &path)?;
    let mut names: Vec<String> = own.into_iter().map(|(_, name)| name).collect();
    for inner in query::reexports(snapshot, &path, file.id)? {
        match &inner.name {
            Some(name) => names.push(name.clone()),
            None => names.extend(exported_names(occurrences, &inner, seen)?),
        }
    }
    names.retain(|name| name != "default");
    Ok(names)
}

/// Writes an export of what another file declares: `2 interpolate  src/interpolate.ts:68`; of a
/// whole file with the names that it has.
fn reexport_row(export: &Reexport, names: &[String]) -> NameRow {
    let short = export.name.as_deref().unwrap_or("*");
    let list = match (&export.name, names.len().saturating_sub(MAX_NAMES)) {
        (None, _) if names.is_empty() && export.target.is_some() => " (no names)".to_owned(),
        (None, _) if names.is_empty() => String::new(),
        (None, 0) => format!(": {}", names.join(", ")),
        (None, more) => format!(": {} and {more} more", names[..MAX_NAMES].join(", ")),
        (Some(_), _) => String::new(),
    };
    let name = format!("{short}{list}");

    let place = match export
        .target
        .as_ref()
        .and_then(|target| target.spans.first())
    {
        Some(span) => format!("{}:{}", span.path, span.name_line),
        None => format!("from {:?}", export.module),
    };

    NameRow {
        full: format!("{} {name}  {place}", export.line),
        short: short.to_owned(),
    }
}

fn internal_row(node: &Node) -> NameRow {
    NameRow {
        full: format!("{} {}", line_and_kind(node), node.name),
        short: node.name.clone(),
    }
}

fn line_and_kind(node: &Node) -> String {
    let line = node.spans.first().map_or(0, |span| span.name_line);
    format!("{line} {}", node.kind.as_str().replace('_', " "))
}
