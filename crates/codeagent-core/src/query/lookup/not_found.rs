//! Explains why a name was not found, and resolves its longest known prefix.
//!
//! A query for `CaptureUpdateAction.NEVER` learns that there is a variable `CaptureUpdateAction`,
//! and a query for a misspelled member learns the similar members of the type.
//!
//! Limitations: namespaces do not count as prefixes, because most names start with one. Inherited
//! members are not compared.

use crate::model::graph::{EdgeDirection, Node, NodeKind, NodeType};
use crate::query::{
    Instead, NoMember, NotFound, Note, QueryError, get_node_by_qualified_name, nearest,
    resolve_symbols, unindexed_files, unindexed_files_like,
};
use crate::store::{self, Snapshot};

/// Maximum number of prefixes tried, longest first.
const MAX_PREFIXES: usize = 8;

/// Maximum number of members compared with the missing one.
const MAX_MEMBERS: usize = 500;

/// Maximum number of similar members returned.
const MAX_NEAREST: usize = 5;

/// Explains why a name resolves to no symbol.
pub(in crate::query) fn not_found(
    snapshot: &Snapshot,
    asked: &str,
) -> Result<NotFound, QueryError> {
    let instead = match known_prefix(snapshot, asked)? {
        Some(prefix) => Instead::NoMember(prefix),
        None => Instead::Nearest(nearest(snapshot, asked)?),
    };
    with_unindexed(snapshot, asked, instead)
}

/// Explains why no symbol has a qualified name; the cause may be a filter.
pub fn explain_not_found(snapshot: &Snapshot, name: &str) -> Result<Note, QueryError> {
    let unfiltered = get_node_by_qualified_name(snapshot, name, None, None)?;
    if let Some((node, _)) = unfiltered.first() {
        let excluded = Instead::Excluded {
            count: unfiltered.len(),
            language: node.language,
            project_id: node.project_id.clone(),
        };
        return Ok(Note::NotFound(with_unindexed(snapshot, name, excluded)?));
    }

    // A name with parameters, in another case or of an inherited member can still be resolved.
    Ok(Note::NotFound(
        if let Ok(matches) = resolve_symbols(snapshot, name, None) {
            let closest = Instead::Closest(matches.answered[0].label());
            with_unindexed(snapshot, name, closest)?
        } else {
            not_found(snapshot, name)?
        },
    ))
}

fn with_unindexed(
    snapshot: &Snapshot,
    asked: &str,
    instead: Instead,
) -> Result<NotFound, QueryError> {
    let unindexed = unindexed_files_like(snapshot, asked)?;
    let missing = if unindexed.is_empty() {
        unindexed_files(snapshot, None)?
    } else {
        None
    };

    Ok(NotFound {
        asked: asked.to_owned(),
        instead,
        unindexed,
        missing,
    })
}

/// Resolves the longest prefix of a name that is a symbol. Returns `None` if there is none, or if
/// it is a namespace.
fn known_prefix(snapshot: &Snapshot, asked: &str) -> Result<Option<NoMember>, QueryError> {
    let name = asked.split('(').next().unwrap_or(asked).trim();
    for (at, _) in name.rmatch_indices(['.', '#']).take(MAX_PREFIXES) {
        let (before, after) = (&name[..at], &name[at + 1..]);
        if before.is_empty() || after.is_empty() {
            continue;
        }

        let found = get_node_by_qualified_name(snapshot, before, None, None)?;
        let nodes = found
            .into_iter()
            .map(|(node, _)| node)
            .filter(|node| node.node_type != NodeType::Constructor);
        // `Mailbox.Enqueue` refers to the class rather than to a property named `Mailbox`.
        match nodes.min_by_key(holds_values) {
            Some(node) if node.node_type == NodeType::Module => return Ok(None),
            Some(node) => return no_member(snapshot, &node, after).map(Some),
            None => {}
        }
    }

    Ok(None)
}

fn no_member(snapshot: &Snapshot, node: &Node, rest: &str) -> Result<NoMember, QueryError> {
    let member = rest.split(['.', '#']).next().unwrap_or(rest);
    Ok(NoMember {
        container: node.into(),
        location: node
            .spans
            .first()
            .map(|span| (span.path.clone(), span.name_line)),
        member: member.to_owned(),
        nearest: nearest_members(snapshot, node, member)?,
        is_value: holds_values(node) && node.language.rules().has_object_literals,
    })
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
    members.truncate(MAX_NEAREST);
    Ok(members.into_iter().map(|(_, name)| name).collect())
}
