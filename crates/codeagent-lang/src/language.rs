//! The trait that a language implements, and the registry of languages.
//!
//! A language is one crate: it lowers texts to [`Facts`], reads its project files, builds an index
//! over the facts of a world, and resolves files against it. Everything else (nodes, the store,
//! queries) treats all languages alike and calls this trait for the differences. [`Languages`] is
//! the registry; `codeagent-core` holds the product's.
//!
//! The dynamic calls are made once per file, never per site.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_model::facts::{DeclId, Facts, Site, Sym};
use codeagent_model::graph::{Dialect, Language, NodeKind};
use smallvec::SmallVec;

use crate::branches::Branch;
use crate::dependencies::DependencyKey;
use crate::explain::Report;
use crate::file_facts::DeclarationOutline;
use crate::local_names::LocalName;
use crate::lower::{limits, parsing, unparsed_facts};
use crate::nodes::{Container, Identity};
use crate::project::{ProjectModel, ReadProjects};
use crate::resolution::Resolution;
use crate::surroundings::Surroundings;
use crate::world::{FileId, FileShift, InstalledPackages, World, WorldFile};

/// A file whose declarations are named as users of its package name them.
#[derive(Clone, Copy)]
pub struct PublishedFile<'a> {
    /// The facts of the file.
    pub facts: &'a Facts,
    /// Name of its package.
    pub package: &'a str,
    /// Returns the type that is used at a line and UTF-16 column.
    pub type_at: &'a dyn Fn(u32, u32) -> Option<NamedType>,
}

/// A type by its full name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedType {
    /// The name with the numbers of type parameters: ``System.Collections.Generic.List`1``.
    pub name: String,
    /// Its kind; `None` for an external type.
    pub kind: Option<NodeKind>,
}

/// Everything that differs from language to language.
pub trait LanguageSupport: Send + Sync {
    fn language(&self) -> Language;

    /// Returns the ABI version of its grammar's tables.
    fn grammar_version(&self) -> usize;

    /// Lowers one text. `defines` are the preprocessor symbols of the owning project.
    fn extract(&self, text: &str, dialect: Dialect, defines: &[String]) -> Facts;

    /// Lowers the declarations of a library, which are never resolved or shown: without uses, and
    /// without anything that only nodes need.
    fn extract_declarations(&self, text: &str, dialect: Dialect) -> Facts {
        let mut facts = self.extract(text, dialect, &[]);
        facts.sites = Vec::new();
        facts
    }

    /// Returns the locals, parameters and type parameters of one text that are no nodes, with their
    /// uses, in the order of their declarations. `defines` as in [`Self::extract`].
    fn local_names(&self, text: &str, dialect: Dialect, defines: &[String]) -> Vec<LocalName>;

    /// Returns, for each offset of a file, the text there and what contains it, for texts of a user
    /// interface. Limitations: preprocessor symbols are those that the text itself defines.
    fn surroundings(&self, text: &str, dialect: Dialect, offsets: &[usize]) -> Vec<Surroundings>;

    /// Returns the parts of a text that run under a condition, outer ones first, and whether the parser
    /// could read all of it. Limitations: as in [`Self::surroundings`].
    fn branches(&self, text: &str, dialect: Dialect) -> (Vec<Branch>, bool);

    /// Outlines a declaration file of a package, without parsing it; `None` if its facts are needed
    /// from the start, because it does more than export declarations.
    fn outline_declarations(&self, _text: &str, _dialect: Dialect) -> Option<DeclarationOutline> {
        None
    }

    /// Returns the truth values, under `defines`, of the preprocessor symbols that the text
    /// mentions, as a stable string. Empty in a language without a preprocessor.
    fn conditions(&self, _text: &str, _defines: &[String]) -> String {
        String::new()
    }

    /// Reports whether the text of a file is needed to read the projects. `name` is in lower case.
    fn is_project_file(&self, name: &str) -> bool;

    /// Adds project files that other project files refer to and that their own names do not reveal
    /// (`"extends": "./base.json"`). `read` returns the text of a path, `None` without such a file.
    fn add_extended(
        &self,
        _texts: &mut BTreeMap<String, Arc<str>>,
        _read: &mut dyn FnMut(&str) -> Option<Arc<str>>,
    ) {
    }

    /// Reads all projects of a repository. `paths` are all its files, sorted; `texts` are those of
    /// the project files.
    fn read_projects(
        &self,
        paths: &[String],
        texts: &Arc<BTreeMap<String, Arc<str>>>,
    ) -> ReadProjects;

    /// Returns the library declarations that the files of a world need, as further files. `files`
    /// are in the order of the world; those of an earlier world, `known`, may be used again.
    fn library_files(
        &self,
        _files: &[WorldFile],
        _projects: &ProjectModel,
        _supplied: &InstalledPackages,
        _known: &[WorldFile],
    ) -> Vec<WorldFile> {
        Vec::new()
    }

    /// Builds the index over the files of a world, to which it may append library declarations.
    /// Returns `None` if cancelled.
    fn build_index(&self, input: IndexInput<'_>) -> Option<Box<dyn LanguageIndex>>;

    /// Resolves one file of the language.
    fn link(&self, file: FileId, world: &World) -> Resolution;

    /// Explains why a site of the report's file has its edge, and returns the result of resolving
    /// it alone.
    fn explain(&self, site: Site, report: &mut Report<'_>) -> Resolution;

    /// Returns the dependency keys of the names that a file adds to the index.
    fn provided_keys(&self, facts: &Facts) -> Vec<DependencyKey>;

    /// Returns the dependency keys of the queries that a member or separate type of a file answers.
    fn keys_of_member(&self, facts: &Facts, member: DeclId) -> SmallVec<[DependencyKey; 3]>;

    /// Reports whether the index of the language takes new files, without being rebuilt.
    fn adds_files(&self) -> bool {
        false
    }

    /// Returns the module specifiers of a file, sorted. Empty in a language that imports no files.
    fn specifiers(&self, _facts: &Facts) -> Vec<Sym> {
        Vec::new()
    }

    /// Returns the targets of a file's module specifiers and the programs that contain it, as texts
    /// to compare; `None` in a language that imports no files.
    fn module_answers<'w>(&self, _file: FileId, _world: &'w World) -> Option<Vec<&'w str>> {
        None
    }

    /// Returns the programs in which a file's global declarations are visible; `None` in a language
    /// where projects alone decide that.
    fn programs<'w>(&self, _file: FileId, _world: &'w World) -> Option<Vec<&'w str>> {
        None
    }

    /// Returns the names under which objects hold possible functions that are not nodes, sorted.
    fn object_functions<'f>(&self, _facts: &'f Facts) -> Vec<&'f str> {
        Vec::new()
    }

    /// Returns the identity of a declaration whose enclosing node is `parent`.
    fn identity(&self, file: &WorldFile, decl: DeclId, parent: Option<Container<'_>>) -> Identity;

    /// Returns the declarations of a file with the names that users of its package have for them, in
    /// the notation of external symbols: documentation-comment ids or descriptors of SCIP. Those
    /// that nobody outside the file can name are left out.
    fn published_names(&self, _file: PublishedFile<'_>) -> Vec<(DeclId, String)> {
        Vec::new()
    }

    /// Reports whether a declaration has no enclosing node, not even its file.
    fn is_outermost(&self, _facts: &Facts, _decl: DeclId) -> bool {
        false
    }

    /// Reports whether a declaration is a user interface component by itself.
    fn is_component(&self, _facts: &Facts, _decl: DeclId) -> bool {
        false
    }

    /// Returns the declarations of a file that other code in it (such as a decorator) makes user
    /// interface components.
    fn decorated_components(&self, _facts: &Facts) -> Vec<DeclId> {
        Vec::new()
    }
}

/// The index of a language over the facts of all files.
pub trait LanguageIndex: Any + Send + Sync {
    /// Replaces the facts of a file. Returns `false`, with nothing changed, if the index has to be
    /// rebuilt.
    fn replace(&mut self, file: FileId, old: &Facts, now: &WorldFile) -> bool;

    /// Inserts or removes a file without declarations, of any language.
    fn shift(&mut self, shift: FileShift, file: &WorldFile, projects: &ProjectModel);
}

/// The input of [`LanguageSupport::build_index`].
pub struct IndexInput<'a> {
    /// The files of the world in its order; library declarations are appended.
    pub files: &'a mut Vec<WorldFile>,
    pub projects: &'a ProjectModel,
    /// Declarations of installed packages.
    pub installed: &'a InstalledPackages,
    /// The index of an earlier world over the same paths and projects, which may be consumed, and
    /// the packages installed then.
    pub before: Option<(&'a mut dyn LanguageIndex, &'a InstalledPackages)>,
    /// Set when the result is no longer wanted.
    pub cancel: &'a AtomicBool,
}

/// The registered languages, in the order in which their indexes are built.
#[derive(Clone, Copy, Default)]
pub struct Languages(&'static [&'static dyn LanguageSupport]);

impl Languages {
    /// Creates a registry; library files follow in the order of its languages.
    #[must_use]
    pub const fn new(all: &'static [&'static dyn LanguageSupport]) -> Self {
        Self(all)
    }

    /// Iterates over all languages, in order.
    pub fn iter(self) -> impl Iterator<Item = &'static dyn LanguageSupport> {
        self.0.iter().copied()
    }

    /// Returns the support of a language.
    ///
    /// # Panics
    ///
    /// If the language is not registered. Facts come from registered languages only, so theirs
    /// always is.
    #[must_use]
    pub fn of(self, language: Language) -> &'static dyn LanguageSupport {
        let found = self.iter().find(|support| support.language() == language);
        found.unwrap_or_else(|| panic!("{language:?} is not registered"))
    }

    #[must_use]
    pub fn of_facts(self, facts: &Facts) -> &'static dyn LanguageSupport {
        self.of(facts.header.dialect.language())
    }

    /// Lowers one decoded text to facts.
    ///
    /// Pure: no disk access, no second file, no error type. Broken code is valid input; the
    /// header's `parse_status` reports it. `defines` are the preprocessor symbols of the owning
    /// project.
    #[must_use]
    pub fn extract(self, text: &str, dialect: Dialect, defines: &[String]) -> Facts {
        if limits::is_too_dense(text) {
            return unparsed_facts(text, dialect);
        }
        let support = self.of(dialect.language());

        parsing::one_heavy_at_a_time(text, || support.extract(text, dialect, defines))
    }

    /// Returns the names of a text that are no nodes; see [`LanguageSupport::local_names`].
    #[must_use]
    pub fn local_names(self, text: &str, dialect: Dialect, defines: &[String]) -> Vec<LocalName> {
        if limits::is_too_dense(text) {
            return Vec::new();
        }
        let support = self.of(dialect.language());

        parsing::one_heavy_at_a_time(text, || support.local_names(text, dialect, defines))
    }

    /// Returns what contains each offset of a text; see [`LanguageSupport::surroundings`].
    #[must_use]
    pub fn surroundings(
        self,
        text: &str,
        dialect: Dialect,
        offsets: &[usize],
    ) -> Vec<Surroundings> {
        if offsets.is_empty() || limits::is_too_dense(text) {
            return vec![Surroundings::default(); offsets.len()];
        }
        let support = self.of(dialect.language());

        parsing::one_heavy_at_a_time(text, || support.surroundings(text, dialect, offsets))
    }

    /// Returns the parts of some lines of a text that run under a condition; see
    /// [`LanguageSupport::branches`]. `lines` are the bytes of the lines of a function or statement, which are
    /// parsed alone if that is possible: a file is many times as long.
    #[must_use]
    pub fn branches(self, text: &str, lines: Range<usize>, dialect: Dialect) -> Vec<Branch> {
        if limits::is_too_dense(text) {
            return Vec::new();
        }
        let support = self.of(dialect.language());
        let mut around = [("", ""), ("class A {", "}")];
        if dialect.language() == Language::CSharp {
            around.reverse();
        }
        for (before, after) in around {
            let alone = format!("{before}{}{after}", &text[lines.clone()]);
            if let (branches, true) = support.branches(&alone, dialect) {
                let moved = |branch: Branch| {
                    let at = |offset: usize| offset - before.len() + lines.start;
                    let Range { start, end } = branch.span;
                    Branch {
                        span: at(start)..at(end),
                        ..branch
                    }
                };
                return branches.into_iter().map(moved).collect();
            }
        }

        parsing::one_heavy_at_a_time(text, || support.branches(text, dialect).0)
    }

    /// Lowers the declarations of a library; see [`LanguageSupport::extract_declarations`].
    #[must_use]
    pub fn extract_declarations(self, text: &str, dialect: Dialect) -> Facts {
        if limits::is_too_dense(text) {
            return unparsed_facts(text, dialect);
        }
        let support = self.of(dialect.language());

        parsing::one_heavy_at_a_time(text, || support.extract_declarations(text, dialect))
    }

    /// Outlines a declaration file; see [`LanguageSupport::outline_declarations`].
    #[must_use]
    pub fn outline_declarations(self, text: &str, dialect: Dialect) -> Option<DeclarationOutline> {
        if limits::is_too_dense(text) {
            return None;
        }
        self.of(dialect.language())
            .outline_declarations(text, dialect)
    }

    /// Returns the truth values, under `defines`, of the preprocessor symbols that the text
    /// mentions, as a stable string. It is part of the key under which a file's facts are stored,
    /// so the facts of most files do not depend on their project.
    #[must_use]
    pub fn conditions(self, text: &str, dialect: Dialect, defines: &[String]) -> String {
        self.of(dialect.language()).conditions(text, defines)
    }
}

impl fmt::Debug for Languages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(LanguageSupport::language))
            .finish()
    }
}
