//! The tool `local_fetch_content`.
//!
//! Limitations: files over 16 MiB are not read. Minifying drops indentation, blank lines and
//! comment lines, also inside multi-line string literals; `minified: false` keeps them.

use codeagent_workspace::{Case, TextQuery, Workspace, line_matcher};
use serde_json::{Value, json};

use super::contract::Query;
use super::pages::part;
use super::{error, path, shown};
use crate::error::{ErrorKind, FileToolError};

/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// Maximum size of a file that is read without `matchString` and `charLength`, in bytes.
const LARGE_FILE_BYTES: u64 = 100 << 10;
/// Maximum number of characters in an answer without `charLength`.
const MAX_CHARS: usize = 10_000;

pub fn answer(workspace: &Workspace, query: &Query) -> Result<Value, FileToolError> {
    let at = path(workspace, query)?;
    let size = workspace.stat(&at)?.size;
    let has_length = query.number("charLength").is_some();
    let match_string = query.some_text("matchString");
    if size > LARGE_FILE_BYTES && !has_length && match_string.is_none() {
        return Ok(file_too_large(shown(&at), size));
    }

    let file = workspace.read_up_to(&at, MAX_FILE_BYTES)?;
    let mut lines: Vec<&str> = file.text.split('\n').collect();
    // No line follows the last line ending.
    lines.pop_if(|last| last.is_empty());

    let mut content = file.text.clone();
    if let Some(wanted) = match_string {
        let Some(found) = matching(query, wanted, &lines)? else {
            return Ok(nothing(query, &lines, shown(&at)));
        };
        if !has_length && found.chars().count() > MAX_CHARS {
            return Ok(pattern_too_broad(shown(&at), wanted));
        }
        content = found;
    }

    let mut hints = Vec::new();
    if query.flag("minified") {
        // The match may be in a comment, which must then be kept.
        let small = minified(at.file_name(), &content, match_string.is_some());
        if small.len() < content.len() {
            content = small;
            hints.push(
                "Minified: minified=false shows indentation, blank lines and comments".to_owned(),
            );
        }
    }

    if content.trim().is_empty() {
        let hints = ["The file is empty, or minifying removed everything"];
        return Ok(
            json!({ "status": "empty", "path": shown(&at), "totalLines": lines.len(), "hints": hints }),
        );
    }

    let length = content.chars().count();
    if !has_length && length > MAX_CHARS {
        return Ok(pagination_required(shown(&at), length));
    }

    let shown_part = part(
        &content,
        query.number("charOffset"),
        query.number("charLength"),
    );
    let pages = has_length.then(|| shown_part.to_json());
    hints.extend(has_length.then(|| shown_part.hint()));

    Ok(json!({
        "status": "hasResults",
        "path": shown(&at),
        "content": shown_part.text,
        "contentLength": shown_part.text.len(),
        "isPartial": match_string.is_some() || shown_part.text.len() < content.len(),
        "totalLines": lines.len(),
        "pagination": pages,
        "hints": hints,
    }))
}

/// Refuses a file of `size` bytes.
fn file_too_large(path: &str, size: u64) -> Value {
    let hints = vec![
        format!(
            "The file has {} KB; files larger than {} KB are not shown completely",
            size >> 10,
            LARGE_FILE_BYTES >> 10
        ),
        "Use matchString for the sections you need, or charLength for pages".to_owned(),
    ];
    error("fileTooLarge", path, hints)
}

fn pattern_too_broad(path: &str, wanted: &str) -> Value {
    let hints = vec![
        format!("The matches of {wanted:.60} exceed {MAX_CHARS} characters"),
        "Make matchString more specific, or page with charLength".to_owned(),
    ];
    error("patternTooBroad", path, hints)
}

/// Refuses a text of `length` characters.
fn pagination_required(path: &str, length: usize) -> Value {
    let hints = vec![
        format!("charLength={MAX_CHARS} gives pages; matchString gives the sections you need"),
        format!("{length} characters exceed the limit of one answer"),
    ];
    error("paginationRequired", path, hints)
}

fn nothing(query: &Query, lines: &[&str], path: &str) -> Value {
    let mut hints = vec![format!("Searched {} lines, no matches", lines.len())];
    let tip = if query.flag("matchStringIsRegex") {
        "Simplify the regular expression"
    } else {
        "Try matchStringIsRegex=true for a pattern"
    };
    hints.push(tip.to_owned());
    if query.flag("matchStringCaseSensitive") {
        hints.push("Try matchStringCaseSensitive=false".to_owned());
    }
    json!({ "status": "empty", "errorCode": "noMatches", "path": path, "totalLines": lines.len(), "hints": hints })
}

/// Returns the matching lines with their context; `None` if there are none.
fn matching(query: &Query, wanted: &str, lines: &[&str]) -> Result<Option<String>, FileToolError> {
    let pattern = TextQuery {
        pattern: wanted.to_owned(),
        is_literal: !query.flag("matchStringIsRegex"),
        case: if query.flag("matchStringCaseSensitive") {
            Case::Sensitive
        } else {
            Case::Insensitive
        },
        ..TextQuery::default()
    };
    let matches = line_matcher(&pattern).map_err(|error| {
        FileToolError::new(ErrorKind::BadPattern, format!("matchString: {error}"))
    })?;

    let around = query.number("matchStringContextLines").unwrap_or(5);
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (index, _) in lines.iter().enumerate().filter(|(_, line)| matches(line)) {
        let (start, end) = (
            index.saturating_sub(around),
            (index + around + 1).min(lines.len()),
        );
        match ranges.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => ranges.push((start, end)),
        }
    }

    Ok((!ranges.is_empty()).then(|| join_ranges(lines, &ranges)))
}

/// Joins ranges of lines, each from its first line to the one after its last, and says how many
/// lines are between them.
fn join_ranges(lines: &[&str], ranges: &[(usize, usize)]) -> String {
    let mut text = String::new();
    for (index, (start, end)) in ranges.iter().enumerate() {
        if index > 0 {
            let omitted = start - ranges[index - 1].1;
            text.push_str(&format!("\n\n... [{omitted} lines omitted] ...\n\n"));
        }
        text.push_str(&lines[*start..*end].join("\n"));
    }

    text
}

/// Extensions of languages without significant indentation.
const BRACES: &[&str] = &[
    "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "cs", "java", "c", "h", "cpp", "hpp",
    "go", "rs", "css", "scss", "less", "php", "swift", "kt",
];

/// Removes white space and, unless `keeps_comments`, comments.
pub fn minified(name: &str, text: &str, keeps_comments: bool) -> String {
    let extension = name
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension)
        .to_ascii_lowercase();
    if extension == "json"
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        return value.to_string();
    }

    let has_braces = BRACES.contains(&extension.as_str());
    let mut lines = Vec::new();
    let mut in_comment = false;

    for line in text.lines() {
        let bare = line.trim();
        if has_braces && !keeps_comments && (in_comment || bare.starts_with("/*")) {
            // Code that follows the end of a comment is kept.
            in_comment = !bare.contains("*/");
            let rest = bare.split_once("*/").map_or("", |(_, rest)| rest).trim();
            lines.extend((!rest.is_empty()).then_some(rest));
        } else if !(bare.is_empty() || has_braces && !keeps_comments && bare.starts_with("//")) {
            lines.push(if has_braces { bare } else { line.trim_end() });
        }
    }

    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minifying_never_changes_code() {
        assert_eq!(
            minified(
                "a.ts",
                "/** doc\n * of f */\nfunction f() {\n  // why\n\n  return 1; // one\n}\n",
                false
            ),
            "function f() {\nreturn 1; // one\n}"
        );

        assert_eq!(
            minified("a.py", "def f():\n\n    return 1  \n", false),
            "def f():\n    return 1"
        );
        assert_eq!(
            minified("a.json", "{\n \"b\": 1,\n \"a\": [ 2 ]\n}", false),
            "{\"b\":1,\"a\":[2]}"
        );

        assert_eq!(minified("a.ts", "/* a */ let b;", false), "let b;");
        assert_eq!(
            minified("a.ts", "  // why\n\n  f();\n", true),
            "// why\nf();"
        );
    }
}
