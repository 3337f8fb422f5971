//! Flow: the calls of a function, in order and nested, as an indented list.
//!
//! Calls are followed to a depth. Functions that much code uses are named and not entered. `new T`
//! leads to the members of `T` that override something, which run later; a call of a member with
//! several implementations is followed by their number.
//!
//! Limitations: branches and loops are not shown; a function is entered once.

use rustc_hash::FxHashSet;

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeType};
use crate::query::hierarchy::{bases_of, direct_implementations};
use crate::query::{Occurrences, QueryError};
use crate::store::{self, IncidentEdge};

/// Maximum depth of followed calls.
const MAX_DEPTH: usize = 4;

/// Number of uses from which a function is not entered.
const HUB: u64 = 40;

/// Maximum number of overrides listed for a constructed type.
const MAX_LATER: usize = 4;

/// Maximum number of lines.
const MAX_LINES: usize = 200;

/// Returns the lines of a function's flow, each indented by its depth.
pub fn flow(
    occurrences: &mut Occurrences<'_, '_>,
    start: &Node,
) -> Result<Vec<String>, QueryError> {
    let mut walk = Walk {
        occurrences,
        entered: FxHashSet::default(),
        lines: Vec::new(),
    };
    walk.enter(start, 0, "")?;
    Ok(walk.lines)
}

struct Walk<'w, 's, 'a> {
    occurrences: &'w mut Occurrences<'s, 'a>,
    entered: FxHashSet<NodeId>,
    lines: Vec<String>,
}

impl Walk<'_, '_, '_> {
    fn enter(&mut self, node: &Node, depth: usize, prefix: &str) -> Result<(), QueryError> {
        let place = node
            .spans
            .first()
            .map(|span| format!("  {}:{}", span.path, span.name_line));
        self.write(depth, prefix, node, &place.unwrap_or_default())?;
        if depth >= MAX_DEPTH || self.lines.len() > MAX_LINES || !self.entered.insert(node.id) {
            return Ok(());
        }
        for call in self.calls(node.id)? {
            if let Some(target) = store::node(self.occurrences.sources.snapshot(), call.other)? {
                self.step(&target, &call, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Returns the first call of each function, in order.
    fn calls(&self, node: NodeId) -> Result<Vec<IncidentEdge>, QueryError> {
        let mut calls = store::incident_edges(
            self.occurrences.sources.snapshot(),
            node,
            Some(EdgeType::Calls),
            EdgeDirection::Outgoing,
        )?;
        calls.sort_by_key(|call| (call.file, call.line, call.column));
        let mut seen = FxHashSet::default();
        calls.retain(|call| seen.insert(call.other));
        Ok(calls)
    }

    fn step(&mut self, target: &Node, call: &IncidentEdge, depth: usize) -> Result<(), QueryError> {
        let doubt = match call.confidence {
            Confidence::Exact => "",
            _ => "possibly ",
        };
        let prefix = format!("{} {doubt}", call.line);
        if target.node_type == NodeType::Constructor {
            return self.construct(target, depth, &prefix);
        }
        if let Some(class) = Some(target).filter(|node| node.node_type == NodeType::Class) {
            return self.later(class, depth, &prefix);
        }
        let snapshot = self.occurrences.sources.snapshot();
        let implementations = direct_implementations(snapshot, &[target.id])?;
        if let [(only, _)] = implementations.as_slice()
            && target.flags.has(NodeFlags::ABSTRACT)
            && let Some(only) = store::node(snapshot, *only)?
        {
            let name = self.occurrences.short_name(target)?;
            return self.enter(&only, depth, &format!("{prefix}{name} -> "));
        }
        if !implementations.is_empty() {
            let count = format!(" -> {} implementations", implementations.len());
            return self.write(depth, &prefix, target, &count);
        }
        if store::reference_count(snapshot, target.id)? >= HUB {
            return self.write(depth, &prefix, target, "");
        }
        self.enter(target, depth, &prefix)
    }

    fn construct(
        &mut self,
        constructor: &Node,
        depth: usize,
        prefix: &str,
    ) -> Result<(), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let class = match constructor.parent {
            Some(parent) => store::node(snapshot, parent)?,
            None => None,
        };
        match class {
            Some(class) => self.later(&class, depth, prefix),
            None => self.enter(constructor, depth, prefix),
        }
    }

    /// Writes that a type is constructed, and enters its members that other code calls later.
    fn later(&mut self, class: &Node, depth: usize, prefix: &str) -> Result<(), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut later = Vec::new();
        for member in store::contained(snapshot, class.id, EdgeDirection::Outgoing)? {
            let Some(member) = store::node(snapshot, member.id)? else {
                continue;
            };
            let is_called_later = member.node_type == NodeType::Method
                && (member.flags.has(NodeFlags::OVERRIDE)
                    || !bases_of(snapshot, &[member.id])?.is_empty());
            if is_called_later {
                later.push(member);
            }
        }
        later.sort_by_key(|member| member.spans.first().map(|span| span.name_line));
        let place = class
            .spans
            .first()
            .map(|span| format!("  {}:{}", span.path, span.name_line));
        self.write(
            depth,
            &format!("{prefix}new "),
            class,
            &place.unwrap_or_default(),
        )?;
        if store::reference_count(snapshot, class.id)? >= HUB || self.entered.contains(&class.id) {
            return Ok(());
        }
        self.entered.insert(class.id);
        for member in later.iter().take(MAX_LATER) {
            self.enter(member, depth + 1, "later runs ")?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        depth: usize,
        prefix: &str,
        node: &Node,
        rest: &str,
    ) -> Result<(), QueryError> {
        let name = self.occurrences.short_name(node)?;
        self.lines
            .push(format!("{}{prefix}{name}{rest}", "  ".repeat(depth)));
        Ok(())
    }
}
