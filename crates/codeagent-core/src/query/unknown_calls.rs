//! Calls whose target the index does not know, as they are written: `this.prisma.user.update`.
//!
//! Mostly calls on values of packages that are not installed, or of clients that a tool generates. A
//! call on the result of another such call (`.where(..)` of a query) is left out, and so is a call of a
//! bare name that is declared, most of which call a parameter.

use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::{Arg, CallId, Expr, ExprId, Facts, SiteKind, Subject, Sym};
use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeFlags, NodeId};
use crate::query::QueryError;
use crate::store::{self, FileKey, Snapshot};

/// Maximum length of a call's text in bytes; of a longer one the end is kept.
const MAX_TEXT: usize = 60;

/// Maximum number of symbols of one name that are compared.
const MAX_SYMBOLS: usize = 100;

/// Maximum nesting of a receiver.
const MAX_DEPTH: usize = 16;

/// Types of the standard libraries whose methods are called on most values: `map`, `trim`, `then`,
/// `Select`.
const COMMON_TYPES: [&str; 5] = [
    "Array",
    "Promise",
    "String",
    "System.Linq.Enumerable",
    "System.String",
];

/// A call without a known target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCall {
    /// 1-based line of the called name.
    pub line: u32,
    /// 1-based UTF-16 column of the called name.
    pub column: u32,
    /// The callee as written, without arguments.
    pub text: String,
    /// Whether strings, lists or promises have a method of this name that the repository uses.
    pub is_common: bool,
    /// Whether a function is passed.
    takes_function: bool,
}

/// The calls without a known target, read once for each file.
#[derive(Default)]
pub struct UnknownCalls {
    files: FxHashMap<FileKey, Vec<UnknownCall>>,
}

impl UnknownCalls {
    /// Returns the calls in a symbol, each text once, in text order, with the file. Calls in a local
    /// function that is called belong to that function.
    pub fn of_symbol(
        &mut self,
        snapshot: &Snapshot,
        node: &Node,
    ) -> Result<Vec<(FileKey, UnknownCall)>, QueryError> {
        let called = called_functions_in(snapshot, node)?;
        let mut found = Vec::new();
        for span in &node.spans {
            let Some(file) = store::file_by_path(snapshot, &span.path)? else {
                continue;
            };
            let (start, last) = (span.span.start, span.span.end_line);
            let is_own = |call: &UnknownCall| {
                let is_inside = (call.line, call.column) >= (start.line, start.column);
                let is_of_called = called.iter().any(|lines| lines.contains(&call.line));
                is_inside && call.line <= last && !is_of_called
            };
            let calls = self.in_file(snapshot, file.id)?.iter();
            let calls = once(calls.filter(|call| is_own(call)));
            found.extend(calls.into_iter().map(|call| (file.id, call)));
        }
        Ok(found)
    }

    /// Returns the calls in a callback on some lines of a file, each text once, in text order. A call
    /// on the first line that passes a function is the one that takes the callback.
    pub fn on_lines(
        &mut self,
        snapshot: &Snapshot,
        file: FileKey,
        lines: &RangeInclusive<u32>,
    ) -> Result<Vec<UnknownCall>, QueryError> {
        let is_inside = |call: &&UnknownCall| {
            let is_around = call.line == *lines.start() && call.takes_function;
            lines.contains(&call.line) && !is_around
        };
        Ok(once(self.in_file(snapshot, file)?.iter().filter(is_inside)))
    }

    fn in_file(
        &mut self,
        snapshot: &Snapshot,
        file: FileKey,
    ) -> Result<&[UnknownCall], QueryError> {
        Ok(match self.files.entry(file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(read(snapshot, file)?),
        })
    }
}

/// Returns the calls with different texts.
fn once<'c>(calls: impl Iterator<Item = &'c UnknownCall>) -> Vec<UnknownCall> {
    let mut seen = FxHashSet::default();
    calls
        .filter(|call| seen.insert(&call.text))
        .cloned()
        .collect()
}

/// Returns the lines of the local functions in a symbol that something calls.
fn called_functions_in(
    snapshot: &Snapshot,
    node: &Node,
) -> Result<Vec<RangeInclusive<u32>>, QueryError> {
    let mut local = store::children_of(snapshot, &[node.id])?;
    local.retain(|child| child.flags.has(NodeFlags::LOCAL));
    let ids: Vec<NodeId> = local.iter().map(|child| child.id).collect();
    let mut called = FxHashSet::default();
    let (types, incoming) = ([EdgeType::Calls], EdgeDirection::Incoming);
    store::each_use(snapshot, &ids, &types, incoming, |of, _| {
        called.insert(of);
    })?;
    let called = local.iter().filter(|child| called.contains(&child.id));
    Ok(called
        .map(|child| child.line_start..=child.line_end)
        .collect())
}

/// Reads the calls of a file without a known target, in text order.
fn read(snapshot: &Snapshot, file: FileKey) -> Result<Vec<UnknownCall>, QueryError> {
    let path = store::file_path(snapshot, file)?.unwrap_or_default();
    let Some(row) = store::file_by_path(snapshot, &path)? else {
        return Ok(Vec::new());
    };
    let Some(facts) = store::read_facts(snapshot, &row.facts_key)? else {
        return Ok(Vec::new());
    };
    let sites = Sites::of(snapshot, file)?;

    let mut calls = Vec::new();
    for site in &facts.sites {
        let at = (site.at.line, site.at.column);
        if site.kind == SiteKind::Call
            && let Subject::Expr(expr) = site.subject
            && let Expr::Call(call) = facts.expr(expr)
            && !sites.known.contains(&at)
            && let Some(name) = called_name(&facts, call, sites.unresolved.contains(&at))
        {
            calls.push((at, expr, call, name));
        }
    }
    calls.sort_unstable_by_key(|(at, ..)| *at);

    let unknown: FxHashSet<ExprId> = calls.iter().map(|(_, expr, ..)| *expr).collect();
    let mut common: FxHashMap<Sym, bool> = FxHashMap::default();
    let mut found = Vec::new();
    for ((line, column), _, call, name) in calls {
        let Some(text) = callee_text(&facts, call, &unknown) else {
            continue;
        };
        let is_common = match common.get(&name) {
            Some(known) => *known,
            None => is_common(snapshot, facts.text(name))?,
        };
        common.insert(name, is_common);
        let args = facts.list(facts.calls[call.index()].args);
        let is_function = |arg: &Arg| matches!(facts.expr(arg.value), Expr::Function(_));
        found.push(UnknownCall {
            line,
            column,
            text,
            is_common,
            takes_function: args.iter().any(is_function),
        });
    }
    Ok(found)
}

/// Returns the name that a call is of: of a member, or a bare name that is not resolved.
fn called_name(facts: &Facts, call: CallId, is_unresolved: bool) -> Option<Sym> {
    match facts.expr(callee_of(facts, call)) {
        Expr::Member(_, name) => Some(name),
        Expr::Name(name, ..) if is_unresolved => Some(name),
        _ => None,
    }
}

/// Returns the callee of a call, without its type arguments.
fn callee_of(facts: &Facts, call: CallId) -> ExprId {
    let callee = facts.calls[call.index()].callee;
    match facts.expr(callee) {
        Expr::Generic(of, _) => of,
        _ => callee,
    }
}

/// Reports whether the repository calls a method of that name of a common type.
fn is_common(snapshot: &Snapshot, name: &str) -> Result<bool, QueryError> {
    let found = store::external_symbols_named(snapshot, name, MAX_SYMBOLS)?;
    Ok(found.iter().any(|found| {
        let path = found.symbol.path();
        path.rsplit_once('.')
            .is_some_and(|(of, last)| last == name && COMMON_TYPES.contains(&of))
    }))
}

/// Lines and columns of the uses of a file.
#[derive(Default)]
struct Sites {
    /// Those that lead to a symbol, in the repository or outside.
    known: FxHashSet<(u32, u32)>,
    /// Calls that are listed as unresolved.
    unresolved: FxHashSet<(u32, u32)>,
}

impl Sites {
    fn of(snapshot: &Snapshot, file: FileKey) -> Result<Self, QueryError> {
        let nodes = store::nodes_of_file(snapshot, file)?;
        let nodes: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
        let mut sites = Self::default();
        let types = [EdgeType::Calls, EdgeType::References];
        let outgoing = EdgeDirection::Outgoing;
        store::each_use(snapshot, &nodes, &types, outgoing, |_, edge| {
            if edge.file == file {
                sites.known.insert((edge.line, edge.column));
            }
        })?;

        for (_, uses) in store::external_uses_in(snapshot, file)? {
            let uses = uses.iter().map(|site| (site.line, site.column));
            sites.known.extend(uses);
        }
        for (_, uses) in store::unresolved_in_file(snapshot, file)? {
            let calls = uses.iter().filter(|site| site.is_call);
            let calls = calls.map(|site| (site.line, site.column));
            sites.unresolved.extend(calls);
        }
        Ok(sites)
    }
}

/// Writes the callee of a call; `None` for one on the result of an unknown call.
fn callee_text(facts: &Facts, call: CallId, unknown: &FxHashSet<ExprId>) -> Option<String> {
    let callee = callee_of(facts, call);
    if let Expr::Member(receiver, _) = facts.expr(callee)
        && is_result_of(facts, receiver, unknown, MAX_DEPTH)
    {
        return None;
    }

    let text = written(facts, callee, MAX_DEPTH);
    if text.len() <= MAX_TEXT {
        return Some(text);
    }
    let from = text.ceil_char_boundary(text.len() - MAX_TEXT);
    Some(format!("..{}", &text[from..]))
}

/// Reports whether a value is the result of one of some calls, or a member of one.
fn is_result_of(facts: &Facts, expr: ExprId, calls: &FxHashSet<ExprId>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    if calls.contains(&expr) {
        return true;
    }
    match facts.expr(expr) {
        Expr::Call(call) | Expr::Index(call) => {
            let callee = facts.calls[call.index()].callee;
            is_result_of(facts, callee, calls, depth)
        }
        Expr::Member(of, _)
        | Expr::Generic(of, _)
        | Expr::Await(of)
        | Expr::Conditional(of)
        | Expr::NonNull(of)
        | Expr::Paren(of) => is_result_of(facts, of, calls, depth),
        _ => false,
    }
}

/// Writes a value without arguments and type arguments.
fn written(facts: &Facts, expr: ExprId, depth: usize) -> String {
    let Some(depth) = depth.checked_sub(1) else {
        return "..".to_owned();
    };
    match facts.expr(expr) {
        Expr::Name(name, ..) => facts.text(name).to_owned(),
        Expr::This(_) | Expr::ThisAt(..) => "this".to_owned(),
        Expr::Super(_) => "super".to_owned(),
        Expr::Member(of, name) => format!("{}.{}", written(facts, of, depth), facts.text(name)),
        Expr::Call(call) => {
            let callee = facts.calls[call.index()].callee;
            format!("{}(..)", written(facts, callee, depth))
        }
        Expr::Index(call) => {
            let of = facts.calls[call.index()].callee;
            format!("{}[..]", written(facts, of, depth))
        }
        Expr::NarrowedRef(guard) => {
            let guard = facts.guards.get(guard as usize);
            guard.map_or_else(
                || "..".to_owned(),
                |guard| written(facts, guard.subject, depth),
            )
        }
        Expr::Generic(of, _)
        | Expr::Await(of)
        | Expr::Conditional(of)
        | Expr::NonNull(of)
        | Expr::Paren(of) => written(facts, of, depth),
        _ => "(..)".to_owned(),
    }
}
