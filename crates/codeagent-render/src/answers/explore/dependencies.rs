//! Dependencies of a type or function as a whole: types and functions of the repository, and names outside.

use std::collections::HashSet;

use codeagent_core::model::external::{ExternalSymbol, PackageManager};
use codeagent_core::model::graph::{EdgeType, Language, Node, NodeType};
use codeagent_core::query::{self, Occurrences, Snapshot, TypeDependency};

use super::callees::called;
use super::file_folder::USES;
use super::member::is_callable;
use super::type_symbol::path;
use super::{Subject, file_imports};
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Names of files with the `global using` of a project.
const GLOBAL_USINGS: [&str; 3] = ["GlobalUsings.cs", "GlobalUsing.cs", "Usings.cs"];

/// Number of functions and variables of one name that share a row.
const MANY_NAMESAKES: usize = 3;

/// Maximum number of types whose own dependencies are listed, and of the names of each.
const MAX_FURTHER: usize = 12;
const MAX_FURTHER_NAMES: usize = 16;

/// Maximum number of functions of a file that are followed.
const MAX_HELPERS: usize = 8;

/// Adds the dependencies of a type.
pub(super) fn dependencies(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let found = query::type_dependencies(snapshot, subject.first().id)?;
    let mut rows = Vec::with_capacity(found.len());
    let mut listed: HashSet<&str> = HashSet::new();
    for dependency in &found {
        let name = dependency.node.name.as_str();
        let namesakes: Vec<&TypeDependency> = found
            .iter()
            .filter(|other| other.node.name == name && !other.node.node_type.is_type())
            .collect();
        if namesakes.len() < MANY_NAMESAKES || dependency.node.node_type.is_type() {
            rows.push(row(dependency));
        } else if listed.insert(name) {
            rows.push(row_of_namesakes(name, &namesakes));
        }
    }

    let title = "depends on types and functions, with the number of lines";
    let section = Section::names("dependencies", title, rows);
    document.section(subject.wants.weigh(section, true, 0));
    let outside = outside(snapshot, subject.first())?;
    let title = "outside the repository";
    document.section(Section::list("outside", title, outside).weighing(20));
    if subject.words.iter().any(|word| word == "whole") {
        document.section(further(snapshot, &found)?.weighing(20));
    }
    let settings = settings(occurrences, subject.first())?;
    let title = match subject.first().language {
        Language::TypeScript => "settings that its file reads",
        _ => "settings that it reads",
    };
    document.section(Section::list("settings", title, settings).weighing(20));

    imports(document, occurrences, subject.first())
}

/// Adds what a function depends on beside what it calls itself: the calls of the functions of its file that it calls, the
/// paths that it names, and what its file imports.
pub(super) fn of_function(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<(), AnswerError> {
    let file = path(node);
    let mut rows = Vec::new();
    for helper in helpers(occurrences, node)? {
        for callee in called(occurrences, &[helper.id], None)? {
            if !callee.full.ends_with(file) && !callee.full.contains(&format!("{file}:")) {
                rows.push(NameRow {
                    full: format!("{} in {}", callee.full, helper.name),
                    ..callee
                });
            }
        }
    }
    let title = "calls of the functions of its file that it calls";
    document.section(Section::names("helpers", title, rows).weighing(20));

    let mut places = Vec::new();
    for span in &node.spans {
        let (first, last) = (span.span.start.line, span.span.end_line);
        let lines = occurrences.sources.lines(&span.path, first, last)?;
        for (number, line) in (first..).zip(lines.iter().flatten()) {
            if ["\"/", "'/", "`/"].iter().any(|path| line.contains(path)) {
                places.push(occurrences.at(&span.path, number)?);
            }
        }
    }
    let title = "lines with paths";
    document.section(Section::occurrence_rows("paths", title, places).weighing(20));
    imports(document, occurrences, node)
}

/// Returns the functions of a function's file that it calls, and those that these call.
fn helpers(occurrences: &Occurrences<'_, '_>, node: &Node) -> Result<Vec<Node>, AnswerError> {
    let mut known = vec![node.clone()];
    let mut at = 0;

    while let Some(id) = known
        .get(at)
        .map(|node| node.id)
        .filter(|_| at < MAX_HELPERS)
    {
        at += 1;
        for call in occurrences.outgoing(&[id], &[EdgeType::Calls])? {
            let callee = query::get_node(occurrences.sources.snapshot(), call.other)?;
            let is_helper = |callee: &Node| {
                let is_new = known.iter().all(|known| known.id != callee.id);
                is_new && path(callee) == path(node) && is_callable(callee)
            };
            let helper = callee.map(|symbol| symbol.node).filter(is_helper);
            known.extend(helper);
        }
    }

    known.remove(0);
    Ok(known)
}

/// Adds what the file of a symbol imports, by which packages that are not installed are known.
fn imports(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<(), AnswerError> {
    let path = path(node);
    if node.language == Language::CSharp {
        let namespaces = imported_namespaces(occurrences, path)?;
        let title = "namespaces of libraries that its file imports";
        document.section(Section::list("namespaces", title, namespaces).weighing(12));
        return Ok(());
    }

    let snapshot = occurrences.sources.snapshot();
    let named = query::get_node_by_qualified_name(snapshot, path, None, None)?;
    let mut nodes = named.iter().map(|(node, _)| node);
    if let Some(file) = nodes.find(|node| node.node_type == NodeType::File) {
        let imports = file_imports::section(occurrences, file)?;
        document.section(imports.weighing(12));
    }
    Ok(())
}

/// Returns a section with what the types that a type depends on depend on themselves.
fn further(snapshot: &Snapshot, found: &[TypeDependency]) -> Result<Section, AnswerError> {
    let mut rows = Vec::new();
    let types = found.iter().filter(|one| one.node.node_type.is_type());
    for dependency in types.take(MAX_FURTHER) {
        let node = &dependency.node;
        let mut names: Vec<String> = query::type_dependencies(snapshot, node.id)?
            .into_iter()
            .map(|further| further.node.name)
            .collect();
        names.extend(outside(snapshot, node)?);

        let more = names.len().saturating_sub(MAX_FURTHER_NAMES);
        names.truncate(MAX_FURTHER_NAMES);
        if more > 0 {
            names.push(format!("{more} more"));
        }

        if !names.is_empty() {
            rows.push(NameRow {
                full: format!("{}: {}", node.name, names.join(", ")),
                short: node.name.clone(),
            });
        }
    }

    let title = "which depend on";
    Ok(Section::names("further", title, rows))
}

/// Returns the names of the settings and environment variables that the lines of a type read; in TypeScript those of its
/// file, whose variables often hold them.
fn settings(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<Vec<String>, AnswerError> {
    let mut names: Vec<String> = Vec::new();

    for span in &node.spans {
        let (first, last) = match node.language {
            Language::TypeScript => (1, u32::MAX),
            _ => (span.span.start.line, span.span.end_line),
        };

        let lines = occurrences.sources.lines(&span.path, first, last)?;
        for line in lines.iter().flatten() {
            for name in query::setting_names(line) {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
    }

    Ok(names)
}

/// Returns the namespaces outside the repository and the base library that a C# file imports, also by the
/// `global using` of its project.
fn imported_namespaces(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
) -> Result<Vec<String>, AnswerError> {
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    let of_project = |folder: &str| GLOBAL_USINGS.map(|name| format!("{folder}/{name}"));
    let mut files: Vec<String> = folders.flat_map(of_project).collect();
    files.push(path.to_owned());
    let snapshot = occurrences.sources.snapshot();
    files.retain(|file| query::derive_file_id(snapshot, file).is_ok());

    let mut namespaces: Vec<String> = Vec::new();
    for file in files {
        let lines = occurrences.sources.lines(&file, 1, u32::MAX)?;
        for line in lines.iter().flatten() {
            let name = imported_namespace(line).filter(|name| !name.starts_with("System"));
            let Some(name) = name.filter(|name| !namespaces.iter().any(|known| known == name))
            else {
                continue;
            };
            let snapshot = occurrences.sources.snapshot();
            if query::get_node_by_qualified_name(snapshot, name, None, None)?.is_empty() {
                namespaces.push(name.to_owned());
            }
        }
    }
    Ok(namespaces)
}

/// Returns the namespace that a line imports: `Polly` for `global using Polly;`.
fn imported_namespace(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('\u{feff}').trim();
    let rest = line.strip_prefix("global ").unwrap_or(line);
    let name = rest.strip_prefix("using ")?.strip_suffix(';')?.trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    name.chars().all(is_name).then_some(name)
}

/// Writes a dependency with the members that are used: `Cart 5: total, add  src/shop/`.
fn row(dependency: &TypeDependency) -> NameRow {
    let Node {
        name, node_type, ..
    } = &dependency.node;

    let members = match dependency.members.as_slice() {
        [] => String::new(),
        members => format!(": {}", members.join(", ")),
    };
    let further = match dependency.further {
        0 => String::new(),
        further => format!(" and {further} more"),
    };

    // A type is often named as its file.
    let place = path(&dependency.node);
    let place = match place.rsplit_once('/') {
        Some((folder, _)) if node_type.is_type() => format!("{folder}/"),
        _ => place.to_owned(),
    };

    NameRow {
        full: format!("{name} {}{members}{further}  {place}", dependency.count),
        short: format!("{name} {}", dependency.count),
    }
}

/// Writes functions and variables of one name in several files: `type 7 in 3 files: cart.ts,
/// order.ts, user.ts`.
fn row_of_namesakes(name: &str, namesakes: &[&TypeDependency]) -> NameRow {
    let count: usize = namesakes.iter().map(|one| one.count).sum();
    let files: Vec<&str> = namesakes
        .iter()
        .map(|one| path(&one.node).rsplit('/').next().unwrap_or_default())
        .collect();
    let short = format!("{name} {count} in {} files", files.len());
    NameRow {
        full: format!("{short}: {}", files.join(", ")),
        short,
    }
}

/// Lists the types and functions outside the repository that a type uses.
fn outside(snapshot: &Snapshot, node: &Node) -> Result<Vec<String>, AnswerError> {
    let mut nodes = Vec::new();
    for id in query::tree(snapshot, node.id)? {
        nodes.extend(query::get_node(snapshot, id)?.map(|found| found.node));
    }
    let nodes: Vec<&Node> = nodes.iter().collect();
    let used = query::external_targets(snapshot, &nodes, &USES)?;

    let mut names: Vec<String> = Vec::new();
    for target in &used {
        let name = type_name(&target.symbol);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Returns the type that an external symbol is or belongs to, behind its package: `rxjs#Observable`.
fn type_name(symbol: &ExternalSymbol) -> String {
    let path = symbol.path();
    let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);

    let name = match symbol.descriptor.split_once(':') {
        // The path of a constructor is that of its type.
        Some(("T", _)) => &path,
        Some((kind, rest)) if kind.len() == 1 && rest.contains("#ctor") => &path,
        Some((kind, _)) if kind.len() == 1 => parent,
        // A member or function of TypeScript.
        _ if symbol.descriptor.ends_with('.') && !parent.is_empty() => parent,
        _ => &path,
    };

    let is_dotnet = symbol.manager == PackageManager::DotNet;
    let name = match name.rsplit_once('.') {
        Some((_, last)) if is_dotnet => last,
        _ => name,
    };

    match (&*symbol.package, name) {
        (package, "") => package.to_owned(),
        ("", name) => name.to_owned(),
        (package, name) => format!("{package}#{name}"),
    }
}
