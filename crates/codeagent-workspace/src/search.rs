//! Text search in files, in parallel, with ripgrep's libraries. Files are opened through `sandbox`,
//! so a link that appears during the search cannot lead outside.
//!
//! Without `perl`, a pattern has neither look-around nor back-references, and takes time linear in
//! the text. With it, the `perl` module bounds the time.
//!
//! Limitations: at most `line_bytes` of a line are kept. The search of a file ends after a line
//! over 64 MiB, and a larger file is not searched across lines. Folders replaced by links during
//! the walk can hide a file, but never expose an outside one. Ignore rules are bounded (`ignored`).
//! A nested repository also follows the rules of the outer one.

mod files;
mod perl;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch,
};
use perl::PerlMatcher;

use crate::path::RepoPath;
use crate::read::ReadError;

/// Maximum size of a compiled pattern, in bytes.
const MAX_COMPILED: usize = 2 << 20;

/// Maximum memory of a pattern per thread, in bytes.
const MAX_CACHE: usize = 64 << 20;

/// Maximum size of a line, or of a file searched across lines, in bytes.
const MAX_LINE: usize = 64 << 20;

/// Maximum nesting of a pattern.
const MAX_NESTING: u32 = 100;

/// Case sensitivity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Case matters.
    #[default]
    Sensitive,
    /// Case is ignored.
    Insensitive,
    /// Case matters if the pattern contains an upper-case letter.
    Smart,
}

/// Treatment of files with NUL bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binary {
    /// Skip them.
    #[default]
    Skip,
    /// Search up to the first NUL after a match.
    Detect,
    /// Search as text.
    Text,
}

/// A text search.
#[derive(Clone, Debug, Default)]
pub struct TextQuery {
    /// The pattern.
    pub pattern: String,
    /// Whether the pattern is a literal text.
    pub is_literal: bool,
    /// Whether the pattern is a PCRE2 regular expression.
    pub perl: bool,
    /// Case sensitivity.
    pub case: Case,
    /// Whether only whole words match.
    pub whole_word: bool,
    /// Whether only whole lines match.
    pub whole_line: bool,
    /// Whether lines that do not match are reported.
    pub invert: bool,
    /// Whether a match may span lines.
    pub multi_line: bool,
    /// Whether `.` matches line endings; with `multi_line`.
    pub dot_all: bool,
    /// Whether character classes are ASCII only.
    pub ascii: bool,
    /// Numbers of lines to show before and after a match.
    pub context: (usize, usize),
    /// Whether to count every occurrence in a line instead of matching lines.
    pub count_occurrences: bool,
    /// Treatment of files with NUL bytes.
    pub binary: Binary,
    /// Label of the encoding; by default the byte order mark decides, else UTF-8.
    pub encoding: Option<String>,
    /// Maximum number of matches kept per file; all are counted.
    pub keep: usize,
    /// Maximum number of bytes kept of a line.
    pub line_bytes: usize,
    /// Whether files without a match are reported too.
    pub misses: bool,
    /// Time at which to stop.
    pub deadline: Option<Instant>,
    /// Set to stop as if the deadline had passed.
    pub cancel: Arc<AtomicBool>,
}

impl TextQuery {
    /// Sets the deadline to this number of milliseconds from now.
    #[must_use]
    pub fn within_millis(self, limit: u64) -> Self {
        Self {
            deadline: Some(Instant::now() + Duration::from_millis(limit)),
            ..self
        }
    }
}

/// The files to search.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The folder or file to search.
    pub at: RepoPath,
    /// Whether ignore files apply, as in ripgrep.
    pub respects_ignore: bool,
    /// Whether names that start with a dot are included.
    pub hidden: bool,
    /// Globs of which one must match a file.
    pub include: Vec<String>,
    /// Globs of files to exclude.
    pub exclude: Vec<String>,
    /// ripgrep's name of a file type.
    pub file_type: Option<String>,
    /// Whether to follow links to files and folders inside the root, unless a rule excludes the
    /// target. Each file is searched once.
    pub follow_links: bool,
    /// Number of threads; 0 means one per processor.
    pub threads: usize,
}

/// One match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// Line number, from 1.
    pub line: u64,
    /// Column of the match, in bytes from 1; 1 with `invert`.
    pub column: usize,
    /// Byte offset of the match in the file.
    pub offset: u64,
    /// Length of the match in bytes.
    pub length: usize,
    /// The line or lines, without the last line ending.
    pub text: String,
    /// Context lines before the match.
    pub before: Vec<String>,
    /// Context lines after the match.
    pub after: Vec<String>,
}

/// The matches of one file.
#[derive(Clone, Debug)]
pub struct FileHits {
    /// Path of the file.
    pub path: RepoPath,
    /// The first matches.
    pub hits: Vec<Hit>,
    /// Total number of matches.
    pub count: u64,
}

/// Statistics of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Number of files searched.
    pub files: u64,
    /// Number of bytes searched.
    pub bytes: u64,
    /// Whether the search stopped early, by deadline or cancellation.
    pub timed_out: bool,
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The pattern is invalid or too expensive.
    #[error("invalid pattern: {0}")]
    Pattern(String),
    /// A glob or type is invalid.
    #[error("invalid filter: {0}")]
    Filter(String),
    /// The path cannot be searched.
    #[error(transparent)]
    Path(#[from] ReadError),
}

impl TextQuery {
    fn is_late(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn matcher(&self) -> Result<AnyMatcher, SearchError> {
        if self.perl && !self.is_literal {
            return Ok(AnyMatcher::Perl(
                PerlMatcher::new(self)?,
                Default::default(),
            ));
        }

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
        // A NUL in the pattern is allowed only if it cannot be a line ending.
        let built = built.or_else(|error| {
            if self.multi_line {
                Err(error)
            } else {
                builder.ban_byte(None).build(&self.pattern)
            }
        });

        built
            .map(AnyMatcher::Regex)
            .map_err(|error| SearchError::Pattern(error.to_string()))
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
                let encoding =
                    Encoding::new(label).map_err(|error| SearchError::Filter(error.to_string()))?;
                builder.encoding(Some(encoding));
            }
        }

        Ok(builder.build())
    }
}

/// A compiled pattern.
#[derive(Clone, Debug)]
enum AnyMatcher {
    /// The linear-time engine.
    Regex(RegexMatcher),
    /// PCRE2, with its last error.
    Perl(PerlMatcher, RefCell<Option<String>>),
}

impl AnyMatcher {
    /// Takes the last error.
    fn trouble(&self) -> Option<String> {
        match self {
            Self::Regex(_) => None,
            Self::Perl(_, trouble) => trouble.take(),
        }
    }
}

impl Matcher for AnyMatcher {
    type Captures = NoCaptures;
    type Error = String;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, String> {
        match self {
            Self::Regex(matcher) => matcher
                .find_at(haystack, at)
                .map_err(|error| error.to_string()),
            Self::Perl(matcher, trouble) => matcher
                .find_at(haystack, at)
                .inspect_err(|error| *trouble.borrow_mut() = Some(error.clone())),
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, String> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, String> {
        match self {
            Self::Regex(matcher) => matcher
                .shortest_match_at(haystack, at)
                .map_err(|error| error.to_string()),
            Self::Perl(..) => Ok(self.find_at(haystack, at)?.map(|found| found.end())),
        }
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        match self {
            Self::Regex(matcher) => matcher.non_matching_bytes(),
            Self::Perl(..) => None,
        }
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        match self {
            Self::Regex(matcher) => matcher.line_terminator(),
            Self::Perl(..) => None,
        }
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, String> {
        match self {
            Self::Regex(matcher) => matcher
                .find_candidate_line(haystack)
                .map_err(|error| error.to_string()),
            Self::Perl(..) => Ok(self
                .shortest_match_at(haystack, 0)?
                .map(LineMatchKind::Confirmed)),
        }
    }
}

/// Collects the matches of one file.
struct Collector<'q> {
    query: &'q TextQuery,
    matcher: &'q AnyMatcher,
    hits: Vec<Hit>,
    /// The most recent lines.
    window: VecDeque<(u64, String)>,
    count: u64,
}

impl Collector<'_> {
    /// Records a line and adds it to the context of preceding matches.
    fn seen(&mut self, line: u64, text: &str) {
        let after = self.query.context.1 as u64;
        for hit in self
            .hits
            .iter_mut()
            .rev()
            .take_while(|hit| line <= hit.line + after)
        {
            hit.after.push(text.to_owned());
        }
    }

    /// Returns the span of a match within its lines.
    fn span(&self, found: &SinkMatch<'_>) -> Result<Option<Match>, String> {
        if !(self.query.perl && self.query.multi_line) {
            return self.matcher.find(found.bytes());
        }
        // Look-ahead may need the text after these lines.
        let lines = found.bytes_range_in_buffer();
        let span = self
            .matcher
            .find_at(found.buffer(), lines.start)?
            .filter(|span| span.start() < lines.end);
        Ok(span.map(|span| {
            Match::new(
                span.start() - lines.start,
                span.end().min(lines.end) - lines.start,
            )
        }))
    }

    fn line(&self, bytes: &[u8]) -> String {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let mut text =
            String::from_utf8_lossy(&bytes[..bytes.len().min(self.query.line_bytes)]).into_owned();
        // Drops a character that was cut in two.
        if bytes.len() > self.query.line_bytes && text.ends_with('\u{fffd}') {
            text.pop();
        }
        text
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let is_stored = self.hits.len() < self.query.keep;
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
        if is_stored {
            let span = if self.query.invert {
                None
            } else {
                self.span(found).map_err(io::Error::other)?
            };

            let (start, end) =
                span.map_or((0, found.bytes().len()), |span| (span.start(), span.end()));
            let text = self.line(found.bytes());
            self.seen(line, &text);

            let first = line.saturating_sub(self.query.context.0 as u64);
            let before = self
                .window
                .iter()
                .filter(|(number, _)| (first..line).contains(number))
                .map(|(_, text)| text.clone())
                .collect();

            self.window.push_back((line, text.clone()));
            let offset = found.absolute_byte_offset() + start as u64;
            self.hits.push(Hit {
                line,
                column: start + 1,
                offset,
                length: end - start,
                text,
                before,
                after: Vec::new(),
            });
        } else if !self.hits.is_empty() {
            let text = self.line(found.bytes());
            self.seen(line, &text);
        }

        Ok(!self.count.is_multiple_of(1_024) || !self.query.is_late())
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        let (line, text) = (
            found.line_number().unwrap_or_default(),
            self.line(found.bytes()),
        );
        self.seen(line, &text);
        self.window.push_back((line, text));
        if self.window.len() > self.query.context.0 {
            self.window.pop_front();
        }
        Ok(true)
    }
}

/// Collects the matches of several files in path order, up to a maximum.
#[derive(Debug)]
pub struct Ordered {
    most: usize,
    collected: Mutex<(BTreeMap<RepoPath, FileHits>, usize)>,
    total: AtomicU64,
}

impl Ordered {
    /// Creates a collector of the first `most` matches.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            collected: Mutex::default(),
            total: AtomicU64::new(0),
        }
    }

    /// Adds the matches of a file.
    pub fn take(&self, found: FileHits) {
        self.total.fetch_add(found.count, Ordering::Relaxed);
        let mut collected = self
            .collected
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);

        let (files, count) = &mut *collected;
        *count += found.hits.len();
        files.insert(found.path.clone(), found);

        // Drops files that are entirely behind the last match to keep.
        while let Some(last) = files
            .last_entry()
            .filter(|last| *count - last.get().hits.len() >= self.most)
        {
            *count -= last.get().hits.len();
            last.remove();
        }
    }

    /// Returns the kept matches by path, and the total number.
    #[must_use]
    pub fn finish(self) -> (Vec<FileHits>, u64) {
        let (files, _) = self
            .collected
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        (files.into_values().collect(), self.total.into_inner())
    }
}

/// Returns a predicate for lines that match a pattern.
pub fn line_matcher(
    query: &TextQuery,
) -> Result<impl Fn(&str) -> bool + Clone + use<>, SearchError> {
    let matcher = query.matcher()?;
    Ok(move |line: &str| matcher.is_match(line.as_bytes()).unwrap_or_default())
}

/// Maximum length of a glob, in bytes.
const MAX_GLOB: usize = 1_000;

/// Returns a predicate for paths that match a glob, where `*` does not cross `/`.
pub fn path_glob(
    pattern: &str,
) -> Result<impl Fn(&str) -> bool + Send + Sync + Clone + use<>, String> {
    if pattern.len() > MAX_GLOB {
        return Err(format!("more than {MAX_GLOB} bytes"));
    }
    let glob = globset::GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| error.to_string())?;
    // A set reports a glob that is too complex; a single glob would panic.
    let set = globset::GlobSetBuilder::new()
        .add(glob)
        .build()
        .map_err(|error| error.to_string())?;
    Ok(move |path: &str| set.is_match(path))
}

#[cfg(test)]
mod tests;
