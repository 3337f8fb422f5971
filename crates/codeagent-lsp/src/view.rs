//! Snapshot of the open folders and documents that one request is answered from.
//!
//! What is at the cursor comes from the index, and from the file's own text: the index has no
//! locals (see [`crate::file_text`]). A name can be both: `a` in `const { a } = order` is a local
//! and a use of a property. So can a declaration: in `listen({ onError: () => {} })`, `onError` is a
//! function and a use of the property that the parameter's type declares.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use codeagent_core::inspect::LocalName;
use codeagent_core::model::facts::DeclKind;
use codeagent_core::query::{self, LineUse};
use codeagent_core::{
    Canceller, IndexReader, Node, NodeId, NodeSpan, NodeType, RepoPath, Snapshot, Workspace,
};
use lsp_types::{Location, Position, Range, Uri};

use crate::document::Documents;
use crate::file_text::FileText;
use crate::folder::Folder;
use crate::positions::Encoding;
use crate::requests::RequestError;
use crate::uri::{path_of, uri_of};

/// What the editor has open at one moment. Cheap to clone.
#[derive(Clone, Default)]
pub struct View {
    /// The repositories, each once.
    pub folders: Arc<Vec<Arc<Folder>>>,
    /// The open documents.
    pub documents: Arc<Documents>,
    /// How positions count characters.
    pub encoding: Encoding,
    /// Whether the client shows symbols of a document as a tree.
    pub has_symbol_trees: bool,
}

impl View {
    /// Returns the repository that contains a file, the innermost of several, and the file's path
    /// in it.
    pub fn folder_of(&self, path: &Path) -> Option<(Arc<Folder>, RepoPath)> {
        let containing = self
            .folders
            .iter()
            .filter_map(|folder| Some((folder, folder.relative(path)?)));
        let (folder, path) =
            containing.max_by_key(|(folder, _)| folder.root().components().count())?;
        Some((Arc::clone(folder), path))
    }

    /// Opens the index for a request about a document; `None` if no folder contains it.
    pub fn open(
        &self,
        uri: &Uri,
        canceller: &Canceller,
    ) -> Result<Option<(Answering<'_>, String)>, RequestError> {
        let Some((folder, path)) = path_of(uri).and_then(|path| self.folder_of(&path)) else {
            return Ok(None);
        };
        let answering = Answering::open(self, folder, canceller)?;
        Ok(Some((answering, path.to_string())))
    }
}

/// One answer: a snapshot of the index, and the texts that it reads, each once.
pub struct Answering<'v> {
    view: &'v View,
    folder: Arc<Folder>,
    workspace: Workspace,
    reader: IndexReader,
    snapshot: Snapshot,
    files: RefCell<HashMap<String, Arc<AnswerFile>>>,
}

/// A file that an answer names.
struct AnswerFile {
    uri: Option<Uri>,
    /// `None` if it cannot be read.
    text: Option<Arc<FileText>>,
}

/// What is at the cursor.
#[derive(Default)]
pub struct AtCursor {
    /// The range of the name.
    pub range: Range,
    /// The symbols declared there.
    pub declared: Vec<Node>,
    /// The uses there. That a declared symbol overrides or implements another is no use.
    pub uses: Vec<LineUse>,
    /// The local, parameter or type parameter declared or used there, if no symbol is declared.
    pub local: Option<LocalName>,
}

impl AtCursor {
    /// Returns the symbols declared or used at the cursor, each once.
    pub fn symbols(&self) -> Vec<NodeId> {
        let declared = self.declared.iter().map(|node| node.id);
        let mut symbols: Vec<NodeId> = Vec::new();
        for id in declared.chain(self.uses.iter().map(|each| each.target)) {
            if !symbols.contains(&id) {
                symbols.push(id);
            }
        }
        symbols
    }
}

impl<'v> Answering<'v> {
    /// Opens a repository's index for one answer.
    pub fn open(
        view: &'v View,
        folder: Arc<Folder>,
        canceller: &Canceller,
    ) -> Result<Self, RequestError> {
        let (reader, snapshot) = match folder.snapshot(&view.documents, canceller) {
            Err(RequestError::Damaged(reason)) => {
                folder.rebuild();
                return Err(RequestError::Damaged(reason));
            }
            other => other?,
        };

        Ok(Self {
            view,
            workspace: folder.workspace(),
            folder,
            reader,
            snapshot,
            files: RefCell::default(),
        })
    }

    /// Returns the snapshot that the answer reads.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    pub fn reader(&self) -> &IndexReader {
        &self.reader
    }

    /// Returns what the client can show.
    pub fn view(&self) -> &View {
        self.view
    }

    fn file(&self, path: &str) -> Arc<AnswerFile> {
        if let Some(known) = self.files.borrow().get(path) {
            return Arc::clone(known);
        }
        let file = Arc::new(AnswerFile {
            uri: uri_of(&self.folder.root().join(path)),
            text: self.read(path),
        });
        self.files
            .borrow_mut()
            .insert(path.to_owned(), Arc::clone(&file));
        file
    }

    /// Returns the text of a file: the open document's, or else that on disk.
    pub fn text(&self, path: &str) -> Option<Arc<FileText>> {
        self.file(path).text.clone()
    }

    fn read(&self, path: &str) -> Option<Arc<FileText>> {
        let document = [self.folder.root(), self.workspace.root()]
            .iter()
            .find_map(|root| self.view.documents.get(&root.join(path)));
        if let Some(document) = document {
            return Some(Arc::clone(document.file()));
        }
        let path = RepoPath::new(path).ok()?;
        self.folder.texts().get(&self.workspace, &path)
    }

    /// Returns the URI of a repo-relative path.
    pub fn uri(&self, path: &str) -> Result<Uri, RequestError> {
        let uri = self.file(path).uri.clone();
        uri.ok_or_else(|| RequestError::Failed(format!("{path} has no URI")))
    }

    /// Returns the location of the token at the index's line and column.
    pub fn location(&self, path: &str, line: u32, column: u32) -> Result<Location, RequestError> {
        Ok(Location::new(
            self.uri(path)?,
            self.token(path, line, column),
        ))
    }

    /// Returns the range of the token at the index's line and column.
    pub fn token(&self, path: &str, line: u32, column: u32) -> Range {
        match &self.file(path).text {
            Some(text) => text.lines().token(line, column, self.view.encoding),
            None => {
                let at = Position::new(line.saturating_sub(1), column.saturating_sub(1));
                Range::new(at, at)
            }
        }
    }

    /// Returns the range of a symbol's name. A file is named at its start.
    pub fn name_range(&self, node: &Node, span: &NodeSpan) -> Range {
        if node.node_type == NodeType::File {
            return Range::default();
        }
        self.token(&span.path, span.name_line, span.name_column)
    }

    /// Returns the range of a whole declaration.
    pub fn full_range(&self, span: &NodeSpan) -> Range {
        let Some(text) = self.text(&span.path) else {
            let first = Position::new(span.span.start.line.saturating_sub(1), 0);
            return Range::new(first, Position::new(span.span.end_line, 0));
        };
        let at = |offset: u32| text.lines().position(offset as usize, self.view.encoding);
        Range::new(at(span.span.start.offset), at(span.span.end_offset))
    }

    /// Returns the locations of a symbol's declarations.
    pub fn declarations(&self, id: NodeId) -> Result<Vec<Location>, RequestError> {
        let Some(symbol) = query::get_node(&self.snapshot, id)? else {
            return Ok(Vec::new());
        };
        let spans = symbol.node.spans.iter();
        spans
            .map(|span| {
                let range = self.name_range(&symbol.node, span);
                Ok(Location::new(self.uri(&span.path)?, range))
            })
            .collect()
    }

    /// Returns what is declared or used at a position.
    pub fn at(&self, path: &str, position: Position) -> Result<AtCursor, RequestError> {
        let cursor = self.indexed_at(path, position)?;
        if !cursor.declared.is_empty() {
            return Ok(cursor);
        }
        let Some((range, local)) = self.local_at(path, position) else {
            return Ok(cursor);
        };

        // Between two tokens, as in `prices[key]`, the one that begins there counts.
        let is_same = cursor.range == range;
        if !cursor.uses.is_empty() && !is_same && contains(cursor.range, position) {
            return Ok(cursor);
        }
        let uses = if is_same { cursor.uses } else { Vec::new() };

        // An imported name stands for what is imported.
        let local = (uses.is_empty() || local.kind != DeclKind::Import).then_some(local);
        Ok(AtCursor {
            range,
            declared: Vec::new(),
            uses,
            local,
        })
    }

    /// Returns what the index has at a position.
    fn indexed_at(&self, path: &str, position: Position) -> Result<AtCursor, RequestError> {
        let line = position.line.saturating_add(1);
        let declared = query::declared_on_line(&self.snapshot, path, line)?;
        let uses = query::uses_on_line(&self.snapshot, path, line)?;

        let names = declared
            .iter()
            .filter_map(|node| Some(node.spans.first()?.name_column));
        let mut columns: Vec<u32> = names.chain(uses.iter().map(|each| each.column)).collect();
        columns.sort_unstable();
        columns.dedup();

        let tokens = columns
            .into_iter()
            .map(|column| (column, self.token(path, line, column)));
        let Some((column, range)) = at_cursor(tokens, position) else {
            return Ok(AtCursor::default());
        };

        let is_here = |node: &Node| {
            let span = node.spans.first();
            span.is_some_and(|span| span.name_column == column)
        };
        let declared: Vec<Node> = declared.into_iter().filter(is_here).collect();
        let is_use =
            |each: &LineUse| declared.is_empty() || !query::is_hierarchical(each.edge_type);
        let uses = uses
            .into_iter()
            .filter(|each| each.column == column && is_use(each))
            .collect();
        Ok(AtCursor {
            range,
            declared,
            uses,
            local: None,
        })
    }

    /// Returns the local name at a position, with the range of its token there.
    fn local_at(&self, path: &str, position: Position) -> Option<(Range, LocalName)> {
        let text = self.text(path)?;
        let encoding = self.view.encoding;
        if text.lines().is_after_dot(position, encoding) {
            return None;
        }

        let line = position.line.saturating_add(1);
        let locals = text.locals(path);
        let tokens = locals.on_line(line).map(|(column, name)| {
            let range = text.lines().token(line, column, encoding);
            (name, range)
        });
        let (name, range) = at_cursor(tokens, position)?;
        Some((range, name.clone()))
    }
}

/// Returns the token that contains a position, or else the one that ends there.
fn at_cursor<T>(
    tokens: impl Iterator<Item = (T, Range)>,
    position: Position,
) -> Option<(T, Range)> {
    let mut ending = None;
    for (token, range) in tokens {
        if contains(range, position) {
            return Some((token, range));
        }
        if range.end == position {
            ending = Some((token, range));
        }
    }
    ending
}

fn contains(range: Range, position: Position) -> bool {
    range.start <= position && position < range.end
}
