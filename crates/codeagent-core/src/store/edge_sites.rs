//! The sites of one row of `edges` or `edges_incoming`, packed.

use crate::model::graph::{Confidence, NodeId};
use crate::store::codec::{pack_ids, push_number, take_number, unpack_ids};
use crate::store::{EdgeRow, StoreError, bad_value};

const CONFIDENCE_BITS: u32 = 2;

/// The bit of a site that has candidates, above the confidence.
const HAS_CANDIDATES: u32 = 1 << CONFIDENCE_BITS;

const COLUMN_SHIFT: u32 = CONFIDENCE_BITS + 1;

/// Where a node is used, and how certain that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Site {
    pub line: u32,
    pub column: u32,
    pub confidence: Confidence,
    /// Other candidates, best first.
    pub candidates: Box<[NodeId]>,
}

/// Packs the sites of edges that differ in nothing else, in text order: for each, the difference to
/// the line before, and the column above a bit for candidates and the confidence; then the number of
/// candidates and their ids. Two edges of one site are an error.
pub(super) fn pack_sites(edges: &[EdgeRow]) -> Result<Vec<u8>, StoreError> {
    if !edges.is_sorted_by(|a, b| (a.line, a.column) < (b.line, b.column)) {
        return Err(bad_value("sites"));
    }

    let mut out = Vec::with_capacity(edges.len() * 4);
    let mut line = 0;
    for edge in edges {
        let has_candidates = match edge.candidates.is_empty() {
            true => 0,
            false => HAS_CANDIDATES,
        };
        push_number(&mut out, edge.line.wrapping_sub(line));
        push_number(
            &mut out,
            edge.column << COLUMN_SHIFT | has_candidates | edge.confidence as u32,
        );
        if has_candidates != 0 {
            push_number(&mut out, edge.candidates.len() as u32);
            out.extend(pack_ids(&edge.candidates));
        }
        line = edge.line;
    }
    Ok(out)
}

/// Reverses [`pack_sites`].
pub(super) fn unpack_sites(mut blob: &[u8]) -> Result<Vec<Site>, StoreError> {
    let mut sites = Vec::with_capacity(1);
    let mut line = 0u32;
    while !blob.is_empty() {
        let site = take_site(&mut blob, line).ok_or_else(|| bad_value("sites"))?;
        line = site.line;
        sites.push(site);
    }
    Ok(sites)
}

fn take_site(blob: &mut &[u8], line_before: u32) -> Option<Site> {
    let line = line_before.wrapping_add(take_number(blob)?);
    let packed = take_number(blob)?;
    let confidence = Confidence::from_code((packed & (HAS_CANDIDATES - 1)) as u8)?;

    let mut candidates = Vec::new();
    if packed & HAS_CANDIDATES != 0 {
        let bytes = (take_number(blob)? as usize).checked_mul(size_of::<NodeId>())?;
        let (ids, rest) = blob.split_at_checked(bytes)?;
        candidates = unpack_ids(ids);
        *blob = rest;
    }

    Some(Site {
        line,
        column: packed >> COLUMN_SHIFT,
        confidence,
        candidates: candidates.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::graph::EdgeType;
    use crate::store::FileKey;

    fn edges(sites: &[Site]) -> Vec<EdgeRow> {
        let edge = |site: &Site| EdgeRow {
            source: NodeId(1),
            target: NodeId(2),
            edge_type: EdgeType::Calls,
            confidence: site.confidence,
            file: FileKey(3),
            line: site.line,
            column: site.column,
            candidates: site.candidates.clone(),
        };
        sites.iter().map(edge).collect()
    }

    #[test]
    fn sites_round_trip() {
        let site = |line, column, confidence, candidates: &[u64]| Site {
            line,
            column,
            confidence,
            candidates: candidates.iter().map(|id| NodeId(*id)).collect(),
        };
        let sites = [
            site(7, 0, Confidence::Exact, &[]),
            site(7, 1 << 24, Confidence::Inferred, &[9, u64::MAX >> 4]),
            site(u32::MAX, 3, Confidence::Heuristic, &[]),
        ];
        let packed = pack_sites(&edges(&sites)).unwrap();
        assert_eq!(unpack_sites(&packed).unwrap(), sites);

        let refused = (1..packed.len())
            .filter(|cut| unpack_sites(&packed[..*cut]).is_err())
            .count();
        assert_eq!(refused, packed.len() - 1 - 2, "two cuts are between sites");
    }

    #[test]
    fn a_site_is_packed_once() {
        let site = Site {
            line: 1,
            column: 2,
            confidence: Confidence::Exact,
            candidates: Box::default(),
        };
        assert!(pack_sites(&edges(&[site.clone(), site])).is_err());
    }

    #[test]
    fn damaged_sites_are_refused() {
        for blob in [
            &[1, 7, 0xff, 0xff, 0xff, 0xff, 0x0f][..],
            &[0xff; 9],
            &[1, 3],
        ] {
            assert!(unpack_sites(blob).is_err(), "{blob:?}");
        }
    }
}
