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
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = "one\ntwo\nthree\nfour\nfive\n";

    fn patched(patch: &str) -> Result<String, String> {
        let patch = parse(patch)?;
        let after = if patch.creates {
            patch.added()
        } else {
            patch.apply(FILE.as_bytes())?.bytes
        };
        Ok(String::from_utf8(after).unwrap())
    }

    #[test]
    fn a_patch_applies_completely_or_not_at_all() {
        for (patch, expected) in [
            ("@@ -2 +2 @@\n-two\n+2\n", Ok("one\n2\nthree\nfour\nfive\n")),
            (
                "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@ fn\n one\n+and\n two\n three\n",
                Ok("one\nand\ntwo\nthree\nfour\nfive\n"),
            ),
            (
                "```diff\n@@ -2 +2 @@\n-two\n+```\n```",
                Ok("one\n```\nthree\nfour\nfive\n"),
            ),
            ("```\n@@ -2 +1,0 @@\n-two\n", Ok("one\nthree\nfour\nfive\n")),
            ("@@ -4 +4 @@\n-two\n+2\n", Ok("one\n2\nthree\nfour\nfive\n")),
            (
                "@@ -0,0 +1 @@\n+zero\n",
                Ok("zero\none\ntwo\nthree\nfour\nfive\n"),
            ),
            (
                "@@ -5,0 +6 @@\n+six\n",
                Ok("one\ntwo\nthree\nfour\nfive\nsix\n"),
            ),
            (
                "@@ -5 +5 @@\n-five\n+5\n\\ No newline at end of file\n",
                Ok("one\ntwo\nthree\nfour\n5"),
            ),
            (
                "@@ -1 +1 @@\n-one\n+1\n@@ -5 +5 @@\n-five\n+5\n",
                Ok("1\ntwo\nthree\nfour\n5\n"),
            ),
            (
                "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n",
                Ok("a\nb\n"),
            ),
            (
                "--- /dev/null\t1970\n+++ b/new\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file",
                Ok("a"),
            ),
            ("", Err("the patch has no hunks")),
            ("hello", Err("the patch has no hunks")),
            (
                "@@ -2 +2 @@\n-zwei\n+2\n",
                Err("the context of hunk 1 of 1 is not in the file"),
            ),
            (
                "@@ -2 +2 @@\n-two\r\n+2\r\n",
                Ok("one\n2\nthree\nfour\nfive\n"),
            ),
            (
                "@@ -2 +2 @@\n-two\n+2\n\\ No newline at end of file\n",
                Err("the patch says that the file ends there, but more lines follow"),
            ),
            (
                "@@ -9,0 +10 @@\n+x\n",
                Err("hunk 1 of 1 has no context and states line 9, but the file has 5 lines"),
            ),
            (
                "@@ -5 +5 @@\n-five\n\\ No newline at end of file\n+5\n",
                Err("the context of hunk 1 of 1 is not in the file"),
            ),
            (
                "@@ -3 +3 @@\n-three\n+3\n@@ -1 +1 @@\n-one\n+1\n",
                Err("the context of hunk 2 of 2 is not in the file"),
            ),
            (
                "@@ -2,2 +2 @@\n two\n-three\n@@ -3 +3 @@\n-three\n+3\n",
                Err("the context of hunk 2 of 2 is not in the file"),
            ),
            (
                "@@ -1,1000000000 +1 @@\n-one\n",
                Err("a hunk has fewer lines than its header states"),
            ),
            (
                "@@ -1,99999999999999999999 +1 @@\n-one\n",
                Err("`@@ -1,99999999999999999999 +1 @@` is not a hunk header"),
            ),
            ("@@ nonsense\n", Err("`@@ nonsense` is not a hunk header")),
            (
                "@@ -2 +2 @@\n*two\n",
                Err("a line of a hunk starts with '*'; expected a space, `+`, `-` or `\\`"),
            ),
            (
                "@@ -2 +2 @@\n-two\n+2\n+3\n",
                Err("`+3` is outside the hunk, which has fewer lines than its header states"),
            ),
            (
                "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
                Err("the patch deletes the file"),
            ),
            (
                "--- a\n+++ b\n@@ -2 +2 @@\n-two\n+2\n--- c\n+++ d\n@@ -1 +1 @@\n-x\n+y\n",
                Err("the patch changes more than one file"),
            ),
            (
                "diff --git a b\nrename from a\nrename to b\n",
                Err("`rename from a` is not supported"),
            ),
            (
                "diff --git a b\nold mode 100644\nnew mode 100755\n@@ -2 +2 @@\n-two\n+2\n",
                Err("`old mode 100644` is not supported"),
            ),
            (
                "diff --git a b\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n",
                Ok("a\n"),
            ),
            (
                "GIT binary patch\nliteral 3\n",
                Err("`GIT binary patch` is not supported"),
            ),
            (
                "--- /dev/null\n+++ b\n@@ -1 +1 @@\n-a\n+b\n",
                Err("a patch of a new file may only add lines"),
            ),
        ] {
            assert_eq!(
                patched(patch),
                expected.map(str::to_owned).map_err(str::to_owned),
                "{patch}"
            );
        }
    }

    #[test]
    fn a_hundred_thousand_hunks_cost_bounded_work() {
        let file: String = (0..100_000).map(|line| format!("{line}\n")).collect();
        let patch: String = (0..100_000)
            .map(|line| format!("@@ -{0} +{0} @@\n-{line}\n+x\n", line + 1))
            .collect();
        assert_eq!(
            parse(&patch).unwrap().apply(file.as_bytes()).unwrap().bytes,
            "x\n".repeat(100_000).into_bytes()
        );
        let same = "a\n".repeat(100_000);
        let patch = format!("@@ -1,50001 +1 @@\n{}-b\n+x\n", "-a\n".repeat(50_000));
        assert!(parse(&patch).unwrap().apply(same.as_bytes()).is_err());
    }

    /// Returns a diff that replaces some lines, with the given amount of context.
    fn diff(
        lines: &[String],
        at: usize,
        removed: usize,
        added: &[String],
        context: usize,
    ) -> String {
        use std::fmt::Write;

        let (first, end) = (
            at.saturating_sub(context),
            (at + removed + context).min(lines.len()),
        );
        let kept = end - first - removed;
        let start = if end == first { first } else { first + 1 };

        let mut text = format!(
            "@@ -{start},{} +{start},{} @@\n",
            end - first,
            kept + added.len()
        );

        lines[first..at]
            .iter()
            .for_each(|line| writeln!(text, " {line}").unwrap());
        lines[at..at + removed]
            .iter()
            .for_each(|line| writeln!(text, "-{line}").unwrap());
        added
            .iter()
            .for_each(|line| writeln!(text, "+{line}").unwrap());
        lines[at + removed..end]
            .iter()
            .for_each(|line| writeln!(text, " {line}").unwrap());

        text
    }

    proptest! {
        #[test]
        fn the_parser_accepts_or_rejects_any_text(text in r"(\PC{0,12}|@@ -[0-9]{1,3}(,[0-9]{1,9})? \+[0-9]{1,3} @@|[-+ \\`][a-c]{0,3}|--- /dev/null|\n|\r\n){0,30}") {
            if let Ok(patch) = parse(&text) {
                patch.apply(FILE.as_bytes()).ok();
                patch.apply(b"").ok();
            }
        }

        #[test]
        fn applying_a_diff_restores_the_new_text(
            lines in prop::collection::vec("[a-z]{1,8}", 1..30),
            added in prop::collection::vec("[A-Z]{1,8}", 0..5),
            (at, removed, context) in (0..30_usize, 0..5_usize, 0..4_usize),
        ) {
            let at = at.min(lines.len());
            let removed = removed.min(lines.len() - at);
            if removed + added.len() == 0 {
                return Ok(());
            }
            let patch = diff(&lines, at, removed, &added, context);
            let expected: Vec<_> = lines[..at].iter().chain(&added).chain(&lines[at + removed..]).cloned().collect();
            let text = |lines: &[String]| lines.iter().fold(String::new(), |text, line| text + line + "\n");
            let after = parse(&patch).unwrap().apply(text(&lines).as_bytes()).unwrap().bytes;
            prop_assert_eq!(String::from_utf8(after).unwrap(), text(&expected), "{}", patch);
        }
    }
}
