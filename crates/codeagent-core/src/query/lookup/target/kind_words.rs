//! Words of a sentence that say what a name beside them is: `the event Closed`, `the setting Port`.

use super::{SymbolTarget, Target, Targets, Token};
use crate::model::graph::{Node, NodeId, NodeKind, NodeType};
use crate::query::SymbolGroup;

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
        if let Some(is_meant) = beside.find_map(|token| kind_test(&token.text.to_lowercase())) {
            prefer(symbols, is_meant);
        }
    }
}

/// Puts the members of types that a sentence names before other symbols of the same name: `which subclasses of Cart
/// override total?`
pub(super) fn prefer_members(targets: &mut Targets) {
    let types: Vec<NodeId> = targets
        .found
        .iter()
        .filter(|target| matches!(target, Target::Symbols(symbols) if symbols.has_types()))
        .flat_map(Target::ids)
        .collect();
    for target in &mut targets.found {
        if let Target::Symbols(symbols) = target
            && !symbols.has_types()
        {
            let is_member = |node: &Node| node.parent.is_some_and(|parent| types.contains(&parent));
            prefer(symbols, is_member);
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

/// Returns the test for symbols of the kind that a word names; `None` if it names none. A setting is a
/// member of a type of settings.
fn kind_test(word: &str) -> Option<fn(&Node) -> bool> {
    Some(match word {
        "class" => |node| node.kind == NodeKind::Class,
        "component" => |node| node.node_type == NodeType::Component,
        "enum" => |node| node.kind == NodeKind::Enum,
        "event" => |node| node.kind == NodeKind::Event,
        "field" => |node| node.kind == NodeKind::Field,
        "function" => |node| node.kind == NodeKind::Function,
        "interface" => |node| node.kind == NodeKind::Interface,
        "method" => |node| node.kind == NodeKind::Method,
        "property" => |node| node.kind == NodeKind::Property,
        "setting" => |node| owner(node).to_lowercase().contains("settings"),
        "type" => |node| node.node_type.is_type(),
        _ => return None,
    })
}

/// Returns the name of the type that a member belongs to.
fn owner(node: &Node) -> &str {
    let path = node.qualified_name.rsplit('#').next().unwrap_or_default();
    path.rsplit('.').nth(1).unwrap_or_default()
}
