//! In-place update of the tables for a file whose members or bodies changed.
//!
//! Possible if both versions of the file declare the same namespaces and types in the same order,
//! and if no new name leads to further library declarations. The members of those types are
//! replaced. The result equals that of rebuilding the tables, except for the numbers of names,
//! whose order nothing depends on.
//!
//! Limitations: any other change is refused, and the caller rebuilds the tables.

use codeagent_lang::LanguageIndex;
use codeagent_lang::query::names::Name;
use codeagent_lang::world::{DeclRef, FileId, WorldFile};
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Facts, ImportId, ScopeId};
use codeagent_model::graph::Access;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{FileBuilder, FileTable, Tables, TypeDefId};

/// The identity of a namespace or type in the tables, without its number.
#[derive(PartialEq)]
struct DeclaredIdentity<'f> {
    kind: DeclKind,
    flags: DeclFlags,
    name: &'f str,
    arity: usize,
    access: Option<Access>,
    /// The enclosing namespace or type, by its index among the entries.
    owner: Option<usize>,
}

/// Returns the namespaces and types that a file declares, in order.
fn entries(facts: &Facts) -> (Vec<DeclId>, Vec<DeclaredIdentity<'_>>) {
    let mut ids: Vec<DeclId> = Vec::new();
    let mut entries = Vec::new();
    for id in facts.decl_ids().filter(|id| is_entry(facts, *id)) {
        let decl = facts.decl(id);
        entries.push(DeclaredIdentity {
            kind: decl.kind,
            flags: decl.flags,
            name: facts.text(decl.name),
            arity: decl.type_params.len(),
            access: facts.detail(id).and_then(|detail| detail.access),
            owner: owner(facts, decl.scope, &ids),
        });
        ids.push(id);
    }
    (ids, entries)
}

fn is_entry(facts: &Facts, id: DeclId) -> bool {
    let kind = facts.decl(id).kind;
    kind == DeclKind::Namespace || kind.opens_type()
}

/// Returns the nearest entry that encloses a scope.
fn owner(facts: &Facts, mut scope: ScopeId, ids: &[DeclId]) -> Option<usize> {
    while let Some(id) = scope.some() {
        let around = facts.scope(id);
        if let Some(at) = around
            .owner
            .some()
            .and_then(|owner| ids.binary_search(&owner).ok())
        {
            return Some(at);
        }
        scope = around.parent;
    }
    None
}

fn global_usings(facts: &Facts) -> impl Iterator<Item = usize> {
    facts
        .imports
        .iter()
        .enumerate()
        .filter(|(_, import)| import.global)
        .map(|(at, _)| at)
}

impl LanguageIndex for Tables {
    fn replace(&mut self, file: FileId, old: &Facts, new: &WorldFile) -> bool {
        let facts = &new.facts;
        let ((old_ids, before), (new_ids, now)) = (entries(old), entries(facts));
        if before != now
            || !global_usings(old).eq(global_usings(facts))
            || !provided_keys::friends(old).eq(provided_keys::friends(facts))
        {
            return false;
        }

        if facts.names.iter().any(|text| self.leads_further(text)) {
            return false;
        }

        let table = std::mem::take(&mut self.files[file.0 as usize]);
        let renumbered: FxHashMap<DeclId, DeclId> = old_ids
            .iter()
            .copied()
            .zip(new_ids.iter().copied())
            .collect();

        self.renumber(file, &table, &renumbered);
        self.remove_members(file, &table, old);
        let mut made = FileTable::default();
        for (before, now) in old_ids.iter().zip(&new_ids) {
            if let Some(&namespace) = table.namespaces.get(&old.decl(*before).inner) {
                made.namespaces.insert(facts.decl(*now).inner, namespace);
            }
            if let Some(&tid) = table.types.get(before) {
                made.types.insert(*now, tid);
            }
        }

        for (index, import) in facts
            .imports
            .iter()
            .enumerate()
            .filter(|(_, import)| !import.global)
        {
            made.usings
                .entry(import.scope.some().unwrap_or(ScopeId(0)))
                .or_default()
                .push(ImportId(index as u32));
        }

        let mut builder = FileBuilder::new(self, new, file).resume(made);
        facts
            .decl_ids()
            .filter(|id| !is_entry(facts, *id))
            .for_each(|id| builder.declaration(id));

        self.files[file.0 as usize] = builder.made;
        self.sort_members(file, facts);
        true
    }
}

impl Tables {
    /// Replaces the declaration ids of the parts of types and namespaces.
    fn renumber(&mut self, file: FileId, table: &FileTable, to: &FxHashMap<DeclId, DeclId>) {
        let change = |refs: &mut [DeclRef]| {
            for reference in refs.iter_mut().filter(|reference| reference.file == file) {
                reference.decl = to.get(&reference.decl).copied().unwrap_or(reference.decl);
            }
        };
        for namespace in table.namespaces.values().collect::<FxHashSet<_>>() {
            change(&mut self.namespaces[namespace.0 as usize].decls);
        }
        for tid in types_of(table) {
            change(&mut self.types[tid.0 as usize].parts);
        }
    }

    fn remove_members(&mut self, file: FileId, table: &FileTable, old: &Facts) {
        let is_other = |reference: &DeclRef| reference.file != file;
        for tid in types_of(table) {
            let group = &mut self.types[tid.0 as usize];
            for list in [
                &mut group.members,
                &mut group.constructors,
                &mut group.conversions,
                &mut group.explicit,
            ] {
                list.retain(is_other);
            }
        }
        let (named, names) = named_members(table, old);

        for key in named {
            if let Some(members) = self.members.get_mut(&key) {
                members.retain(|member| is_other(member));
                if members.is_empty() {
                    self.members.remove(&key);
                }
            }
        }

        for name in names {
            if let Some(extensions) = self.extensions.get_mut(&name) {
                extensions.retain(|extension| is_other(&extension.decl));
                if extensions.is_empty() {
                    self.extensions.remove(&name);
                }
            }
        }
    }

    /// Sorts the members that were appended into file order.
    fn sort_members(&mut self, file: FileId, new: &Facts) {
        let table = &self.files[file.0 as usize];
        for tid in types_of(table) {
            let group = &mut self.types[tid.0 as usize];
            for list in [
                &mut group.members,
                &mut group.constructors,
                &mut group.conversions,
                &mut group.explicit,
            ] {
                list.sort_unstable();
            }
        }
        let (named, names) = named_members(table, new);

        for key in named {
            if let Some(members) = self.members.get_mut(&key) {
                members.sort_unstable();
            }
        }

        for name in names {
            if let Some(extensions) = self.extensions.get_mut(&name) {
                extensions.sort_unstable_by_key(|extension| extension.decl);
            }
        }
    }
}

fn types_of(table: &FileTable) -> FxHashSet<TypeDefId> {
    table.types.values().copied().collect()
}

/// Returns the types and names under which a file may have members, and the names under which it
/// may have extensions.
fn named_members(
    table: &FileTable,
    facts: &Facts,
) -> (FxHashSet<(TypeDefId, Name)>, FxHashSet<Name>) {
    let (mut named, mut names) = (FxHashSet::default(), FxHashSet::default());
    for id in facts.decl_ids().filter(|id| !is_entry(facts, *id)) {
        let decl = facts.decl(id);
        let Some(&name) = table.names.get(decl.name.0 as usize) else {
            continue;
        };

        let owner = facts.scope(decl.scope).owner;
        match table.types.get(&owner) {
            Some(&tid) => {
                named.insert((tid, name));
            }
            None if facts.decl(owner).kind != DeclKind::ExtensionBlock => continue,
            None => {}
        }
        names.insert(name);
    }

    (named, names)
}
