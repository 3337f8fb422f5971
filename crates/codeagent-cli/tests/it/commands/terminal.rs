//! A repository cannot control the terminal: names, paths, source lines and documentation are
//! escaped in all output.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Sets the title, moves the cursor, returns to the line's start, is a C1 control, and reverses the
/// following text.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2Jx\u{9b}31m\u{85}y\u{7f}\u{202e}z\u{2066}\u{61c}";

struct Hostile {
    outer: tempfile::TempDir,
}

impl Hostile {
    fn new() -> Self {
        let hostile = Self {
            outer: tempfile::tempdir().unwrap(),
        };
        let named = format!("web/{HOSTILE}.ts");
        let source = format!(
            "/** Doc {HOSTILE} of it. */\nexport class Door {{\n  /** Closes {HOSTILE}. */\n  close(a = \"{HOSTILE}\") {{ return a; /*{HOSTILE}*/ }}\n  \
             \"{HOSTILE}\"() {{ this.close(); /* {HOSTILE} */ }}\n}}\nexport class Gate extends Door {{ close(a = \"\") {{ return a; /*{HOSTILE}*/ }} }}\n\
             export function go(door: Door, any: any) {{ door.close(); /*{HOSTILE}*/ any.close(); /*{HOSTILE}*/ }}\n"
        );
        for (path, text) in [
            (named.as_str(), source.as_str()),
            (
                "web/plain.ts",
                &format!(
                    "// {HOSTILE}\nexport function open(/* {HOSTILE} */) {{ return `${HOSTILE}`; }}\n"
                ),
            ),
            (&format!("web/broken{HOSTILE}.ts"), "export function ("),
            (&format!("web/binary{HOSTILE}.ts"), "\0\0\0"),
            (
                &format!("src/{HOSTILE}.csproj"),
                "<Project><PropertyGroup></PropertyGroup></Project>",
            ),
            (
                "src/A.cs",
                &format!(
                    "/// <summary>Doc {HOSTILE}</summary>\nclass A {{ void M(string s = \"{HOSTILE}\") {{ M(); /*{HOSTILE}*/ }} }}\n"
                ),
            ),
            (
                ".codeagent/config.json",
                &serde_json::json!({ HOSTILE: 1 }).to_string(),
            ),
            ("README.md", &format!("close {HOSTILE}\n")),
        ] {
            let path = hostile.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        hostile
    }

    fn root(&self) -> PathBuf {
        self.outer.path().join("root\u{1b}[31m")
    }

    /// Runs a command, and again while the output says that there was no time to check for changes.
    fn run(&self, arguments: &[&str], colours: bool) -> Output {
        loop {
            let output = self.run_once(arguments, colours);
            let printed = [&output.stdout, &output.stderr].map(|bytes| text(bytes));
            if !printed
                .iter()
                .any(|printed| printed.contains("could not check"))
            {
                return output;
            }
        }
    }

    fn run_once(&self, arguments: &[&str], colours: bool) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command.args(arguments).current_dir(self.root()).env(
            "CODEAGENT_DATA_DIR",
            self.outer.path().join("home\u{1b}[2J"),
        );
        command.env_remove("CODEAGENT_LOG").env(
            if colours {
                "CLICOLOR_FORCE"
            } else {
                "NO_COLOR"
            },
            "1",
        );
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let event = serde_json::json!({ "hook_event_name": "PostToolUse", "tool_input": { "pattern": "Door|go|open|close" } });
        // Only the hook reads its input.
        child
            .stdin
            .take()
            .unwrap()
            .write_all(event.to_string().as_bytes())
            .ok();
        child.wait_with_output().unwrap()
    }
}

fn acts(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Removes durations, which differ from run to run.
fn timeless(text: &str) -> String {
    let is_time =
        |word: &str| word.trim_end_matches(',').parse::<f64>().is_ok() || word.ends_with("ms");
    text.lines()
        .map(|line| {
            line.split(' ')
                .filter(|word| !is_time(word))
                .collect::<Vec<_>>()
                .join(" ")
                + "\n"
        })
        .collect()
}

#[test]
fn a_repository_cannot_control_the_terminal() {
    let hostile = Hostile::new();
    let evil = format!("web/{HOSTILE}.ts");
    let missing = format!("web/missing{HOSTILE}.ts");
    let at = format!("{evil}:8");
    let out = hostile.outer.path().join("out");
    let out = out.to_str().unwrap();
    assert!(hostile.run(&["index"], false).status.success());
    let (mut escaped, mut commands) = (0, 0);
    for arguments in [
        &["index", "--verbose"][..],
        &["status"],
        &["search", "door"],
        &["search", "open"],
        &["search", HOSTILE],
        &["lookup", "Door"],
        &["lookup", HOSTILE],
        &["symbol", "Door"],
        &["symbol", "Door.close"],
        &["symbol", "A.M"],
        &["declarations", "Door.close"],
        &["outline", &evil],
        &["outline", &missing],
        &["outline", "web/plain.ts"],
        &["callers", "Door.close"],
        &["callers", "Door.*"],
        &["callers", "close"],
        &["callers", "Door"],
        &["callers", HOSTILE],
        &["callers", "Door.clos"],
        &["callers", "A.M"],
        &["callees", &at],
        &["implementations", "Door"],
        &["implementations", "Door.close"],
        &["references", "Door"],
        &["references", "close", "--file", &missing],
        &["dependencies", "go"],
        &["dependents", "Door"],
        &["export", "--out", out],
        &["export", "--out", &missing, "--format", "tsv"],
        &["debug", "facts", &evil],
        &["debug", "link", &at],
        &["debug", "calls"],
        &["debug", "facts", &missing],
        &["doctor"],
        &["hook"],
        &["clean", "--dry-run"],
        &["daemon", "status"],
        &["status", HOSTILE],
        &["status", "--root", &missing],
        &["install", "cursor", "--dry-run"],
    ] {
        let [plain, coloured] = [false, true].map(|colours| hostile.run(arguments, colours));
        let json = hostile.run(&[arguments, &["--json"]].concat(), true);
        for (plain, coloured) in [
            (&plain.stdout, &coloured.stdout),
            (&plain.stderr, &coloured.stderr),
        ] {
            let (plain, coloured) = (text(plain), text(coloured));
            assert!(!plain.contains(acts), "{arguments:?}: {plain:?}");
            let uncoloured = ["\u{1b}[35m", "\u{1b}[32m", "\u{1b}[1m", "\u{1b}[0m"]
                .iter()
                .fold(coloured, |text, colour| text.replace(colour, ""));
            assert_eq!(timeless(&uncoloured), timeless(&plain), "{arguments:?}");
            escaped += plain.matches("\\u{202e}").count();
        }
        let whole = text(&json.stdout);
        assert!(!whole.contains(acts), "{arguments:?}: {whole:?}");
        assert!(
            json.stderr.is_empty(),
            "{arguments:?}: {}",
            text(&json.stderr)
        );
        if !whole.is_empty() {
            serde_json::from_str::<serde_json::Value>(&whole)
                .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {whole}"));
        }
        commands += 1;
    }
    assert!(
        commands > 40 && escaped > 60,
        "{commands} commands, {escaped} times"
    );
    for table in ["symbols", "calls", "refs", "inherits"] {
        let table = std::fs::read_to_string(Path::new(&format!("{out}.{table}.tsv"))).unwrap();
        assert!(
            !table.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')),
            "{table:?}"
        );
    }
}
