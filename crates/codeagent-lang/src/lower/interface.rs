//! The interface hash of a file: a hash of its tokens, without the bodies that other files cannot
//! see.
//!
//! Comments and spaces are left out, because no fact that others see comes from them; whether a
//! line ends between two tokens counts, because a statement may end there.
//!
//! **Limits.** `/// <reference>` counts as text, and all comments of JavaScript do, where types
//! stand in them.

use blake3::{Hash, Hasher};
use codeagent_model::facts::{Body, DeclId, Piece};
use tree_sitter::Node;

use crate::lower::builder::short_hash;
use crate::lower::cursor::next_beside;
use crate::lower::pieces::MemberSpan;

/// What other files see of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibleTokens {
    /// Nothing: what it gives is declared.
    Nothing,
    /// Nothing, and it gives nothing.
    NoResult,
    /// That it gives a Boolean.
    Bool,
    /// That it gives a number.
    Number,
    /// That it gives a text.
    Text,
    /// What it gives, if they ask about this declaration.
    Asked(DeclId),
}

impl VisibleTokens {
    /// Stands in the interface for the body.
    fn mark(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::NoResult => 1,
            Self::Bool => 2,
            Self::Number => 3,
            Self::Text => 4,
            Self::Asked(_) => 5,
        }
    }
}

/// A byte range that is no part of the interface.
#[derive(Clone, Copy, Debug)]
pub struct HiddenRange {
    /// First byte.
    pub start: usize,
    /// Behind the last.
    pub end: usize,
    /// What others see of it.
    pub seen: VisibleTokens,
}

/// What others see of a text, as hashes.
pub struct Interface {
    /// Of everything.
    pub whole: [u8; 16],
    /// Of what is no piece.
    pub frame: [u8; 16],
    /// Of each piece.
    pub pieces: Vec<Piece>,
    /// Of each body that others may ask about.
    pub bodies: Vec<Body>,
}

/// The hashes of a text with these hidden ranges and pieces. Without a tree the whole text counts
/// but for what is hidden.
pub fn interface(
    text: &str,
    root: Option<Node<'_>>,
    mut hidden: Vec<HiddenRange>,
    places: &[MemberSpan],
) -> Interface {
    hidden.sort_unstable_by_key(|hidden| (hidden.start, hidden.end));
    let mut outermost: Vec<HiddenRange> = Vec::with_capacity(hidden.len());
    for range in hidden {
        if outermost.last().is_none_or(|last| range.start >= last.end) {
            outermost.push(range);
        }
    }

    let mut bodies: Vec<Body> = outermost
        .iter()
        .filter_map(|hidden| body(text, *hidden, places))
        .collect();

    bodies.sort_unstable_by_key(|body| body.decl);
    let sums = TokenHashes {
        frame: Vec::new(),
        piece: Vec::new(),
        is_in_piece: false,
        places,
        pieces: Vec::with_capacity(places.len()),
    };

    let mut tokens = Tokens {
        text,
        sums,
        hidden: &outermost,
        at: 0,
        ends_line: false,
        has_begun: false,
    };

    match root {
        Some(root) => tokens.walk(root),
        None => tokens.rest(text.len(), false),
    }

    let (frame, pieces) = tokens.sums.finish(text.len());
    let mut whole = Hasher::new();
    whole.update(&frame);
    pieces.iter().for_each(|piece| {
        whole.update(&piece.hash);
    });

    Interface {
        whole: half(whole.finalize()),
        frame,
        pieces,
        bodies,
    }
}

fn half(hash: Hash) -> [u8; 16] {
    hash.as_bytes()[..16]
        .try_into()
        .expect("a hash has 32 bytes")
}

/// What is to be hashed, as far as the text is taken.
struct TokenHashes<'a> {
    frame: Vec<u8>,
    /// Of the piece that was entered last.
    piece: Vec<u8>,
    is_in_piece: bool,
    /// Places of pieces whose end is to come.
    places: &'a [MemberSpan],
    pieces: Vec<Piece>,
}

impl TokenHashes<'_> {
    /// Where to what stands at an offset goes, and whether it is the first of its piece; `None` for
    /// the separator behind a piece.
    fn at(&mut self, offset: usize) -> Option<(&mut Vec<u8>, bool)> {
        self.leave_before(offset);
        let Some(place) = self.places.first().filter(|place| place.start <= offset) else {
            return Some((&mut self.frame, false));
        };
        if place.end <= offset {
            return None;
        }
        let is_first = !std::mem::replace(&mut self.is_in_piece, true);
        if is_first {
            self.piece.clear();
            self.piece.extend_from_slice(&place.container.to_le_bytes());
        }
        Some((&mut self.piece, is_first))
    }

    fn leave_before(&mut self, offset: usize) {
        while self
            .places
            .first()
            .is_some_and(|place| place.behind <= offset)
        {
            self.leave();
        }
    }

    fn leave(&mut self) {
        let Some((place, rest)) = self.places.split_first() else {
            return;
        };
        if std::mem::take(&mut self.is_in_piece) {
            let hash = blake3::hash(&self.piece).as_bytes()[..8]
                .try_into()
                .expect("a hash has 32 bytes");
            self.pieces.push(Piece {
                decl: place.decl,
                hash,
            });
        }
        self.places = rest;
    }

    fn finish(mut self, end: usize) -> ([u8; 16], Vec<Piece>) {
        self.leave_before(end);
        (half(blake3::hash(&self.frame)), self.pieces)
    }

    /// The next offset behind `at` at which a piece begins or ends.
    fn edge(&mut self, at: usize) -> usize {
        self.leave_before(at);
        let first = self.places.first();
        let edges = |place: &MemberSpan| {
            [place.start, place.end, place.behind]
                .into_iter()
                .find(|edge| *edge > at)
        };
        first.and_then(edges).unwrap_or(usize::MAX)
    }
}

fn body(text: &str, hidden: HiddenRange, places: &[MemberSpan]) -> Option<Body> {
    let VisibleTokens::Asked(decl) = hidden.seen else {
        return None;
    };
    let before = places
        .partition_point(|place| place.start <= hidden.start)
        .checked_sub(1)
        .map(|before| places[before]);
    let piece = before
        .filter(|place| hidden.start < place.behind)
        .map_or(DeclId::NONE, |place| place.decl);
    Some(Body {
        decl,
        piece,
        hash: short_hash(&[&text[hidden.start..hidden.end]]),
    })
}

/// Takes the tokens of a text in order.
struct Tokens<'a> {
    text: &'a str,
    sums: TokenHashes<'a>,
    /// What is to come.
    hidden: &'a [HiddenRange],
    /// What stands before is taken.
    at: usize,
    /// A line ended since the last token.
    ends_line: bool,
    /// There was a token.
    has_begun: bool,
}

impl Tokens<'_> {
    fn walk(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            let (start, end) = (node.start_byte(), node.end_byte());
            self.rest(start, true);
            let is_taken = end <= self.at
                || self
                    .hidden
                    .first()
                    .is_some_and(|hidden| hidden.start <= start && end <= hidden.end);
            if !is_taken && cursor.goto_first_child() {
                continue;
            }
            if !is_taken {
                self.token(start, end, node.is_extra());
            }
            if !next_beside(&mut cursor) {
                break;
            }
        }

        self.rest(self.text.len(), true);
    }

    /// Takes what stands before `to`: hidden bodies, and between them text of which the tree knows
    /// nothing, if there is any.
    fn rest(&mut self, to: usize, has_tree: bool) {
        while let Some((hidden, others)) = self
            .hidden
            .split_first()
            .filter(|(hidden, _)| hidden.end <= to)
        {
            self.gap(hidden.start, has_tree);
            if let Some((seen, _)) = self.sums.at(hidden.start) {
                seen.extend_from_slice(&[0, hidden.seen.mark()]);
            }
            (self.at, self.hidden, self.ends_line) = (hidden.end, others, false);
        }
        if self.hidden.first().is_none_or(|hidden| to <= hidden.start) {
            self.gap(to, has_tree);
        }
    }

    fn gap(&mut self, to: usize, has_tree: bool) {
        let Some(gap) = self.text.get(self.at..to) else {
            return;
        };
        let mut from = std::mem::replace(&mut self.at, to);
        if has_tree && gap.trim().is_empty() {
            self.ends_line |= gap.contains('\n');
            return;
        }
        while from < to {
            let end = self.sums.edge(from).min(to);
            self.take(from, self.text.get(from..end).unwrap_or_default());
            from = end;
        }
    }

    fn token(&mut self, start: usize, end: usize, is_extra: bool) {
        let text = self.text.get(start..end).unwrap_or_default();
        self.at = end;
        if is_extra && is_comment(text) {
            self.ends_line |= text.contains('\n');
        } else {
            self.take(start, text);
        }
    }

    /// Where a piece begins, the layout before it does not count.
    fn take(&mut self, start: usize, text: &str) {
        let (ends_line, has_begun) = (
            std::mem::take(&mut self.ends_line),
            std::mem::replace(&mut self.has_begun, true),
        );
        let Some((seen, is_first)) = self.sums.at(start) else {
            return;
        };
        seen.push(if ends_line && has_begun && !is_first {
            1
        } else {
            2
        });
        seen.extend_from_slice(text.as_bytes());
    }
}

/// Whether an extra token says nothing: it is a comment and no directive.
fn is_comment(text: &str) -> bool {
    let is_reference = text
        .strip_prefix("///")
        .is_some_and(|rest| rest.trim_start().starts_with("<reference"));
    text.starts_with("/*") || text.starts_with("//") && !is_reference
}
