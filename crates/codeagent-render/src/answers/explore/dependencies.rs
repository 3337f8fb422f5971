//! Dependencies of a type as a whole: types and functions of the repository, and names outside.

use codeagent_core::model::external::{ExternalSymbol, PackageManager};
use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Occurrences, Snapshot};

use super::Subject;
use super::file_folder::USES;
use super::type_symbol::path;
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Adds the dependencies of a type.
pub(super) fn dependencies(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let found = query::type_dependencies(snapshot, subject.first().id)?;
    let rows = found.iter().map(|dependency| {
        let name = &dependency.node.name;
        let members = match dependency.members.as_slice() {
            [] => String::new(),
            members => format!(": {}", members.join(", ")),
        };
        let further = match dependency.further {
            0 => String::new(),
            further => format!(" and {further} more"),
        };
        let folder = path(&dependency.node);
        let folder = folder.rsplit_once('/').map_or(".", |(folder, _)| folder);
        NameRow {
            full: format!("{name} {}{members}{further}  {folder}/", dependency.count),
            short: format!("{name} {}", dependency.count),
        }
    });

    let title = "depends on types and functions, with the number of lines";
    let section = Section::names("dependencies", title, rows.collect());
    document.section(subject.wants.weigh(section, true, 0));
    document.section(outside(subject, snapshot)?.weighing(20));

    Ok(())
}

/// Lists the types and functions outside the repository that a type uses.
fn outside(subject: &Subject<'_>, snapshot: &Snapshot) -> Result<Section, AnswerError> {
    let mut nodes = Vec::new();
    for id in query::tree(snapshot, subject.first().id)? {
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
    Ok(Section::list("outside", "outside the repository", names))
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
