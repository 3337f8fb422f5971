//! The documents that the editor has open.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use codeagent_workspace::{ReadError, RepoPath, Stamp, Workspace};
use lsp_types::TextDocumentContentChangeEvent;

use crate::file_text::FileText;
use crate::positions::{Encoding, Lines};

/// The open documents by path. Clones share the documents.
pub type Documents = BTreeMap<PathBuf, Arc<Document>>;

/// A document's text at one moment.
#[derive(Debug)]
pub struct Document {
    file: Arc<FileText>,
    /// The state of the file on disk that the text was last compared with, and the result.
    compared: Mutex<Option<Compared>>,
}

#[derive(Clone, Copy, Debug)]
struct Compared {
    size: u64,
    stamp: Stamp,
    differs: bool,
}

impl Document {
    /// Creates a document with a text.
    pub fn new(text: &str) -> Self {
        Self {
            file: Arc::new(FileText::new(Arc::from(text))),
            compared: Mutex::default(),
        }
    }

    pub fn text(&self) -> &Arc<str> {
        self.file.lines().text()
    }

    pub fn file(&self) -> &Arc<FileText> {
        &self.file
    }

    /// Returns the document after the client's changes, in order.
    pub fn changed(&self, changes: &[TextDocumentContentChangeEvent], encoding: Encoding) -> Self {
        let mut text = self.text().to_string();
        for change in changes {
            let Some(range) = change.range else {
                text.clone_from(&change.text);
                continue;
            };
            let lines = Lines::new(Arc::from(text.as_str()));
            let start = lines.offset(range.start, encoding);
            let end = lines.offset(range.end, encoding).max(start);
            text.replace_range(start..end, &change.text);
        }
        Self::new(&text)
    }

    /// Reports whether the text differs from the file. A file that does not exist or cannot be
    /// indexed has no text to differ from.
    pub fn differs(&self, workspace: &Workspace, path: &RepoPath) -> bool {
        let Ok(entry) = workspace.stat(path) else {
            return false;
        };
        let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *compared
            && (known.size, known.stamp) == (entry.size, entry.stamp)
        {
            return known.differs;
        }

        let differs = match workspace.read(path) {
            Ok(file) => *file.text != **self.text(),
            Err(ReadError::TooLarge { .. } | ReadError::NotFound(_)) => false,
            Err(_) => return false,
        };
        *compared = Some(Compared {
            size: entry.size,
            stamp: entry.stamp,
            differs,
        });
        differs
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};

    use super::*;

    fn change(range: Option<[u32; 4]>, text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range: range.map(|[a, b, c, d]| Range::new(Position::new(a, b), Position::new(c, d))),
            range_length: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn changes_apply_in_order() {
        let document = Document::new("one\ntwo\n");
        let changes = [
            change(Some([0, 0, 0, 3]), "𐐀1"),
            change(Some([0, 2, 0, 3]), "2"),
            change(Some([1, 0, 2, 0]), ""),
        ];
        let changed = document.changed(&changes, Encoding::Utf16);
        assert_eq!(&**changed.text(), "𐐀2\n");
        let whole = changed.changed(&[change(None, "all")], Encoding::Utf16);
        assert_eq!(&**whole.text(), "all");
    }

    #[test]
    fn a_range_that_is_out_of_order_or_outside_is_clamped() {
        let document = Document::new("ab");
        let changes = [
            change(Some([0, 2, 0, 1]), "c"),
            change(Some([9, 9, 9, 9]), "d"),
        ];
        let changed = document.changed(&changes, Encoding::Utf8);
        assert_eq!(&**changed.text(), "abcd");
    }
}
