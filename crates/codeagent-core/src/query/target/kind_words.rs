//! Words of a sentence that say what a name beside them is: `the event Closed`, `the setting Port`.

use super::{SymbolTarget, Target, Targets, Token};
use crate::model::graph::{Node, NodeKind, NodeType};
use crate::query::SymbolGroup;

/// Words for kinds of symbols.
const KINDS: [&str; 11] = [
    "class",
    "component",
    "enum",
    "event",
    "field",
    "function",
    "interface",
    "method",
    "property",
    "setting",
    "type",
];

/// Puts the symbols of the kind that a sentence names before those of another kind and the same name.
pub(super) fn prefer_kinds(targets: &mut Targets, tokens: &[Token<'_>]) {
    for target in &mut targets.found {
        let Target::Symbols(symbols) = target else {
            continue;
        };
        let Some(at) = tokens.iter().position(|token| token.text == symbols.asked) else {
            continue;
        };
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let mut beside = before.into_iter().chain(tokens.get(at + 1));
        let word = beside.find(|token| KINDS.contains(&token.text.to_lowercase().as_str()));
        if let Some(word) = word {
            let word = word.text.to_lowercase();
            prefer(symbols, |node| is_of_kind(node, &word));
        }
    }
}

fn prefer(symbols: &mut SymbolTarget, is_meant: impl Fn(&Node) -> bool) {
    let is_meant = |group: &SymbolGroup| is_meant(group.first());
    if !symbols.groups.iter().chain(&symbols.others).any(is_meant) {
        return;
    }
    let others = std::mem::take(&mut symbols.others);
    let all = std::mem::take(&mut symbols.groups)
        .into_iter()
        .chain(others);
    (symbols.groups, symbols.others) = all.partition(is_meant);
}

/// Reports whether a word says what a symbol is. A setting is a member of a type of settings.
fn is_of_kind(node: &Node, word: &str) -> bool {
    match word {
        "class" => node.kind == NodeKind::Class,
        "component" => node.node_type == NodeType::Component,
        "enum" => node.kind == NodeKind::Enum,
        "event" => node.kind == NodeKind::Event,
        "field" => node.kind == NodeKind::Field,
        "function" => node.kind == NodeKind::Function,
        "interface" => node.kind == NodeKind::Interface,
        "method" => node.kind == NodeKind::Method,
        "property" => node.kind == NodeKind::Property,
        "setting" => owner(node).to_lowercase().contains("settings"),
        "type" => node.node_type.is_type(),
        _ => false,
    }
}

/// Returns the name of the type that a member belongs to.
fn owner(node: &Node) -> &str {
    let path = node.qualified_name.rsplit('#').next().unwrap_or_default();
    path.rsplit('.').nth(1).unwrap_or_default()
}
