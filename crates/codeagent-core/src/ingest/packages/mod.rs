//! Which declarations have the packages that are installed beside the sources: `.d.ts` files below `node_modules`, from those that the sources
//! import on, with all that these import themselves.
//!
//! Only what an import leads to is read, and nothing outside of `node_modules`. Every folder and file that was looked at is kept with its size and
//! time, so that the next batch sees whether anything may differ without looking anything up.
//!
//! **Limits.** Declarations alone: of a package that ships sources or JavaScript without declarations nothing is known. What no import and no
//! `/// <reference>` leads to is not read, `@types` packages among it. Counted limits on files and bytes; who was left out is said.

mod closure;
mod compare;
mod disk;
mod lookup;
mod manifest;

use std::sync::Arc;

use codeagent_workspace::RepoPath;

use crate::model::facts::Facts;
use crate::resolve::typescript::published;
use crate::resolve::{FileId, PackageAnswers, World, WorldFile};
use crate::store::{FactsKey, PackageRow};

pub use closure::gather;
pub use compare::{Doubt, compare};

/// What the packages declare.
#[derive(Default)]
pub struct Installed {
    /// Where specifiers lead.
    pub answers: Arc<PackageAnswers>,
    /// The declaration files, by path.
    pub files: Vec<Declared>,
    /// Everything that was looked at, by path.
    pub rows: Vec<PackageRow>,
    /// What was left out and why.
    pub remarks: Vec<String>,
}

/// A declaration file.
pub struct Declared {
    /// Repo-relative path without links.
    pub path: Arc<str>,
    /// Where its facts are kept.
    pub key: FactsKey,
    /// What it declares.
    pub facts: Arc<Facts>,
}

impl Installed {
    /// The declarations as files of a world.
    pub fn world_files(&self) -> impl Iterator<Item = WorldFile> + '_ {
        self.files.iter().map(|file| WorldFile { path: Arc::clone(&file.path), facts: Arc::clone(&file.facts), external: true })
    }

    /// A hash of all that a link can see of packages in a world: another one, and everything is linked again. Empty without packages.
    pub fn fingerprint(&self, world: &World) -> String {
        let PackageAnswers { of_repository, of_packages, .. } = &*self.answers;
        if of_repository.is_empty() && self.files.is_empty() {
            return String::new();
        }
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(text.as_bytes()).update(&[0]);
        };
        for answers in [of_repository, of_packages] {
            let mut answers: Vec<_> = answers.iter().filter_map(|(asked, path)| Some((asked, path.as_deref()?))).collect();
            answers.sort_unstable();
            for ((from, specifier), path) in answers {
                [from, specifier, path].into_iter().for_each(&mut add);
            }
            add("|");
        }
        for (number, file) in world.files().iter().enumerate().filter(|(_, file)| file.external) {
            if let Ok(at) = self.files.binary_search_by(|declared| declared.path.cmp(&file.path)) {
                add(&file.path);
                add(&blake3::Hash::from_bytes(self.files[at].key.0).to_hex());
                if !published(&file.facts).is_empty() {
                    world.typescript.programs(FileId(number as u32)).0.for_each(&mut add);
                }
            }
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

/// A path of the walk as a text.
fn texts(paths: &[RepoPath]) -> impl Iterator<Item = &str> {
    paths.iter().map(RepoPath::as_str)
}
