//! README commands marked `<!-- run -->` print what README shows when run in a clone that contains
//! the shop. `UPDATE_EXPECT=1` redraws the picture from them, the table has every command, and all
//! links resolve.

use std::path::Path;
use std::process::Command;

use crate::shop;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap()
}

/// Returns the code block of a kind at the start of a text.
fn block<'a>(text: &'a str, kind: &str) -> Option<&'a str> {
    let rest = text.trim_start().strip_prefix(&format!("```{kind}\n"))?;
    rest.split_once("```").map(|(block, _)| block)
}

/// Returns the output of a command run in a folder, with or without colours.
fn run(folder: &Path, line: &str, colours: bool) -> String {
    let mut words = line.split(' ');
    assert_eq!(words.next(), Some("codeagent"), "{line}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    // Lists are shown as on a terminal.
    let is_list = ["callers", "implementations", "search"]
        .iter()
        .any(|name| line.starts_with(&format!("codeagent {name} ")));
    command
        .args(words)
        .args(is_list.then_some("--heading"))
        .current_dir(folder)
        .env("CODEAGENT_DATA_DIR", folder.join("indexes"));
    command.env(
        if colours {
            "CLICOLOR_FORCE"
        } else {
            "NO_COLOR"
        },
        "1",
    );
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_readme_picture_matches_terminal_output() {
    let (root, text) = (shop::copy("tests/shop"), readme());
    assert!(text.contains("(docs/first-answer.svg)"));
    let mut blocks = text
        .split("<!-- run -->")
        .skip(1)
        .map(|part| block(part, "sh").unwrap());
    run(root.path(), blocks.next().unwrap().trim_end(), false);
    let commands = blocks.next().unwrap();
    let terminal: String = commands
        .lines()
        .map(|line| {
            format!(
                "\u{1b}[1m$ {line}\u{1b}[0m\n{}",
                run(root.path(), line, true)
            )
        })
        .collect();
    expect_test::expect_file!["../../../../docs/first-answer.svg"]
        .assert_eq(&anstyle_svg::Term::new().render_svg(&terminal));
}

#[test]
fn readme_commands_print_what_the_readme_shows() {
    let (root, text) = (shop::copy("tests/shop"), readme());
    let run = |line: &str| run(root.path(), line, false);
    let (mut commands, mut shown) = (0, 0);
    for part in text.split("<!-- run -->").skip(1) {
        let block_of_commands = block(part, "sh").unwrap();
        let printed: String = block_of_commands.lines().map(run).collect();
        assert!(!printed.is_empty());
        commands += block_of_commands.lines().count();
        let after = part
            .split_once("```sh\n")
            .unwrap()
            .1
            .split_once("```\n")
            .unwrap()
            .1;
        if let Some(expected) = block(after, "text") {
            assert_eq!(printed, expected, "{block_of_commands}");
            shown += 1;
        }
    }
    assert!(commands > 5 && shown > 0);
}

#[test]
fn the_readme_table_has_every_command() {
    let help = Command::new(env!("CARGO_BIN_EXE_codeagent"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help
        .split_once("Commands:\n")
        .unwrap()
        .1
        .split("\n\n")
        .next()
        .unwrap();
    let text = readme();
    let table: String = text
        .lines()
        .filter(|line| line.starts_with("| `codeagent "))
        .collect();
    let mut count = 0;
    // A long description continues on an indented line.
    let commands = commands.lines().filter(|line| !line.starts_with("   "));
    for name in commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
    {
        assert!(
            table.contains(&format!("codeagent {name}")) || table.contains(&format!("`{name}")),
            "`{name}` is not in the table"
        );
        count += 1;
    }
    assert!(count > 10, "{help}");
}

#[test]
fn the_readme_is_short_and_its_links_resolve() {
    let text = readme();
    assert!(
        text.lines().count() <= 200,
        "{} lines",
        text.lines().count()
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut links = 0;
    for target in text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
    {
        let path = target.split('#').next().unwrap();
        assert!(root.join(path).exists(), "{target}");
        links += 1;
    }
    assert!(links > 10, "{links} links");
}
