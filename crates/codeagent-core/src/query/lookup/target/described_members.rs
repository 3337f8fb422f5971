//! The member of a named type that a sentence describes: `the cart manager's method that finds a cart by its name` is
//! `CartManager.GetCartByName`.

use super::{Target, Targets, Token, symbols};
use crate::model::graph::NodeId;
use crate::query::{QueryError, SymbolGroup};
use crate::store::{self, Snapshot};

/// Words for a member, before what it does.
const MEMBERS: [&str; 6] = [
    "function",
    "helper",
    "member",
    "method",
    "operation",
    "property",
];

/// Words that begin a description.
const DESCRIBING: [&str; 2] = ["that", "which"];

/// The first word of names of members that only return what they name.
const ACCESSOR: &str = "get";

/// Number of words that a description must share with the name of a member, and of its share of that name.
const MIN_SHARED: usize = 2;
const MIN_SHARE: f64 = 0.5;

/// Replaces a type by the member of it that a sentence describes, if one member is described best.
pub(super) fn add(
    snapshot: &Snapshot,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    let begins =
        |pair: &[Token<'_>]| MEMBERS.contains(&pair[0].text) && DESCRIBING.contains(&pair[1].text);
    let Some(at) = tokens.windows(2).position(begins) else {
        return Ok(());
    };
    let words: Vec<&str> = tokens[at + 2..].iter().map(|token| token.text).collect();
    let said = store::word_roots(&words.join(" "));

    for target in &mut targets.found {
        let Target::Symbols(named) = target else {
            continue;
        };
        let groups = named.groups.iter();
        let types = groups.filter(|group| group.first().node_type.is_type());
        let types: Vec<NodeId> = types.flat_map(SymbolGroup::ids).collect();
        let mut best: Option<(f64, String)> = None;
        for member in store::children_of(snapshot, &types)? {
            let mut name = store::telling_roots(&member.name);
            name.remove(ACCESSOR);
            let shared = name.intersection(&said).count();
            let share = shared as f64 / name.len().max(1) as f64;
            let is_better = best.as_ref().is_none_or(|(most, _)| share > *most);
            if shared >= MIN_SHARED && share >= MIN_SHARE && is_better {
                best = Some((share, format!("{}.{}", named.asked, member.name)));
            }
        }
        if let Some((_, name)) = best
            && let Ok(member) = symbols(snapshot, &name)?
        {
            *target = Target::Symbols(member);
        }
    }
    Ok(())
}
