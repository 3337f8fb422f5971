//! The wording of errors, with advice on what to do next.

use codeagent_core::model::graph::{Language, NodeKind, NodeType};
use codeagent_core::query::{Instead, NotFound, QueryError, SymbolLabel};

use crate::answers::AnswerError;
use crate::face::Face;
use crate::note_text::{label_text, missing_text, no_member_text, symbol_text, unindexed_text};
use crate::rows::words;

/// Maximum projects that an error lists.
const MAX_PROJECTS: usize = 30;

/// Maximum characters of a user's text that an error repeats.
const MAX_REPEATED: usize = 60;

/// Formats an error of an answer.
#[must_use]
pub fn error_text(error: &AnswerError, face: Face) -> String {
    match error {
        AnswerError::Query(error) => query_error_text(error, face),
        AnswerError::NotAFile(path) => format!("{path} is not a file; {} shows it", face.list()),
        AnswerError::NotIndexed(path) => format!(
            "{path} is not in the index: it is not a {} file, is ignored, or is new ({})",
            Language::all_names(),
            face.update()
        ),
        AnswerError::Cursor(_)
        | AnswerError::Git(_)
        | AnswerError::Path(_)
        | AnswerError::Read(_) => error.to_string(),
    }
}

/// Formats an error of a query.
#[must_use]
pub fn query_error_text(error: &QueryError, face: Face) -> String {
    match error {
        QueryError::NoSymbol(not_found) => format!(
            "{error}{}{}",
            advice(not_found, face),
            missing_text(not_found, face)
        ),
        QueryError::Ambiguous {
            count, candidates, ..
        } => {
            let by = match face {
                Face::Tools => ", parameters, `file` or node_id",
                Face::TextTools => ", parameters or FILE:LINE",
                Face::Commands => ", parameters or --file",
            };
            let candidates = lines(candidates, *count, face);
            format!("{error}; select one by a longer name{by}:{candidates}")
        }
        QueryError::NoOverload { candidates, .. } => {
            let labels: Vec<String> = labels(candidates, face).collect();
            format!("{error}; the overloads are {}", labels.join(", "))
        }
        QueryError::NotInFile { candidates, .. } => {
            format!(
                "{error}; it is declared at:{}",
                lines(candidates, candidates.len(), face)
            )
        }
        QueryError::NoProject { projects, .. } => {
            let more = match projects.len().saturating_sub(MAX_PROJECTS) {
                0 => String::new(),
                more => format!("\nand {more} more"),
            };
            let shown = &projects[..projects.len().min(MAX_PROJECTS)];
            format!("{error}; the projects are:\n{}{more}", shown.join("\n"))
        }

        QueryError::Negated(_) => error.to_string(),
        QueryError::NoKind(kind) => format!(
            "`kind` must be one of {}, or a node_type: {}; got {}",
            words(NodeKind::NAMES).join(", "),
            words(NodeType::NAMES).join(", "),
            shortened(kind)
        ),
        QueryError::EmptySearch => {
            "`query` is empty; pass a word of the name, or a prefix such as `a*`".to_owned()
        }
        QueryError::SearchTooLong { bytes, max } => {
            format!("`query` has {bytes} bytes, more than {max}; use fewer words")
        }

        QueryError::NothingAt { .. }
        | QueryError::NoFile(_)
        | QueryError::Pattern(_)
        | QueryError::Store(_) => error.to_string(),
    }
}

fn advice(not_found: &NotFound, face: Face) -> String {
    if !not_found.unindexed.is_empty() {
        return format!("; {}", unindexed_text(not_found, face));
    }

    match &not_found.instead {
        Instead::NoMember(no_member) => format!("; {}", no_member_text(no_member, face)),
        Instead::Nearest(nearest) => match nearest.as_slice() {
            [] => format!(
                "; {} also matches parts of names; of libraries, only symbols that the repository \
                 uses are known",
                face.search()
            ),
            [name] => format!("; did you mean {name}?"),
            names => format!("; did you mean one of these?\n{}", names.join("\n")),
        },
        // Queries by name have no filters, and accept other forms of a name.
        Instead::Excluded { .. } | Instead::Closest(_) => String::new(),
    }
}

/// Labels candidates; only tools with structured answers show ids.
fn labels(candidates: &[SymbolLabel], face: Face) -> impl Iterator<Item = String> {
    candidates.iter().map(move |candidate| match face {
        Face::Tools => label_text(candidate),
        Face::TextTools | Face::Commands => symbol_text(candidate),
    })
}

/// Formats one candidate per line, and the number of the others.
fn lines(candidates: &[SymbolLabel], count: usize, face: Face) -> String {
    let mut lines: String = labels(candidates, face)
        .map(|label| format!("\n{label}"))
        .collect();
    let more = count.saturating_sub(candidates.len());
    if more > 0 {
        lines += &format!("\nand {more} more");
    }
    lines
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_REPEATED) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
