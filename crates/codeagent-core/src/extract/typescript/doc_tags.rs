//! What stands in a doc comment: its tags, each with the type in braces and what follows it.
//!
//! `@param {A} [b=1] text` is the tag `param`, the type `A` and the rest `[b=1] text`.
//!
//! **Limits.** An `@` inside braces or a word begins no tag; code in a comment is not told from its text.

/// A tag of a doc comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// Its word, without `@`.
    pub name: &'t str,
    /// What stands in the braces behind it.
    pub ty: Option<&'t str>,
    /// What follows, as far as the next tag.
    pub rest: &'t str,
}

impl<'t> Tag<'t> {
    /// The name behind the type, and whether it stands in brackets.
    pub fn target(&self) -> (&'t str, bool) {
        let rest = skip_blank(self.rest);
        let (rest, optional) = match rest.strip_prefix('[') {
            Some(inner) => (skip_blank(inner), true),
            None => (rest, false),
        };
        let end = rest.find(|c: char| !(is_name(c) || c == '.' || c == '-')).unwrap_or(rest.len());
        (rest[..end].trim_end_matches(['.', '-']), optional)
    }
}

/// The tags of a comment, given without `/**` and `*/`.
pub fn tags(comment: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut rest = comment;
    while let Some(start) = next_tag(rest) {
        let body = &rest[start + 1..];
        let end = body.find(|c: char| !is_name(c)).unwrap_or(body.len());
        let (name, after) = body.split_at(end);
        let typed = skip_blank(after);
        let (ty, after) = match braces(typed) {
            Some(length) => (Some(&typed[1..length - 1]), &typed[length..]),
            None => (None, after),
        };
        let next = next_tag(after).unwrap_or(after.len());
        tags.push(Tag { name, ty, rest: &after[..next] });
        rest = &after[next..];
    }
    tags
}

/// Where the next tag begins, inline ones in braces left out.
fn next_tag(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find('@') {
        let at = from + found;
        let begins = text[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || before == '*');
        if begins && text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// The length of what is in braces at the beginning, with them.
fn braces(text: &str) -> Option<usize> {
    if !text.starts_with('{') {
        return None;
    }
    let mut depth = 0u32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text behind white space, line ends and the asterisks at the beginning of lines.
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

/// Whether a character may stand in a name.
pub fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_types_over_several_lines_and_end_at_the_next() {
        let all = tags("* Text {@link x} a@b.\n * @template T @typedef {{\n *   a: T }} Named more\n * @param {A} [b=1] text\n * @private");
        let names: Vec<_> = all.iter().map(|tag| (tag.name, tag.ty.is_some(), tag.target())).collect();
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
