//! Tests of [`super`]: patches by example, and random ones.

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
fn hunks_are_applied_in_order() {
    for (patch, expected) in [
        ("@@ -2 +2 @@\n-two\n+2\n", "one\n2\nthree\nfour\nfive\n"),
        (
            "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@ fn\n one\n+and\n two\n three\n",
            "one\nand\ntwo\nthree\nfour\nfive\n",
        ),
        (
            "```diff\n@@ -2 +2 @@\n-two\n+```\n```",
            "one\n```\nthree\nfour\nfive\n",
        ),
        ("```\n@@ -2 +1,0 @@\n-two\n", "one\nthree\nfour\nfive\n"),
        ("@@ -4 +4 @@\n-two\n+2\n", "one\n2\nthree\nfour\nfive\n"),
        (
            "@@ -0,0 +1 @@\n+zero\n",
            "zero\none\ntwo\nthree\nfour\nfive\n",
        ),
        (
            "@@ -5,0 +6 @@\n+six\n",
            "one\ntwo\nthree\nfour\nfive\nsix\n",
        ),
        (
            "@@ -5 +5 @@\n-five\n+5\n\\ No newline at end of file\n",
            "one\ntwo\nthree\nfour\n5",
        ),
        (
            "@@ -1 +1 @@\n-one\n+1\n@@ -5 +5 @@\n-five\n+5\n",
            "1\ntwo\nthree\nfour\n5\n",
        ),
        (
            "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n",
            "a\nb\n",
        ),
        (
            "--- /dev/null\t1970\n+++ b/new\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file",
            "a",
        ),
        ("@@ -2 +2 @@\n-two\r\n+2\r\n", "one\n2\nthree\nfour\nfive\n"),
        (
            "diff --git a b\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n",
            "a\n",
        ),
    ] {
        assert_eq!(patched(patch).as_deref(), Ok(expected), "{patch}");
    }
}

#[test]
fn a_patch_that_does_not_fit_the_file_is_refused() {
    for (patch, expected) in [
        (
            "@@ -2 +2 @@\n-zwei\n+2\n",
            "the context of hunk 1 of 1 is not in the file",
        ),
        (
            "@@ -2 +2 @@\n-two\n+2\n\\ No newline at end of file\n",
            "the patch says that the file ends there, but more lines follow",
        ),
        (
            "@@ -9,0 +10 @@\n+x\n",
            "hunk 1 of 1 has no context and states line 9, but the file has 5 lines",
        ),
        (
            "@@ -5 +5 @@\n-five\n\\ No newline at end of file\n+5\n",
            "the context of hunk 1 of 1 is not in the file",
        ),
        (
            "@@ -3 +3 @@\n-three\n+3\n@@ -1 +1 @@\n-one\n+1\n",
            "the context of hunk 2 of 2 is not in the file",
        ),
        (
            "@@ -2,2 +2 @@\n two\n-three\n@@ -3 +3 @@\n-three\n+3\n",
            "the context of hunk 2 of 2 is not in the file",
        ),
    ] {
        assert_eq!(patched(patch).unwrap_err(), expected, "{patch}");
    }
}

#[test]
fn a_malformed_patch_is_refused() {
    for (patch, expected) in [
        ("", "the patch has no hunks"),
        ("hello", "the patch has no hunks"),
        (
            "@@ -1,1000000000 +1 @@\n-one\n",
            "a hunk has fewer lines than its header states",
        ),
        (
            "@@ -1,99999999999999999999 +1 @@\n-one\n",
            "`@@ -1,99999999999999999999 +1 @@` is not a hunk header",
        ),
        ("@@ nonsense\n", "`@@ nonsense` is not a hunk header"),
        (
            "@@ -2 +2 @@\n*two\n",
            "a line of a hunk starts with '*'; expected a space, `+`, `-` or `\\`",
        ),
        (
            "@@ -2 +2 @@\n-two\n+2\n+3\n",
            "`+3` is outside the hunk, which has fewer lines than its header states",
        ),
    ] {
        assert_eq!(patched(patch).unwrap_err(), expected, "{patch}");
    }
}

#[test]
fn other_changes_than_of_one_file_are_refused() {
    for (patch, expected) in [
        (
            "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
            "the patch deletes the file",
        ),
        (
            "--- a\n+++ b\n@@ -2 +2 @@\n-two\n+2\n--- c\n+++ d\n@@ -1 +1 @@\n-x\n+y\n",
            "the patch changes more than one file",
        ),
        (
            "diff --git a b\nrename from a\nrename to b\n",
            "`rename from a` is not supported",
        ),
        (
            "diff --git a b\nold mode 100644\nnew mode 100755\n@@ -2 +2 @@\n-two\n+2\n",
            "`old mode 100644` is not supported",
        ),
        (
            "GIT binary patch\nliteral 3\n",
            "`GIT binary patch` is not supported",
        ),
        (
            "--- /dev/null\n+++ b\n@@ -1 +1 @@\n-a\n+b\n",
            "a patch of a new file may only add lines",
        ),
    ] {
        assert_eq!(patched(patch).unwrap_err(), expected, "{patch}");
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
fn diff(lines: &[String], at: usize, removed: usize, added: &[String], context: usize) -> String {
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
