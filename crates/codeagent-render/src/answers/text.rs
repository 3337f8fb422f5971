//! `search_text`: lines that match a pattern, each with the symbol or callback around it.

use codeagent_core::engine::IndexReader;
use codeagent_core::query::{FoundText, Occurrences, TextSearchQuery, search_text};

use super::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of changed files that are named.
const MAX_NAMED: usize = 5;

/// Answers a text search.
pub fn text(index: &IndexReader, query: &TextSearchQuery<'_>) -> Result<Document, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let found = search_text(&mut Occurrences::new(&mut sources), query)?;

    let mut document = Document::default();
    document.line(headline(query, &found));
    if found.timed_out {
        document.note("the search timed out, so files are missing; pass a path");
    }
    if let Some(changed) = changed_text(&found.changed) {
        document.note(changed);
    }
    let left = found.count.saturating_sub(found.shown() as u64);
    if left > 0 {
        document.note(format!(
            "{left} more lines match; pass a path or a longer pattern"
        ));
    }
    if found.count == 0 {
        document.note(advice(query));
    }

    let FoundText {
        code,
        tests,
        others,
        parts,
        ..
    } = found;
    document.section(Section::occurrence_rows("code", "code", code).weighing(30));
    document.section(Section::occurrence_rows("tests", "tests", tests));
    document.section(Section::occurrence_rows("other", "other files", others).weighing(8));
    document.section(Section::occurrence_rows("parts", "parts of longer words", parts).weighing(5));
    Ok(document)
}

/// Formats the count of lines: `12 lines in 3 files match "documents.archive"`.
fn headline(query: &TextSearchQuery<'_>, found: &FoundText) -> String {
    let what = if query.literals { "literals on " } else { "" };
    let lines = if found.count == 1 { "line" } else { "lines" };
    let files = if found.files == 1 { "file" } else { "files" };
    format!(
        "{what}{} {lines} in {} {files} match {:?}",
        found.count, found.files, query.pattern
    )
}

/// Names the files that have changed since they were indexed, at most [`MAX_NAMED`].
fn changed_text(changed: &[String]) -> Option<String> {
    if changed.is_empty() {
        return None;
    }
    let named: Vec<&str> = changed.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = match changed.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "changed since the index was updated, so shown without names: {}{more}",
        named.join(", ")
    ))
}

/// Suggests another query if nothing matches.
fn advice(query: &TextSearchQuery<'_>) -> String {
    let mut ways = Vec::new();
    if query.literals {
        ways.push("without `literals`");
    }

    if query.path.is_some() {
        ways.push("without `path`");
    }

    if !query.ignore_case {
        ways.push("with `ignore_case`");
    }

    if !query.is_regex && query.pattern.contains(['*', '|', '\\', '[', '(']) {
        ways.push("with `regex`");
    }

    match ways.as_slice() {
        [] => "no matches; ignored and binary files are not searched".to_owned(),
        ways => format!("no matches; try {}", ways.join(" or ")),
    }
}
