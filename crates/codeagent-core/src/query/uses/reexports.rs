//! Exports of what other files declare: `export { a as b } from "./c"`.

use rustc_hash::FxHashSet;

use crate::model::facts::{DeclFlags, Declaration, ExportKind, Expr, ScopeId};
use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeId};
use crate::query::QueryError;
use crate::store::{self, Snapshot};

/// An export of what another file declares.
#[derive(Clone, Debug)]
pub struct Reexport {
    /// 1-based line.
    pub line: u32,
    /// The exported name; `None` for everything that the module exports.
    pub name: Option<String>,
    /// The module as written.
    pub module: String,
    /// The symbol or file that it leads to, if it is in the repository.
    pub target: Option<Node>,
}

/// Returns the names under which a file exports what it declares or assigns (`exports.total = ..`),
/// each with its line and once, in text order, without its default export.
pub fn export_names(snapshot: &Snapshot, path: &str) -> Result<Vec<(u32, String)>, QueryError> {
    let Some(facts) = store::facts_of_file(snapshot, path)? else {
        return Ok(Vec::new());
    };
    let is_exported = |declaration: &&Declaration| {
        let flags = declaration.flags;
        declaration.scope == ScopeId(0)
            && flags.has(DeclFlags::EXPORT)
            && !flags.has(DeclFlags::DEFAULT)
            && !flags.has(DeclFlags::MEMBER)
    };
    // `module.exports = { total, add }`
    let assigned = facts.exports.iter();
    let assigned = assigned.filter(|export| export.kind == ExportKind::Assign);
    let objects: Vec<ScopeId> = assigned
        .filter_map(|export| match facts.expr(export.value) {
            Expr::Object(object) => Some(facts.decl(object).inner),
            _ => None,
        })
        .collect();
    let declared = facts
        .decls
        .iter()
        .filter(|declaration| is_exported(declaration) || objects.contains(&declaration.scope));

    let declared = declared.map(|declaration| (declaration.at.line, declaration.name));
    let clauses = facts.exports.iter();
    let clauses =
        clauses.filter(|export| matches!(export.kind, ExportKind::Local | ExportKind::CommonJs));
    let clauses = clauses.map(|export| (export.at.line, export.name));
    let mut exported: Vec<_> = declared.chain(clauses).collect();
    exported.sort_by_key(|(line, _)| *line);

    let mut seen = FxHashSet::default();
    let names = exported.into_iter().filter_map(|(line, name)| {
        let name = facts.text(name);
        let is_name = !matches!(name, "" | "default") && seen.insert(name);
        is_name.then(|| (line, name.to_owned()))
    });
    Ok(names.collect())
}

/// Returns the exports of a file that other files declare, in text order.
pub fn reexports(
    snapshot: &Snapshot,
    path: &str,
    file_node: NodeId,
) -> Result<Vec<Reexport>, QueryError> {
    let Some(facts) = store::facts_of_file(snapshot, path)? else {
        return Ok(Vec::new());
    };
    let imports = store::incident_edges(
        snapshot,
        file_node,
        Some(EdgeType::Imports),
        EdgeDirection::Outgoing,
    )?;

    let mut found = Vec::new();
    for export in &facts.exports {
        let is_again = matches!(
            export.kind,
            ExportKind::From | ExportKind::Star | ExportKind::StarAs
        );
        if !is_again {
            continue;
        }

        let site = (export.at.line, export.at.column);
        let edge = imports.iter().find(|edge| (edge.line, edge.column) == site);
        let target = match edge {
            Some(edge) => store::node(snapshot, edge.other)?,
            None => None,
        };
        found.push(Reexport {
            line: export.at.line,
            name: (!export.name.is_none()).then(|| facts.text(export.name).to_owned()),
            module: facts.text(export.module).to_owned(),
            target,
        });
    }

    found.sort_by_key(|export| export.line);
    Ok(found)
}
