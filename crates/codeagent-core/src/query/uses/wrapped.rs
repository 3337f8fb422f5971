//! Wrappers: variables and default exports whose value passes a function to another one.
//!
//! `export default traceFunction({})(present)`, `const Row = React.memo(RowBody)`: the uses of the
//! wrapper are uses of the wrapped function, although the calls resolve to the wrapper.
//!
//! Limitations: a wrapper is declared in the same file, in at most [`MAX_LINES`] lines.

use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeKind, NodeType};
use crate::query::{Note, QueryError, RelatedResults, Relation, Sources};
use crate::store;

/// Maximum number of lines of a wrapper's declaration.
const MAX_LINES: u32 = 8;

/// Maximum number of wrappers of one symbol.
const MAX_WRAPPERS: usize = 8;

/// Uses of a wrapper that are uses of what it wraps.
const USES: [EdgeType; 3] = [EdgeType::Calls, EdgeType::References, EdgeType::Accepts];

/// Notes the uses of a symbol that are listed under its wrappers.
pub(in crate::query) fn uses_of_wrappers(
    sources: &mut Sources<'_>,
    node: &Node,
    relation: Relation<'_>,
) -> Result<Vec<Note>, QueryError> {
    let mut notes = Vec::new();
    if relation.direction == EdgeDirection::Outgoing
        || !relation.edge_types.contains(&EdgeType::Calls)
    {
        return Ok(notes);
    }

    let wrappers = wrappers_of(sources, node)?;
    let within = |id| id == node.id || wrappers.iter().any(|wrapper| wrapper.id == id);
    for wrapper in &wrappers {
        let mut count = 0;
        store::each_use(
            sources.snapshot(),
            &[wrapper.id],
            &USES,
            EdgeDirection::Incoming,
            |_, edge| count += usize::from(!within(edge.other)),
        )?;
        if count > 0 {
            let uses = RelatedResults::UsesOfWrapper {
                count,
                wrapper: wrapper.name.clone(),
                line: wrapper.spans.first().map_or(0, |span| span.name_line),
                name: wrapper.qualified_name.clone(),
            };
            notes.push(uses.into());
        }
    }

    Ok(notes)
}

/// Returns the variables and default exports whose value is a call that a function, class or
/// component is passed to, and the wrappers of these.
pub fn wrappers_of(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<Node>, QueryError> {
    let mut wrappers = direct_wrappers(sources, node)?;
    let mut at = 0;
    while at < wrappers.len() && wrappers.len() < MAX_WRAPPERS {
        for outer in direct_wrappers(sources, &wrappers[at])? {
            let is_known = |known: &Node| known.id == outer.id;
            if outer.id != node.id && !wrappers.iter().any(is_known) {
                wrappers.push(outer);
            }
        }
        at += 1;
    }
    Ok(wrappers)
}

fn direct_wrappers(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<Node>, QueryError> {
    let can_be_wrapped = matches!(
        node.node_type,
        NodeType::Method | NodeType::Class | NodeType::Component | NodeType::Property
    );
    if !can_be_wrapped || !node.language.rules().has_object_literals {
        return Ok(Vec::new());
    }
    let Some(declared) = node.spans.first() else {
        return Ok(Vec::new());
    };
    let uses = store::incident_edges(
        sources.snapshot(),
        node.id,
        Some(EdgeType::References),
        EdgeDirection::Incoming,
    )?;

    let mut wrappers: Vec<Node> = Vec::new();
    for edge in uses {
        if edge.other == node.id || wrappers.iter().any(|known| known.id == edge.other) {
            continue;
        }
        let Some(holder) = store::node(sources.snapshot(), edge.other)? else {
            continue;
        };
        let is_value = holder.kind == NodeKind::Variable || holder.node_type == NodeType::Component;
        let Some(span) = holder
            .spans
            .first()
            .filter(|span| span.path == declared.path)
        else {
            continue;
        };
        let (first, last) = (span.span.start.line, span.span.end_line);
        if !is_value || last - first >= MAX_LINES || node.name == holder.name {
            continue;
        }
        let lines = sources.lines(&span.path, first, last)?.unwrap_or_default();
        if is_argument(&lines.join("\n"), &node.name) {
            wrappers.push(holder);
        }
    }
    Ok(wrappers)
}

/// Reports whether a name is a complete argument in a text: `memo(Row)`, `debounce(save, 10)`.
fn is_argument(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end().chars().next_back();
        let after = text[at + name.len()..].trim_start().chars().next();
        let is_whole = matches!(before, Some('(' | ',')) && matches!(after, Some(')' | ','));
        is_whole && bracket_around(&text[..at]) == Some('(')
    })
}

/// Returns the last bracket of a text that is not closed: `(` of `f(g(a), `.
fn bracket_around(text: &str) -> Option<char> {
    let mut closed = 0_usize;
    for c in text.chars().rev() {
        match c {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed == 0 => return Some(c),
            '(' | '[' | '{' => closed -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_arguments_are_distinguished_from_other_uses() {
        for (text, expected) in [
            ("export default trace({ a: 1 })(\n  present\n)", true),
            ("const Row = memo(RowBody, same)", false),
            ("const present2 = memo(present, same)", true),
            ("const x = present(1)", false),
            ("const x = f(present(1))", false),
            ("const x = [present]", false),
            ("const X = { absent, present, past }", false),
            ("const X = f({ absent, present, past })", false),
            ("const X = f({ a: 1 }, present, [])", true),
            ("f(presented)", false),
        ] {
            assert_eq!(is_argument(text, "present"), expected, "{text}");
        }
    }
}
