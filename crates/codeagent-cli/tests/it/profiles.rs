//! The tools that a client sees, by command-line flags. Commands run only if allowed.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

#[cfg(target_os = "linux")]
use codeagent_testkit::poll::wait_until;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const RUN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shell_exec","arguments":{"command":"cat","args":["a.txt"]}}}"#;

/// Starts a server with these flags; returns its tools and the response to a call.
fn call_of_server(flags: &[&str]) -> (Vec<String>, String) {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("a.txt"), "text\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    command
        .args(["mcp", "--root"])
        .arg(root.path())
        .args(flags)
        .env("CODEAGENT_DATA_DIR", root.path().join("data"));
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut input, output) = (
        server.stdin.take().unwrap(),
        BufReader::new(server.stdout.take().unwrap()),
    );
    let mut answers = output.lines();
    let mut ask = |line: &str| {
        writeln!(input, "{line}").unwrap();
        answers.next().unwrap().unwrap()
    };
    ask(HELLO);
    let (listed, ran) = (ask(LIST), ask(RUN));
    drop(input);
    assert!(server.wait().unwrap().success());
    // A tool's name is its first field.
    let names = listed
        .split("{\"name\":\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().to_owned());
    (names.collect(), ran)
}

#[test]
fn commands_are_offered_only_if_allowed() {
    let writing = "list_dir read_file edit_file write_file delete_file move_file mkdir";
    let patching = "patch_apply append write_file create_directory move_file";
    for (flags, expected) in [
        (&["--profile", "patch"][..], patching.to_owned()),
        (&["--profile", "patch", "--read-only"], patching.to_owned()),
        (
            &["--profile", "patch", "--allow-exec"],
            format!("{patching} shell_exec"),
        ),
        (
            &["--profile", "patch", "--allow-exec", "--read-only"],
            format!("{patching} shell_exec"),
        ),
        (&["--profile", "workspace"], writing.to_owned()),
        (
            &["--profile", "workspace", "--read-only"],
            "list_dir read_file".to_owned(),
        ),
        (
            &["--profile", "workspace", "--allow-exec"],
            format!("{writing} run_command"),
        ),
        (
            &["--profile", "workspace", "--allow-exec", "--read-only"],
            "list_dir read_file run_command".to_owned(),
        ),
        (
            &["--profile", "assistant"],
            "list_files read_file search_files get_repo_overview".to_owned(),
        ),
        (
            &["--profile", "local"],
            "local_ripgrep local_view_structure local_find_files local_fetch_content".to_owned(),
        ),
    ] {
        let (names, ran) = call_of_server(flags);
        assert_eq!(names.join(" "), expected, "{flags:?}");
        if expected.contains("shell_exec") {
            // Without a sandbox, the answer says so instead.
            let ran_in_jail = ran.contains("exit_code: 0\\nstdout:\\ntext");
            assert!(
                ran_in_jail || ran.contains("CommandNotAllowed: commands need a sandbox"),
                "{flags:?}: {ran}"
            );
        } else {
            let is_told_how =
                flags[1] != "patch" || ran.contains("CommandNotAllowed: commands are not allowed; start the server with --allow-exec");
            assert!(
                is_told_how && !ran.contains("exit_code"),
                "{flags:?}: {ran}"
            );
            assert!(
                flags[1] == "patch" || ran.contains("-32602"),
                "{flags:?}: {ran}"
            );
        }
    }
    let (names, ran) = call_of_server(&[]);
    assert!(
        names.len() == 23
            && !names
                .iter()
                .any(|name| name.contains("exec") || name.contains("run")),
        "{names:?}"
    );
    assert!(ran.contains("-32602"), "{ran}");

    for profile in ["index", "assistant", "local"] {
        let output = Command::new(env!("CARGO_BIN_EXE_codeagent"))
            .args(["mcp", "--profile", profile, "--allow-exec"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{profile} runs no commands");
    }
}

#[test]
fn the_root_of_local_may_come_from_the_environment() {
    let outer = tempfile::tempdir().unwrap();
    let folder = |name: &str| outer.path().join(name);
    for name in ["here", "named", "given"] {
        std::fs::create_dir_all(folder(name).join(".git")).unwrap();
        std::fs::write(folder(name).join(format!("{name}.txt")), "text\n").unwrap();
    }
    let find = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"NAME","arguments":{"queries":[{"path":"."}]}}}"#;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_files","arguments":{}}}"#;
    let find = find.replace("NAME", "local_find_files");
    let named = folder("named");
    let given = ["--root", folder("given").to_str().unwrap()].map(str::to_owned);
    for (profile, variable, flags, question, expected) in [
        ("local", None, &[][..], find.as_str(), "here.txt"),
        ("local", Some(""), &[], &find, "here.txt"),
        ("local", named.to_str(), &[], &find, "named.txt"),
        ("local", named.to_str(), &given, &find, "given.txt"),
        // The contracts of the other profiles have no environment variable.
        ("assistant", named.to_str(), &[], list, "here.txt"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(["mcp", "--profile", profile])
            .args(flags)
            .env_remove("WORKSPACE_ROOT")
            .env("CODEAGENT_DATA_DIR", folder("data"));
        command
            .current_dir(folder("here"))
            .envs(variable.map(|value| ("WORKSPACE_ROOT", value)));
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut input, output) = (
            server.stdin.take().unwrap(),
            BufReader::new(server.stdout.take().unwrap()),
        );
        writeln!(input, "{HELLO}\n{question}").unwrap();
        let answer = output.lines().nth(1).unwrap().unwrap();
        drop(input);
        server.wait().unwrap();
        for name in ["here.txt", "named.txt", "given.txt"] {
            assert_eq!(
                answer.contains(name),
                name == expected,
                "{profile} {variable:?} {flags:?}: {answer}"
            );
        }
    }
}

#[test]
fn an_unknown_profile_is_refused() {
    for flags in [
        &["--profile", "lean"][..],
        &["--profile", "index,workspace"],
        &["--profile", ""],
        &["--exec"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_codeagent"))
            .arg("mcp")
            .args(flags)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn commands_are_killed_with_their_server_and_leave_nothing() {
    // Signals that a program can handle, and one that it cannot.
    for signal in ["TERM", "INT", "KILL"] {
        let outer = tempfile::tempdir().unwrap();
        let (root, temp) = (outer.path().join("repo"), outer.path().join("temp"));
        std::fs::create_dir_all(root.join("deep")).unwrap();
        std::fs::create_dir(&temp).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(["mcp", "--profile", "workspace", "--allow-exec", "--root"])
            .arg(&root)
            .env("TMPDIR", &temp);
        command.env("CODEAGENT_DATA_DIR", outer.path().join("data"));
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut input, mut output) = (
            server.stdin.take().unwrap(),
            BufReader::new(server.stdout.take().unwrap()),
        );
        writeln!(input, "{HELLO}").unwrap();
        output.read_line(&mut String::new()).unwrap();
        let program = "import os, time\\nos.makedirs('deep/.git')\\nwhile True:\\n  open('deep/beat', 'w').write(str(time.time())); time.sleep(.01)";
        let arguments =
            format!(r#"{{"command":"python3","args":["-c","{program}"],"timeoutMs":60000}}"#);
        let call = format!(r#"{{"name":"run_command","arguments":{arguments}}}"#);
        writeln!(
            input,
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{call}}}"#
        )
        .unwrap();
        wait_until("the command runs", || {
            root.join("deep/beat").exists() || root.join("deep/.git").exists()
        });
        Command::new("kill")
            .args([&format!("-{signal}"), &server.id().to_string()])
            .status()
            .unwrap();
        server.wait().unwrap();
        // Files made for the sandbox are removed when its last process has ended.
        wait_until("the jail has cleaned up", || {
            !root.join("deep/.git").exists()
        });
        let beat = std::fs::read(root.join("deep/beat")).ok();
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(
            std::fs::read(root.join("deep/beat")).ok(),
            beat,
            "SIG{signal}: it still runs"
        );
        wait_until("the scratch folder is gone", || {
            std::fs::read_dir(&temp).unwrap().next().is_none()
        });
    }
}
