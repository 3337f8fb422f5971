//! The difference between the disk and the index: a [`ChangeSet`].

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::project::ProjectModel;
use codeagent_workspace::Workspace;

use crate::ingest::cache::{CachedState, files_of};
use crate::ingest::context::BatchContext;
use crate::ingest::packages::{self, PackageFreshness};
use crate::ingest::packs::PackSet;
use crate::ingest::pipeline::IngestPipeline;
use crate::ingest::scan::{self, KnownFiles, Scan, SourceFile};
use crate::ingest::{ChangeBatch, FileProblem, IngestError, Phase};
use crate::languages::LANGUAGES;
use crate::store::{InputRow, PackageRow};

/// The texts of project files by path.
type InputTexts = BTreeMap<String, Arc<str>>;

pub struct ChangeSet {
    /// The files on disk, with those to compare marked.
    pub scan: Scan,
    /// Rows of the project files, or `None` if they are unchanged.
    pub inputs: Option<Vec<InputRow>>,
    /// Whether every file must be resolved again.
    pub resolve_all: bool,
    /// Whether the world stays in memory for the next edit.
    pub keep_world: bool,
    /// Start of the last full scan, in nanoseconds since 1970.
    pub scanned_at: i64,
}

/// The result of comparing the repository with the index.
pub enum Comparison {
    /// Nothing differs. Holds the paths that could not be read.
    Same(Vec<FileProblem>),
    /// Only sizes and times differ.
    Touched {
        changes: ChangeSet,
        inputs: Vec<InputRow>,
        /// Rows of the package files, if only their sizes or times differ.
        packages: Option<Vec<PackageRow>>,
    },
    /// Contents differ.
    Different {
        changes: ChangeSet,
        projects: Arc<ProjectModel>,
    },
}

impl ChangeSet {
    /// Returns the change set of edits to known files; nothing else differs.
    pub fn of_edits(sources: Vec<SourceFile>, cached: &CachedState) -> Self {
        Self {
            scan: Scan {
                sources,
                packages: cached.packages.clone(),
                ..Scan::default()
            },
            inputs: None,
            resolve_all: false,
            keep_world: true,
            scanned_at: 0,
        }
    }

    /// Compares the contents of files marked `needs_check` and clears the mark if they are
    /// unchanged.
    pub fn compare_contents(&mut self, ctx: &BatchContext<'_>) {
        let sources = &mut self.scan.sources;
        ctx.sources.apply_overlay(sources);
        ctx.install(Phase::Read, || {
            scan::compare_contents(&ctx.sources, &ctx.known, sources)
        });
        self.scanned_at = ctx.known.scanned_at;
    }

    /// Returns the files whose content differs.
    pub fn edited(&self) -> Vec<SourceFile> {
        let edited = self.scan.sources.iter().filter(|source| source.needs_check);
        edited.cloned().collect()
    }

    /// Returns the files whose content is unchanged.
    pub fn unchanged(&self) -> Vec<SourceFile> {
        let unchanged = self
            .scan
            .sources
            .iter()
            .filter(|source| !source.needs_check);
        unchanged.cloned().collect()
    }

    /// Adds all other files of the index, so that the whole world can be built.
    pub fn add_known_files(&mut self, known: &KnownFiles) {
        let named = std::mem::take(&mut self.scan.sources);
        self.scan.sources = known.sources(named.into_iter());
    }
}

impl IngestPipeline {
    /// Lists the repository and compares it with the index: by size and time, then by content where
    /// these do not suffice.
    pub(super) fn find_changes(
        &self,
        ctx: &BatchContext<'_>,
        cached: &mut CachedState,
        batch: &ChangeBatch,
    ) -> Result<Comparison, IngestError> {
        let files = files_of(&self.workspace, batch);
        let mut scan = self.scan(ctx, batch)?;
        let paths_before = std::mem::replace(&mut cached.paths, std::mem::take(&mut scan.paths));
        cached.note_unwanted(&self.workspace, batch, files);

        let is_same_engine = ctx.known.made_by == self.engine_fingerprint();
        let packages = ctx.timer.time(Phase::Walk, || {
            packages::compare(&self.workspace, &scan.packages, &ctx.known)
        });
        cached.packages.clone_from(&scan.packages);
        if is_same_engine && !scan.needs_check() && packages == PackageFreshness::Same {
            return Ok(Comparison::Same(scan.problems));
        }

        let (inputs, texts) = self.compare_contents(ctx, &mut scan, is_same_engine)?;
        let resolve_all = !is_same_engine || inputs_differ(&inputs, &ctx.known);
        let has_other_contents =
            resolve_all || scan.sources_need_check() || packages == PackageFreshness::Other;
        let mut changes = ChangeSet {
            scan,
            inputs: None,
            resolve_all,
            keep_world: self.options.keep_facts
                || cached.world.is_some()
                || !batch.changes().is_empty(),
            scanned_at: ctx.began_at,
        };

        if !has_other_contents {
            let packages = match packages {
                PackageFreshness::Touched(rows) => Some(rows),
                PackageFreshness::Same | PackageFreshness::Other => None,
            };
            return Ok(Comparison::Touched {
                changes,
                inputs,
                packages,
            });
        }

        let current = cached.world.as_ref().map(|world| &world.state.projects);
        let projects = match current.filter(|_| !resolve_all && paths_before == cached.paths) {
            Some(projects) => Arc::clone(projects),
            None => {
                let packs = self.packs();
                ctx.install(Phase::World, || {
                    projects(&self.workspace, &packs, &cached.paths, texts)
                })
            }
        };
        changes.inputs = Some(inputs);
        Ok(Comparison::Different { changes, projects })
    }

    /// Walks the repository, applies unsaved texts and announces the files to read.
    fn scan(&self, ctx: &BatchContext<'_>, batch: &ChangeBatch) -> Result<Scan, IngestError> {
        let mut scan = ctx.timer.time(Phase::Walk, || {
            scan::scan(&self.workspace, &ctx.known, batch, self.watcher.as_deref())
        });
        if scan.is_short {
            return Err(IngestError::Shortage);
        }

        ctx.sources.apply_overlay(&mut scan.sources);
        let sources = scan.sources.iter();
        let needs_check = sources.filter(|source| source.needs_check).count();
        ctx.begin(Phase::Read, needs_check + scan.removed.len());
        Ok(scan)
    }

    /// Compares the contents of marked files, or marks all of them if the index was made by another
    /// engine. Returns the rows and texts of the project files.
    fn compare_contents(
        &self,
        ctx: &BatchContext<'_>,
        scan: &mut Scan,
        is_same_engine: bool,
    ) -> Result<(Vec<InputRow>, InputTexts), IngestError> {
        if is_same_engine {
            ctx.install(Phase::Read, || {
                scan::compare_contents(&ctx.sources, &ctx.known, &mut scan.sources)
            });
        } else {
            for source in &mut scan.sources {
                source.needs_check = true;
            }
        }

        let inputs = ctx
            .timer
            .time(Phase::Read, || scan::read_inputs(&self.workspace, scan));
        if scan.is_short {
            return Err(IngestError::Shortage);
        }

        Ok(inputs)
    }
}

/// Returns the projects of the repository and its packs, including owners named in the settings.
pub fn projects(
    workspace: &Workspace,
    packs: &PackSet,
    paths: &[String],
    mut texts: InputTexts,
) -> Arc<ProjectModel> {
    texts.extend(packs.texts.clone());
    let projects = match packs.files.is_empty() {
        true => ProjectModel::build(LANGUAGES, paths, texts),
        false => ProjectModel::build(LANGUAGES, &packs.paths(paths), texts),
    };
    Arc::new(projects.with_owners(paths, |path| workspace.config().project_of(path)))
}

fn inputs_differ(inputs: &[InputRow], known: &KnownFiles) -> bool {
    inputs.len() != known.inputs.len()
        || inputs.iter().any(|input| {
            known
                .inputs
                .get(&input.path)
                .is_none_or(|row| row.hash != input.hash)
        })
}
