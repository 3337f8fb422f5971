//! What a type as a whole depends on: types and functions of the repository, and names outside.

use codeagent_core::model::external::ExternalSymbol;
use codeagent_core::model::graph::{EdgeType, Node};
use codeagent_core::query::{self, Occurrences, Snapshot};

use super::Subject;
use super::type_symbol::path;
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Maximum number of names outside the repository.
const MAX_OUTSIDE: usize = 20;

/// Edge types of uses of names outside the repository.
const USED_OUTSIDE: [EdgeType; 6] = [
    EdgeType::Calls,
    EdgeType::References,
    EdgeType::Accepts,
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Extends,
];

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
    let mut rows: Vec<NameRow> = rows.collect();
    rows.extend(outside_row(subject, snapshot)?);
    let section = Section::names("dependencies", title, rows);
    document.section(subject.wants.weigh(section, true, 0));

    Ok(())
}

/// Names the types and functions outside the repository that a type uses, in one row.
fn outside_row(subject: &Subject<'_>, snapshot: &Snapshot) -> Result<Option<NameRow>, AnswerError> {
    let ids = query::tree(snapshot, subject.first().id)?;
    let mut nodes = Vec::with_capacity(ids.len());
    for id in ids {
        nodes.extend(query::get_node(snapshot, id)?.map(|found| found.node));
    }
    let nodes: Vec<&Node> = nodes.iter().collect();
    let used = query::external_targets(snapshot, &nodes, &USED_OUTSIDE)?;

    let mut names: Vec<String> = Vec::new();
    for target in &used {
        let name = type_name(&target.symbol);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (count, more) = (names.len(), names.len().saturating_sub(MAX_OUTSIDE));
    names.truncate(MAX_OUTSIDE);
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Ok((count > 0).then(|| NameRow {
        full: format!("outside: {}{more}", names.join(", ")),
        short: format!("{count} outside"),
    }))
}

/// Returns the type that an external symbol is or belongs to, with its npm package: `npm:rxjs#Observable`.
fn type_name(symbol: &ExternalSymbol) -> String {
    let path = symbol.path();
    let mut parts = path.rsplit('.');
    let name = match symbol.descriptor.split_once(':') {
        // The path of a constructor is that of its type.
        Some((kind, rest)) if kind == "T" || rest.contains("#ctor") => parts.next(),
        // A member of .NET, behind its type.
        Some((kind, _)) if kind.len() == 1 => parts.nth(1),
        _ => parts.last(),
    };
    let name = name.unwrap_or(&path);
    if symbol.package.is_empty() {
        name.to_owned()
    } else {
        format!("{}#{name}", symbol.package)
    }
}
