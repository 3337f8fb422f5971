//! The immutable snapshot that links read: all files' facts in canonical order (by path) and the
//! tables made from them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::model::facts::{DeclId, Declaration, Facts};
use crate::model::graph::Language;
use crate::project::ProjectModel;
use crate::resolve::csharp::PackageAssembly;
use crate::resolve::{PackageAnswers, csharp, typescript};

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

/// What installed packages give a world, beside declaration files among its files.
#[derive(Clone, Default)]
pub struct Supplied {
    /// Where specifiers of TypeScript lead.
    pub answers: Arc<PackageAnswers>,
    /// Assemblies of C#, by name.
    pub assemblies: Arc<[PackageAssembly]>,
}

/// The snapshot.
pub struct World {
    files: Vec<WorldFile>,
    /// The projects.
    pub projects: Arc<ProjectModel>,
    supplied: Supplied,
    /// C# tables.
    pub csharp: csharp::Tables,
    /// TypeScript tables.
    pub typescript: typescript::Tables,
}

impl World {
    /// Builds the tables. Files are put into path order first, so that the caller's order does not
    /// matter; what the files need of libraries stands after them.
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
        files.extend(typescript::declared(&files, &projects, &supplied.answers));
        let has_same_paths = |before: &&mut Self| {
            let own = |file: &&WorldFile| !file.external;
            Arc::ptr_eq(&before.projects, &projects)
                && before.supplied.answers == supplied.answers
                && before
                    .files
                    .iter()
                    .filter(own)
                    .map(|file| &file.path)
                    .eq(files.iter().filter(own).map(|file| &file.path))
        };
        let modules = before
            .filter(has_same_paths)
            .map(|before| before.typescript.take_modules());
        let mut csharp = csharp::Tables::build(&files, &projects, &supplied.assemblies);
        csharp.add_libraries(&mut files, &projects);
        let typescript =
            typescript::Tables::build(&files, &projects, (modules, &supplied.answers), cancel)?;
        Some(Self {
            files,
            projects,
            supplied: supplied.clone(),
            csharp,
            typescript,
        })
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
        let is_replaced = match old.header.dialect.language() {
            Language::CSharp => self.csharp.replace(file, &old, &now),
            Language::TypeScript => self.typescript.replace(file, &old, &now),
        };
        if is_replaced {
            self.files[file.0 as usize] = now;
        }
        is_replaced
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
