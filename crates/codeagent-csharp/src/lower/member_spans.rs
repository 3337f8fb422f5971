//! The declarations of a C# file that other files depend on separately: members of types.

use codeagent_lang::lower::member_spans::{MemberSpan, member_span};
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Facts};
use tree_sitter::Node;

/// Returns the members of types, and the offsets of types, namespaces and usings.
pub fn find_members(facts: &Facts, _root: Node<'_>) -> (Vec<MemberSpan>, Vec<usize>) {
    let mut containers: Vec<DeclId> = Vec::new();
    let mut places: Vec<MemberSpan> = Vec::new();
    let mut others: Vec<usize> = facts
        .imports
        .iter()
        .map(|import| import.at.offset as usize)
        .collect();

    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        if has_members(decl.kind) {
            containers.push(id);
        }

        if has_members(decl.kind) || decl.kind == DeclKind::Namespace {
            others.push(decl.at.offset as usize);
        }

        if is_member(decl.kind)
            && !decl.flags.has(DeclFlags::FROM_PARAMETER)
            && let Ok(container) = containers.binary_search(&facts.scope(decl.scope).owner)
        {
            places.extend(member_span(facts, id, container as u32));
        }
    }

    (places, others)
}

fn has_members(kind: DeclKind) -> bool {
    kind.opens_type() || kind == DeclKind::ExtensionBlock
}

/// Reports whether a declaration is a separate member; a primary constructor belongs to the head of
/// its type.
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
