//! Declarations that only wrap a function: `export default trace(...)(present)`, `memo(Button)`.
//!
//! A function that is exported wrapped is used under the name of its wrapper, so its uses are those
//! of the wrapper too. A wrapper is a short variable of the same file whose initializer is the
//! function itself or passes it to a call.
//!
//! Limitations: the initializer is recognized by the line of the use, so a wrapper in a file that
//! changed since it was indexed is not found.

use rustc_hash::FxHashSet;

use crate::model::graph::{EdgeDirection, EdgeType, NodeId, NodeKind, NodeType};
use crate::query::{QueryError, Sources};
use crate::store::{self, IncidentEdge, SymbolBrief};

/// Most lines of a wrapper's declaration.
const MAX_LINES: u32 = 7;

/// A declaration that wraps a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// The wrapping declaration.
    pub wrapper: SymbolBrief,
    /// What it wraps.
    pub wrapped: NodeId,
}

/// Finds the declarations that wrap one of some symbols.
pub fn wrappers(
    sources: &mut Sources<'_>,
    symbols: &[SymbolBrief],
) -> Result<Vec<Wrapper>, QueryError> {
    let snapshot = sources.snapshot();
    let wrappable: Vec<&SymbolBrief> = symbols
        .iter()
        .filter(|symbol| may_be_wrapped(symbol))
        .collect();
    let ids: Vec<NodeId> = wrappable.iter().map(|symbol| symbol.id).collect();
    let mut uses: Vec<(NodeId, IncidentEdge)> = Vec::new();
    let passed = [EdgeType::References, EdgeType::Calls];
    store::each_use(
        snapshot,
        &ids,
        &passed,
        EdgeDirection::Incoming,
        |of, edge| {
            uses.push((of, edge));
        },
    )?;

    let users: FxHashSet<NodeId> = uses.iter().map(|(_, edge)| edge.other).collect();
    let users = store::briefs(snapshot, &users.into_iter().collect::<Vec<_>>())?;
    let mut found: Vec<Wrapper> = Vec::new();
    for (of, edge) in uses {
        let Some(user) = users.get(&edge.other) else {
            continue;
        };
        let Some(symbol) = wrappable.iter().find(|symbol| symbol.id == of) else {
            continue;
        };
        let is_candidate = is_short_variable(user)
            && user.file == symbol.file
            && user.id != of
            && !found.iter().any(|known| known.wrapper.id == user.id);
        if !is_candidate {
            continue;
        }
        let Some(path) = store::file_path(snapshot, edge.file)? else {
            continue;
        };
        let line = sources.line(&path, edge.line)?.unwrap_or_default();
        if is_passed_on(&line, &symbol.name) {
            found.push(Wrapper {
                wrapper: user.clone(),
                wrapped: of,
            });
        }
    }
    found.sort_by_key(|each| (each.wrapper.name_line, each.wrapper.id));
    Ok(found)
}

fn may_be_wrapped(symbol: &SymbolBrief) -> bool {
    symbol.language.rules().has_object_literals
        && matches!(
            symbol.node_type,
            NodeType::Method | NodeType::Component | NodeType::Class | NodeType::Property
        )
}

fn is_short_variable(user: &SymbolBrief) -> bool {
    let holds_a_value = user.kind == NodeKind::Variable || user.node_type == NodeType::Component;
    holds_a_value && user.line_end.saturating_sub(user.line_start) < MAX_LINES
}

/// Reports whether a line passes a name on as it is: as an argument, or as the whole initializer.
fn is_passed_on(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].trim_end();
        let after = line[at + name.len()..].trim_start();
        let is_begun = before.is_empty() || before.ends_with(['(', ',', '=']);
        let is_ended = after.is_empty() || after.starts_with([')', ',', ';']);
        let is_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
            && !line[at + name.len()..]
                .starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        let is_array = before.contains('[') || before.contains('{') && !before.contains("})");
        is_begun && is_ended && is_word && !is_array
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_whole_initializers_are_passed_on() {
        for (line, expected) in [
            ("export default trace({ a: 1 })(present);", true),
            ("export const Row = memo(present)", true),
            ("present,", true),
            ("export default present;", false),
            ("const other = present;", true),
            ("const all = [first, present];", false),
            ("const result = present(1);", false),
            ("const table = { present, other };", false),
            ("const x = memo(represent)", false),
        ] {
            assert_eq!(is_passed_on(line, "present"), expected, "{line}");
        }
    }
}
