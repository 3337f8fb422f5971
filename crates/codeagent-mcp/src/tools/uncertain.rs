//! What may belong to a list and is not in it? Said on the first page, each with its number and the
//! first places.

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Meant, Places, Relation, Sources, Texts, UncertainQuery};

use crate::answer::Answer;
use crate::error::ToolError;
use crate::output::{
    Addition, POSSIBLE, POSSIBLE_SITES, TEXTUAL, TEXTUAL_SITES, UNRESOLVED, UNRESOLVED_SITES,
};

/// How many places are shown of each.
const SHOWN: usize = 3;

/// What may belong to a list about symbols, as additions to an answer.
pub fn uncertain(
    sources: &mut Sources<'_>,
    texts: &Texts,
    meant: &Meant,
    relation: Relation<'_>,
    is_empty: bool,
) -> Result<Answer, ToolError> {
    let nodes: Vec<&Node> = meant.nodes().collect();
    let found = query::uncertain(
        sources,
        texts,
        &UncertainQuery {
            nodes: &nodes,
            relation,
            is_empty,
            shown: SHOWN,
        },
    )?;
    let mut answer = Answer::new(())?;
    add(
        &mut answer,
        (&UNRESOLVED_SITES, &UNRESOLVED),
        found.unresolved,
    );
    add(&mut answer, (&POSSIBLE_SITES, &POSSIBLE), found.possible);
    if found.textual.is_cut {
        answer.notes.push(
            "only some of the files in other languages were searched for the name".to_owned(),
        );
    }
    add(
        &mut answer,
        (&TEXTUAL_SITES, &TEXTUAL),
        found.textual.places,
    );
    Ok(answer)
}

fn add(answer: &mut Answer, (number, list): (&Addition, &Addition), places: Places) {
    if places.count > 0 {
        answer.add(number, places.count);
        answer.add(list, places.first);
    }
}
