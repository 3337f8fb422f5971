//! Which declarations of a file do others see one by one, each by its name: members of types, and what a TypeScript module declares outside of
//! them.
//!
//! Whoever asks a type or module for one name learns nothing of its other members. Types, what stands in their heads and everything else of the file
//! is seen by whoever looks at the file at all.
//!
//! **Limits.** Nothing is told apart in broken text, where a member decides how the rest is read; in scripts; in JavaScript.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use crate::model::facts::{DeclFlags, DeclId, DeclKind, Declaration, Expr, Facts, ScopeId, ScopeKind};
use crate::model::graph::Language;

/// Is a member of no type, before all narrowings; behind them it is less.
const OF_MODULE: u32 = u32::MAX;

/// A declaration that is a piece by itself.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Which.
    pub decl: DeclId,
    /// First byte.
    pub start: usize,
    /// Behind the last but for a separator.
    pub end: usize,
    /// Behind the last.
    pub behind: usize,
    /// Which of the types of the file it is a member of, or behind how many narrowings of the module it stands.
    pub container: u32,
}

/// The pieces of a file in text order; none lies in another.
pub fn places(text: &str, facts: &Facts, root: Option<Node<'_>>) -> Vec<Place> {
    let Some(root) = root.filter(|root| !root.has_error()) else { return Vec::new() };
    let (places, others) = match facts.header.dialect.language() {
        Language::CSharp => csharp(facts),
        Language::TypeScript => typescript(facts, root),
    };
    let places = places.into_iter().map(|place| Place { behind: behind_separator(text, place.end), ..place }).collect();
    apart(places, others)
}

/// A comma or semicolon goes with what it ends, and says nothing.
fn behind_separator(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let separator = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
    if rest[separator..].starts_with([',', ';']) { end + separator + 1 } else { end }
}

/// Leaves out places that lie in each other or hold one of the `others`.
fn apart(mut places: Vec<Place>, mut others: Vec<usize>) -> Vec<Place> {
    others.sort_unstable();
    places.sort_unstable_by_key(|place| (place.start, place.behind));
    let holds_other = |place: &Place| others.partition_point(|at| *at < place.start) != others.partition_point(|at| *at < place.behind);
    let mut kept: Vec<Place> = Vec::with_capacity(places.len());
    let mut covered = 0;
    for place in places {
        if place.start < covered {
            kept.pop_if(|last| last.behind > place.start);
        } else if !holds_other(&place) && place.start < place.end {
            kept.push(place);
        }
        covered = covered.max(place.behind);
    }
    kept
}

/// Members of types, and where types, namespaces and usings stand.
fn csharp(facts: &Facts) -> (Vec<Place>, Vec<usize>) {
    let mut containers: Vec<DeclId> = Vec::new();
    let mut places: Vec<Place> = Vec::new();
    let mut others: Vec<usize> = facts.imports.iter().map(|import| import.at.offset as usize).collect();
    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        if opens_a_type(decl.kind) {
            containers.push(id);
        }
        if opens_a_type(decl.kind) || decl.kind == DeclKind::Namespace {
            others.push(decl.at.offset as usize);
        }
        if is_member(decl.kind)
            && !decl.flags.has(DeclFlags::FROM_PARAMETER)
            && let Ok(container) = containers.binary_search(&facts.scope(decl.scope).owner)
        {
            places.extend(place(facts, id, container as u32));
        }
    }
    (places, others)
}

fn place(facts: &Facts, decl: DeclId, container: u32) -> Option<Place> {
    let span = facts.detail(decl)?.span;
    let end = span.end_offset as usize;
    Some(Place { decl, start: span.start.offset as usize, end, behind: end, container })
}

/// Statements that declare one name, members of classes and interfaces, and where everything else stands that the module declares.
fn typescript(facts: &Facts, root: Node<'_>) -> (Vec<Place>, Vec<usize>) {
    if !facts.header.is_module || facts.header.dialect.is_javascript() {
        return (Vec::new(), Vec::new());
    }
    let mut statements: Vec<(usize, usize)> = Vec::new();
    let mut cursor = root.walk();
    let mut has_more = cursor.goto_first_child();
    while has_more {
        statements.push((cursor.node().start_byte(), cursor.node().end_byte()));
        has_more = cursor.goto_next_sibling();
    }
    let mut others: Vec<usize> = facts.imports.iter().map(|import| import.at.offset as usize).collect();
    others.extend(facts.exports.iter().map(|export| export.at.offset as usize));
    others.extend(facts.exprs.iter().filter_map(|expr| given_to_another(facts, expr)));
    let mut by_statement: FxHashMap<usize, Vec<DeclId>> = FxHashMap::default();
    let mut types: FxHashMap<DeclId, u32> = FxHashMap::default();
    let mut places = Vec::new();
    for id in facts.decl_ids().filter(|id| !facts.decl(*id).name.is_none()) {
        let decl = facts.decl(id);
        let at = decl.at.offset as usize;
        let statement = statements.partition_point(|(start, _)| *start <= at).checked_sub(1).filter(|before| at < statements[*before].1);
        match statement {
            Some(statement) if decl.scope == ScopeId(0) => by_statement.entry(statement).or_default().push(id),
            None if decl.scope == ScopeId(0) => others.push(at),
            _ => {}
        }
        if decl.scope == ScopeId(0) && matches!(decl.kind, DeclKind::Class | DeclKind::Interface) {
            types.insert(id, types.len() as u32);
        }
        if is_named_member(facts, id)
            && let Some(container) = types.get(&facts.scope(decl.scope).owner)
        {
            places.extend(place(facts, id, *container));
        }
    }
    let is_narrowing = |decl: &&Declaration| decl.kind == DeclKind::Narrow && decl.scope == ScopeId(0);
    let mut narrowed_from: Vec<usize> = facts.decls.iter().filter(is_narrowing).map(|decl| decl.from as usize).collect();
    narrowed_from.sort_unstable();
    for (statement, decls) in by_statement {
        let (start, end) = statements[statement];
        let container = OF_MODULE - narrowed_from.partition_point(|from| *from <= start) as u32;
        match decls[..] {
            [decl] if is_statement(facts, decl) => places.push(Place { decl, start, end, behind: end, container }),
            _ => others.extend(decls.iter().map(|decl| facts.decl(*decl).at.offset as usize)),
        }
    }
    (places, others)
}

/// Where `F` stands in `F.name = value` outside of functions, which gives `F` a member.
fn given_to_another(facts: &Facts, expr: &Expr) -> Option<usize> {
    let Expr::Assign(target, _) = *expr else { return None };
    let Expr::Member(object, _) = facts.expr(target) else { return None };
    let Expr::Name(_, scope, at) = facts.expr(object) else { return None };
    matches!(facts.scope(scope).kind, ScopeKind::File | ScopeKind::Namespace).then_some(at as usize)
}

/// Whether a statement of a module that declares this alone is seen by its name alone.
fn is_statement(facts: &Facts, id: DeclId) -> bool {
    let decl = facts.decl(id);
    let is_of_a_kind = matches!(decl.kind, DeclKind::Function | DeclKind::Variable | DeclKind::TypeAlias | DeclKind::Enum);
    is_of_a_kind && !decl.flags.has(DeclFlags::DEFAULT) && !decl.detail.is_none()
}

/// Whether a member of a class or interface is asked for by its name.
fn is_named_member(facts: &Facts, id: DeclId) -> bool {
    let decl = facts.decl(id);
    let is_of_a_kind = matches!(decl.kind, DeclKind::Method | DeclKind::Property | DeclKind::Getter | DeclKind::Setter);
    is_of_a_kind && decl.flags.has(DeclFlags::MEMBER) && !decl.flags.has(DeclFlags::FROM_PARAMETER)
}

fn opens_a_type(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Class
            | DeclKind::Struct
            | DeclKind::Record
            | DeclKind::RecordStruct
            | DeclKind::Interface
            | DeclKind::Enum
            | DeclKind::Delegate
            | DeclKind::ExtensionBlock
    )
}

/// Whether a member stands by itself; a primary constructor belongs to the head of its type.
fn is_member(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Method
            | DeclKind::Constructor
            | DeclKind::StaticConstructor
            | DeclKind::Finalizer
            | DeclKind::Operator
            | DeclKind::Conversion
            | DeclKind::Property
            | DeclKind::Field
            | DeclKind::Event
            | DeclKind::Indexer
            | DeclKind::EnumMember
    )
}
