//! In-place update of the tables for a changed file.
//!
//! Namespaces and types that both versions of the file declare keep their numbers; the others are
//! removed and added, and all members are replaced. The result equals that of rebuilding the
//! tables, except for the numbers of names and types, whose order nothing depends on.
//!
//! Limitations: a change is refused, and the caller rebuilds the tables, if a new name leads to
//! further library declarations, if global usings or friend assemblies change, or if a type gains
//! or loses a part while other files declare parts of it that the change may regroup.

mod entries;

use codeagent_lang::LanguageIndex;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::query::names::Name;
use codeagent_lang::world::{DeclRef, FileId, FileShift, WorldFile};
use codeagent_model::facts::{DeclId, DeclKind, Facts, ImportId, ScopeId};
use codeagent_model::graph::{Access, Language};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::resolve::global_index::patch::entries::{Entries, is_entry, owner};
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{
    AssemblyUsing, FileBuilder, FileTable, NamespaceId, Tables, TypeDefId,
};

/// Where the declarations in a namespace or type belong.
#[derive(Clone, Copy)]
enum Place {
    Namespace(NamespaceId),
    Type(TypeDefId),
    /// It does not exist yet.
    New,
}

impl Place {
    const GLOBAL: Self = Self::Namespace(NamespaceId::GLOBAL);

    fn of_namespace(namespace: Option<&NamespaceId>) -> Self {
        namespace.map_or(Self::New, |namespace| Self::Namespace(*namespace))
    }
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
        let entries = Entries::of(old, facts);
        if !global_usings(old).eq(global_usings(facts))
            || !provided_keys::friends(old).eq(provided_keys::friends(facts))
            || !self.can_remove(file, old, &entries)
            || !self.can_add(file, (old, facts), &entries)
            || self.lead_further(&facts.names)
        {
            return false;
        }

        let table = std::mem::take(&mut self.files[file.0 as usize]);
        self.remove_members(file, &table, old);
        self.remove_entries(file, &table, old, &entries.removed());
        self.renumber(file, &table, &entries.renumbered());

        let mut builder = FileBuilder::new(self, new, file);
        for (now, before) in entries.new.iter().zip(&entries.kept) {
            match before.map(|before| entries.old[before]) {
                Some(before) => builder.keep(*now, (&table, old, before)),
                None => builder.declaration(*now),
            }
        }
        for (index, import) in facts
            .imports
            .iter()
            .enumerate()
            .filter(|(_, import)| !import.global)
        {
            let scope = import.scope.some().unwrap_or(ScopeId(0));
            let usings = builder.made.usings.entry(scope).or_default();
            usings.push(ImportId(index as u32));
        }
        facts
            .decl_ids()
            .filter(|id| !is_entry(facts, *id))
            .for_each(|id| builder.declaration(id));

        self.files[file.0 as usize] = builder.made;
        self.sort_members(file, facts);
        self.sort_entries(file, facts);
        self.set_asked(file);
        true
    }

    fn shift(&mut self, shift: FileShift, file: &WorldFile, projects: &ProjectModel) {
        self.assemblies.shift(shift, &file.path, projects);
        let is_own = file.facts.dialect().language() == Language::CSharp;
        let homes = || match is_own {
            true => self.assemblies.homes(&file.path, file.external),
            false => SmallVec::new(),
        };
        shift.apply(&mut self.files, || FileTable {
            homes: homes(),
            ..FileTable::default()
        });
        self.renumber_files(|file| shift.renumber(file));
    }
}

impl Tables {
    /// Replaces the numbers of all files by new ones in the same order.
    fn renumber_files(&mut self, number: impl Fn(FileId) -> FileId) {
        let renumber = |list: &mut [DeclRef]| {
            for of in list {
                of.file = number(of.file);
            }
        };

        for namespace in &mut self.namespaces {
            renumber(&mut namespace.decls);
        }
        for group in &mut self.types {
            renumber(&mut group.parts);
            renumber(&mut group.members);
            renumber(&mut group.constructors);
            renumber(&mut group.conversions);
            renumber(&mut group.explicit);
        }
        self.members
            .values_mut()
            .for_each(|members| renumber(members));

        for extension in self.extensions.values_mut().flatten() {
            extension.decl.file = number(extension.decl.file);
        }
        for using in self.global_usings.values_mut().flatten() {
            if let AssemblyUsing::Source(file, _) = using {
                *file = number(*file);
            }
        }
    }

    /// Reports whether the removed entries of a file affect no entry of another file.
    fn can_remove(&self, file: FileId, old: &Facts, entries: &Entries) -> bool {
        let table = self.file(file);
        let removed = entries.removed();
        let is_own = |of: &DeclRef| of.file == file;

        removed.iter().all(|id| {
            if let Some(tid) = table.types.get(id) {
                let group = self.type_def(*tid);
                return group.parts.iter().all(is_own)
                    && !self.shared.contains(&(group.name, group.arity));
            }

            let Some(namespace) = table.namespaces.get(&old.decl(*id).inner) else {
                return true;
            };

            // Another declaration must keep the namespace in the same assemblies.
            let decls = self.namespaces[namespace.0 as usize].decls.iter();
            let mut others = decls.filter(|of| !is_own(of) || !removed.contains(&of.decl));
            others.any(|of| self.file(of.file).homes == table.homes)
        })
    }

    /// Reports whether the added entries of a file leave the entries of other files as they are.
    fn can_add(&self, file: FileId, (old, new): (&Facts, &Facts), entries: &Entries) -> bool {
        if entries.kept.iter().all(Option::is_some) {
            return true;
        }
        let table = self.file(file);
        if table.homes.len() != 1 {
            return false;
        }

        let mut places: Vec<Place> = Vec::with_capacity(entries.new.len());
        for (id, kept) in entries.new.iter().zip(&entries.kept) {
            let place = match kept.map(|at| entries.old[at]) {
                Some(before) => table.types.get(&before).map_or_else(
                    || Place::of_namespace(table.namespaces.get(&old.decl(before).inner)),
                    |tid| Place::Type(*tid),
                ),
                None => {
                    let around = owner(new, *id, &entries.new);
                    let around = around.map_or(Place::GLOBAL, |at| places[at]);
                    match self.place_of(around, (file, new), *id) {
                        Some(place) => place,
                        None => return false,
                    }
                }
            };
            places.push(place);
        }
        true
    }

    /// Returns where an added entry belongs; `None` if it changes a type of another file.
    fn place_of(
        &self,
        around: Place,
        (file, facts): (FileId, &Facts),
        id: DeclId,
    ) -> Option<Place> {
        let decl = facts.decl(id);
        if decl.kind == DeclKind::Namespace {
            let Place::Namespace(around) = around else {
                return Some(Place::New);
            };
            let mut segments = facts.text(decl.name).split('.');
            let found = segments.try_fold(around, |around, segment| {
                let name = self.names.get(segment.trim())?;
                self.namespace_children.get(&(around, name)).copied()
            });
            return Some(Place::of_namespace(found.as_ref()));
        }

        let Some(name) = self.names.get(facts.text(decl.name)) else {
            return Some(Place::New);
        };
        let arity = decl.type_params.len() as u16;
        // Types that several assemblies compile are grouped across assemblies.
        if self.shared.contains(&(name, arity)) {
            return None;
        }

        let same = match around {
            Place::Namespace(namespace) => self.top.get(&(namespace, name)),
            Place::Type(outer) => self.nested.get(&(outer, name)),
            Place::New => None,
        };
        let homes = &self.file(file).homes;
        let is_top = matches!(around, Place::Namespace(_));
        let alone = is_top && self.is_alone(decl, homes);
        let is_same = |tid: &&TypeDefId| {
            let group = self.type_def(**tid);
            group.arity == arity
                && group.homes[0] == homes[0]
                && group.alone == alone
                && (!alone || group.parts[0].file == file)
        };
        let Some(tid) = same.into_iter().flatten().find(is_same) else {
            return Some(Place::New);
        };

        let group = self.type_def(*tid);
        let access = facts
            .detail(id)
            .and_then(|detail| detail.access)
            .unwrap_or(Access::Internal);
        let is_own = group.parts.iter().all(|part| part.file == file);
        let is_unchanged =
            group.kind == decl.kind && group.access <= access && group.homes == *homes;
        (is_own || is_unchanged).then_some(Place::Type(*tid))
    }

    /// Removes declarations of namespaces and types, and the types that have none left.
    fn remove_entries(&mut self, file: FileId, table: &FileTable, old: &Facts, removed: &[DeclId]) {
        for id in removed {
            let is_other = |of: &DeclRef| of.file != file || of.decl != *id;
            if let Some(tid) = table.types.get(id) {
                let group = &mut self.types[tid.0 as usize];
                group.parts.retain(|part| is_other(part));
                if group.parts.is_empty() {
                    self.remove_type(*tid);
                }
            } else if let Some(namespace) = table.namespaces.get(&old.decl(*id).inner) {
                let decls = &mut self.namespaces[namespace.0 as usize].decls;
                decls.retain(is_other);
            }
        }
    }

    fn remove_type(&mut self, tid: TypeDefId) {
        let group = &self.types[tid.0 as usize];
        let (name, is_other) = (group.name, |other: &mut TypeDefId| *other != tid);
        match group.outer {
            Some(outer) => {
                if let Some(same) = self.nested.get_mut(&(outer, name)) {
                    same.retain(is_other);
                }
            }
            None => {
                if let Some(same) = self.top.get_mut(&(group.namespace, name)) {
                    same.retain(is_other);
                }
            }
        }
        self.vacant.push(tid);
    }

    /// Sorts the parts of a file's types and namespaces into file order, and types of one name by
    /// their first part. Describes the types that only this file declares by their parts.
    fn sort_entries(&mut self, file: FileId, facts: &Facts) {
        let table = std::mem::take(&mut self.files[file.0 as usize]);
        for namespace in table.namespaces.values() {
            self.namespaces[namespace.0 as usize].decls.sort_unstable();
        }

        for tid in types_of(&table) {
            let group = &mut self.types[tid.0 as usize];
            group.parts.sort_unstable();
            if group.parts.iter().all(|part| part.file == file) {
                let access = |part: &DeclRef| facts.detail(part.decl)?.access;
                let accesses = group.parts.iter().map(access);
                group.kind = facts.decl(group.parts[0].decl).kind;
                group.access = accesses
                    .map(|access| access.unwrap_or(Access::Internal))
                    .min()
                    .unwrap_or(group.access);
            }
        }

        for tid in types_of(&table) {
            let group = &self.types[tid.0 as usize];
            let same = match group.outer {
                Some(outer) => self.nested.get_mut(&(outer, group.name)),
                None => self.top.get_mut(&(group.namespace, group.name)),
            };
            let types = &self.types;
            same.into_iter()
                .for_each(|same| same.sort_by_key(|tid| types[tid.0 as usize].parts[0]));
        }
        self.files[file.0 as usize] = table;
    }

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
