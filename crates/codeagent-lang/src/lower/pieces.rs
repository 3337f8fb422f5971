//! The declarations of a file that others see one by one, each by its name. The languages say which
//! (`lower/pieces.rs` of each).
//!
//! Whoever asks a type or module for one name learns nothing of its other members. Types, what
//! stands in their heads and everything else of the file is seen by whoever looks at the file at
//! all.
//!
//! **Limits.** Nothing is told apart in broken text, where a member decides how the rest is read.

use codeagent_model::facts::{DeclId, Facts};
use tree_sitter::Node;

/// A declaration that is a piece by itself.
#[derive(Clone, Copy, Debug)]
pub struct MemberSpan {
    /// Which.
    pub decl: DeclId,
    /// First byte.
    pub start: usize,
    /// Behind the last but for a separator.
    pub end: usize,
    /// Behind the last.
    pub behind: usize,
    /// Which of the types of the file it is a member of, or behind how many narrowings of the
    /// module it stands.
    pub container: u32,
}

/// Finds the pieces of a file, and where else declarations stand that no piece may hold.
pub type FindPieces = fn(&Facts, Node<'_>) -> (Vec<MemberSpan>, Vec<usize>);

/// The pieces of a file in text order; none lies in another. `root` is that of a text whose pieces
/// are told apart, and how its language finds them.
pub fn places(text: &str, facts: &Facts, root: Option<(Node<'_>, FindPieces)>) -> Vec<MemberSpan> {
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
    apart(places, others)
}

/// A comma or semicolon goes with what it ends, and says nothing.
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

/// Leaves out places that lie in each other or hold one of the `others`.
fn apart(mut places: Vec<MemberSpan>, mut others: Vec<usize>) -> Vec<MemberSpan> {
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

/// A declaration that is a piece by its span.
pub fn place(facts: &Facts, decl: DeclId, container: u32) -> Option<MemberSpan> {
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
