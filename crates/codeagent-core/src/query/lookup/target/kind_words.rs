//! Words of a sentence that say what a name beside them is: `the event Closed`, `the setting Port`.

use super::{SymbolTarget, Target, Targets, Token, is_common, name_words};
use crate::model::graph::{Node, NodeId, NodeKind, NodeType};
use crate::query::SymbolGroup;
use crate::store::is_test_path;

/// Words for a folder of a program.
pub(super) const PLACES: [&str; 9] = [
    "directories",
    "directory",
    "folder",
    "folders",
    "module",
    "package",
    "project",
    "projects",
    "workspace",
];

/// Words for a setting, and the number of words before them that may stand behind its name.
const SETTINGS: [&str; 4] = ["configuration", "key", "option", "setting"];
const MAX_BEFORE_SETTING: usize = 2;

/// Words for a route.
const ROUTES: [&str; 3] = ["endpoint", "path", "route"];

/// Reports whether a sentence says that a name is that of a folder: `the project Shop.Server`, `the
/// mail package`.
pub(super) fn is_place(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let mut beside = before.into_iter().chain(tokens.get(at + 1));
    beside.any(|token| PLACES.contains(&token.text.to_lowercase().as_str()))
}

/// Reports whether a sentence says that a name in quotation marks is that of a route: "the route `carts`".
pub(super) fn is_route(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let mut beside = before.into_iter().chain(tokens.get(at + 1));
    let is_plain = !tokens[at].text.contains(['/', '.', ' ']);
    (tokens[at].is_quoted || tokens[at].is_code)
        && is_plain
        && beside.any(|token| ROUTES.contains(&token.text))
}

/// Reports whether a sentence says that a name in quotation marks or backticks is that of a setting: "the `Theme` app
/// setting".
pub(super) fn is_setting(tokens: &[Token<'_>], at: usize) -> bool {
    let behind = tokens[at + 1..].iter().take(MAX_BEFORE_SETTING);
    let is_word = |token: &Token<'_>| SETTINGS.contains(&token.text);
    (tokens[at].is_quoted || tokens[at].is_code)
        && behind.take_while(|token| token.is_plain()).any(is_word)
}

/// Reports whether a word beside a name says what it is: `the class Cart`, `the Closed event`.
pub(super) fn has_kind(tokens: &[Token<'_>], name: &str) -> bool {
    let Some(at) = tokens.iter().position(|token| token.text == name) else {
        return false;
    };
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let mut beside = before.into_iter().chain(tokens.get(at + 1));
    beside.any(|token| kind_test(&token.text.to_lowercase()).is_some())
}

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

/// Puts the symbols whose paths have most words of a sentence before others of the same name: `the
/// Cart of the mobile app` is that of `apps/mobile/Cart.tsx`.
pub(super) fn prefer_places(targets: &mut Targets, tokens: &[Token<'_>]) {
    let words: Vec<String> = tokens
        .iter()
        .filter(|token| !is_common(token.text))
        .flat_map(|token| name_words(token.text))
        .collect();

    for target in &mut targets.found {
        let Target::Symbols(symbols) = target else {
            continue;
        };
        if symbols.asked.contains(['.', '#', '/', ':']) {
            continue;
        }

        let own = name_words(&symbols.asked);
        let words: Vec<&String> = words.iter().filter(|word| !own.contains(word)).collect();
        let shared = |node: &Node| {
            let path = node.spans.first().map_or("", |span| span.path.as_str());
            if is_test_path(path) {
                return 0;
            }
            let parts = name_words(path);
            let mut named: Vec<&&String> =
                words.iter().filter(|word| parts.contains(word)).collect();
            named.sort_unstable();
            named.dedup();
            named.len()
        };

        let groups = symbols.groups.iter().chain(&symbols.others);
        let most = groups.map(|group| shared(group.first())).max();
        if let Some(most @ 1..) = most {
            prefer(symbols, |node| shared(node) == most);
        }
    }
}

/// Puts the types with members that a sentence names before other symbols of the same name: `who compares Revision by
/// CompareTo?` is about the class with this method.
pub(super) fn prefer_owners(targets: &mut Targets) {
    let members = targets.found.iter().filter_map(|target| match target {
        Target::Symbols(symbols) if !symbols.has_types() => Some(symbols),
        _ => None,
    });
    let owners: Vec<NodeId> = members
        .flat_map(|symbols| symbols.groups.iter().chain(&symbols.others))
        .filter_map(|group| group.first().parent)
        .collect();
    for target in &mut targets.found {
        if let Target::Symbols(symbols) = target
            && symbols.has_types()
        {
            prefer(symbols, |node| owners.contains(&node.id));
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
pub(in crate::query) fn kind_test(word: &str) -> Option<fn(&Node) -> bool> {
    Some(match word {
        "class" => |node| node.kind == NodeKind::Class,
        "component" => |node| node.node_type == NodeType::Component,
        "enum" => |node| node.kind == NodeKind::Enum,
        "event" => |node| node.kind == NodeKind::Event,
        "field" => |node| node.kind == NodeKind::Field,
        "function" => |node| node.kind == NodeKind::Function,
        "hook" => is_hook,
        "interface" => |node| node.kind == NodeKind::Interface,
        "method" => |node| node.kind == NodeKind::Method,
        "property" => |node| node.kind == NodeKind::Property,
        "setting" => |node| owner(node).to_lowercase().contains("settings"),
        "struct" => |node| matches!(node.kind, NodeKind::Struct | NodeKind::RecordStruct),
        "type" => |node| node.node_type.is_type(),
        _ => return None,
    })
}

/// Reports whether a symbol has the name of a hook of React: `useCart`.
pub(in crate::query) fn is_hook(node: &Node) -> bool {
    let rest = node.name.strip_prefix("use");
    rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
        && node.node_type == NodeType::Method
}

/// Returns the name of the type that a member belongs to.
fn owner(node: &Node) -> &str {
    let path = node.qualified_name.rsplit('#').next().unwrap_or_default();
    path.rsplit('.').nth(1).unwrap_or_default()
}
