//! Sections about symbols outside the repository: what uses them, and what extends them.

use codeagent_core::model::graph::EdgeType;
use codeagent_core::query::{self, Occurrence, Occurrences, StoredExternal};

use super::wants::Wants;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of symbols named in the heading.
const MAX_NAMED: usize = 6;

/// The sections: key, title and the edge types of the uses.
const SECTIONS: [(&str, &str, &[EdgeType]); 4] = [
    ("callers", "called by", &[EdgeType::Calls]),
    (
        "implementations",
        "implemented or extended by",
        &[EdgeType::Implements, EdgeType::Inherits, EdgeType::Extends],
    ),
    (
        "types",
        "used as a type by",
        &[EdgeType::References, EdgeType::Accepts],
    ),
    ("imports", "imported by", &[EdgeType::Imports]),
];

pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    symbols: &[StoredExternal],
    wants: Wants,
) -> Result<(), AnswerError> {
    document.line(heading(symbols));

    let snapshot = occurrences.sources.snapshot();
    let members = query::external_members(snapshot, symbols)?;
    let names = members
        .iter()
        .map(|(member, uses)| format!("{} ({uses})", member.name()))
        .collect();
    let title = "members that are used, with the number of uses";
    document.section(wants.weigh(Section::list("members", title, names), false, 8));
    let edges = query::external_uses(snapshot, symbols)?;
    let mut in_tests: Vec<Occurrence> = Vec::new();
    for (key, title, edge_types) in SECTIONS {
        let uses: Vec<_> = edges
            .iter()
            .map(|(_, edge)| edge)
            .filter(|edge| edge_types.contains(&edge.edge_type))
            .cloned()
            .collect();
        let (tests, code): (Vec<_>, Vec<_>) = occurrences
            .of_edges(&uses)?
            .into_iter()
            .partition(Occurrence::is_test);
        in_tests.extend(tests);

        let is_wanted = match key {
            "implementations" => wants.implementations,
            "callers" => wants.callers || wants.impact,
            _ => false,
        };
        let weight = if key == "imports" { 4 } else { 12 };
        document.section(wants.weigh(
            Section::occurrence_rows(key, title, code),
            is_wanted,
            weight,
        ));
    }

    let tests = Section::occurrence_rows("tests", "in tests", in_tests);
    document.section(wants.weigh_tests(tests));
    Ok(())
}

/// Names the symbols, overloads once.
fn heading(symbols: &[StoredExternal]) -> String {
    let mut names = query::external_names(symbols);

    let more = match names.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(MAX_NAMED);
    format!("## {}{more} (outside the repository)", names.join(", "))
}
