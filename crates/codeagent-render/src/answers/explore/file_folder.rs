//! Sections about files and folders.

use std::collections::{BTreeMap, BTreeSet};

use codeagent_core::model::graph::{
    Access, Dialect, EdgeType, Language, Node, NodeFlags, NodeId, NodeType,
};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::flow::holds_callback;
use super::heading::signature;
use super::importers::{importers, importers_in_other_files};
use super::member::{is_callable, is_on_one_line};
use super::wants::Wants;
use super::{exports, file_imports, folder_dependencies};
use crate::answers::{AnswerError, dispatch};
use crate::note_text::counted;
use crate::text::{Document, NameRow, Section};

/// Files by which others import a package.
const ENTRIES: [&str; 6] = [
    "index.ts",
    "index.tsx",
    "index.js",
    "src/index.ts",
    "src/index.tsx",
    "src/index.js",
];

/// What a module assigns its exports to.
const MODULE_EXPORTS: &str = "module.exports";

/// Maximum files of a folder whose symbols are listed.
const MAX_FILES: usize = 300;

/// Maximum files of a folder whose types are listed with their members if a question asks for
/// these.
const MAX_WITH_MEMBERS: usize = 30;

/// Maximum members of a static class whose parameters are listed.
const MAX_SIGNATURES: usize = 20;

/// Maximum characters of the files without exports in an answer about what is public.
const MAX_UNASKED: usize = 200;

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
    let inactive = query::count_inactive_lines(occurrences.sources.snapshot(), path)?;
    if inactive > 0 {
        let lines = counted(inactive as u64, "line");
        document.note(format!(
            "{lines} of code here not indexed (excluded by #if)"
        ));
    }

    let (exported, internal) = exports::sections(document, occurrences, (path, node), wants)?;
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
        ids.extend(named_by_default(occurrences, node)?);
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

/// Lists the public members of a type, except for the values of an enum; those of a static class, which are functions, with
/// their lines and parameters.
pub(super) fn public_members(
    occurrences: &Occurrences<'_, '_>,
    node: &Node,
) -> Result<String, AnswerError> {
    if !matches!(node.node_type, NodeType::Class | NodeType::Interface) {
        return Ok(String::new());
    }

    let mut members = query::members_of(occurrences.sources.snapshot(), node.id)?;
    members.retain(|member| {
        member.access.is_none_or(|access| access == Access::Public)
            && member.node_type != NodeType::Constructor
    });
    members.sort_by_key(|member| member.spans.first().map(|span| span.name_line));

    let is_static = node.flags.has(NodeFlags::STATIC) && members.len() <= MAX_SIGNATURES;
    let described = |member: &Node| match member.spans.first() {
        Some(span) if is_static => {
            format!("{} {}{}", span.name_line, member.name, signature(member))
        }
        _ => member.name.clone(),
    };

    let mut names: Vec<String> = members.iter().map(described).collect();
    names.dedup();
    Ok(match names.as_slice() {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    })
}

/// Returns the symbols that a file declares outside types and functions, those visible to other
/// files first.
pub(super) fn declared(
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
    let mut values = serving.clone();
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
    if serving.is_empty() {
        // `export const POST = withUser(async () => ..)`
        values.retain(|node| query::is_request_method(&node.name));
        for node in values {
            let is_run = holds_callback(&node, occurrences)?;
            serving.extend(Some(node).filter(|_| is_run));
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
    Ok(files_of_uses(occurrences, node, |file| file != path)?.len())
}

/// Returns the variables and functions that a default export only names: `export default cart;`. What imports it uses
/// them.
fn named_by_default(
    occurrences: &Occurrences<'_, '_>,
    node: &Node,
) -> Result<Vec<NodeId>, AnswerError> {
    let Some(span) = node.spans.first().filter(|_| is_default_name(node)) else {
        return Ok(Vec::new());
    };
    let mut named = Vec::new();
    for used in occurrences.outgoing(&[node.id], &[EdgeType::References])? {
        let symbol = query::get_node(occurrences.sources.snapshot(), used.other)?;
        let mut spans = symbol.iter().flat_map(|symbol| &symbol.node.spans);
        if spans.any(|own| own.path == span.path) {
            named.push(used.other);
        }
    }
    Ok(named)
}

/// Reports whether a symbol is a default export on one line that is no function.
fn is_default_name(node: &Node) -> bool {
    node.name == "default" && is_on_one_line(node) && !is_callable(node)
}

/// Returns the file of each use of a symbol in some files.
fn files_of_uses(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
    is_counted: impl Fn(&str) -> bool,
) -> Result<Vec<String>, AnswerError> {
    let mut ids = vec![node.id];
    ids.extend(named_by_default(occurrences, node)?);
    if node.flags.has(NodeFlags::STATIC) {
        let members = query::members_of(occurrences.sources.snapshot(), node.id)?;
        ids.extend(members.iter().map(|member| member.id));
    }

    ids.extend(
        query::wrappers_of(occurrences.sources, node)?
            .iter()
            .map(|wrapper| wrapper.id),
    );
    let mut files = Vec::new();
    for edge in occurrences.incoming(&ids, &USES)? {
        files.push(occurrences.path(edge.file)?);
    }
    files.retain(|file| is_counted(file));

    Ok(files)
}

/// Returns what a file exports that it does not declare: other names, what other files declare, an object.
fn other_exports(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
) -> Result<Vec<String>, AnswerError> {
    let exports = query::export_names(occurrences.sources.snapshot(), path)?;
    let mut names: Vec<String> = exports.into_iter().map(|(_, name)| name).collect();
    if names.is_empty() {
        names = reexported(occurrences, path)?;
    }

    let lines = match names.is_empty() {
        true => occurrences.sources.lines(path, 1, u32::MAX)?,
        false => None,
    };
    let mut lines = lines.iter().flatten();
    if lines.any(|line| line.starts_with(MODULE_EXPORTS)) {
        names.push(MODULE_EXPORTS.to_owned());
    }
    Ok(names)
}

/// Returns what a file exports from other files: names, or `*` with the file.
fn reexported(occurrences: &Occurrences<'_, '_>, path: &str) -> Result<Vec<String>, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let named = query::get_node_by_qualified_name(snapshot, path, None, None)?;
    let mut nodes = named.iter().map(|(node, _)| node);
    let Some(file) = nodes.find(|node| node.node_type == NodeType::File) else {
        return Ok(Vec::new());
    };
    let exports = query::reexports(snapshot, path, file.id)?;
    let name = |export: query::Reexport| match (export.name, export.target) {
        (Some(name), _) => name,
        (None, Some(target)) => format!("* of {}", target.name),
        (None, None) => "*".to_owned(),
    };
    Ok(exports.into_iter().map(name).collect())
}

/// Adds what the index of a folder exports, which is what others import from a package.
fn entry_of_package(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    folder: &str,
    wants: Wants,
) -> Result<(), AnswerError> {
    for path in ENTRIES.map(|entry| format!("{folder}/{entry}")) {
        let snapshot = occurrences.sources.snapshot();
        let named = query::get_node_by_qualified_name(snapshot, &path, None, None)?;
        let mut nodes = named.iter().map(|(node, _)| node);
        if let Some(file) = nodes.find(|node| node.node_type == NodeType::File) {
            document.line(format!("{path}:"));
            exports::sections(document, occurrences, (&path, file), wants)?;
            return Ok(());
        }
    }

    Ok(())
}

/// Returns the namespace in which the most types of a folder are, or nothing; those outside it are listed with theirs.
fn main_namespace<'n>(types: impl Iterator<Item = &'n Node>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in types {
        if let Some(namespace) = namespace_of(node) {
            *counts.entry(namespace).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map_or_else(String::new, |(namespace, _)| namespace.to_owned())
}

/// Returns the namespace of a type of C#.
fn namespace_of(node: &Node) -> Option<&str> {
    let is_of_csharp = node.language == Language::CSharp;
    let container = node
        .qualified_name
        .rsplit_once('.')
        .filter(|_| is_of_csharp);
    container.map(|(namespace, _)| namespace)
}

/// Adds a folder: its files with their exports, and the files outside that use them.
pub(super) fn folder(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    folder: &str,
    wants: Wants,
) -> Result<(), AnswerError> {
    let files = query::files_below(occurrences.sources.snapshot(), folder)?;
    let mut declarations = Vec::with_capacity(files.len().min(MAX_FILES));
    for path in files.iter().take(MAX_FILES) {
        declarations.push((path, declared(occurrences, path)?));
    }
    let exports = |(_, (exported, _)): &&(_, (Vec<Node>, _))| !exported.is_empty();
    let exporting = declarations.iter().filter(exports).count();
    let with_members = wants.members && exporting <= MAX_WITH_MEMBERS;
    let count = counted(files.len() as u64, "file");
    document.line(format!("## folder {folder} ({count})"));
    if wants.dependencies {
        let all = declarations
            .iter()
            .flat_map(|(_, (exported, internal))| exported.iter().chain(internal));
        let symbols: Vec<Node> = all.cloned().collect();
        folder_dependencies::project_lines(document, occurrences, folder)?;
        let section = folder_dependencies::section(occurrences, folder, &symbols)?;
        document.section(wants.weigh(section, true, 0));
    }

    if wants.members {
        entry_of_package(document, occurrences, folder, wants)?;
    }

    let (mut rows, mut without) = (Vec::new(), Vec::new());
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let exported = declarations.iter().flat_map(|(_, (exported, _))| exported);
    let own = main_namespace(exported);
    for (path, (exported, internal)) in declarations {
        let mut names = Vec::new();
        for node in &exported {
            let is_outside = |file: &str| !query::is_in_place(file, folder);
            let using = files_of_uses(occurrences, node, is_outside)?;
            let uses = using.len();
            for file in using {
                users.entry(file).or_default().insert(node.name.clone());
            }
            let members = match with_members {
                true => public_members(occurrences, node)?,
                false => String::new(),
            };
            let name = match namespace_of(node) {
                Some(namespace) if !namespace.starts_with(own.as_str()) => &node.qualified_name,
                _ => &node.name,
            };
            names.push(format!("{name} ({uses}){members}"));
        }

        let name = path
            .strip_prefix(folder)
            .unwrap_or(path)
            .trim_start_matches('/');
        if names.is_empty() {
            names = other_exports(occurrences, path)?;
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

    let title = "files with their exports and the uses of these outside the folder";
    let section = Section::names("files", title, rows);
    document.section(wants.weigh(section, wants.members, 30));
    let used = users.into_iter().map(|(file, names)| {
        let names: Vec<String> = names.into_iter().collect();
        NameRow {
            full: format!("{file}: {}", names.join(", ")),
            short: file,
        }
    });
    let section = Section::names("users", "files outside that use them", used.collect());
    document.section(wants.weigh(section, wants.callers, 12));

    let without = Section::list("without exports", "files that export nothing", without);
    let most = if wants.public {
        MAX_UNASKED
    } else {
        usize::MAX
    };
    document.section(without.weighing(5).at_most(most));
    Ok(())
}
