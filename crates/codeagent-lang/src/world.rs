//! The immutable snapshot that resolution reads: all files' facts in canonical order (by path) and
//! the indexes built from them.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_model::facts::{DeclId, Declaration, ExprId, Facts};

use crate::file_facts::FileFacts;
use crate::language::{IndexInput, LanguageIndex, LanguageSupport, Languages};
use crate::project::ProjectModel;

/// A file of a [`World`], by its index in path order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A file without declarations that enters or leaves a world, so that later ones are renumbered.
#[derive(Clone, Copy, Debug)]
pub enum FileShift {
    Inserted(FileId),
    Removed(FileId),
}

impl FileShift {
    /// Returns the new number of another file.
    #[must_use]
    pub fn renumber(self, file: FileId) -> FileId {
        match self {
            Self::Inserted(at) if file >= at => FileId(file.0 + 1),
            Self::Removed(at) if file > at => FileId(file.0 - 1),
            _ => file,
        }
    }

    /// Inserts the file's value into a list of all files, or removes it.
    pub fn apply<T>(self, list: &mut Vec<T>, value: impl FnOnce() -> T) {
        match self {
            Self::Inserted(at) => list.insert(at.0 as usize, value()),
            Self::Removed(at) => drop(list.remove(at.0 as usize)),
        }
    }
}

/// A declaration somewhere in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeclRef {
    pub file: FileId,
    /// The declaration in it.
    pub decl: DeclId,
}

/// An expression somewhere in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprRef {
    pub file: FileId,
    /// The expression in it.
    pub expr: ExprId,
}

impl FileId {
    /// Returns an expression of the file.
    #[must_use]
    #[inline]
    pub fn expr(self, expr: ExprId) -> ExprRef {
        ExprRef { file: self, expr }
    }
}

#[derive(Clone, Debug)]
pub struct WorldFile {
    /// Repo-relative path.
    pub path: Arc<str>,
    pub facts: FileFacts,
    /// Its declarations are external (a library's): they provide types, but are never nodes or
    /// targets, and the file itself is not resolved.
    pub external: bool,
    /// The package that publishes it, if it comes from an interface pack: its declarations are
    /// resolved like the repository's own, but uses of them are uses of external symbols, and the
    /// file itself is not resolved.
    pub package: Option<Arc<str>>,
}

impl WorldFile {
    /// Reports whether it is a file of the repository.
    #[must_use]
    pub fn is_own(&self) -> bool {
        !self.external && self.package.is_none()
    }

    /// Returns what files are sorted by: those of the repository first, then those of packs.
    fn order(&self) -> (bool, bool, &str) {
        (self.external, self.package.is_some(), &self.path)
    }
}

/// Data of installed packages other than declaration files: at most one value per type. The
/// language that reads a type defines it.
#[derive(Clone, Default)]
pub struct InstalledPackages(Vec<Arc<dyn Any + Send + Sync>>);

impl InstalledPackages {
    /// Returns the data with one more part.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, part: Arc<T>) -> Self {
        self.0.push(part);
        self
    }

    /// Returns the part with a type, if there is one.
    #[must_use]
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let mut parts = self.0.iter();
        parts.find_map(|part| Arc::clone(part).downcast().ok())
    }
}

/// A snapshot of all files.
pub struct World {
    files: Vec<WorldFile>,
    pub projects: Arc<ProjectModel>,
    installed: InstalledPackages,
    /// One per language, in the order of the registry.
    indexes: Vec<Box<dyn LanguageIndex>>,
    /// Set to end resolutions early.
    cancel: Arc<AtomicBool>,
}

impl World {
    /// Builds the indexes. Sorts the files by path first, so the caller's order does not matter;
    /// the libraries' files follow. The languages are those of the projects.
    #[must_use]
    pub fn build(files: Vec<WorldFile>, projects: Arc<ProjectModel>) -> Self {
        Self::build_after(
            None,
            files,
            projects,
            &InstalledPackages::default(),
            &Arc::default(),
        )
        .unwrap_or_else(|| unreachable!("nobody cancels it"))
    }

    /// Builds a world with installed packages, whose declarations are among the files. Reuses the
    /// valid parts of an earlier world, which is unusable afterwards. Returns `None` if `cancel`
    /// was set before completion; if it is set later, resolutions end early.
    #[must_use]
    pub fn build_after(
        before: Option<&mut Self>,
        mut files: Vec<WorldFile>,
        projects: Arc<ProjectModel>,
        installed: &InstalledPackages,
        cancel: &Arc<AtomicBool>,
    ) -> Option<Self> {
        files.sort_by(|a, b| a.order().cmp(&b.order()));
        // Libraries keep their order, which decides whose overloads come first.
        let known = before
            .as_deref()
            .map_or(&[][..], |before| before.files.as_slice());
        for support in projects.languages().iter() {
            files.extend(support.library_files(&files, &projects, installed, known));
        }
        let mut before = before.filter(|before| before.has_same_paths(&files, &projects));

        let mut indexes = Vec::new();
        for (number, support) in projects.languages().iter().enumerate() {
            let before = before
                .as_mut()
                .map(|world| (&mut *world.indexes[number], &world.installed));
            indexes.push(support.build_index(IndexInput {
                files: &mut files,
                projects: &projects,
                installed,
                before,
                cancel,
            })?);
        }

        Some(Self {
            files,
            projects,
            installed: installed.clone(),
            indexes,
            cancel: Arc::clone(cancel),
        })
    }

    /// Reports whether the projects and the repository's file paths are the same.
    fn has_same_paths(&self, files: &[WorldFile], projects: &Arc<ProjectModel>) -> bool {
        let own = |file: &&WorldFile| !file.external;
        let paths = self.files.iter().filter(own).map(|file| &file.path);

        Arc::ptr_eq(&self.projects, projects)
            && paths.eq(files.iter().filter(own).map(|file| &file.path))
    }

    /// Frees the files and the indexes over them. The world cannot be used afterwards.
    pub fn clear(&mut self) {
        self.files = Vec::new();
        self.indexes = Vec::new();
    }

    /// Returns the flag that ends resolutions early; their results are not used.
    #[must_use]
    pub fn cancel(&self) -> &Arc<AtomicBool> {
        &self.cancel
    }

    /// Replaces the facts of a file. Returns `false`, with nothing changed, if the world has to be
    /// rebuilt.
    pub fn replace(&mut self, file: FileId, facts: Arc<Facts>) -> bool {
        let before = &self.files[file.0 as usize];
        let (old, now) = (
            before.facts.clone(),
            WorldFile {
                facts: facts.into(),
                ..before.clone()
            },
        );
        if old.dialect() != now.facts.dialect() {
            return false;
        }

        let language = old.dialect().language();
        let number = self
            .languages()
            .iter()
            .position(|support| support.language() == language);
        let is_replaced = number.is_some_and(|at| self.indexes[at].replace(file, &old, &now));
        if is_replaced {
            self.files[file.0 as usize] = now;
        }
        is_replaced
    }

    /// Adds a file of the repository, which `projects` compile. They must equal the world's
    /// projects but for that file. Returns `None`, with nothing changed, if the world has to be
    /// rebuilt.
    pub fn add(&mut self, file: &WorldFile, projects: &Arc<ProjectModel>) -> Option<FileId> {
        let at = self
            .files
            .binary_search_by(|other| other.order().cmp(&file.order()))
            .err()?;
        let id = FileId(at as u32);
        let empty = WorldFile {
            facts: Arc::new(Facts::of(file.facts.dialect())).into(),
            ..file.clone()
        };

        let before = std::mem::replace(&mut self.projects, Arc::clone(projects));
        self.shift(FileShift::Inserted(id), &empty);
        if self.replace(id, Arc::clone(file.facts.shared())) {
            return Some(id);
        }

        self.projects = before;
        self.shift(FileShift::Removed(id), &empty);
        None
    }

    fn shift(&mut self, shift: FileShift, file: &WorldFile) {
        for index in &mut self.indexes {
            index.shift(shift, file, &self.projects);
        }
        shift.apply(&mut self.files, || file.clone());
    }

    /// Returns the registered languages.
    #[must_use]
    pub fn languages(&self) -> Languages {
        self.projects.languages()
    }

    /// Returns the support of a file's language.
    #[must_use]
    pub fn support(&self, file: FileId) -> &'static dyn LanguageSupport {
        self.languages()
            .of(self.file(file).facts.dialect().language())
    }

    /// Returns the index of a language, by its type.
    ///
    /// # Panics
    ///
    /// If no registered language has such an index.
    #[must_use]
    pub fn index<T: LanguageIndex>(&self) -> &T {
        let mut indexes = self.indexes.iter();
        indexes
            .find_map(|index| (&**index as &dyn Any).downcast_ref())
            .expect("a language asks for its own index")
    }

    /// Returns all files in order: those of the repository by path, then those of packs, then
    /// external ones by path, then those of libraries (packages, then frameworks).
    #[must_use]
    pub fn files(&self) -> &[WorldFile] {
        &self.files
    }

    /// Returns the ids of all files of the repository.
    pub fn repository_files(&self) -> impl Iterator<Item = FileId> + '_ {
        self.files
            .iter()
            .enumerate()
            .filter(|(_, file)| file.is_own())
            .map(|(index, _)| FileId(index as u32))
    }

    #[must_use]
    pub fn file(&self, id: FileId) -> &WorldFile {
        &self.files[id.0 as usize]
    }

    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        let index = self
            .files
            .binary_search_by(|file| file.order().cmp(&(false, false, path)))
            .ok()?;
        Some(FileId(index as u32))
    }

    #[must_use]
    pub fn facts(&self, id: FileId) -> &Facts {
        &self.file(id).facts
    }

    #[must_use]
    pub fn decl(&self, decl: DeclRef) -> &Declaration {
        self.facts(decl.file).decl(decl.decl)
    }
}
