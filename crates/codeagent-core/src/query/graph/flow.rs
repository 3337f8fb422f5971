//! Flow: the calls of a function, in order and nested, as an indented list.
//!
//! Calls are followed to a depth of 4, deeper if there are few of them, and 3 levels further behind a request. Functions
//! that much code uses are named and not entered. `new T` leads to the calls of the constructor, to the members of `T`
//! that override something, which run later, and to what handles the message `T` or matches it by its type; a call of a
//! member with
//! several implementations is followed by their names or number, unless a container gives one of them,
//! and an overridden member with a body is entered, too. What a message, request or event leads to follows its call, marked as
//! such.
//!
//! Calls in a local function that is passed on instead of called are listed where they are written, as
//! in unnamed callbacks; other functions that are passed on, and properties that are set, are entered,
//! marked as such. Calls whose target is unknown are named as written, with the procedure of a typed
//! API that their keys lead to.
//!
//! A call that runs under a condition has a word for it before its name: `if`, `else`, `case`, `catch`.
//!
//! Limitations: the conditions, what returns early, and loops are not shown; a function is entered once. Of calls whose
//! target is known outside the repository only those are shown that send a request or are given a type to run.

mod arguments;
mod branches;
mod matched;
mod trim;
mod uncalled;

pub use uncalled::is_raised;

use std::ops::RangeInclusive;

use rustc_hash::FxHashSet;

use crate::model::dispatch::DispatchKind;
use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeType};
use crate::query::dispatch::steps::mediated_handlers;
use crate::query::uses::hierarchy::{bases_of, implementations_of};
use crate::query::{
    DispatchStep, Occurrences, QueryError, UnknownCall, UnknownCalls, dispatched_from,
};
use crate::store::{self, FileKey, IncidentEdge};

/// Maximum depth of followed calls.
const MAX_DEPTH: usize = 4;

/// Depths to which calls are followed while there are few of them, and the maximum number of lines then.
const DEEPER: [usize; 2] = [6, 8];
const FEW_LINES: usize = 24;

/// Depth of followed calls behind a request or message.
const DEPTH_BEHIND: usize = 3;

/// Number of uses from which a function is not entered.
const HUB: u64 = 40;

/// Maximum number of overrides listed for a constructed type.
const MAX_LATER: usize = 4;

/// Methods that every class may override, which say nothing of what an object is for.
const OF_ALL_OBJECTS: [&str; 4] = ["Equals", "GetHashCode", "ToString", "toString"];

/// Maximum number of implementations of a member that are named.
const MAX_NAMED: usize = 3;

/// Maximum number of calls of a function with unknown targets that are named.
const MAX_UNKNOWN: usize = 6;

/// Maximum number of calls that are looked up as procedures.
const MAX_PROCEDURES: usize = 4;

/// Maximum number of requests that are looked up among mounted routers.
const MAX_MOUNTED: usize = 8;

/// Maximum number of lines.
const MAX_LINES: usize = 200;

/// Returns the lines of a function's flow, each indented by its depth; for an abstract member those
/// of what implements it.
pub fn flow(
    occurrences: &mut Occurrences<'_, '_>,
    start: &Node,
) -> Result<Vec<String>, QueryError> {
    let mut lines = flow_to_depth(occurrences, start, MAX_DEPTH)?;
    for depth in DEEPER {
        let deeper = flow_to_depth(occurrences, start, depth)?;
        if deeper.len() == lines.len() || deeper.len() > FEW_LINES {
            break;
        }
        lines = deeper;
    }
    Ok(lines)
}

fn flow_to_depth(
    occurrences: &mut Occurrences<'_, '_>,
    start: &Node,
    depth: usize,
) -> Result<Vec<String>, QueryError> {
    let mut walk = FlowWalk::new(occurrences, depth);
    match start.flags.has(NodeFlags::ABSTRACT) {
        true => walk.step_into(start, 0, "")?,
        false => walk.enter(start, 0, "", "")?,
    }
    Ok(trim::trimmed(walk.lines, &walk.borders))
}

/// Returns the lines of the flow of a callback, which stands on some lines of a file, to a depth of at
/// most `depth` calls.
pub(in crate::query) fn flow_of_lines(
    occurrences: &mut Occurrences<'_, '_>,
    (path, lines): (&str, &RangeInclusive<u32>),
    depth: usize,
) -> Result<Vec<String>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let Some(file) = store::file_by_path(snapshot, path)? else {
        return Ok(Vec::new());
    };
    let mut walk = FlowWalk::new(occurrences, depth.min(MAX_DEPTH));
    walk.steps_on_lines(file.id, lines, 0)?;
    Ok(trim::trimmed(walk.lines, &walk.borders))
}

/// What a function leads to.
enum Step {
    Call(IncidentEdge),
    Dispatch(DispatchStep),
    Unknown(FileKey, UnknownCall),
}

impl Step {
    fn from_unknown((file, call): (FileKey, UnknownCall)) -> Self {
        Self::Unknown(file, call)
    }

    /// Returns the line and UTF-16 column; column 0 if it is unknown.
    fn position(&self) -> (u32, u32) {
        match self {
            Self::Call(call) => (call.line, call.column),
            Self::Dispatch(step) => (step.site.1, 0),
            Self::Unknown(_, call) => (call.line, call.column),
        }
    }

    fn site(&self) -> (FileKey, u32) {
        match self {
            Self::Call(call) => (call.file, call.line),
            Self::Dispatch(step) => step.site,
            Self::Unknown(file, call) => (*file, call.line),
        }
    }
}

struct FlowWalk<'w, 's, 'a> {
    occurrences: &'w mut Occurrences<'s, 'a>,
    max_depth: usize,
    entered: FxHashSet<NodeId>,
    /// How many more calls are looked up as procedures, for which text is searched.
    procedures_left: usize,
    /// How many more requests are looked up among mounted routers.
    mounted_left: usize,
    unknown: UnknownCalls,
    branches: branches::FunctionBranches,
    /// The arguments to show with the next call that is written; empty if there are none to show.
    constants: String,
    lines: Vec<String>,
    /// Which of the lines are steps to other programs, or to what is reached without a call.
    borders: Vec<usize>,
}

impl<'w, 's, 'a> FlowWalk<'w, 's, 'a> {
    fn new(occurrences: &'w mut Occurrences<'s, 'a>, max_depth: usize) -> Self {
        Self {
            occurrences,
            max_depth,
            entered: FxHashSet::default(),
            procedures_left: MAX_PROCEDURES,
            mounted_left: MAX_MOUNTED,
            unknown: UnknownCalls::default(),
            branches: branches::FunctionBranches::default(),
            constants: String::new(),
            lines: Vec::new(),
            borders: Vec::new(),
        }
    }

    /// Writes a function, with a remark behind its place, and what it calls.
    fn enter(
        &mut self,
        node: &Node,
        depth: usize,
        prefix: &str,
        remark: &str,
    ) -> Result<(), QueryError> {
        let place = node.spans.first().map_or_else(String::new, |span| {
            format!("  {}:{}", span.path, span.name_line)
        });
        self.write(depth, prefix, node, &format!("{place}{remark}"))?;

        let is_deep = depth >= self.max_depth;
        if is_deep || self.lines.len() > MAX_LINES || !self.entered.insert(node.id) {
            return Ok(());
        }

        let steps = self.steps_of(node)?;
        self.steps(steps, depth + 1, &lines_of(node))
    }

    /// Returns what a function leads to.
    fn steps_of(&mut self, node: &Node) -> Result<Vec<Step>, QueryError> {
        let unknown = self
            .unknown
            .of_symbol(self.occurrences.sources.snapshot(), node)?;
        let mut steps: Vec<Step> = unknown.into_iter().map(Step::from_unknown).collect();
        steps.extend(self.calls(node.id)?.into_iter().map(Step::Call));
        steps.extend(self.dispatched(&[node.id])?);
        steps.extend(self.raised(&[node.id])?);
        if let [span] = node.spans.as_slice() {
            // Decorators and attributes do not run with the function.
            let before_name = span.span.start.line..span.name_line;
            steps.retain(|step| !before_name.contains(&step.site().1));
        }
        Ok(steps)
    }

    /// Writes what the code on some lines of a file calls.
    fn steps_on_lines(
        &mut self,
        file: FileKey,
        lines: &RangeInclusive<u32>,
        depth: usize,
    ) -> Result<(), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut around: Vec<NodeId> = Vec::new();
        for (id, own) in store::line_spans(snapshot, file)? {
            let reaches = own.start() <= lines.end() && lines.start() <= own.end();
            if reaches && !around.contains(&id) {
                around.push(id);
            }
        }

        let is_here = |site: (FileKey, u32)| site.0 == file && lines.contains(&site.1);
        let mut calls = self.calls_in(&around)?;
        calls.retain(|call| is_here((call.file, call.line)));
        let mut dispatched = self.dispatched(&around)?;
        dispatched.extend(self.raised(&around)?);
        dispatched.retain(|step| is_here(step.site()));

        let unknown = self
            .unknown
            .on_lines(self.occurrences.sources.snapshot(), file, lines)?;
        let unknown = unknown
            .into_iter()
            .map(|call| Step::from_unknown((file, call)));
        let mut steps: Vec<Step> = unknown.collect();
        steps.extend(first_calls(calls).into_iter().map(Step::Call));
        steps.extend(dispatched);
        self.steps(steps, depth, lines)
    }

    /// Writes the steps of a function or callback on some lines, in the order of their sites.
    fn steps(
        &mut self,
        mut steps: Vec<Step>,
        depth: usize,
        lines: &RangeInclusive<u32>,
    ) -> Result<(), QueryError> {
        let dispatched = steps
            .iter()
            .filter(|step| matches!(step, Step::Dispatch(_)));
        let dispatched: FxHashSet<(FileKey, u32)> = dispatched.map(Step::site).collect();
        steps.retain(|step| {
            !matches!(step, Step::Unknown(..)) || !dispatched.contains(&step.site())
        });
        steps.sort_by_key(Step::site);

        let (mut named, mut unnamed) = (0, 0);
        for step in steps {
            let at = self.label(&step, lines)?;
            match step {
                Step::Call(call) => {
                    let snapshot = self.occurrences.sources.snapshot();
                    if let Some(target) = store::node(snapshot, call.other)? {
                        self.step(&target, (&call, &at), depth)?;
                    }
                }
                Step::Dispatch(step) => self.dispatch((&step, &at), depth)?,
                Step::Unknown(file, call) => {
                    // A type of the repository as an argument says what the call is for: `UseStartup<Startup>()`.
                    let is_telling = call.type_argument.is_some() || call.is_outside;
                    if !is_telling && (call.is_common || named >= MAX_UNKNOWN) {
                        unnamed += 1;
                        continue;
                    }
                    named += usize::from(!call.is_outside);
                    self.write_unknown((file, &call, &at), depth)?;
                }
            }
        }
        if unnamed > 0 && (named >= MAX_UNKNOWN || depth == 1) {
            let indent = "  ".repeat(depth);
            let more = if named == 0 { "" } else { "more " };
            self.lines.push(format!(
                "{indent}and {unnamed} {more}calls with unknown targets"
            ));
        }
        Ok(())
    }

    /// Returns the first call of each function in order, or where it is passed on.
    fn calls(&mut self, node: NodeId) -> Result<Vec<IncidentEdge>, QueryError> {
        let mut calls = self.calls_in(&[node])?;
        let called: FxHashSet<NodeId> = calls.iter().map(|call| call.other).collect();

        let snapshot = self.occurrences.sources.snapshot();
        let mut level = vec![node];
        while !level.is_empty() {
            let mut given = store::children_of(snapshot, &level)?;
            given.retain(|child| child.flags.has(NodeFlags::LOCAL) && !called.contains(&child.id));
            level = given.iter().map(|child| child.id).collect();
            calls.extend(self.calls_in(&level)?);
        }

        Ok(first_calls(calls))
    }

    /// Returns the calls in some symbols, and the uses of functions that they pass on.
    fn calls_in(&mut self, nodes: &[NodeId]) -> Result<Vec<IncidentEdge>, QueryError> {
        let mut calls = self.occurrences.outgoing(nodes, &[EdgeType::Calls])?;
        let (passed, set) = self.occurrences.passed_and_set(nodes)?;
        calls.extend(passed);
        calls.extend(set);
        Ok(calls)
    }

    fn step(
        &mut self,
        target: &Node,
        (call, at): (&IncidentEdge, &str),
        depth: usize,
    ) -> Result<(), QueryError> {
        let doubt = match call.confidence {
            Confidence::Exact => "",
            _ => "possibly ",
        };
        let passed = match call.edge_type {
            EdgeType::References if target.node_type == NodeType::Property => "sets ",
            EdgeType::References => "passes ",
            _ => "",
        };
        let prefix = format!("{at} {doubt}{passed}");

        self.constants = self.constants_of(target, call)?;
        self.step_into(target, depth, &prefix)?;
        self.constants.clear();
        Ok(())
    }

    fn step_into(&mut self, target: &Node, depth: usize, prefix: &str) -> Result<(), QueryError> {
        if target.node_type == NodeType::Constructor {
            return self.construct(target, depth, prefix);
        }
        if let Some(class) = Some(target).filter(|node| node.node_type == NodeType::Class) {
            return self.later((class, None), depth, prefix);
        }

        let is_abstract = target.flags.has(NodeFlags::ABSTRACT);
        let implementations = self.implementations(target)?;
        if let [only] = implementations.as_slice()
            && is_abstract
        {
            let name = self.occurrences.short_name(target)?;
            return self.enter(only, depth, &format!("{prefix}{name} -> "), "");
        }

        if let Some((given, place)) = self.provided(target, &implementations)? {
            let name = self.occurrences.short_name(target)?;
            let prefix = format!("{prefix}{name} -> (registered at {place}) ");
            return self.enter(&given, depth, &prefix, "");
        }

        let overridden = if implementations.is_empty() {
            String::new()
        } else {
            let leads_to = self.named(&implementations)?;
            if is_abstract {
                return self.write(depth, prefix, target, &format!(" -> {leads_to}"));
            }
            format!(" (overridden by {leads_to})")
        };

        let snapshot = self.occurrences.sources.snapshot();
        if store::reference_count(snapshot, target.id)? >= HUB {
            return self.write(depth, prefix, target, &overridden);
        }

        self.enter(target, depth, prefix, &overridden)
    }

    /// Returns the names of a few implementations, or the number of many.
    fn named(&mut self, implementations: &[Node]) -> Result<String, QueryError> {
        if implementations.len() > MAX_NAMED {
            return Ok(format!("{} implementations", implementations.len()));
        }
        let mut names = Vec::with_capacity(implementations.len());
        for node in implementations {
            names.push(self.occurrences.short_name(node)?);
        }
        Ok(names.join(", "))
    }

    /// Returns the members with a body that implement or override a member, at any level. Those of tests
    /// and examples are left out if other code implements it.
    fn implementations(&self, member: &Node) -> Result<Vec<Node>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut nodes = Vec::new();
        for (id, _) in implementations_of(snapshot, &[member.id])? {
            nodes.extend(store::node(snapshot, id)?);
        }
        nodes.retain(|node| !node.flags.has(NodeFlags::ABSTRACT));
        let is_implemented = !member.flags.has(NodeFlags::ABSTRACT);
        if is_implemented || nodes.iter().any(|node| !is_aside(node)) {
            nodes.retain(|node| !is_aside(node));
        }
        Ok(nodes)
    }

    /// Returns the implementation of a member that a container provides, if it provides one class only,
    /// and where it is registered.
    fn provided(
        &mut self,
        member: &Node,
        implementations: &[Node],
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
        let Some(given) = implementations.iter().find(|node| node.parent == first.to) else {
            return Ok(None);
        };
        let path = self.occurrences.path(file)?;
        Ok(Some((given.clone(), format!("{path}:{line}"))))
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
            Some(class) => self.later((&class, Some(constructor)), depth, prefix),
            None => self.enter(constructor, depth, prefix, ""),
        }
    }

    /// Writes that a type is constructed, and enters its constructor and its members that other code calls later.
    fn later(
        &mut self,
        (class, constructor): (&Node, Option<&Node>),
        depth: usize,
        prefix: &str,
    ) -> Result<(), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let handlers = mediated_handlers(snapshot, class)?;
        let later = self.called_later(class)?;
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
        if let Some(constructor) = constructor.filter(|_| depth < self.max_depth) {
            self.steps_of_constructor((class, constructor), depth + 1)?;
        }
        for member in later.iter().take(MAX_LATER) {
            self.enter(member, depth + 1, "later runs ", "")?;
        }
        for handler in handlers.iter().take(MAX_LATER) {
            self.borders.push(self.lines.len());
            self.enter(handler, depth + 1, "when sent, runs ", "")?;
        }
        if !handlers.is_empty() || depth > self.max_depth {
            return Ok(());
        }

        let before = self.max_depth;
        for code in self.matched_code(class)?.iter().take(MAX_LATER) {
            self.borders.push(self.lines.len());
            let place = format!("  {}:{}", code.path, code.lines.start());
            self.write(depth + 1, "when sent, is matched in ", &code.method, &place)?;
            self.max_depth = before.max(depth + DEPTH_BEHIND);
            self.steps_on_lines(code.file, &code.lines, depth + 2)?;
        }
        self.max_depth = before;
        Ok(())
    }

    /// Returns the methods of a class that override or implement something, by line.
    fn called_later(&self, class: &Node) -> Result<Vec<Node>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut later = Vec::new();
        for member in self.methods(class)? {
            if member.flags.has(NodeFlags::OVERRIDE)
                || !bases_of(snapshot, &[member.id])?.is_empty()
            {
                later.push(member);
            }
        }
        Ok(later)
    }

    /// Writes what a constructor calls, except other constructors of the same object.
    fn steps_of_constructor(
        &mut self,
        (class, constructor): (&Node, &Node),
        depth: usize,
    ) -> Result<(), QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let bases = bases_of(snapshot, &[class.id])?;
        let is_own = |id: NodeId| id == class.id || bases.iter().any(|(base, _)| *base == id);

        let mut steps = Vec::new();
        for step in self.steps_of(constructor)? {
            let called = match &step {
                Step::Call(call) => store::node(self.occurrences.sources.snapshot(), call.other)?,
                _ => None,
            };
            let is_constructor = called.is_some_and(|node| {
                let class = match node.node_type {
                    NodeType::Constructor => node.parent,
                    _ => Some(node.id),
                };
                class.is_some_and(is_own)
            });
            if !is_constructor {
                steps.push(step);
            }
        }
        self.steps(steps, depth, &lines_of(constructor))
    }

    /// Returns the methods of a class that are not those of all objects, by line.
    fn methods(&self, class: &Node) -> Result<Vec<Node>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let mut methods = Vec::new();
        for member in store::contained(snapshot, class.id, EdgeDirection::Outgoing)? {
            methods.extend(store::node(snapshot, member.id)?);
        }
        methods.retain(|member| {
            member.node_type == NodeType::Method && !is_of_all_objects(&member.name)
        });
        methods.sort_by_key(|member| member.spans.first().map(|span| span.name_line));
        Ok(methods)
    }

    fn write(
        &mut self,
        depth: usize,
        prefix: &str,
        node: &Node,
        rest: &str,
    ) -> Result<(), QueryError> {
        let name = self.occurrences.short_name(node)?;
        let (indent, constants) = ("  ".repeat(depth), std::mem::take(&mut self.constants));
        self.lines
            .push(format!("{indent}{prefix}{name}{constants}{rest}"));
        Ok(())
    }

    /// Returns the arguments of a call if they contain a constant; otherwise an empty text.
    fn constants_of(&mut self, target: &Node, call: &IncidentEdge) -> Result<String, QueryError> {
        let path = self.occurrences.path(call.file)?;
        let sources = &mut self.occurrences.sources;
        let rest = sources.rest_of_line(&path, call.line, call.column)?;
        let arguments = rest.and_then(|rest| rest.strip_prefix(target.name.as_str()));
        let Some(arguments) = arguments.map(str::to_owned) else {
            return Ok(String::new());
        };
        if let Some(shown) = arguments::constants(&arguments) {
            return Ok(shown);
        }
        let next = sources.line(&path, call.line + 1)?.unwrap_or_default();
        Ok(arguments::first_property(&arguments, &next).unwrap_or_default())
    }
}

/// Returns the lines from the first declaration of a symbol to the last.
fn lines_of(node: &Node) -> RangeInclusive<u32> {
    let first = node.spans.iter().map(|span| span.span.start.line).min();
    let last = node.spans.iter().map(|span| span.span.end_line).max();
    first.unwrap_or_default()..=last.unwrap_or_default()
}

/// Reports whether every class may override a method of this name, which says nothing of what happens.
#[must_use]
pub fn is_of_all_objects(name: &str) -> bool {
    OF_ALL_OBJECTS.contains(&name)
}

/// Returns the first call of each function, in order.
fn first_calls(mut calls: Vec<IncidentEdge>) -> Vec<IncidentEdge> {
    calls.sort_by_key(|call| (call.file, call.line, call.column));
    let called = calls
        .iter()
        .filter(|call| call.edge_type == EdgeType::Calls);
    let called: FxHashSet<NodeId> = called.map(|call| call.other).collect();
    let mut seen = FxHashSet::default();
    calls.retain(|call| {
        let is_passed = call.edge_type == EdgeType::References;
        !(is_passed && called.contains(&call.other)) && seen.insert(call.other)
    });
    calls
}

/// Reports whether a symbol belongs to tests or examples.
fn is_aside(node: &Node) -> bool {
    let mut paths = node.spans.iter().map(|span| span.path.as_str());
    paths.all(|path| store::is_test_path(path) || is_example_path(path))
}

fn is_example_path(path: &str) -> bool {
    let mut folders = path.split('/');
    folders.any(|folder| ["example", "examples", "sample", "samples"].contains(&folder))
}
