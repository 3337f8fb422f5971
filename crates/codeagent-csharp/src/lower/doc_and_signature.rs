//! The texts shown for a declaration: parameters and types on one line, the summary of the doc
//! comment, a hash of the source text.
//!
//! `/// <summary>Adds <paramref name="a"/>.</summary>` becomes `Adds a.`
//!
//! Limitations: doc comments are read from the lines above the declaration; `<include>` and
//! `<inheritdoc>` are not followed.

use codeagent_lang::lower::builder::short_hash;

const MAX_DOC: usize = 300;
/// The most bytes searched backwards for the start of a block comment.
const MAX_BLOCK: usize = 16 << 10;
const BLOCK: usize = 64;

/// The text without white space, addressed by offsets in the original text.
pub struct StrippedText {
    text: String,
    /// Number of bytes other than white space before each block of the text.
    before: Vec<u32>,
}

impl StrippedText {
    /// Strips a text.
    pub fn new(text: &str) -> Self {
        let mut before = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut seen = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            before.push(seen);
            seen += solid(block);
        }
        before.push(seen);
        Self {
            text: text.split_ascii_whitespace().collect(),
            before,
        }
    }

    fn offset(&self, text: &str, at: usize) -> usize {
        let block = at / BLOCK;
        let base = self.before.get(block).copied().unwrap_or(0);
        (base + text.as_bytes().get(block * BLOCK..at).map_or(0, solid)) as usize
    }

    /// Returns a hash of `text[start..end]` without layout and without `name`, a range inside it.
    pub fn hash(&self, text: &str, range: (usize, usize), name: (usize, usize)) -> [u8; 8] {
        let part = |start: usize, end: usize| {
            let (start, end) = (self.offset(text, start), self.offset(text, end));
            self.text.get(start..end).unwrap_or_default()
        };
        if name.0 >= range.0 && name.1 <= range.1 {
            short_hash(&[part(range.0, name.0), part(name.1, range.1)])
        } else {
            short_hash(&[part(range.0, range.1)])
        }
    }
}

fn solid(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .count() as u32
}

/// Collapses white space to single blanks.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// Returns the summary of the doc comment above a declaration that starts at `start`; `None` if
/// there is no doc comment.
pub fn doc_above(text: &str, start: usize) -> Option<String> {
    let mut rest = text[..start].trim_end();
    if let Some(block) = rest.strip_suffix("*/") {
        return block_doc(block);
    }
    if !text[rest.len()..start].contains('\n') {
        return None;
    }

    let mut lines = Vec::new();
    loop {
        let at = rest.rfind('\n').map_or(0, |at| at + 1);
        let line = rest[at..].trim();
        if let Some(doc) = line.strip_prefix("///") {
            lines.push(doc);
        } else if !(lines.is_empty() && line.starts_with('#')) {
            break;
        }

        if at == 0 {
            break;
        }
        rest = rest[..at].trim_end();
    }

    lines.reverse();
    (!lines.is_empty()).then(|| summary(&lines.join("\n")))
}

/// Returns the summary of `/** .. */`, given without its end.
fn block_doc(block: &str) -> Option<String> {
    let mut from = block.len().saturating_sub(MAX_BLOCK);
    while !block.is_char_boundary(from) {
        from += 1;
    }
    let open = from + block[from..].rfind("/*")?;
    block[open..]
        .strip_prefix("/**")
        .map(|body| summary(&strip_stars(body)))
}

fn strip_stars(body: &str) -> String {
    body.lines()
        .map(|line| line.trim_start().trim_start_matches('*'))
        .collect::<Vec<_>>()
        .join("\n")
}

fn summary(doc: &str) -> String {
    let body = match doc.split_once("<summary>") {
        Some((_, rest)) => rest.split_once("</summary>").map_or(rest, |(body, _)| body),
        None if doc.trim_start().starts_with('<') => "",
        None => doc,
    };
    let plain = fold(&without_tags(body));
    match plain.char_indices().nth(MAX_DOC) {
        Some((end, _)) => plain[..end].trim_end().to_owned(),
        None => plain,
    }
}

fn without_tags(body: &str) -> String {
    let mut plain = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        let Some((tag, tail)) = after.split_once('>') else {
            rest = after;
            continue;
        };
        plain.push_str(tag_text(tag));
        rest = tail;
    }
    plain.push_str(rest);

    plain
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

/// Returns the text of a tag: `B` for `see cref="T:A.B(int)"/`.
fn tag_text(tag: &str) -> &str {
    let is_reference = tag.ends_with('/')
        && ["see", "seealso", "paramref", "typeparamref"]
            .iter()
            .any(|word| tag.starts_with(word));
    let Some(value) = is_reference.then(|| tag.split('"').nth(1)).flatten() else {
        return if tag.starts_with("para") || tag.starts_with("br") {
            " "
        } else {
            ""
        };
    };
    let value = value.split(['(', '{']).next().unwrap_or(value);
    value.rsplit(['.', ':']).next().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_plain_text() {
        let text = "/// <summary>\n    /// Adds <paramref name=\"a\"/> to a\n    /// <see cref=\"T:N.List{T}\"/> &amp; more.\n    /// </summary>\n    /// <returns>x</returns>\n    int F();";
        assert_eq!(
            doc_above(text, text.len() - 8).as_deref(),
            Some("Adds a to a List & more.")
        );
        assert_eq!(
            doc_above("/** <summary>x\n * y</summary> */\nint F;", 33).as_deref(),
            Some("x y")
        );
        assert_eq!(doc_above("// no\nint F;", 6), None);
        assert_eq!(
            doc_above("/// <inheritdoc/>\n#if A\nint F;", 24).as_deref(),
            Some("")
        );
    }

    #[test]
    fn hashes_ignore_name_and_layout() {
        let hash = |text: &str, name: (usize, usize)| {
            StrippedText::new(text).hash(text, (0, text.len()), name)
        };
        assert_eq!(
            hash("int A ( ) { }", (4, 5)),
            hash("int Other() {}", (4, 9))
        );
        assert_ne!(hash("int A() { }", (4, 5)), hash("int A() { 1 }", (4, 5)));
    }
}
