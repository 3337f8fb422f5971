//! What may belong to a list and is not in it? Said on the first page, each with its number and the first places.
//!
//! **Limits.** Files that no language covers are looked at only if a list of users is empty: that takes a walk over the repository.

use codeagent_core::model::graph::{EdgeDirection, EdgeType, Node};
use codeagent_core::query::{self, Meant, Places, Sources, Texts};

use crate::answer::Answer;
use crate::error::ToolError;
use crate::output::{Addition, POSSIBLE, POSSIBLE_SITES, TEXTUAL, TEXTUAL_SITES, UNRESOLVED, UNRESOLVED_SITES};

/// How many places are shown of each.
const SHOWN: usize = 3;

/// What may belong to a list about symbols, as additions to an answer.
pub fn uncertain(
    (sources, texts): (&mut Sources<'_>, &Texts),
    (meant, is_empty): (&Meant, bool),
    (direction, verbs): (EdgeDirection, &[EdgeType]),
) -> Result<Answer, ToolError> {
    let mut answer = Answer::new(())?;
    let nodes: Vec<&Node> = meant.nodes().collect();
    if direction == EdgeDirection::Outgoing {
        if verbs.contains(&EdgeType::Calls) {
            add(&mut answer, (&UNRESOLVED_SITES, &UNRESOLVED), query::unresolved_calls_in(sources, &nodes, SHOWN)?);
        }
        return Ok(answer);
    }
    if verbs == [EdgeType::Contains] {
        return Ok(answer);
    }
    let names = names(&nodes);
    add(&mut answer, (&UNRESOLVED_SITES, &UNRESOLVED), query::unresolved_uses(sources, &names, SHOWN)?);
    add(&mut answer, (&POSSIBLE_SITES, &POSSIBLE), query::possible_uses(sources, &nodes, verbs, SHOWN)?);
    if is_empty {
        let textual = query::textual_uses(sources, texts, &names, SHOWN)?;
        if textual.is_cut {
            answer.notes.push("only a part of the files that no language covers was searched for the name".to_owned());
        }
        add(&mut answer, (&TEXTUAL_SITES, &TEXTUAL), textual.places);
    }
    Ok(answer)
}

fn add(answer: &mut Answer, (number, list): (&Addition, &Addition), places: Places) {
    if places.count > 0 {
        answer.add(number, places.count);
        answer.add(list, places.first);
    }
}

/// The symbols that share a bare name count once for what is known of that name.
fn names<'a>(nodes: &[&'a Node]) -> Vec<&'a str> {
    let mut names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
