//! Tokenizer for doc comments: tags, each with its braced type and the text after it.
//!
//! `@param {A} [b=1] text` is the tag `param`, the type `A` and the rest `[b=1] text`.
//!
//! Limitations: an `@` inside braces or inside a word starts no tag. Code in a comment is treated
//! like text.

use rustc_hash::FxHashMap;

/// A tag of a doc comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// Its word, without `@`.
    pub name: &'t str,
    /// The text in the braces after it.
    pub ty: Option<&'t str>,
    /// The text up to the next tag.
    pub rest: &'t str,
}

impl<'t> Tag<'t> {
    /// Returns the name after the type, and whether it is in brackets.
    pub fn target(&self) -> (&'t str, bool) {
        let rest = skip_blank(self.rest);
        let (rest, optional) = match rest.strip_prefix('[') {
            Some(inner) => (skip_blank(inner), true),
            None => (rest, false),
        };
        let end = rest
            .find(|c: char| !(is_name(c) || c == '.' || c == '-'))
            .unwrap_or(rest.len());
        (rest[..end].trim_end_matches(['.', '-']), optional)
    }

    /// Reports whether it documents a parameter or a part of one.
    fn is_about_parameter(&self) -> bool {
        matches!(self.name, "param" | "arg" | "argument")
    }
}

/// The tags of a comment in source order, with those of parameters indexed by name.
#[derive(Default)]
pub struct Tags<'t> {
    all: Vec<Tag<'t>>,
    parameters: Vec<Tag<'t>>,
    named: FxHashMap<&'t str, Tag<'t>>,
    parts: FxHashMap<&'t str, Vec<Tag<'t>>>,
}

impl<'t> Tags<'t> {
    /// Indexes the result of [`tags`].
    pub fn new(all: Vec<Tag<'t>>) -> Self {
        let mut tags = Tags::default();
        for tag in all.iter().filter(|tag| tag.is_about_parameter()) {
            let (name, _) = tag.target();
            match name.rsplit_once('.') {
                Some((owner, _)) => tags.parts.entry(owner).or_default().push(*tag),
                None => {
                    tags.parameters.push(*tag);
                    tags.named.entry(name).or_insert(*tag);
                }
            }
        }
        tags.all = all;
        tags
    }

    /// Returns all tags, in source order.
    pub fn all(&self) -> &[Tag<'t>] {
        &self.all
    }

    /// Returns the tags of whole parameters.
    pub fn parameters(&self) -> &[Tag<'t>] {
        &self.parameters
    }

    /// Returns the tag of a parameter: by name, or by position for a pattern.
    pub fn parameter(&self, index: usize, name: Option<&str>) -> Option<Tag<'t>> {
        match name {
            Some(name) => self.named.get(name).copied(),
            None => self.parameters.get(index).copied(),
        }
    }

    /// Returns the tags of a parameter's properties: `options.b` of `options`.
    pub fn parts_of(&self, parameter: &str) -> &[Tag<'t>] {
        self.parts.get(parameter).map_or(&[], Vec::as_slice)
    }
}

/// Returns the tags of a comment, given without `/**` and `*/`.
pub fn tags(comment: &str) -> Vec<Tag<'_>> {
    let closing = closing_braces(comment);
    let mut tags = Vec::new();
    let mut next = next_tag(comment);
    while let Some(start) = next {
        let body = &comment[start + 1..];
        let name = &body[..body.find(|c: char| !is_name(c)).unwrap_or(body.len())];
        let behind = start + 1 + name.len();
        let typed = comment.len() - skip_blank(&comment[behind..]).len();
        let (ty, rest) = match closing.get(&typed) {
            Some(&close) => (Some(&comment[typed + 1..close]), close + 1),
            None => (None, behind),
        };
        next = next_tag(&comment[rest..]).map(|at| rest + at);
        tags.push(Tag {
            name,
            ty,
            rest: &comment[rest..next.unwrap_or(comment.len())],
        });
    }

    tags
}

/// Returns the closing position of each brace.
fn closing_braces(text: &str) -> FxHashMap<usize, usize> {
    let mut closing = FxHashMap::default();
    let mut open = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open.push(at),
            b'}' => closing.extend(open.pop().map(|brace| (brace, at))),
            _ => {}
        }
    }
    closing
}

/// Returns the start of the next tag, skipping inline tags in braces.
fn next_tag(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find('@') {
        let at = from + found;
        let begins = text[..at]
            .chars()
            .next_back()
            .is_none_or(|before| before.is_whitespace() || before == '*');
        if begins && text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Skips white space, line endings and the asterisks at the start of lines.
pub fn skip_blank(text: &str) -> &str {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        let crossed = rest[..rest.len() - trimmed.len()].contains('\n');
        match trimmed.strip_prefix('*').filter(|_| crossed) {
            Some(after) => rest = after,
            None => return trimmed,
        }
    }
}

/// Reports whether a character can be part of a name.
pub fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_types_span_lines_and_a_tag_ends_at_the_next() {
        let all = tags(
            "* Text {@link x} a@b.\n * @template T @typedef {{\n *   a: T }} Named more\n * @param {A} [b=1] text\n * @private",
        );
        let names: Vec<_> = all
            .iter()
            .map(|tag| (tag.name, tag.ty.is_some(), tag.target()))
            .collect();

        assert_eq!(
            names,
            [
                ("template", false, ("T", false)),
                ("typedef", true, ("Named", false)),
                ("param", true, ("b", true)),
                ("private", false, ("", false))
            ]
        );
    }
}
