//! The rows of each table, in its order.

use std::collections::BTreeMap;

use codeagent_core::inspect::DependencyScope;
use codeagent_core::inspect::ProjectPackages;
use codeagent_core::model::external::{OwnPackage, PackageManager};
use codeagent_core::query::{self, ExportSymbol, FileRow, Snapshot};
use codeagent_core::{EdgeType, Language};

use super::graph::{Graph, published_id};
use super::occurrences;
use super::schema::{
    DEPENDENCIES, FILES, HIERARCHY, OCCURRENCES, PACKAGES, REPOSITORIES, SYMBOLS, Table, USES,
};
use super::writer::Value::{Bool, Int, Long, Text};
use super::{ShareError, Sink};

/// What the tables are made of.
pub struct Rows<'a> {
    pub repository: &'a str,
    pub commit: &'a str,
    pub snapshot: &'a Snapshot,
    pub own: &'a [OwnPackage],
    pub declared: &'a [ProjectPackages],
    pub symbols: &'a [ExportSymbol],
    pub graph: &'a Graph<'a>,
}

impl Rows<'_> {
    /// Passes the rows of a table to `sink`.
    pub fn write(&self, table: &Table, sink: &mut Sink<'_>) -> Result<(), ShareError> {
        match table.name {
            name if name == REPOSITORIES.name => self.repositories(sink),
            name if name == PACKAGES.name => self.packages(sink),
            name if name == DEPENDENCIES.name => self.dependencies(sink),
            name if name == FILES.name => self.files(sink),
            name if name == SYMBOLS.name => self.symbols(sink),
            name if name == OCCURRENCES.name => occurrences::write(self, sink),
            name if name == USES.name => self.uses(sink),
            name if name == HIERARCHY.name => self.hierarchy(sink),
            name => unreachable!("no table {name}"),
        }
    }

    fn repositories(&self, sink: &mut Sink<'_>) -> Result<(), ShareError> {
        let files = self.graph.files;
        let sum = |of: fn(&FileRow) -> u32| files.iter().map(of).sum::<u32>();
        sink(&[
            Text(self.repository),
            Text(self.commit),
            Text(env!("CARGO_PKG_VERSION")),
            Int(files.len() as u32),
            Int(sum(|file| file.lines)),
            Int(self.graph.declarations().count() as u32),
            Int(sum(|file| file.calls)),
            Int(sum(|file| file.calls_resolved)),
            Int(sum(|file| file.calls_external)),
        ])?;
        Ok(())
    }

    fn packages(&self, sink: &mut Sink<'_>) -> Result<(), ShareError> {
        let mut packages: Vec<(PackageManager, &OwnPackage)> = self
            .own
            .iter()
            .filter(|package| !package.published.is_empty())
            .map(|package| (manager_of(package), package))
            .collect();
        packages.sort_by_key(|(manager, package)| {
            (manager.as_str(), &package.published, &package.manifest)
        });

        for (manager, package) in packages {
            sink(&[
                Text(manager.as_str()),
                Text(&package.published),
                Text(&package.version),
                Text(self.repository),
                Text(&package.manifest),
            ])?;
        }

        Ok(())
    }

    fn dependencies(&self, sink: &mut Sink<'_>) -> Result<(), ShareError> {
        let projects = self.declared.iter();
        let mut declared: Vec<_> = projects
            .flat_map(|project| {
                project
                    .packages
                    .iter()
                    .map(move |package| (project, package))
            })
            .collect();
        declared.sort_by_key(|(project, package)| {
            (project.manager.as_str(), &package.name, &project.path)
        });

        for (project, package) in declared {
            sink(&[
                Text(project.manager.as_str()),
                Text(&package.name),
                Text(&package.requested),
                Text(package.resolved.as_deref().unwrap_or_default()),
                Text(scope(package.scope)),
                Bool(package.is_in_repository),
                Text(self.repository),
                Text(&project.path),
            ])?;
        }

        Ok(())
    }

    fn files(&self, sink: &mut Sink<'_>) -> Result<(), ShareError> {
        for file in self.graph.files {
            sink(&[
                Text(self.repository),
                Text(&file.path),
                Text(file.dialect.language().as_str()),
                Text(&file.project_id),
                Int(file.lines),
                Int(file.bytes),
                Text(&short_hash(&file.hash)),
                Text(file.parse_status.as_str()),
                Int(file.calls),
                Int(file.calls_resolved),
                Int(file.calls_external),
            ])?;
        }

        Ok(())
    }

    fn symbols(&self, sink: &mut Sink<'_>) -> Result<(), ShareError> {
        let mut sorted: Vec<_> = self
            .graph
            .declarations()
            .filter_map(|site| {
                let (manager, package) = self.package_of(site);
                let path = self.graph.path(site);
                Some((manager, package, path, self.graph.id(site.id)?, site))
            })
            .collect();
        sorted.sort_unstable_by(|a, b| (a.0, a.1, &a.2, a.3).cmp(&(b.0, b.1, &b.2, b.3)));

        for (manager, package, path, id, site) in sorted {
            let Some(node) = query::export_node(self.snapshot, site.id)? else {
                continue;
            };
            let symbol = self.graph.published.get(&site.id);
            let symbol = symbol.map(|name| name.symbol.key().into_owned());
            let parent = site.parent.and_then(|parent| self.graph.id(parent));
            let access = node.access.map_or("", |access| access.as_str());
            sink(&[
                Text(manager),
                Text(package),
                Text(&path),
                Long(id),
                Text(symbol.as_deref().unwrap_or_default()),
                Text(&site.name),
                Text(site.kind.as_str()),
                Text(node.language.as_str()),
                Text(access),
                Bool(symbol.is_some()),
                Long(parent.unwrap_or_default()),
                Text(self.repository),
                Text(self.graph.path_of(site.file)),
                Int(site.name_line),
                Int(site.line_end),
                Int(site.name_column),
                Text(node.parameters.as_deref().unwrap_or_default()),
                Text(node.return_type.as_deref().unwrap_or_default()),
                Text(node.doc.as_deref().unwrap_or_default()),
            ])?;
        }
        Ok(())
    }

    /// Returns the manager and the name of the package that publishes a declaration; for others only
    /// the manager, as far as the language tells it.
    fn package_of(&self, site: &ExportSymbol) -> (&str, &str) {
        match self.graph.published.get(&site.id) {
            Some(name) => (name.symbol.manager.as_str(), &name.symbol.package),
            None => match self.graph.language(site) {
                Language::CSharp => (PackageManager::NuGet.as_str(), ""),
                Language::TypeScript => (PackageManager::Npm.as_str(), ""),
                Language::Imported => ("", ""),
            },
        }
    }

    fn uses(&self, sink: &mut Sink<'_>) -> Result<(), ShareError> {
        // Symbols that differ only in what an import does not tell are one.
        let mut counts: BTreeMap<_, (i64, u32, u32)> = BTreeMap::new();
        for file in self.graph.files {
            let mut in_file: BTreeMap<_, (i64, u32)> = BTreeMap::new();
            for (used, sites) in query::external_uses_in(self.snapshot, file.id)? {
                let symbol = &used.symbol;
                for site in sites {
                    let key = (
                        symbol.manager.as_str(),
                        symbol.package.to_string(),
                        symbol.path(),
                        symbol.key().into_owned(),
                        site.edge_type.as_str(),
                    );
                    let (_, count) = in_file.entry(key).or_insert((published_id(symbol), 0));
                    *count += 1;
                }
            }
            for (key, (target, count)) in in_file {
                let (_, all, files) = counts.entry(key).or_insert((target, 0, 0));
                *all += count;
                *files += 1;
            }
        }

        for ((manager, package, path, symbol, role), (target, count, files)) in counts {
            sink(&[
                Text(manager),
                Text(&package),
                Text(&path),
                Text(&symbol),
                Long(target),
                Text(self.repository),
                Text(role),
                Int(count),
                Int(files),
            ])?;
        }
        Ok(())
    }

    fn hierarchy(&self, sink: &mut Sink<'_>) -> Result<(), ShareError> {
        let mut rows = Vec::new();
        query::export_edges(self.snapshot, |edge| {
            let ends = (self.graph.id(edge.target), self.graph.id(edge.source));
            if let (Some(base), Some(derived)) = ends
                && is_hierarchy(edge.edge_type)
            {
                rows.push((base, derived, edge.edge_type.as_str()));
            }
        })?;
        occurrences::each_external(self, |used| {
            if is_hierarchy(used.role) {
                rows.push((used.target, used.source, used.role.as_str()));
            }
        })?;

        rows.sort_unstable();
        rows.dedup();
        for (base, derived, role) in rows {
            sink(&[Long(base), Long(derived), Text(role), Text(self.repository)])?;
        }
        Ok(())
    }
}

/// Reports whether an edge leads to a base, an implemented or an overridden symbol.
fn is_hierarchy(edge_type: EdgeType) -> bool {
    matches!(
        edge_type,
        EdgeType::Inherits | EdgeType::Extends | EdgeType::Implements | EdgeType::Overrides
    )
}

fn manager_of(package: &OwnPackage) -> PackageManager {
    if package.manifest.ends_with("package.json") {
        PackageManager::Npm
    } else {
        PackageManager::NuGet
    }
}

fn scope(scope: DependencyScope) -> &'static str {
    match scope {
        DependencyScope::Runtime => "runtime",
        DependencyScope::Optional => "optional",
        DependencyScope::Peer => "peer",
        DependencyScope::Development => "development",
    }
}

/// Returns 64 bits of a hash, in hexadecimal.
fn short_hash(hash: &[u8; 32]) -> String {
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
