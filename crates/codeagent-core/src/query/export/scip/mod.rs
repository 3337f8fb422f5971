//! Exports the index as SCIP (<https://github.com/scip-code/scip>): definitions, references,
//! relationships, external symbols and enclosing ranges.
//!
//! The index is written one document at a time, in the order of the paths; concatenated messages
//! of protobuf are one message.
//!
//! Limitations: SCIP has neither calls nor certainty. The syntax kind of an occurrence marks calls
//! (`IdentifierFunction`), and inferred uses look like exact ones. Files that have changed since
//! they were indexed, and imported ones, are left out.

mod document;
mod forms;
mod names;
mod type_literals;

use std::io::{self, Write};

use codeagent_workspace::{Workspace, file_uri};
use protobuf::{Message as _, MessageField};
use rustc_hash::FxHashMap;
use scip::types::{Index, Metadata, ProtocolVersion, TextEncoding, ToolInfo};

use crate::model::external::{ExternalSymbol, OwnPackage};
use crate::model::graph::{Dialect, EdgeType, NodeId};
use crate::query::{QueryError, Sources};
use crate::store::{self, ExportSymbol, FileKey, FileRow, Snapshot, StoreError};

use document::DocumentWriter;
use names::Names;

/// How symbols are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolScheme {
    /// Without versions: the same symbol in every version of a package.
    CodeAgent,
    /// As scip-typescript writes them.
    ScipTypeScript,
    /// As scip-dotnet writes them.
    ScipDotNet,
}

/// What an export contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScipReport {
    /// Number of files.
    pub documents: usize,
    /// Definitions in all documents.
    pub definitions: usize,
    /// Other occurrences in all documents.
    pub references: usize,
    /// Used symbols of packages.
    pub external_symbols: usize,
    /// Files that were left out because they have changed since they were indexed.
    pub changed: Vec<String>,
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ScipExportError {
    /// The index cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The output cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl From<StoreError> for ScipExportError {
    fn from(error: StoreError) -> Self {
        Self::Query(error.into())
    }
}

/// Writes the index to `out`. `packages` are those of the repository itself.
pub fn export_scip(
    snapshot: &Snapshot,
    workspace: &Workspace,
    (scheme, packages): (SymbolScheme, &[OwnPackage]),
    out: &mut dyn Write,
) -> Result<ScipReport, ScipExportError> {
    let mut files = store::files(snapshot)?;
    files.retain(|file| file.dialect != Dialect::Imported);
    let symbols = store::export_symbols(snapshot)?;
    let mut graph = Graph::new(&files, &symbols);
    store::export_edges(snapshot, |edge| {
        if is_hierarchy(edge.edge_type) {
            let bases = graph.bases.entry(edge.source).or_default();
            bases.extend((!bases.contains(&edge.target)).then_some(edge.target));
        }
    })?;

    let forms = forms::of_declarations(&graph, scheme, &mut Sources::new(snapshot, workspace))?;
    let mut names = Names::new(&graph, (scheme, packages), forms);
    let mut external = FxHashMap::default();
    let mut report = ScipReport::default();

    write(out, metadata(workspace))?;
    for file in &files {
        let mut sources = Sources::new(snapshot, workspace);
        let Some(text) = sources.text(&file.path)? else {
            report.changed.push(file.path.clone());
            continue;
        };
        let mut writer = DocumentWriter::new(&graph, &mut names, text, file);
        writer.add_definitions();
        for edge in store::edges_of_file(snapshot, file.id)? {
            writer.add_use(&edge);
        }
        for (symbol, sites) in store::external_uses_in(snapshot, file.id)? {
            writer.add_external(&symbol.symbol, &sites);
            external.entry(symbol.id).or_insert(symbol.symbol);
        }

        let document = writer.finish(&mut report);
        write_part(out, |index| index.documents.push(document))?;
    }

    let mut external: Vec<ExternalSymbol> = external.into_values().collect();
    external.sort_unstable();
    for symbol in external {
        let Some(information) = names.external_information(&symbol) else {
            continue;
        };
        report.external_symbols += 1;
        write_part(out, |index| index.external_symbols.push(information))?;
    }
    Ok(report)
}

/// Reports whether an edge is a base, an implemented or an overridden symbol.
fn is_hierarchy(edge_type: EdgeType) -> bool {
    matches!(
        edge_type,
        EdgeType::Inherits | EdgeType::Extends | EdgeType::Implements | EdgeType::Overrides
    )
}

/// The parts of the graph that all documents need.
struct Graph<'a> {
    files: FxHashMap<FileKey, &'a FileRow>,
    /// The declaration sites of each node, primary first.
    sites: FxHashMap<NodeId, &'a [ExportSymbol]>,
    /// The sites in each file.
    in_file: FxHashMap<FileKey, Vec<&'a ExportSymbol>>,
    /// What each node derives from, implements or overrides.
    bases: FxHashMap<NodeId, Vec<NodeId>>,
}

impl<'a> Graph<'a> {
    fn new(files: &'a [FileRow], symbols: &'a [ExportSymbol]) -> Self {
        let mut in_file: FxHashMap<FileKey, Vec<&ExportSymbol>> = FxHashMap::default();
        for symbol in symbols {
            in_file.entry(symbol.file).or_default().push(symbol);
        }

        for sites in in_file.values_mut() {
            sites.sort_unstable_by_key(|site| (site.name_line, site.name_column, site.id));
        }

        Self {
            files: files.iter().map(|file| (file.id, file)).collect(),
            sites: symbols
                .chunk_by(|a, b| a.id == b.id)
                .map(|sites| (sites[0].id, sites))
                .collect(),
            in_file,
            bases: FxHashMap::default(),
        }
    }

    /// Returns the primary declaration of a node.
    fn primary(&self, id: NodeId) -> Option<&'a ExportSymbol> {
        Some(&self.sites.get(&id)?[0])
    }

    /// Returns the declaration sites in a file, in the order of their names.
    fn sites_in(&self, file: FileKey) -> &[&'a ExportSymbol] {
        self.in_file.get(&file).map_or(&[], Vec::as_slice)
    }
}

fn metadata(workspace: &Workspace) -> Index {
    let tool = ToolInfo {
        name: "codeagent".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..ToolInfo::default()
    };

    let metadata = Metadata {
        version: ProtocolVersion::UnspecifiedProtocolVersion.into(),
        tool_info: MessageField::some(tool),
        project_root: file_uri(workspace.root()).unwrap_or_default(),
        text_document_encoding: TextEncoding::UTF8.into(),
        ..Metadata::default()
    };

    Index {
        metadata: MessageField::some(metadata),
        ..Index::default()
    }
}

/// Writes an index that `fill` has added one part to.
fn write_part(out: &mut dyn Write, fill: impl FnOnce(&mut Index)) -> io::Result<()> {
    let mut index = Index::default();
    fill(&mut index);
    write(out, index)
}

fn write(out: &mut dyn Write, index: Index) -> io::Result<()> {
    let bytes = index.write_to_bytes().map_err(io::Error::other)?;
    out.write_all(&bytes)
}

#[cfg(test)]
mod tests;
