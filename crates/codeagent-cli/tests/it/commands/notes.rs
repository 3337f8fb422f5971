//! Notes appear in text and JSON output, locations are relative to the working folder, and
//! documented commands work.

use std::path::Path;
use std::process::Command;

use super::Shop;

/// Runs every command with text and with JSON output, on a repository with failed, changed and
/// unresolved parts, while another process holds the write lock: the note is in both. "not in the
/// index yet" names the changed file or, on a slow machine, files that were not compared in time.
#[test]
fn notes_appear_in_text_and_in_json() {
    let shop = Shop::new();
    std::fs::write(
        shop.root.path().join("web/keycode.ts"),
        format!(
            "export enum Keycode {{ A = {} }}\n",
            "1 + ".repeat(8000) + "1"
        ),
    )
    .unwrap();
    let open = "export class Door {\n  close() {}\n}\nexport function go(thing: any) {\n  thing.close();\n}\n";
    std::fs::write(shop.root.path().join("web/door.ts"), open).unwrap();
    assert_eq!(shop.run(&["index"]).status.code(), Some(0));
    std::fs::write(
        shop.root.path().join("src/Shop.Services/OrderService.cs"),
        "// changed",
    )
    .unwrap();
    let mut lock = Some(shop.data().lock_writer().unwrap());
    for (arguments, note) in [
        (
            &["callers", "Door.close"][..],
            "web/door.ts:5:9 thing.close();",
        ),
        (&["callees", "door.ts#go"], "web/door.ts:5:9 thing.close();"),
        (
            &["references", "Door.close"],
            "web/door.ts:5:9 thing.close();",
        ),
        (
            &["dependents", "Door.close"],
            "web/door.ts:5:9 thing.close();",
        ),
        (
            &["dependencies", "door.ts#go"],
            "web/door.ts:5:9 thing.close();",
        ),
        (
            &["implementations", "Door.close"],
            "nothing in the repository implements",
        ),
        (
            &["callers", "PriceCalculator.Price"],
            "changed since the index was updated",
        ),
        (
            &["symbol", "OrderService"],
            "changed since the index was updated",
        ),
        (
            &["declarations", "OrderService"],
            "changed since the index was updated",
        ),
        (
            &["lookup", "OrderService"],
            "changed since the index was updated",
        ),
        (
            &["search", "keycode"],
            "web/keycode.ts could not be indexed",
        ),
        (
            &["outline", "web/keycode.ts"],
            "web/keycode.ts could not be indexed",
        ),
        (
            &["callers", "Order.Place", "--limit", "1", "--file", "src"],
            "changed since the index was updated",
        ),
        (
            &["callers", "PriceCalculator.Price"],
            "changed since the index was updated: src/Shop.Services/OrderService.cs;",
        ),
        (
            &["callees", "door.ts#go"],
            "no call in web/door.ts#go resolves to this repository",
        ),
        (
            &["dependencies", "door.ts#go"],
            "no use in web/door.ts#go resolves to this repository",
        ),
        (
            &["implementations", "IOrderService"],
            "changed since the index was updated",
        ),
        (
            &["implementations", "Door.close"],
            "web/door.ts:5:9 thing.close();",
        ),
        (
            &["references", "PriceCalculator"],
            "changed since the index was updated",
        ),
        (
            &["dependencies", "OrderService.Place"],
            "changed since the index was updated",
        ),
        (
            &["dependents", "PriceCalculator.Price"],
            "changed since the index was updated",
        ),
        (&["search", "order"], "changed since the index was updated"),
        (
            &["outline", "src/Shop.Services/OrderService.cs"],
            "changed since the index was updated",
        ),
        (&["status"], "web/keycode.ts"),
        (&["status"], "the index yet"),
        (&["export", "--out", "out"], "the index yet"),
        (&["export", "--out", "out"], "1 file could not be indexed"),
        (&["doctor"], "the index yet"),
        (&["doctor"], "1 file could not be indexed"),
        (&["index"], "could not be indexed"),
    ] {
        if arguments[0] == "index" {
            lock = None;
        }
        let text = shop.run(arguments);
        let answer = format!(
            "{}{}",
            String::from_utf8(text.stdout).unwrap(),
            String::from_utf8(text.stderr).unwrap()
        );
        assert!(answer.contains(note), "{arguments:?}: {answer}");
        let json = shop.run(&[arguments, &["--json"]].concat());
        let whole: serde_json::Value = serde_json::from_slice(&json.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
        let note = if arguments[0] == "index" {
            "web/keycode.ts"
        } else {
            note
        };
        assert!(whole.to_string().contains(note), "{arguments:?}: {whole}");
        assert!(
            json.stderr.is_empty(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&json.stderr)
        );
    }
    assert!(lock.is_none());
}

#[test]
fn errors_are_json_if_json_is_requested() {
    let shop = Shop::new();
    for (arguments, code, exit) in [
        (&["callers", "Order.Place"][..], "engine_unavailable", 3),
        (&["nonsense"], "invalid_parameter", 2),
        (&["search"], "invalid_parameter", 2),
    ] {
        let output = shop.run(&[arguments, &["--json"]].concat());
        let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (error["error"]["code"].as_str(), output.status.code()),
            (Some(code), Some(exit)),
            "{arguments:?}: {error}"
        );
    }
    assert!(!shop.data().path().exists(), "asking makes no index");
    assert_eq!(shop.run(&["index"]).status.code(), Some(0));
    for (arguments, code) in [
        (&["callers", "No.Such"][..], "not_found"),
        (&["outline", "../x.cs"], "path_escape"),
    ] {
        let output = shop.run(&[arguments, &["--json"]].concat());
        let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (error["error"]["code"].as_str(), output.status.code()),
            (Some(code), Some(2)),
            "{arguments:?}: {error}"
        );
    }
}

#[test]
fn locations_are_relative_to_the_working_folder() {
    let shop = Shop::indexed();
    let from = |folder: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(arguments)
            .env("CODEAGENT_DATA_DIR", shop.home())
            .env_remove("CODEAGENT_LOG");
        String::from_utf8(
            command
                .current_dir(shop.root.path().join(folder))
                .output()
                .unwrap()
                .stdout,
        )
        .unwrap()
    };
    let callers = from("src/Shop.Services", &["callers", "PriceCalculator.Price"]);
    assert!(
        callers.starts_with("OrderService.cs:33:28: OrderService.Place: "),
        "the index of the folder above is found: {callers}"
    );
    assert!(
        from("src/Shop.Services", &["symbol", "OrderService.cs:31"])
            .starts_with("method Shop.Services.OrderService.Place")
    );
    assert!(
        from("web", &["outline", "../src/Shop.Services/OrderService.cs"]).contains("method Place")
    );
    assert!(
        !callers.contains('\u{1b}'),
        "no colours where no terminal is"
    );
}

#[test]
fn query_operators_and_punctuation_are_searched_as_text() {
    let shop = Shop::indexed();
    for words in ["AND", "^", "order AND", "\"", "NEAR("] {
        let output = shop.run(&["search", words]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{words}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn version_and_help_list_every_command() {
    let version = Command::new(env!("CARGO_BIN_EXE_codeagent"))
        .arg("--version")
        .output()
        .unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    assert!(version.starts_with("codeagent 0."), "{version}");
    for command in [
        "index",
        "status",
        "search",
        "lookup",
        "symbol",
        "declarations",
        "outline",
        "callers",
        "dependents",
        "export",
        "daemon",
        "clean",
        "model",
        "mcp",
    ] {
        let help = Command::new(env!("CARGO_BIN_EXE_codeagent"))
            .args([command, "--help"])
            .output()
            .unwrap();
        assert!(
            String::from_utf8(help.stdout).unwrap().contains("Example"),
            "{command}"
        );
    }
}

/// Returns the commands that a document names: `codeagent callers NAME`, `callees NAME`, and what
/// follows `--bin codeagent --` in its code blocks.
fn commands_of(document: &str) -> Vec<Vec<String>> {
    let known = ["callees", "declarations", "references", "dependents"];
    let mut found = Vec::new();
    for code in document.split('`').skip(1).step_by(2) {
        let words: Vec<String> = code.split_whitespace().map(str::to_owned).collect();
        match words.first().map(String::as_str) {
            Some("codeagent") if words.len() > 1 => found.push(words[1..].to_vec()),
            Some(command) if known.contains(&command) && words.len() == 2 => found.push(words),
            _ => {}
        }
    }
    for rest in document.split("--bin codeagent -- ").skip(1) {
        let line = rest
            .lines()
            .next()
            .unwrap_or_default()
            .split(" && ")
            .next()
            .unwrap_or_default();
        found.push(line.split_whitespace().map(str::to_owned).collect());
    }
    found
}

#[test]
fn documented_commands_work() {
    let shop = Shop::indexed();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = 0;
    for document in [
        "README.md",
        "CHANGELOG.md",
        "docs/ACCURACY.md",
        "docs/ARCHITECTURE.md",
        "docs/CONTRIBUTING.md",
        "docs/configuration.md",
    ] {
        for command in commands_of(&std::fs::read_to_string(folder.join(document)).unwrap()) {
            let mut arguments: Vec<String> = Vec::new();
            let mut words = command.iter().map(String::as_str);
            while let Some(word) = words.next() {
                arguments.push(match word {
                    "NAME" => "OrderService.Place".to_owned(),
                    "WORDS" => "order".to_owned(),
                    "SHELL" => "bash".to_owned(),
                    "FILE" | "src/Cart.cs" => "src/Shop.Domain/Order.cs".to_owned(),
                    "FILE:LINE:COL" | "src/Cart.cs:33:28" => {
                        "src/Shop.Services/OrderService.cs:33:28".to_owned()
                    }
                    "PREFIX" | "before" => {
                        shop.root.path().join("out").to_str().unwrap().to_owned()
                    }
                    // The copy of the shop is always the root.
                    "--root" => {
                        words.next();
                        continue;
                    }
                    // Take the first of several alternatives; a table needs a backslash between them.
                    other => {
                        let first = other.split('|').next().unwrap_or_default();
                        first.trim_end_matches('\\').to_owned()
                    }
                });
            }
            // Mentioned without arguments.
            if matches!(
                arguments.iter().map(String::as_str).collect::<Vec<_>>()[..],
                ["debug", "link"] | ["export"]
            ) {
                arguments.push("--help".to_owned());
            }
            // These run until stopped, remove the index, download, change files outside the shop,
            // compare with git, which the copy is not in, or read a file that is not there.
            let lasting = [
                "demo",
                "watch",
                "daemon",
                "mcp",
                "lsp",
                "view",
                "report",
                "clean",
                "model",
                "install",
                "uninstall",
                "doctor",
                "changes",
                "affected",
                "import",
                "snapshot",
            ];
            if arguments
                .first()
                .is_some_and(|name| lasting.contains(&name.as_str()))
            {
                arguments.truncate(1);
                arguments.push("--help".to_owned());
            }
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let output = shop.run(&arguments);
            assert!(
                output.status.success(),
                "{document}: {arguments:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} commands");
}

#[test]
fn the_log_level_applies_to_codeagents_own_events() {
    let shop = Shop::indexed();
    let logged = |level: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(["symbol", "OrderService", "--root"])
            .arg(shop.root.path())
            .env("CODEAGENT_DATA_DIR", shop.home())
            .env("CODEAGENT_LOG", level);
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert_eq!(logged("error"), "");
    assert!(logged("info").contains("Symbol("), "{}", logged("info"));
    let all = logged("trace");
    assert!(
        all.contains("Symbol(") && all.lines().all(|line| line.contains("codeagent")),
        "{all}"
    );
    assert!(
        !all.contains("class OrderService"),
        "no contents of files: {all}"
    );
}

#[test]
fn the_status_names_packages_that_are_not_installed() {
    let app =
        "import express from 'express';\nimport { map } from '@scope/tools';\nexpress();\nmap();\n";
    let shop = Shop::with(&[
        ("web/app.ts", app),
        (
            "web/node_modules/@scope/tools/package.json",
            "{ \"name\": \"@scope/tools\", \"types\": \"index.d.ts\" }\n",
        ),
        (
            "web/node_modules/@scope/tools/index.d.ts",
            "export declare function map(): void;\n",
        ),
    ]);
    let status = shop.run(&["status"]);
    let notes = String::from_utf8_lossy(&status.stderr);
    assert!(
        notes.contains("npm packages that code uses are not installed (express), so"),
        "{notes}"
    );
}

#[test]
fn answers_with_uncertain_uses_name_packages_that_are_not_installed() {
    let app = "import { container } from 'absent';\n\
               export class Depot { unlock(): void { } }\n\
               export function all(): void { container.resolve<Depot>('x').unlock(); }\n";
    let shop = Shop::with(&[("web/app.ts", app)]);
    for command in ["callers", "references", "explore"] {
        let answer = shop.run(&[command, "Depot.unlock"]);
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&answer.stdout),
            String::from_utf8_lossy(&answer.stderr)
        );
        let note = "1 use may be inferred or unresolved because npm packages are not installed \
                    (absent)";
        assert_eq!(text.matches(note).count(), 1, "{command}: {text}");
    }

    let answer = shop.run(&["callees", "OrderService.Place"]);
    let notes = String::from_utf8_lossy(&answer.stderr);
    assert!(!notes.contains("not installed"), "{notes}");
}
