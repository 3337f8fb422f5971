//! `install` and `uninstall`: add the server to clients' settings once, remove it, and change
//! nothing else.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A home folder of its own, and a `PATH` with only the programs that a test adds.
struct Machine {
    home: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("bin")).unwrap();
        Self { home }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(arguments)
            .current_dir(self.home.path())
            .env_clear();
        command
            .env("HOME", self.home.path())
            .env("PATH", self.home.path().join("bin"))
            .output()
            .unwrap()
    }

    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.home.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.home.path().join(path)).ok()
    }

    /// Creates a program that records its arguments.
    fn program(&self, name: &str) {
        self.write(
            &format!("bin/{name}"),
            &format!("#!/bin/sh\necho \"$@\" >> \"$HOME/{name}.called\"\n"),
        );
        let path = self.home.path().join("bin").join(name);
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
}

const FILES: &[(&str, &str, &str)] = &[
    ("cursor", ".cursor/mcp.json", "mcpServers"),
    ("vscode", ".config/Code/User/mcp.json", "servers"),
    ("gemini", ".gemini/settings.json", "mcpServers"),
    ("opencode", ".config/opencode/opencode.json", "mcp"),
    ("claude", ".claude.json", "mcpServers"),
    ("zed", ".config/zed/settings.json", "context_servers"),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "mcpServers",
    ),
    (
        "cline",
        ".cline/data/settings/cline_mcp_settings.json",
        "mcpServers",
    ),
    (
        "continue",
        ".continue/mcpServers/codeagent.json",
        "mcpServers",
    ),
    ("junie", ".junie/mcp/mcp.json", "mcpServers"),
];

#[test]
fn install_adds_one_key_and_uninstall_restores_the_file() {
    for (client, path, servers) in FILES {
        for before in [None, Some("{\n\t// mine\n\t\"theme\": \"dark\",\n}\n")] {
            let machine = Machine::new();
            if let Some(text) = before {
                machine.write(path, text);
            }
            let planned = machine.stdout(&["install", client, "--dry-run"]);
            assert!(
                planned.contains("would change") && planned.contains("+ "),
                "{planned}"
            );
            assert_eq!(
                machine.read(path).as_deref(),
                before,
                "{client}: nothing is changed yet"
            );
            assert!(
                machine
                    .stdout(&["install", client])
                    .contains("\"codeagent\"")
            );
            let text = machine.read(path).unwrap();
            assert_eq!(
                machine.stdout(&["install", client]),
                format!("{client}: nothing to change\n")
            );
            assert_eq!(machine.read(path).unwrap(), text);
            if before.is_none() {
                let entry =
                    serde_json::from_str::<Value>(&text).unwrap()[servers]["codeagent"].clone();
                let command = entry["command"]
                    .as_str()
                    .or(entry["command"][0].as_str())
                    .unwrap();
                assert!(Path::new(command).is_absolute(), "{entry}");
            }
            assert!(machine.stdout(&["uninstall", client]).contains("- "));
            assert_eq!(machine.read(path).as_deref(), before, "{client}");
            assert_eq!(
                machine.stdout(&["uninstall", client]),
                format!("{client}: nothing to change\n")
            );
        }
    }
}

#[test]
fn a_client_with_a_command_is_configured_by_it() {
    let machine = Machine::new();
    machine.program("claude");
    assert!(
        machine
            .stdout(&["install", "all", "--dry-run"])
            .contains("claude: would run claude mcp add -s user codeagent -- /")
    );
    assert_eq!(machine.read("claude.called"), None);
    let answer = machine.stdout(&["install", "all"]);
    assert!(
        answer.contains("claude: ran claude mcp add -s user codeagent -- /")
            && !answer.contains("gemini"),
        "{answer}"
    );
    assert!(
        machine
            .read("claude.called")
            .unwrap()
            .ends_with("/codeagent mcp --profile agent\n")
    );
    machine.write(
        ".claude.json",
        r#"{"mcpServers":{"codeagent":{"command":"/old/codeagent","args":["mcp"]}}}"#,
    );
    machine.stdout(&["install", "claude"]);
    assert_eq!(
        machine.read("claude.called").unwrap().lines().count(),
        1,
        "its command would drop the keys of the entry that is there"
    );
    assert!(
        machine
            .stdout(&["uninstall", "claude"])
            .contains("claude mcp remove -s user codeagent")
    );
}

#[test]
fn toml_settings_keep_their_comments() {
    let text = "# mine\nmodel = \"x\" # keep\n\n[mcp_servers.other] # another\ncommand = \"node\"\nargs = [ \"x.js\" ]\n";
    for before in [None, Some(text)] {
        let machine = Machine::new();
        if let Some(before) = before {
            machine.write(".codex/config.toml", before);
        }
        machine.stdout(&["install", "codex"]);
        let after = machine.read(".codex/config.toml").unwrap();
        assert!(
            after.starts_with(before.unwrap_or("[mcp_servers.codeagent]\ncommand = \"/")),
            "{after}"
        );
        assert!(
            after.ends_with("args = [\"mcp\",\"--profile\",\"agent\"]\n"),
            "{after}"
        );
        assert_eq!(
            machine.stdout(&["install", "codex"]),
            "codex: nothing to change\n"
        );
        machine.stdout(&["uninstall", "codex"]);
        assert_eq!(machine.read(".codex/config.toml").as_deref(), before);
    }
}

#[test]
fn settings_that_cannot_be_edited_are_reported_and_unchanged() {
    let machine = Machine::new();
    machine.write(".cursor/mcp.json", "{ broken");
    machine.write(".gemini/settings.json", "{ \"mcpServers\": [] }");
    machine.write(
        ".codex/config.toml",
        "mcp_servers = { other = { command = \"x\" } }\n",
    );
    for client in ["cursor", "gemini", "codex"] {
        let output = machine.run(&["install", client]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && said.contains("not changed"),
            "{client}: {said}"
        );
    }
    assert_eq!(machine.read(".cursor/mcp.json").unwrap(), "{ broken");
}

#[test]
fn an_existing_entry_keeps_its_keys() {
    for (client, path, servers) in FILES {
        let machine = Machine::new();
        let command = if *client == "opencode" {
            "\"command\": [\"/old/codeagent\", \"serve\"]"
        } else {
            "\"command\": \"/old/codeagent\""
        };
        let text = format!(
            "{{\n  \"{servers}\": {{\n    \"codeagent\": {{ // mine\n      {command},\n      \"env\": {{ \"A\": \"1\" }}, /* kept */\n      \
             \"disabled\": true, \"enabled\": false\n    }}\n  }}\n}}\n"
        );
        machine.write(path, &text);
        let planned = machine.stdout(&["install", client, "--dry-run"]);
        assert!(
            planned.contains("would change") && planned.contains("/old/codeagent"),
            "{planned}"
        );
        machine.stdout(&["install", client]);
        assert_eq!(
            machine.stdout(&["install", client]),
            format!("{client}: nothing to change\n")
        );
        let after = machine.read(path).unwrap();
        for kept in [
            "{ // mine\n",
            "\"env\": { \"A\": \"1\" }, /* kept */\n",
            "\"disabled\": true, \"enabled\": false",
        ] {
            assert!(after.contains(kept), "{client}: {after}");
        }
        assert!(
            !after.contains("/old/") && after.contains("/codeagent\"") && after.contains("\"mcp\""),
            "{client}: {after}"
        );
        machine.stdout(&["uninstall", client]);
        assert!(
            machine.read(path).unwrap().contains(servers),
            "what was there before stays: {:?}",
            machine.read(path)
        );
    }
    let machine = Machine::new();
    let text = "[mcp_servers.codeagent]\ncommand = \"/old/codeagent\" # mine\nstartup_timeout_sec = 20\n\n[mcp_servers.codeagent.env]\nA = \"1\"\n";
    machine.write(".codex/config.toml", text);
    machine.stdout(&["install", "codex"]);
    let after = machine.read(".codex/config.toml").unwrap();
    assert!(
        after.starts_with(
            "[mcp_servers.codeagent]\nargs = [\"mcp\",\"--profile\",\"agent\"]\ncommand = \"/"
        ) && after.contains("/codeagent\" # mine\n"),
        "{after}"
    );
    assert!(
        after.ends_with("startup_timeout_sec = 20\n\n[mcp_servers.codeagent.env]\nA = \"1\"\n"),
        "{after}"
    );
    assert_eq!(
        machine.stdout(&["install", "codex"]),
        "codex: nothing to change\n"
    );
}

#[test]
fn entries_of_older_versions_are_updated_and_others_keep_their_arguments() {
    let machine = Machine::new();
    for (arguments, expected, is_kept) in [
        ("[\"mcp\"]", "\"agent\"", false),
        ("[\"mcp\", \"--answers\", \"compact\"]", "\"compact\"", true),
    ] {
        machine.write(
            ".gemini/settings.json",
            &format!("{{\"mcpServers\":{{\"codeagent\":{{\"command\":\"/old/codeagent\",\"args\":{arguments}}}}}}}"),
        );
        let output = machine.run(&["install", "gemini"]);
        let notes = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            notes.contains("are kept (mcp --answers compact)"),
            is_kept,
            "{notes}"
        );
        let after = machine.read(".gemini/settings.json").unwrap();
        assert!(
            after.contains(expected) && !after.contains("/old/"),
            "{after}"
        );
        assert_eq!(after.contains("--profile"), !is_kept, "{after}");
    }
}

#[test]
fn uninstall_keeps_what_the_user_wrote() {
    for (client, path, servers) in FILES {
        let own_servers = format!("{{\n  \"{servers}\": {{}}\n}}\n");
        let commented = format!("{{\n  \"{servers}\": {{\n    // none yet\n  }}\n}}\n");
        for before in [
            "{}",
            "{}\n",
            "{ // c\n}",
            "{ /* c */ }",
            "// head\n{\n}\n// tail\n",
            &own_servers,
            &commented,
        ] {
            let machine = Machine::new();
            machine.write(path, before);
            machine.stdout(&["install", client]);
            machine.stdout(&["uninstall", client]);
            let expected = before.replace("{\n}", "{}");
            assert_eq!(
                machine.read(path).as_deref(),
                Some(expected.as_str()),
                "{client}"
            );
        }
        let machine = Machine::new();
        machine.stdout(&["install", client]);
        std::fs::remove_dir_all(machine.home.path().join(".cache/codeagent")).unwrap();
        machine.stdout(&["uninstall", client]);
        assert!(
            machine
                .read(path)
                .is_some_and(|text| !text.contains("codeagent")),
            "without a record no file is removed"
        );
    }
}

#[test]
fn uninstalling_everything_stops_daemons() {
    let machine = Machine::new();
    machine.write("repo/a.ts", "export function f() {}\n");
    let root = machine.home.path().join("repo");
    let root = root.to_str().unwrap();
    machine.stdout(&["daemon", "start", "--idle", "1", "--root", root]);
    assert!(
        machine
            .stdout(&["uninstall", "all", "--dry-run"])
            .contains("would stop the daemon of ")
    );
    assert!(
        machine
            .stdout(&["daemon", "status", "--root", root])
            .contains("process ")
    );
    let said = machine.stdout(&["uninstall", "all"]);
    assert!(
        said.starts_with("stopped the daemon of ") && said.contains("/repo (process "),
        "{said}"
    );
    assert!(
        !machine
            .stdout(&["daemon", "status", "--root", root])
            .contains("process ")
    );
}

#[test]
fn a_daemon_runs_until_the_last_client_is_removed() {
    let machine = Machine::new();
    machine.write("repo/a.ts", "export function f() {}\n");
    let root = machine.home.path().join("repo");
    let root = root.to_str().unwrap();
    for client in ["cursor", "gemini"] {
        machine.stdout(&["install", client]);
    }
    machine.stdout(&["daemon", "start", "--idle", "1", "--root", root]);
    assert!(!machine.stdout(&["uninstall", "cursor"]).contains("daemon"));
    assert!(
        machine
            .stdout(&["uninstall", "gemini"])
            .contains("stopped the daemon")
    );
    assert!(!machine.stdout(&["uninstall", "gemini"]).contains("daemon"));
}

#[test]
fn without_a_name_the_clients_on_the_machine_are_listed() {
    let machine = Machine::new();
    let said = |arguments: &[&str]| {
        let output = machine.run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(&["install"]).contains("nothing to install"));

    machine.write(".cursor/mcp.json", "{}");
    machine.write(".junie/settings", "");
    machine.write(".continue/config.yaml", "name: mine\n");
    machine.stdout(&["install", "cursor"]);
    assert_eq!(
        said(&["install"]),
        "cursor: set up\ncontinue: not set up\njunie: not set up\n\
         note: `codeagent install all` changes continue, junie; or name one of them\n"
    );
    assert_eq!(
        machine.read(".junie/mcp/mcp.json"),
        None,
        "without a terminal nothing is changed"
    );
    assert!(said(&["install", "--dry-run"]).contains("junie: would change "));
    assert!(
        said(&["uninstall"])
            .ends_with("`codeagent uninstall all` changes cursor; or name one of them\n")
    );

    machine.stdout(&["install", "all"]);
    let entry = machine.read(".continue/mcpServers/codeagent.json").unwrap();
    assert!(entry.contains("\"mcpServers\""), "{entry}");
    machine.stdout(&["uninstall", "all"]);
    assert_eq!(machine.read(".continue/mcpServers/codeagent.json"), None);
    assert_eq!(machine.read(".cursor/mcp.json").as_deref(), Some("{}"));
}

#[test]
fn cline_is_set_up_where_it_is_installed() {
    let machine = Machine::new();
    machine.stdout(&["install", "cline"]);
    assert!(
        machine
            .read(".cline/data/settings/cline_mcp_settings.json")
            .is_some()
    );
    let extension =
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    machine.write(extension, "{ \"mcpServers\": {} }\n");
    machine.stdout(&["install", "cline"]);
    assert!(machine.read(extension).unwrap().contains("codeagent"));
}

#[test]
fn the_report_has_no_paths_names_or_code() {
    let machine = Machine::new();
    machine.write(
        "secretroot/secretfolder/secretfile.ts",
        "export function secretFunction() { secretCall(); }\n",
    );
    machine.write(
        "secretroot/secretfolder/broken.ts",
        "export function secretFunction( {{{\n",
    );
    machine.write(
        "secretroot/secretfolder/secretproject.csproj",
        "<Project Sdk=\"Microsoft.NET.Sdk\" />",
    );
    machine.write(
        "secretroot/secretfolder/secretlarge.ts",
        &"secretLine".repeat(10_000),
    );
    machine.write(".cursor/mcp.json", "{ broken secretsetting");
    let root = machine.home.path().join("secretroot");
    let root = root.to_str().unwrap();
    let home = machine.home.path().file_name().unwrap().to_str().unwrap();
    let report = |expected: &str| {
        let output = machine.run(&["doctor", "--report", "--root", root]);
        let text =
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{text}");
        assert!(text.contains(expected), "{text}");
        let plain = text.to_lowercase();
        for word in ["secret", "broken", home, "/", "\\"] {
            assert!(!plain.contains(word), "{word}: {text}");
        }
        text
    };

    report("index: there is none yet");
    machine.stdout(&["index", "--root", root]);
    let text = report("typescript: ");
    assert!(
        text.contains("1 file that failed") && text.contains("KiB, consistent"),
        "{text}"
    );
    assert!(text.contains("cursor settings cannot be read"), "{text}");

    machine.write("secretroot/.codeagent/config.json", "{ \"secretkey\": 1 }");
    report("settings: 1 note");
    machine.write(
        "secretroot/.codeagent/config.json",
        "{ \"include\": \"secret\" }",
    );
    report("settings: invalid");

    let output = machine.run(&["doctor", "--report", "--root", "/nonexistent-secret"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("repository: cannot be opened") && !text.contains("secret"),
        "{text}"
    );
}

#[test]
fn links_and_permissions_of_settings_files_are_kept() {
    let machine = Machine::new();
    machine.write("dotfiles/mcp.json", "{}");
    std::fs::set_permissions(
        machine.home.path().join("dotfiles/mcp.json"),
        PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    std::fs::create_dir(machine.home.path().join(".cursor")).unwrap();
    std::os::unix::fs::symlink(
        machine.home.path().join("dotfiles/mcp.json"),
        machine.home.path().join(".cursor/mcp.json"),
    )
    .unwrap();
    machine.stdout(&["install", "cursor"]);
    assert!(machine.home.path().join(".cursor/mcp.json").is_symlink());
    assert!(
        machine
            .read("dotfiles/mcp.json")
            .unwrap()
            .contains("codeagent")
    );
    let mode = std::fs::metadata(machine.home.path().join("dotfiles/mcp.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn doctor_names_the_command_that_fixes_a_problem() {
    let machine = Machine::new();
    machine.write("repo/a.ts", "export function f() {}\n");
    machine.write(".cursor/mcp.json", "{}");
    let root = machine.home.path().join("repo");
    let root = root.to_str().unwrap();
    let output = machine.run(&["doctor", "--root", root]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("run `codeagent index`")
            && said.contains("`codeagent install cursor`")
            && said.contains(", SQLite 3."),
        "{said}"
    );
    machine.stdout(&["index", "--root", root]);
    machine.stdout(&["install", "cursor"]);
    let said = machine.stdout(&["doctor", "--root", root]);
    assert!(
        said.contains("ok index: 1 file, 1 symbol")
            && said.contains("ok cursor: set up")
            && !said.contains("!!"),
        "{said}"
    );
    assert!(
        said.contains("ok index: consistent") && said.contains("watching: "),
        "{said}"
    );
    let data = said
        .lines()
        .find_map(|line| line.strip_prefix("ok data in "))
        .unwrap();
    let token = Path::new(data).join("http-token");
    for (mode, expected) in [
        (0o600, "ok token for HTTP"),
        (0o644, "!! token for HTTP: others may have read"),
    ] {
        std::fs::write(&token, "0123456789abcdef").unwrap();
        std::fs::set_permissions(&token, PermissionsExt::from_mode(mode)).unwrap();
        let said = String::from_utf8(machine.run(&["doctor", "--root", root]).stdout).unwrap();
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn completions_and_manual_cover_every_command() {
    let machine = Machine::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(
            machine
                .stdout(&["completions", shell])
                .contains("uninstall"),
            "{shell}"
        );
    }
    assert!(machine.stdout(&["man"]).contains("codeagent"));
    assert!(machine.stdout(&["man", "mcp"]).contains("allow"));
}
