//! The walk of a search, and of the links that it follows.
//!
//! Links are not followed during the walk. They are recorded and resolved afterwards: a target
//! inside the root is walked by its own path, unless a rule excludes it or one of its parents. Each
//! file is searched once, so cycles end.
//!
//! Limitations: a match has the path by which its file was reached. If several links lead to a
//! folder, the first by name is used.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use grep_searcher::Searcher;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use ignore::{DirEntry, WalkBuilder};

use super::{AnyMatcher, Binary, Collector, FileHits, Files, SearchError, SearchStats, TextQuery};
use crate::Workspace;
use crate::ignored::{SearchRules, below};
use crate::path::{RepoPath, is_hidden_name};
use crate::threads;
use crate::walk::EntryKind;

/// Largest file that is read at once, in bytes.
const MAX_AT_ONCE: u64 = 1 << 20;

/// Byte order marks of UTF-8 and UTF-16.
const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe"];

/// A folder or file where a walk starts.
struct Start {
    /// Link-free path.
    real: RepoPath,
    /// Path by which it was reached.
    shown: RepoPath,
}

/// State shared by the walks of a search.
#[derive(Default)]
struct Progress {
    files: AtomicU64,
    bytes: AtomicU64,
    late: AtomicBool,
    /// The last error of a pattern, with the file.
    trouble: Mutex<Option<String>>,
    /// Links found so far, if links are followed.
    links: Mutex<Vec<Start>>,
    folders: Mutex<HashSet<RepoPath>>,
    searched: Mutex<HashSet<RepoPath>>,
}

fn locked<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

struct Search<'s> {
    workspace: &'s Workspace,
    files: &'s Files,
    query: &'s TextQuery,
    selection: Arc<Selection>,
    progress: Progress,
    take: &'s (dyn Fn(FileHits) + Sync),
}

impl Workspace {
    /// Searches files in parallel. `take` receives the matches of every matching file, from several
    /// threads and in any order. `wanted` decides which folders and files are visited.
    pub fn search_text(
        &self,
        files: &Files,
        query: &TextQuery,
        wanted: impl Fn(&RepoPath, bool) -> bool + Send + Sync + Clone + 'static,
        take: &(dyn Fn(FileHits) + Sync),
    ) -> Result<SearchStats, SearchError> {
        let (matcher, searcher) = (query.matcher()?, query.searcher()?);
        self.must_be_there()?;
        self.stat(&files.at)?;
        let at = self.real_path(&files.at)?;
        let selection = Arc::new(Selection::new(self.root(), &at, files)?);

        let search = Search {
            workspace: self,
            files,
            query,
            selection,
            progress: Progress::default(),
            take,
        };

        let mut starts = vec![Start {
            shown: at.clone(),
            real: at,
        }];

        while let Some(start) = starts.pop() {
            let mut walk = search.walk_of(&start, wanted.clone());
            threads::walk(&mut walk, files.threads, || {
                let matcher = matcher.clone();
                let mut reader = FileSearcher {
                    searcher: searcher.clone(),
                    buffer: Vec::new(),
                };
                let (search, start) = (&search, &start);
                Box::new(move |entry| match entry {
                    Ok(entry) => search.visit(&entry, start, &matcher, &mut reader),
                    Err(_) => ControlFlow::Continue(()),
                })
            });

            if search.progress.is_over() {
                break;
            }

            let mut links = std::mem::take(&mut *locked(&search.progress.links));
            links.sort_by(|a, b| b.shown.cmp(&a.shown));
            starts.extend(
                links
                    .into_iter()
                    .filter_map(|link| search.followed(&link, &wanted)),
            );
        }

        search.progress.finish()
    }
}

impl Progress {
    fn is_over(&self) -> bool {
        self.late.load(Ordering::Relaxed) || locked(&self.trouble).is_some()
    }

    fn finish(self) -> Result<SearchStats, SearchError> {
        let stats = SearchStats {
            files: self.files.into_inner(),
            bytes: self.bytes.into_inner(),
            timed_out: self.late.into_inner(),
        };
        match locked(&self.trouble).take() {
            // A pattern stopped by the deadline also reports an error.
            Some(trouble) if !stats.timed_out => Err(SearchError::Pattern(trouble)),
            _ => Ok(stats),
        }
    }
}

/// Searches files on one thread.
struct FileSearcher {
    searcher: Searcher,
    /// Memory for the text of a file.
    buffer: Vec<u8>,
}

impl FileSearcher {
    /// Searches a file of about this size. After a read error, the matches so far count.
    fn search(&mut self, (mut file, size): (&File, u64), collector: &mut Collector<'_>) {
        let (query, matcher) = (collector.query, collector.matcher);
        let room = size as usize + 1;
        // One call reads the text, where `Searcher` needs three.
        if size <= MAX_AT_ONCE && self.buffer.len() < room {
            self.buffer.resize(room, 0);
        }
        let at_once = self.buffer.get_mut(..room).filter(|_| size <= MAX_AT_ONCE);
        let Some(Ok(length)) = at_once.map(|buffer| file.read(buffer)) else {
            self.searcher.search_file(matcher, file, collector).ok();
            return;
        };

        let text = &self.buffer[..length];
        let may_be_binary = query.binary != Binary::Text && text.contains(&0);
        let is_whole = length < room;
        if is_whole
            && !may_be_binary
            && query.encoding.is_none()
            && !MARKS.iter().any(|mark| text.starts_with(mark))
        {
            self.searcher.search_slice(matcher, text, collector).ok();
        } else {
            let text = text.chain(file);
            self.searcher.search_reader(matcher, text, collector).ok();
        }
    }
}

impl Search<'_> {
    /// Searches a visited file.
    fn visit(
        &self,
        entry: &DirEntry,
        start: &Start,
        matcher: &AnyMatcher,
        reader: &mut FileSearcher,
    ) -> ControlFlow<()> {
        if self.query.is_late() {
            self.progress.late.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }

        let Some(real) = self.file(entry, start) else {
            return ControlFlow::Continue(());
        };

        let Ok(file) = self.workspace.open_file(&real) else {
            return ControlFlow::Continue(());
        };
        let Some(size) = file
            .metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)
            .map(|metadata| metadata.len())
        else {
            return ControlFlow::Continue(());
        };

        self.progress.files.fetch_add(1, Ordering::Relaxed);
        self.progress.bytes.fetch_add(size, Ordering::Relaxed);

        let mut collector = Collector {
            query: self.query,
            matcher,
            hits: Vec::new(),
            window: VecDeque::new(),
            count: 0,
        };

        reader.search((&file, size), &mut collector);
        self.progress
            .late
            .fetch_or(self.query.is_late(), Ordering::Relaxed);

        let Collector { hits, count, .. } = collector;
        let path = if start.real == start.shown {
            real
        } else {
            rebase(&real, &start.real, &start.shown).unwrap_or(real)
        };

        if let Some(trouble) = matcher.trouble() {
            locked(&self.progress.trouble).get_or_insert_with(|| {
                format!("{trouble} (in {path}); simplify the pattern or exclude the file")
            });
            return ControlFlow::Break(());
        }

        if count > 0 || self.query.misses {
            (self.take)(FileHits { path, hits, count });
        }

        ControlFlow::Continue(())
    }

    fn walk_of(
        &self,
        start: &Start,
        wanted: impl Fn(&RepoPath, bool) -> bool + Send + Sync + 'static,
    ) -> WalkBuilder {
        let at = self.absolute(&start.real);
        // The root would end in a slash, which breaks the lookup of rules by path.
        let mut builder = WalkBuilder::new(at.components().as_path());
        // The library would follow links, and open anything called `.gitignore`: a pipe, a device,
        // a file outside.
        builder.standard_filters(false).follow_links(false);

        let (root, selection, follows) = (
            self.workspace.root().to_owned(),
            Arc::clone(&self.selection),
            self.files.follow_links,
        );
        let (real, shown) = (start.real.clone(), start.shown.clone());

        builder.filter_entry(move |entry| {
            let Some(path) = inside(&root, entry.path()) else {
                return entry.depth() == 0;
            };
            if entry.depth() == 0 {
                return true;
            }

            if is_hidden_name(path.file_name()) {
                return false;
            }

            // For a link, its target decides.
            if follows && entry.path_is_symlink() {
                return true;
            }

            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let named = if real == shown {
                None
            } else {
                rebase(&path, &real, &shown).map(|path| root.join(path.as_str()))
            };
            selection.takes(
                entry.path(),
                named.as_deref().unwrap_or(entry.path()),
                is_folder,
            ) && wanted(&path, is_folder)
        });
        builder
    }

    /// Returns the path of a visited file that was not searched yet. Records a link if links are
    /// followed.
    fn file(&self, entry: &DirEntry, start: &Start) -> Option<RepoPath> {
        let kind = entry.file_type()?;
        if !self.files.follow_links {
            return if kind.is_file() {
                inside(self.workspace.root(), entry.path())
            } else {
                None
            };
        }

        let real = inside(self.workspace.root(), entry.path())?;

        if kind.is_symlink() {
            let shown = rebase(&real, &start.real, &start.shown)?;
            locked(&self.progress.links).push(Start { real, shown });
            return None;
        }

        let seen = if kind.is_dir() {
            &self.progress.folders
        } else {
            &self.progress.searched
        };

        let is_new = locked(seen).insert(real.clone());
        (kind.is_file() && is_new).then_some(real)
    }

    /// Returns the start of a link's walk, if its target is inside the root, not yet visited and
    /// not excluded.
    fn followed(&self, link: &Start, wanted: &impl Fn(&RepoPath, bool) -> bool) -> Option<Start> {
        let real = self.workspace.real_path(&link.real).ok()?;
        let is_folder = self.workspace.stat(&real).ok()?.kind == EntryKind::Directory;

        let is_taken = self.selection.takes(
            &self.absolute(&link.real),
            &self.absolute(&link.shown),
            is_folder,
        );

        if !is_taken || !wanted(&link.real, is_folder) || self.is_left_out(&real, is_folder, wanted)
        {
            return None;
        }

        let seen = if is_folder {
            &self.progress.folders
        } else {
            &self.progress.searched
        };

        let is_new = !locked(seen).contains(&real);
        is_new.then(|| Start {
            real,
            shown: link.shown.clone(),
        })
    }

    /// Reports whether a rule excludes an entry or one of its parents.
    fn is_left_out(
        &self,
        path: &RepoPath,
        is_folder: bool,
        wanted: &impl Fn(&RepoPath, bool) -> bool,
    ) -> bool {
        let root = self.workspace.root();
        let rules = self
            .files
            .respects_ignore
            .then(|| SearchRules::new(root, root));

        let is_ignored = |path: &RepoPath, is_folder| {
            rules
                .as_ref()
                .is_some_and(|rules| rules.decision(&self.absolute(path), is_folder) == Some(true))
        };

        let above = std::iter::successors(path.parent(), RepoPath::parent)
            .filter(|folder| !folder.is_root());
        let mut way =
            std::iter::once((path.clone(), is_folder)).chain(above.map(|folder| (folder, true)));

        way.any(|(path, is_folder)| !wanted(&path, is_folder) || is_ignored(&path, is_folder))
    }

    fn absolute(&self, path: &RepoPath) -> PathBuf {
        self.workspace.root().join(path.as_str())
    }
}

/// Moves a path from one folder to another.
fn rebase(path: &RepoPath, from: &RepoPath, to: &RepoPath) -> Option<RepoPath> {
    let below = path
        .as_str()
        .strip_prefix(from.as_str())?
        .trim_start_matches('/');
    if below.is_empty() {
        Some(to.clone())
    } else {
        to.join(below).ok()
    }
}

/// The filters of a search, in ripgrep's order: globs, ignore files, types, hidden names.
struct Selection {
    globs: Override,
    rules: Option<SearchRules>,
    types: Types,
    hidden: bool,
}

impl Selection {
    fn new(root: &Path, at: &RepoPath, files: &Files) -> Result<Self, SearchError> {
        let filter = |error: ignore::Error| SearchError::Filter(error.to_string());
        let at = root.join(at.as_str());
        let at = at.components().as_path();

        let mut globs = OverrideBuilder::new(at);
        for glob in &files.include {
            globs.add(glob).map_err(filter)?;
        }
        for glob in &files.exclude {
            globs.add(&format!("!{glob}")).map_err(filter)?;
        }

        let types = match &files.file_type {
            Some(name) => TypesBuilder::new()
                .add_defaults()
                .select(name)
                .build()
                .map_err(filter)?,
            None => Types::empty(),
        };

        let rules = files.respects_ignore.then(|| SearchRules::new(root, at));
        Ok(Self {
            globs: globs.build().map_err(filter)?,
            rules,
            types,
            hidden: files.hidden,
        })
    }

    /// Reports whether an entry is searched. Globs are matched against `shown`, the path by which
    /// it was reached.
    fn takes(&self, path: &Path, shown: &Path, is_folder: bool) -> bool {
        let by_glob = self.globs.matched(shown, is_folder);
        if !by_glob.is_none() {
            return by_glob.is_whitelist();
        }

        let by_rules = self
            .rules
            .as_ref()
            .and_then(|rules| rules.decision(path, is_folder));

        let by_type = self.types.matched(path, is_folder);
        if by_rules == Some(true) || by_type.is_ignore() {
            return false;
        }

        let is_named = by_rules.is_some() || by_type.is_whitelist();
        is_named
            || self.hidden
            || !path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    }
}

fn inside(root: &Path, path: &Path) -> Option<RepoPath> {
    let below = below(path, root).or_else(|| path.strip_prefix(root).ok())?;
    // Nearly all paths are in normal form, and normalizing would cost as much as opening the file.
    below
        .to_str()
        .and_then(|text| RepoPath::new(text).ok())
        .or_else(|| RepoPath::from_relative(below).ok())
}
