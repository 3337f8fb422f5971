//! Flow: what happens when a function runs, as an indented list of its calls in order.
//!
//! Calls are followed to a depth. Functions that much code uses are named and not entered. `new T`
//! leads to the members of `T` that override something, which run later; a call of a member with
//! several implementations is followed by their number. Calls in a local function that is not called
//! but given away stand where they are written, as those in nameless callbacks do.
//!
//! Limitations: branches and loops are not shown; a function is entered once.

use rustc_hash::FxHashSet;

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeType};
use crate::query::hierarchy::{bases_of, direct_implementations};
use crate::query::{Occurrences, QueryError};
use crate::store::{self, IncidentEdge, Snapshot};

/// Deepest call that is followed.
const MAX_DEPTH: usize = 4;

/// Symbols with as many uses are not entered.
const HUB: u64 = 40;

/// Most members of a constructed type that are shown to run later.
const MAX_LATER: usize = 4;

/// Most lines.
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
        let snapshot = self.occurrences.sources.snapshot();
        let mut calls = calls_in(snapshot, node)?;
        let called: FxHashSet<NodeId> = calls.iter().map(|call| call.other).collect();

        let mut level = vec![node];
        while !level.is_empty() {
            let mut given = store::children_of(snapshot, &level)?;
            given.retain(|child| child.flags.has(NodeFlags::LOCAL) && !called.contains(&child.id));
            level = given.iter().map(|child| child.id).collect();
            for child in &level {
                calls.extend(calls_in(snapshot, *child)?);
            }
        }

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

    /// Writes that a type is constructed, and enters its members that something else calls later.
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

fn calls_in(snapshot: &Snapshot, node: NodeId) -> Result<Vec<IncidentEdge>, QueryError> {
    Ok(store::incident_edges(
        snapshot,
        node,
        Some(EdgeType::Calls),
        EdgeDirection::Outgoing,
    )?)
}
