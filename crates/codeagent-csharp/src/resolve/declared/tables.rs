//! Tables of declarations: types (all parts of a partial type), namespaces, members by name,
//! extension methods.
//!
//! Built once over the facts of all files and only read while files are resolved. Everything is in
//! canonical order: by file, then by declaration.
//!
//! **Limits.** Nothing is resolved here: base lists and signatures are left to the layers above.

use std::sync::Arc;

use codeagent_lang::project::ProjectModel;
use codeagent_lang::query::names::{Name, Names};
use codeagent_lang::world::{DeclRef, FileId, WorldFile};
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Facts, ImportId, ScopeId, ScopeKind};
use codeagent_model::graph::{Access, Language};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::project::{CSharpProjects, GlobalUsing, implicit_usings};
use crate::resolve::declared::assemblies::{Assemblies, AssemblyId, PackageAssembly};
use crate::resolve::declared::published;
use crate::resolve::declared::well_known::{self, KNOWN, Known};
use crate::stdlib::{self, Declared, Library};

/// A type group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tid(pub u32);

/// A namespace; number 0 is the global one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamespaceId(pub u32);

impl NamespaceId {
    /// The global namespace.
    pub const GLOBAL: Self = Self(0);
}

/// All parts of one type of one assembly.
#[derive(Debug)]
pub struct TypeGroup {
    /// Simple name.
    pub name: Name,
    /// Own type parameters.
    pub arity: u16,
    /// Type parameters of the types around it.
    pub outer_arity: u16,
    /// Kind of its first part.
    pub kind: DeclKind,
    /// Namespace it lies in, directly or through types.
    pub namespace: NamespaceId,
    /// The type around it.
    pub outer: Option<Tid>,
    /// Its declarations.
    pub parts: SmallVec<[DeclRef; 1]>,
    /// Assemblies it is compiled into, the owner first.
    pub homes: SmallVec<[AssemblyId; 1]>,
    /// The widest accessibility a part declares.
    pub access: Access,
    /// Its parts are compiled into different assemblies, as in a shared project and its users.
    pub shared: bool,
    /// It only carries types.
    pub external: bool,
    /// Its members with a name but for constructors and explicit implementations.
    pub members: Vec<DeclRef>,
    /// Instance constructors, the primary one included.
    pub constructors: Vec<DeclRef>,
    /// Conversion operators.
    pub conversions: Vec<DeclRef>,
    /// Explicit implementations of interface members.
    pub explicit: Vec<DeclRef>,
}

/// A namespace.
#[derive(Debug)]
pub struct Namespace {
    /// The namespace around it; the global one is its own.
    pub parent: NamespaceId,
    /// Its declarations.
    pub decls: Vec<DeclRef>,
    /// Assemblies that declare it, sorted.
    pub homes: Vec<AssemblyId>,
}

/// An extension method or a member of an extension block.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// The member.
    pub decl: DeclRef,
    /// The static class around it.
    pub container: Tid,
}

/// What the tables know of one file.
#[derive(Debug, Default)]
pub struct FileTable {
    /// World-wide name of each string.
    pub names: Box<[Name]>,
    /// Assemblies it is compiled into, the owner first; empty for files of other languages.
    pub homes: SmallVec<[AssemblyId; 1]>,
    /// Namespace that each namespace scope opens.
    pub namespaces: FxHashMap<ScopeId, NamespaceId>,
    /// Type group of each type declaration.
    pub types: FxHashMap<DeclId, Tid>,
    /// Usings by the scope they stand in, global ones apart.
    pub usings: FxHashMap<ScopeId, Vec<ImportId>>,
}

/// A global using of an assembly.
#[derive(Clone, Debug)]
pub enum AssemblyUsing {
    /// Written in a source file.
    Source(FileId, ImportId),
    /// From the project file: dotted names.
    Project(GlobalUsing),
}

/// Tables over the facts of all files of the language.
pub struct Tables {
    pub(in crate::resolve) names: Names,
    /// The simple names of known types.
    known_names: Vec<Name>,
    pub(in crate::resolve) files: Vec<FileTable>,
    pub(in crate::resolve) assemblies: Assemblies,
    pub(in crate::resolve) namespaces: Vec<Namespace>,
    pub(in crate::resolve) namespace_children: FxHashMap<(NamespaceId, Name), NamespaceId>,
    pub(in crate::resolve) types: Vec<TypeGroup>,
    pub(in crate::resolve) top: FxHashMap<(NamespaceId, Name), SmallVec<[Tid; 1]>>,
    pub(in crate::resolve) nested: FxHashMap<(Tid, Name), SmallVec<[Tid; 1]>>,
    pub(in crate::resolve) members: FxHashMap<(Tid, Name), SmallVec<[DeclRef; 2]>>,
    pub(in crate::resolve) extensions: FxHashMap<Name, Vec<Extension>>,
    pub(in crate::resolve) global_usings: FxHashMap<AssemblyId, Vec<AssemblyUsing>>,
    /// Names below this number were asked of the libraries.
    asked: u32,
    /// The libraries of packages.
    packages: Vec<Arc<Library>>,
    /// Types from this number on are the frameworks': what they derive from is there too.
    pub(in crate::resolve) library: Tid,
    /// Namespaces of libraries by their whole names.
    pub(in crate::resolve) dotted: FxHashMap<Name, NamespaceId>,
    /// Namespaces of the library that the SDKs open unasked.
    opened: Vec<NamespaceId>,
    /// The declared ones of known types, with their numbers of type parameters.
    known: FxHashMap<(Known, u16), Tid>,
    /// Which known type a declared type is.
    pub(in crate::resolve) known_of: FxHashMap<Tid, Known>,
    /// Names and arities of partial types with a part that several assemblies compile.
    shared: FxHashSet<(Name, u16)>,
}

impl Tables {
    /// Builds the tables. `files` are in canonical order.
    #[must_use]
    pub fn build(
        files: &[WorldFile],
        projects: &ProjectModel,
        packages: &[PackageAssembly],
    ) -> Self {
        let (names, known_names) = well_known::names();
        let mut tables = Self {
            names,
            known_names,
            files: Vec::with_capacity(files.len()),
            assemblies: Assemblies::build(projects, packages),
            namespaces: vec![Namespace {
                parent: NamespaceId::GLOBAL,
                decls: Vec::new(),
                homes: Vec::new(),
            }],
            namespace_children: FxHashMap::default(),
            types: Vec::new(),
            top: FxHashMap::default(),
            nested: FxHashMap::default(),
            members: FxHashMap::default(),
            extensions: FxHashMap::default(),
            global_usings: FxHashMap::default(),
            asked: 0,
            packages: packages
                .iter()
                .map(|package| Arc::clone(&package.library))
                .collect(),
            library: Tid(u32::MAX),
            dotted: FxHashMap::default(),
            opened: Vec::new(),
            known: FxHashMap::default(),
            known_of: FxHashMap::default(),
            shared: FxHashSet::default(),
        };

        tables.add_project_usings(projects);
        tables.find_shared(files);
        for (index, file) in files.iter().enumerate() {
            let table = if file.facts.header.dialect.language() == Language::CSharp {
                FileBuilder::new(&mut tables, file, FileId(index as u32)).run(projects)
            } else {
                FileTable::default()
            };
            tables.files.push(table);
        }

        tables
    }

    /// Adds the declarations of the packages and of the frameworks that the names of the files lead
    /// to, as further files. What an external file declares itself is left out.
    pub fn add_libraries(&mut self, files: &mut Vec<WorldFile>, projects: &ProjectModel) {
        if files
            .iter()
            .any(|file| file.facts.header.dialect.language() == Language::CSharp)
        {
            let packages = std::mem::take(&mut self.packages);
            let libraries: Vec<&Library> = std::iter::once(Library::dotnet())
                .chain(packages.iter().map(|library| &**library))
                .collect();
            let needed = stdlib::needed(&libraries, |text| self.names.get(text).is_some());
            self.asked = self.names.count();
            for (index, library) in packages.iter().enumerate() {
                self.add_library(
                    library,
                    self.assemblies.package(index),
                    &needed[index + 1],
                    (files, projects),
                );
            }

            self.library = Tid(self.types.len() as u32);
            let frameworks: Vec<&Declared> = needed[0]
                .iter()
                .copied()
                .filter(|declared| !self.is_supplied(declared))
                .collect();

            self.add_library(
                libraries[0],
                self.assemblies.external(),
                &frameworks,
                (files, projects),
            );

            let opened = implicit_usings::BASE
                .iter()
                .filter_map(|name| self.dotted.get(&self.names.get(name)?));
            self.opened = opened.copied().collect();
            self.packages = packages;
        }

        self.find_known();
    }

    fn add_library(
        &mut self,
        library: &Library,
        home: AssemblyId,
        needed: &[&Declared],
        (files, projects): (&mut Vec<WorldFile>, &ProjectModel),
    ) {
        for namespace in library.namespaces() {
            let id = self.add_namespace(NamespaceId::GLOBAL, namespace, &[home]);
            let name = self.names.add(namespace);
            self.dotted.insert(name, id);
        }

        for declared in needed {
            let file = WorldFile {
                path: Arc::clone(&declared.path),
                facts: Arc::clone(&declared.facts),
                external: true,
            };

            let table = FileBuilder::new(self, &file, FileId(files.len() as u32))
                .at(home)
                .run(projects);
            self.files.push(table);
            files.push(file);
        }
    }

    /// Whether a name may lead to declarations of libraries that are not taken.
    pub(in crate::resolve) fn leads_further(&self, text: &str) -> bool {
        let is_asked = self.names.get(text).is_some_and(|name| name.0 < self.asked);
        !is_asked
            && (Library::dotnet().has(text)
                || self.packages.iter().any(|library| library.has(text)))
    }

    /// Whether an external file declares the type.
    fn is_supplied(&self, declared: &Declared) -> bool {
        let mut namespace = NamespaceId::GLOBAL;
        for segment in declared
            .namespace
            .split('.')
            .filter(|segment| !segment.is_empty())
        {
            let child = self
                .names
                .get(segment)
                .and_then(|name| self.namespace_children.get(&(namespace, name)));
            let Some(&child) = child else { return false };
            namespace = child;
        }

        let same = self
            .names
            .get(&declared.name)
            .and_then(|name| self.top.get(&(namespace, name)));

        same.into_iter()
            .flatten()
            .any(|tid| self.group(*tid).external && self.group(*tid).arity == declared.arity)
    }

    /// The namespace of a dotted name in another, with these assemblies among those that declare
    /// it.
    fn add_namespace(
        &mut self,
        around: NamespaceId,
        dotted: &str,
        homes: &[AssemblyId],
    ) -> NamespaceId {
        let mut current = around;
        for segment in dotted.split('.') {
            let name = self.names.add(segment.trim());
            let next = NamespaceId(self.namespaces.len() as u32);
            let child = *self
                .namespace_children
                .entry((current, name))
                .or_insert(next);

            if child == next {
                self.namespaces.push(Namespace {
                    parent: current,
                    decls: Vec::new(),
                    homes: Vec::new(),
                });
            }

            current = child;
            let all = &mut self.namespaces[child.0 as usize].homes;
            for home in homes {
                if let Err(at) = all.binary_search(home) {
                    all.insert(at, *home);
                }
            }
        }

        current
    }

    fn add_project_usings(&mut self, projects: &ProjectModel) {
        for (index, project) in projects.of::<CSharpProjects>().projects.iter().enumerate() {
            for using in &project.usings {
                let (GlobalUsing::Namespace(name)
                | GlobalUsing::Static(name)
                | GlobalUsing::Alias(_, name)) = using;
                for segment in name.split('.') {
                    self.names.add(segment);
                }
            }

            let usings = project
                .usings
                .iter()
                .cloned()
                .map(AssemblyUsing::Project)
                .collect();
            self.global_usings.insert(AssemblyId(index as u32), usings);
        }
    }

    fn find_shared(&mut self, files: &[WorldFile]) {
        for file in files
            .iter()
            .filter(|file| self.assemblies.homes(&file.path, file.external).len() > 1)
        {
            let facts = &file.facts;
            let partial = facts
                .decl_ids()
                .map(|id| facts.decl(id))
                .filter(|decl| decl.kind.opens_type() && decl.flags.has(DeclFlags::PARTIAL));
            for decl in partial {
                let name = self.names.add(facts.text(decl.name));
                self.shared.insert((name, decl.type_params.len() as u16));
            }
        }
    }

    fn find_known(&mut self) {
        for (known, name, arity) in KNOWN {
            let namespace = self
                .names
                .get(known.namespace())
                .and_then(|dotted| self.dotted.get(&dotted));

            let named = namespace
                .zip(self.names.get(name))
                .and_then(|(namespace, name)| self.top.get(&(*namespace, name)));
            for &tid in named.into_iter().flatten() {
                let group = &self.types[tid.0 as usize];
                if group.external && arity.is_none_or(|arity| arity == group.arity) {
                    self.known_of.insert(tid, *known);
                    self.known.entry((*known, group.arity)).or_insert(tid);
                }
            }
        }
    }

    /// The type of the library that a name means where no using leads to it: the project that
    /// compiles the file is not in the repository, or what opens the namespace for it.
    pub(in crate::resolve) fn opened_type(&self, name: Name, arity: usize) -> Option<Tid> {
        let fits = |tid: &Tid| *tid >= self.library && usize::from(self.group(*tid).arity) == arity;
        self.opened.iter().find_map(|namespace| {
            self.top
                .get(&(*namespace, name))?
                .iter()
                .copied()
                .find(fits)
        })
    }

    /// The declared type that a known type with so many type arguments is.
    pub(in crate::resolve) fn declared(&self, known: Known, arity: usize) -> Option<Tid> {
        self.known.get(&(known, arity as u16)).copied()
    }

    /// The simple name of a known type.
    pub(in crate::resolve) fn name_of(&self, known: Known) -> Name {
        self.known_names[known as usize]
    }

    /// The type group.
    #[must_use]
    pub(in crate::resolve) fn group(&self, tid: Tid) -> &TypeGroup {
        &self.types[tid.0 as usize]
    }

    /// What is known of a file.
    #[must_use]
    pub(in crate::resolve) fn file(&self, file: FileId) -> &FileTable {
        &self.files[file.0 as usize]
    }
}

/// Adds a file to the tables.
pub(in crate::resolve) struct FileBuilder<'b> {
    tables: &'b mut Tables,
    facts: &'b Facts,
    file: FileId,
    external: bool,
    /// What is known of the file.
    pub(in crate::resolve) made: FileTable,
    groups: FxHashMap<(Option<Tid>, NamespaceId, Name, u16), Tid>,
}

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

    /// Goes on where namespaces, types and usings are known.
    pub(in crate::resolve) fn resume(mut self, known: FileTable) -> Self {
        let FileTable {
            namespaces,
            types,
            usings,
            ..
        } = known;
        self.made = FileTable {
            namespaces,
            types,
            usings,
            ..self.made
        };
        self
    }

    /// The same, compiled into an assembly.
    fn at(mut self, home: AssemblyId) -> Self {
        self.made.homes = SmallVec::from_elem(home, 1);
        self
    }

    fn run(mut self, projects: &ProjectModel) -> FileTable {
        for id in self.facts.decl_ids() {
            self.declaration(id);
        }
        self.usings();
        for name in published::friends(self.facts) {
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

    /// Adds a declaration; those around it have been added.
    pub(in crate::resolve) fn declaration(&mut self, id: DeclId) {
        let decl = self.facts.decl(id);
        match decl.kind {
            DeclKind::Namespace => self.namespace(id),
            kind if kind.opens_type() => self.type_declaration(id),
            _ if decl.flags.has(DeclFlags::MEMBER) || is_member_kind(decl.kind) => self.member(id),
            _ => {}
        }
    }

    /// The namespace around a scope.
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
            |outer| self.tables.group(outer).namespace,
        );

        let access = facts
            .detail(id)
            .and_then(|detail| detail.access)
            .unwrap_or(Access::Internal);

        let arity = decl.type_params.len() as u16;
        let name = self.name_of(id);
        let tid = self
            .existing(outer, namespace, (name, arity), access)
            .unwrap_or_else(|| self.new_group(id, outer, namespace, access));
        self.groups.insert((outer, namespace, name, arity), tid);
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

    /// The group this is another part of.
    fn existing(
        &self,
        outer: Option<Tid>,
        namespace: NamespaceId,
        name: (Name, u16),
        access: Access,
    ) -> Option<Tid> {
        if let Some(&own) = self.groups.get(&(outer, namespace, name.0, name.1)) {
            return Some(own);
        }

        let same = match outer {
            Some(outer) => self.tables.nested.get(&(outer, name.0)),
            None => self.tables.top.get(&(namespace, name.0)),
        }?;

        let fits = |group: &TypeGroup| {
            let together =
                group.homes[0] == self.made.homes[0] || self.tables.shared.contains(&name);
            group.arity == name.1
                && together
                && group.access != Access::File
                && access != Access::File
        };

        same.iter()
            .copied()
            .find(|tid| fits(self.tables.group(*tid)))
    }

    fn new_group(
        &mut self,
        id: DeclId,
        outer: Option<Tid>,
        namespace: NamespaceId,
        access: Access,
    ) -> Tid {
        let decl = self.facts.decl(id);
        let name = self.name_of(id);
        let tid = Tid(self.tables.types.len() as u32);
        let outer_arity = outer.map_or(0, |outer| {
            self.tables.group(outer).outer_arity + self.tables.group(outer).arity
        });
        self.tables.types.push(TypeGroup {
            name,
            arity: decl.type_params.len() as u16,
            outer_arity,
            kind: decl.kind,
            namespace,
            outer,
            parts: SmallVec::new(),
            homes: SmallVec::new(),
            access,
            shared: false,
            external: self.external,
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

    /// The type whose body the scope is.
    fn outer_type(&self, scope: ScopeId) -> Option<Tid> {
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

    fn named_member(&mut self, tid: Tid, reference: DeclRef) {
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

/// Whether a declaration of this kind stands in a type.
pub(in crate::resolve) fn is_member_kind(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Method
            | DeclKind::Constructor
            | DeclKind::PrimaryConstructor
            | DeclKind::Operator
            | DeclKind::Conversion
            | DeclKind::Property
            | DeclKind::Field
            | DeclKind::Event
            | DeclKind::Indexer
            | DeclKind::EnumMember
    )
}

/// Whether the scope is the body of a type.
#[must_use]
pub fn is_type_scope(kind: ScopeKind) -> bool {
    matches!(kind, ScopeKind::Type | ScopeKind::Enum)
}
