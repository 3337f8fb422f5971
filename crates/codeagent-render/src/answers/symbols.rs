//! Answers about symbols: details, declarations, the outline of a file.

use codeagent_core::engine::IndexReader;
use codeagent_core::query::{self, Note, QueryError, Snapshot, SymbolMatches};
use codeagent_workspace::{Entry, EntryKind, RepoPath, Workspace};

use super::{Answer, AnswerError, check_file};
use crate::extra::Extra;
use crate::page::{Page, Rows, paged};
use crate::rows::{OutlineRow, SourceSpan, SymbolDetail};

/// A query for the symbols that a name matches.
#[derive(Clone, Copy, Debug)]
pub struct SymbolQuery<'a> {
    /// A node id, a name, or a location.
    pub name: &'a str,
    /// Only symbols declared in this file, folder or glob.
    pub file: Option<&'a str>,
}

impl SymbolQuery<'_> {
    /// Resolves the name.
    pub(super) fn resolve(&self, snapshot: &Snapshot) -> Result<SymbolMatches, QueryError> {
        query::resolve_symbols(snapshot, self.name, self.file)
    }
}

/// Describes the first `limit` symbols that a name matches, and lists all of them.
pub fn details(
    index: &IndexReader,
    query: &SymbolQuery<'_>,
    limit: usize,
) -> Result<Answer<SymbolDetail>, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let matches = query.resolve(&snapshot)?;

    let mut rows = Vec::new();
    for node in matches.nodes().take(limit) {
        // A symbol of this snapshot always exists.
        rows.extend(query::get_node(&snapshot, node.id)?.map(|symbol| SymbolDetail::from(&symbol)));
        check_file(&mut sources, node)?;
    }

    let answer = Answer {
        extra: Extra::of_symbols(&matches),
        ..Answer::new(rows)
    };
    Ok(answer.with_notes(matches.note).with_stale_files(&sources))
}

/// Lists the declarations of the symbols that a name matches.
pub fn declarations(
    index: &IndexReader,
    query: &SymbolQuery<'_>,
    page: &Page<'_>,
) -> Result<Answer<SourceSpan>, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let matches = query.resolve(&snapshot)?;

    let is_one = matches.nodes().count() == 1;
    let mut spans = Vec::new();
    for node in matches.nodes() {
        let signature = node.all_parameters();
        let of = (!is_one).then(|| format!("{}{signature}", node.qualified_name));
        let declared = query::get_source(&snapshot, node.id)?;
        spans.extend(SourceSpan::all(&declared, of.as_deref()));
    }

    let list = Rows {
        count: spans.len(),
        key: |index: usize| {
            let span = &spans[index];
            (&span.file_path, span.line_start, span.line_end, index)
        },
    };
    let extra = extra_of(page, || Extra::of_symbols(&matches));
    let rows = paged(page, extra.characters(), &list, |index| {
        sources.freshness(&spans[index].file_path)?;
        Ok::<_, AnswerError>(Some(spans[index].clone()))
    })?;
    Ok(Answer::of_page(rows, extra)
        .with_notes(matches.note.filter(|_| page.is_first()))
        .with_stale_files(&sources))
}

/// Lists the symbols of a file by line, or those of a folder that are in no other.
pub fn outline(
    index: &IndexReader,
    path: &RepoPath,
    page: &Page<'_>,
) -> Result<Answer<OutlineRow>, AnswerError> {
    let snapshot = index.snapshot()?;
    let found = query::unique_file(&snapshot, path.as_str())?;
    let path = &found.map_or(Ok(path.clone()), |found| RepoPath::new(&found))?;
    let file = match query::derive_file_id(&snapshot, path.as_str()) {
        // Say first whether the file exists at all.
        Err(QueryError::NoFile(_)) => return folder_outline(index, path, page),
        other => other?,
    };
    let mut sources = index.sources(&snapshot);
    sources.freshness(path.as_str())?;

    let nodes = query::get_outline(&snapshot, file)?;
    let list = Rows {
        count: nodes.len(),
        key: |index: usize| (nodes[index].id.0, index),
    };
    let rows = paged(page, 0, &list, |index| {
        Ok::<_, AnswerError>(Some(OutlineRow::from(&nodes[index])))
    })?;

    let note = query::partial_index_note(&snapshot, path.as_str())?;
    let note = note.or_else(|| nodes.is_empty().then_some(Note::NoDeclarations));
    Ok(Answer::of_page(rows, Extra::default())
        .with_notes(note)
        .with_stale_files(&sources))
}

/// Lists the outermost symbols of each file below a folder.
fn folder_outline(
    index: &IndexReader,
    folder: &RepoPath,
    page: &Page<'_>,
) -> Result<Answer<OutlineRow>, AnswerError> {
    let snapshot = index.snapshot()?;
    let is_folder = index
        .workspace()
        .stat(folder)
        .is_ok_and(|entry| entry.kind == EntryKind::Directory);
    let below = if folder.is_root() {
        "."
    } else {
        folder.as_str()
    };
    let files = query::files_below(&snapshot, below)?;
    if !is_folder || files.is_empty() {
        return Err(why_not_indexed(index.workspace(), folder));
    }

    let mut declared = Vec::new();
    for path in files {
        let file = query::derive_file_id(&snapshot, &path)?;
        let nodes = query::outermost(query::get_outline(&snapshot, file)?);
        declared.extend(nodes.into_iter().map(|node| (path.clone(), node)));
    }
    let list = Rows {
        count: declared.len(),
        key: |at: usize| (declared[at].1.id.0, at),
    };
    let mut sources = index.sources(&snapshot);
    let rows = paged(page, 0, &list, |at| {
        let (path, node) = &declared[at];
        sources.freshness(path)?;
        Ok::<_, AnswerError>(Some(OutlineRow {
            file_path: Some(path.clone()),
            ..OutlineRow::from(node)
        }))
    })?;
    Ok(Answer::of_page(rows, Extra::default()).with_stale_files(&sources))
}

fn why_not_indexed(workspace: &Workspace, path: &RepoPath) -> AnswerError {
    match workspace.stat(path) {
        Err(error) => error.into(),
        Ok(Entry {
            kind: EntryKind::Directory,
            ..
        }) => AnswerError::NotAFile(path.clone()),
        Ok(_) => AnswerError::NotIndexed(path.clone()),
    }
}

/// Creates the extra fields, which only the first page has.
pub(super) fn extra_of(page: &Page<'_>, extra: impl FnOnce() -> Extra) -> Extra {
    if page.is_first() {
        extra()
    } else {
        Extra::default()
    }
}
