//! Source text of symbols and lines, and whether a file changed after it was indexed.
//!
//! Limitations: a file rewritten to the same size within one tick of the file system's clock counts
//! as unchanged, unless its lines are read.

use std::cell::OnceCell;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use codeagent_workspace::{ReadError, RepoPath, Workspace};
use rustc_hash::FxHashMap;

use crate::model::graph::{NodeId, NodeSpan};
use crate::query::text::literals::CallbackCache;
use crate::query::text::text_files::Listing;
use crate::query::{Note, QueryError, TextFiles};
use crate::store::{self, FileKey, FileRow, Snapshot, StoreError};

/// Maximum length of a shown source line, in characters.
const MAX_LINE_CHARS: usize = 200;

/// Returns all declaration sites of a symbol: the primary one, then by path and position.
pub fn get_source(snapshot: &Snapshot, id: NodeId) -> Result<Vec<NodeSpan>, QueryError> {
    Ok(store::spans_of(snapshot, id)?)
}

/// State of a file compared with the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// The file is as it was indexed.
    Current,
    /// The file has changed.
    Changed,
    /// The file no longer exists.
    Gone,
}

/// The files of one answer. Each is checked once and read at most once.
pub struct Sources<'a> {
    snapshot: &'a Snapshot,
    workspace: &'a Workspace,
    texts: Option<&'a TextFiles>,
    listing: OnceCell<(Arc<Listing>, bool)>,
    files: FxHashMap<String, LoadedSource>,
    callbacks: CallbackCache,
}

struct LoadedSource {
    freshness: SourceState,
    text: Option<Text>,
}

/// Reads a file in a language that is not indexed, such as Razor, whose text has no other state to
/// differ from.
fn read_unindexed(workspace: &Workspace, path: &str) -> LoadedSource {
    let read = RepoPath::new(path).ok().map(|path| workspace.read(&path));
    match read {
        Some(Ok(file)) => LoadedSource {
            freshness: SourceState::Current,
            text: Some(Text::new(file.text)),
        },
        _ => LoadedSource {
            freshness: SourceState::Gone,
            text: None,
        },
    }
}

/// A text with the offsets of its lines.
pub(in crate::query) struct Text {
    text: String,
    starts: Vec<usize>,
}

impl<'a> Sources<'a> {
    /// Creates an empty cache of texts.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot, workspace: &'a Workspace) -> Self {
        Self {
            snapshot,
            workspace,
            texts: None,
            listing: OnceCell::new(),
            files: FxHashMap::default(),
            callbacks: CallbackCache::default(),
        }
    }

    /// Adds the text files that are not indexed.
    #[must_use]
    pub fn with_texts(self, texts: &'a TextFiles) -> Self {
        Self {
            texts: Some(texts),
            ..self
        }
    }

    /// Returns the text files that are not indexed, if they are known, and whether the list is
    /// cached for later answers.
    pub(in crate::query) fn text_files(&self) -> Option<&(Arc<Listing>, bool)> {
        let texts = self.texts?;
        let listing = || texts.listing(self.workspace);
        Some(self.listing.get_or_init(listing))
    }

    /// Returns the snapshot that files are compared with.
    #[must_use]
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// Returns the repository.
    #[must_use]
    pub fn workspace(&self) -> &'a Workspace {
        self.workspace
    }

    /// Compares an indexed file with the disk: by size and time, and by content if only the time
    /// differs.
    pub fn freshness(&mut self, path: &str) -> Result<SourceState, StoreError> {
        if let Some(known) = self.files.get(path) {
            return Ok(known.freshness);
        }
        let source = match store::file_by_path(self.snapshot, path)? {
            Some(row) => look(self.workspace, &row),
            None => read_unindexed(self.workspace, path),
        };
        let freshness = source.freshness;
        self.files.insert(path.to_owned(), source);
        Ok(freshness)
    }

    /// Returns a trimmed line of a file; `None` if the file has changed.
    pub fn line(&mut self, path: &str, line: u32) -> Result<Option<String>, StoreError> {
        Ok(self.text(path)?.map(|text| text.line(line)))
    }

    /// Returns the label of the innermost callback that encloses a line and is inside the symbol
    /// `node`.
    pub(in crate::query) fn callback(
        &mut self,
        node: NodeId,
        site: (FileKey, &str, u32),
    ) -> Result<Option<String>, StoreError> {
        self.callbacks.label(self.snapshot, node, site)
    }

    /// Returns the lines `first` to `last` of a file, as far as it has them; `None` if the file has
    /// changed.
    pub fn lines(
        &mut self,
        path: &str,
        first: u32,
        last: u32,
    ) -> Result<Option<Vec<String>>, StoreError> {
        let text = self.text(path)?;
        Ok(text.map(|text| {
            let last = last.min(u32::try_from(text.starts.len()).unwrap_or(u32::MAX));
            let lines = (first..=last).map(|line| text.whole_line(line).trim_end());
            lines.map(str::to_owned).collect()
        }))
    }

    /// Returns the name at a line and 1-based UTF-16 column; empty if there is none, `None` if the
    /// file has changed.
    pub fn name_at(
        &mut self,
        path: &str,
        line: u32,
        column: u32,
    ) -> Result<Option<&str>, StoreError> {
        Ok(self.text(path)?.map(|text| text.name_at(line, column)))
    }

    /// Returns a line from a 1-based UTF-16 column on, `None` if the file is not as it was indexed.
    pub fn rest_of_line(
        &mut self,
        path: &str,
        line: u32,
        column: u32,
    ) -> Result<Option<&str>, StoreError> {
        Ok(self.text(path)?.map(|text| text.rest_of_line(line, column)))
    }

    /// Returns the text of a file, `None` if the file is not as it was indexed.
    pub(in crate::query) fn text(&mut self, path: &str) -> Result<Option<&Text>, StoreError> {
        if self
            .files
            .get(path)
            .is_none_or(|known| known.freshness == SourceState::Current && known.text.is_none())
        {
            let source = match store::file_by_path(self.snapshot, path)? {
                Some(row) => read(self.workspace, &row),
                None => read_unindexed(self.workspace, path),
            };
            self.files.insert(path.to_owned(), source);
        }
        Ok(self.files.get(path).and_then(|known| known.text.as_ref()))
    }

    /// Returns a note on the files of the answer that have changed; `None` if none have.
    #[must_use]
    pub fn stale_note(&self) -> Option<Note> {
        let stale = self.stale();
        if stale.is_empty() {
            return None;
        }
        let is_removed = |(_, freshness): &&(&str, SourceState)| *freshness == SourceState::Gone;
        let path = |(path, _): &(&str, SourceState)| (*path).to_owned();
        Some(Note::Stale {
            files: stale.iter().map(path).collect(),
            removed: stale.iter().filter(is_removed).map(path).collect(),
        })
    }

    /// Returns the checked files that have changed, by path.
    #[must_use]
    pub fn stale(&self) -> Vec<(&str, SourceState)> {
        let files = self
            .files
            .iter()
            .filter(|(_, source)| source.freshness != SourceState::Current);
        let mut stale: Vec<_> = files
            .map(|(path, source)| (path.as_str(), source.freshness))
            .collect();
        stale.sort_unstable_by_key(|(path, _)| *path);
        stale
    }
}

impl Text {
    pub(in crate::query) fn new(text: String) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self { text, starts }
    }

    fn line(&self, line: u32) -> String {
        self.whole_line(line)
            .trim()
            .chars()
            .take(MAX_LINE_CHARS)
            .collect()
    }

    fn whole_line(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let Some(start) = self.starts.get(index) else {
            return "";
        };
        let end = self
            .starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.text.len());
        &self.text[*start..end]
    }

    /// Returns the lines that contain a text in quotes.
    pub(in crate::query) fn lines_with_quoted(&self, text: &str) -> Vec<u32> {
        let bytes = self.text.as_bytes();
        let is_quoted = |at: &usize| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            let is_quote = before.is_some_and(|before| b"\"'`".contains(before));
            is_quote && before == bytes.get(at + text.len())
        };

        let found = memchr::memmem::find_iter(bytes, text).filter(is_quoted);
        let line = |at| self.starts.partition_point(|start| *start <= at) as u32;
        let mut lines: Vec<u32> = found.map(line).collect();
        lines.dedup();
        lines
    }

    /// Returns the line and UTF-16 column, both 0-based, of an offset.
    pub(in crate::query) fn position(&self, offset: u32) -> (u32, u32) {
        let offset = self.text.floor_char_boundary(offset as usize);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = &self.text[self.starts[line]..offset];
        let column: usize = before.chars().map(char::len_utf16).sum();
        (line as u32, column as u32)
    }

    /// Returns the text before and from a line and 1-based UTF-16 column.
    pub(in crate::query) fn split_at(&self, line: u32, column: u32) -> (&str, &str) {
        let start = self.starts.get(line.saturating_sub(1) as usize).copied();
        let start = start.unwrap_or(self.text.len());
        let passed = self.whole_line(line).len() - self.rest_of_line(line, column).len();
        self.text.split_at(start + passed)
    }

    /// Returns the whole text.
    pub(in crate::query) fn whole(&self) -> &str {
        &self.text
    }

    /// Returns the offset of the last character of a line that is no whitespace.
    pub(in crate::query) fn end_of_line(&self, line: u32) -> usize {
        let length = self.whole_line(line).trim_end().len();
        self.offset(line, 1) + length.saturating_sub(1)
    }

    /// Returns the byte range of whole lines, with the end of the last one.
    pub(in crate::query) fn span_of_lines(&self, lines: RangeInclusive<u32>) -> Range<usize> {
        let start = self.offset(*lines.start(), 1);
        start..self.offset(lines.end().saturating_add(1), 1).max(start)
    }

    /// Returns the offset of a line and 1-based UTF-16 column.
    pub(in crate::query) fn offset(&self, line: u32, column: u32) -> usize {
        self.split_at(line, column).0.len()
    }

    pub(in crate::query) fn rest_of_line(&self, line: u32, column: u32) -> &str {
        let mut rest = self.whole_line(line).chars();
        let mut left = column.saturating_sub(1) as usize;
        while left > 0
            && let Some(passed) = rest.next()
        {
            left = left.saturating_sub(passed.len_utf16());
        }
        rest.as_str()
    }

    pub(in crate::query) fn name_at(&self, line: u32, column: u32) -> &str {
        let rest = self.rest_of_line(line, column);
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '#'))
            .unwrap_or(rest.len());
        &rest[..end]
    }
}

fn look(workspace: &Workspace, row: &FileRow) -> LoadedSource {
    let entry = RepoPath::new(&row.path)
        .ok()
        .and_then(|path| workspace.stat(&path).ok());
    let freshness = match entry {
        None => SourceState::Gone,
        Some(entry) if (entry.size, entry.stamp) == (row.size, row.stamp) => SourceState::Current,
        Some(entry) if entry.size != row.size => SourceState::Changed,
        // The file was rewritten, possibly with the same content; its text may be needed anyway.
        Some(_) => return read(workspace, row),
    };
    LoadedSource {
        freshness,
        text: None,
    }
}

fn read(workspace: &Workspace, row: &FileRow) -> LoadedSource {
    let read = RepoPath::new(&row.path)
        .ok()
        .map(|path| workspace.read(&path));

    match read {
        Some(Ok(file)) if *file.hash.as_bytes() == row.hash => LoadedSource {
            freshness: SourceState::Current,
            text: Some(Text::new(file.text)),
        },
        Some(Err(ReadError::NotFound(_))) | None => LoadedSource {
            freshness: SourceState::Gone,
            text: None,
        },
        Some(_) => LoadedSource {
            freshness: SourceState::Changed,
            text: None,
        },
    }
}
