//! Test support: annotations of fixtures, assemblies, repositories on disk, pseudo-random numbers,
//! and polling.
//!
//! A fixture states its expected edges in comments below the code they belong to:
//!
//! ```text
//! // complete: calls
//! class Cart : IPriced
//! //           ^^^^^^^ implements: Shop.IPriced
//! {
//!     decimal Total() => this.Sum(Rates.Of("x"));
//!     //                      ^^^ calls: Shop.Cart.Sum (inferred)
//!     //                            ^^ todo calls: Shop.Rates.Of
//! }
//! ```
//!
//! * Carets mark the name token on the nearest line above that is not an annotation; `<-` marks the
//!   column at which its comment starts.
//! * The verb is the name of an edge type. The target is a qualified name, or `-` for "no edge of
//!   this type here".
//! * A confidence may follow in parentheses; without one the caller's default holds.
//! * `todo` marks a known gap: the expectation must *not* hold yet.
//! * `complete: calls` says that every edge of that type in the file is stated.
//! * In JSX the comment is `{/* ^^^ calls: x */}`; `/* .. */` and `//` work everywhere else.
//!
//! The crate depends on no other crate of this workspace: the caller passes the vocabulary.
//!
//! Limitations: an annotation must be on its own line. Annotations inside string literals are not
//! told apart from others.

pub mod assembly;
pub mod files;
pub mod poll;
pub mod random;

use std::fmt;

/// The vocabulary of annotations.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// Names of the edge types.
    pub verbs: &'a [&'a str],
    /// Names of the levels of confidence.
    pub confidences: &'a [&'a str],
}

/// The expectations of one annotated file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// In text order.
    pub annotations: Vec<Annotation>,
    /// Verbs for which the file states every edge.
    pub complete: Vec<String>,
}

/// One expected edge, or its absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// 1-based line of the annotation itself.
    pub written_at: u32,
    /// 1-based line of the annotated code.
    pub line: u32,
    /// 1-based UTF-16 column where the marked token starts.
    pub column: u32,
    /// Column just past the marked token.
    pub end_column: u32,
    /// Name of the edge type.
    pub verb: String,
    /// Qualified name of the target; `None` for "no edge".
    pub target: Option<String>,
    /// Expected confidence, if stated.
    pub confidence: Option<String>,
    /// Marks a known gap: the expectation must not hold yet.
    pub todo: bool,
}

/// A malformed annotation, or one that marks no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// 1-based line of the annotation.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Parses the annotations of a file.
///
/// # Errors
/// Returns all problems, not only the first.
pub fn parse(text: &str, words: Words<'_>) -> Result<Expectations, Vec<Problem>> {
    let mut found = Expectations::default();
    let mut problems = Vec::new();
    let mut code: Option<(u32, &str)> = None;

    for (number, line) in (1u32..).zip(text.lines()) {
        let outcome = match read_line(line, words) {
            Line::Code => {
                code = Some((number, line));
                continue;
            }
            Line::Complete(verbs) => add_complete(&mut found, &verbs, words),
            Line::Misplaced(message) => Err(message),
            Line::Mark(mark, rest) => annotation(code, number, mark, rest, words)
                .map(|annotation| found.annotations.push(annotation)),
        };

        if let Err(message) = outcome {
            problems.push(Problem {
                line: number,
                message,
            });
        }
    }

    if problems.is_empty() {
        Ok(found)
    } else {
        Err(problems)
    }
}

/// A line of a fixture, by kind.
enum Line<'a> {
    Code,
    Complete(Vec<&'a str>),
    Mark(Mark, &'a str),
    Misplaced(String),
}

/// The marked columns, 0-based and half-open.
#[derive(Clone, Copy)]
struct Mark {
    start: usize,
    end: usize,
    /// Whether only the start of the token is marked.
    is_arrow: bool,
}

fn read_line<'a>(line: &'a str, words: Words<'_>) -> Line<'a> {
    let Some((comment_column, content)) = comment(line) else {
        return Line::Code;
    };

    let body = content.trim_start();
    let column = line.len() - content.len() + (content.len() - body.len());

    if let Some(verbs) = body.strip_prefix("complete:") {
        return Line::Complete(verbs.split(',').map(str::trim).collect());
    }

    if let Some(rest) = body.strip_prefix("<-") {
        return Line::Mark(
            Mark {
                start: comment_column,
                end: comment_column + 1,
                is_arrow: true,
            },
            strip_close(rest),
        );
    }

    let carets = body.len() - body.trim_start_matches('^').len();
    if carets > 0 {
        return Line::Mark(
            Mark {
                start: column,
                end: column + carets,
                is_arrow: false,
            },
            strip_close(&body[carets..]),
        );
    }

    let first = body.strip_prefix("todo ").unwrap_or(body);
    match first.split_once(": ") {
        Some((verb, _)) if words.verbs.contains(&verb) => {
            Line::Misplaced(format!("`{verb}:` without carets or `<-` points nowhere"))
        }
        _ => Line::Code,
    }
}

/// Returns the column and content of a line's comment if the line has nothing else.
fn comment(line: &str) -> Option<(usize, &str)> {
    let trimmed = line.trim_start();
    let column = line.len() - trimmed.len();
    let content = ["{/*", "/*", "//"]
        .iter()
        .find_map(|opener| trimmed.strip_prefix(opener))?;
    Some((column, content.trim_start_matches('/')))
}

fn strip_close(rest: &str) -> &str {
    let rest = rest.trim_end();
    rest.strip_suffix("*/}")
        .or_else(|| rest.strip_suffix("*/"))
        .unwrap_or(rest)
        .trim()
}

fn add_complete(found: &mut Expectations, verbs: &[&str], words: Words<'_>) -> Result<(), String> {
    for verb in verbs {
        let verb = strip_close(verb);
        known(verb, words.verbs, "edge type")?;
        found.complete.push(verb.to_owned());
    }
    Ok(())
}

fn annotation(
    code: Option<(u32, &str)>,
    written_at: u32,
    mark: Mark,
    rest: &str,
    words: Words<'_>,
) -> Result<Annotation, String> {
    let (line, text) = code.ok_or("there is no code above")?;

    let width: usize = text.chars().map(char::len_utf16).sum();
    if mark.end > width {
        return Err(format!(
            "points at columns {}-{} of line {line}, which has {width}",
            mark.start + 1,
            mark.end
        ));
    }

    check_token(text, mark, line)?;
    let (todo, rest) = match rest.strip_prefix("todo ") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest),
    };

    let (verb, target) = rest
        .split_once(':')
        .ok_or_else(|| format!("expected `verb: target`, found {rest:?}"))?;

    known(verb, words.verbs, "edge type")?;
    let (target, confidence) = split_confidence(target.trim(), words)?;
    if target.is_empty() {
        return Err(format!("`{verb}:` has no target; write `-` for none"));
    }

    let target = (target != "-").then(|| target.to_owned());
    if target.is_none() && confidence.is_some() {
        return Err("no edge has no confidence".to_owned());
    }

    let (column, end_column) = (mark.start as u32 + 1, mark.end as u32 + 1);
    Ok(Annotation {
        written_at,
        line,
        column,
        end_column,
        verb: verb.to_owned(),
        target,
        confidence,
        todo,
    })
}

/// Checks that carets mark a whole token: a misplaced mark would look like a missing edge.
fn check_token(text: &str, mark: Mark, line: u32) -> Result<(), String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let marked = String::from_utf16_lossy(&units[mark.start..mark.end]);

    let is_word = |at: usize| {
        units
            .get(at)
            .and_then(|unit| char::from_u32((*unit).into()))
            .is_some_and(|c| c.is_alphanumeric() || c == '_')
    };
    let cuts_a_word = |at: usize| at > 0 && is_word(at - 1) && is_word(at);

    if marked.contains(char::is_whitespace)
        || cuts_a_word(mark.start)
        || (!mark.is_arrow && cuts_a_word(mark.end))
    {
        return Err(format!(
            "points at {marked:?} of line {line}, which is no token"
        ));
    }

    Ok(())
}

fn split_confidence<'a>(
    target: &'a str,
    words: Words<'_>,
) -> Result<(&'a str, Option<String>), String> {
    let Some((before, word)) = target
        .strip_suffix(')')
        .and_then(|target| target.rsplit_once(" ("))
    else {
        return Ok((target, None));
    };
    known(word, words.confidences, "confidence")?;
    Ok((before.trim_end(), Some(word.to_owned())))
}

fn known(word: &str, words: &[&str], what: &str) -> Result<(), String> {
    if words.contains(&word) {
        Ok(())
    } else {
        Err(format!(
            "unknown {what} {word:?}; known are {}",
            words.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests;
