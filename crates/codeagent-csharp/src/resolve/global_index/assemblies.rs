//! The assembly that each file is compiled into, and the assemblies visible from it.
//!
//! A project's assembly sees itself, its references and libraries. Files that no project owns form
//! one assembly that sees everything. They may belong to several programs, so only partial types
//! have parts in several of them, and of several types with one name, the nearest is meant. `InternalsVisibleTo` comes from project files and from
//! attributes in the sources. A package's assembly sees those whose types it mentions, and is seen
//! by the projects that reference the package.
//!
//! Limitations: a file that several projects compile belongs to its owner; its declarations are
//! visible from each of them.

use std::sync::Arc;

use codeagent_lang::project::{ProjectModel, ProjectSet};
use codeagent_lang::world::FileShift;
use codeagent_model::graph::Language;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::project::CSharpProjects;
use crate::stdlib::Library;

#[derive(Clone, Debug)]
pub struct PackageAssembly {
    /// Its simple name.
    pub name: String,
    /// The simple names of the assemblies whose types it mentions.
    pub references: Vec<String>,
    /// Its declarations.
    pub library: Arc<Library>,
    /// The projects that see it, as indices into [`CSharpProjects::projects`].
    pub seen_by: Vec<u32>,
}

/// The assemblies of a repository's packages, by name.
#[derive(Clone, Debug, Default)]
pub struct PackageAssemblies(pub Vec<PackageAssembly>);

/// A project's assembly, one of the two special ones below, or one of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssemblyId(pub u32);

/// The assemblies and their visibility to each other.
#[derive(Debug, Default)]
pub struct Assemblies {
    /// Number of projects.
    count: u32,
    width: usize,
    sees: Vec<bool>,
    friends: Vec<bool>,
    files: FxHashMap<String, SmallVec<[AssemblyId; 1]>>,
}

impl Assemblies {
    /// Builds the table from the project model and the packages' assemblies.
    #[must_use]
    pub fn build(model: &ProjectModel, packages: &[PackageAssembly]) -> Self {
        let projects = &model.of::<CSharpProjects>().projects;
        let count = projects.len() as u32;
        let width = count as usize + 2 + packages.len();
        let sees = vec![false; width * width];
        let mut made = Self {
            count,
            width,
            friends: sees.clone(),
            sees,
            files: FxHashMap::default(),
        };

        for (index, project) in projects.iter().enumerate() {
            made.sees[index * width + index] = true;
            for reference in &project.references {
                made.sees[index * width + *reference as usize] = true;
            }

            for (other, seen) in projects.iter().enumerate() {
                let friend = seen
                    .internals_visible_to
                    .iter()
                    .any(|name| same_assembly(name, &project.assembly_name));
                made.friends[index * width + other] = friend;
            }

            for file in &project.files {
                made.files
                    .entry(file.clone())
                    .or_default()
                    .push(AssemblyId(index as u32));
            }
        }

        for (path, owner) in &model.owners {
            if owner.language == Language::CSharp {
                let homes = made.files.entry(path.clone()).or_default();
                homes.retain(|home| home.0 != owner.index);
                homes.insert(0, AssemblyId(owner.index));
            }
        }

        let external = made.external().0 as usize;
        for other in 0..width {
            made.sees[count as usize * width + other] = true;
            made.friends[count as usize * width + other] = true;
            made.sees[other * width + external] = true;
        }

        made.add_packages(packages);
        made
    }

    /// Adds or removes a file, which `model` compiles.
    pub fn shift(&mut self, shift: FileShift, path: &str, model: &ProjectModel) {
        let FileShift::Inserted(_) = shift else {
            self.files.remove(path);
            return;
        };

        let projects = model.of::<CSharpProjects>();
        let mut homes: SmallVec<[AssemblyId; 1]> = projects
            .compiling(path)
            .into_iter()
            .map(AssemblyId)
            .collect();
        let owner = model.owners.get(path);
        if let Some(owner) = owner.filter(|owner| owner.language == Language::CSharp) {
            homes.retain(|home| home.0 != owner.index);
            homes.insert(0, AssemblyId(owner.index));
        }
        if !homes.is_empty() {
            self.files.insert(path.to_owned(), homes);
        }
    }

    fn add_packages(&mut self, packages: &[PackageAssembly]) {
        let numbers: FxHashMap<&str, usize> = packages
            .iter()
            .enumerate()
            .map(|(index, package)| (package.name.as_str(), self.package(index).0 as usize))
            .collect();
        for (index, package) in packages.iter().enumerate() {
            let own = self.package(index).0 as usize;
            self.sees[own * self.width + own] = true;
            for seen in package
                .references
                .iter()
                .filter_map(|name| numbers.get(name.as_str()))
            {
                self.sees[own * self.width + seen] = true;
            }

            for project in package
                .seen_by
                .iter()
                .filter(|project| **project < self.count)
            {
                self.sees[*project as usize * self.width + own] = true;
            }
        }
    }

    /// Returns the assembly of a package, by its index among those.
    #[must_use]
    pub fn package(&self, index: usize) -> AssemblyId {
        AssemblyId(self.count + 2 + index as u32)
    }

    /// Returns the assembly of files that no project owns.
    #[must_use]
    pub fn none(&self) -> AssemblyId {
        AssemblyId(self.count)
    }

    /// Returns the assembly of external files.
    #[must_use]
    pub fn external(&self) -> AssemblyId {
        AssemblyId(self.count + 1)
    }

    /// Returns the assemblies a file is compiled into, its owner first.
    #[must_use]
    pub fn homes(&self, path: &str, external: bool) -> SmallVec<[AssemblyId; 1]> {
        if external {
            return SmallVec::from_elem(self.external(), 1);
        }
        self.files
            .get(path)
            .cloned()
            .unwrap_or_else(|| SmallVec::from_elem(self.none(), 1))
    }

    /// Reports whether `from` sees public declarations of `other`.
    #[must_use]
    pub fn sees(&self, from: AssemblyId, other: AssemblyId) -> bool {
        self.sees[from.0 as usize * self.width + other.0 as usize]
    }

    /// Reports whether `from` sees internal declarations of `other`.
    #[must_use]
    pub fn is_friend(&self, from: AssemblyId, other: AssemblyId) -> bool {
        from == other || self.friends[from.0 as usize * self.width + other.0 as usize]
    }

    /// Adds an `InternalsVisibleTo("name")` from a source file of `home`; an empty name stands for
    /// any.
    pub fn add_friend(&mut self, home: AssemblyId, name: &str, projects: &ProjectModel) {
        let projects = &projects.of::<CSharpProjects>().projects;
        for (index, project) in projects.iter().enumerate() {
            if name.is_empty() || same_assembly(name, &project.assembly_name) {
                self.friends[index * self.width + home.0 as usize] = true;
            }
        }
    }
}

fn same_assembly(written: &str, name: &str) -> bool {
    written
        .split(',')
        .next()
        .unwrap_or("")
        .trim()
        .eq_ignore_ascii_case(name)
}
