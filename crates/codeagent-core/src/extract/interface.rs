//! What of a text other files can depend on, as a hash: its tokens, without the bodies that nobody sees from outside.
//!
//! Comments and spaces are left out, because no fact that others see comes from them; whether a line ends between two tokens counts, because a
//! statement may end there.
//!
//! **Limits.** `/// <reference>` counts as text, and all comments of JavaScript do, where types stand in them.

use tree_sitter::Node;

use crate::extract::builder::short_hash;
use crate::extract::cursor::next_beside;
use crate::model::facts::{Body, DeclId};

/// What other files see of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
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

impl Seen {
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
pub struct Hidden {
    /// First byte.
    pub start: usize,
    /// Behind the last.
    pub end: usize,
    /// What others see of it.
    pub seen: Seen,
}

/// The hash, and a hash of each body that others may ask about. Without a tree the whole text counts but for what is hidden.
pub fn interface(text: &str, root: Option<Node<'_>>, mut hidden: Vec<Hidden>) -> ([u8; 16], Vec<Body>) {
    hidden.sort_unstable_by_key(|hidden| (hidden.start, hidden.end));
    let mut outermost: Vec<Hidden> = Vec::with_capacity(hidden.len());
    for range in hidden {
        if outermost.last().is_none_or(|last| range.start >= last.end) {
            outermost.push(range);
        }
    }
    let mut bodies: Vec<Body> = outermost.iter().filter_map(|hidden| body(text, *hidden)).collect();
    bodies.sort_unstable_by_key(|body| body.decl);
    let mut tokens = Tokens { text, hasher: blake3::Hasher::new(), hidden: &outermost, at: 0, ends_line: false, has_begun: false };
    match root {
        Some(root) => tokens.walk(root),
        None => tokens.rest(text.len(), false),
    }
    (tokens.hasher.finalize().as_bytes()[..16].try_into().expect("a hash has 32 bytes"), bodies)
}

fn body(text: &str, hidden: Hidden) -> Option<Body> {
    let Seen::Asked(decl) = hidden.seen else { return None };
    Some(Body { decl, hash: short_hash(&[&text[hidden.start..hidden.end]]) })
}

/// Takes the tokens of a text in order.
struct Tokens<'a> {
    text: &'a str,
    hasher: blake3::Hasher,
    /// What is to come.
    hidden: &'a [Hidden],
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
            let is_taken = end <= self.at || self.hidden.first().is_some_and(|hidden| hidden.start <= start && end <= hidden.end);
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

    /// Takes what stands before `to`: hidden bodies, and between them text of which the tree knows nothing, if there is any.
    fn rest(&mut self, to: usize, has_tree: bool) {
        while let Some((hidden, others)) = self.hidden.split_first().filter(|(hidden, _)| hidden.end <= to) {
            self.gap(hidden.start, has_tree);
            self.hasher.update(&[0, hidden.seen.mark()]);
            (self.at, self.hidden, self.ends_line) = (hidden.end, others, false);
        }
        if self.hidden.first().is_none_or(|hidden| to <= hidden.start) {
            self.gap(to, has_tree);
        }
    }

    fn gap(&mut self, to: usize, has_tree: bool) {
        let Some(gap) = self.text.get(self.at..to) else { return };
        self.at = to;
        if has_tree && gap.trim().is_empty() {
            self.ends_line |= gap.contains('\n');
        } else {
            self.take(gap);
        }
    }

    fn token(&mut self, start: usize, end: usize, is_extra: bool) {
        let text = self.text.get(start..end).unwrap_or_default();
        self.at = end;
        if is_extra && is_comment(text) {
            self.ends_line |= text.contains('\n');
        } else {
            self.take(text);
        }
    }

    fn take(&mut self, text: &str) {
        self.hasher.update(if self.ends_line && self.has_begun { &[1] } else { &[2] });
        self.hasher.update(text.as_bytes());
        (self.ends_line, self.has_begun) = (false, true);
    }
}

/// Whether an extra token says nothing: it is a comment and no directive.
fn is_comment(text: &str) -> bool {
    let is_reference = text.strip_prefix("///").is_some_and(|rest| rest.trim_start().starts_with("<reference"));
    text.starts_with("/*") || text.starts_with("//") && !is_reference
}
