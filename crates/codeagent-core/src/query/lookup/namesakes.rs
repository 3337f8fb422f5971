//! Symbols found by names alone: functions with that of a call whose target is unknown, and classes whose members have
//! those of an interface.

use crate::model::graph::{Language, Node, NodeId, NodeType};
use crate::query::{QueryError, members_of};
use crate::store::{self, Snapshot};

/// Maximum number of functions; a name of more says nothing.
const MAX_FUNCTIONS: usize = 3;

/// Maximum number of symbols that are looked at.
const MAX_SYMBOLS: usize = 40;

/// Returns the first symbols with exactly a name.
pub fn symbols_of_name(snapshot: &Snapshot, name: &str) -> Result<Vec<Node>, QueryError> {
    let mut found = store::by_name(snapshot, name, MAX_SYMBOLS)?;
    found.retain(|node| node.name == name);
    Ok(found)
}

/// Returns the functions of the product with a name; none if there are many.
pub fn functions_of_name(snapshot: &Snapshot, name: &str) -> Result<Vec<Node>, QueryError> {
    let mut functions = symbols_of_name(snapshot, name)?;
    functions.retain(|node| {
        let mut spans = node.spans.iter();
        let is_product = spans.all(|span| !store::is_test_path(&span.path));
        node.node_type == NodeType::Method && is_product
    });
    if functions.len() > MAX_FUNCTIONS {
        functions.clear();
    }
    Ok(functions)
}

/// Maximum number of members of one name whose classes are looked at.
const MAX_MEMBERS: usize = 200;

/// Returns the classes of TypeScript that declare members of all these names; none if the longest name is that of too many
/// symbols.
pub fn classes_with_members(
    snapshot: &Snapshot,
    names: &[&str],
) -> Result<Vec<NodeId>, QueryError> {
    let Some(rarest) = names.iter().max_by_key(|name| name.len()) else {
        return Ok(Vec::new());
    };
    let found = store::by_name(snapshot, rarest, MAX_MEMBERS)?;
    if found.len() == MAX_MEMBERS {
        return Ok(Vec::new());
    }
    let is_member = |node: &Node| {
        let is_value = matches!(node.node_type, NodeType::Method | NodeType::Property);
        is_value && node.language == Language::TypeScript && node.name == *rarest
    };
    let mut owners: Vec<NodeId> = found
        .iter()
        .filter(|node| is_member(node))
        .filter_map(|node| node.parent)
        .collect();
    owners.sort_unstable();
    owners.dedup();

    let classes = store::classes(snapshot, &owners)?;
    let is_class = |id: &NodeId| {
        let class = classes.get(id);
        class.is_some_and(|class| class.node_type == NodeType::Class)
    };
    let mut fitting = Vec::new();
    for owner in owners.into_iter().filter(is_class) {
        let members = members_of(snapshot, owner)?;
        let has = |name: &&str| members.iter().any(|member| member.name == **name);
        if names.iter().all(has) {
            fitting.push(owner);
        }
    }
    Ok(fitting)
}
