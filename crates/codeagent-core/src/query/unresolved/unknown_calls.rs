//! Calls whose target the index does not know, as they are written: `this.prisma.user.update`.
//!
//! Mostly calls on values of packages that are not installed, or of clients that a tool generates. Of calls on the
//! results of others (`query(..).where(..).delete()`) the first is named with the name of the last, unless a type of
//! the repository is an argument (`.UseStartup<Startup>()`). A call of a bare name that is declared is left out; most
//! of these call a parameter. A function that is the result of a call, or taken out of one, is named with that call:
//! `deleteItem() from useDeleteItem()`.
//!
//! Two kinds of calls whose target is known outside the repository are among them: those that send a request, and those
//! that are given a type of the repository to run: `services.AddHostedService<Cleanup>()`.

use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::{
    Arg, CallId, DeclKind, Expr, ExprId, Facts, ScopeId, SiteKind, Subject, Sym, TypeExpr,
};
use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeType};
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

/// Beginnings of the names of methods outside the repository that run code of their type argument.
const RUNNING: [&str; 7] = [
    "AddHosted",
    "GetRequiredService",
    "GetService",
    "Map",
    "Resolve",
    "Run",
    "Use",
];

/// Functions and types outside the repository that send requests.
const REQUESTS: [&str; 4] = [
    "fetch",
    "XMLHttpRequest",
    "System.Net.Http.HttpClient",
    "System.Net.Http.Json.HttpClientJsonExtensions",
];

/// A call without a known target in the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCall {
    /// 1-based line of the called name.
    pub line: u32,
    /// 1-based UTF-16 column of the called name.
    pub column: u32,
    /// The callee as written, without arguments.
    pub text: String,
    /// Its argument if that is a single name, otherwise empty or dots.
    argument: String,
    /// The name of the last call in a chain of calls on its result: `delete` of `query(..).where(..).delete()`.
    last: Option<String>,
    /// Whether its target is known, outside the repository.
    pub is_outside: bool,
    /// Whether strings, lists or promises have a method of this name that the repository uses.
    pub is_common: bool,
    /// The type of the repository that is the only type argument: `IStore` of `services.Get<IStore>()`.
    pub type_argument: Option<NodeId>,
    /// Whether a function is passed.
    takes_function: bool,
}

impl UnknownCall {
    /// Returns the callee as written, with the last call on its result: `db.delete(carts).where`.
    #[must_use]
    pub fn chain(&self) -> String {
        match &self.last {
            Some(last) => format!("{}({}).{last}", self.text, self.argument),
            None => self.text.clone(),
        }
    }
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
        .filter(|call| seen.insert((&call.text, &call.last)))
        .cloned()
        .collect()
}

/// Returns the lines of the local functions in a symbol that something calls, and of all functions and types in a file,
/// which do not run with it.
fn called_functions_in(
    snapshot: &Snapshot,
    node: &Node,
) -> Result<Vec<RangeInclusive<u32>>, QueryError> {
    let mut local = store::children_of(snapshot, &[node.id])?;
    if matches!(node.node_type, NodeType::File | NodeType::Module) {
        local.retain(|child| child.node_type != NodeType::Property);
        return Ok(local
            .iter()
            .map(|child| child.line_start..=child.line_end)
            .collect());
    }

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
    let Some(facts) = store::facts_of_file(snapshot, &path)? else {
        return Ok(Vec::new());
    };
    let sites = Sites::of(snapshot, file)?;
    let calls = named_calls(&facts, &sites);
    let unknown = calls
        .iter()
        .filter(|call| !sites.outside.contains_key(&call.at));

    let mut reader = CallReader {
        snapshot,
        facts: &facts,
        sites: &sites,
        unknown: unknown.map(|call| call.expr).collect(),
        common: FxHashMap::default(),
        found: Vec::new(),
        chains: FxHashMap::default(),
    };
    for call in &calls {
        reader.add(call)?;
    }
    Ok(reader.found)
}

/// A call of a member, or of a name that may have no known target.
struct NamedCall {
    /// Line and column of the called name.
    at: (u32, u32),
    expr: ExprId,
    call: CallId,
    name: Sym,
    /// The call whose result is called.
    giver: Option<CallId>,
}

/// Returns the calls of a file whose target is not known in the repository, in text order.
fn named_calls(facts: &Facts, sites: &Sites) -> Vec<NamedCall> {
    let results = results_of_calls(facts);
    let mut calls = Vec::new();

    for site in &facts.sites {
        let at = (site.at.line, site.at.column);
        let is_outside = sites.outside.contains_key(&at);
        if site.kind == SiteKind::Call
            && let Subject::Expr(expr) = site.subject
            && let Expr::Call(call) = facts.expr(expr)
            && (is_outside || !sites.known.contains(&at))
        {
            let giver = giver(facts, call, &results);
            let is_named = giver.is_some() || is_outside || sites.unresolved.contains(&at);
            calls.extend(called_name(facts, call, is_named).map(|name| NamedCall {
                at,
                expr,
                call,
                name,
                giver,
            }));
        }
    }

    calls.sort_unstable_by_key(|call| call.at);
    calls
}

/// Collects the calls of a file, chains of them under their first.
struct CallReader<'r> {
    snapshot: &'r Snapshot,
    facts: &'r Facts,
    sites: &'r Sites,
    /// The calls whose target is known nowhere.
    unknown: FxHashSet<ExprId>,
    /// Whether names are those of methods that are called on most values.
    common: FxHashMap<Sym, bool>,
    found: Vec<UnknownCall>,
    /// Where each call, or the first one of its chain, is among those found.
    chains: FxHashMap<ExprId, usize>,
}

impl CallReader<'_> {
    /// Adds a call, unless it is on the result of another one or stays outside the repository.
    fn add(&mut self, named: &NamedCall) -> Result<(), QueryError> {
        let (facts, (line, column)) = (self.facts, named.at);
        let used = self.sites.referenced.get(&line);
        let type_argument = type_argument(self.snapshot, facts, named.call, used)?;
        let is_request = self.sites.outside.get(&named.at).copied();
        let is_run = type_argument.is_some() && runs(facts.text(named.name));
        if is_request == Some(false) && !is_run {
            return Ok(());
        }

        let is_common = self.is_common(named.name)?;
        let before = receiver_among(facts, named.call, &self.unknown);
        let argument_of_type = type_argument.as_ref().map(|(_, name)| name.as_str());
        let Some(text) = text_of(facts, named, before.is_some(), argument_of_type) else {
            self.add_to_chain(named, before, is_common);
            return Ok(());
        };

        let args = facts.list(facts.calls[named.call.index()].args);
        let is_function = |arg: &Arg| matches!(facts.expr(arg.value), Expr::Function(_));
        self.chains.insert(named.expr, self.found.len());
        self.found.push(UnknownCall {
            line,
            column,
            text,
            argument: argument(facts, named.call).to_owned(),
            last: None,
            is_outside: is_request.is_some(),
            is_common,
            type_argument: type_argument.map(|(id, _)| id),
            takes_function: args.iter().any(is_function),
        });
        Ok(())
    }

    /// Notes that a call is on the result of another one, with its name unless that says little.
    fn add_to_chain(&mut self, named: &NamedCall, before: Option<ExprId>, is_common: bool) {
        let first = before.and_then(|before| self.chains.get(&before).copied());
        let Some(first) = first else { return };
        self.chains.insert(named.expr, first);
        if !is_common {
            self.found[first].last = Some(self.facts.text(named.name).to_owned());
        }
    }

    fn is_common(&mut self, name: Sym) -> Result<bool, QueryError> {
        if let Some(known) = self.common.get(&name) {
            return Ok(*known);
        }
        let is_common = is_common(self.snapshot, self.facts.text(name))?;
        self.common.insert(name, is_common);
        Ok(is_common)
    }
}

/// Writes a call with its type argument and what gives the called value; `None` if it is on the result of an unknown
/// call and has no type argument.
fn text_of(
    facts: &Facts,
    named: &NamedCall,
    is_chained: bool,
    type_argument: Option<&str>,
) -> Option<String> {
    let mut text = match (is_chained, type_argument) {
        (false, _) => callee_text(facts, named.call),
        (true, Some(_)) => format!("..{}", facts.text(named.name)),
        (true, None) => return None,
    };

    if let Some(argument) = type_argument {
        text += &format!("<{argument}>");
    }
    if let Some(giver) = named.giver {
        let giver = written(facts, callee_of(facts, giver), MAX_DEPTH);
        text += &format!("() from {giver}()");
    }

    Some(text)
}

/// Reports whether a method of this name runs code of its type argument.
fn runs(name: &str) -> bool {
    RUNNING.iter().any(|prefix| name.starts_with(prefix))
}

/// Reports whether a symbol outside the repository sends requests, by its dotted path.
fn is_request(path: &str) -> bool {
    let of = |name: &&str| {
        let rest = path.strip_prefix(*name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    REQUESTS.iter().any(of)
}

/// Returns the name that a call is of: of a member, or with `is_named` a bare name.
fn called_name(facts: &Facts, call: CallId, is_named: bool) -> Option<Sym> {
    match facts.expr(callee_of(facts, call)) {
        Expr::Member(_, name) => Some(name),
        Expr::Name(name, ..) if is_named => Some(name),
        _ => None,
    }
}

/// Returns the variables whose values are results of calls or parts of them, with the calls.
fn results_of_calls(facts: &Facts) -> FxHashMap<(ScopeId, Sym), CallId> {
    let variables = facts
        .decls
        .iter()
        .filter(|decl| decl.kind == DeclKind::Variable);
    variables
        .filter_map(|decl| {
            let call = source_call(facts, decl.init, MAX_DEPTH)?;
            Some(((decl.scope, decl.name), call))
        })
        .collect()
}

/// Returns the call that a value is the result of, or a part of the result.
fn source_call(facts: &Facts, value: ExprId, depth: usize) -> Option<CallId> {
    let depth = depth.checked_sub(1)?;
    match facts.expr(value) {
        Expr::Call(call) => Some(call),
        Expr::Destructured(of, _)
        | Expr::Element(of, _)
        | Expr::Or(of, _)
        | Expr::Await(of)
        | Expr::NonNull(of)
        | Expr::Paren(of) => source_call(facts, of, depth),
        _ => None,
    }
}

/// Returns the call whose result is called by a bare name.
fn giver(
    facts: &Facts,
    call: CallId,
    results: &FxHashMap<(ScopeId, Sym), CallId>,
) -> Option<CallId> {
    let Expr::Name(name, mut scope, _) = facts.expr(callee_of(facts, call)) else {
        return None;
    };
    loop {
        if let Some(call) = results.get(&(scope, name)) {
            return Some(*call);
        }
        scope = facts.scope(scope).parent.some()?;
    }
}

/// Returns the type of the repository that is the only type argument of a call, if it is among those
/// that are used on its line, and its name.
fn type_argument(
    snapshot: &Snapshot,
    facts: &Facts,
    call: CallId,
    used: Option<&Vec<NodeId>>,
) -> Result<Option<(NodeId, String)>, QueryError> {
    let ([argument], Some(used)) = (facts.list(facts.calls[call.index()].type_args), used) else {
        return Ok(None);
    };
    let TypeExpr::Name(segments, _) = facts.type_expr(*argument) else {
        return Ok(None);
    };
    let Some(last) = facts.list(segments).last() else {
        return Ok(None);
    };

    let name = facts.text(last.name);
    let known = store::briefs(snapshot, used)?;
    let mut types = known
        .values()
        .filter(|brief| brief.node_type.is_type() && brief.name == name);
    Ok(types.next().map(|brief| (brief.id, name.to_owned())))
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
    /// Calls that lead outside the repository, with whether they send a request.
    outside: FxHashMap<(u32, u32), bool>,
    /// Calls that are listed as unresolved.
    unresolved: FxHashSet<(u32, u32)>,
    /// The symbols that are used on each line other than by a call.
    referenced: FxHashMap<u32, Vec<NodeId>>,
}

impl Sites {
    fn of(snapshot: &Snapshot, file: FileKey) -> Result<Self, QueryError> {
        let nodes = store::node_ids_of_file(snapshot, file)?;
        let mut sites = Self::default();
        let types = [EdgeType::Calls, EdgeType::References];
        let outgoing = EdgeDirection::Outgoing;
        store::each_use(snapshot, &nodes, &types, outgoing, |_, edge| {
            if edge.file == file {
                sites.known.insert((edge.line, edge.column));
                if edge.edge_type == EdgeType::References {
                    let symbols = sites.referenced.entry(edge.line).or_default();
                    symbols.push(edge.other);
                }
            }
        })?;

        for (external, uses) in store::external_uses_in(snapshot, file)? {
            let is_request = is_request(&external.symbol.path());
            for site in uses {
                let at = (site.line, site.column);
                sites.known.insert(at);
                if site.edge_type == EdgeType::Calls {
                    sites.outside.insert(at, is_request);
                }
            }
        }
        for (_, uses) in store::unresolved_in_file(snapshot, file)? {
            let calls = uses.iter().filter(|site| site.is_call);
            let calls = calls.map(|site| (site.line, site.column));
            sites.unresolved.extend(calls);
        }
        Ok(sites)
    }
}

/// Writes the callee of a call, of a long one the end.
fn callee_text(facts: &Facts, call: CallId) -> String {
    let text = written(facts, callee_of(facts, call), MAX_DEPTH);
    if text.len() <= MAX_TEXT {
        return text;
    }
    let from = text.ceil_char_boundary(text.len() - MAX_TEXT);
    format!("..{}", &text[from..])
}

/// Returns the one of some calls that the receiver of a call is the result of, or a member of that result.
fn receiver_among(facts: &Facts, call: CallId, calls: &FxHashSet<ExprId>) -> Option<ExprId> {
    match facts.expr(callee_of(facts, call)) {
        Expr::Member(receiver, _) => result_of(facts, receiver, calls, MAX_DEPTH),
        _ => None,
    }
}

/// Returns the one of some calls that a value is the result of, or a member of that result.
fn result_of(
    facts: &Facts,
    expr: ExprId,
    calls: &FxHashSet<ExprId>,
    depth: usize,
) -> Option<ExprId> {
    let depth = depth.checked_sub(1)?;
    if calls.contains(&expr) {
        return Some(expr);
    }

    match facts.expr(expr) {
        Expr::Call(call) | Expr::Index(call) => {
            let callee = facts.calls[call.index()].callee;
            result_of(facts, callee, calls, depth)
        }
        Expr::Member(of, _)
        | Expr::Generic(of, _)
        | Expr::Await(of)
        | Expr::Conditional(of)
        | Expr::NonNull(of)
        | Expr::Paren(of) => result_of(facts, of, calls, depth),
        _ => None,
    }
}

/// Returns the argument of a call if it is a single name, otherwise nothing or dots.
fn argument(facts: &Facts, call: CallId) -> &str {
    match facts.list(facts.calls[call.index()].args) {
        [] => "",
        [only] => match facts.expr(only.value) {
            Expr::Name(name, ..) => facts.text(name),
            _ => "..",
        },
        _ => "..",
    }
}

/// Writes a value without type arguments and arguments, but a single name: `table(Carts).where`.
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
            format!(
                "{}({})",
                written(facts, callee, depth),
                argument(facts, call)
            )
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
