//! Sections about symbols outside the repository: what uses them, and what extends them.

use codeagent_core::model::graph::{EdgeType, NodeId};
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
        "implemented or extended by, at all levels",
        &[EdgeType::Implements, EdgeType::Inherits, EdgeType::Extends],
    ),
    (
        "types",
        "used as a type by",
        &[EdgeType::References, EdgeType::Accepts],
    ),
    ("imports", "imported by", &[EdgeType::Imports]),
];

/// Adds external symbols or, with a `member`, what implements a member of these types.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (symbols, member): (&[StoredExternal], Option<&str>),
    wants: Wants,
) -> Result<(), AnswerError> {
    document.line(heading(symbols, member));

    let snapshot = occurrences.sources.snapshot();
    if let Some(member) = member {
        let found = query::members_below(snapshot, symbols, member)?;
        return implementing(document, occurrences, &found, wants);
    }
    if wants.implementations {
        let found = query::implementations_of_external(snapshot, symbols)?;
        implementing(document, occurrences, &found, wants)?;
    }

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
        let places = if key == "implementations" {
            let below = query::types_below(occurrences.sources.snapshot(), symbols)?;
            occurrences.of_declarations(&below)?
        } else {
            occurrences.of_edges(&uses)?
        };
        let (tests, code): (Vec<_>, Vec<_>) = places.into_iter().partition(Occurrence::is_test);
        if key == "implementations" && wants.implementations {
            let title = "implemented or extended in tests";
            let section = Section::occurrence_rows("test implementations", title, tests);
            document.section(wants.weigh(section, wants.tests, 8));
        } else {
            in_tests.extend(tests);
        }

        let is_wanted = match key {
            "implementations" => wants.implementations,
            "callers" => wants.callers || wants.impact,
            "imports" => wants.imports || wants.dependencies,
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

/// Adds the members of the repository that implement or override external ones.
fn implementing(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[NodeId],
    wants: Wants,
) -> Result<(), AnswerError> {
    let places = occurrences.of_declarations(members)?;
    let section =
        Section::occurrence_rows("overrides", "members that implement or override it", places);
    document.section(wants.weigh(section, true, 0));
    Ok(())
}

/// Names the symbols, overloads once.
fn heading(symbols: &[StoredExternal], member: Option<&str>) -> String {
    let mut names = query::external_names(symbols);
    if let Some(member) = member {
        names
            .iter_mut()
            .for_each(|name| *name = format!("{name}.{member}"));
    }

    let more = match names.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(MAX_NAMED);
    format!("## {}{more} (outside the repository)", names.join(", "))
}
