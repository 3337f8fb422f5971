//! Which lines of which files match a pattern? Folders are walked and files searched in parallel by the libraries that ripgrep is made of; each
//! file is opened as every other is (`sandbox`), so a link that appears in between leads nowhere.
//!
//! **Limits.** No look-around and no back-references: the engine takes time that grows with the text only. Of a line at most `line_bytes` are
//! kept; what follows a line of more than 64 MiB is not searched, and no longer file over several lines. Folders that are exchanged for links
//! during the walk can make a file be missed, never one outside be read. Rules of ignore files are bounded (`ignored`); a repository in the
//! repository has those of the outer one too.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::Workspace;
use crate::ignored::Searched;
use crate::path::{RepoPath, is_hidden_name};
use crate::read::ReadError;
use crate::threads;

/// Largest compiled form of a pattern, in bytes; a pattern that needs more is refused.
const MAX_COMPILED: usize = 2 << 20;

/// Most memory that a search of one thread sets aside for a pattern, in bytes.
const MAX_CACHE: usize = 64 << 20;

/// Most memory that a search of one thread sets aside for a line, or for a file whose lines are searched together, in bytes.
const MAX_LINE: usize = 64 << 20;

/// Deepest nesting of a pattern.
const MAX_NESTING: u32 = 100;

/// How upper and lower case are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// They are.
    #[default]
    Sensitive,
    /// They are not.
    Insensitive,
    /// They are if the pattern holds an upper-case letter.
    Smart,
}

/// What to do with files that hold NUL bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binary {
    /// Pass them over.
    #[default]
    Skip,
    /// Search them up to the first NUL after a match.
    Detect,
    /// Search them as texts.
    Text,
}

/// What is looked for in a text.
#[derive(Clone, Debug, Default)]
pub struct TextQuery {
    /// The pattern.
    pub pattern: String,
    /// It is a text, not a regular expression.
    pub is_literal: bool,
    /// Upper and lower case.
    pub case: Case,
    /// Whole words only.
    pub whole_word: bool,
    /// Whole lines only.
    pub whole_line: bool,
    /// Lines that do not match.
    pub invert: bool,
    /// A match may span lines.
    pub multi_line: bool,
    /// `.` matches line ends; with `multi_line`.
    pub dot_all: bool,
    /// Character classes are those of ASCII.
    pub ascii: bool,
    /// Lines shown before and after a match.
    pub context: (usize, usize),
    /// Every occurrence in a line counts, not every line.
    pub count_occurrences: bool,
    /// Files with NUL bytes.
    pub binary: Binary,
    /// Label of the encoding; that of the byte order mark or UTF-8 if absent.
    pub encoding: Option<String>,
    /// Most matches kept of one file; all are counted.
    pub keep: usize,
    /// Most bytes kept of a line.
    pub line_bytes: usize,
    /// Files without a match are told too, with no hits.
    pub misses: bool,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set to give up as if it were late.
    pub cancel: Arc<AtomicBool>,
}

/// Which files are searched.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The folder, or one file.
    pub at: RepoPath,
    /// What ignore files say is left out, as ripgrep reads them.
    pub respects_ignore: bool,
    /// Names that begin with a dot too.
    pub hidden: bool,
    /// Globs of files: one of them must match.
    pub include: Vec<String>,
    /// Globs of files that are left out.
    pub exclude: Vec<String>,
    /// A type of file as ripgrep names them.
    pub file_type: Option<String>,
    /// 0: as many as there are processors.
    pub threads: usize,
}

/// One match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// Line, from 1.
    pub line: u64,
    /// Column of its beginning, in bytes from 1; 1 with `invert`.
    pub column: usize,
    /// Where the matching text begins in the file, in bytes.
    pub offset: u64,
    /// Number of bytes that match.
    pub length: usize,
    /// The line, or lines, without the last line end.
    pub text: String,
    /// Lines before it.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
}

/// The matches of one file.
#[derive(Clone, Debug)]
pub struct FileHits {
    /// Which.
    pub path: RepoPath,
    /// The first ones.
    pub hits: Vec<Hit>,
    /// How many there are.
    pub count: u64,
}

/// What a search looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// It was cut short, by the deadline or by who asked.
    pub timed_out: bool,
}

/// A search that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The pattern cannot be read, or would cost too much.
    #[error("the pattern cannot be used: {0}")]
    Pattern(String),
    /// A glob or type cannot be read.
    #[error("the filter cannot be used: {0}")]
    Filter(String),
    /// The place cannot be searched.
    #[error(transparent)]
    Path(#[from] ReadError),
}

impl Workspace {
    /// Searches files in parallel. `take` gets the hits of every file that has some, from several threads and in any order; `wanted` says which
    /// folders and files to look at.
    pub fn search_text(
        &self,
        files: &Files,
        query: &TextQuery,
        wanted: impl Fn(&RepoPath, bool) -> bool + Send + Sync + Clone + 'static,
        take: &(dyn Fn(FileHits) + Sync),
    ) -> Result<SearchStats, SearchError> {
        let matcher = query.matcher()?;
        let searcher = query.searcher()?;
        let mut walk = self.walk_of(files, wanted)?;
        let (count, bytes, late) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        threads::walk(&mut walk, files.threads, || {
            let (matcher, mut searcher) = (matcher.clone(), searcher.clone());
            let (count, bytes, late) = (&count, &bytes, &late);
            Box::new(move |entry| {
                if query.is_late() {
                    late.store(true, Ordering::Relaxed);
                    return ControlFlow::Break(());
                }
                let Some(path) = entry.ok().and_then(|entry| self.searchable(&entry)) else { return ControlFlow::Continue(()) };
                let Ok(file) = self.open_file(&path) else { return ControlFlow::Continue(()) };
                let Some(size) = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len()) else {
                    return ControlFlow::Continue(());
                };
                count.fetch_add(1, Ordering::Relaxed);
                bytes.fetch_add(size, Ordering::Relaxed);
                let mut collector = Collector { query, matcher: &matcher, hits: Vec::new(), window: VecDeque::new(), count: 0 };
                // A file that cannot be read on has the hits found so far.
                searcher.search_file(&matcher, &file, &mut collector).ok();
                late.fetch_or(query.is_late(), Ordering::Relaxed);
                if collector.count > 0 || query.misses {
                    take(FileHits { path, hits: collector.hits, count: collector.count });
                }
                ControlFlow::Continue(())
            })
        });
        Ok(SearchStats { files: count.into_inner(), bytes: bytes.into_inner(), timed_out: late.into_inner() })
    }

    fn walk_of(&self, files: &Files, wanted: impl Fn(&RepoPath, bool) -> bool + Send + Sync + 'static) -> Result<WalkBuilder, SearchError> {
        let filter = |error: ignore::Error| SearchError::Filter(error.to_string());
        self.must_be_there()?;
        self.stat(&files.at)?;
        let at = self.root().join(self.real_path(&files.at)?.as_str());
        // The root would end in a slash, and rules are looked up by the bytes of paths.
        let at = at.components().as_path();
        let mut builder = WalkBuilder::new(at);
        // The library would open whatever is called `.gitignore`: a pipe, a device, a file outside.
        builder.standard_filters(false).follow_links(false);
        let mut globs = OverrideBuilder::new(at);
        for glob in &files.include {
            globs.add(glob).map_err(filter)?;
        }
        for glob in &files.exclude {
            globs.add(&format!("!{glob}")).map_err(filter)?;
        }
        let types = match &files.file_type {
            Some(name) => TypesBuilder::new().add_defaults().select(name).build().map_err(filter)?,
            None => Types::empty(),
        };
        let rules = files.respects_ignore.then(|| Searched::new(self.root(), at));
        let selection = Selection { globs: globs.build().map_err(filter)?, rules, types, hidden: files.hidden };
        let root = self.root().to_owned();
        builder.filter_entry(move |entry| {
            let Some(path) = inside(&root, entry.path()) else { return entry.depth() == 0 };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0
                || (!is_hidden_name(path.file_name()) && selection.takes(entry.path(), is_folder) && wanted(&path, is_folder))
        });
        Ok(builder)
    }

    /// The path of a walked file.
    fn searchable(&self, entry: &DirEntry) -> Option<RepoPath> {
        entry.file_type().filter(std::fs::FileType::is_file)?;
        inside(self.root(), entry.path())
    }
}

/// What is searched of what is walked, as ripgrep decides it: globs first, then ignore files, then types, then the dot of a name.
struct Selection {
    globs: Override,
    rules: Option<Searched>,
    types: Types,
    hidden: bool,
}

impl Selection {
    fn takes(&self, path: &Path, is_folder: bool) -> bool {
        let by_glob = self.globs.matched(path, is_folder);
        if !by_glob.is_none() {
            return by_glob.is_whitelist();
        }
        let by_rules = self.rules.as_ref().and_then(|rules| rules.said(path, is_folder));
        let by_type = self.types.matched(path, is_folder);
        if by_rules == Some(true) || by_type.is_ignore() {
            return false;
        }
        let is_named = by_rules.is_some() || by_type.is_whitelist();
        is_named || self.hidden || !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    }
}

fn inside(root: &Path, path: &Path) -> Option<RepoPath> {
    let below = path.strip_prefix(root).ok()?;
    // Nearly every walked path is in the normal form; to take it apart would cost as much as opening the file.
    below.to_str().and_then(|text| RepoPath::new(text).ok()).or_else(|| RepoPath::from_relative(below).ok())
}

impl TextQuery {
    fn is_late(&self) -> bool {
        self.cancel.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn matcher(&self) -> Result<RegexMatcher, SearchError> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(self.is_literal)
            .case_insensitive(self.case == Case::Insensitive)
            .case_smart(self.case == Case::Smart)
            .word(self.whole_word)
            .whole_line(self.whole_line)
            .unicode(!self.ascii)
            .multi_line(true)
            .dot_matches_new_line(self.multi_line && self.dot_all)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_CACHE)
            .nest_limit(MAX_NESTING);
        if !self.multi_line {
            builder.line_terminator(Some(b'\n')).ban_byte(Some(0));
        }
        let built = builder.build(&self.pattern);
        // A pattern may hold a NUL only where lines do not end a match.
        let built = built.or_else(|error| if self.multi_line { Err(error) } else { builder.ban_byte(None).build(&self.pattern) });
        built.map_err(|error| SearchError::Pattern(error.to_string()))
    }

    fn searcher(&self) -> Result<Searcher, SearchError> {
        let mut builder = SearcherBuilder::new();
        builder
            .line_number(true)
            .invert_match(self.invert)
            .multi_line(self.multi_line)
            .heap_limit(Some(MAX_LINE))
            .before_context(self.context.0)
            .after_context(self.context.1)
            .binary_detection(match self.binary {
                Binary::Skip => BinaryDetection::quit(0),
                Binary::Detect => BinaryDetection::convert(0),
                Binary::Text => BinaryDetection::none(),
            });
        match self.encoding.as_deref() {
            None | Some("auto") => {}
            Some("none") => _ = builder.bom_sniffing(false),
            Some(label) => {
                let encoding = Encoding::new(label).map_err(|error| SearchError::Filter(error.to_string()))?;
                builder.encoding(Some(encoding));
            }
        }
        Ok(builder.build())
    }
}

/// Collects the hits of one file.
struct Collector<'q> {
    query: &'q TextQuery,
    matcher: &'q RegexMatcher,
    hits: Vec<Hit>,
    /// The last lines that were seen.
    window: VecDeque<(u64, String)>,
    count: u64,
}

impl Collector<'_> {
    /// A line that may follow hits.
    fn seen(&mut self, line: u64, text: &str) {
        let after = self.query.context.1 as u64;
        for hit in self.hits.iter_mut().rev().take_while(|hit| line <= hit.line + after) {
            hit.after.push(text.to_owned());
        }
    }

    fn line(&self, bytes: &[u8]) -> String {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(self.query.line_bytes)]).into_owned();
        // A character that was cut in two is not one.
        if bytes.len() > self.query.line_bytes && text.ends_with('\u{fffd}') {
            text.pop();
        }
        text
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let is_kept = self.hits.len() < self.query.keep;
        if self.query.count_occurrences && !self.query.invert {
            self.matcher
                .find_iter(found.bytes(), |_| {
                    self.count += 1;
                    true
                })
                .map_err(io::Error::other)?;
        } else {
            self.count += 1;
        }
        let line = found.line_number().unwrap_or_default();
        if is_kept {
            let span = if self.query.invert { None } else { self.matcher.find(found.bytes()).map_err(io::Error::other)? };
            let (start, end) = span.map_or((0, found.bytes().len()), |span| (span.start(), span.end()));
            let text = self.line(found.bytes());
            self.seen(line, &text);
            let first = line.saturating_sub(self.query.context.0 as u64);
            let before = self.window.iter().filter(|(number, _)| (first..line).contains(number)).map(|(_, text)| text.clone()).collect();
            self.window.push_back((line, text.clone()));
            let offset = found.absolute_byte_offset() + start as u64;
            self.hits.push(Hit { line, column: start + 1, offset, length: end - start, text, before, after: Vec::new() });
        } else if !self.hits.is_empty() {
            let text = self.line(found.bytes());
            self.seen(line, &text);
        }
        Ok(!self.count.is_multiple_of(1_024) || !self.query.is_late())
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        let (line, text) = (found.line_number().unwrap_or_default(), self.line(found.bytes()));
        self.seen(line, &text);
        self.window.push_back((line, text));
        if self.window.len() > self.query.context.0 {
            self.window.pop_front();
        }
        Ok(true)
    }
}

/// The hits of several files in the order of their paths, as many as are wanted.
#[derive(Debug)]
pub struct Ordered {
    most: usize,
    kept: Mutex<(BTreeMap<RepoPath, FileHits>, usize)>,
    total: AtomicU64,
}

impl Ordered {
    /// For the first `most` hits.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, kept: Mutex::default(), total: AtomicU64::new(0) }
    }

    /// Takes the hits of a file.
    pub fn take(&self, found: FileHits) {
        self.total.fetch_add(found.count, Ordering::Relaxed);
        let mut kept = self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (files, count) = &mut *kept;
        *count += found.hits.len();
        files.insert(found.path.clone(), found);
        // Files behind the last one that counts are let go.
        while let Some(last) = files.last_entry().filter(|last| *count - last.get().hits.len() >= self.most) {
            *count -= last.get().hits.len();
            last.remove();
        }
    }

    /// What was kept, by path, and how many hits there were in all.
    #[must_use]
    pub fn finish(self) -> (Vec<FileHits>, u64) {
        let (files, _) = self.kept.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        (files.into_values().collect(), self.total.into_inner())
    }
}

/// Whether lines match a pattern.
pub fn line_matcher(query: &TextQuery) -> Result<impl Fn(&str) -> bool + Clone + use<>, SearchError> {
    let matcher = query.matcher()?;
    Ok(move |line: &str| matcher.is_match(line.as_bytes()).unwrap_or_default())
}

/// Longest glob, in bytes.
const MAX_GLOB: usize = 1_000;

/// Whether paths match a glob, `*` not across `/`; the reason if it cannot be read.
pub fn path_glob(pattern: &str) -> Result<impl Fn(&str) -> bool + Send + Sync + Clone + use<>, String> {
    if pattern.len() > MAX_GLOB {
        return Err(format!("it has more than {MAX_GLOB} bytes"));
    }
    let glob = globset::GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| error.to_string())?;
    // A set says that a glob is too much for it; a single one would panic.
    let set = globset::GlobSetBuilder::new().add(glob).build().map_err(|error| error.to_string())?;
    Ok(move |path: &str| set.is_match(path))
}

#[cfg(test)]
mod tests;
