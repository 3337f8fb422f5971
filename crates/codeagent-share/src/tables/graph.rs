//! The declarations of a repository with their ids in the tables.
//!
//! A published symbol has the id of its package and name, so that its uses in other repositories
//! have it too. Any other declaration has an id of its own repository.

use codeagent_core::NodeId;
use codeagent_core::model::external::{ExternalSymbol, OwnPackage};
use codeagent_core::model::graph::{NodeKind, NodeType};
use codeagent_core::query::{
    self, ExportSymbol, ExternalSite, FileRow, PublishedName, QueryError, Snapshot,
};
use codeagent_core::{FileKey, Language};
use rustc_hash::FxHashMap;

/// Maximum number of containers of a symbol.
const MAX_DEPTH: usize = 256;

/// Returns the id of a symbol that its package publishes.
pub fn published_id(symbol: &ExternalSymbol) -> i64 {
    let parts = [
        "published",
        symbol.manager.as_str(),
        &symbol.package,
        &symbol.key(),
    ];
    NodeId::derive(&parts).0 as i64
}

/// The declarations of a repository.
pub struct Graph<'a> {
    pub files: &'a [FileRow],
    /// The position of each file.
    positions: FxHashMap<FileKey, u32>,
    /// The declaration sites of each node, primary first.
    sites: FxHashMap<NodeId, &'a [ExportSymbol]>,
    pub published: FxHashMap<NodeId, PublishedName>,
    ids: FxHashMap<NodeId, i64>,
}

impl<'a> Graph<'a> {
    pub fn new(
        snapshot: &Snapshot,
        (repository, packages): (&str, &[OwnPackage]),
        files: &'a [FileRow],
        symbols: &'a [ExportSymbol],
    ) -> Result<Self, QueryError> {
        let published = query::published_names(snapshot, packages, files, symbols)?;
        let grouped = symbols.chunk_by(|a, b| a.id == b.id);
        let sites: FxHashMap<NodeId, &[ExportSymbol]> =
            grouped.map(|sites| (sites[0].id, sites)).collect();
        let id = |node: NodeId| match published.get(&node) {
            Some(name) => published_id(&name.symbol),
            None => NodeId::derive(&["repository", repository, &node.to_string()]).0 as i64,
        };

        Ok(Self {
            files,
            positions: files.iter().map(|file| file.id).zip(0..).collect(),
            ids: sites.keys().map(|node| (*node, id(*node))).collect(),
            sites,
            published,
        })
    }

    /// Returns the id of a node in the tables.
    pub fn id(&self, node: NodeId) -> Option<i64> {
        self.ids.get(&node).copied()
    }

    /// Returns the position of a file in the order of the paths.
    pub fn position(&self, file: FileKey) -> Option<u32> {
        self.positions.get(&file).copied()
    }

    pub fn path_of(&self, file: FileKey) -> &'a str {
        let position = self.position(file);
        position.map_or("", |position| &self.files[position as usize].path)
    }

    /// Returns the primary declarations of the nodes that have a row of their own.
    pub fn declarations(&self) -> impl Iterator<Item = &'a ExportSymbol> {
        let is_own = move |site: &&ExportSymbol| {
            self.published
                .get(&site.id)
                .is_none_or(|name| name.is_primary)
        };
        self.sites.values().map(|sites| &sites[0]).filter(is_own)
    }

    /// Returns the dotted path of a declaration, without its file.
    pub fn path(&self, site: &'a ExportSymbol) -> String {
        if let Some(name) = self.published.get(&site.id) {
            return name.symbol.path();
        }

        let mut names = Vec::new();
        let mut next = Some(site);
        while let Some(site) = next.filter(|_| names.len() < MAX_DEPTH) {
            if site.kind != NodeKind::File {
                // A namespace of C# has no container and its whole name.
                let whole = site.namespace.as_deref().filter(|_| site.parent.is_none());
                names.push(whole.unwrap_or(&site.name));
            }
            next = site
                .parent
                .and_then(|parent| Some(&self.sites.get(&parent)?[0]));
        }

        names.reverse();
        names.join(".")
    }

    /// Returns the language of a declaration.
    pub fn language(&self, site: &ExportSymbol) -> Language {
        self.position(site.file)
            .map_or(Language::Imported, |position| {
                self.files[position as usize].dialect.language()
            })
    }
}

fn start(site: &ExportSymbol) -> (u32, u32) {
    (site.line_start, site.column_start)
}

/// Returns the innermost declaration around each site of a file, if there is one; the sites are in
/// text order. Namespaces do not count.
pub fn enclosing(declared: &[&ExportSymbol], sites: &[ExternalSite]) -> Vec<Option<NodeId>> {
    let mut waiting: Vec<&ExportSymbol> = declared.to_vec();
    waiting.retain(|site| site.kind.node_type() != NodeType::Module);
    waiting.sort_by_key(|site| std::cmp::Reverse((start(site), site.offsets, site.id)));

    let mut open: Vec<&ExportSymbol> = Vec::new();
    let mut found = Vec::with_capacity(sites.len());
    for site in sites {
        while let Some(next) = waiting.pop_if(|next| start(next) <= (site.line, site.column)) {
            open.push(next);
        }
        open.retain(|around| around.line_end >= site.line || around.kind == NodeKind::File);
        let innermost = open.iter().min_by_key(|around| {
            (
                around.kind == NodeKind::File,
                around.line_end - around.line_start,
                std::cmp::Reverse(around.offsets.0),
            )
        });
        found.push(innermost.map(|around| around.id));
    }
    found
}
