//! The declarations of a module that other files depend on separately: statements that declare one
//! name, and members of classes and interfaces. Classes and interfaces are separate types.
//!
//! Limitations: scripts and JavaScript files are not split.

use codeagent_lang::lower::member_spans::{MemberSpan, SeparateParts, member_span};
use codeagent_model::facts::{
    DeclFlags, DeclId, DeclKind, Declaration, Expr, Facts, ScopeId, ScopeKind, Sym,
};
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// The container of statements before the first narrowing; each narrowing lowers it by one.
const OF_MODULE: u32 = u32::MAX;

/// Returns statements that declare one name, members of classes and interfaces, the offsets of all
/// other declarations of the module, and its classes and interfaces.
pub fn find_members(facts: &Facts, root: Node<'_>) -> SeparateParts {
    if !facts.header.is_module || facts.header.dialect.is_javascript() {
        return SeparateParts::default();
    }

    let statements = statement_ranges(root);
    let mut others = offsets_outside_members(facts);

    let mut by_statement: FxHashMap<usize, Vec<DeclId>> = FxHashMap::default();
    let mut containers: FxHashMap<DeclId, u32> = FxHashMap::default();
    let mut parts_of_name: FxHashMap<Sym, u32> = FxHashMap::default();

    let (mut members, mut types) = (Vec::new(), Vec::new());
    for id in facts
        .decl_ids()
        .filter(|id| !facts.decl(*id).name.is_none())
    {
        let decl = facts.decl(id);
        let at = decl.at.offset as usize;
        let statement = statements
            .partition_point(|(start, _)| *start <= at)
            .checked_sub(1)
            .filter(|before| at < statements[*before].1);
        match statement {
            Some(statement) if decl.scope == ScopeId(0) => {
                by_statement.entry(statement).or_default().push(id)
            }
            None if decl.scope == ScopeId(0) => others.push(at),
            _ => {}
        }
        if decl.scope == ScopeId(0) && is_type(decl.kind) {
            let part = parts_of_name.entry(decl.name).or_default();
            containers.insert(id, container_number(facts.text(decl.name), *part));
            *part += 1;
        }
        if is_named_member(facts, id)
            && let Some(container) = containers.get(&facts.scope(decl.scope).owner)
        {
            members.extend(member_span(facts, id, *container));
        }
    }

    let narrowed_from = narrowing_offsets(facts);
    for (statement, decls) in by_statement {
        let (start, end) = statements[statement];
        let container = OF_MODULE - narrowed_from.partition_point(|from| *from <= start) as u32;
        let span = |decl| MemberSpan {
            decl,
            start,
            end,
            behind: end,
            container,
        };
        match decls[..] {
            [decl] if is_statement(facts, decl) => {
                members.push(span(decl));
                continue;
            }
            [decl] if is_separate_type(facts, decl) => types.push(span(decl)),
            _ => {}
        }
        others.extend(
            decls
                .iter()
                .map(|decl| facts.decl(*decl).at.offset as usize),
        );
    }

    types.sort_unstable_by_key(|of| of.start);
    SeparateParts {
        members,
        others,
        types,
    }
}

fn is_type(kind: DeclKind) -> bool {
    matches!(kind, DeclKind::Class | DeclKind::Interface)
}

/// Reports whether other files see a class or interface only by its name.
fn is_separate_type(facts: &Facts, id: DeclId) -> bool {
    let decl = facts.decl(id);
    is_type(decl.kind) && !decl.flags.has(DeclFlags::DEFAULT) && !decl.detail.is_none()
}

/// Hashes the name of a type and the number of its part, so that types added elsewhere change
/// nothing.
fn container_number(name: &str, part: u32) -> u32 {
    const PRIME: u32 = 0x0100_0193;
    name.bytes().fold(0x811c_9dc5 ^ part, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(PRIME)
    })
}

/// Returns the byte ranges of the top-level statements.
fn statement_ranges(root: Node<'_>) -> Vec<(usize, usize)> {
    let mut statements = Vec::new();
    let mut cursor = root.walk();
    let mut has_more = cursor.goto_first_child();
    while has_more {
        statements.push((cursor.node().start_byte(), cursor.node().end_byte()));
        has_more = cursor.goto_next_sibling();
    }
    statements
}

/// Returns the offsets of imports, exports and assigned members.
fn offsets_outside_members(facts: &Facts) -> Vec<usize> {
    let mut offsets: Vec<usize> = facts
        .imports
        .iter()
        .map(|import| import.at.offset as usize)
        .collect();
    offsets.extend(facts.exports.iter().map(|export| export.at.offset as usize));
    offsets.extend(
        facts
            .exprs
            .iter()
            .filter_map(|expr| given_to_another(facts, expr)),
    );
    offsets
}

/// Returns the offsets from which top-level narrowings hold, sorted.
fn narrowing_offsets(facts: &Facts) -> Vec<usize> {
    let is_narrowing =
        |decl: &&Declaration| decl.kind == DeclKind::Narrow && decl.scope == ScopeId(0);
    let mut offsets: Vec<usize> = facts
        .decls
        .iter()
        .filter(is_narrowing)
        .map(|decl| decl.from as usize)
        .collect();
    offsets.sort_unstable();
    offsets
}

/// Returns the position of `F` in `F.name = value` outside functions, which adds a member to `F`.
fn given_to_another(facts: &Facts, expr: &Expr) -> Option<usize> {
    let Expr::Assign(target, _) = *expr else {
        return None;
    };
    let Expr::Member(object, _) = facts.expr(target) else {
        return None;
    };
    let Expr::Name(_, scope, at) = facts.expr(object) else {
        return None;
    };
    matches!(
        facts.scope(scope).kind,
        ScopeKind::File | ScopeKind::Namespace
    )
    .then_some(at as usize)
}

/// Reports whether other files see a top-level statement only by the name of this declaration.
fn is_statement(facts: &Facts, id: DeclId) -> bool {
    let decl = facts.decl(id);
    let is_of_a_kind = matches!(
        decl.kind,
        DeclKind::Function | DeclKind::Variable | DeclKind::TypeAlias | DeclKind::Enum
    );
    is_of_a_kind && !decl.flags.has(DeclFlags::DEFAULT) && !decl.detail.is_none()
}

/// Reports whether a member of a class or interface is looked up by its name.
fn is_named_member(facts: &Facts, id: DeclId) -> bool {
    let decl = facts.decl(id);
    let is_of_a_kind = matches!(
        decl.kind,
        DeclKind::Method | DeclKind::Property | DeclKind::Getter | DeclKind::Setter
    );
    is_of_a_kind && decl.flags.has(DeclFlags::MEMBER) && !decl.flags.has(DeclFlags::FROM_PARAMETER)
}
