//! Which lines of which files match a pattern? Folders are walked and files searched in parallel by
//! the libraries that ripgrep is made of; each file is opened as every other is (`sandbox`), so a
//! link that appears in between leads nowhere.
//!
//! Without `perl` a pattern has no look-around and no back-references, and takes time that grows
//! with the text only; with it `perl` bounds the time.
//!
//! **Limits.** Of a line at most `line_bytes` are kept; what follows a line of more than 64 MiB is
//! not searched, and no longer file over several lines. Folders that are exchanged for links during
//! the walk can make a file be missed, never one outside be read. Rules of ignore files are bounded
//! (`ignored`); a repository in the repository has those of the outer one too.

mod files;
mod perl;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch,
};
use perl::PerlMatcher;

use crate::path::RepoPath;
use crate::read::ReadError;

/// Largest compiled form of a pattern, in bytes; a pattern that needs more is refused.
const MAX_COMPILED: usize = 2 << 20;

/// Most memory that a search of one thread sets aside for a pattern, in bytes.
const MAX_CACHE: usize = 64 << 20;

/// Most memory that a search of one thread sets aside for a line, or for a file whose lines are
/// searched together, in bytes.
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
    /// It is a regular expression of PCRE2.
    pub perl: bool,
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
    /// Links that lead to files and folders inside the root are followed, if no rule leaves out
    /// what they lead to. Each file is searched once.
    pub follow_links: bool,
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
        // A pattern may hold a NUL only where lines do not end a match.
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
    /// Of the engine that takes time that grows with the text only.
    Regex(RegexMatcher),
    /// Of PCRE2, with what it could not do.
    Perl(PerlMatcher, RefCell<Option<String>>),
}

impl AnyMatcher {
    /// Returns what the pattern could not do since this was last asked.
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

/// Collects the hits of one file.
struct Collector<'q> {
    query: &'q TextQuery,
    matcher: &'q AnyMatcher,
    hits: Vec<Hit>,
    /// The last lines that were seen.
    window: VecDeque<(u64, String)>,
    count: u64,
}

impl Collector<'_> {
    /// A line that may follow hits.
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

    /// Where the text that matches lies in the lines that were found.
    fn span(&self, found: &SinkMatch<'_>) -> Result<Option<Match>, String> {
        if !(self.query.perl && self.query.multi_line) {
            return self.matcher.find(found.bytes());
        }
        // What a pattern looks ahead to may lie behind these lines.
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
        Self {
            most,
            kept: Mutex::default(),
            total: AtomicU64::new(0),
        }
    }

    /// Takes the hits of a file.
    pub fn take(&self, found: FileHits) {
        self.total.fetch_add(found.count, Ordering::Relaxed);
        let mut kept = self
            .kept
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (files, count) = &mut *kept;
        *count += found.hits.len();
        files.insert(found.path.clone(), found);
        // Files behind the last one that counts are let go.
        while let Some(last) = files
            .last_entry()
            .filter(|last| *count - last.get().hits.len() >= self.most)
        {
            *count -= last.get().hits.len();
            last.remove();
        }
    }

    /// What was kept, by path, and how many hits there were in all.
    #[must_use]
    pub fn finish(self) -> (Vec<FileHits>, u64) {
        let (files, _) = self
            .kept
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        (files.into_values().collect(), self.total.into_inner())
    }
}

/// Whether lines match a pattern.
pub fn line_matcher(
    query: &TextQuery,
) -> Result<impl Fn(&str) -> bool + Clone + use<>, SearchError> {
    let matcher = query.matcher()?;
    Ok(move |line: &str| matcher.is_match(line.as_bytes()).unwrap_or_default())
}

/// Longest glob, in bytes.
const MAX_GLOB: usize = 1_000;

/// Whether paths match a glob, `*` not across `/`; the reason if it cannot be read.
pub fn path_glob(
    pattern: &str,
) -> Result<impl Fn(&str) -> bool + Send + Sync + Clone + use<>, String> {
    if pattern.len() > MAX_GLOB {
        return Err(format!("it has more than {MAX_GLOB} bytes"));
    }
    let glob = globset::GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| error.to_string())?;
    // A set says that a glob is too much for it; a single one would panic.
    let set = globset::GlobSetBuilder::new()
        .add(glob)
        .build()
        .map_err(|error| error.to_string())?;
    Ok(move |path: &str| set.is_match(path))
}

#[cfg(test)]
mod tests;
