//! The immutable snapshot that links read: all files' facts in canonical order (by path) and the
//! tables made from them.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_model::facts::{DeclId, Declaration, ExprId, Facts};

use crate::language::{IndexInput, LanguageIndex, LanguageSupport, Languages};
use crate::project::ProjectModel;

/// A file of a [`World`]: its position in path order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A declaration somewhere in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeclRef {
    /// The file.
    pub file: FileId,
    /// The declaration in it.
    pub decl: DeclId,
}

/// An expression somewhere in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprRef {
    /// The file.
    pub file: FileId,
    /// The expression in it.
    pub expr: ExprId,
}

impl FileId {
    /// An expression of the file.
    #[must_use]
    #[inline]
    pub fn expr(self, expr: ExprId) -> ExprRef {
        ExprRef { file: self, expr }
    }
}

/// One file.
#[derive(Clone, Debug)]
pub struct WorldFile {
    /// Repo-relative path.
    pub path: Arc<str>,
    /// What it says.
    pub facts: Arc<Facts>,
    /// It only carries types (a library's declarations): never a node, a target or linked itself.
    pub external: bool,
}

/// What installed packages give a world, beside declaration files among its files: at most one
/// value of each type, which the language that reads it defines.
#[derive(Clone, Default)]
pub struct Supplied(Vec<Arc<dyn Any + Send + Sync>>);

impl Supplied {
    /// The same with another part.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, part: Arc<T>) -> Self {
        self.0.push(part);
        self
    }

    /// The part of a type, if there is one.
    #[must_use]
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let mut parts = self.0.iter();
        parts.find_map(|part| Arc::clone(part).downcast().ok())
    }
}

/// The snapshot.
pub struct World {
    files: Vec<WorldFile>,
    /// The projects.
    pub projects: Arc<ProjectModel>,
    supplied: Supplied,
    /// One per language, in the order of the registry.
    indexes: Vec<Box<dyn LanguageIndex>>,
}

impl World {
    /// Builds the indexes. Files are put into path order first, so that the caller's order does not
    /// matter; what the files need of libraries stands after them. The languages are those of the
    /// projects.
    #[must_use]
    pub fn build(files: Vec<WorldFile>, projects: Arc<ProjectModel>) -> Self {
        Self::build_after(
            None,
            files,
            projects,
            &Supplied::default(),
            &AtomicBool::new(false),
        )
        .unwrap_or_else(|| unreachable!("nobody cancels it"))
    }

    /// The same, with installed packages, whose declarations are among the files, and with what is
    /// still true of a world before, which is good for nothing else afterwards. `None` if `cancel`
    /// was set before it was complete.
    #[must_use]
    pub fn build_after(
        before: Option<&mut Self>,
        mut files: Vec<WorldFile>,
        projects: Arc<ProjectModel>,
        supplied: &Supplied,
        cancel: &AtomicBool,
    ) -> Option<Self> {
        files.sort_by(|a, b| (a.external, &a.path).cmp(&(b.external, &b.path)));
        // Libraries keep their order, which says whose overloads come first.
        for support in projects.languages().iter() {
            files.extend(support.library_files(&files, &projects, supplied));
        }
        let mut before = before.filter(|before| before.has_same_paths(&files, &projects));

        let mut indexes = Vec::new();
        for (number, support) in projects.languages().iter().enumerate() {
            let before = before
                .as_mut()
                .map(|world| (&mut *world.indexes[number], &world.supplied));
            indexes.push(support.build_index(IndexInput {
                files: &mut files,
                projects: &projects,
                supplied,
                before,
                cancel,
            })?);
        }

        Some(Self {
            files,
            projects,
            supplied: supplied.clone(),
            indexes,
        })
    }

    /// Whether the same projects and the same files of the repository are there.
    fn has_same_paths(&self, files: &[WorldFile], projects: &Arc<ProjectModel>) -> bool {
        let own = |file: &&WorldFile| !file.external;
        let paths = self.files.iter().filter(own).map(|file| &file.path);

        Arc::ptr_eq(&self.projects, projects)
            && paths.eq(files.iter().filter(own).map(|file| &file.path))
    }

    /// Puts new facts of a file in the place of its old ones. False, with nothing changed, if the
    /// world has to be built anew.
    pub fn replace(&mut self, file: FileId, facts: Arc<Facts>) -> bool {
        let before = &self.files[file.0 as usize];
        let (old, now) = (
            Arc::clone(&before.facts),
            WorldFile {
                facts,
                ..before.clone()
            },
        );
        if old.header.dialect != now.facts.header.dialect {
            return false;
        }

        let language = old.header.dialect.language();
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

    /// The registered languages.
    #[must_use]
    pub fn languages(&self) -> Languages {
        self.projects.languages()
    }

    /// The support of a file's language.
    #[must_use]
    pub fn support(&self, file: FileId) -> &'static dyn LanguageSupport {
        self.languages().of_facts(self.facts(file))
    }

    /// The index of a language, by its type.
    ///
    /// # Panics
    /// If no registered language has such an index.
    #[must_use]
    pub fn index<T: LanguageIndex>(&self) -> &T {
        let mut indexes = self.indexes.iter();
        indexes
            .find_map(|index| (&**index as &dyn Any).downcast_ref())
            .expect("a language asks for its own index")
    }

    /// All files in order: those of the repository by path, then external ones by path, then those
    /// of libraries: of packages, of the frameworks.
    #[must_use]
    pub fn files(&self) -> &[WorldFile] {
        &self.files
    }

    /// Ids of all files of the repository.
    pub fn repository_files(&self) -> impl Iterator<Item = FileId> + '_ {
        self.files
            .iter()
            .enumerate()
            .filter(|(_, file)| !file.external)
            .map(|(index, _)| FileId(index as u32))
    }

    /// A file.
    #[must_use]
    pub fn file(&self, id: FileId) -> &WorldFile {
        &self.files[id.0 as usize]
    }

    /// The file of a path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        let index = self
            .files
            .binary_search_by(|file| (file.external, &*file.path).cmp(&(false, path)))
            .ok()?;
        Some(FileId(index as u32))
    }

    /// The facts of a file.
    #[must_use]
    pub fn facts(&self, id: FileId) -> &Facts {
        &self.file(id).facts
    }

    /// A declaration.
    #[must_use]
    pub fn decl(&self, decl: DeclRef) -> &Declaration {
        self.facts(decl.file).decl(decl.decl)
    }
}
