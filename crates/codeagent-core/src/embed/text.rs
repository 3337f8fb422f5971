//! The texts that are embedded for a symbol, about 40 tokens each: for letters and words its name,
//! qualified name, path and signature; for a model also what the documentation says first, because
//! a sentence that avoids the symbol's words is compared with it.
//!
//! Names are split into words, in symbols and in queries: a model was trained on `client factory`,
//! and would split `ClientFactory` into arbitrary tokens.
//!
//! Limitations: bodies are left out, because they triple the cost and do not improve the results.

use crate::embed::tokenizer::{camel_words, runs};
use crate::model::graph::Node;

/// Maximum length of a line in bytes; limits a text to a few hundred tokens.
const MAX_LINE: usize = 400;
/// Maximum length of the documentation's first sentence for a model, in bytes.
const MAX_SENTENCE: usize = 160;
/// Shorter sentences are continued, since a period may end an abbreviation.
const MIN_SENTENCE: usize = 20;
/// Maximum length of the signature for a model, in bytes.
const MAX_SIGNATURE: usize = 120;
/// Number of folders named in the text for a model.
const FOLDERS: usize = 2;

/// Returns the text to embed for a symbol. Its lines, each possibly empty, are the name, the
/// qualified name without its path, the path, and the signature.
#[must_use]
pub fn symbol_text(node: &Node) -> String {
    let path = node.spans.first().map_or("", |span| span.path.as_str());
    let signature = [&node.parameter_signature, &node.return_type]
        .map(|part| part.as_deref().unwrap_or_default());
    text_of_parts(&node.name, &node.qualified_name, path, signature)
}

/// Like [`symbol_text`], from its parts. The signature consists of parameters and return type.
#[must_use]
pub fn text_of_parts(name: &str, qualified_name: &str, path: &str, signature: [&str; 2]) -> String {
    let qualified_name = qualified_name
        .split_once('#')
        .map_or(qualified_name, |(_, name)| name);
    let mut text = String::with_capacity(name.len() + qualified_name.len() + path.len() + 64);
    for (at, parts) in [&[name][..], &[qualified_name], &[path], &signature]
        .into_iter()
        .enumerate()
    {
        if at > 0 {
            text.push('\n');
        }
        push_line(&mut text, parts);
    }
    text
}

/// Returns the text to embed for a symbol by a model. Its lines, each possibly empty, are the name,
/// the first sentence of the documentation, the container, the words of the signature, and the
/// innermost folders.
#[must_use]
pub fn model_text(node: &Node) -> String {
    let path = node.spans.first().map_or("", |span| span.path.as_str());
    let mut folders: Vec<&str> = path.rsplit('/').skip(1).take(FOLDERS).collect();
    folders.reverse();
    let signature = [&node.parameter_signature, &node.return_type]
        .map(|part| part.as_deref().unwrap_or_default());
    let doc = node.doc.as_deref().unwrap_or_default();

    let mut text = String::with_capacity(256);
    push_line(&mut text, &[&node.name]);
    text.push('\n');
    push_line(&mut text, &[first_sentence(doc)]);
    text.push('\n');
    push_words(&mut text, &[container(node)], MAX_LINE);
    text.push('\n');
    push_words(&mut text, &signature, MAX_SIGNATURE);
    text.push('\n');
    push_words(&mut text, &folders, MAX_LINE);
    text
}

/// Returns the name of the direct container; empty for a top-level symbol of TypeScript.
fn container(node: &Node) -> &str {
    let whole = node
        .qualified_name
        .strip_suffix(&node.name)
        .unwrap_or_default();
    let inner = whole.rsplit_once('#').map_or(whole, |(_, inner)| inner);
    let inner = inner.trim_end_matches('.');
    inner.rsplit_once('.').map_or(inner, |(_, last)| last)
}

fn first_sentence(doc: &str) -> &str {
    let doc = doc.trim_start();
    let ends = doc.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let end = ends
        .filter(|end| *end >= MIN_SENTENCE)
        .find(|end| doc[*end..].chars().next().is_none_or(char::is_whitespace));
    let end = end.unwrap_or(doc.len()).min(MAX_SENTENCE);
    &doc[..doc.floor_char_boundary(end)]
}

/// Appends the words of parts, without punctuation, up to a number of bytes.
fn push_words(text: &mut String, parts: &[&str], limit: usize) {
    let start = text.len();
    let words = parts.iter().flat_map(|part| runs(part));
    for word in words.flat_map(camel_words) {
        if text.len() > start {
            text.push(' ');
        }
        text.push_str(word);
        if text.len() - start > limit {
            text.truncate(text.floor_char_boundary(start + limit));
            return;
        }
    }
}

/// Returns the text to embed for a query.
#[must_use]
pub fn question_text(question: &str) -> String {
    let mut text = String::with_capacity(question.len() + 16);
    push_line(&mut text, &[question]);
    text
}

/// Appends parts as one line of space-separated words; names are split.
fn push_line(text: &mut String, parts: &[&str]) {
    let start = text.len();

    for part in parts.iter().filter(|part| !part.is_empty()) {
        if text.len() > start {
            text.push(' ');
        }

        for run in part.split_inclusive(|c: char| !c.is_alphanumeric()) {
            for (at, word) in camel_words(run).enumerate() {
                if at > 0 {
                    text.push(' ');
                }
                if word.contains(char::is_control) {
                    text.extend(word.chars().map(|c| if c.is_control() { ' ' } else { c }));
                } else {
                    text.push_str(word);
                }
            }
        }
    }

    if text.len() - start > MAX_LINE {
        text.truncate(text.floor_char_boundary(start + MAX_LINE));
    }
}

/// Returns a text's hash. Texts with equal hashes have equal vectors.
#[must_use]
pub fn text_hash(text: &str) -> i64 {
    let hash = blake3::hash(text.as_bytes());
    i64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Embedder, HashingEmbedder};
    use crate::model::graph::{Language, NodeFlags, NodeId, NodeKind, NodeSpan, NodeType};
    use crate::model::span::Span;

    fn node(qualified_name: &str, path: &str, signature: Option<&str>) -> Node {
        let span = NodeSpan {
            path: path.to_owned(),
            span: Span::default(),
            name_line: 1,
            name_column: 1,
        };

        Node {
            id: NodeId(1),
            parent: None,
            project_id: ".".to_owned(),
            name: "total".to_owned(),
            qualified_name: qualified_name.to_owned(),
            node_type: NodeType::Method,
            kind: NodeKind::Method,
            language: Language::TypeScript,
            access: None,
            flags: NodeFlags::default(),
            type_parameters: None,
            parameter_signature: signature.map(str::to_owned),
            parameter_count: None,
            return_type: Some("number".to_owned()),
            doc: Some("Adds up.".to_owned()),
            spans: vec![span],
        }
    }

    #[test]
    fn a_symbol_text_has_four_lines() {
        let text = symbol_text(&node(
            "src/cart.ts#Cart.total",
            "src/cart.ts",
            Some("(a: string,\n b: string)"),
        ));
        assert_eq!(
            text,
            "total\nCart.total\nsrc/cart.ts\n(a: string,  b: string) number"
        );
        assert_eq!(
            symbol_text(&node("Shop.Cart.total", "", None)),
            "total\nShop.Cart.total\n\nnumber"
        );
    }

    #[test]
    fn names_are_split_into_words() {
        let text = text_of_parts(
            "getHTTPUrl",
            "Shop.HttpClientFactory.getHTTPUrl",
            "src/HttpClientFactory.cs",
            ["(MAX_SIZE size)", ""],
        );

        let expected = "get HTTP Url\nShop.Http Client Factory.get HTTP Url\nsrc/Http Client Factory.cs\n(MAX_SIZE size)";
        assert_eq!(text, expected);

        assert_eq!(
            question_text("who calls getUrl?\nand why"),
            "who calls get Url? and why"
        );

        // The hashing embedder finds the same words in both texts.
        let apart = HashingEmbedder
            .embed(&[
                "getHTTPUrl\nA.getHTTPUrl\n\n",
                "get HTTP Url\nA.get HTTP Url\n\n",
            ])
            .unwrap();
        assert_eq!(apart[0], apart[1]);
    }

    #[test]
    fn the_text_for_a_model_says_what_the_symbol_is_for() {
        let mut member = node(
            "src/shop/cart.ts#Cart.total",
            "packages/app/src/shop/cart.ts",
            Some("(taxRate: number)"),
        );
        member.doc = Some("Adds up, e.g. prices\n of lines. Slow.".to_owned());
        assert_eq!(
            model_text(&member),
            "total\nAdds up, e.g. prices  of lines.\nCart\ntax Rate number number\nsrc shop"
        );

        let long = Some("ü".repeat(MAX_LINE));
        (member.doc, member.parameter_signature) = (long.clone(), long);
        "Shop.total".clone_into(&mut member.qualified_name);
        let text = model_text(&member);
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(lengths, [5, MAX_SENTENCE, 4, MAX_SIGNATURE, 8]);
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let text = symbol_text(&node("Cart.total", "a", Some(&"ü".repeat(MAX_LINE))));
        assert_eq!(text.lines().map(str::len).max(), Some(MAX_LINE));
    }

    #[test]
    fn the_hash_depends_on_the_text_alone() {
        let mut other = node("Shop.Cart.total", "a.cs", None);
        let text = symbol_text(&other);
        (other.doc, other.id) = (None, NodeId(2));
        assert_eq!(text_hash(&text), text_hash(&symbol_text(&other)));
        "b.cs".clone_into(&mut other.spans[0].path);
        assert_ne!(text_hash(&text), text_hash(&symbol_text(&other)));
    }
}
