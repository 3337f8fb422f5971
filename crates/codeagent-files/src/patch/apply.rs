//! Applies the hunks of a diff to the text of a file. Pure: texts in, bytes out.
//!
//! A hunk is applied where all its context and removed lines match. If they match at the stated
//! line, it is applied there. Otherwise they must match in exactly one place, at most
//! `MAX_DISTANCE` lines from the stated line, which moves along with the previous hunk; the answer
//! names the line.
//!
//! Line endings are ignored when lines are compared. A hunk with the line endings of the file is
//! applied as written. Otherwise the file's own line endings are kept, line by line, as is a last
//! line without an end.
//!
//! Limitations: at most `MAX_COMPARED` lines are compared per patch.

use std::collections::VecDeque;

use super::diff::{Hunk, Line, LineKind, Patch};
use crate::line_ends::{LineEnd, split};

/// Maximum number of lines between a hunk's stated line and its match.
const MAX_DISTANCE: usize = 100;
/// Maximum number of lines compared per patch.
const MAX_COMPARED: usize = 50_000_000;
/// Maximum number of locations and hunks named in a message.
const MAX_NAMED: usize = 5;

/// A patched file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchedFile {
    /// The new content.
    pub bytes: Vec<u8>,
    /// Notes for the caller: hunks that were applied at another line than stated, line endings that
    /// were kept.
    pub notes: Vec<String>,
}

/// The lines of a file. Stored compactly, because a file may have as many lines as bytes.
struct Lines<'a> {
    text: &'a [u8],
    /// Start offset of each line, and the end of the text.
    starts: Vec<u32>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a [u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.iter()
                .enumerate()
                .filter(|(_, byte)| **byte == b'\n')
                .map(|(at, _)| at as u32 + 1),
        );
        if starts
            .last()
            .is_some_and(|last| (*last as usize) < text.len())
        {
            starts.push(text.len() as u32);
        }
        Self { text, starts }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn get(&self, at: usize) -> Option<(&'a [u8], LineEnd)> {
        let end = self.starts.get(at.checked_add(1)?)?;
        Some(split(&self.text[self.starts[at] as usize..*end as usize]))
    }

    fn end_of(&self, at: usize) -> Option<LineEnd> {
        self.get(at).map(|(_, end)| end)
    }

    /// Returns the bytes of a range of lines.
    fn between(&self, from: usize, to: usize) -> &'a [u8] {
        &self.text[self.starts[from] as usize..self.starts[to] as usize]
    }
}

/// A line that a hunk writes to the file.
struct OutputLine<'a> {
    text: &'a [u8],
    end: LineEnd,
    /// Whether the patch marks the line as the last, without a line ending.
    is_last_by_patch: bool,
}

impl Patch {
    /// Returns the content of the file after the patch, or why the patch does not fit. The file
    /// must be smaller than 4 GiB.
    pub fn apply(&self, before: &[u8]) -> Result<PatchedFile, String> {
        let lines = Lines::of(before);
        let mut search = HunkSearch {
            lines: &lines,
            compared: 0,
        };
        let (mut bytes, mut elsewhere, mut kept) = (
            Vec::with_capacity(before.len()),
            Vec::new(),
            KeptLineEnds::default(),
        );

        let (mut done, mut shift, mut is_at_end) = (0, 0_isize, false);
        for (index, hunk) in self.hunks.iter().enumerate() {
            let name = format!("hunk {} of {}", index + 1, self.hunks.len());
            let at = search.find(hunk, &name, done, shift)?;
            let stated = hunk.stated();
            if at != stated {
                elsewhere.push((index + 1, at + 1, stated + 1));
            }

            shift = at as isize - stated as isize;
            let written = hunk.written(&lines, at, &mut kept);
            if is_at_end && (done < at || !written.is_empty()) {
                return Err(NOT_THE_LAST.to_owned());
            }

            bytes.extend_from_slice(lines.between(done, at));
            append(
                &mut bytes,
                &written,
                at.checked_sub(1).and_then(|before| lines.end_of(before)),
            )?;
            is_at_end |= written.last().is_some_and(|line| line.is_last_by_patch);
            done = at + hunk.old().count();
        }

        if is_at_end && done < lines.count() {
            return Err(NOT_THE_LAST.to_owned());
        }

        bytes.extend_from_slice(lines.between(done, lines.count()));
        Ok(PatchedFile {
            bytes,
            notes: notes(&elsewhere).into_iter().chain(kept.note()).collect(),
        })
    }
}

const NOT_THE_LAST: &str = "the patch says that the file ends there, but more lines follow";

/// Appends the lines of a hunk. A former last line of the file without an end gets one.
fn append(
    bytes: &mut Vec<u8>,
    written: &[OutputLine<'_>],
    before: Option<LineEnd>,
) -> Result<(), String> {
    let usual = |end: Option<LineEnd>| {
        end.filter(|end| *end != LineEnd::Open)
            .unwrap_or(LineEnd::Lf)
            .as_str()
            .as_bytes()
    };

    if !written.is_empty() && bytes.last().is_some_and(|last| *last != b'\n') {
        let start = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map(|at| split(&bytes[..=at]).1);
        bytes.extend_from_slice(usual(start));
    }

    let mut last = before;
    for (at, line) in written.iter().enumerate() {
        bytes.extend_from_slice(line.text);
        let is_last = at + 1 == written.len();
        if line.end != LineEnd::Open {
            last = Some(line.end);
            bytes.extend_from_slice(line.end.as_str().as_bytes());
        } else if line.is_last_by_patch && !is_last {
            return Err(NOT_THE_LAST.to_owned());
        } else if !is_last {
            bytes.extend_from_slice(usual(last));
        }
    }

    Ok(())
}

/// Returns the note about hunks that were applied at another line than stated.
fn notes(elsewhere: &[(usize, usize, usize)]) -> Vec<String> {
    let first = elsewhere.iter().take(MAX_NAMED);
    let mut notes: Vec<String> = first
        .map(|(hunk, at, stated)| {
            format!("hunk {hunk} was applied at line {at} instead of line {stated}")
        })
        .collect();

    if let Some(more) = elsewhere
        .len()
        .checked_sub(MAX_NAMED)
        .filter(|more| *more > 0)
    {
        notes.push(format!(
            "{more} more hunks were applied at other lines than they state"
        ));
    }

    notes
}

/// Line endings of the file that replaced those of the patch.
#[derive(Default)]
struct KeptLineEnds {
    lf: bool,
    crlf: bool,
    open: bool,
}

impl KeptLineEnds {
    fn add(&mut self, of_file: LineEnd, of_patch: LineEnd) {
        self.lf |= of_file == LineEnd::Lf && of_patch == LineEnd::CrLf;
        self.crlf |= of_file == LineEnd::CrLf && of_patch == LineEnd::Lf;
        self.open |= of_file == LineEnd::Open && of_patch != LineEnd::Open;
    }

    fn note(&self) -> Option<String> {
        match (self.lf, self.crlf, self.open) {
            (true, true, _) => Some(
                "the patch has other line endings; the file's, LF and CRLF, were kept".to_owned(),
            ),
            (true, false, _) => {
                Some("the patch has other line endings; the file's, LF, were kept".to_owned())
            }
            (false, true, _) => {
                Some("the patch has other line endings; the file's, CRLF, were kept".to_owned())
            }
            (false, false, true) => Some("the last line still has no line ending".to_owned()),
            (false, false, false) => None,
        }
    }
}

impl Hunk {
    /// Returns the stated first line, from 0. A hunk without old lines starts after the line that
    /// it names.
    fn stated(&self) -> usize {
        self.start
            .saturating_sub(usize::from(self.old().next().is_some()))
    }

    /// Returns the replacement of the lines at `at`, if the hunk matches there.
    fn written<'a>(
        &'a self,
        lines: &Lines<'a>,
        at: usize,
        kept: &mut KeptLineEnds,
    ) -> Vec<OutputLine<'a>> {
        let is_exact = self.old().next().is_some()
            && self
                .old()
                .enumerate()
                .all(|(index, old)| lines.end_of(at + index) == Some(old.end));

        let (mut next, mut removed, mut written) = (at, VecDeque::new(), Vec::new());
        let mut last = at.checked_sub(1).and_then(|before| lines.end_of(before));
        for line in &self.lines {
            if line.sign == LineKind::Add {
                let around = removed.pop_front().or(last).or_else(|| lines.end_of(next));
                let end = if is_exact || line.end == LineEnd::Open {
                    line.end
                } else {
                    around.unwrap_or(line.end)
                };
                kept.add(end, line.end);
                written.push(OutputLine {
                    text: line.text.as_bytes(),
                    end,
                    is_last_by_patch: line.end == LineEnd::Open,
                });
                continue;
            }

            let Some((text, end)) = lines.get(next) else {
                continue;
            };
            kept.add(end, line.end);
            (next, last) = (next + 1, Some(end));

            if line.sign == LineKind::Remove {
                removed.push_back(end);
            } else {
                removed.clear();
                written.push(OutputLine {
                    text,
                    end,
                    is_last_by_patch: false,
                });
            }
        }

        written
    }
}

/// The search for the locations of hunks in a file.
struct HunkSearch<'a> {
    lines: &'a Lines<'a>,
    compared: usize,
}

impl HunkSearch<'_> {
    /// Returns the line, from 0, at which to apply a hunk. Lines before `first` belong to previous
    /// hunks. The previous hunk was applied `shift` lines below its stated line.
    fn find(
        &mut self,
        hunk: &Hunk,
        name: &str,
        first: usize,
        shift: isize,
    ) -> Result<usize, String> {
        let old: Vec<&Line> = hunk.old().collect();
        let stated = hunk.stated();
        let expected = stated.saturating_add_signed(shift);
        if old.is_empty() {
            return self.find_insertion(stated, name, first, shift);
        }

        let is_stated = self.fits(&old, first, stated);
        if is_stated && (expected == stated || !self.fits(&old, first, expected)) {
            return Ok(stated);
        }

        let found = self.all(&old, name, first)?;
        match found[..] {
            [] => Err(format!("the context of {name} is not in the file")),
            [at] if at.abs_diff(expected) > MAX_DISTANCE => Err(format!(
                "the context of {name} is at line {}, more than {MAX_DISTANCE} lines from line {}, where it should be; correct the line number",
                at + 1,
                expected + 1
            )),
            [at] => Ok(at),
            _ => Err(format!(
                "the context of {name} occurs several times, at lines {}{}; add lines of context, \
                 or state the exact line",
                found
                    .iter()
                    .take(MAX_NAMED)
                    .map(|at| (at + 1).to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
                if found.len() > MAX_NAMED {
                    " and others"
                } else {
                    ""
                }
            )),
        }
    }

    /// Checks the location of a hunk without context, which can only be the stated line.
    fn find_insertion(
        &self,
        stated: usize,
        name: &str,
        first: usize,
        shift: isize,
    ) -> Result<usize, String> {
        if shift != 0 {
            return Err(format!(
                "{name} has no context, and the hunk before it is not at the line it states; add \
                 lines of context"
            ));
        }

        if !(first..=self.lines.count()).contains(&stated) {
            return Err(format!(
                "{name} has no context and states line {stated}, but the file has {} lines",
                self.lines.count()
            ));
        }

        Ok(stated)
    }

    /// Returns the locations where the lines match, stopping when there are more than a message
    /// names.
    fn all(&mut self, old: &[&Line], name: &str, first: usize) -> Result<Vec<usize>, String> {
        let mut found = Vec::new();
        let end = (self.lines.count() + 1).saturating_sub(old.len());
        for at in first..end {
            if self.fits(old, first, at) {
                found.push(at);
            }
            if found.len() > MAX_NAMED {
                break;
            }
            if self.compared > MAX_COMPARED {
                return Err(format!(
                    "finding the location of {name} takes too long; state the exact line"
                ));
            }
        }

        Ok(found)
    }

    fn fits(&mut self, old: &[&Line], first: usize, at: usize) -> bool {
        if at < first {
            return false;
        }
        let same = old
            .iter()
            .enumerate()
            .take_while(|(index, old)| {
                self.lines
                    .get(at + index)
                    .is_some_and(|line| is_same(old, line))
            })
            .count();
        self.compared += same + 1;
        same == old.len()
    }
}

/// Compares two lines, ignoring line endings, except that a line marked as the last must be the
/// last.
fn is_same(old: &Line, (text, end): (&[u8], LineEnd)) -> bool {
    old.text.as_bytes() == text && (old.end != LineEnd::Open || end == LineEnd::Open)
}

#[cfg(test)]
mod tests {
    use super::super::diff::parse;

    #[test]
    fn inexact_line_numbers_do_not_select_a_hunk_position() {
        let file = b"one\nx\ntwo\nx\nx\nx\n";
        let apply = |patch: &str| {
            parse(patch)
                .unwrap()
                .apply(file)
                .map(|applied| String::from_utf8(applied.bytes).unwrap())
        };

        let exact = "@@ -1 +1 @@\n-one\n+1\n@@ -5 +5 @@\n-x\n+y\n";
        assert_eq!(apply(exact).unwrap(), "1\nx\ntwo\nx\ny\nx\n");

        // The first hunk is one line off, so line 5 may stand for line 4.
        let off = "@@ -2 +2 @@\n-one\n+1\n@@ -5 +5 @@\n-x\n+y\n";
        let several = "the context of hunk 2 of 2 occurs several times, at lines 2, 4, 5, 6; add \
                       lines of context, or state the exact line";
        assert_eq!(apply(off).unwrap_err(), several);

        let many: String = (2..10)
            .map(|line| format!("@@ -{line} +{line} @@\n-{line}\n+x\n"))
            .collect();
        let applied = parse(&many)
            .unwrap()
            .apply(b"2\n3\n4\n5\n6\n7\n8\n9\n")
            .unwrap();
        assert_eq!(applied.bytes, "x\n".repeat(8).into_bytes());
        assert_eq!(
            (applied.notes.len(), applied.notes[5].as_str()),
            (
                6,
                "3 more hunks were applied at other lines than they state"
            )
        );

        let insertion = "@@ -2 +2 @@\n-one\n+1\n@@ -5,0 +6 @@\n+y\n";
        assert!(apply(insertion).unwrap_err().contains("has no context"));
    }
}
