//! The declarations of a C# file that other files depend on separately: members of types, and
//! top-level types.

use codeagent_lang::lower::member_spans::{SeparateParts, member_span};
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Facts};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

/// Returns the members of types, the offsets of types, namespaces and usings, and the top-level
/// types.
pub fn find_members(facts: &Facts, _root: Node<'_>) -> SeparateParts {
    let mut containers: Vec<(DeclId, u32)> = Vec::new();
    let mut taken: FxHashSet<u32> = FxHashSet::default();
    // Where to look for a free number, so that many parts of one type cost no search each.
    let mut next_numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut parts = SeparateParts {
        others: facts
            .imports
            .iter()
            .map(|import| import.at.offset as usize)
            .collect(),
        ..SeparateParts::default()
    };

    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        let owner = facts.scope(decl.scope).owner;
        let container = containers.binary_search_by_key(&owner, |(id, _)| *id).ok();
        let container = container.map(|at| containers[at].1);
        if has_members(decl.kind) {
            let first = container_number(facts, id, container);
            let next = next_numbers.entry(first).or_insert(first);
            while !taken.insert(*next) {
                *next = next.wrapping_add(1);
            }
            containers.push((id, *next));
        }

        if has_members(decl.kind) || decl.kind == DeclKind::Namespace {
            parts.others.push(decl.at.offset as usize);
        }

        if decl.kind.opens_type() && container.is_none() {
            parts.types.extend(member_span(facts, id, 0));
        }

        if is_member(decl.kind)
            && !decl.flags.has(DeclFlags::FROM_PARAMETER)
            && let Some(container) = container
        {
            parts.members.extend(member_span(facts, id, container));
        }
    }

    parts
}

/// Hashes the names of a type and of those around it, so that types added elsewhere change nothing.
fn container_number(facts: &Facts, id: DeclId, around: Option<u32>) -> u32 {
    const PRIME: u32 = 0x0100_0193;
    let decl = facts.decl(id);
    let arity = [decl.type_params.len() as u8];
    let bytes = facts.text(decl.name).bytes().chain(arity);
    bytes.fold(around.unwrap_or(0x811c_9dc5), |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(PRIME)
    })
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
