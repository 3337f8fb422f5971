//! Unresolved uses that may mean some symbols, as places: the likely ones, and the others.

use crate::model::graph::{Node, NodeType};
use crate::query::unresolved::unresolved_uses::{Nearness, UnresolvedUse, unresolved_uses};
use crate::query::{Occurrence, Occurrences, QueryError};

/// Maximum number of likely uses.
const MAX_LIKELY: usize = 60;

/// Maximum number of other uses.
const MAX_OTHERS: usize = 600;

/// Maximum length of a returned line in bytes; longer lines are those of bundles.
const MAX_LINE: usize = 1_000;

/// Unresolved uses that may mean some symbols.
#[derive(Clone, Debug, Default)]
pub struct PossibleCallers {
    /// Those of the nearest files that have any; none in generated files and bundles.
    pub likely: Vec<Occurrence>,
    /// The other uses, the likeliest first; empty unless requested.
    pub others: Vec<Occurrence>,
    /// Total number of uses.
    pub total: usize,
}

/// Finds unresolved uses that may mean symbols of one name, `with_others` also less likely ones.
pub fn possible_callers(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[Node],
    with_others: bool,
) -> Result<PossibleCallers, QueryError> {
    let Some(first) = nodes.first() else {
        return Ok(PossibleCallers::default());
    };
    let only_calls = matches!(first.node_type, NodeType::Method | NodeType::Constructor);
    let all: Vec<&Node> = nodes.iter().collect();
    let mut uses = unresolved_uses(occurrences.sources, &all)?;
    uses.retain(|each| each.is_call || !only_calls);

    let class = |each: &UnresolvedUse| (each.nearness, each.is_misfit);
    let likely = uses
        .iter()
        .take(MAX_LIKELY)
        .take_while(|each| each.nearness != Nearness::NotWritten)
        .take_while(|each| class(each) == class(&uses[0]))
        .count();
    let others = if with_others { MAX_OTHERS } else { 0 };
    let mut places = uses
        .iter()
        .take(likely + others)
        .map(|each| occurrences.unresolved(&each.path, each.line))
        .collect::<Result<Vec<_>, _>>()?;
    let mut others = places.split_off(likely);
    for list in [&mut places, &mut others] {
        list.retain(|place| place.source.as_deref().unwrap_or_default().len() <= MAX_LINE);
    }

    Ok(PossibleCallers {
        likely: places,
        others,
        total: uses.len(),
    })
}
