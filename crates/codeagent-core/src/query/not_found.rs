//! Why does a name name nothing, and what does its beginning mean?
//!
//! Who asks for `CaptureUpdateAction.NEVER` learns that there is a variable `CaptureUpdateAction`,
//! and who misspells a member, which members there are.
//!
//! **Limits.** Namespaces are not told: they begin most names. Inherited members are not looked
//! for.

use crate::model::graph::{EdgeDirection, Node, NodeKind, NodeType};
use crate::query::{
    QueryError, get_node_by_qualified_name, nearest, symbols_meant, unread_like, unread_note,
};
use crate::store::{self, Snapshot};

/// How many beginnings are tried, from the longest.
const MAX_BEGINNINGS: usize = 8;

/// How many members are compared with the one that is missing.
const MAX_MEMBERS: usize = 500;

/// How many members are told.
const MAX_TOLD: usize = 5;

/// What the longest beginning of a name that means something is, and what it has in place of the
/// rest.
pub fn beginning(snapshot: &Snapshot, asked: &str) -> Result<Option<String>, QueryError> {
    let name = asked.split('(').next().unwrap_or(asked).trim();
    for (at, _) in name.rmatch_indices(['.', '#']).take(MAX_BEGINNINGS) {
        let (before, after) = (&name[..at], &name[at + 1..]);
        if before.is_empty() || after.is_empty() {
            continue;
        }
        let found = get_node_by_qualified_name(snapshot, before, None, None)?;
        let nodes = found
            .into_iter()
            .map(|(node, _)| node)
            .filter(|node| node.node_type != NodeType::Constructor);
        // `Mailbox.Enqueue` speaks of the class rather than of a property of that name.
        let found = nodes.min_by_key(holds_values);
        match found {
            Some(node) if node.node_type == NodeType::Module => return Ok(None),
            Some(node) => return told(snapshot, &node, after).map(Some),
            None => {}
        }
    }
    Ok(None)
}

/// Why no symbol has a qualified name, and what may be meant.
pub fn why_not_found(snapshot: &Snapshot, name: &str) -> Result<String, QueryError> {
    let unread = unread_like(snapshot, name)?;
    if !unread.is_empty() {
        return Ok(format!("no symbol has that name; {}", unread.join("; ")));
    }
    let why = why_not_named(snapshot, name)?;
    Ok(unread_note(snapshot, None)?
        .into_iter()
        .fold(why, |why, missing| format!("{why}; {missing}")))
}

fn why_not_named(snapshot: &Snapshot, name: &str) -> Result<String, QueryError> {
    let unfiltered = get_node_by_qualified_name(snapshot, name, None, None)?;
    if let Some((node, _)) = unfiltered.first() {
        let place = format!("{} in project {}", node.language, node.project_id);
        return Ok(format!(
            "`language` or `project_id` exclude all symbols of this name ({}); one is {place}",
            unfiltered.len()
        ));
    }
    // Who writes parameters, other capitals or an inherited member means something all the same.
    if let Ok(meant) = symbols_meant(snapshot, name, None) {
        return Ok(format!(
            "no symbol has exactly that qualified name; the closest is {}",
            meant.answered[0].label()
        ));
    }
    if let Some(beginning) = beginning(snapshot, name)? {
        return Ok(format!("no symbol has that name; {beginning}"));
    }
    let nearest = nearest(snapshot, name)?;
    let near = if nearest.is_empty() {
        String::new()
    } else {
        format!("; nearest: {}", nearest.join(", "))
    };
    Ok(format!(
        "no symbol has that name{near}; search_symbols finds names by their parts"
    ))
}

fn told(snapshot: &Snapshot, node: &Node, missing: &str) -> Result<String, QueryError> {
    let member = missing.split(['.', '#']).next().unwrap_or(missing);
    let place = node
        .spans
        .first()
        .map(|span| format!(" at {}:{}", span.path, span.name_line))
        .unwrap_or_default();
    let kind = node.kind.as_str().replace('_', " ");
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    let mut text = format!(
        "{} is {article} {kind}{place} and has no member {member} of its own",
        node.qualified_name
    );
    let nearest = nearest_members(snapshot, node, member)?;
    if !nearest.is_empty() {
        text += &format!("; its closest members: {}", nearest.join(", "));
    } else if holds_values(node) && node.language.rules().has_object_literals {
        text += &format!(
            " (keys of object literals are not symbols); for its uses: `get_references {}`",
            node.qualified_name
        );
    }
    Ok(text)
}

fn holds_values(node: &Node) -> bool {
    matches!(
        node.kind,
        NodeKind::Variable | NodeKind::Field | NodeKind::Property
    )
}

fn nearest_members(
    snapshot: &Snapshot,
    node: &Node,
    missing: &str,
) -> Result<Vec<String>, QueryError> {
    let wanted = missing.to_lowercase();
    let mut members = Vec::new();
    for child in store::contained(snapshot, node.id, EdgeDirection::Outgoing)?
        .iter()
        .take(MAX_MEMBERS)
    {
        let Some(child) = store::node(snapshot, child.id)?
            .filter(|child| child.node_type != NodeType::Constructor)
        else {
            continue;
        };
        members.push((
            strsim::levenshtein(&wanted, &child.name.to_lowercase()),
            child.name,
        ));
    }
    members.sort();
    members.dedup();
    members.truncate(MAX_TOLD);
    Ok(members.into_iter().map(|(_, name)| name).collect())
}
