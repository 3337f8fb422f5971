//! The documentation: every link resolves, every page is in the table of contents, commands exist,
//! and blocks marked `<!-- run -->` print what the page shows. `UPDATE_EXPECT=1` writes those blocks
//! and the list of good first rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shop;

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
const SITE: &str = env!("CARGO_PKG_HOMEPAGE");

/// Commands that print lists, which have headings on a terminal.
const LISTS: [&str; 8] = [
    "search",
    "lookup",
    "callers",
    "callees",
    "implementations",
    "references",
    "dependencies",
    "dependents",
];

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Returns the Markdown files of a folder, and of those in it.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path
            .extension()
            .is_some_and(|ending| ending == "md" || ending == "txt")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the text without its code.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose += line;
            prose.push('\n');
        }
    }
    prose
}

/// Returns the targets of a page's links.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1);
    targets
        .filter_map(|rest| rest.split(')').next())
        .map(str::to_owned)
        .collect()
}

/// Returns the anchors of a page's headings, as forges make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            title
                .chars()
                .filter(|letter| {
                    letter.is_alphanumeric() || *letter == ' ' || *letter == '-' || *letter == '_'
                })
                .map(|letter| if letter == ' ' { '-' } else { letter })
                .collect()
        })
        .collect()
}

/// Returns the file that an address of this project stands for.
fn local(target: &str) -> Option<PathBuf> {
    for kind in ["blob", "raw", "tree"] {
        if let Some(path) = target.strip_prefix(&format!("{REPOSITORY}/{kind}/main/")) {
            return Some(top().join(path));
        }
    }
    let page = target.strip_prefix(SITE)?;
    Some(top().join("docs").join(match page {
        "" => "README.md".to_owned(),
        page => page.replace(".html", ".md"),
    }))
}

#[test]
fn every_link_resolves() {
    let mut files = pages(&top().join("docs"));
    files.extend(pages(&top().join(".github")));
    for file in [
        "README.md",
        "CHANGELOG.md",
        "crates/codeagent-cli/README.md",
        "crates/codeagent-cli/packaging/README.md",
    ] {
        files.push(top().join(file));
    }

    let (mut inside, mut outside) = (0, 0);
    for file in &files {
        let text = read(file);
        for link in links(&text) {
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let path = match local(target) {
                Some(path) => path,
                None if target.contains("://") => {
                    assert!(target.starts_with("https://"), "{}: {link}", file.display());
                    outside += 1;
                    continue;
                }
                None if target.is_empty() => file.clone(),
                None => file.parent().unwrap().join(target),
            };
            assert!(path.exists(), "{}: {link}", file.display());
            if !anchor.is_empty() {
                assert!(
                    anchors(&read(&path)).contains(anchor),
                    "{}: {link}",
                    file.display()
                );
            }
            inside += 1;
        }
    }
    println!(
        "{} pages, {inside} links checked, {outside} to other sites",
        files.len()
    );
    assert!(inside > 100, "{inside} links");
}

#[test]
fn pages_of_the_site_link_to_each_other_only() {
    let docs = top().join("docs");
    for page in pages(&docs) {
        let folder = page.parent().unwrap();
        let outside = if folder == docs { "../" } else { "../../" };
        for link in links(&read(&page)) {
            assert!(
                !link.starts_with(outside),
                "{}: {link} is outside the site; use its address",
                page.display()
            );
        }
    }
}

#[test]
fn the_table_of_contents_and_the_index_have_every_page() {
    let docs = top().join("docs");
    for list in ["SUMMARY.md", "README.md"] {
        let listed = links(&read(&docs.join(list)));
        for page in pages(&docs) {
            let name = page
                .strip_prefix(&docs)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            if name != "SUMMARY.md" && name != "README.md" && !name.ends_with(".txt") {
                assert!(listed.contains(&name), "{list}: {name}");
            }
        }
    }
}

#[test]
fn tools_named_in_instructions_for_agents_exist() {
    let text = read(&top().join("docs/agents.md"));
    let tools = read(&top().join("docs/reference/tools.md"));
    let names: BTreeSet<&str> = text
        .split('`')
        .filter(|word| {
            word.contains('_')
                && word
                    .bytes()
                    .all(|byte| byte == b'_' || byte.is_ascii_lowercase())
        })
        .collect();
    assert!(names.len() > 4, "{names:?}");
    for name in names {
        assert!(tools.contains(&format!("\n## {name}\n")), "{name}");
    }
}

/// Returns the output of `codeagent COMMAND --help`.
fn help(command: &[&str]) -> Option<String> {
    let mut help = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    let output = help.args(command).arg("--help").output().unwrap();
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).unwrap())
}

#[test]
fn commands_in_the_docs_exist() {
    let mut files = pages(&top().join("docs"));
    files.push(top().join("README.md"));
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for file in files {
        let text = read(&file);
        for block in text.split("```sh\n").skip(1) {
            let block = block.split("```").next().unwrap();
            let lines = block
                .lines()
                .filter_map(|line| line.trim().strip_prefix("codeagent "));
            for line in lines.map(|line| line.split(['|', '>', '#', '&']).next().unwrap()) {
                let words: Vec<&str> = line.split_whitespace().collect();
                // The actions of a command are commands too.
                let has_actions = ["daemon", "model", "debug", "snapshot"].contains(&words[0]);
                let name = &words[..words.len().min(if has_actions { 2 } else { 1 })];
                let page = known.entry(name.join(" ")).or_insert_with(|| {
                    help(name).unwrap_or_else(|| panic!("{}: {line}", file.display()))
                });
                for option in words.iter().filter(|word| word.starts_with("--")) {
                    let option = option.split('=').next().unwrap();
                    assert!(page.contains(option), "{}: {line}", file.display());
                }
                count += 1;
            }
        }
    }
    assert!(count > 40, "{count} commands");
}

/// Returns what a command prints on a terminal, without colours.
fn shown(folder: &Path, line: &str) -> String {
    let name = line.split(' ').nth(1).unwrap();
    let heading = if LISTS.contains(&name) {
        " --heading"
    } else {
        ""
    };
    let arguments = line.strip_prefix("codeagent ").unwrap();
    let mut shell = Command::new("sh");
    shell
        .args([
            "-c",
            &format!("exec \"$0\" {arguments}{heading} 2>&1"),
            env!("CARGO_BIN_EXE_codeagent"),
        ])
        .current_dir(folder)
        .env("CODEAGENT_DATA_DIR", folder.with_file_name("indexes"))
        .env("NO_COLOR", "1");
    loop {
        let output = shell.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        // A busy machine may not have time to check for changes.
        if !text.contains("could not check") {
            assert!(output.status.success(), "{line}: {text}");
            return text;
        }
    }
}

/// Returns the page with the output of its commands.
fn with_outputs(folder: &Path, text: &str) -> (String, usize) {
    let mut parts = text.split("<!-- run -->\n```sh\n");
    let mut renewed = parts.next().unwrap().to_owned();
    let mut count = 0;
    for part in parts {
        let (commands, rest) = part.split_once("```\n").unwrap();
        let rest = rest
            .strip_prefix("\n```text\n")
            .expect("a block of output follows");
        let after = rest.split_once("```\n").unwrap().1;
        let outputs: Vec<String> = commands.lines().map(|line| shown(folder, line)).collect();
        count += outputs.len();
        write!(
            renewed,
            "<!-- run -->\n```sh\n{commands}```\n\n```text\n{}```\n{after}",
            outputs.join("\n")
        )
        .unwrap();
    }
    (renewed, count)
}

#[test]
fn commands_in_the_docs_print_what_the_docs_show() {
    let outer = shop::copy("shop");
    let folder = outer.path().join("shop");
    shown(&folder, "codeagent index");
    let mut count = 0;
    for page in pages(&top().join("docs")) {
        let text = read(&page);
        if text.contains("<!-- run -->") {
            let (renewed, commands) = with_outputs(&folder, &text);
            expect_test::expect_file![page].assert_eq(&renewed);
            count += commands;
        }
    }
    assert!(count > 15, "{count} commands");
}

#[test]
fn good_first_rules_are_listed() {
    let mut list = "# Good first rules\n\nKnown gaps: each is a case in `tests/rules` with an annotation \
                    marked `todo`, which fails as soon as the gap is closed.\n\
                    [Fix a wrong edge](../CONTRIBUTING.md#fix-a-wrong-edge) shows how. A test writes this list \
                    (`UPDATE_EXPECT=1`).\n"
        .to_owned();
    for language in ["csharp", "typescript"] {
        let folder = top().join("tests/rules").join(language);
        writeln!(
            list,
            "\n## {}\n",
            if language == "csharp" {
                "C#"
            } else {
                "TypeScript and JavaScript"
            }
        )
        .unwrap();
        for page in pages(&folder) {
            let name = page.file_name().unwrap().to_string_lossy().into_owned();
            for heading in open_rules(&read(&page)) {
                let link = format!("{REPOSITORY}/blob/main/tests/rules/{language}/{name}");
                writeln!(list, "* {heading} ([{name}]({link}))").unwrap();
            }
        }
    }
    expect_test::expect_file![top().join("docs/reference/good-first-rules.md")].assert_eq(&list);
}

/// Returns the headings of the cases that have an annotation marked `todo`.
fn open_rules(text: &str) -> Vec<String> {
    let mut headings: Vec<String> = Vec::new();
    let mut last = "";
    for line in text.lines() {
        if let Some(heading) = line
            .strip_prefix("## ")
            .or_else(|| line.strip_prefix("### "))
        {
            last = heading;
        }
        let is_comment = line.trim_start().starts_with("//");
        let is_open = is_comment && (line.contains("^ todo ") || line.contains("<- todo "));
        if is_open && headings.last().is_none_or(|heading| heading != last) {
            headings.push(last.to_owned());
        }
    }
    headings
}
