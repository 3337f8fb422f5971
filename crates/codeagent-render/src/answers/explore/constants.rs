//! The section with the values of the constants that shown source names: `if (age > MAX_AGE)`.

use codeagent_core::model::graph::{EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeKind};
use codeagent_core::query::{Filter, Neighbors, Occurrence, Occurrences, Relation};

use super::member::{is_callable, is_on_one_line, own_lines_of};
use crate::answers::AnswerError;
use crate::text::Section;

/// Maximum number of constants.
const MAX_CONSTANTS: usize = 6;

/// Returns the declarations of the module-level variables and static fields with a value on one line that some
/// symbols name, without those inside the symbols.
pub(super) fn section(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[Node],
) -> Result<Section, AnswerError> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let relation = Relation {
        direction: EdgeDirection::Outgoing,
        edge_types: &[EdgeType::References],
    };
    let filter = Filter::default();
    let named = Neighbors::of_any(
        occurrences.sources.snapshot(),
        &ids,
        relation,
        &filter,
        None,
    )?;

    let mut places = Vec::new();
    for at in 0..named.len() {
        let Some(named) = named.get(at, occurrences.sources, 0)? else {
            continue;
        };
        if !is_constant(&named.node) {
            continue;
        }
        let declared = occurrences.of_declarations(&[named.node.id])?;
        places.extend(declared.into_iter().filter(has_literal));
        if places.len() == MAX_CONSTANTS {
            break;
        }
    }
    let is_inside = own_lines_of(nodes);
    places.retain(|place| !is_inside(place));
    let title = "values of constants that are named there";
    Ok(Section::occurrence_rows("values", title, places))
}

/// Reports whether a declaration has a value with a literal; a logger or an empty list says nothing.
fn has_literal(place: &Occurrence) -> bool {
    let source = place.source.as_deref().unwrap_or_default();
    let Some((_, value)) = source.split_once(" = ") else {
        return false;
    };
    let begins = |c: char| c.is_ascii_digit() || ['"', '\'', '`'].contains(&c);
    value.contains(begins) || value.contains("true") || value.contains("false")
}

/// Reports whether a symbol is a variable of a module or a static field on one line.
fn is_constant(node: &Node) -> bool {
    let is_static = match node.kind {
        NodeKind::Variable => true,
        NodeKind::Field => node.flags.has(NodeFlags::STATIC),
        _ => false,
    };
    is_static && is_on_one_line(node) && !is_callable(node)
}
