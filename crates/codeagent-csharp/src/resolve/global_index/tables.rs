//! Tables of declarations: types (all parts of a partial type), namespaces, members by name,
//! extension methods.
//!
//! Built once over the facts of all files and read-only during resolution. Everything is in
//! canonical order: by file, then by declaration.
//!
//! Limitations: nothing is resolved here; base lists and signatures are resolved by the layers
//! above.

mod builder;

use std::ops::Range;
use std::sync::Arc;

use codeagent_lang::project::ProjectModel;
use codeagent_lang::query::names::{Name, Names};
use codeagent_lang::world::{DeclRef, FileId, WorldFile};
use codeagent_model::facts::{
    DeclFlags, DeclId, DeclKind, Declaration, ImportId, Names as FactNames, ScopeId, ScopeKind,
};
use codeagent_model::graph::{Access, Language};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::project::{CSharpProjects, GlobalUsing, implicit_usings};
use crate::resolve::global_index::assemblies::{Assemblies, AssemblyId, PackageAssembly};
use crate::resolve::global_index::folders::{FolderId, Folders};
use crate::resolve::global_index::well_known::{self, KNOWN, Known};
use crate::stdlib::{self, Library, LoadedType};

pub(in crate::resolve) use self::builder::FileBuilder;

/// A type definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeDefId(pub u32);

/// A namespace; number 0 is the global one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamespaceId(pub u32);

impl NamespaceId {
    pub const GLOBAL: Self = Self(0);
}

/// All parts of one type of one assembly.
#[derive(Debug)]
pub struct TypeDef {
    pub name: Name,
    /// Number of its own type parameters.
    pub arity: u16,
    /// Number of type parameters of its enclosing types.
    pub outer_arity: u16,
    /// Kind of its first part.
    pub kind: DeclKind,
    /// Its namespace, also if it is nested in types.
    pub namespace: NamespaceId,
    /// The enclosing type.
    pub outer: Option<TypeDefId>,
    /// Its declarations.
    pub parts: SmallVec<[DeclRef; 1]>,
    /// Assemblies it is compiled into, the owner first.
    pub homes: SmallVec<[AssemblyId; 1]>,
    /// The widest accessibility a part declares.
    pub access: Access,
    /// Its parts are compiled into different assemblies, as with a shared project.
    pub shared: bool,
    /// Declared in a library.
    pub external: bool,
    /// Not partial, in a file that no project compiles: other files declare no parts of it, but
    /// maybe copies.
    pub alone: bool,
    /// Its named members except constructors and explicit implementations.
    pub members: Vec<DeclRef>,
    /// Instance constructors, the primary one included.
    pub constructors: Vec<DeclRef>,
    pub conversions: Vec<DeclRef>,
    /// Explicit implementations of interface members.
    pub explicit: Vec<DeclRef>,
}

#[derive(Debug)]
pub struct Namespace {
    /// The enclosing namespace; the global one is its own parent.
    pub parent: NamespaceId,
    /// Its declarations.
    pub decls: Vec<DeclRef>,
    /// Assemblies that declare it, sorted.
    pub homes: Vec<AssemblyId>,
}

/// An extension method or a member of an extension block.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    pub decl: DeclRef,
    /// The enclosing static class.
    pub container: TypeDefId,
}

/// The entries of one file.
#[derive(Debug, Default)]
pub struct FileTable {
    /// World-wide name of each string.
    pub names: Box<[Name]>,
    /// Assemblies it is compiled into, the owner first; empty for files of other languages.
    pub homes: SmallVec<[AssemblyId; 1]>,
    pub folder: FolderId,
    /// The namespace that each namespace scope opens.
    pub namespaces: FxHashMap<ScopeId, NamespaceId>,
    /// The type definition of each type declaration.
    pub types: FxHashMap<DeclId, TypeDefId>,
    /// Usings by scope, without global ones.
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
    known_names: Vec<Name>,
    pub(in crate::resolve) files: Vec<FileTable>,
    pub(in crate::resolve) folders: Folders,
    pub(in crate::resolve) assemblies: Assemblies,
    pub(in crate::resolve) namespaces: Vec<Namespace>,
    pub(in crate::resolve) namespace_children: FxHashMap<(NamespaceId, Name), NamespaceId>,
    pub(in crate::resolve) types: Vec<TypeDef>,
    pub(in crate::resolve) top: FxHashMap<(NamespaceId, Name), SmallVec<[TypeDefId; 1]>>,
    pub(in crate::resolve) nested: FxHashMap<(TypeDefId, Name), SmallVec<[TypeDefId; 1]>>,
    pub(in crate::resolve) members: FxHashMap<(TypeDefId, Name), SmallVec<[DeclRef; 2]>>,
    pub(in crate::resolve) extensions: FxHashMap<Name, Vec<Extension>>,
    pub(in crate::resolve) global_usings: FxHashMap<AssemblyId, Vec<AssemblyUsing>>,
    /// Names below this number have been looked up in the libraries.
    asked: u32,
    /// Names of changed files that lead to no others.
    asked_later: FxHashSet<Name>,
    /// Number of library declarations that they all lead to.
    needed: usize,
    packages: Vec<Arc<Library>>,
    /// The numbers of the frameworks' types. All their base types are among them.
    library: Range<u32>,
    /// Numbers of removed types.
    pub(super) vacant: Vec<TypeDefId>,
    /// Namespaces of libraries by their full names.
    pub(in crate::resolve) dotted: FxHashMap<Name, NamespaceId>,
    /// Framework namespaces that SDKs import implicitly.
    opened: Vec<NamespaceId>,
    /// The declarations of well-known types, by number of type parameters.
    known: FxHashMap<(Known, u16), TypeDefId>,
    /// The well-known type, if any, of each type definition.
    pub(in crate::resolve) known_of: FxHashMap<TypeDefId, Known>,
    /// Names and arities of partial types with a part that several assemblies compile.
    pub(super) shared: FxHashSet<(Name, u16)>,
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
            folders: Folders::default(),
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
            asked_later: FxHashSet::default(),
            needed: 0,
            packages: packages
                .iter()
                .map(|package| Arc::clone(&package.library))
                .collect(),
            library: 0..0,
            vacant: Vec::new(),
            dotted: FxHashMap::default(),
            opened: Vec::new(),
            known: FxHashMap::default(),
            known_of: FxHashMap::default(),
            shared: FxHashSet::default(),
        };

        tables.add_project_usings(projects);
        tables.find_shared(files);
        for (index, file) in files.iter().enumerate() {
            let table = if file.facts.dialect().language() == Language::CSharp {
                FileBuilder::new(&mut tables, file, FileId(index as u32)).run(projects)
            } else {
                FileTable::default()
            };
            tables.files.push(table);
        }

        tables
    }

    /// Adds the package and framework declarations that the files' names lead to, as further files.
    /// Types that an external file declares are left out.
    pub fn add_libraries(&mut self, files: &mut Vec<WorldFile>, projects: &ProjectModel) {
        if files
            .iter()
            .any(|file| file.facts.dialect().language() == Language::CSharp)
        {
            let packages = std::mem::take(&mut self.packages);
            let libraries = libraries(&packages);
            let needed = stdlib::needed(&libraries, |text| self.names.get(text).is_some());
            self.asked = self.names.count();
            self.needed = needed.iter().map(Vec::len).sum();
            for (index, library) in packages.iter().enumerate() {
                self.add_library(
                    library,
                    self.assemblies.package(index),
                    &needed[index + 1],
                    (files, projects),
                );
            }

            let first = self.types.len() as u32;
            let frameworks: Vec<&LoadedType> = needed[0]
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
            self.library = first..self.types.len() as u32;

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
        needed: &[&LoadedType],
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
                facts: Arc::clone(&declared.facts).into(),
                external: true,
                package: None,
            };

            let table = FileBuilder::new(self, &file, FileId(files.len() as u32))
                .at(home)
                .run(projects);
            self.files.push(table);
            files.push(file);
        }
    }

    /// Reports whether the names of a file lead to library declarations that have not been added.
    pub(super) fn lead_further(&self, names: &FactNames) -> bool {
        // The first file of the language needs those that need no name, too.
        if self.asked == 0 {
            return true;
        }

        let is_asked = |text: &str| self.names.get(text).is_some_and(|name| self.is_asked(name));
        let libraries = libraries(&self.packages);
        let is_in_library = |text: &str| libraries.iter().any(|library| library.has(text));
        let new: FxHashSet<&str> = names
            .iter()
            .filter(|text| !is_asked(text) && is_in_library(text))
            .collect();
        if new.is_empty() {
            return false;
        }

        // More names never lead to fewer declarations.
        let is_name = |text: &str| new.contains(text) || is_asked(text);
        let needed = stdlib::needed(&libraries, is_name);
        needed.iter().map(Vec::len).sum::<usize>() != self.needed
    }

    fn is_asked(&self, name: Name) -> bool {
        name.0 < self.asked || self.asked_later.contains(&name)
    }

    /// Records that the names of a file lead to no further library declarations.
    pub(super) fn set_asked(&mut self, file: FileId) {
        let names = self.files[file.0 as usize].names.iter().copied();
        let new = names.filter(|name| name.0 >= self.asked);
        self.asked_later.extend(new);
    }

    /// Reports whether an external file declares the type.
    fn is_supplied(&self, declared: &LoadedType) -> bool {
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
            .any(|tid| self.type_def(*tid).external && self.type_def(*tid).arity == declared.arity)
    }

    /// Returns the namespace with a dotted name inside another, and adds these assemblies to those
    /// that declare it.
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

    /// Returns the framework type with a name that no using leads to. This happens if the project
    /// that compiles the file is outside the repository, or the using is.
    pub(in crate::resolve) fn opened_type(&self, name: Name, arity: usize) -> Option<TypeDefId> {
        let fits = |tid: &TypeDefId| {
            self.is_framework(*tid) && usize::from(self.type_def(*tid).arity) == arity
        };
        self.opened.iter().find_map(|namespace| {
            self.top
                .get(&(*namespace, name))?
                .iter()
                .copied()
                .find(fits)
        })
    }

    /// Returns the declaration of a well-known type with this number of type arguments.
    pub(in crate::resolve) fn declared(&self, known: Known, arity: usize) -> Option<TypeDefId> {
        self.known.get(&(known, arity as u16)).copied()
    }

    /// Returns the simple name of a known type.
    pub(in crate::resolve) fn name_of(&self, known: Known) -> Name {
        self.known_names[known as usize]
    }

    /// Reports whether a top-level type in a file with these assemblies is [`TypeDef::alone`].
    pub(super) fn is_alone(&self, decl: &Declaration, homes: &[AssemblyId]) -> bool {
        homes[0] == self.assemblies.none() && !decl.flags.has(DeclFlags::PARTIAL)
    }

    /// Reports whether a type is one of the frameworks'.
    #[must_use]
    pub(in crate::resolve) fn is_framework(&self, tid: TypeDefId) -> bool {
        self.library.contains(&tid.0)
    }

    /// Adds a type; returns its number.
    pub(super) fn add_type(&mut self, group: TypeDef) -> TypeDefId {
        match self.vacant.pop() {
            Some(tid) => {
                self.types[tid.0 as usize] = group;
                tid
            }
            None => {
                self.types.push(group);
                TypeDefId(self.types.len() as u32 - 1)
            }
        }
    }

    #[must_use]
    pub(in crate::resolve) fn type_def(&self, tid: TypeDefId) -> &TypeDef {
        &self.types[tid.0 as usize]
    }

    #[must_use]
    pub(in crate::resolve) fn file(&self, file: FileId) -> &FileTable {
        &self.files[file.0 as usize]
    }
}

/// Returns the frameworks' library and those of packages.
fn libraries(packages: &[Arc<Library>]) -> Vec<&Library> {
    std::iter::once(Library::dotnet())
        .chain(packages.iter().map(|library| &**library))
        .collect()
}

/// Reports whether a scope is the body of a type.
#[must_use]
pub fn is_type_scope(kind: ScopeKind) -> bool {
    matches!(kind, ScopeKind::Type | ScopeKind::Enum)
}
