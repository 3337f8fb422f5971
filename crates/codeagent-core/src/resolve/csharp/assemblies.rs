//! Which assembly is a file compiled into, and what does an assembly see of another: `P` sees itself, what it references, and libraries.
//!
//! Files that no project owns are one assembly of their own that sees everything. `InternalsVisibleTo` comes from project files and from
//! attributes in the sources.
//!
//! **Limits.** A file that several projects compile belongs to its owner; its declarations are visible from each of them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::project::{ProjectModel, ProjectRef};

/// A C# project of the model, or one of the two assemblies below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssemblyId(pub u32);

/// The assemblies and who sees whom.
#[derive(Debug, Default)]
pub struct Assemblies {
    count: u32,
    sees: Vec<bool>,
    friends: Vec<bool>,
    files: FxHashMap<String, SmallVec<[AssemblyId; 1]>>,
}

impl Assemblies {
    /// Reads them from the project model.
    #[must_use]
    pub fn build(projects: &ProjectModel) -> Self {
        let count = projects.csharp.len() as u32;
        let width = count as usize + 2;
        let mut made = Self { count, sees: vec![false; width * width], friends: vec![false; width * width], files: FxHashMap::default() };
        for (index, project) in projects.csharp.iter().enumerate() {
            made.sees[index * width + index] = true;
            for reference in &project.references {
                made.sees[index * width + *reference as usize] = true;
            }
            for (other, seen) in projects.csharp.iter().enumerate() {
                let friend = other == index || seen.internals_visible_to.iter().any(|name| same_assembly(name, &project.assembly_name));
                made.friends[index * width + other] = friend;
            }
            for file in &project.files {
                made.files.entry(file.clone()).or_default().push(AssemblyId(index as u32));
            }
        }
        for (path, owner) in &projects.owners {
            if let ProjectRef::CSharp(index) = owner {
                let homes = made.files.entry(path.clone()).or_default();
                homes.retain(|home| home.0 != *index);
                homes.insert(0, AssemblyId(*index));
            }
        }
        for other in 0..width {
            made.sees[count as usize * width + other] = true;
            made.friends[count as usize * width + other] = true;
            made.sees[other * width + width - 1] = true;
        }
        made
    }

    /// The assembly of files that no project owns.
    #[must_use]
    pub fn none(&self) -> AssemblyId {
        AssemblyId(self.count)
    }

    /// The assembly of external files.
    #[must_use]
    pub fn external(&self) -> AssemblyId {
        AssemblyId(self.count + 1)
    }

    /// The assemblies a file is compiled into, its owner first.
    #[must_use]
    pub fn homes(&self, path: &str, external: bool) -> SmallVec<[AssemblyId; 1]> {
        if external {
            return SmallVec::from_elem(self.external(), 1);
        }
        self.files.get(path).cloned().unwrap_or_else(|| SmallVec::from_elem(self.none(), 1))
    }

    /// Whether `from` sees public declarations of `other`.
    #[must_use]
    pub fn sees(&self, from: AssemblyId, other: AssemblyId) -> bool {
        self.sees[from.0 as usize * (self.count as usize + 2) + other.0 as usize]
    }

    /// Whether `from` sees internal declarations of `other`.
    #[must_use]
    pub fn is_friend(&self, from: AssemblyId, other: AssemblyId) -> bool {
        from == other || self.friends[from.0 as usize * (self.count as usize + 2) + other.0 as usize]
    }

    /// Takes in an `InternalsVisibleTo("name")` that stands in a source file of `home`; an empty name stands for any.
    pub fn add_friend(&mut self, home: AssemblyId, name: &str, projects: &ProjectModel) {
        let width = self.count as usize + 2;
        for (index, project) in projects.csharp.iter().enumerate() {
            if name.is_empty() || same_assembly(name, &project.assembly_name) {
                self.friends[index * width + home.0 as usize] = true;
            }
        }
    }
}

fn same_assembly(written: &str, name: &str) -> bool {
    written.split(',').next().unwrap_or("").trim().eq_ignore_ascii_case(name)
}
