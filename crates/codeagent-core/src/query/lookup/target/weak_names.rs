//! Words of a sentence with a capital that are hardly meant as names beside others that are: products
//! (`in Shop`), proper nouns (`Visual Studio`), and words that only a variable has as its name.

use super::kind_words::has_kind;
use super::{SymbolTarget, Target, Targets, Token};
use crate::model::graph::{Node, NodeKind, NodeType};
use crate::query::{QueryError, SymbolGroup, is_in_place};
use crate::store::{self, Snapshot};

/// Words before the name of a product.
const BEFORE_PRODUCT: [&str; 8] = ["by", "for", "from", "in", "inside", "of", "the", "within"];

/// Removes weak names if a sentence has others: paths, names in quotation marks or backticks, and names that
/// are no words of prose.
pub(super) fn drop_weak(
    snapshot: &Snapshot,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    let is_strong = |target: &Target| match target {
        Target::Symbols(symbols) => !is_capitalized(tokens, &symbols.asked),
        _ => true,
    };
    if !targets.found.iter().any(is_strong) {
        return Ok(());
    }

    targets
        .missing
        .retain(|(name, _)| !is_capitalized(tokens, name));
    let places: Vec<String> = targets.found.iter().filter_map(place).collect();
    let mut kept = Vec::with_capacity(targets.found.len());
    for target in std::mem::take(&mut targets.found) {
        let is_weak = match &target {
            Target::Symbols(symbols) if is_capitalized(tokens, &symbols.asked) => {
                is_weak(snapshot, symbols, (&places, tokens))?
            }
            _ => false,
        };
        if !is_weak {
            kept.push(target);
        }
    }
    targets.found = kept;
    Ok(())
}

/// Reports whether a name is a word of prose with a capital wherever a sentence has it.
fn is_capitalized(tokens: &[Token<'_>], name: &str) -> bool {
    let mut named = tokens.iter().filter(|token| token.text == name).peekable();
    named.peek().is_some() && named.all(Token::is_capitalized)
}

fn is_weak(
    snapshot: &Snapshot,
    symbols: &SymbolTarget,
    (places, tokens): (&[String], &[Token<'_>]),
) -> Result<bool, QueryError> {
    let nodes = || {
        let groups = symbols.groups.iter().chain(&symbols.others);
        groups.map(SymbolGroup::first)
    };
    let is_here = |node: &Node| {
        let mut paths = node.spans.iter().map(|span| span.path.as_str());
        paths.any(|path| places.iter().any(|place| is_in_place(path, place)))
    };
    if has_kind(tokens, &symbols.asked) {
        return Ok(false);
    }

    let is_named_by = |node: &Node| {
        let is_value = node.node_type == NodeType::Property && node.kind != NodeKind::Event;
        !is_value && node.node_type != NodeType::Module
    };
    if !nodes().any(is_named_by) {
        return Ok(true);
    }
    let is_of_prose = is_proper_noun(tokens, &symbols.asked);
    Ok(!nodes().any(is_here) && (is_of_prose || is_product(snapshot, symbols, tokens)?))
}

/// Reports whether another word with a capital stands beside a name.
fn is_proper_noun(tokens: &[Token<'_>], name: &str) -> bool {
    let beside = |pair: &[Token<'_>]| {
        pair.iter().all(Token::is_capitalized) && pair.iter().any(|token| token.text == name)
    };
    tokens.windows(2).any(beside)
}

/// Reports whether a name is that of a folder, and stands where a sentence says in which product.
fn is_product(
    snapshot: &Snapshot,
    symbols: &SymbolTarget,
    tokens: &[Token<'_>],
) -> Result<bool, QueryError> {
    let name = &symbols.asked;
    let mut pairs = tokens.windows(2);
    let is_place = pairs.any(|pair| {
        pair[1].text == *name && BEFORE_PRODUCT.contains(&pair[0].text.to_lowercase().as_str())
    });
    if !is_place {
        return Ok(false);
    }
    for folder in [name.clone(), name.to_lowercase()] {
        if !store::folders_named(snapshot, &folder, 1)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the path of a file or folder.
fn place(target: &Target) -> Option<String> {
    match target {
        Target::File { path, .. } | Target::Folder { path, .. } => Some(path.clone()),
        _ => None,
    }
}
