//! The uses of symbols, sorted by target.
//!
//! The index has them by source and by file. They are read several times, each time for another
//! range of targets, so that a bounded number of them is in memory.

use codeagent_core::query::{self, ExportSymbol};
use codeagent_core::{Confidence, EdgeType, FileKey};
use rustc_hash::FxHashMap;

use super::graph::{enclosing, published_id};
use super::rows::Rows;
use super::writer::Value::{Bool, Int, Long, Text};
use super::{ShareError, Sink};

/// Number of uses in memory, about: ids are evenly distributed.
const AT_ONCE: usize = 1 << 20;

/// Number of bits of an id.
const ID_BITS: u32 = 60;

/// One use, in the order of the table. Files are numbered in the order of their paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    pub target: i64,
    pub file: u32,
    pub line: u32,
    pub column: u32,
    pub role: EdgeType,
    pub source: i64,
    pub confidence: Confidence,
    pub is_external: bool,
}

/// Passes the rows to `sink`.
pub fn write(rows: &Rows<'_>, sink: &mut Sink<'_>) -> Result<(), ShareError> {
    let mut count = 0;
    each(rows, |_| count += 1)?;
    let passes = count / AT_ONCE as u64 + 1;
    let size = (1 << ID_BITS) / passes + 1;
    for pass in 0..passes {
        let range = (pass * size) as i64..((pass + 1) * size) as i64;
        let mut found = Vec::new();
        each(rows, |used| {
            if range.contains(&used.target) {
                found.push(used);
            }
        })?;
        found.sort_unstable();

        for used in found {
            sink(&[
                Long(used.target),
                Long(used.source),
                Text(used.role.as_str()),
                Text(used.confidence.as_str()),
                Bool(used.is_external),
                Text(rows.repository),
                Text(&rows.graph.files[used.file as usize].path),
                Int(used.line),
                Int(used.column),
            ])?;
        }
    }
    Ok(())
}

/// Calls `visit` with every use, in no particular order.
fn each(rows: &Rows<'_>, mut visit: impl FnMut(Occurrence)) -> Result<(), ShareError> {
    let graph = rows.graph;
    query::export_edges(rows.snapshot, |edge| {
        let ends = (graph.id(edge.target), graph.id(edge.source));
        if let ((Some(target), Some(source)), Some(file)) = (ends, graph.position(edge.file)) {
            visit(Occurrence {
                target,
                file,
                line: edge.line,
                column: edge.column,
                role: edge.edge_type,
                source,
                confidence: edge.confidence,
                is_external: false,
            });
        }
    })?;

    each_external(rows, visit)
}

/// Calls `visit` with every use of a symbol of another package.
pub fn each_external(rows: &Rows<'_>, mut visit: impl FnMut(Occurrence)) -> Result<(), ShareError> {
    let mut declared: FxHashMap<FileKey, Vec<&ExportSymbol>> = FxHashMap::default();
    for site in rows.symbols {
        declared.entry(site.file).or_default().push(site);
    }

    for (file, position) in rows.graph.files.iter().zip(0..) {
        let mut uses = Vec::new();
        for (used, sites) in query::external_uses_in(rows.snapshot, file.id)? {
            let target = published_id(&used.symbol);
            uses.extend(sites.into_iter().map(|site| (site, target)));
        }
        uses.sort_unstable();

        let (sites, targets): (Vec<_>, Vec<_>) = uses.into_iter().unzip();
        let of_file = declared.get(&file.id).map_or(&[][..], Vec::as_slice);
        let sources = enclosing(of_file, &sites);
        for ((site, target), source) in sites.iter().zip(targets).zip(sources) {
            let Some(source) = source.and_then(|node| rows.graph.id(node)) else {
                continue;
            };
            visit(Occurrence {
                target,
                file: position,
                line: site.line,
                column: site.column,
                role: site.edge_type,
                source,
                confidence: site.confidence,
                is_external: true,
            });
        }
    }
    Ok(())
}
