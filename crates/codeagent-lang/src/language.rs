//! The trait that a language implements, and the registry of those a program knows.
//!
//! A language is one crate: it reads texts into [`Facts`], reads its project files, builds an index
//! over the facts of a world, and links files against it. Everything else (nodes, the store,
//! queries) treats all languages alike and asks here for what differs. [`Languages`] is the
//! registry; `codeagent-core` holds the one of the product.
//!
//! Calls go through a table once per file, never per site.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_model::facts::{DeclId, Facts, Site, Sym};
use codeagent_model::graph::{Dialect, Language, Node};
use smallvec::SmallVec;

use crate::dependencies::DependencyKey;
use crate::explain::Report;
use crate::lower::{given_up, limits, parsing};
use crate::nodes::Identity;
use crate::project::{ProjectModel, ReadProjects};
use crate::resolution::Links;
use crate::world::{FileId, Supplied, World, WorldFile};

/// Everything that differs from language to language.
pub trait LanguageSupport: Send + Sync {
    /// The language itself.
    fn language(&self) -> Language;

    /// The ABI version of its grammar's tables.
    fn grammar_version(&self) -> usize;

    /// Reads one text. `defines` are the preprocessor symbols of the owning project.
    fn extract(&self, text: &str, dialect: Dialect, defines: &[String]) -> Facts;

    /// The truth values, under `defines`, of the preprocessor symbols that the text mentions, as a
    /// stable string. Empty in a language without a preprocessor.
    fn conditions(&self, _text: &str, _defines: &[String]) -> String {
        String::new()
    }

    /// Whether the text of a file is needed to read the projects. `name` is in lower case.
    fn is_project_file(&self, name: &str) -> bool;

    /// Adds project files that others name and whose own names do not tell
    /// (`"extends": "./base.json"`). `read` gives the text of a path, `None` without such a file.
    fn add_extended(
        &self,
        _texts: &mut BTreeMap<String, Arc<str>>,
        _read: &mut dyn FnMut(&str) -> Option<Arc<str>>,
    ) {
    }

    /// Reads all projects of a repository. `paths` are all its files, sorted; `texts` those of the
    /// project files.
    fn read_projects(
        &self,
        paths: &[String],
        texts: &Arc<BTreeMap<String, Arc<str>>>,
    ) -> ReadProjects;

    /// Declarations of libraries that the files of a world need, as further files. `files` are in
    /// the order of the world.
    fn library_files(
        &self,
        _files: &[WorldFile],
        _projects: &ProjectModel,
        _supplied: &Supplied,
    ) -> Vec<WorldFile> {
        Vec::new()
    }

    /// Builds the index over the files of a world; it may append declarations of libraries to them.
    /// `None` if it was cancelled.
    fn build_index(&self, input: IndexInput<'_>) -> Option<Box<dyn LanguageIndex>>;

    /// Links one file of the language.
    fn link(&self, file: FileId, world: &World) -> Links;

    /// Says why a site of the report's file has its edge, and gives what it links to when it is
    /// asked alone.
    fn explain(&self, site: Site, report: &mut Report<'_>) -> Links;

    /// The dependency keys of the names that a file adds to the index.
    fn published(&self, facts: &Facts) -> Vec<DependencyKey>;

    /// The dependency keys of the queries that a member of a file is an answer to.
    fn asked_of(&self, facts: &Facts, piece: DeclId) -> SmallVec<[DependencyKey; 3]>;

    /// The module specifiers of a file, sorted. Empty in a language that imports no files.
    fn specifiers(&self, _facts: &Facts) -> Vec<Sym> {
        Vec::new()
    }

    /// Where the module specifiers of a file lead and which programs see it, as texts to compare;
    /// `None` in a language that imports no files.
    fn module_answers<'w>(&self, _file: FileId, _world: &'w World) -> Option<Vec<&'w str>> {
        None
    }

    /// The programs in which what a file declares for all files counts; `None` in a language where
    /// projects alone decide that.
    fn programs<'w>(&self, _file: FileId, _world: &'w World) -> Option<Vec<&'w str>> {
        None
    }

    /// The names under which objects hold what may be a function and is no node, sorted.
    fn object_functions<'f>(&self, _facts: &'f Facts) -> Vec<&'f str> {
        Vec::new()
    }

    /// What makes a declaration inside `parent` the node it is.
    fn identity(&self, file: &WorldFile, decl: DeclId, parent: Option<&Node>) -> Identity;

    /// Whether a declaration has no node around it, not even its file.
    fn is_outermost(&self, _facts: &Facts, _decl: DeclId) -> bool {
        false
    }

    /// Whether a declaration is a user interface component by itself.
    fn is_component(&self, _facts: &Facts, _decl: DeclId) -> bool {
        false
    }

    /// The declarations of a file that something beside them makes user interface components.
    fn decorated_components(&self, _facts: &Facts) -> Vec<DeclId> {
        Vec::new()
    }
}

/// What a language keeps over the facts of all files: who declares what.
pub trait LanguageIndex: Any + Send + Sync {
    /// Puts new facts of a file in the place of its old ones. False, with nothing changed, if the
    /// index has to be built again.
    fn replace(&mut self, file: FileId, old: &Facts, now: &WorldFile) -> bool;
}

/// What an index is built from.
pub struct IndexInput<'a> {
    /// The files of the world in its order; declarations of libraries are appended.
    pub files: &'a mut Vec<WorldFile>,
    /// The projects.
    pub projects: &'a ProjectModel,
    /// What installed packages declare.
    pub supplied: &'a Supplied,
    /// The index of a world over the same paths and projects, which is not used afterwards, and
    /// what was installed then.
    pub before: Option<(&'a mut dyn LanguageIndex, &'a Supplied)>,
    /// Set by whoever does not want the result any more.
    pub cancel: &'a AtomicBool,
}

/// The languages that a program knows, in the order in which their indexes are built.
#[derive(Clone, Copy, Default)]
pub struct Languages(&'static [&'static dyn LanguageSupport]);

impl Languages {
    /// A registry; the order of its languages decides in which order library files follow.
    #[must_use]
    pub const fn new(all: &'static [&'static dyn LanguageSupport]) -> Self {
        Self(all)
    }

    /// All of them, in order.
    pub fn iter(self) -> impl Iterator<Item = &'static dyn LanguageSupport> {
        self.0.iter().copied()
    }

    /// The support of a language.
    ///
    /// # Panics
    /// If the language is not registered: facts of it come from nowhere else.
    #[must_use]
    pub fn of(self, language: Language) -> &'static dyn LanguageSupport {
        let found = self.iter().find(|support| support.language() == language);
        found.unwrap_or_else(|| panic!("{language:?} is not registered"))
    }

    /// The support of the language of some facts.
    #[must_use]
    pub fn of_facts(self, facts: &Facts) -> &'static dyn LanguageSupport {
        self.of(facts.header.dialect.language())
    }

    /// Reads one decoded text into facts.
    ///
    /// Pure: no disk, no second file, no error type. Broken code is input: it is reported in the
    /// header's `parse_status`. `defines` are the preprocessor symbols of the owning project.
    #[must_use]
    pub fn extract(self, text: &str, dialect: Dialect, defines: &[String]) -> Facts {
        if limits::is_too_dense(text) {
            return given_up(text, dialect);
        }
        let support = self.of(dialect.language());

        parsing::one_heavy_at_a_time(text, || support.extract(text, dialect, defines))
    }

    /// The truth values, under `defines`, of just those preprocessor symbols that the text
    /// mentions, as a stable string: part of the key under which a file's facts are stored, so that
    /// most files do not depend on their project.
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
