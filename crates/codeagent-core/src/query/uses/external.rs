//! Uses of symbols outside the repository: members and types of packages and of the standard
//! libraries.
//!
//! A name is the end of a path (`HttpClient.SendAsync`, `readFile`), with the package before it if
//! several have it (`npm:rxjs#map`, `dotnet:System.IO.Path.Combine`), or a package alone
//! (`npm:rxjs`). `HttpClient.*` stands for a type with its members.
//!
//! Limitations: the symbol that encloses a use is found by its lines.

use rustc_hash::FxHashMap;

use crate::model::external::{ExternalSymbol, PackageManager};
use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeId, NodeType};
use crate::model::span::Span;
use crate::query::lookup::parameters::without_type_arguments;
use crate::query::uses::hierarchy::{HIERARCHICAL, bases_of, implementations_of, is_hierarchical};
use crate::query::{Filter, Neighbors, QueryError, Relation};
use crate::store::{
    self, ExternalSite, FileKey, FilePackageUse, IncidentEdge, Snapshot, StoredExternal,
};

/// Maximum number of symbols that a name stands for.
const MAX_SYMBOLS: usize = 5_000;

/// Maximum number of types whose members are listed.
const MAX_TYPES: usize = 8;

/// Finds the external symbols that a name means; empty if the repository uses none of that name.
pub fn resolve_external(
    snapshot: &Snapshot,
    asked: &str,
) -> Result<Vec<StoredExternal>, QueryError> {
    let (manager, rest) = match asked.split_once(':') {
        Some((word, rest)) if !rest.starts_with(':') => (PackageManager::parse(word), rest),
        _ => (None, asked),
    };
    if manager.is_none() && rest.len() != asked.len() {
        return Ok(Vec::new());
    }
    let (package, path) = match rest.split_once('#') {
        Some((package, path)) => (Some(package), path),
        None if has_packages(manager) => (Some(rest), ""),
        None => (None, rest),
    };

    let path = path.split('(').next().unwrap_or_default();
    let path = without_type_arguments(&path.replace("::", ".").replace('#', "."));
    let (path, with_members) = match path.strip_suffix(".*") {
        Some(of) => (of, true),
        None => (path.as_str(), false),
    };
    let is_of_package = |found: &StoredExternal| {
        let symbol = &found.symbol;
        manager.is_none_or(|manager| symbol.manager == manager)
            && package.is_none_or(|package| symbol.package.eq_ignore_ascii_case(package))
    };

    let mut found = match package {
        Some(package) if path.is_empty() => {
            store::external_symbols_of(snapshot, package, MAX_SYMBOLS)?
        }
        _ => named(snapshot, path)?,
    };
    found.retain(is_of_package);
    if with_members {
        let mut members = store::external_symbols_within(snapshot, path, MAX_SYMBOLS)?;
        members.retain(is_of_package);
        found.extend(members);
    }
    Ok(found)
}

/// Finds the external symbols whose path is a name or ends with it; letter case is ignored if no
/// path has the name as written.
fn named(snapshot: &Snapshot, path: &str) -> Result<Vec<StoredExternal>, QueryError> {
    let name = path.rsplit('.').next().unwrap_or_default();
    let mut found = store::external_symbols_named(snapshot, name, MAX_SYMBOLS)?;
    let exact: Vec<StoredExternal> = found
        .iter()
        .filter(|found| ends_with(&found.symbol.path(), path))
        .cloned()
        .collect();
    if !exact.is_empty() {
        return Ok(exact);
    }

    let lower = path.to_lowercase();
    found.retain(|found| ends_with(&found.symbol.path().to_lowercase(), &lower));
    Ok(found)
}

/// Names external symbols, overloads once, sorted.
#[must_use]
pub fn external_names(symbols: &[StoredExternal]) -> Vec<String> {
    let mut names: Vec<String> = symbols
        .iter()
        .map(|found| found.symbol.to_string())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Reports whether a manager has several packages.
fn has_packages(manager: Option<PackageManager>) -> bool {
    matches!(
        manager,
        Some(PackageManager::NuGet | PackageManager::Assembly | PackageManager::Npm)
    )
}

/// Reports whether a path is a name or ends with it after a dot.
fn ends_with(path: &str, name: &str) -> bool {
    path.strip_suffix(name)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Finds the symbols of the repository that use external ones, as the neighbours of one symbol.
/// Only incoming relations have any.
pub(in crate::query) fn external_users(
    snapshot: &Snapshot,
    symbols: &[StoredExternal],
    relation: Relation<'_>,
    filter: &Filter,
) -> Result<Neighbors, QueryError> {
    filter.check()?;
    let mut edges = match relation.direction {
        EdgeDirection::Incoming => external_uses(snapshot, symbols)?,
        EdgeDirection::Outgoing => Vec::new(),
    };
    edges.retain(|(_, edge)| {
        relation.edge_types.contains(&edge.edge_type) && filter.takes_use(edge.confidence)
    });
    Neighbors::of_edges(snapshot, edges, relation, filter)
}

/// Returns the uses of external symbols as edges from the symbols that enclose them, each with the
/// id of the external symbol.
pub fn external_uses(
    snapshot: &Snapshot,
    symbols: &[StoredExternal],
) -> Result<Vec<(NodeId, IncidentEdge)>, QueryError> {
    uses_of(snapshot, symbols, |_| true)
}

/// Returns the uses of external symbols by edges of some types, as [`external_uses`] does.
fn uses_of(
    snapshot: &Snapshot,
    symbols: &[StoredExternal],
    is_wanted: fn(EdgeType) -> bool,
) -> Result<Vec<(NodeId, IncidentEdge)>, QueryError> {
    let mut edges = Vec::new();
    let mut enclosing = EnclosingSymbols::new(snapshot);

    for used in symbols {
        for (file, sites) in store::external_uses_of(snapshot, used.id)? {
            for site in sites.iter().filter(|site| is_wanted(site.edge_type)) {
                if let Some(source) = enclosing.at(file, site)? {
                    edges.push((used.id, incident(source, file, site)));
                }
            }
        }
    }

    Ok(edges)
}

/// Returns the members of the repository that implement or override external ones, by what their types
/// inherit: `process` of each class that extends `WorkerHost`.
pub fn implementations_of_external(
    snapshot: &Snapshot,
    members: &[StoredExternal],
) -> Result<Vec<NodeId>, QueryError> {
    let mut found = Vec::new();
    for member in members {
        let path = member.symbol.path();
        let Some((owner, name)) = path.rsplit_once('.') else {
            continue;
        };

        let mut owners = named(snapshot, owner)?;
        owners.retain(|other| {
            let (one, other) = (&member.symbol, &other.symbol);
            one.manager == other.manager && one.package == other.package && other.path() == owner
        });
        found.extend(members_below(snapshot, &owners, name)?);
    }

    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns the external members that members of the repository implement or override, by what their types
/// inherit: `IObserver.OnNext` for `OnNext` of a class that implements `IObserver`. The reverse of
/// [`implementations_of_external`].
pub fn external_bases_of_members(
    snapshot: &Snapshot,
    members: &[Node],
) -> Result<Vec<StoredExternal>, QueryError> {
    let mut found: Vec<StoredExternal> = Vec::new();
    for member in members {
        let Some(owner) = member.parent else {
            continue;
        };
        let same_name = store::external_symbols_named(snapshot, &member.name, MAX_SYMBOLS)?;
        if same_name.is_empty() {
            continue;
        }

        let mut types = vec![owner];
        types.extend(bases_of(snapshot, &[owner])?.into_iter().map(|(id, _)| id));
        let mut nodes = Vec::with_capacity(types.len());
        for id in types {
            nodes.extend(store::node(snapshot, id)?.filter(|node| node.node_type.is_type()));
        }
        let nodes: Vec<&Node> = nodes.iter().collect();
        let bases = external_targets(snapshot, &nodes, &HIERARCHICAL)?;
        let is_of_base = |other: &StoredExternal| {
            bases.iter().any(|base| {
                let (base, other) = (&base.symbol, &other.symbol);
                let path = format!("{}.{}", base.path(), member.name);
                base.manager == other.manager && other.path() == path
            })
        };
        found.extend(same_name.into_iter().filter(is_of_base));
    }
    Ok(found)
}

/// Returns the types of the repository that inherit external ones, at all levels.
pub fn types_below(
    snapshot: &Snapshot,
    owners: &[StoredExternal],
) -> Result<Vec<NodeId>, QueryError> {
    let mut types: Vec<NodeId> = uses_of(snapshot, owners, is_hierarchical)?
        .into_iter()
        .map(|(_, edge)| edge.other)
        .collect();
    types.sort_unstable();
    types.dedup();
    let derived = implementations_of(snapshot, &types)?;
    types.extend(derived.into_iter().map(|(id, _)| id));
    Ok(types)
}

/// Returns the members with a name of the types that inherit external ones, at all levels.
pub fn members_below(
    snapshot: &Snapshot,
    owners: &[StoredExternal],
    name: &str,
) -> Result<Vec<NodeId>, QueryError> {
    let types = types_below(snapshot, owners)?;
    let members = store::children_of(snapshot, &types)?;
    let named = members.into_iter().filter(|member| member.name == name);
    Ok(named.map(|member| member.id).collect())
}

fn incident(source: NodeId, file: FileKey, site: &ExternalSite) -> IncidentEdge {
    IncidentEdge {
        other: source,
        edge_type: site.edge_type,
        confidence: site.confidence,
        file,
        line: site.line,
        column: site.column,
    }
}

/// Finds the symbols that enclose uses, one file after the other.
struct EnclosingSymbols<'s> {
    snapshot: &'s Snapshot,
    /// The symbols of each file, and the file itself.
    files: FxHashMap<FileKey, (Vec<Node>, Option<NodeId>)>,
}

impl<'s> EnclosingSymbols<'s> {
    fn new(snapshot: &'s Snapshot) -> Self {
        Self {
            snapshot,
            files: FxHashMap::default(),
        }
    }

    fn at(&mut self, file: FileKey, site: &ExternalSite) -> Result<Option<NodeId>, QueryError> {
        if !self.files.contains_key(&file) {
            let nodes = store::nodes_of_file(self.snapshot, file)?;
            let own = nodes.iter().find(|node| node.node_type == NodeType::File);
            let own = own.map(|node| node.id);
            self.files.insert(file, (nodes, own));
        }

        let (nodes, own) = &self.files[&file];
        Ok(innermost(nodes, site).or(*own))
    }
}

/// Returns the innermost symbol around a site, other than namespaces. Only a type inherits, not its
/// primary constructor on the same line.
fn innermost(nodes: &[Node], site: &ExternalSite) -> Option<NodeId> {
    let may_be_source = |node: &&Node| match node.node_type {
        NodeType::Module | NodeType::File => false,
        other => other.is_type() || !is_hierarchical(site.edge_type),
    };

    let spans = nodes
        .iter()
        .filter(may_be_source)
        .flat_map(|node| node.spans.iter().map(move |span| (node.id, span.span)));
    let around = spans.filter(|(_, span)| encloses(span, site));

    around
        .min_by_key(|(_, span)| {
            (
                span.end_line - span.start.line,
                std::cmp::Reverse(span.start.offset),
            )
        })
        .map(|(id, _)| id)
}

fn encloses(span: &Span, site: &ExternalSite) -> bool {
    let starts = (span.start.line, span.start.column) <= (site.line, site.column);
    starts && site.line <= span.end_line
}

/// Reports whether a symbol may be the innermost one around a site in the file with this path.
fn may_enclose(node: &Node, path: &str, site: &ExternalSite) -> bool {
    let mut spans = node.spans.iter().filter(|span| span.path == path);
    node.node_type == NodeType::File || spans.any(|span| encloses(&span.span, site))
}

/// An external symbol that code uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalTarget {
    /// The symbol; one of several overloads.
    pub symbol: ExternalSymbol,
    /// Number of uses.
    pub count: usize,
    /// Line of the first use.
    pub line: u32,
    /// UTF-16 column of the first use.
    pub column: u32,
}

/// Returns the external symbols that symbols themselves use by edges of some types, in the order of
/// their first uses. Overloads are one.
pub fn external_targets(
    snapshot: &Snapshot,
    nodes: &[&Node],
    edge_types: &[EdgeType],
) -> Result<Vec<ExternalTarget>, QueryError> {
    let mut files: Vec<&str> = nodes
        .iter()
        .flat_map(|node| &node.spans)
        .map(|span| span.path.as_str())
        .collect();
    files.sort_unstable();
    files.dedup();

    let mut found: Vec<ExternalTarget> = Vec::new();
    let mut enclosing = EnclosingSymbols::new(snapshot);
    for path in files {
        let Some(file) = store::file_by_path(snapshot, path)? else {
            continue;
        };
        for (used, sites) in store::external_uses_in(snapshot, file.id)? {
            // Reading all symbols of the file is left for sites that may be in one of these.
            let may_be_own = |site: &&ExternalSite| {
                edge_types.contains(&site.edge_type)
                    && nodes.iter().any(|node| may_enclose(node, path, site))
            };
            for site in sites.iter().filter(may_be_own) {
                let source = enclosing.at(file.id, site)?;
                if nodes.iter().any(|node| Some(node.id) == source) {
                    add_use(&mut found, &used.symbol, site);
                }
            }
        }
    }
    found.sort_by_key(|target| (target.line, target.column));
    Ok(found)
}

fn add_use(found: &mut Vec<ExternalTarget>, symbol: &ExternalSymbol, site: &ExternalSite) {
    let path = symbol.path();
    let is_same = |target: &&mut ExternalTarget| {
        target.symbol.package == symbol.package && target.symbol.path() == path
    };

    match found.iter_mut().find(is_same) {
        Some(target) => {
            target.count += 1;
            (target.line, target.column) =
                (target.line, target.column).min((site.line, site.column));
        }
        None => found.push(ExternalTarget {
            symbol: symbol.clone(),
            count: 1,
            line: site.line,
            column: site.column,
        }),
    }
}

/// Returns the members of external types that the repository uses, each with the number of uses,
/// the most used first. Overloads are one. Empty for more than eight types.
pub fn external_members(
    snapshot: &Snapshot,
    types: &[StoredExternal],
) -> Result<Vec<(ExternalSymbol, usize)>, QueryError> {
    let mut paths: Vec<String> = types.iter().map(|found| found.symbol.path()).collect();
    paths.sort();
    paths.dedup();
    // A whole package, or a common name.
    if paths.len() > MAX_TYPES {
        return Ok(Vec::new());
    }

    let mut members: FxHashMap<String, (ExternalSymbol, usize)> = FxHashMap::default();
    for path in &paths {
        for member in store::external_symbols_within(snapshot, path, MAX_SYMBOLS)? {
            let uses: usize = store::external_uses_of(snapshot, member.id)?
                .iter()
                .map(|(_, sites)| sites.len())
                .sum();
            let symbol = member.symbol;
            members.entry(symbol.to_string()).or_insert((symbol, 0)).1 += uses;
        }
    }

    let mut members: Vec<(ExternalSymbol, usize)> = members.into_values().collect();
    members.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(members)
}

/// The use of one package by the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageUse {
    /// Who distributes it.
    pub manager: PackageManager,
    /// Its name; empty if the manager has only one.
    pub package: String,
    /// Number of its symbols that the repository uses.
    pub symbols: u32,
    /// Number of files that use it.
    pub files: u32,
}

/// Returns the packages that the repository uses, the one in most files first.
pub fn used_packages(snapshot: &Snapshot) -> Result<Vec<PackageUse>, QueryError> {
    let packages = store::external_packages(snapshot)?;
    let package = |(manager, package, symbols, files)| PackageUse {
        manager,
        package,
        symbols,
        files,
    };
    Ok(packages.into_iter().map(package).collect())
}

/// Returns the uses of packages by file.
pub fn package_uses_by_file(snapshot: &Snapshot) -> Result<Vec<FilePackageUse>, QueryError> {
    Ok(store::external_uses_by_file(snapshot)?)
}

/// Maximum number of words of a search that may be the path of an external symbol.
const MAX_WORDS: usize = 4;

/// Returns the external symbols that the words of a search name: `HttpClient.SendAsync`,
/// `HttpClient SendAsync`.
pub(in crate::query) fn external_matches(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Vec<String>, QueryError> {
    let words: Vec<&str> = text.split_whitespace().take(MAX_WORDS + 1).collect();
    if words.is_empty() || words.len() > MAX_WORDS {
        return Ok(Vec::new());
    }
    Ok(external_names(&resolve_external(
        snapshot,
        &words.join("."),
    )?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_end_of_a_path() {
        for (path, name, expected) in [
            ("System.IO.Path.Combine", "Path.Combine", true),
            ("System.IO.Path.Combine", "Combine", true),
            ("System.IO.Path.Combine", "System.IO.Path.Combine", true),
            ("System.IO.Path.Combine", "ath.Combine", false),
            ("System.IO.Path.Combine", "Path", false),
        ] {
            assert_eq!(ends_with(path, name), expected, "{name}");
        }
    }
}
