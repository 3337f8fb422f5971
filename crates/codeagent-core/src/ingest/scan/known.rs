//! The files as the index has them, and whether a file on disk may differ.

use codeagent_lang::project::is_project_file;
use codeagent_workspace::{Entry, RepoPath, Stamp, Workspace};
use rustc_hash::FxHashMap;

use super::{COARSEST_TIME_NS, NEVER_READ, NOT_THERE, SourceFile, extended_at};
use crate::languages::LANGUAGES;
use crate::store::{
    self, FIRST_IMPORTED_FILE, FileRow, InputRow, MADE_BY, PACKAGE_FOLDERS, PACKAGES, PackageRow,
    SCANNED_AT, Snapshot, StoreError,
};

/// The files as the index has them.
#[derive(Debug, Default)]
pub struct KnownFiles {
    /// Source files by path.
    pub files: FxHashMap<String, FileRow>,
    /// Project files by path.
    pub inputs: FxHashMap<String, InputRow>,
    /// Package files that were read, by path.
    pub packages: Vec<PackageRow>,
    /// Package folders, by path.
    pub package_folders: Vec<String>,
    /// See `Installed::fingerprint`.
    pub packages_hash: String,
    /// Start of the last scan, in nanoseconds since 1970.
    pub scanned_at: i64,
    /// Fingerprint of the engine that made the index.
    pub made_by: String,
    /// Whether facts are stored; those of another machine may be before there are files.
    pub has_facts: bool,
}

impl KnownFiles {
    /// Loads the file tables of a snapshot.
    pub fn load(snapshot: &Snapshot) -> Result<Self, StoreError> {
        Ok(Self {
            files: store::files(snapshot)?
                .into_iter()
                .filter(|file| file.id.0 < FIRST_IMPORTED_FILE)
                .map(|file| (file.path.clone(), file))
                .collect(),
            inputs: store::inputs(snapshot)?
                .into_iter()
                .map(|input| (input.path.clone(), input))
                .collect(),
            packages: store::package_rows(snapshot)?,
            package_folders: store::metadata(snapshot, PACKAGE_FOLDERS)?
                .unwrap_or_default()
                .lines()
                .map(str::to_owned)
                .collect(),
            packages_hash: store::metadata(snapshot, PACKAGES)?.unwrap_or_default(),
            scanned_at: store::metadata(snapshot, SCANNED_AT)?
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            made_by: store::metadata(snapshot, MADE_BY)?.unwrap_or_default(),
            has_facts: store::has_facts(snapshot)?,
        })
    }

    /// Returns all known sources by path, updated with those in `seen`.
    pub fn sources(&self, seen: impl Iterator<Item = SourceFile>) -> Vec<SourceFile> {
        let mut seen: FxHashMap<String, SourceFile> = seen
            .map(|source| (source.path.as_str().to_owned(), source))
            .collect();
        let known = self.files.values().filter_map(|row| {
            let path = RepoPath::new(&row.path).ok()?;
            let known = SourceFile {
                path,
                dialect: row.dialect,
                size: row.size,
                stamp: row.stamp,
                needs_check: false,
            };
            Some(seen.remove(&row.path).unwrap_or(known))
        });

        let mut sources: Vec<SourceFile> = known.collect();
        sources.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        sources
    }

    /// Reports whether a file's content may differ from that of a row.
    pub fn needs_check(&self, entry: &Entry, row: (u64, Stamp, &[u8; 32])) -> bool {
        self.may_be_another((entry.size, entry.stamp), row)
    }

    /// Reports whether content with this size and stamp may differ from that of a row; always true
    /// for content that was never read.
    pub fn may_be_another(
        &self,
        now: (u64, Stamp),
        (size, stamp, hash): (u64, Stamp, &[u8; 32]),
    ) -> bool {
        let is_recent = now.1.changed_ns > self.scanned_at.saturating_sub(COARSEST_TIME_NS);
        now != (size, stamp) || is_recent || *hash == NEVER_READ
    }

    /// Reports whether a change to a file can change project settings.
    pub fn is_input(&self, path: &str) -> bool {
        is_project_file(LANGUAGES, path) || self.inputs.contains_key(path)
    }

    /// Returns project files that are such only because a tsconfig extends them.
    pub fn extended(&self) -> impl Iterator<Item = (RepoPath, &InputRow)> {
        let rows = self
            .inputs
            .values()
            .filter(|row| !is_project_file(LANGUAGES, &row.path));
        rows.filter_map(|row| Some((RepoPath::new(&row.path).ok()?, row)))
    }

    /// Returns the extended project files that were created, deleted, or changed in size or time.
    pub fn changed_extended(&self, workspace: &Workspace) -> impl Iterator<Item = RepoPath> {
        let differs = |(path, row): &(RepoPath, &InputRow)| {
            extended_at(workspace, path) != Ok((row.size, row.stamp, row.hash == NOT_THERE))
        };
        self.extended()
            .filter(move |known| differs(known))
            .map(|(path, _)| path)
    }

    /// Returns the rows of unchanged sources with their new sizes and times.
    pub fn touched<'a>(&self, sources: impl IntoIterator<Item = &'a SourceFile>) -> Vec<FileRow> {
        let stale = sources
            .into_iter()
            .filter_map(|source| Some((source, self.files.get(source.path.as_str())?)));
        let touched =
            stale.filter(|(source, row)| (row.size, row.stamp) != (source.size, source.stamp));
        touched
            .map(|(source, row)| FileRow {
                size: source.size,
                stamp: source.stamp,
                ..row.clone()
            })
            .collect()
    }

    /// Adds the rows of files, replacing older rows.
    pub fn add_files(&mut self, rows: Vec<FileRow>) {
        self.files
            .extend(rows.into_iter().map(|row| (row.path.clone(), row)));
    }

    /// Replaces the project files.
    pub fn set_inputs(&mut self, inputs: Vec<InputRow>) {
        self.inputs = inputs
            .into_iter()
            .map(|input| (input.path.clone(), input))
            .collect();
    }

    /// Returns the row of a package file.
    pub fn package(&self, path: &str) -> Option<&PackageRow> {
        let at = self
            .packages
            .binary_search_by(|row| row.path.as_str().cmp(path))
            .ok()?;
        Some(&self.packages[at])
    }
}
