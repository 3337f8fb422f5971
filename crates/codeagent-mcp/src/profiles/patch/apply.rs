//! Applies the hunks of a diff to the text of a file. Pure: texts in, bytes out.
//!
//! A hunk is applied where all its context and removed lines match. If that is the line it states, it is applied there. Otherwise it must match in
//! one place only, at most `MAX_DISTANCE` lines from the stated line, which moves along with the hunk before it; the answer names the line.
//!
//! Line ends do not count when lines are compared. A hunk whose line ends are those of the file is applied as it is written; otherwise the file's own
//! are kept, line by line, and so is a last line without an end.
//!
//! **Limits.** The search for places compares at most `MAX_COMPARED` lines of one patch.

use std::collections::VecDeque;

use super::diff::{Hunk, Line, Patch, Sign};
use crate::profiles::line_ends::{LineEnd, lines};

/// Most lines between the line a hunk states and the place where it matches.
pub const MAX_DISTANCE: usize = 100;
/// Most lines compared for one patch.
const MAX_COMPARED: usize = 50_000_000;
/// Most places that a message names.
const MAX_NAMED: usize = 5;

/// What a patch makes of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// What the file says now.
    pub bytes: Vec<u8>,
    /// What the caller should know: hunks that were applied elsewhere than they state, line ends that were kept.
    pub notes: Vec<String>,
}

/// A line of the file that is being made.
struct Written<'a> {
    text: &'a [u8],
    end: LineEnd,
    /// The patch says that nothing follows this line.
    is_last_by_patch: bool,
}

impl Patch {
    /// Returns what the file says after the patch, or why the patch does not fit.
    pub fn apply(&self, before: &[u8]) -> Result<Applied, String> {
        let lines = lines(before);
        let mut places = Places { lines: &lines, compared: 0 };
        let (mut written, mut notes, mut kept) = (Vec::with_capacity(lines.len()), Vec::new(), Kept::default());
        let (mut done, mut shift) = (0, 0_isize);
        for (index, hunk) in self.hunks.iter().enumerate() {
            let name = format!("hunk {} of {}", index + 1, self.hunks.len());
            let at = places.find(hunk, &name, done, shift)?;
            let stated = hunk.stated();
            if at != stated {
                notes.push(format!("hunk {} was applied at line {}, not at line {} as it states", index + 1, at + 1, stated + 1));
            }
            shift = at as isize - stated as isize;
            written.extend(lines[done..at].iter().map(|(text, end)| Written { text, end: *end, is_last_by_patch: false }));
            done = at + hunk.old().count();
            hunk.write(&lines, at, &mut written, &mut kept);
        }
        written.extend(lines[done..].iter().map(|(text, end)| Written { text, end: *end, is_last_by_patch: false }));
        notes.extend(kept.note());
        Ok(Applied { bytes: joined(written)?, notes })
    }
}

/// Joins the lines, giving an end to one that was the last of the file and is not any more.
fn joined(mut written: Vec<Written<'_>>) -> Result<Vec<u8>, String> {
    let last = written.len().saturating_sub(1);
    for at in 0..last {
        if written[at].end == LineEnd::Open {
            if written[at].is_last_by_patch {
                return Err("the patch says that the file ends where other lines follow".to_owned());
            }
            written[at].end = at.checked_sub(1).map_or(LineEnd::Lf, |before| written[before].end);
        }
    }
    Ok(written.iter().flat_map(|line| line.text.iter().chain(line.end.as_str().as_bytes())).copied().collect())
}

/// Which line ends of the file were kept although the patch has others.
#[derive(Default)]
struct Kept {
    lf: bool,
    crlf: bool,
    open: bool,
}

impl Kept {
    fn add(&mut self, of_file: LineEnd, of_patch: LineEnd) {
        self.lf |= of_file == LineEnd::Lf && of_patch == LineEnd::CrLf;
        self.crlf |= of_file == LineEnd::CrLf && of_patch == LineEnd::Lf;
        self.open |= of_file == LineEnd::Open && of_patch != LineEnd::Open;
    }

    fn note(&self) -> Option<String> {
        match (self.lf, self.crlf, self.open) {
            (true, true, _) => Some("the line ends differ from the patch's; the file's own, LF and CRLF, were kept".to_owned()),
            (true, false, _) => Some("the line ends differ from the patch's; the file's own, LF, were kept".to_owned()),
            (false, true, _) => Some("the line ends differ from the patch's; the file's own, CRLF, were kept".to_owned()),
            (false, false, true) => Some("the last line has no line end, as before".to_owned()),
            (false, false, false) => None,
        }
    }
}

impl Hunk {
    /// The line where it states that it begins, from 0. A hunk without old lines begins after the line it names.
    fn stated(&self) -> usize {
        self.start.saturating_sub(usize::from(self.old().next().is_some()))
    }

    /// Writes what comes in the place of the lines at `at`, where it matches.
    fn write<'a>(&'a self, lines: &[(&'a [u8], LineEnd)], at: usize, written: &mut Vec<Written<'a>>, kept: &mut Kept) {
        let is_exact = self.old().next().is_some() && self.old().zip(&lines[at..]).all(|(old, (_, end))| old.end == *end);
        let (mut next, mut removed) = (at, VecDeque::new());
        let mut last = at.checked_sub(1).map(|before| lines[before].1);
        for line in &self.lines {
            if line.sign == Sign::Add {
                let around = removed.pop_front().or(last).or_else(|| lines.get(next).map(|(_, end)| *end));
                let end = if is_exact || line.end == LineEnd::Open { line.end } else { around.unwrap_or(line.end) };
                kept.add(end, line.end);
                written.push(Written { text: line.text.as_bytes(), end, is_last_by_patch: line.end == LineEnd::Open });
                continue;
            }
            let (text, end) = lines[next];
            kept.add(end, line.end);
            (next, last) = (next + 1, Some(end));
            if line.sign == Sign::Remove {
                removed.push_back(end);
            } else {
                removed.clear();
                written.push(Written { text, end, is_last_by_patch: false });
            }
        }
    }
}

/// The search for the places of hunks in a file.
struct Places<'a> {
    lines: &'a [(&'a [u8], LineEnd)],
    compared: usize,
}

impl Places<'_> {
    /// Returns the line, from 0, where a hunk is to be applied. The lines before `first` are taken, and the hunk before it was applied `shift` lines
    /// below the line it states.
    fn find(&mut self, hunk: &Hunk, name: &str, first: usize, shift: isize) -> Result<usize, String> {
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
                "the context of {name} is in several places, at line {}{}; give more lines of context, or state the line exactly",
                found.iter().take(MAX_NAMED).map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(", "),
                if found.len() > MAX_NAMED { " and others" } else { "" }
            )),
        }
    }

    /// A hunk without context can only be where it states.
    fn find_insertion(&self, stated: usize, name: &str, first: usize, shift: isize) -> Result<usize, String> {
        if shift != 0 {
            return Err(format!("{name} has no context, and the one before it is not at the line it states; give lines of context"));
        }
        if !(first..=self.lines.len()).contains(&stated) {
            return Err(format!("{name} has no context and states line {stated}; the file has {} lines", self.lines.len()));
        }
        Ok(stated)
    }

    /// Returns all places where the lines match, or one more than a message names.
    fn all(&mut self, old: &[&Line], name: &str, first: usize) -> Result<Vec<usize>, String> {
        let mut found = Vec::new();
        let end = (self.lines.len() + 1).saturating_sub(old.len());
        for at in first..end {
            if self.fits(old, first, at) {
                found.push(at);
            }
            if found.len() > MAX_NAMED {
                break;
            }
            if self.compared > MAX_COMPARED {
                return Err(format!("the place of {name} takes too long to find; state the line exactly"));
            }
        }
        Ok(found)
    }

    fn fits(&mut self, old: &[&Line], first: usize, at: usize) -> bool {
        let Some(lines) = self.lines.get(at..).filter(|lines| at >= first && lines.len() >= old.len()) else { return false };
        let same = old.iter().zip(lines).take_while(|(old, line)| is_same(old, **line)).count();
        self.compared += same + 1;
        same == old.len()
    }
}

/// A line that the patch says is the last must be; other line ends do not count.
fn is_same(old: &Line, (text, end): (&[u8], LineEnd)) -> bool {
    old.text.as_bytes() == text && (old.end != LineEnd::Open || end == LineEnd::Open)
}

#[cfg(test)]
mod tests {
    use super::super::diff::parse;

    #[test]
    fn lines_that_may_be_off_decide_nothing() {
        let file = b"one\nx\ntwo\nx\nx\nx\n";
        let apply = |patch: &str| parse(patch).unwrap().apply(file).map(|applied| String::from_utf8(applied.bytes).unwrap());
        let exact = "@@ -1 +1 @@\n-one\n+1\n@@ -5 +5 @@\n-x\n+y\n";
        assert_eq!(apply(exact).unwrap(), "1\nx\ntwo\nx\ny\nx\n");
        // The first hunk is one line off, so line 5 may mean line 4.
        let off = "@@ -2 +2 @@\n-one\n+1\n@@ -5 +5 @@\n-x\n+y\n";
        let several =
            "the context of hunk 2 of 2 is in several places, at line 2, 4, 5, 6; give more lines of context, or state the line exactly";
        assert_eq!(apply(off).unwrap_err(), several);
        let insertion = "@@ -2 +2 @@\n-one\n+1\n@@ -5,0 +6 @@\n+y\n";
        assert!(apply(insertion).unwrap_err().contains("has no context"));
    }
}
