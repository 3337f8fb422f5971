//! Exports the graph: as tab-separated tables, for comparison with compilers, and as SCIP.
//!
//! The line of a declaration is that of its name token (`first_line` includes attributes and
//! decorators). A site at the top of a file, including C# top-level statements, has caller line 0
//! and the name `<file>`. The name of a use is the one written in the source. If there is none, or
//! if the file has changed, it is the name of the declaration.
//!
//! Limitations: all symbols are held in memory.

mod published;
mod scip;

use std::fmt::Write;

use codeagent_workspace::Workspace;
use rustc_hash::FxHashMap;

pub use self::published::{PublishedName, published_names};
pub use self::scip::{ScipExportError, ScipReport, SymbolScheme, export_scip};
use crate::model::graph::{EdgeType, NodeId, NodeKind};
use crate::query::{QueryError, Sources, TOP_LEVEL};
use crate::store::{self, ExportEdge, ExportSymbol, FileKey, Snapshot};

/// The tables, each with its header line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportTables {
    /// One row per declaration site.
    pub symbols: String,
    /// One row per call site.
    pub calls: String,
    /// One row per base, override and implemented member.
    pub inherits: String,
    /// One row per use of any kind.
    pub refs: String,
}

/// Exports the index; the names of uses are read from the files.
pub fn export(snapshot: &Snapshot, workspace: &Workspace) -> Result<ExportTables, QueryError> {
    let keys = store::file_keys(snapshot)?;
    let paths = store::paths_by_key(&keys);
    let symbols = store::export_symbols(snapshot)?;
    let mut graph = Graph {
        paths,
        sites: FxHashMap::default(),
    };
    for symbol in &symbols {
        graph.sites.entry(symbol.id).or_default().push(symbol);
    }

    let mut edges = Vec::new();
    store::export_edges(snapshot, |edge| edges.push(edge))?;
    edges.sort_by_key(|edge| {
        (
            graph.path(edge.file),
            edge.line,
            edge.column,
            edge.edge_type,
            edge.target,
            edge.source,
        )
    });

    let mut tables = ExportTables {
        symbols: "file\tkind\tname\tline_start\tline_end\tcontainer\tfirst_line\n".to_owned(),
        calls: "caller_file\tcaller_line\tcaller_name\tcallee_file\tcallee_line\tcallee_name\tsite_line\tsite_col\tconfidence\n".to_owned(),
        inherits: "kind\tchild_file\tchild_line\tchild_name\tparent_file\tparent_line\tparent_name\tconfidence\n".to_owned(),
        refs: "file\tline\tcol\tname\tdecl_file\tdecl_line\tdecl_name\tconfidence\n".to_owned(),
    };

    graph.write_symbols(&symbols, &mut tables.symbols);
    for of_file in edges.chunk_by(|a, b| a.file == b.file) {
        let mut sources = Sources::new(snapshot, workspace);
        of_file
            .iter()
            .try_for_each(|edge| graph.write_edge(edge, &mut sources, &mut tables))?;
    }

    Ok(tables)
}

struct Graph<'a> {
    paths: FxHashMap<FileKey, &'a str>,
    /// The declaration sites of each node, primary first.
    sites: FxHashMap<NodeId, Vec<&'a ExportSymbol>>,
}

impl<'a> Graph<'a> {
    fn path(&self, file: FileKey) -> &'a str {
        self.paths.get(&file).copied().unwrap_or_default()
    }

    fn primary(&self, id: NodeId) -> Option<&'a ExportSymbol> {
        self.sites.get(&id)?.first().copied()
    }

    /// Returns the last declaration of `id` in `file` before a line, else its primary declaration.
    fn site_in(&self, id: NodeId, file: FileKey, line: u32) -> Option<&'a ExportSymbol> {
        let sites = self.sites.get(&id)?;
        let holds = |site: &&&ExportSymbol| {
            site.file == file && site.line_start <= line && line <= site.line_end
        };
        sites
            .iter()
            .find(holds)
            .or_else(|| sites.iter().find(|site| site.file == file))
            .or(sites.first())
            .copied()
    }

    fn write_symbols(&self, symbols: &[ExportSymbol], out: &mut String) {
        let mut rows: Vec<&ExportSymbol> = symbols
            .iter()
            .filter(|symbol| !is_whole_file(symbol))
            .collect();
        rows.sort_by_key(|symbol| {
            (
                self.path(symbol.file),
                symbol.line_start,
                symbol.name_line,
                symbol.id,
            )
        });

        for symbol in rows {
            let container = symbol
                .parent
                .and_then(|parent| self.primary(parent))
                .filter(|parent| parent.kind != NodeKind::File);
            let container = container.map_or("", |parent| parent.name.as_str());
            row(
                out,
                &[
                    &self.path(symbol.file),
                    &symbol.kind,
                    &symbol.name,
                    &symbol.name_line,
                    &symbol.line_end,
                    &container,
                    &symbol.line_start,
                ],
            );
        }
    }

    fn write_edge(
        &self,
        edge: &ExportEdge,
        sources: &mut Sources<'_>,
        tables: &mut ExportTables,
    ) -> Result<(), QueryError> {
        let ends = (
            self.site_in(edge.source, edge.file, edge.line),
            self.primary(edge.target),
        );
        let (Some(source), Some(target)) = ends else {
            return Ok(());
        };

        let (source_line, source_name) = sort_key(source);
        let (target_line, target_name) = sort_key(target);
        let (file, target_file) = (self.path(edge.file), self.path(target.file));

        if edge.edge_type == EdgeType::Calls {
            row(
                &mut tables.calls,
                &[
                    &file,
                    &source_line,
                    &source_name,
                    &target_file,
                    &target_line,
                    &target_name,
                    &edge.line,
                    &edge.column,
                    &edge.confidence,
                ],
            );
        }

        if let Some(kind) = inherits_kind(edge.edge_type, source.kind) {
            row(
                &mut tables.inherits,
                &[
                    &kind,
                    &self.path(source.file),
                    &source_line,
                    &source_name,
                    &target_file,
                    &target_line,
                    &target_name,
                    &edge.confidence,
                ],
            );
        }

        if target.kind == NodeKind::File || !is_at_a_name(edge.edge_type, source.kind) {
            return Ok(());
        }

        self.write_use(edge, target, sources, &mut tables.refs)
    }

    /// Writes the row of a use, with the name written there.
    fn write_use(
        &self,
        edge: &ExportEdge,
        target: &'a ExportSymbol,
        sources: &mut Sources<'_>,
        table: &mut String,
    ) -> Result<(), QueryError> {
        let file = self.path(edge.file);
        let named = self.named(target);
        let declared = self.path(named.file);
        let written = sources.name_at(file, edge.line, edge.column)?;

        // A module specifier is not a name.
        if written.is_none_or(|name| !name.is_empty()) || edge.edge_type != EdgeType::Imports {
            let name = written
                .filter(|name| !name.is_empty())
                .unwrap_or(&named.name);
            row(
                table,
                &[
                    &file,
                    &edge.line,
                    &edge.column,
                    &name,
                    &declared,
                    &named.name_line,
                    &named.name,
                    &edge.confidence,
                ],
            );
        }

        Ok(())
    }

    /// Returns the symbol that a use names: for a constructor, its type.
    fn named(&self, target: &'a ExportSymbol) -> &'a ExportSymbol {
        if !matches!(
            target.kind,
            NodeKind::Constructor | NodeKind::PrimaryConstructor
        ) {
            return target;
        }
        target
            .parent
            .and_then(|parent| self.primary(parent))
            .unwrap_or(target)
    }
}

fn sort_key(symbol: &ExportSymbol) -> (u32, &str) {
    if is_whole_file(symbol) {
        (0, "<file>")
    } else {
        (symbol.name_line, &symbol.name)
    }
}

/// Reports whether a symbol is a file, or the method that contains C# top-level statements.
fn is_whole_file(symbol: &ExportSymbol) -> bool {
    symbol.kind == NodeKind::File || symbol.name == TOP_LEVEL
}

fn is_member(kind: NodeKind) -> bool {
    !matches!(
        kind,
        NodeKind::Class
            | NodeKind::Struct
            | NodeKind::Record
            | NodeKind::RecordStruct
            | NodeKind::Interface
    )
}

fn inherits_kind(edge_type: EdgeType, source: NodeKind) -> Option<&'static str> {
    match edge_type {
        EdgeType::Inherits | EdgeType::Extends => Some("extends"),
        EdgeType::Implements if is_member(source) => Some("implements_member"),
        EdgeType::Implements => Some("implements"),
        EdgeType::Overrides => Some("overrides"),
        _ => None,
    }
}

/// Reports whether the site of an edge is the name of its target. Overrides and implemented members
/// are at the name of the source.
fn is_at_a_name(edge_type: EdgeType, source: NodeKind) -> bool {
    edge_type != EdgeType::Overrides && !(edge_type == EdgeType::Implements && is_member(source))
}

fn row(out: &mut String, columns: &[&dyn std::fmt::Display]) {
    for (index, column) in columns.iter().enumerate() {
        let separator = if index == 0 { "" } else { "\t" };
        let text = column.to_string().replace(char::is_control, " ");
        write!(out, "{separator}{text}").expect("a string takes all that is written to it");
    }
    out.push('\n');
}
