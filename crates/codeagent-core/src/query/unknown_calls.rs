//! Calls of members whose target the index does not know, as they are written:
//! `this.prisma.user.update`.
//!
//! Mostly calls on values of packages that are not installed, or of clients that a tool generates. A
//! call on the result of another such call (`.where(..)` of a query) is left out.
//!
//! Limitations: calls of bare names are left out, most of which call a parameter.

use std::ops::RangeInclusive;

use rustc_hash::FxHashSet;

use crate::model::facts::{Arg, CallId, Expr, ExprId, Facts, SiteKind, Subject, Sym};
use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeId};
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

/// A call of a member without a known target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCall {
    /// 1-based line of the called name.
    pub line: u32,
    /// The callee as written, without arguments.
    pub text: String,
    /// The repository calls a method of that name of a string, a list or a promise, too.
    pub is_common: bool,
}

/// Returns the calls of a symbol without a known target, each text once, in text order, with the file.
pub fn unknown_calls_of(
    snapshot: &Snapshot,
    node: &Node,
) -> Result<Vec<(FileKey, UnknownCall)>, QueryError> {
    let mut found = Vec::new();
    for span in &node.spans {
        let Some(file) = store::file_by_path(snapshot, &span.path)? else {
            continue;
        };
        let Some(facts) = store::read_facts(snapshot, &file.facts_key)? else {
            continue;
        };
        let (start, last) = (span.span.start, span.span.end_line);
        let is_inside = |at: (u32, u32), _| at >= (start.line, start.column) && at.0 <= last;
        let calls = unknown_calls(snapshot, file.id, &facts, is_inside)?;
        found.extend(calls.into_iter().map(|call| (file.id, call)));
    }
    Ok(found)
}

/// Returns the calls without a known target in a callback on some lines of a file, as
/// [`unknown_calls_of`] does. A call on the first line that passes a function takes the callback.
pub fn unknown_calls_on(
    snapshot: &Snapshot,
    file: FileKey,
    lines: &RangeInclusive<u32>,
) -> Result<Vec<UnknownCall>, QueryError> {
    let Some(facts) = facts_of(snapshot, file)? else {
        return Ok(Vec::new());
    };
    let takes_callback = |(at, call): ((u32, u32), CallId)| {
        let args = facts.list(facts.calls[call.index()].args);
        let is_function = |arg: &Arg| matches!(facts.expr(arg.value), Expr::Function(_));
        at.0 == *lines.start() && args.iter().any(is_function)
    };
    let is_wanted = |at: (u32, u32), call| lines.contains(&at.0) && !takes_callback((at, call));
    unknown_calls(snapshot, file, &facts, is_wanted)
}

/// Returns the calls without a known target among those that are wanted by line and UTF-16 column, both
/// 1-based.
fn unknown_calls(
    snapshot: &Snapshot,
    file: FileKey,
    facts: &Facts,
    is_wanted: impl Fn((u32, u32), CallId) -> bool,
) -> Result<Vec<UnknownCall>, QueryError> {
    let mut calls = Vec::new();
    for site in &facts.sites {
        let at = (site.at.line, site.at.column);
        if site.kind == SiteKind::Call
            && let Subject::Expr(expr) = site.subject
            && let Expr::Call(call) = facts.expr(expr)
            && is_wanted(at, call)
        {
            calls.push((at, expr, call));
        }
    }
    if calls.is_empty() {
        return Ok(Vec::new());
    }

    let known = known_sites(snapshot, file)?;
    calls.retain(|(at, ..)| !known.contains(at));
    calls.sort_unstable_by_key(|(at, ..)| *at);

    let unknown: FxHashSet<ExprId> = calls.iter().map(|(_, expr, _)| *expr).collect();
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for ((line, _), _, call) in calls {
        let Some((text, name)) = callee_text(facts, call, &unknown) else {
            continue;
        };
        if seen.insert(text.clone()) {
            found.push(UnknownCall {
                line,
                text,
                is_common: is_common(snapshot, facts.text(name))?,
            });
        }
    }
    Ok(found)
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

fn facts_of(snapshot: &Snapshot, file: FileKey) -> Result<Option<Facts>, QueryError> {
    let Some(path) = store::file_path(snapshot, file)? else {
        return Ok(None);
    };
    let Some(row) = store::file_by_path(snapshot, &path)? else {
        return Ok(None);
    };
    Ok(store::read_facts(snapshot, &row.facts_key)?)
}

/// Returns the lines and columns of a file's uses that lead to a symbol, in the repository or outside.
fn known_sites(snapshot: &Snapshot, file: FileKey) -> Result<FxHashSet<(u32, u32)>, QueryError> {
    let nodes = store::nodes_of_file(snapshot, file)?;
    let nodes: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let mut known = FxHashSet::default();
    let types = [EdgeType::Calls, EdgeType::References];
    store::each_use(
        snapshot,
        &nodes,
        &types,
        EdgeDirection::Outgoing,
        |_, edge| {
            if edge.file == file {
                known.insert((edge.line, edge.column));
            }
        },
    )?;
    for (_, sites) in store::external_uses_in(snapshot, file)? {
        known.extend(sites.iter().map(|site| (site.line, site.column)));
    }
    Ok(known)
}

/// Writes the callee of a call, and returns its name; `None` if it is no member, or one of the result of an unknown call.
fn callee_text(facts: &Facts, call: CallId, unknown: &FxHashSet<ExprId>) -> Option<(String, Sym)> {
    let mut callee = facts.calls[call.index()].callee;
    if let Expr::Generic(of, _) = facts.expr(callee) {
        callee = of;
    }
    let Expr::Member(receiver, name) = facts.expr(callee) else {
        return None;
    };
    if is_result_of(facts, receiver, unknown, MAX_DEPTH) {
        return None;
    }

    let text = written(facts, callee, MAX_DEPTH);
    if text.len() <= MAX_TEXT {
        return Some((text, name));
    }
    let from = text.ceil_char_boundary(text.len() - MAX_TEXT);
    Some((format!("..{}", &text[from..]), name))
}

/// Reports whether a value is the result of one of some calls, or a member of one.
fn is_result_of(facts: &Facts, expr: ExprId, calls: &FxHashSet<ExprId>, depth: usize) -> bool {
    if depth == 0 || calls.contains(&expr) {
        return depth > 0;
    }
    match facts.expr(expr) {
        Expr::Call(call) | Expr::Index(call) => {
            let callee = facts.calls[call.index()].callee;
            is_result_of(facts, callee, calls, depth - 1)
        }
        Expr::Member(of, _)
        | Expr::Generic(of, _)
        | Expr::Await(of)
        | Expr::Conditional(of)
        | Expr::NonNull(of)
        | Expr::Paren(of) => is_result_of(facts, of, calls, depth - 1),
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
