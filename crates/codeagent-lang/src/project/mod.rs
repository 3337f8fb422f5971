//! The projects of a repository: the project that owns each file, and its settings for reading it.
//!
//! Built from the texts of the project files alone: no disk access, nothing is executed, no
//! MSBuild. Everything specific to a language is in its crate, behind [`ProjectSet`].

pub mod globs;
pub mod paths;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use codeagent_model::graph::Language;

use crate::language::Languages;

/// All projects of a repository. Built by [`ProjectModel::build`]; equal inputs give an equal
/// model.
#[derive(Debug, Default)]
pub struct ProjectModel {
    languages: Languages,
    /// One per language, in the order of the registry.
    sets: Vec<Box<dyn ProjectSet>>,
    /// The owning project of every file that has one.
    pub owners: BTreeMap<String, ProjectRef>,
    /// The texts that the model was built from, by path.
    pub sources: Arc<BTreeMap<String, Arc<str>>>,
    /// Project files that could not be read, and why; sorted.
    pub warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectRef {
    /// The project's language.
    pub language: Language,
    /// Its index among the projects of its language.
    pub index: u32,
}

/// The projects of one language, by path.
pub trait ProjectSet: Any + fmt::Debug + Send + Sync {
    /// Returns the repo-relative path of a project's file.
    fn path(&self, index: u32) -> &str;

    fn find(&self, path: &str) -> Option<u32>;

    /// Reports whether a project of the language may own a file, by its path.
    fn may_own(&self, path: &str) -> bool;

    /// Records that a project owns a file because the settings say so.
    fn assign(&mut self, path: &str, index: u32);

    /// Returns the preprocessor symbols with which a project reads its files.
    fn defines(&self, _index: u32) -> &[String] {
        &[]
    }

    /// Returns the projects that compile a file, where projects other than the owner may.
    fn compiling(&self, _path: &str) -> Vec<u32> {
        Vec::new()
    }

    /// Reports whether an earlier set of the same language differs at most by not having a file.
    fn only_adds(&self, _path: &str, _before: &dyn ProjectSet) -> bool {
        false
    }
}

/// The projects that a language found in a repository.
pub struct ReadProjects {
    pub set: Box<dyn ProjectSet>,
    /// The owning project of each file, by its index in the set.
    pub owners: BTreeMap<String, u32>,
    /// Files that could not be read, and why.
    pub warnings: Vec<String>,
}

impl ProjectModel {
    /// Reads the model.
    ///
    /// `paths` are all files of the repository (sorted, repo-relative), `texts` the contents of
    /// those that [`is_project_file`] accepts and [`add_extended`] adds.
    #[must_use]
    pub fn build(
        languages: Languages,
        paths: &[String],
        texts: BTreeMap<String, Arc<str>>,
    ) -> Self {
        let texts = Arc::new(texts);
        let read = languages
            .iter()
            .map(|support| support.read_projects(paths, &texts))
            .collect();

        Self {
            sources: texts,
            ..Self::of_read(languages, read)
        }
    }

    /// Creates the model from the results of each language, in the order of the registry.
    #[must_use]
    pub fn of_read(languages: Languages, all: Vec<ReadProjects>) -> Self {
        let mut model = Self {
            languages,
            ..Self::default()
        };
        for (support, read) in languages.iter().zip(all) {
            let language = support.language();
            let owners = read.owners.into_iter();
            model
                .owners
                .extend(owners.map(|(path, index)| (path, ProjectRef { language, index })));
            model.warnings.extend(read.warnings);
            model.sets.push(read.set);
        }
        model.warnings.sort_unstable();
        model
    }

    /// Returns the model of a repository without project files.
    #[must_use]
    pub fn empty(languages: Languages) -> Self {
        Self::build(languages, &[], BTreeMap::new())
    }

    /// Returns the languages whose projects the model holds.
    #[must_use]
    pub fn languages(&self) -> Languages {
        self.languages
    }

    /// Returns the projects of a language, by their type.
    ///
    /// # Panics
    ///
    /// If no registered language has such projects.
    #[must_use]
    pub fn of<T: ProjectSet>(&self) -> &T {
        let mut sets = self.sets.iter();
        sets.find_map(|set| (&**set as &dyn Any).downcast_ref())
            .expect("a language asks for its own projects")
    }

    /// Returns the model with files reassigned to the project that `owner` names, if the model has
    /// it and it is of the file's language.
    #[must_use]
    pub fn with_owners<'c>(
        mut self,
        paths: &[String],
        owner: impl Fn(&str) -> Option<&'c str>,
    ) -> Self {
        let mut missing = BTreeSet::new();
        for path in paths {
            let Some(named) = owner(path) else { continue };
            match self.project(named) {
                Some(project) if self.set(project).may_own(path) => self.assign(path, project),
                Some(_) => {}
                None => {
                    missing.insert(named);
                }
            }
        }

        self.warnings.extend(missing.into_iter().map(|named| {
            format!("{named}: the settings name this project, but it does not exist")
        }));

        self.warnings.sort_unstable();
        self
    }

    fn project(&self, path: &str) -> Option<ProjectRef> {
        let mut sets = self.languages.iter().zip(&self.sets);
        sets.find_map(|(support, set)| {
            let language = support.language();
            set.find(path).map(|index| ProjectRef { language, index })
        })
    }

    /// Reports whether the model equals an earlier one but for a file that did not exist.
    #[must_use]
    pub fn only_adds(&self, path: &str, before: &Self) -> bool {
        let others = self.owners.iter().filter(|(owned, _)| *owned != path);
        let mut sets = self.sets.iter().zip(&before.sets);
        others.eq(&before.owners)
            && self.warnings == before.warnings
            && sets.all(|(now, before)| now.only_adds(path, &**before))
    }

    /// Returns the index of a language in the registry.
    fn number(&self, language: Language) -> usize {
        let mut languages = self.languages.iter();
        languages
            .position(|support| support.language() == language)
            .expect("projects are those of registered languages")
    }

    fn set(&self, project: ProjectRef) -> &dyn ProjectSet {
        &*self.sets[self.number(project.language)]
    }

    fn assign(&mut self, path: &str, owner: ProjectRef) {
        let number = self.number(owner.language);
        self.sets[number].assign(path, owner.index);
        self.owners.insert(path.to_owned(), owner);
    }

    /// Returns the `project_id` of a file: the path of the project file that owns it, else `.`.
    #[must_use]
    pub fn project_id(&self, path: &str) -> &str {
        match self.owners.get(path) {
            Some(owner) => self.set(*owner).path(owner.index),
            None => ".",
        }
    }

    /// Returns the paths of the projects that compile a file, in languages where projects other
    /// than the owner may.
    pub fn compiling(&self, path: &str) -> impl Iterator<Item = &str> {
        self.sets.iter().flat_map(move |set| {
            let projects = set.compiling(path).into_iter();
            projects.map(|index| set.path(index))
        })
    }

    /// Returns the preprocessor symbols with which a file is read.
    #[must_use]
    pub fn defines(&self, path: &str) -> &[String] {
        match self.owners.get(path) {
            Some(owner) => self.set(*owner).defines(owner.index),
            None => &[],
        }
    }
}

/// Adds project files that other project files refer to and that their names do not reveal
/// (`"extends": "./base.json"`). `read` returns the text of a path, `None` if there is no such
/// file.
pub fn add_extended(
    languages: Languages,
    texts: &mut BTreeMap<String, Arc<str>>,
    mut read: impl FnMut(&str) -> Option<Arc<str>>,
) {
    for support in languages.iter() {
        support.add_extended(texts, &mut read);
    }
}

/// Reports whether the text of a file is needed to build the model, by its name.
#[must_use]
pub fn is_project_file(languages: Languages, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    languages
        .iter()
        .any(|support| support.is_project_file(&name))
}
