//! Parses a unified diff of one file. Pure: text in, hunks out; `apply` applies them.
//!
//! Limitations: one file; no renames, copies, deletions, modes or binary diffs.

use std::iter::Peekable;

use crate::line_ends::{LineEnd, split};

/// A diff of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// Whether the source is `/dev/null`.
    pub creates: bool,
    /// File names in its headers, except `/dev/null`.
    pub names: Vec<String>,
    /// The hunks, in order.
    pub hunks: Vec<Hunk>,
}

/// One hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Stated first line in the old file, from 1; 0 for an empty file.
    pub start: usize,
    /// Lines, in order.
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Kind of the line.
    pub sign: LineKind,
    /// Text without the line ending.
    pub text: String,
    /// Line end.
    pub end: LineEnd,
}

/// Kinds of hunk lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Context.
    Keep,
    /// A removed line.
    Remove,
    /// An added line.
    Add,
}

/// Parses a diff, with or without a code fence. The error is the reason why it is not valid.
pub fn parse(text: &str) -> Result<Patch, String> {
    let mut patch = Patch::default();
    let mut lines = unfenced(text).split_inclusive('\n').peekable();

    let mut seen_header = false;
    while let Some(line) = lines.next() {
        let bare = line.trim_end_matches(['\n', '\r']);
        if let Some(header) = bare.strip_prefix("@@") {
            let (start, old, new) = range(header)
                .ok_or_else(|| format!("`{}` is not a hunk header", shortened(bare)))?;
            let hunk = hunk(start, (old, new), &mut lines)?;
            patch.hunks.push(hunk);
        } else if let Some(source) = bare.strip_prefix("--- ") {
            if seen_header || !patch.hunks.is_empty() {
                return Err("the patch changes more than one file".to_owned());
            }
            seen_header = true;
            patch.creates = name(source) == "/dev/null";
            patch
                .names
                .extend((!patch.creates).then(|| name(source).to_owned()));
        } else if let Some(target) = bare.strip_prefix("+++ ") {
            if name(target) == "/dev/null" {
                return Err("the patch deletes the file".to_owned());
            }
            patch.names.push(name(target).to_owned());
        } else if patch.hunks.is_empty() {
            patch
                .names
                .extend(git_names(bare).into_iter().flatten().map(str::to_owned));
            let refused = [
                "rename ",
                "copy ",
                "deleted file",
                "old mode ",
                "new mode ",
                "GIT binary patch",
                "Binary files ",
            ];
            if refused.iter().any(|refused| bare.starts_with(refused)) {
                return Err(format!("`{}` is not supported", shortened(bare)));
            }
        } else if bare.starts_with("diff ") {
            return Err("the patch changes more than one file".to_owned());
        } else if !bare.trim().is_empty() {
            return Err(format!(
                "`{}` is outside the hunk, which has fewer lines than its header states",
                shortened(bare)
            ));
        }
    }

    match &patch.hunks[..] {
        [] => Err("the patch has no hunks".to_owned()),
        hunks if patch.creates && (hunks.len() > 1 || hunks[0].old().next().is_some()) => {
            Err("a patch of a new file may only add lines".to_owned())
        }
        _ => Ok(patch),
    }
}

/// Returns the text inside a code fence, or the whole text.
fn unfenced(text: &str) -> &str {
    let trimmed = text.trim_start();
    let Some(opened) = trimmed
        .strip_prefix("```")
        .and_then(|rest| rest.split_once('\n'))
    else {
        return text;
    };
    let inside = opened.1;
    match inside.trim_end().strip_suffix("```") {
        Some(body) if body.is_empty() || body.ends_with('\n') => body,
        _ => inside,
    }
}

/// Returns the path of a header, without the time that may follow.
fn name(header: &str) -> &str {
    header.split('\t').next().unwrap_or_default().trim()
}

/// Returns both paths of `diff --git a/PATH b/PATH`, if they are equal. A rename is rejected by its
/// own line.
fn git_names(line: &str) -> Option<[&str; 2]> {
    let paths = line.strip_prefix("diff --git ")?;
    let (old, new) = paths.split_at_checked(paths.len() / 2)?;
    let new = new.strip_prefix(' ')?;
    (old.split_once('/')?.1 == new.split_once('/')?.1).then_some([old, new])
}

/// Parses `-1,2 +3,4 @@ ...`.
fn range(header: &str) -> Option<(usize, usize, usize)> {
    let (ranges, _) = header.split_once("@@")?;
    let (old, new) = ranges.trim().split_once(' ')?;
    let (start, old) = numbers(old.strip_prefix('-')?)?;
    let (_, new) = numbers(new.trim().strip_prefix('+')?)?;
    Some((start, old, new))
}

fn numbers(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

fn hunk<'a>(
    start: usize,
    (old, new): (usize, usize),
    lines: &mut Peekable<impl Iterator<Item = &'a str>>,
) -> Result<Hunk, String> {
    let mut hunk = Hunk {
        start,
        ..Hunk::default()
    };
    let (mut olds, mut news) = (0, 0);
    while olds < old || news < new {
        let line = lines
            .next()
            .ok_or("a hunk has fewer lines than its header states")?;
        let (text, end) = split(line.as_bytes());
        // An empty context line often loses its space.
        let sign = text.first().map_or(b' ', |sign| *sign);
        let text = text.get(1..).unwrap_or_default();
        let sign = match sign {
            b' ' => LineKind::Keep,
            b'-' => LineKind::Remove,
            b'+' => LineKind::Add,
            _ => {
                return Err(format!(
                    "a line of a hunk starts with {:?}; expected a space, `+`, `-` or `\\`",
                    line.chars().next().unwrap_or_default()
                ));
            }
        };

        let is_open = lines.next_if(|next| next.starts_with('\\')).is_some();
        // The last line of a patch often lacks a line ending by accident.
        let end = if is_open {
            LineEnd::Open
        } else if end == LineEnd::Open {
            LineEnd::Lf
        } else {
            end
        };

        olds += usize::from(sign != LineKind::Add);
        news += usize::from(sign != LineKind::Remove);
        hunk.lines.push(Line {
            sign,
            text: String::from_utf8_lossy(text).into_owned(),
            end,
        });
    }

    if olds > old || news > new {
        return Err("a hunk does not have the number of lines that its header states".to_owned());
    }

    Ok(hunk)
}

impl Patch {
    /// Returns the content of a new file.
    #[must_use]
    pub fn added(&self) -> Vec<u8> {
        let lines = self
            .hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .filter(|line| line.sign == LineKind::Add);
        lines
            .flat_map(|line| [line.text.as_bytes(), line.end.as_str().as_bytes()].concat())
            .collect()
    }
}

impl Hunk {
    /// Returns the lines that must be in the file.
    pub fn old(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.sign != LineKind::Add)
    }
}

fn shortened(text: &str) -> String {
    crate::arguments::shortened(text)
}

#[cfg(test)]
mod tests;
