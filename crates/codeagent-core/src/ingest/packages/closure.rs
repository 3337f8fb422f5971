//! Collects the declaration files of npm packages: those that the sources import, and those that
//! these import in turn.
//!
//! Files are processed in rounds, sorted by path within each round, so that a limit always leaves
//! out the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use codeagent_lang::FileFacts;
use codeagent_lang::project::paths::folder_of;
use codeagent_typescript::project::TypeScriptProjects;
use codeagent_typescript::resolve::{PackageAnswers, VisibleTypes, is_of_package};
use codeagent_workspace::{ExternalKind, Packages, ReadError, RepoPath};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::{CachedDeclarations, DeclarationLoader, DeclarationText};
use super::disk::PackageFiles;
use super::lookup::Lookup;
use super::{DeclarationFile, Installed, MAX_NOTES};
use crate::ingest::IngestError;
use crate::ingest::load::{LoadedFile, Loader, OpenedStores, failed};
use crate::ingest::scan::{KnownFiles, NEVER_READ};
use crate::languages::LANGUAGES;
use crate::model::graph::{Dialect, Language};
use crate::store::{FactsKey, PackageRow};

/// Maximum number of declaration files per repository.
const MAX_FILES: usize = 5_000;

/// Maximum total size of the declaration files, in bytes.
const MAX_BYTES: u64 = 48 << 20;

/// Maximum number of specifiers looked up; five thousand real declaration files have a tenth of it.
const MAX_SPECIFIERS: usize = 500_000;

/// Maximum size of a declaration file, in bytes.
pub const MAX_FILE_BYTES: u64 = 4 << 20;

/// Number of files read before the total size is checked.
const AT_ONCE: usize = 256;

struct ParsedDeclarations {
    row: PackageRow,
    facts: FileFacts,
    problem: Option<String>,
}

/// Loads the declaration files in these package folders that the sources need.
pub fn gather(
    loader: &Loader<'_>,
    folders: &[RepoPath],
    loaded: &[LoadedFile],
    cached: &CachedDeclarations,
) -> Result<Installed, IngestError> {
    let is_script =
        |file: &LoadedFile| LANGUAGES.of_facts(&file.facts).language() == Language::TypeScript;
    if folders.is_empty() || !loaded.iter().any(is_script) {
        return Ok(Installed::default());
    }
    let Some(packages) = loader.workspace().external(ExternalKind::NodeModules) else {
        return Ok(Installed::default());
    };

    let projects = loader.projects.of::<TypeScriptProjects>();
    let mut answers = PackageAnswers {
        bases: bases(folders),
        ..PackageAnswers::default()
    };
    let bases = answers.bases.clone();
    // Packages are looked up once for all tsconfigs.
    let mut tsconfigs = projects.projects.iter();
    let exports_decide = tsconfigs.len() > 0 && tsconfigs.all(|it| it.has_node_formats);
    let disk = PackageFiles::new(packages.clone(), "");
    let mut lookup = Lookup::new(&bases, disk, exports_decide);
    let mut requested = requested(&answers, loaded, projects);
    answers.visible_types = visible_types(&mut lookup, bases_with_types(&answers, projects));
    for (base, visible) in &answers.visible_types {
        let packages = visible.packages.iter();
        requested.extend(packages.map(|name| (base.clone(), name.clone())));
    }
    let mut gathering = PackageCrawl {
        loader,
        declarations: DeclarationLoader {
            loader,
            packages: packages.clone(),
            cached,
            packed: Mutex::default(),
            log: Arc::default(),
        },
        packages,
        files: FxHashMap::default(),
        bytes: 0,
        left_out: 0,
        skipped_lookups: 0,
    };

    let next = look_up(&mut lookup, requested, &mut answers);
    gathering.follow_imports(&mut lookup, next, &mut answers)?;
    gathering.finish(answers, lookup.disk.into_rows())
}

/// Looks up the requested packages; returns the files found.
fn look_up(
    lookup: &mut Lookup<'_>,
    requested: BTreeSet<(String, String)>,
    answers: &mut PackageAnswers,
) -> BTreeSet<String> {
    let mut next: BTreeSet<String> = BTreeSet::new();
    for (base, specifier) in requested {
        let found = lookup.package(&base, &specifier);
        next.extend(found.clone());
        answers
            .of_repository
            .insert((base, specifier), found.map(Arc::from));
    }

    next
}

/// Returns the module specifiers of a declaration file, without loading its facts.
fn specifiers(facts: &FileFacts) -> Vec<&str> {
    match facts.outline() {
        Some(outline) => outline.specifiers().collect(),
        None => {
            let syms = LANGUAGES.of_facts(facts).specifiers(facts).into_iter();
            syms.map(|sym| facts.text(sym)).collect()
        }
    }
}

/// Returns the repository folders that contain package folders.
fn bases(folders: &[RepoPath]) -> FxHashSet<String> {
    super::texts(folders)
        .map(|folder| folder_of(folder).to_owned())
        .collect()
}

/// Returns the package imports, and the packages in `types` of tsconfigs, as pairs of lookup folder
/// and specifier.
fn requested(
    answers: &PackageAnswers,
    loaded: &[LoadedFile],
    projects: &TypeScriptProjects,
) -> BTreeSet<(String, String)> {
    let mut requested = BTreeSet::new();
    for file in loaded {
        let Some(base) = answers.base_of(folder_of(&file.path)) else {
            continue;
        };
        for sym in LANGUAGES.of_facts(&file.facts).specifiers(&file.facts) {
            let specifier = file.facts.text(sym);
            if is_of_package(specifier) {
                requested.insert((base.to_owned(), specifier.to_owned()));
            }
        }
    }

    for project in &projects.projects {
        if let Some(base) = answers.base_of(folder_of(&project.path)) {
            let names = project.types_modules().flatten();
            let packages = names.filter(|name| is_of_package(name));
            requested.extend(packages.map(|name| (base.to_owned(), name)));
        }
    }
    requested
}

/// Returns the folders with packages around tsconfigs that may see all of `@types`, and whether one
/// of them says so (`*`); all folders if there is no tsconfig.
fn bases_with_types(
    answers: &PackageAnswers,
    projects: &TypeScriptProjects,
) -> BTreeMap<String, bool> {
    if projects.projects.is_empty() {
        return answers
            .bases
            .iter()
            .map(|base| (base.clone(), false))
            .collect();
    }

    let mut bases = BTreeMap::new();
    for project in projects.projects.iter().filter(|it| it.sees_all_types()) {
        if let Some(base) = answers.base_of(folder_of(&project.path)) {
            *bases.entry(base.to_owned()).or_default() |= project.types.is_some();
        }
    }
    bases
}

/// Returns the `@types` packages that tsconfigs in folders see without naming them.
fn visible_types(
    lookup: &mut Lookup<'_>,
    bases: BTreeMap<String, bool>,
) -> FxHashMap<String, VisibleTypes> {
    let mut visible = FxHashMap::default();
    for (base, is_asked) in bases {
        let by_default = !lookup.has_later_compiler(&base);
        if by_default || is_asked {
            let packages = lookup.types_packages(&base);
            let types = VisibleTypes {
                packages,
                by_default,
            };
            visible.insert(base, types);
        }
    }

    visible
}

struct PackageCrawl<'l> {
    loader: &'l Loader<'l>,
    declarations: DeclarationLoader<'l>,
    packages: Packages,
    files: FxHashMap<String, ParsedDeclarations>,
    bytes: u64,
    left_out: usize,
    skipped_lookups: usize,
}

impl PackageCrawl<'_> {
    /// Reads these files and those that they import, in rounds.
    fn follow_imports(
        &mut self,
        lookup: &mut Lookup<'_>,
        mut next: BTreeSet<String>,
        answers: &mut PackageAnswers,
    ) -> Result<(), IngestError> {
        while !next.is_empty() {
            let round: Vec<String> = std::mem::take(&mut next)
                .into_iter()
                .filter(|path| !self.files.contains_key(path.as_str()))
                .collect();
            for path in self.read(&round)? {
                let Some(facts) = self.files.get(&path).map(|read| read.facts.clone()) else {
                    continue;
                };

                for specifier in specifiers(&facts) {
                    let key = (folder_of(&path).to_owned(), specifier.to_owned());
                    if answers.of_packages.contains_key(&key) {
                        continue;
                    }
                    if answers.of_packages.len() >= MAX_SPECIFIERS {
                        self.skipped_lookups += 1;
                        continue;
                    }

                    let found = lookup.in_folder(&key.0, &key.1);
                    next.extend(
                        found
                            .clone()
                            .filter(|found| !self.files.contains_key(found.as_str())),
                    );
                    answers.of_packages.insert(key, found.map(Arc::from));
                }
            }

            if lookup.disk.is_short {
                return Err(IngestError::Shortage);
            }
        }

        if lookup.disk.is_short {
            return Err(IngestError::Shortage);
        }

        Ok(())
    }

    /// Reads files until a limit is reached; returns the paths read, in order.
    fn read(&mut self, paths: &[String]) -> Result<Vec<String>, IngestError> {
        let mut taken = Vec::new();
        for some in paths.chunks(AT_ONCE) {
            let room = if self.bytes >= MAX_BYTES {
                0
            } else {
                MAX_FILES.saturating_sub(self.files.len()).min(some.len())
            };

            let (some, rest) = some.split_at(room);
            self.left_out += rest.len();

            let this = &*self;
            let read: Result<Vec<Option<ParsedDeclarations>>, IngestError> = some
                .par_iter()
                .map_init(OpenedStores::default, |opened, path| {
                    this.read_one(opened, path)
                })
                .collect();

            for read in read?.into_iter().flatten() {
                self.bytes += read.row.size.min(MAX_FILE_BYTES);
                if self.bytes > MAX_BYTES {
                    self.left_out += 1;
                    continue;
                }
                taken.push(read.row.path.clone());
                self.files.insert(read.row.path.clone(), read);
            }
        }

        Ok(taken)
    }

    /// Reads one file; `None` if it no longer exists.
    fn read_one(
        &self,
        opened: &mut OpenedStores,
        path: &str,
    ) -> Result<Option<ParsedDeclarations>, IngestError> {
        if self.loader.is_cancelled() {
            return Err(IngestError::Interrupted);
        }
        let Ok(place) = RepoPath::new(path) else {
            return Ok(None);
        };
        if let Some(read) = self.stored_facts(opened, &place)? {
            return Ok(Some(read));
        }

        let dialect = Dialect::of_path(path).unwrap_or(Dialect::Ts);
        match self.packages.read(&place, MAX_FILE_BYTES) {
            Ok(file) => {
                let text = DeclarationText {
                    path: &place,
                    dialect,
                    hash: file.hash.as_bytes(),
                };
                let facts = self.declarations.of_text(opened, text, &file)?;
                let row = PackageRow {
                    path: path.to_owned(),
                    size: file.size,
                    stamp: file.stamp,
                    hash: *file.hash.as_bytes(),
                    facts_key: Some(text.key()),
                };

                let problem = facts.is_none().then(|| "parse error".to_owned());
                Ok(Some(ParsedDeclarations {
                    row,
                    facts: facts.unwrap_or_else(|| failed(dialect).into()),
                    problem,
                }))
            }
            Err(ReadError::NotFound(_)) => Ok(None),
            Err(error) if error.is_shortage() => Err(IngestError::Shortage),
            Err(error) => {
                let (size, stamp) = self.packages.stat(&place).unwrap_or_default();
                let row = PackageRow {
                    path: path.to_owned(),
                    size,
                    stamp,
                    hash: NEVER_READ,
                    facts_key: None,
                };

                Ok(Some(ParsedDeclarations {
                    row,
                    facts: failed(dialect).into(),
                    problem: Some(error.to_string()),
                }))
            }
        }
    }

    /// Returns the stored facts of an unchanged file.
    fn stored_facts(
        &self,
        opened: &mut OpenedStores,
        path: &RepoPath,
    ) -> Result<Option<ParsedDeclarations>, IngestError> {
        let known: &KnownFiles = self.loader.known;
        let Some(row) = known.package(path.as_str()) else {
            return Ok(None);
        };
        if row.facts_key.is_none() {
            return Ok(None);
        }
        let Ok((size, stamp)) = self.packages.stat(path) else {
            return Ok(None);
        };
        if known.may_be_another((size, stamp), (row.size, row.stamp, &row.hash)) {
            return Ok(None);
        }

        let text = DeclarationText {
            path,
            dialect: Dialect::of_path(path.as_str()).unwrap_or(Dialect::Ts),
            hash: &row.hash,
        };
        let facts = self.declarations.stored(opened, text)?;
        Ok(facts.map(|facts| ParsedDeclarations {
            row: row.clone(),
            facts,
            problem: None,
        }))
    }

    fn finish(
        self,
        mut answers: PackageAnswers,
        mut rows: Vec<PackageRow>,
    ) -> Result<Installed, IngestError> {
        let DeclarationLoader { packed, log, .. } = self.declarations;
        let packed = packed
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        self.loader.send(packed)?;
        let Self {
            files,
            left_out,
            skipped_lookups,
            ..
        } = self;

        drop_unread(&mut answers, &files);
        let mut notes = limit_notes(left_out, skipped_lookups);
        let mut declared = Vec::with_capacity(files.len());
        for (_, read) in files {
            notes.extend(
                read.problem
                    .map(|problem| format!("{}: left out: {problem}", read.row.path)),
            );
            let key = read
                .row
                .facts_key
                .unwrap_or_else(|| FactsKey::new(read.facts.dialect(), "unread", &read.row.hash));
            declared.push(DeclarationFile {
                path: read.row.path.as_str().into(),
                key,
                facts: read.facts,
            });
            rows.push(read.row);
        }

        declared.sort_by(|a, b| a.path.cmp(&b.path));
        notes.sort_unstable();
        notes.truncate(MAX_NOTES);

        Ok(Installed {
            answers: Arc::new(answers),
            files: declared,
            rows,
            notes,
            log,
            ..Installed::default()
        })
    }
}

/// Removes from the answers the files that were not read.
fn drop_unread(answers: &mut PackageAnswers, files: &FxHashMap<String, ParsedDeclarations>) {
    for answer in answers
        .of_repository
        .values_mut()
        .chain(answers.of_packages.values_mut())
    {
        if answer
            .as_ref()
            .is_some_and(|path| !files.contains_key(&**path))
        {
            *answer = None;
        }
    }
}

/// Returns a note for each limit that left something out.
fn limit_notes(left_out: usize, skipped_lookups: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if left_out > 0 {
        notes.push(format!(
            "{left_out} declaration files of packages were not read: more than {MAX_FILES} \
             files or {} MB are imported",
            MAX_BYTES >> 20
        ));
    }

    if skipped_lookups > 0 {
        notes.push(format!(
            "{skipped_lookups} imports of packages were not read: there are \
             more than {MAX_SPECIFIERS}"
        ));
    }

    notes
}
