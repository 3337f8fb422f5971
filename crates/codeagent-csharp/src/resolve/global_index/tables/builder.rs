//! Adds the declarations of one file to the tables.
//!
//! Limitations: those of `tables`.

use codeagent_lang::project::ProjectModel;
use codeagent_lang::query::names::Name;
use codeagent_lang::world::{DeclRef, FileId, WorldFile};
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Facts, ImportId, ScopeId};
use codeagent_model::graph::Access;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::resolve::global_index::assemblies::AssemblyId;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{
    AssemblyUsing, Extension, FileTable, NamespaceId, Tables, TypeDef, TypeDefId,
};

/// Adds a file to the tables.
pub(in crate::resolve) struct FileBuilder<'b> {
    tables: &'b mut Tables,
    facts: &'b Facts,
    file: FileId,
    external: bool,
    pub(in crate::resolve) made: FileTable,
    groups: FxHashMap<GroupKey, TypeDefId>,
}

/// What the declarations of one type in a file have in common: the enclosing type, the namespace,
/// the name, the number of type parameters, and [`TypeDef::alone`].
type GroupKey = (Option<TypeDefId>, NamespaceId, Name, u16, bool);

impl<'b> FileBuilder<'b> {
    pub(in crate::resolve) fn new(tables: &'b mut Tables, file: &'b WorldFile, id: FileId) -> Self {
        let names = file
            .facts
            .names
            .iter()
            .map(|text| tables.names.add(text))
            .collect();

        let homes = tables.assemblies.homes(&file.path, file.external);
        let made = FileTable {
            names,
            homes,
            folder: tables.folders.add(&file.path),
            ..FileTable::default()
        };

        Self {
            tables,
            facts: &file.facts,
            file: id,
            external: file.external,
            made,
            groups: FxHashMap::default(),
        }
    }

    /// Adds a namespace or type that the old version of the file declared as `before`; `table` and
    /// `old` are those of that version.
    pub(in crate::resolve) fn keep(
        &mut self,
        id: DeclId,
        (table, old, before): (&FileTable, &Facts, DeclId),
    ) {
        let decl = self.facts.decl(id);
        if let Some(namespace) = table.namespaces.get(&old.decl(before).inner) {
            self.made.namespaces.insert(decl.inner, *namespace);
        }

        if let Some(tid) = table.types.get(&before) {
            let group = self.tables.type_def(*tid);
            let key = (
                group.outer,
                group.namespace,
                group.name,
                group.arity,
                group.alone,
            );
            self.groups.insert(key, *tid);
            self.made.types.insert(id, *tid);
        }
    }

    /// Sets the assembly that the file is compiled into.
    pub(super) fn at(mut self, home: AssemblyId) -> Self {
        self.made.homes = SmallVec::from_elem(home, 1);
        self
    }

    pub(super) fn run(mut self, projects: &ProjectModel) -> FileTable {
        for id in self.facts.decl_ids() {
            self.declaration(id);
        }
        self.usings();
        for name in provided_keys::friends(self.facts) {
            let home = self.made.homes[0];
            self.tables.assemblies.add_friend(home, name, projects);
        }
        self.made
    }

    fn name_of(&self, id: DeclId) -> Name {
        self.made
            .names
            .get(self.facts.decl(id).name.0 as usize)
            .copied()
            .unwrap_or(Name::NONE)
    }

    /// Adds a declaration, after the ones that enclose it.
    pub(in crate::resolve) fn declaration(&mut self, id: DeclId) {
        let decl = self.facts.decl(id);
        match decl.kind {
            DeclKind::Namespace => self.namespace(id),
            kind if kind.opens_type() => self.type_declaration(id),
            _ if decl.flags.has(DeclFlags::MEMBER) => self.member(id),
            _ => {}
        }
    }

    /// Returns the namespace that encloses a scope.
    fn namespace_of(&self, mut scope: ScopeId) -> NamespaceId {
        while let Some(id) = scope.some() {
            if let Some(&namespace) = self.made.namespaces.get(&id) {
                return namespace;
            }
            scope = self.facts.scope(id).parent;
        }
        NamespaceId::GLOBAL
    }

    fn namespace(&mut self, id: DeclId) {
        let decl = self.facts.decl(id);
        let around = self.namespace_of(decl.scope);
        let current =
            self.tables
                .add_namespace(around, self.facts.text(decl.name), &self.made.homes);
        self.tables.namespaces[current.0 as usize]
            .decls
            .push(DeclRef {
                file: self.file,
                decl: id,
            });
        self.made.namespaces.insert(decl.inner, current);
    }

    fn type_declaration(&mut self, id: DeclId) {
        let facts = self.facts;
        let decl = facts.decl(id);
        let outer = self.outer_type(decl.scope);
        let namespace = outer.map_or_else(
            || self.namespace_of(decl.scope),
            |outer| self.tables.type_def(outer).namespace,
        );

        let access = facts
            .detail(id)
            .and_then(|detail| detail.access)
            .unwrap_or(Access::Internal);

        let arity = decl.type_params.len() as u16;
        let name = self.name_of(id);
        let alone = outer.is_none() && self.tables.is_alone(decl, &self.made.homes);
        let key = (outer, namespace, name, arity, alone);
        let tid = self
            .existing(key, access)
            .unwrap_or_else(|| self.new_group(id, key, access));
        self.groups.insert(key, tid);
        let group = &mut self.tables.types[tid.0 as usize];
        group.parts.push(DeclRef {
            file: self.file,
            decl: id,
        });

        group.access = group.access.min(access);
        group.shared |= group.parts.len() > 1 && group.homes != self.made.homes;
        for home in &self.made.homes {
            if !group.homes.contains(home) {
                group.homes.push(*home);
            }
        }

        self.made.types.insert(id, tid);
    }

    /// Returns the type definition that a declaration is another part of.
    fn existing(&self, key: GroupKey, access: Access) -> Option<TypeDefId> {
        if let Some(&own) = self.groups.get(&key) {
            return Some(own);
        }

        let (outer, namespace, name, arity, alone) = key;
        if alone {
            return None;
        }
        let same = match outer {
            Some(outer) => self.tables.nested.get(&(outer, name)),
            None => self.tables.top.get(&(namespace, name)),
        }?;

        let fits = |group: &TypeDef| {
            let together =
                group.homes[0] == self.made.homes[0] || self.tables.shared.contains(&(name, arity));
            group.arity == arity
                && together
                && !group.alone
                && group.access != Access::File
                && access != Access::File
        };

        same.iter()
            .copied()
            .find(|tid| fits(self.tables.type_def(*tid)))
    }

    fn new_group(&mut self, id: DeclId, key: GroupKey, access: Access) -> TypeDefId {
        let (outer, namespace, name, arity, alone) = key;
        let decl = self.facts.decl(id);
        let outer_arity = outer.map_or(0, |outer| {
            self.tables.type_def(outer).outer_arity + self.tables.type_def(outer).arity
        });
        let tid = self.tables.add_type(TypeDef {
            name,
            arity,
            outer_arity,
            kind: decl.kind,
            namespace,
            outer,
            parts: SmallVec::new(),
            homes: SmallVec::new(),
            access,
            shared: false,
            external: self.external,
            alone,
            members: Vec::new(),
            constructors: Vec::new(),
            conversions: Vec::new(),
            explicit: Vec::new(),
        });

        match outer {
            Some(outer) => self
                .tables
                .nested
                .entry((outer, name))
                .or_default()
                .push(tid),
            None => self
                .tables
                .top
                .entry((namespace, name))
                .or_default()
                .push(tid),
        }

        tid
    }

    /// Returns the type whose body the scope is.
    fn outer_type(&self, scope: ScopeId) -> Option<TypeDefId> {
        let scope = self.facts.scope(scope.some()?);
        self.made.types.get(&scope.owner.some()?).copied()
    }

    fn member(&mut self, id: DeclId) {
        let decl = self.facts.decl(id);
        let Some(scope) = decl.scope.some() else {
            return;
        };

        let owner = self.facts.scope(scope).owner;
        let reference = DeclRef {
            file: self.file,
            decl: id,
        };

        if let Some(block) = owner
            .some()
            .filter(|owner| self.facts.decl(*owner).kind == DeclKind::ExtensionBlock)
        {
            if let Some(container) = self.outer_type(self.facts.decl(block).scope) {
                let name = self.name_of(id);
                self.tables
                    .extensions
                    .entry(name)
                    .or_default()
                    .push(Extension {
                        decl: reference,
                        container,
                    });
            }

            return;
        }

        let Some(tid) = self.outer_type(scope) else {
            return;
        };

        if self
            .facts
            .detail(id)
            .is_some_and(|detail| !detail.explicit_interface.is_none())
        {
            self.tables.types[tid.0 as usize].explicit.push(reference);
            return;
        }

        match decl.kind {
            DeclKind::Constructor | DeclKind::PrimaryConstructor => self.tables.types
                [tid.0 as usize]
                .constructors
                .push(reference),
            DeclKind::StaticConstructor | DeclKind::Finalizer => {}
            DeclKind::Conversion => self.tables.types[tid.0 as usize]
                .conversions
                .push(reference),
            _ => self.named_member(tid, reference),
        }
    }

    fn named_member(&mut self, tid: TypeDefId, reference: DeclRef) {
        let name = self.name_of(reference.decl);
        let decl = self.facts.decl(reference.decl);
        self.tables
            .members
            .entry((tid, name))
            .or_default()
            .push(reference);

        self.tables.types[tid.0 as usize].members.push(reference);
        if decl.kind == DeclKind::Method && decl.flags.has(DeclFlags::EXTENSION) {
            self.tables
                .extensions
                .entry(name)
                .or_default()
                .push(Extension {
                    decl: reference,
                    container: tid,
                });
        }
    }

    fn usings(&mut self) {
        for (index, import) in self.facts.imports.iter().enumerate() {
            let id = ImportId(index as u32);
            if import.global {
                for home in &self.made.homes {
                    self.tables
                        .global_usings
                        .entry(*home)
                        .or_default()
                        .push(AssemblyUsing::Source(self.file, id));
                }
            } else {
                let scope = import.scope.some().unwrap_or(ScopeId(0));
                self.made.usings.entry(scope).or_default().push(id);
            }
        }
    }
}
