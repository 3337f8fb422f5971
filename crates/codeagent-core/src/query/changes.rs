//! Compares the two sides of a git range: symbols added, removed and changed, uses that no longer
//! fit, and tests to run.
//!
//! Both sides of each changed file are parsed in memory, so the index never contains the older
//! side. Uses and tests come from the index, which describes the working tree.
//!
//! Limitations: a symbol counts as unchanged if it only moved within its file, or if only its
//! comments or layout differ. Projects' preprocessor symbols are not defined on either side.

mod breaks;
mod declared;
mod pair;

use codeagent_workspace::{ChangedFile, Content, GitChanges, GitError, GitRepository};
use rustc_hash::FxHashSet;

use crate::model::graph::{Dialect, NodeId};
use crate::query::{QueryError, Sources};
use crate::store;

pub use breaks::{Break, BreakReason};
pub use declared::DeclaredSymbol;

use declared::declarations;
use pair::pairs;

/// Maximum number of files that are parsed; of further files, only the names are listed.
const MAX_PARSED: usize = 3_000;

/// Why changes cannot be determined.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError {
    /// Reading the git repository failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A query of the index failed.
    #[error(transparent)]
    Query(#[from] QueryError),
}

impl From<store::StoreError> for ChangesError {
    fn from(error: store::StoreError) -> Self {
        Self::Query(error.into())
    }
}

/// How a symbol changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// Its text is the same, under another name or in another file.
    Renamed,
    /// Its signature differs, and possibly its body.
    Signature,
    /// Only its body differs.
    Body,
}

/// A changed symbol.
#[derive(Clone, Debug)]
pub struct SymbolChange {
    /// How it changed.
    pub kind: ChangeKind,
    /// The older side, unless it was added.
    pub old: Option<DeclaredSymbol>,
    /// The newer side, unless it was removed.
    pub new: Option<DeclaredSymbol>,
    /// Its id in the index, if the index has the newer side.
    pub id: Option<NodeId>,
}

/// The differences between two sides.
#[derive(Debug)]
pub struct Changes {
    /// The two sides, and all files that differ.
    pub git: GitChanges,
    /// Changed symbols, by path and line. Symbols inside an added or removed symbol are left out.
    pub symbols: Vec<SymbolChange>,
    /// Indexed files whose code outside of all symbols differs.
    pub module_code: Vec<String>,
    /// Uses and implementations that no longer match.
    pub breaks: Vec<Break>,
    /// Whether some files were not compared.
    pub is_cut: bool,
}

impl SymbolChange {
    /// Returns the newer side, or the older one of a removed symbol.
    #[must_use]
    pub fn declared(&self) -> &DeclaredSymbol {
        let declared = self.new.as_ref().or(self.old.as_ref());
        declared.expect("a change has at least one side")
    }
}

impl Changes {
    /// Returns the ids of the added and changed symbols in the index, each once.
    #[must_use]
    pub fn ids(&self) -> Vec<NodeId> {
        let mut seen = FxHashSet::default();
        let ids = self.symbols.iter().filter_map(|change| change.id);
        ids.filter(|id| seen.insert(*id)).collect()
    }

    /// Returns the paths of changed files that are in no indexed language.
    pub fn other_files(&self) -> impl Iterator<Item = &str> {
        let paths = self.git.files.iter().map(|file| file.path.as_str());
        paths.filter(|path| Dialect::of_path(path).is_none())
    }
}

/// Compares the two sides of a git range: `BASE` (with the working tree), `A..B` or `A...B`.
pub fn changes(sources: &mut Sources<'_>, range: &str) -> Result<Changes, ChangesError> {
    let repository = sources.workspace().git()?;
    let git = repository.changes(range)?;

    let (mut old, mut new) = (Vec::new(), Vec::new());
    let (mut module_code, mut parsed, mut is_cut) = (Vec::new(), 0, false);
    for file in &git.files {
        let Some(dialect) = Dialect::of_path(file.path.as_str()) else {
            continue;
        };
        if parsed == MAX_PARSED {
            is_cut = true;
            break;
        }
        parsed += 1;
        sources.snapshot().check()?;
        let before = side(&repository, file, file.old, dialect)?;
        let after = side(&repository, file, file.new, dialect)?;
        if before.module_code != after.module_code {
            module_code.push(file.path.to_string());
        }
        old.extend(before.symbols);
        new.extend(after.symbols);
    }

    let mut symbols = pairs(old, new);
    for change in &mut symbols {
        change.id = match &change.new {
            Some(declared) => indexed(sources, declared)?,
            None => None,
        };
    }
    let breaks = breaks::breaks(sources, &symbols)?;
    Ok(Changes {
        git,
        symbols,
        module_code,
        breaks,
        is_cut,
    })
}

fn side(
    repository: &GitRepository,
    file: &ChangedFile,
    content: Option<Content>,
    dialect: Dialect,
) -> Result<declared::Declarations, ChangesError> {
    let text = match content {
        Some(content) => repository.text(&file.path, content)?,
        None => None,
    };
    Ok(text.map_or_else(Default::default, |text| {
        declarations(file.path.as_str(), &text, dialect)
    }))
}

/// Finds a declaration in the index.
fn indexed(sources: &Sources<'_>, declared: &DeclaredSymbol) -> Result<Option<NodeId>, QueryError> {
    let snapshot = sources.snapshot();
    let named = store::by_qualified_name(snapshot, &declared.qualified_name)?;
    let here = named.iter().filter(|node| {
        node.kind == declared.kind && node.spans.iter().any(|span| span.path == declared.path)
    });
    let nearest = here.min_by_key(|node| {
        let is_other = node.parameter_signature.as_deref() != Some(&*declared.parameters);
        (is_other, node.spans[0].name_line.abs_diff(declared.line))
    });
    Ok(nearest.map(|node| node.id))
}
