//! Rewrites near syntax errors, of forms that a scan over bytes cannot tell from others.
//!
//! In `interface A { abstract: B }` the grammar takes `abstract` for a modifier. Each rule rewrites
//! one such form in the lines around the errors of a tree, and its rewrites are kept only if the
//! next tree has fewer error bytes. So a rule may be coarse.
//!
//! Limitations: all rewrites of a rule are tried together, once.

use std::ops::Range;

use codeagent_lang::lower::cursor::next_beside;
use tree_sitter::{Node, Tree};

use super::{Edit, EditKind, Repaired, Scan, is_space, is_word, is_word_start};

/// Inspects one offset and adds the rewrite of a form that starts there.
type Rule = fn(&mut Scan<'_>, usize, Node<'_>);

/// The rules, each with the number of lines before an error in which its form may start.
const RULES: [(Rule, usize); 11] = [
    (tag_types, 1),
    (keyword_name, 1),
    (modifiers, 1),
    (type_pattern, 1),
    // The error is at the closing tag.
    (angle_line, 400),
    (escape, 1),
    (attributes, 1),
    (phase, 1),
    (decorator_group, 1),
    (static_index, 1),
    (no_types, 1),
];

/// Modifiers in the order in which the grammar expects them.
const MODIFIERS: [(&[u8], u8); 9] = [
    (b"public", 0),
    (b"private", 0),
    (b"protected", 0),
    (b"declare", 0),
    (b"static", 1),
    (b"abstract", 1),
    (b"override", 2),
    (b"readonly", 3),
    (b"async", 4),
];

/// Words before a declared name.
const DECLARING: [&[u8]; 8] = [
    b"let",
    b"const",
    b"var",
    b"public",
    b"private",
    b"protected",
    b"readonly",
    b"type",
];

/// Replaces the tree of a text with errors by better ones, as far as the rules find any.
pub fn improve<'t>(
    text: &'t str,
    repaired: &mut Repaired<'t>,
    tree: &mut Tree,
    mut parse: impl FnMut(&[u8]) -> Option<Tree>,
) {
    let Errors { mut weight, lines } = Errors::of(tree.root_node(), &repaired.text, 1);
    let mut attempt = |edits: Vec<Edit>, repaired: &mut Repaired<'t>, tree: &mut Tree| {
        let next = Repaired::with(text, edits);
        if next.text == repaired.text {
            return true;
        }
        let Some(next_tree) = parse(&next.text) else {
            return false;
        };

        let left = Errors::of(next_tree.root_node(), &next.text, 0).weight;
        if left < weight {
            (weight, *repaired, *tree) = (left, next, next_tree);
        }
        weight > 0
    };

    let kept = repaired.edits.iter().filter(|edit| {
        let at = edit.offset as usize;
        edit.kind != EditKind::Semicolon || !lines.iter().any(|lines| lines.contains(&at))
    });
    if !attempt(kept.copied().collect(), repaired, tree) {
        return;
    }

    for (rule, before) in RULES {
        let mut scan = Scan::new(text);
        let root = tree.root_node();
        for lines in Errors::of(root, &repaired.text, before).lines {
            lines.for_each(|at| rule(&mut scan, at, root));
        }

        let mut edits = scan.edits;
        if edits.is_empty() {
            continue;
        }
        edits.extend_from_slice(&repaired.edits);
        if !attempt(edits, repaired, tree) {
            return;
        }
    }
}

struct Errors {
    /// The bytes in error.
    weight: u32,
    /// The lines of the errors, with some before and one after each.
    lines: Vec<Range<usize>>,
}

impl Errors {
    fn of(root: Node<'_>, text: &[u8], before: usize) -> Self {
        let mut errors = Self {
            weight: 0,
            lines: Vec::new(),
        };

        for_each_error(root, |node| {
            errors.weight += weight(node);
            let reached = errors.lines.last().map_or(0, |last| last.end);
            if node.end_byte() < reached {
                return;
            }

            let mut start = node.start_byte();
            for line in 0..=before {
                if start <= reached {
                    break;
                }
                start = line_start(text, start - usize::from(line > 0));
            }
            let end = line_end(text, line_end(text, node.end_byte()) + 1);
            match errors.lines.last_mut() {
                Some(last) if start <= reached => last.end = end,
                _ => errors.lines.push(start..end),
            }
        });

        errors
    }
}

fn line_start(text: &[u8], at: usize) -> usize {
    let before = &text[..at.min(text.len())];
    before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1)
}

fn line_end(text: &[u8], at: usize) -> usize {
    let at = at.min(text.len());
    let newline = text[at..].iter().position(|byte| *byte == b'\n');
    newline.map_or(text.len(), |newline| at + newline)
}

/// Returns the number of bytes in an error; a missing token counts as one.
pub fn weight(node: Node<'_>) -> u32 {
    if node.is_error() {
        node.byte_range().len() as u32
    } else {
        1
    }
}

/// Calls `visit` for each outermost ERROR node and each MISSING node, in text order.
pub fn for_each_error(root: Node<'_>, mut visit: impl FnMut(Node<'_>)) {
    if !root.has_error() {
        return;
    }

    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let bad = node.is_error() || node.is_missing();
        if bad {
            visit(node);
        }
        if !bad && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        if !next_beside(&mut cursor) {
            return;
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl Scan<'_> {
    /// Returns the end of the name or keyword that starts at an offset, unless it is a member's.
    fn word_end(&self, at: usize) -> Option<usize> {
        let is_start = is_word_start(self.byte(at))
            && (at == 0
                || !is_word(self.source[at - 1]) && !matches!(self.source[at - 1], b'.' | b'#'));
        is_start.then(|| self.skip(at, is_word))
    }

    /// Returns the rank and the end of a modifier.
    fn modifier_at(&self, at: usize) -> Option<(u8, usize)> {
        let end = self.word_end(at)?;
        Some((rank(&self.source[at..end])?, end))
    }

    fn is_word_before(&self, at: usize, words: &[&[u8]]) -> bool {
        let end = self.skip_back(at, is_space);
        words
            .iter()
            .any(|word| self.word_before(end, word).is_some())
    }

    fn byte_before(&self, at: usize) -> u8 {
        let end = self.skip_back(at, is_space);
        end.checked_sub(1).map_or(b';', |last| self.source[last])
    }
}

/// `` styled(A)<B>`c` `` and `` styled(A) <B>`c` ``.
fn tag_types(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    if scan.byte(at) != b'`' {
        return;
    }
    if let Some(open) = scan.type_arguments_before(at)
        && matches!(scan.byte_before(open), b')' | b']')
    {
        scan.edit(open, at, EditKind::TagTypes);
    }
}

/// `abstract: B`, `as = 1`, `[string: A]`, `export { a as type }`, `typeof undefined | A`.
fn keyword_name(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    let Some(end) = scan.word_end(at) else {
        return;
    };
    let next = scan.skip(end, is_space);
    let after = scan.byte(next);
    let before = scan.byte_before(at);

    let is_name = match &scan.source[at..end] {
        b"abstract" | b"accessor" => !is_word_start(after) && !matches!(after, b'[' | b'#' | b'*'),
        b"as" | b"satisfies" => {
            !is_word_start(after)
                && (matches!(before, b'(' | b',' | b'{' | b'}' | b';' | b'[' | b'=')
                    || scan.is_word_before(at, &DECLARING))
        }
        b"type" => {
            let alias = scan.skip(next + 2, is_space);
            scan.is_word_before(at, &[b"as"])
                || scan.word_at(next, b"as") && is_word_start(scan.byte(alias))
        }
        b"undefined" if scan.is_word_before(at, &[b"typeof"]) => true,
        b"any" | b"object" | b"string" | b"number" | b"boolean" | b"symbol" | b"bigint"
        | b"never" | b"unknown" | b"undefined" | b"unique" | b"infer" | b"keyof" | b"readonly" => {
            let colon = scan.skip(next, |byte| byte == b'?');
            matches!(before, b'(' | b'[' | b',') && scan.byte(colon) == b':'
        }
        _ => false,
    };
    if is_name {
        scan.edit(end - 1, end, EditKind::KeywordName);
    }
}

/// `readonly static a`, `abstract private b`.
fn modifiers(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    if MODIFIERS
        .iter()
        .any(|(word, _)| scan.is_word_before(at, &[*word]))
    {
        return;
    }

    let (mut next, mut end) = (at, at);
    let mut ranks = Vec::new();
    while let Some((rank, word_end)) = scan.modifier_at(next) {
        ranks.push(rank);
        end = word_end;
        next = scan.skip(end, is_blank);
    }

    let is_named = next > end
        && (is_word_start(scan.byte(next))
            || matches!(scan.byte(next), b'[' | b'#' | b'*' | b'"' | b'\''));
    if is_named && !ranks.is_sorted() {
        scan.edit(at, end, EditKind::Modifiers);
    }
}

fn rank(word: &[u8]) -> Option<u8> {
    let (_, rank) = MODIFIERS.iter().find(|(modifier, _)| *modifier == word)?;
    Some(*rank)
}

/// Sorts modifiers as the grammar expects them.
pub fn sort_modifiers(place: &mut [u8]) {
    let mut words: Vec<&[u8]> = place
        .split(|byte| is_blank(*byte))
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_by_key(|word| rank(word));

    let sorted = words.join(&b' ');
    place.fill(b' ');
    place[..sorted.len()].copy_from_slice(&sorted);
}

/// The pattern of `({ a }: A) => B` as a type; the parameters of functions are left alone.
fn type_pattern(scan: &mut Scan<'_>, at: usize, root: Node<'_>) {
    let open = scan.skip(at + 1, is_space);
    if scan.byte(at) != b'(' || scan.byte(open) != b'{' {
        return;
    }
    let Some((close, end)) = scan.closing(open).zip(scan.closing(at)) else {
        return;
    };

    let after = scan.skip(scan.skip(close + 1, is_space), |byte| byte == b'?');
    let arrow = scan.skip(end + 1, is_space);
    if scan.byte(after) != b':' || !scan.source[arrow..].starts_with(b"=>") {
        return;
    }

    let function = root
        .descendant_for_byte_range(at, at + 1)
        .and_then(|token| token.parent()?.parent());
    if function.is_none_or(|node| node.kind() != "arrow_function") {
        scan.edit(open, close + 1, EditKind::TypePattern);
    }
}

/// `() => {}` and, on the next line, `<A />`.
fn angle_line(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    if scan.byte(at) != b'\n' {
        return;
    }
    let start = scan.skip(at + 1, is_blank);
    let next = scan.byte(start + 1);
    if scan.byte(start) != b'<' || !(is_word_start(next) || next == b'>') {
        return;
    }
    let Some(end) = scan.code_before(at) else {
        return;
    };
    let last = scan.source[end - 1];
    if is_word(last) || matches!(last, b'}' | b')' | b']' | b'\'' | b'"' | b'`') {
        scan.edit(start - 1, start, EditKind::Semicolon);
    }
}

/// `\u` and `\x` without their digits, in tagged templates.
fn escape(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    if scan.byte(at) != b'\\' {
        return;
    }
    let first = scan.skip_back(at, |byte| byte == b'\\');
    let digits =
        scan.skip(at + 2, |byte| byte.is_ascii_hexdigit()) - (at + 2).min(scan.source.len());
    let is_complete = match scan.byte(at + 1) {
        b'u' => digits >= 4 || scan.byte(at + 2) == b'{' && scan.has_code_point(at + 3),
        b'x' => digits >= 2,
        _ => true,
    };
    if !is_complete && (at - first).is_multiple_of(2) {
        scan.edit(at, at + 1, EditKind::Escape);
    }
}

impl Scan<'_> {
    fn has_code_point(&self, at: usize) -> bool {
        let end = self.skip(at, |byte| byte.is_ascii_hexdigit());
        end > at && self.byte(end) == b'}'
    }
}

/// `export * from "m" with { type: "json" }`.
fn attributes(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    let Some(end) = scan.word_end(at) else {
        return;
    };
    let is_attribute = matches!(&scan.source[at..end], b"with" | b"assert")
        && matches!(scan.byte_before(at), b'"' | b'\'');
    let open = scan.skip(end, is_space);
    if !is_attribute || scan.byte(open) != b'{' {
        return;
    }
    if let Some(close) = scan.closing(open) {
        scan.edit(at, close + 1, EditKind::Attributes);
    }
}

/// `import defer * as a from "m"`, `import.defer("m")`, `import.source("m")`.
fn phase(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    if !scan.word_at(at, b"import") || scan.word_end(at).is_none() {
        return;
    }
    let dot = scan.skip(at + 6, is_blank);
    let word = scan.skip(dot, |byte| byte == b'.');
    let end = scan.skip(word, is_word);
    let next = scan.skip(end, is_space);

    match (&scan.source[word..end], scan.byte(next)) {
        (b"defer", b'*') => scan.edit(word, end, EditKind::Phase),
        (b"defer" | b"source", b'(') if word > dot => {
            let quote = scan.byte(next + 1);
            let close = scan.skip(next + 2, |byte| {
                !matches!(byte, b'\'' | b'"' | b'\\' | b'\n' | b'\r')
            });
            let is_literal = matches!(quote, b'\'' | b'"')
                && scan.byte(close) == quote
                && scan.byte(close + 1) == b')';
            if is_literal {
                scan.edit(at, close + 2, EditKind::Import);
            } else {
                scan.edit(dot, end, EditKind::Phase);
            }
        }
        _ => {}
    }
}

/// `@(a.b())`: the grammar accepts only names in brackets.
fn decorator_group(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    let is_group = scan.byte(at) == b'@' && scan.byte(at + 1) == b'(';
    if is_group && at > 0 && is_space(scan.source[at - 1]) {
        scan.edit(at - 1, at + 2, EditKind::DecoratorGroup);
    }
}

/// `static [key: string]: A`.
fn static_index(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    if !scan.word_at(at, b"static") || scan.word_end(at).is_none() {
        return;
    }
    let mut open = scan.skip(at + 6, is_blank);
    if scan.word_at(open, b"readonly") {
        open = scan.skip(open + 8, is_blank);
    }
    let name = scan.skip(open + 1, is_space);
    let end = scan.skip(name, is_word);
    let is_index = scan.byte(open) == b'[' && end > name;
    if is_index && scan.byte(scan.skip(end, is_space)) == b':' {
        scan.edit(at, at + 6, EditKind::StaticIndex);
    }
}

/// `A<>`, which the compiler reports but reads.
fn no_types(scan: &mut Scan<'_>, at: usize, _: Node<'_>) {
    let close = scan.skip(at + 1, is_space);
    let is_empty = scan.byte(at) == b'<' && scan.byte(close) == b'>';
    if is_empty && at > 0 && is_word(scan.source[at - 1]) && !scan.keyword_before(at) {
        scan.edit(at, close + 1, EditKind::NoTypes);
    }
}
