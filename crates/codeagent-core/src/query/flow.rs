//! Flow: the calls of a function, in order and nested, as an indented list.
//!
//! Calls are followed to a depth. Functions that much code uses are named and not entered. `new T`
//! leads to the members of `T` that override something, which run later; a call of a member with
//! several implementations is followed by their number, unless a container gives one of them. What
//! a message, request or event leads to follows its call, marked as such. Calls in a local function
//! that is passed on instead of called are listed where they are written, as in unnamed callbacks.
//!
//! Limitations: branches and loops are not shown; a function is entered once.

use rustc_hash::FxHashSet;

use crate::model::dispatch::DispatchKind;
use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeType};
use crate::query::hierarchy::{bases_of, direct_implementations};
use crate::query::{DispatchStep, Occurrences, QueryError, dispatched_from};
use crate::store::{self, IncidentEdge, Snapshot};

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
    let mut walk = FlowWalk {
        occurrences,
        entered: FxHashSet::default(),
        lines: Vec::new(),
    };
    walk.enter(start, 0, "")?;
    Ok(walk.lines)
}

struct FlowWalk<'w, 's, 'a> {
    occurrences: &'w mut Occurrences<'s, 'a>,
    entered: FxHashSet<NodeId>,
    lines: Vec<String>,
}

impl FlowWalk<'_, '_, '_> {
    fn enter(&mut self, node: &Node, depth: usize, prefix: &str) -> Result<(), QueryError> {
        let place = node
            .spans
            .first()
            .map(|span| format!("  {}:{}", span.path, span.name_line));
        self.write(depth, prefix, node, &place.unwrap_or_default())?;
        if depth >= MAX_DEPTH || self.lines.len() > MAX_LINES || !self.entered.insert(node.id) {
            return Ok(());
        }

        let mut dispatched = self.dispatched(node.id)?.into_iter().peekable();
        for call in self.calls(node.id)? {
            let site = (call.file, call.line);
            while let Some(step) = dispatched.next_if(|step| step.site < site) {
                self.dispatch(&step, depth + 1)?;
            }
            if let Some(target) = store::node(self.occurrences.sources.snapshot(), call.other)? {
                self.step(&target, &call, depth + 1)?;
            }
        }

        dispatched.try_for_each(|step| self.dispatch(&step, depth + 1))
    }

    /// Returns what a function leads to without a call, in order.
    fn dispatched(&self, node: NodeId) -> Result<Vec<DispatchStep>, QueryError> {
        let mut steps = dispatched_from(self.occurrences.sources.snapshot(), &[node])?;
        steps.retain(|step| {
            let is_sent = matches!(
                step.kind,
                DispatchKind::Sends | DispatchKind::Emits | DispatchKind::Requests
            );
            is_sent && step.runs()
        });
        steps.sort_by_key(|step| step.site);
        Ok(steps)
    }

    fn dispatch(&mut self, step: &DispatchStep, depth: usize) -> Result<(), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let node = |id: Option<NodeId>| id.map_or(Ok(None), |id| store::node(snapshot, id));
        let Some(target) = node(step.to)? else {
            return Ok(());
        };

        let what = match node(step.message)? {
            Some(message) => self.occurrences.short_name(&message)?,
            None => step.label.clone(),
        };
        let prefix = format!("{} {} {what} -> ", step.site.1, step.kind);
        if target.node_type == NodeType::File
            && let Some((file, line)) = step.registered
        {
            let path = self.occurrences.path(file)?;
            self.lines
                .push(format!("{}{prefix}{path}:{line}", "  ".repeat(depth)));
            return Ok(());
        }

        self.enter(&target, depth, &prefix)
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

        let ids: Vec<NodeId> = implementations.iter().map(|(id, _)| *id).collect();
        if let Some((given, place)) = self.provided(target, &ids)? {
            let name = self.occurrences.short_name(target)?;
            let prefix = format!("{prefix}{name} -> (registered at {place}) ");
            return self.enter(&given, depth, &prefix);
        }

        if !implementations.is_empty() {
            let count = match implementations.len() {
                1 => " -> 1 implementation".to_owned(),
                count => format!(" -> {count} implementations"),
            };
            return self.write(depth, &prefix, target, &count);
        }

        if store::reference_count(snapshot, target.id)? >= HUB {
            return self.write(depth, &prefix, target, "");
        }

        self.enter(target, depth, &prefix)
    }

    /// Returns the implementation of a member that a container provides, if it provides one class only,
    /// and where it is registered.
    fn provided(
        &mut self,
        member: &Node,
        implementations: &[NodeId],
    ) -> Result<Option<(Node, String)>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let Some(owner) = member.parent.filter(|_| implementations.len() > 1) else {
            return Ok(None);
        };

        let mut steps = dispatched_from(snapshot, &[owner])?;
        steps.retain(|step| step.kind == DispatchKind::Provides && step.runs());
        let Some(first) = steps.first() else {
            return Ok(None);
        };
        if steps.iter().any(|step| step.to != first.to) {
            return Ok(None);
        }

        let (file, line) = first.site;
        for id in implementations {
            let node = store::node(snapshot, *id)?;
            if let Some(node) = node.filter(|node| node.parent == first.to) {
                let path = self.occurrences.path(file)?;
                return Ok(Some((node, format!("{path}:{line}"))));
            }
        }

        Ok(None)
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

fn calls_in(snapshot: &Snapshot, node: NodeId) -> Result<Vec<IncidentEdge>, QueryError> {
    Ok(store::incident_edges(
        snapshot,
        node,
        Some(EdgeType::Calls),
        EdgeDirection::Outgoing,
    )?)
}
