//! The interface hash of a file: a hash of its tokens, without the bodies that other files cannot
//! see.
//!
//! Comments and spaces are left out, because other files see no fact that comes from them. A line
//! break between two tokens counts, because a statement may end there.
//!
//! Limitations: `/// <reference>` counts as text, and so do all comments of JavaScript, which
//! contain types.

use blake3::{Hash, Hasher};
use codeagent_model::facts::{Body, DeclId, MemberHash};
use tree_sitter::Node;

use crate::lower::builder::short_hash;
use crate::lower::cursor::next_beside;
use crate::lower::member_spans::{InterfaceSpans, MemberSpan};

/// The part of a body that other files see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibleTokens {
    /// Nothing: its result type is declared.
    Nothing,
    /// Nothing, and it has no result.
    NoResult,
    /// Its result is a Boolean.
    Bool,
    /// Its result is a number.
    Number,
    /// Its result is a string.
    Text,
    /// Its result type, for files that query this declaration.
    Asked(DeclId),
}

impl VisibleTokens {
    /// Returns the byte that is hashed in place of the body.
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

/// A byte range that is not part of the interface.
#[derive(Clone, Copy, Debug)]
pub struct HiddenRange {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
    /// The part that other files see.
    pub seen: VisibleTokens,
}

/// Hashes of the parts of a text that other files see.
pub struct Interface {
    /// Hash of the whole interface.
    pub whole: [u8; 16],
    /// Hash of everything outside the members and types.
    pub frame: [u8; 16],
    pub member_hashes: Vec<MemberHash>,
    pub type_hashes: Vec<MemberHash>,
    /// Hashes of the bodies that other files may query.
    pub bodies: Vec<Body>,
}

/// Hashes a text with these hidden ranges and separate parts. Without a tree, all text that is not
/// hidden counts.
pub fn interface(
    text: &str,
    root: Option<Node<'_>>,
    mut hidden: Vec<HiddenRange>,
    spans: &InterfaceSpans,
) -> Interface {
    let places = spans.members.as_slice();
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
        member: Vec::new(),
        is_in_piece: false,
        places,
        member_hashes: Vec::with_capacity(places.len()),
        head: Vec::new(),
        types: &spans.types,
        type_hashes: Vec::with_capacity(spans.types.len()),
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

    let (frame, member_hashes, type_hashes) = tokens.sums.finish(text.len());
    let mut whole = Hasher::new();
    whole.update(&frame);
    for part in member_hashes.iter().chain(&type_hashes) {
        whole.update(&part.hash);
    }

    Interface {
        whole: half(whole.finalize()),
        frame,
        member_hashes,
        type_hashes,
        bodies,
    }
}

fn hash_of(bytes: &[u8]) -> [u8; 8] {
    blake3::hash(bytes).as_bytes()[..8]
        .try_into()
        .expect("a hash has 32 bytes")
}

fn half(hash: Hash) -> [u8; 16] {
    hash.as_bytes()[..16]
        .try_into()
        .expect("a hash has 32 bytes")
}

/// The bytes to be hashed, collected token by token.
struct TokenHashes<'a> {
    frame: Vec<u8>,
    /// Bytes of the member entered last.
    member: Vec<u8>,
    is_in_piece: bool,
    /// Pieces that have not ended yet.
    places: &'a [MemberSpan],
    member_hashes: Vec<MemberHash>,
    /// Bytes of the type entered last, outside its members.
    head: Vec<u8>,
    /// Types that have not ended yet.
    types: &'a [MemberSpan],
    type_hashes: Vec<MemberHash>,
}

impl TokenHashes<'_> {
    /// Returns the buffer for the token at an offset, and whether it is the first of its member or
    /// type; `None` for the separator after a member.
    fn at(&mut self, offset: usize) -> Option<(&mut Vec<u8>, bool)> {
        self.leave_before(offset);
        let Some(place) = self.places.first().filter(|place| place.start <= offset) else {
            return Some(self.outside_members(offset));
        };
        if place.end <= offset {
            return None;
        }
        let is_first = !std::mem::replace(&mut self.is_in_piece, true);
        if is_first {
            self.member.clear();
            self.member
                .extend_from_slice(&place.container.to_le_bytes());
        }
        Some((&mut self.member, is_first))
    }

    /// Returns the buffer for a token that is in no member.
    fn outside_members(&mut self, offset: usize) -> (&mut Vec<u8>, bool) {
        match self.types.first() {
            Some(of) if of.start <= offset => {
                let is_first = self.head.is_empty();
                if is_first {
                    // A type that moves to another namespace differs.
                    let place = self.frame.len() as u64;
                    self.head.extend_from_slice(&place.to_le_bytes());
                }
                (&mut self.head, is_first)
            }
            _ => (&mut self.frame, false),
        }
    }

    fn leave_before(&mut self, offset: usize) {
        while self
            .places
            .first()
            .is_some_and(|place| place.behind <= offset)
        {
            self.leave();
        }
        while self.types.first().is_some_and(|of| of.end <= offset) {
            self.leave_type();
        }
    }

    fn leave_type(&mut self) {
        let Some((of, rest)) = self.types.split_first() else {
            return;
        };
        self.type_hashes.push(MemberHash {
            decl: of.decl,
            hash: hash_of(&self.head),
        });
        self.head.clear();
        self.types = rest;
    }

    fn leave(&mut self) {
        let Some((place, rest)) = self.places.split_first() else {
            return;
        };
        if std::mem::take(&mut self.is_in_piece) {
            self.member_hashes.push(MemberHash {
                decl: place.decl,
                hash: hash_of(&self.member),
            });
        }
        self.places = rest;
    }

    fn finish(mut self, end: usize) -> ([u8; 16], Vec<MemberHash>, Vec<MemberHash>) {
        self.leave_before(end);
        let frame = half(blake3::hash(&self.frame));
        (frame, self.member_hashes, self.type_hashes)
    }

    /// Returns the next offset after `at` at which a member or type starts or ends.
    fn edge(&mut self, at: usize) -> usize {
        self.leave_before(at);
        let first = self.places.first().into_iter().chain(self.types.first());
        let edges = first.flat_map(|place| [place.start, place.end, place.behind]);
        edges.filter(|edge| *edge > at).min().unwrap_or(usize::MAX)
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
    let member = before
        .filter(|place| hidden.start < place.behind)
        .map_or(DeclId::NONE, |place| place.decl);
    Some(Body {
        decl,
        member,
        hash: short_hash(&[&text[hidden.start..hidden.end]]),
    })
}

/// Collects the tokens of a text in order.
struct Tokens<'a> {
    text: &'a str,
    sums: TokenHashes<'a>,
    /// Hidden ranges still to come.
    hidden: &'a [HiddenRange],
    /// Offset up to which the text is collected.
    at: usize,
    /// A line ended after the last token.
    ends_line: bool,
    /// At least one token was collected.
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

    /// Collects the text before `to`: hidden bodies and, between them, text that is not in the
    /// tree.
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

    /// Collects a token. A line break before the first token of a member does not count.
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

/// Reports whether an extra token is a comment and not a `/// <reference>` directive.
fn is_comment(text: &str) -> bool {
    let is_reference = text
        .strip_prefix("///")
        .is_some_and(|rest| rest.trim_start().starts_with("<reference"));
    text.starts_with("/*") || text.starts_with("//") && !is_reference
}
