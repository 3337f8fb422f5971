//! The declarations of a file that other files depend on separately, each by its name: in short,
//! its members. `lower/member_hashes.rs` of each language selects them.
//!
//! A file that looks up one name in a type or module depends on none of its other members. Every
//! file that reads this file at all sees its types, their heads and everything else that is not a
//! member.
//!
//! A top-level type may be separate too: then an added or removed type concerns only files that
//! looked up its name. A change of its head concerns all readers of the file.
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

/// The declarations of a file that may be separate.
#[derive(Default)]
pub struct SeparateParts {
    pub members: Vec<MemberSpan>,
    /// The offsets of other declarations, which no member may contain.
    pub others: Vec<usize>,
    /// The top-level types, in text order.
    pub types: Vec<MemberSpan>,
}

/// The byte ranges that are hashed separately, in text order.
#[derive(Default)]
pub struct InterfaceSpans {
    /// None is nested in another.
    pub members: Vec<MemberSpan>,
    /// None is nested in another; they contain the members.
    pub types: Vec<MemberSpan>,
}

/// Finds the declarations of a file that may be separate.
pub type FindMembers = fn(&Facts, Node<'_>) -> SeparateParts;

/// Returns the separate parts of a file. `root` holds the tree and the language's function to find
/// them; `None` if the file is not divided.
pub fn interface_spans(
    text: &str,
    facts: &Facts,
    root: Option<(Node<'_>, FindMembers)>,
) -> InterfaceSpans {
    let Some((root, find)) = root.filter(|(root, _)| !root.has_error()) else {
        return InterfaceSpans::default();
    };

    let SeparateParts {
        members,
        others,
        types,
    } = find(facts, root);
    let places = members
        .into_iter()
        .map(|place| MemberSpan {
            behind: behind_separator(text, place.end),
            ..place
        })
        .collect();
    InterfaceSpans {
        members: without_overlaps(places, others),
        types,
    }
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
