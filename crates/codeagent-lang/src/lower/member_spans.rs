//! The declarations of a file that other files depend on separately, each by its name: in short,
//! its members. `lower/member_hashes.rs` of each language selects them.
//!
//! A file that looks up one name in a type or module depends on none of its other members. Every
//! file that reads this file at all sees its types, their heads and everything else that is not a
//! member.
//!
//! Limitations: a file with syntax errors is not split into members, because there one member
//! affects how the rest is parsed.

use codeagent_model::facts::{DeclId, Facts};
use tree_sitter::Node;

/// The byte range of a declaration that is a member.
#[derive(Clone, Copy, Debug)]
pub struct MemberSpan {
    /// The declaration.
    pub decl: DeclId,
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte, without a separator.
    pub end: usize,
    /// Offset after the last byte, including a separator.
    pub behind: usize,
    /// The type of the file that it is a member of, or the number of module-level narrowings before
    /// it.
    pub container: u32,
}

/// Finds the members of a file, and the offsets of other declarations, which no member may contain.
pub type FindMembers = fn(&Facts, Node<'_>) -> (Vec<MemberSpan>, Vec<usize>);

/// Returns the members of a file in text order; none is nested in another. `root` holds the tree
/// and the language's function to find members; `None` if the file is not divided.
pub fn member_spans(
    text: &str,
    facts: &Facts,
    root: Option<(Node<'_>, FindMembers)>,
) -> Vec<MemberSpan> {
    let Some((root, find)) = root.filter(|(root, _)| !root.has_error()) else {
        return Vec::new();
    };

    let (places, others) = find(facts, root);
    let places = places
        .into_iter()
        .map(|place| MemberSpan {
            behind: behind_separator(text, place.end),
            ..place
        })
        .collect();
    without_overlaps(places, others)
}

/// Returns the offset after a comma or semicolon that follows `end`, else `end`.
fn behind_separator(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let separator = rest
        .find(|c: char| !c.is_whitespace())
        .unwrap_or(rest.len());
    if rest[separator..].starts_with([',', ';']) {
        end + separator + 1
    } else {
        end
    }
}

/// Removes members that are nested in each other or contain one of the `others`.
fn without_overlaps(mut places: Vec<MemberSpan>, mut others: Vec<usize>) -> Vec<MemberSpan> {
    others.sort_unstable();
    places.sort_unstable_by_key(|place| (place.start, place.behind));
    let holds_other = |place: &MemberSpan| {
        others.partition_point(|at| *at < place.start)
            != others.partition_point(|at| *at < place.behind)
    };

    let mut kept: Vec<MemberSpan> = Vec::with_capacity(places.len());
    let mut covered = 0;
    for place in places {
        if place.start < covered {
            kept.pop_if(|last| last.behind > place.start);
        } else if !holds_other(&place) && place.start < place.end {
            kept.push(place);
        }
        covered = covered.max(place.behind);
    }

    kept
}

/// Returns the member that a declaration's span makes.
pub fn member_span(facts: &Facts, decl: DeclId, container: u32) -> Option<MemberSpan> {
    let span = facts.detail(decl)?.span;
    let end = span.end_offset as usize;
    Some(MemberSpan {
        decl,
        start: span.start.offset as usize,
        end,
        behind: end,
        container,
    })
}
