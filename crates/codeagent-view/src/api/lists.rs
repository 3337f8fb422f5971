//! The lists of a symbol's page: who uses it, what it uses, its members and tests.

use codeagent_core::model::graph::{EdgeDirection, EdgeType, Node, NodeType};
use codeagent_core::query::{
    self, Filter, Labels, Neighbors, Occurrence, Occurrences, PossibleUsesQuery, Relation, Sources,
};
use serde_json::{Value, json};

use super::{ApiError, Query, rows};

/// Number of rows of one answer.
const PAGE: usize = 30;

/// Number of sites of one row.
const MAX_SITES: usize = 3;

/// Maximum number of symbols through which a test may reach the symbol.
const TEST_STEPS: u32 = 2;

const BASES: Relation<'static> = Relation {
    direction: EdgeDirection::Outgoing,
    edge_types: &[
        EdgeType::Inherits,
        EdgeType::Implements,
        EdgeType::Extends,
        EdgeType::Overrides,
    ],
};

const OTHER_USES: [EdgeType; 3] = [EdgeType::References, EdgeType::Accepts, EdgeType::Imports];

/// Returns a page of a list.
pub fn list(query: &Query<'_>) -> Result<Value, ApiError> {
    let id = rows::id(query.parameters.text("id")?)?;
    let Some(symbol) = query::get_node(query.snapshot, id)? else {
        return Ok(json!({ "total": 0, "rows": [], "next": null }));
    };
    let node = symbol.node;

    let other = |direction| Relation {
        direction,
        edge_types: &OTHER_USES,
    };
    match query.parameters.text("list")? {
        "callers" => related(query, &node, Relation::CALLERS),
        "callees" => related(query, &node, Relation::CALLEES),
        "implementations" => related(query, &node, Relation::IMPLEMENTATIONS),
        "bases" => related(query, &node, BASES),
        "uses" => related(query, &node, other(EdgeDirection::Incoming)),
        "dependencies" => related(query, &node, other(EdgeDirection::Outgoing)),
        "members" => members(query, &node),
        "possible" => possible(query, &node),
        "unresolved" => unresolved(query, &node),
        "tests" => tests(query, &node),
        other => Err(ApiError::Parameters(format!("there is no list {other:?}"))),
    }
}

/// The part of a list that an answer shows.
struct Page {
    from: usize,
    total: usize,
}

impl Page {
    fn of(query: &Query<'_>, total: usize) -> Result<Self, ApiError> {
        let from = query.parameters.number("from", 0)?;
        Ok(Self { from, total })
    }

    fn shown(&self) -> std::ops::Range<usize> {
        let from = self.from.min(self.total);
        from..self.total.min(from + PAGE)
    }

    fn answer(&self, rows: Vec<Value>) -> Value {
        let end = self.shown().end;
        let next = (end < self.total).then_some(end);
        json!({ "total": self.total, "rows": rows, "next": next })
    }
}

fn related(query: &Query<'_>, node: &Node, relation: Relation<'_>) -> Result<Value, ApiError> {
    let all = Filter::default();
    let found = Neighbors::of_any(query.snapshot, &[node.id], relation, &all, None)?;
    let page = Page::of(query, found.len())?;
    let mut sources = query.sources();
    let mut labels = Labels::default();
    labels.load(query.snapshot, page.shown().map(|index| found.key(index).1))?;

    let mut answered = Vec::new();
    for index in page.shown() {
        if let Some(neighbor) = found.get(index, &mut sources, MAX_SITES)? {
            let mut row = rows::neighbor(&neighbor, &labels);
            if relation.edge_types.len() == 1 {
                row["relation"] = Value::Null;
            }
            answered.push(row);
        }
    }
    Ok(page.answer(answered))
}

fn members(query: &Query<'_>, node: &Node) -> Result<Value, ApiError> {
    let mut members = query::members_of(query.snapshot, node.id)?;
    members.sort_by(|a, b| (rows::place(a), a.id).cmp(&(rows::place(b), b.id)));
    let page = Page::of(query, members.len())?;
    let shown = &members[page.shown()];
    let mut answered = rows::symbols(query.snapshot, shown.iter())?;
    for (row, member) in answered.iter_mut().zip(shown) {
        let parameters = member.all_parameters();
        row["name"] = format!("{}{parameters}", member.name).into();
    }
    Ok(page.answer(answered))
}

/// Lists unresolved uses of the symbol's name, the likely ones first.
fn possible(query: &Query<'_>, node: &Node) -> Result<Value, ApiError> {
    if matches!(node.node_type, NodeType::File | NodeType::Module) {
        return Ok(Page { from: 0, total: 0 }.answer(Vec::new()));
    }
    let mut sources = query.sources();
    let nodes = [node.clone()];
    let found = query::possible_callers(&mut Occurrences::new(&mut sources), &nodes, true)?;
    let places: Vec<&Occurrence> = found.likely.iter().chain(&found.others).collect();
    occurrences(query, &places)
}

fn occurrences(query: &Query<'_>, places: &[&Occurrence]) -> Result<Value, ApiError> {
    let page = Page::of(query, places.len())?;
    let shown = &places[page.shown()];
    Ok(page.answer(shown.iter().map(|place| rows::occurrence(place)).collect()))
}

/// Lists calls in the symbol that could not be resolved.
fn unresolved(query: &Query<'_>, node: &Node) -> Result<Value, ApiError> {
    let mut sources: Sources<'_> = query.sources();
    let asked = PossibleUsesQuery {
        nodes: &[node],
        relation: Relation::CALLEES,
        within: None,
        is_empty: false,
        limit: 0,
    };

    let sites = query::possible_uses(&mut sources, &asked)?.unresolved_at;
    let page = Page::of(query, sites.len())?;
    let mut answered = Vec::new();
    for (path, line, column) in &sites[page.shown()] {
        answered.push(json!({
            "path": path,
            "line": line,
            "name": sources.name_at(path, *line, *column)?,
            "text": sources.line(path, *line)?,
        }));
    }

    Ok(page.answer(answered))
}

fn tests(query: &Query<'_>, node: &Node) -> Result<Value, ApiError> {
    if matches!(node.node_type, NodeType::File | NodeType::Module) {
        return Ok(Page { from: 0, total: 0 }.answer(Vec::new()));
    }
    let mut sources = query.sources();
    let mut ids = vec![node.id];
    ids.extend(constructors(query, node)?);
    let mut places = Occurrences::new(&mut sources);
    let found = query::tests_reaching(&mut places, &ids, TEST_STEPS)?.all();
    occurrences(query, &found.iter().collect::<Vec<_>>())
}

/// Returns the constructors of a type: its objects are created through them.
fn constructors(query: &Query<'_>, node: &Node) -> Result<Vec<codeagent_core::NodeId>, ApiError> {
    if node.node_type != NodeType::Class {
        return Ok(Vec::new());
    }
    let members = query::members_of(query.snapshot, node.id)?;
    let created = members
        .iter()
        .filter(|member| member.node_type == NodeType::Constructor);
    Ok(created.map(|member| member.id).collect())
}
