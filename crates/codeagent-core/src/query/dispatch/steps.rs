//! Dispatch: steps from one symbol to another without a call, through a container, a mediator, an
//! event or a route.
//!
//! The store has one row per site. Queries join sites that share a message or a key: the sender of a
//! message leads to its handlers, and a request leads to the route with its path. Routes and requests
//! are joined by text, so such a step is never exact. A request without a route of its own path may
//! match one below a path on which a router is mounted. The base address of a request (`${base}users`)
//! may have a path of its own: such a request may match the only route that ends with its path, or the one
//! that begins with a string in its file.
//!
//! Limitations: a message leads to handlers of its own type, not of its bases. A key with more than
//! [`MAX_JOINED`] registrations connects nothing, and a route has at most that many requests.

use rustc_hash::FxHashMap;

use crate::model::dispatch::{DispatchKind, mounted_keys, verb_and_path, verbs_agree};
use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeId, NodeSpan, NodeType};
use crate::query::dispatch::mapped_groups::MappedGroups;
use crate::query::{Occurrences, QueryError, bases_of};
use crate::store::{self, DispatchRow, FileKey, Snapshot};

/// Maximum number of joined sites of a message or key.
pub(in crate::query) const MAX_JOINED: usize = 60;

/// A step that no call makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchStep {
    /// How the first symbol leads to the second.
    pub kind: DispatchKind,
    /// The symbol that leads to the other; `None` if only the label tells.
    pub from: Option<NodeId>,
    /// The symbol that runs or is given; `None` if only the label tells.
    pub to: Option<NodeId>,
    /// The message that one sends and the other handles.
    pub message: Option<NodeId>,
    /// The route, request or event as written; empty if symbols tell all.
    pub label: String,
    /// The end of a requested path that the route of its beginning does not show; empty if it shows
    /// all.
    pub rest: String,
    /// File and line that say so; of two sites that of the first symbol.
    pub site: (FileKey, u32),
    /// File and line where the second symbol is registered, if that is another site.
    pub registered: Option<(FileKey, u32)>,
    /// Confidence of the step.
    pub confidence: Confidence,
}

impl DispatchStep {
    pub(in crate::query) fn of(row: DispatchRow) -> Self {
        Self {
            kind: row.kind,
            from: row.source.filter(|_| !hears_all(&row)),
            to: row.target,
            message: None,
            label: row.label,
            rest: String::new(),
            site: (row.file, row.line),
            registered: None,
            confidence: row.confidence,
        }
    }

    /// Joins the site of the first symbol with the site where the second is registered.
    pub(in crate::query) fn joined(
        first: &DispatchRow,
        second: &DispatchRow,
        message: Option<NodeId>,
    ) -> Self {
        let known = first.confidence.min(second.confidence);

        Self {
            kind: first.kind,
            from: first.source,
            to: second.target,
            message,
            label: first.label.clone(),
            rest: String::new(),
            site: (first.file, first.line),
            registered: Some((second.file, second.line)),
            confidence: match first.kind {
                DispatchKind::Sends => known,
                _ => known.min(Confidence::Inferred),
            },
        }
    }

    /// Reports whether code of the second symbol may run when code of the first does.
    #[must_use]
    pub fn runs(&self) -> bool {
        let is_place = matches!(
            self.kind,
            DispatchKind::Serves | DispatchKind::Shows | DispatchKind::Mounts | DispatchKind::Runs
        );
        !is_place && self.from != self.to
    }
}

/// Returns the steps from some symbols, in the order of their sites.
pub fn dispatched_from(
    snapshot: &Snapshot,
    symbols: &[NodeId],
) -> Result<Vec<DispatchStep>, QueryError> {
    let groups = MappedGroups::new(snapshot);
    let mut steps = Vec::new();
    for symbol in symbols {
        for row in store::dispatch_at(snapshot, *symbol, EdgeDirection::Outgoing)? {
            match row.kind {
                DispatchKind::Sends => steps.extend(handlers(snapshot, &row)?),
                DispatchKind::Emits | DispatchKind::Requests | DispatchKind::Opens => {
                    let others = counterparts(&groups, &row)?;
                    steps.extend(
                        others
                            .iter()
                            .map(|other| DispatchStep::joined(&row, other, None)),
                    );
                }
                DispatchKind::Listens if hears_all(&row) => {}
                DispatchKind::Mounts if !groups.maps_routes(&row)? => {}
                DispatchKind::Serves => {
                    steps.extend(groups.below_groups(row)?.into_iter().map(DispatchStep::of));
                }
                DispatchKind::Handles if senders(snapshot, row.clone())?.is_empty() => {}
                _ => steps.push(DispatchStep::of(row)),
            }
        }
    }

    Ok(steps)
}

/// Returns the steps to some symbols, in the order of their sites.
pub fn dispatched_to(
    snapshot: &Snapshot,
    symbols: &[NodeId],
) -> Result<Vec<DispatchStep>, QueryError> {
    let groups = MappedGroups::new(snapshot);
    let mut steps = Vec::new();
    for symbol in symbols {
        for row in store::dispatch_at(snapshot, *symbol, EdgeDirection::Incoming)? {
            match row.kind {
                DispatchKind::Handles => steps.extend(senders(snapshot, row)?),
                DispatchKind::Listens | DispatchKind::Serves | DispatchKind::Shows => {
                    let others = counterparts(&groups, &row)?;
                    steps.extend(
                        others
                            .iter()
                            .map(|other| DispatchStep::joined(other, &row, None)),
                    );
                    // An unnamed function is known by its requests and its location.
                    if row.source != row.target || row.kind == DispatchKind::Listens {
                        steps.extend(groups.below_groups(row)?.into_iter().map(DispatchStep::of));
                    }
                }
                DispatchKind::Mounts if !groups.maps_routes(&row)? => {}
                // An unnamed function is known by its location.
                DispatchKind::Runs if row.source == row.target => {}
                // The emitter is not a target.
                DispatchKind::Emits => {}
                // Others have a type as argument: only what is handled is a message.
                DispatchKind::Sends if handlers(snapshot, &row)?.is_empty() => {}
                _ => steps.push(DispatchStep::of(row)),
            }
        }
    }

    Ok(steps)
}

/// What code says about an event or queue.
#[derive(Clone, Debug, Default)]
pub struct EventSites {
    /// What runs on it, in the order of the sites.
    pub listeners: Vec<DispatchStep>,
    /// Files and lines that emit it.
    pub emitters: Vec<(FileKey, u32)>,
}

/// Returns what listens to an event or queue with a name, and what emits it.
pub fn events_named(snapshot: &Snapshot, name: &str) -> Result<EventSites, QueryError> {
    let rows = |kind: DispatchKind| store::dispatch_with_key(snapshot, kind, &kind.key(name));
    let listeners = rows(DispatchKind::Listens)?;
    let emitters = rows(DispatchKind::Emits)?;
    Ok(EventSites {
        listeners: listeners.into_iter().map(DispatchStep::of).collect(),
        emitters: emitters.iter().map(|row| (row.file, row.line)).collect(),
    })
}

/// Returns the functions that run because of what a constant names: an event, a job, a route. Those are
/// the ones that its uses register, and those that its uses lead to.
pub fn run_by_constant(
    occurrences: &mut Occurrences<'_, '_>,
    constant: NodeId,
) -> Result<Vec<Node>, QueryError> {
    let mut running = Vec::new();
    for used in occurrences.incoming(&[constant], &[EdgeType::References])? {
        let path = occurrences.path(used.file)?;
        for id in run_by_line(occurrences, (used.file, used.line))? {
            let node = store::node(occurrences.sources.snapshot(), id)?;
            // What an unnamed function stands in does not run.
            running.extend(node.filter(|node| !is_inside(node, &path, used.line)));
        }
    }

    running.retain(|node| node.node_type != NodeType::File);
    running.sort_by_key(|node| node.id);
    running.dedup_by_key(|node| node.id);
    Ok(running)
}

/// Reports whether a line of a file is inside a function, after the line of its name.
#[must_use]
pub fn is_inside(node: &Node, path: &str, line: u32) -> bool {
    let is_around =
        |span: &NodeSpan| span.path == path && span.name_line < line && line <= span.span.end_line;
    node.spans.iter().any(is_around)
}

/// Returns what runs because of the argument on a line. The call may begin on the line before.
fn run_by_line(
    occurrences: &mut Occurrences<'_, '_>,
    (file, line): (FileKey, u32),
) -> Result<Vec<NodeId>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut rows = store::dispatch_on_line(snapshot, file, line)?;
    if rows.is_empty() && line > 1 {
        let path = occurrences.path(file)?;
        let before = occurrences.sources.lines(&path, line - 1, line - 1)?;
        let is_open = before.is_some_and(|lines| lines.iter().any(|line| line.ends_with('(')));
        if is_open {
            rows = store::dispatch_on_line(occurrences.sources.snapshot(), file, line - 1)?;
        }
    }

    let groups = MappedGroups::new(occurrences.sources.snapshot());
    let mut running = Vec::new();
    for row in rows {
        match row.kind {
            DispatchKind::Listens
            | DispatchKind::Subscribes
            | DispatchKind::Serves
            | DispatchKind::Shows
            | DispatchKind::Runs => running.extend(row.target),
            DispatchKind::Emits | DispatchKind::Requests | DispatchKind::Opens => {
                let others = counterparts(&groups, &row)?;
                running.extend(others.iter().filter_map(|other| other.target));
            }
            _ => {}
        }
    }
    Ok(running)
}

/// Returns the functions that handle a message: those that a mediator runs, and members that take it by
/// implementing a member of a generic interface.
pub fn handlers_of(snapshot: &Snapshot, message: NodeId) -> Result<Vec<Node>, QueryError> {
    let mut found = match store::node(snapshot, message)? {
        Some(message) => mediated_handlers(snapshot, &message)?,
        None => Vec::new(),
    };
    for member in generic_handlers(snapshot, message)? {
        if !found.iter().any(|known| known.id == member.id) {
            found.push(member);
        }
    }
    Ok(found)
}

/// Returns the functions that a mediator or event bus runs for a message. If there are none, those for other
/// types of its name: services that share no code declare a message each.
pub(in crate::query) fn mediated_handlers(
    snapshot: &Snapshot,
    message: &Node,
) -> Result<Vec<Node>, QueryError> {
    let found = handlers_of_types(snapshot, &[message.id])?;
    if !found.is_empty() || !message.node_type.is_type() {
        return Ok(found);
    }
    let mut named = store::by_name(snapshot, &message.name, MAX_JOINED)?;
    named.retain(|node| node.name == message.name && node.node_type.is_type());
    let named: Vec<NodeId> = named.iter().map(|node| node.id).collect();
    handlers_of_types(snapshot, &named)
}

/// Returns a message, and other types of its name that nothing handles; see [`mediated_handlers`].
pub(in crate::query) fn messages_of_name(
    snapshot: &Snapshot,
    message: NodeId,
) -> Result<Vec<NodeId>, QueryError> {
    let mut messages = vec![message];
    let Some(node) = store::node(snapshot, message)? else {
        return Ok(messages);
    };

    for other in store::by_name(snapshot, &node.name, MAX_JOINED)? {
        let is_other = other.id != message && other.name == node.name;
        if is_other
            && other.node_type.is_type()
            && handlers_of_types(snapshot, &[other.id])?.is_empty()
        {
            messages.push(other.id);
        }
    }

    Ok(messages)
}

fn handlers_of_types(snapshot: &Snapshot, messages: &[NodeId]) -> Result<Vec<Node>, QueryError> {
    let mut found: Vec<Node> = Vec::new();
    for step in dispatched_from(snapshot, messages)? {
        let handler = step.to.filter(|_| step.kind == DispatchKind::Handles);
        if let Some(handler) = handler
            && !found.iter().any(|known| known.id == handler)
        {
            found.extend(store::node(snapshot, handler)?);
        }
    }
    Ok(found)
}

/// Returns the members that take a type by implementing a member of a generic interface or class:
/// `BackupService.Execute(BackupCommand)` for `IExecute<BackupCommand>`.
fn generic_handlers(snapshot: &Snapshot, message: NodeId) -> Result<Vec<Node>, QueryError> {
    let takes = store::incident_edges(
        snapshot,
        message,
        Some(EdgeType::Accepts),
        EdgeDirection::Incoming,
    )?;

    let mut members = Vec::new();
    for edge in takes {
        let Some(member) = store::node(snapshot, edge.other)? else {
            continue;
        };
        if implements_generic(snapshot, &member)? {
            members.push(member);
        }
    }
    Ok(members)
}

fn implements_generic(snapshot: &Snapshot, member: &Node) -> Result<bool, QueryError> {
    for (base, _) in bases_of(snapshot, &[member.id])? {
        let owner = store::node(snapshot, base)?.and_then(|base| base.parent);
        let owner = match owner {
            Some(owner) => store::node(snapshot, owner)?,
            None => None,
        };
        if owner.is_some_and(|owner| owner.type_parameters.is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes a row a guess.
pub(in crate::query) fn doubt(row: &mut DispatchRow) {
    row.confidence = row.confidence.min(Confidence::Inferred);
}

/// Returns the steps from the sender of a message to its handlers.
fn handlers(snapshot: &Snapshot, sent: &DispatchRow) -> Result<Vec<DispatchStep>, QueryError> {
    let Some(message) = sent.target else {
        return Ok(Vec::new());
    };
    let mut rows = store::dispatch_at(snapshot, message, EdgeDirection::Outgoing)?;
    rows.retain(|row| row.kind == DispatchKind::Handles && is_same_message(sent, row));
    let step = |row: &DispatchRow| DispatchStep::joined(sent, row, Some(message));
    Ok(rows.iter().take(MAX_JOINED).map(step).collect())
}

/// Returns the steps from the senders of a message to one of its handlers. Where nothing is known to send
/// it, the source is the message itself.
fn senders(snapshot: &Snapshot, handled: DispatchRow) -> Result<Vec<DispatchStep>, QueryError> {
    let Some(message) = handled.source else {
        return Ok(Vec::new());
    };
    let mut rows = store::dispatch_at(snapshot, message, EdgeDirection::Incoming)?;
    rows.retain(|row| row.kind == DispatchKind::Sends && is_same_message(row, &handled));
    let step = |row: &DispatchRow| DispatchStep::joined(row, &handled, Some(message));
    let steps: Vec<DispatchStep> = rows.iter().take(MAX_JOINED).map(step).collect();
    if steps.is_empty() && is_message(snapshot, &handled, message)? {
        return Ok(vec![DispatchStep::of(handled)]);
    }
    Ok(steps)
}

/// Reports whether a type is a message. The interface of its handler may be for anything: a library's is for
/// messages, and a message often has a base of its own, such as `ICommand`.
fn is_message(
    snapshot: &Snapshot,
    handled: &DispatchRow,
    message: NodeId,
) -> Result<bool, QueryError> {
    Ok(handled.confidence == Confidence::Exact || !bases_of(snapshot, &[message])?.is_empty())
}

/// Returns the other sites of a row's key that belong to it.
fn counterparts(
    groups: &MappedGroups<'_>,
    row: &DispatchRow,
) -> Result<Vec<DispatchRow>, QueryError> {
    let snapshot = groups.snapshot();
    let Some(kind) = row.kind.counterpart() else {
        return Ok(Vec::new());
    };
    let key = row.kind.key(&row.label);
    let mut rows = store::dispatch_with_key(snapshot, kind, &key)?;

    rows.retain(|other| belong_together(row, other));
    match row.kind {
        DispatchKind::Requests if rows.is_empty() => {
            let (verb, path) = verb_and_path(&row.label);
            rows = groups.routes_with_path(path, Some(verb))?;
            if !rows.is_empty() {
                return Ok(rows);
            }
            for shorter in mounted_keys(&key) {
                rows = store::dispatch_with_key(snapshot, kind, shorter)?;
                rows.retain(|other| belong_together(row, other));
                if !rows.is_empty() {
                    break;
                }
            }
            if rows.is_empty() && has_base(row) {
                rows = store::dispatch_below(snapshot, kind, &key)?;
                rows.retain(|other| belong_together(row, other));
                if !have_one_key(&rows) {
                    rows = below_named_base(snapshot, row, rows)?;
                }
                if !have_one_key(&rows) {
                    rows.clear();
                }
            }
        }
        DispatchKind::Serves if !key.is_empty() => {
            let mut requests = store::dispatch_below(snapshot, kind, &key)?;
            for whole in groups.below_groups(row.clone())? {
                let whole = whole.kind.key(&whole.label);
                if whole != key {
                    requests.extend(store::dispatch_with_key(snapshot, kind, &whole)?);
                }
            }
            for shorter in mounted_keys(&key) {
                let below_base = store::dispatch_with_key(snapshot, kind, shorter)?;
                requests.extend(below_base.into_iter().filter(has_base));
            }
            for request in requests {
                if !rows.contains(&request) && answered_by(groups, &request, row)? {
                    rows.push(request);
                }
            }
        }
        _ => {}
    }

    let is_registered = matches!(row.kind, DispatchKind::Serves | DispatchKind::Shows);
    if is_registered {
        rows.truncate(MAX_JOINED);
    } else if rows.len() > MAX_JOINED {
        rows.clear();
    }

    Ok(rows)
}

/// Reports whether a request reaches a route, which has a longer path below a group.
fn answered_by(
    groups: &MappedGroups<'_>,
    request: &DispatchRow,
    route: &DispatchRow,
) -> Result<bool, QueryError> {
    let is_route = |other: &DispatchRow| {
        let site = |row: &DispatchRow| (row.file, row.line, row.column, row.target);
        site(other) == site(route)
    };
    Ok(counterparts(groups, request)?.iter().any(is_route))
}

fn have_one_key(rows: &[DispatchRow]) -> bool {
    let key = |row: &DispatchRow| row.kind.key(&row.label);
    rows.iter().all(|row| key(row) == key(&rows[0]))
}

/// Returns the routes whose beginning is a string in the file of a request: `super("/api/users/")` for the
/// client of `/api/users`.
fn below_named_base(
    snapshot: &Snapshot,
    request: &DispatchRow,
    mut routes: Vec<DispatchRow>,
) -> Result<Vec<DispatchRow>, QueryError> {
    let file = store::file_path(snapshot, request.file)?.unwrap_or_default();
    let end = request.kind.key(&request.label);
    let mut named = FxHashMap::default();
    for route in &routes {
        let key = route.kind.key(&route.label);
        let base = key.strip_suffix(&end).unwrap_or_default();
        let base = base.trim_end_matches('/').to_owned();
        if !base.contains('/') || named.contains_key(&key) {
            continue;
        }
        let files = store::files_with_literal(snapshot, &base, MAX_JOINED)?;
        named.insert(key, files.contains(&file));
    }

    routes.retain(|route| named.get(&route.kind.key(&route.label)) == Some(&true));
    Ok(routes)
}

/// Reports whether a handler takes what is sent: the type arguments agree, and one of both is
/// certain to be about messages.
fn is_same_message(sent: &DispatchRow, handled: &DispatchRow) -> bool {
    let is_certain =
        sent.confidence == Confidence::Exact || handled.confidence == Confidence::Exact;
    let (one, other) = (&sent.label, &handled.label);
    is_certain && (one == other || one.is_empty() || other.is_empty())
}

/// Reports whether the path of a request begins with a base address that is not known, which may have
/// a path of its own.
fn has_base(request: &DispatchRow) -> bool {
    verb_and_path(&request.label).1.starts_with("${")
}

fn belong_together(row: &DispatchRow, other: &DispatchRow) -> bool {
    match row.kind {
        DispatchKind::Serves | DispatchKind::Requests => {
            verbs_agree(verb_and_path(&row.label).0, verb_and_path(&other.label).0)
        }
        DispatchKind::Listens => hears(row, other),
        DispatchKind::Emits => hears(other, row),
        _ => true,
    }
}

/// Reports whether a listener hears an emitter, which may be the only one that it listens to.
fn hears(listener: &DispatchRow, emitter: &DispatchRow) -> bool {
    let hears_it = listener.source.is_some() && listener.source == emitter.target;
    hears_it || hears_all(listener)
}

/// Reports whether a row is a listener that hears every emitter: its own source.
fn hears_all(row: &DispatchRow) -> bool {
    let is_own_source = row.source.is_some() && row.source == row.target;
    row.kind == DispatchKind::Listens && is_own_source
}
