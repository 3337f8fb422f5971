//! Sections about files and folders.

use std::collections::HashSet;

use codeagent_core::model::graph::{
    Access, Dialect, EdgeType, Language, Node, NodeFlags, NodeId, NodeType,
};
use codeagent_core::query::{self, Occurrence, Occurrences, Reexport};

use super::file_imports;
use super::heading::signature;
use super::literal::regex;
use super::member::is_callable;
use super::wants::Wants;
use crate::answers::{AnswerError, dispatch};
use crate::note_text::counted;
use crate::text::{Document, NameRow, Section};

/// Maximum files of a folder whose symbols are listed.
const MAX_FILES: usize = 300;

/// Maximum names behind an `export *` that are listed.
const MAX_NAMES: usize = 60;

/// Endings of files with scripts in languages that are not indexed.
const COMPONENTS: [&str; 4] = [".astro", ".mdx", ".svelte", ".vue"];

/// Maximum files of a folder whose types are listed with their members if a question asks for these.
const MAX_WITH_MEMBERS: usize = 30;

/// Maximum symbols of a file without exports whose names are listed.
const MAX_INTERNAL: usize = 3;

/// Uses other than imports.
pub(super) const USES: [EdgeType; 6] = [
    EdgeType::Calls,
    EdgeType::References,
    EdgeType::Accepts,
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Extends,
];

/// Adds a file: its exports with their uses elsewhere, and what imports it.
pub(super) fn file(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    node: &Node,
    wants: Wants,
) -> Result<(), AnswerError> {
    document.line(format!("## file {path}"));
    let (exported, internal) = declared(occurrences, path)?;

    let mut rows = Vec::new();
    for node in &exported {
        rows.push(export_row(occurrences, node, path)?);
    }
    let section = Section::names("exports", "exported or public", rows);
    document.section(wants.weigh(section, wants.members, 20));

    let again = query::reexports(occurrences.sources.snapshot(), path, node.id)?;
    let mut rows = Vec::with_capacity(again.len());
    for export in &again {
        let names = match export.name {
            None => exported_names(occurrences, export, &mut vec![path.to_owned()])?,
            Some(_) => Vec::new(),
        };
        rows.push(reexport_row(export, &names));
    }
    let section = Section::names("exports of others", "exported from other files", rows);
    document.section(wants.weigh(section, wants.members, 20));

    let names = query::export_names(occurrences.sources.snapshot(), path)?;
    let is_new = |name: &String| exported.iter().all(|node| node.name != *name);
    let rows: Vec<String> = names
        .iter()
        .filter(|(_, name)| is_new(name))
        .map(|(line, name)| format!("{line} {name}"))
        .collect();
    let section = Section::lines("other exports", "other names that it exports", rows);
    document.section(wants.weigh(section, wants.members, 20));

    let is_internal = |node: &&Node| names.iter().all(|(_, name)| node.name != *name);
    let rows = internal.iter().filter(is_internal);
    let rows = rows.map(internal_row).collect();
    let section = Section::names("internal", "not exported", rows);
    document.section(wants.weigh(section, false, 5));

    let declared = exported.iter().chain(&internal).map(|node| node.id);
    let ids: Vec<NodeId> = declared.chain([node.id]).collect();
    let is_imported = !importers(document, occurrences, &ids, wants)?.is_empty();
    if wants.imports || wants.callers || wants.impact {
        importers_in_other_files(document, occurrences, path, wants)?;
    }
    let section = file_imports::section(occurrences, node)?;
    document.section(wants.weigh(section, wants.imports || wants.dependencies, 8));

    document.section(wants.weigh(dispatch::from(occurrences, &[node.id])?, false, 10));
    document.section(wants.weigh(dispatch::to(occurrences, &[node.id])?, false, 10));

    // A file of a language without imports is used through its symbols.
    if !is_imported || wants.callers || wants.impact {
        users(document, occurrences, &exported, path, wants)?;
    }
    Ok(())
}

/// Writes an exported symbol of a file, with its public members and its uses in other files.
fn export_row(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
    path: &str,
) -> Result<NameRow, AnswerError> {
    let uses = uses_elsewhere(occurrences, node, path)?;
    let name = occurrences.short_name(node)?;
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

/// Returns the names that a file exports again from another one as a whole, which passes on all but the default
/// export; `seen` are the files on the way.
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

/// Writes an export of what another file declares: `2 interpolate  src/interpolate.ts:68`; of a whole file
/// with the names that it has.
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

/// Adds what imports some symbols, and returns the importing files.
pub(super) fn importers(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    ids: &[NodeId],
    wants: Wants,
) -> Result<HashSet<String>, AnswerError> {
    let imports = occurrences.uses_of(ids, &[EdgeType::Imports])?;
    let importing = imports.iter().map(|place| place.path.clone()).collect();

    let (tests, code): (Vec<_>, Vec<_>) = imports.into_iter().partition(Occurrence::is_test);
    let section = Section::occurrence_rows("importers", "imported by", code);
    document.section(wants.weigh(section, wants.imports || wants.callers, 15));
    let section = Section::occurrence_rows("tests", "imported in tests", tests);
    document.section(wants.weigh(section, wants.tests, 5));
    Ok(importing)
}

/// Adds the lines of files in other languages, such as Vue components, that import a module: by its last two
/// names (`~/helpers/object`), or by its name from the same folder or the one above.
fn importers_in_other_files(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    wants: Wants,
) -> Result<(), AnswerError> {
    let dialect = Dialect::of_path(path);
    if dialect.is_none_or(|one| one.language() != Language::TypeScript) {
        return Ok(());
    }
    let module = path.rsplit_once('.').map_or(path, |(module, _)| module);
    let module = module.strip_suffix("/index").unwrap_or(module);
    let (folder, name) = module.rsplit_once('/').unwrap_or(("", module));
    let pattern = format!(
        r#"(from|import|require)\W+["']([^"']*/)?{}(/index)?(\.\w+)?["']"#,
        query::escaped_text(name)
    );
    let found = query::search_text(occurrences, &regex(&pattern))?;
    if found.timed_out {
        document.note("the search of other files was stopped after its time limit");
    }

    let last = folder.rsplit('/').next().unwrap_or_default();
    let end = format!("{last}/{name}");
    let imports = |place: &Occurrence| {
        let is_component = COMPONENTS.iter().any(|ending| place.path.ends_with(ending));
        let own = place.path.rsplit_once('/').map_or("", |(own, _)| own);
        let above = own.rsplit_once('/').map_or("", |(above, _)| above);
        let source = place.source.as_deref().unwrap_or_default();
        let has = |text: &str| source.contains(text);
        let is_meant = has(&end)
            || own == folder && has(&format!("./{name}"))
            || above == folder && has(&format!("../{name}"));
        is_component && is_meant
    };
    let mut places = found.others;
    places.retain(imports);
    let title = "imported in files of other languages, matched by text";
    let section = Section::occurrence_rows("other importers", title, places);
    document.section(wants.weigh(section, true, 0));
    Ok(())
}

/// Adds the uses of a file's symbols, and of their members, in other files.
fn users(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    symbols: &[Node],
    path: &str,
    wants: Wants,
) -> Result<(), AnswerError> {
    let mut ids = Vec::new();
    for node in symbols {
        ids.extend(query::tree(occurrences.sources.snapshot(), node.id)?);
    }

    let mut uses = occurrences.uses_of(&ids, &USES)?;

    uses.retain(|place| place.path != path);

    let (tests, code): (Vec<_>, Vec<_>) = uses.into_iter().partition(Occurrence::is_test);
    let section = Section::occurrence_rows("uses", "used by", code);
    document.section(wants.weigh(section, wants.callers || wants.impact, 15));

    let section = Section::occurrence_rows("uses in tests", "used in tests", tests);
    document.section(wants.weigh(section, wants.tests, 5));
    Ok(())
}

/// Lists the public members of a type, except for the values of an enum.
fn public_members(occurrences: &Occurrences<'_, '_>, node: &Node) -> Result<String, AnswerError> {
    if !matches!(node.node_type, NodeType::Class | NodeType::Interface) {
        return Ok(String::new());
    }
    let mut members = query::members_of(occurrences.sources.snapshot(), node.id)?;
    members.retain(|member| {
        member.access.is_none_or(|access| access == Access::Public)
            && member.node_type != NodeType::Constructor
    });
    members.sort_by_key(|member| member.spans.first().map(|span| span.name_line));
    let mut names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    names.dedup();
    Ok(match names.as_slice() {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    })
}

/// Returns the symbols that a file declares outside types and functions, those visible to other
/// files first.
fn declared(
    occurrences: &Occurrences<'_, '_>,
    path: &str,
) -> Result<(Vec<Node>, Vec<Node>), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let file = query::derive_file_id(snapshot, path)?;
    let top = query::outermost(query::get_outline(snapshot, file)?);
    let is_public = |node: &Node| node.flags.has(NodeFlags::PUBLIC_API);
    Ok(top.into_iter().partition(is_public))
}

/// Returns the functions that a file of routes exports, wrapped or not, or the handlers of a Razor page
/// (`OnPostAsync`); of functions named by HTTP methods, that of `method`.
pub(super) fn serving(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    method: Option<&str>,
) -> Result<Vec<Node>, AnswerError> {
    if Dialect::of_path(path).is_none() {
        return Ok(Vec::new());
    }
    let (mut serving, others) = declared(occurrences, path)?;
    if path.ends_with(".cs") {
        let snapshot = occurrences.sources.snapshot();
        let pages = std::mem::take(&mut serving);
        for page in pages {
            serving.extend(query::members_of(snapshot, page.id)?);
        }
        serving.retain(|member| member.name.starts_with("On"));
    }
    serving.retain(is_callable);
    if serving.is_empty() {
        for node in others.into_iter().filter(is_callable) {
            let wrappers = query::wrappers_of(occurrences.sources, &node)?;
            let serves = |wrapper: &Node| {
                let is_verb = query::is_request_method(&wrapper.name);
                let is_asked = method.is_none_or(|method| wrapper.name == method);
                wrapper.flags.has(NodeFlags::PUBLIC_API) && (!is_verb || is_asked)
            };
            serving.extend(Some(node).filter(|_| wrappers.iter().any(serves)));
        }
    }

    let is_of_method = |node: &Node| {
        let name = node.name.strip_prefix("On").unwrap_or(&node.name);
        let name = name.strip_suffix("Async").unwrap_or(name);
        method.is_some_and(|method| name.eq_ignore_ascii_case(method))
    };
    if serving.iter().any(is_of_method) {
        serving.retain(is_of_method);
    }
    Ok(serving)
}

/// Returns the number of uses of a symbol outside of a file.
pub(super) fn uses_elsewhere(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
    path: &str,
) -> Result<usize, AnswerError> {
    let mut ids = vec![node.id];
    if node.flags.has(NodeFlags::STATIC) {
        let members = query::members_of(occurrences.sources.snapshot(), node.id)?;
        ids.extend(members.iter().map(|member| member.id));
    }

    ids.extend(
        query::wrappers_of(occurrences.sources, node)?
            .iter()
            .map(|wrapper| wrapper.id),
    );
    let mut count = 0;
    for edge in occurrences.incoming(&ids, &USES)? {
        count += usize::from(occurrences.path(edge.file)? != path);
    }

    Ok(count)
}

/// Adds a folder: its files with their exports.
pub(super) fn folder(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    folder: &str,
    wants: Wants,
) -> Result<(), AnswerError> {
    let files = query::files_below(occurrences.sources.snapshot(), folder)?;
    let with_members = wants.members && files.len() <= MAX_WITH_MEMBERS;
    document.line(format!("## folder {folder} ({} files)", files.len()));

    let (mut rows, mut without) = (Vec::new(), Vec::new());
    for path in files.iter().take(MAX_FILES) {
        let (exported, internal) = declared(occurrences, path)?;
        let mut names = Vec::new();
        for node in &exported {
            let uses = uses_elsewhere(occurrences, node, path)?;
            let members = match with_members {
                true => public_members(occurrences, node)?,
                false => String::new(),
            };
            names.push(format!("{} ({uses}){members}", node.name));
        }

        let name = path
            .strip_prefix(folder)
            .unwrap_or(path)
            .trim_start_matches('/');
        if names.is_empty() {
            let exports = query::export_names(occurrences.sources.snapshot(), path)?;
            names.extend(exports.into_iter().map(|(_, name)| name));
        }
        if names.is_empty() {
            without.push(match internal.as_slice() {
                [] => name.to_owned(),
                _ if internal.len() > MAX_INTERNAL => {
                    format!("{name} ({} not exported)", internal.len())
                }
                _ => {
                    let names: Vec<&str> = internal.iter().map(|node| node.name.as_str()).collect();
                    format!("{name} (not exported: {})", names.join(", "))
                }
            });
        } else {
            rows.push(NameRow {
                full: format!(
                    "{name}: {}",
                    names.join(if with_members { "; " } else { ", " })
                ),
                short: name.to_owned(),
            });
        }
    }

    let title = "files with their exports and the uses of these elsewhere";
    document.section(Section::names("files", title, rows).weighing(30));

    let without = Section::list("without exports", "files that export nothing", without);
    document.section(without.weighing(5));
    Ok(())
}
