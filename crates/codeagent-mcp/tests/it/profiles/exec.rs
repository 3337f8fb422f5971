//! Command execution: off unless allowed, and then in a sandbox.
//!
//! More than 150 argument vectors read, write or run something outside the root when they are not
//! sandboxed. A control test runs them without a sandbox, which proves that the corpus is not
//! harmless.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use codeagent_files::{ExecPolicy, Launcher, Options};
use serde_json::{Value, json};

use crate::profiles::support::{Session, text_of};

/// Content of the secrets; must never appear in an answer.
const CANARY: &str = "CANARY-7f3a";

/// Returns launchers of both kinds: with namespaces, if the system grants them, and with Landlock
/// alone.
fn launchers() -> [Launcher; 2] {
    let program = || PathBuf::from(env!("CARGO_BIN_EXE_codeagent-mcp"));
    [
        Launcher::of(program()).unwrap(),
        Launcher::without_namespaces(program()).unwrap(),
    ]
}

async fn session(profile: &str, read_only: bool) -> Session {
    let [launcher, _] = launchers();
    session_with(launcher, profile, read_only).await
}

async fn session_with(launcher: Launcher, profile: &str, read_only: bool) -> Session {
    let options = Options {
        read_only,
        exec: ExecPolicy::Jail(launcher),
        ..Options::default()
    };
    let session = Session::with(profile, options, &[]).await;
    plant(session.outer.path());
    session
}

/// Creates a repository with ways to escape from it, and the targets outside.
fn plant(outer: &Path) {
    let (root, outside) = (outer.join("repo"), outer.join("outside"));
    std::fs::create_dir_all(&root).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret"), CANARY).unwrap();
    let evil = format!(
        "#!/bin/sh\ntouch {}\ncat {}\n",
        outside.join("marker").display(),
        outside.join("secret").display()
    );
    for (name, text) in [
        ("f", "a\nb\n"),
        ("g", "a\nc\n"),
        ("evil", evil.as_str()),
        (
            "script.sed",
            &format!(
                "r {}\n1e touch {}\n",
                outside.join("secret").display(),
                outside.join("marker").display()
            ),
        ),
        (
            "script.awk",
            &format!(
                "BEGIN {{ while ((getline x < \"{}\") > 0) print x }}\n",
                outside.join("secret").display()
            ),
        ),
        ("list0", &format!("{}\0", outside.join("secret").display())),
        ("list", &format!("{}\n", outside.join("secret").display())),
        ("many", &"line of text\n".repeat(50_000)),
    ] {
        std::fs::write(root.join(name), text).unwrap();
    }
    std::fs::set_permissions(
        root.join("evil"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    std::os::unix::fs::symlink(outside.join("secret"), root.join("link")).unwrap();
    std::os::unix::fs::symlink(&outside, root.join("dir")).unwrap();
    std::os::unix::fs::symlink(outside.join("marker"), root.join("new")).unwrap();
}

/// Argument vectors. `S` stands for the secret's path, `M` for a file to create outside, `D` for
/// the folder outside.
#[rustfmt::skip]
const VECTORS: &[&[&str]] = &[
    // Operands that are links
    &["cat", "link"], &["cat", "dir/secret"], &["cat", "-n", "link"], &["cat", "-A", "--", "link"], &["cat", "f", "link"], &["cat", "./link"],
    &["head", "link"], &["head", "-c", "99", "link"], &["head", "-n", "1", "dir/secret"], &["head", "-q", "link", "f"],
    &["tail", "link"], &["tail", "-c", "+1", "link"], &["tail", "-n", "+1", "dir/secret"], &["tail", "--lines=5", "link"],
    &["cut", "-c1-99", "link"], &["cut", "-b", "1-", "dir/secret"], &["cut", "-d:", "-f1", "link"],
    &["sort", "link"], &["sort", "-m", "link", "f"], &["sort", "-u", "dir/secret"], &["sort", "-r", "./link"],
    &["uniq", "link"], &["uniq", "-c", "link"], &["uniq", "dir/secret"],
    &["grep", "", "link"], &["grep", "-a", ".", "dir/secret"], &["grep", "-r", "CANARY", "dir/"], &["grep", "-R", "CANARY", "."],
    &["grep", "-h", "-e", "C", "--", "link"], &["grep", "-rh", "", "dir/"], &["grep", "-z", "", "link"], &["grep", "--dereference-recursive", "C", "."],
    &["sed", "-n", "p", "link"], &["sed", "", "dir/secret"], &["sed", "s/x/y/", "link"], &["sed", "-E", "s/(C)/\\1/", "link"],
    &["awk", "{print}", "link"], &["awk", "1", "dir/secret"], &["awk", "-F", ":", "{print $1}", "link"],
    &["diff", "link", "f"], &["diff", "f", "link"], &["diff", "-u", "f", "dir/secret"], &["diff", "-y", "link", "f"], &["diff", "--normal", "f", "link"],
    &["diff", "-rN", "dir/", "."], &["rg", "C", "link"], &["rg", "-L", "CANARY", "."], &["rg", "--follow", "-uuu", "CANARY"],
    // Paths in options
    &["grep", "-fS", "link"], &["grep", "--file=S", "-v", "f"], &["grep", "--exclude-from=S", "a", "f"], &["grep", "-o", "-flist", "dir/secret"],
    &["sort", "--files0-from=list0"], &["sort", "--files0=list0"], &["wc", "--files0-from=list0"], &["wc", "-L", "link"], &["du", "--files0-from=list0"],
    &["sort", "--random-source=S", "-R", "f"], &["du", "-a", "dir/"], &["du", "-L", "."], &["du", "--exclude-from=S", "."], &["du", "-Xlink", "."],
    &["diff", "--from-file=S", "f"], &["diff", "--to-file=S", "f"], &["diff", "--from-file=link", "f"], &["diff", "-Xlink", "-r", "f", "g"],
    &["file", "-f", "list"], &["file", "-fS"], &["file", "--files-from=S"], &["file", "-mS", "f"], &["file", "-m", "link", "f"], &["file", "-L", "link"],
    &["file", "-s", "link"], &["file", "-k", "dir/secret"], &["file", "-z", "f"], &["find", "-files0-from", "list0"],
    &["rg", "-fS", "f"], &["rg", "--file=S", "f"], &["rg", "--ignore-file=S", "a"], &["rg", "--pre=./evil", "a", "f"], &["rg", "--pre", "./evil", "a"],
    &["rg", "--hostname-bin=./evil", "a"], &["rg", "-z", "a", "f"], &["rg", "--search-zip", "a"],
    // sed programs
    &["sed", "r S", "f"], &["sed", "1r S", "f"], &["sed", "R S", "f"], &["sed", "-e", "$rS", "f"], &["sed", "--expression=rS", "f"],
    &["sed", "--expr=1r S", "f"], &["sed", "1e touch M", "f"], &["sed", "1e cat S", "f"], &["sed", "s,a,touch M,e", "f"], &["sed", "s,a,cat S,e;p", "f"],
    &["sed", "-f", "script.sed", "f"], &["sed", "-fscript.sed", "f"], &["sed", "--file=script.sed", "f"], &["sed", "-n", "w M", "f"], &["sed", "wM", "f"],
    &["sed", "s,a,b,w M", "f"], &["sed", "W M", "f"], &["sed", "-n", "-e", "1wM", "f"], &["sed", "-i", "s/a/x/", "f"], &["sed", "-i.bak", "s/a/x/", "f"],
    &["sed", "-Ei", "s/a/x/", "f"], &["sed", "--in-place", "s/a/x/", "f"], &["sed", "--in-pl", "s/a/x/", "f"], &["sed", "-n", "-i", "p", "f"],
    &["sed", "--follow-symlinks", "-i", "s/C/x/", "link"], &["sed", "-s", "-i", "d", "dir/secret"], &["sed", "-nf", "script.sed", "f"],
    &["sed", "F;r S", "f"], &["sed", "--quiet", "--expression=1e cat S", "f"], &["sed", "y/a/b/;w new", "f"],
    // awk programs
    &["awk", "BEGIN{system(\"touch M\")}"], &["awk", "BEGIN{system(\"cat S\")}"], &["awk", "BEGIN{\"cat S\"|getline x;print x}"],
    &["awk", "BEGIN{while((getline x<\"S\")>0)print x}"], &["awk", "BEGIN{getline x<\"link\";print x}"], &["awk", "BEGIN{print \"x\">\"M\"}"],
    &["awk", "BEGIN{print \"x\">>\"M\"}"], &["awk", "BEGIN{print \"x\">\"new\"}"], &["awk", "BEGIN{print \"touch M\"|\"sh\"}"],
    &["awk", "BEGIN{printf \"x\"|\"tee M\"}"], &["awk", "BEGIN{ARGV[1]=\"S\";ARGC=2}{print}"], &["awk", "{print}", "x=1", "link"],
    &["awk", "-f", "script.awk"], &["awk", "-fscript.awk"], &["awk", "--file=script.awk"], &["awk", "--file", "script.awk", "f"],
    &["awk", "BEGIN{\"./evil\"|getline x;print x}"], &["awk", "BEGIN{system(\"./evil\")}"], &["awk", "END{system(\"cat link\")}", "f"],
    &["awk", "BEGIN{close(\"x\");system(\"\");\"cat S\"|getline;print}"], &["awk", "BEGIN{print \"x\">\"dir/made\"}"], &["awk", "{print>\"f2\"}", "f"],
    &["awk", "-v", "p=S", "BEGIN{while((getline x<p)>0)print x}"], &["awk", "BEGIN{printf \"x\" > \"made\"}"], &["awk", "{system(\"cat S\")}", "f"],
    &["awk", "-vcmd=touch M", "BEGIN{system(cmd)}"], &["awk", "BEGIN{cmd=\"cat S\";while((cmd|getline x)>0)print x}"],
    // find
    &["find", ".", "-name", "f", "-exec", "touch", "M", ";"], &["find", ".", "-name", "f", "-exec", "cat", "S", ";"],
    &["find", ".", "-name", "f", "-execdir", "touch", "M", ";"], &["find", "f", "-exec", "./evil", "{}", "+"], &["find", "f", "-exec", "sh", "-c", "cat S", ";"],
    &["find", "f", "-ok", "touch", "M", ";"], &["find", "f", "-okdir", "touch", "M", ";"], &["find", "f", "-fprint", "M"], &["find", "f", "-fprint0", "M"],
    &["find", "f", "-fprintf", "M", "x"], &["find", "f", "-fls", "M"], &["find", "f", "-fprint", "new"], &["find", "f", "-delete"], &["find", ".", "-name", "g", "-delete"],
    &["find", "-L", ".", "-name", "secret", "-exec", "cat", "{}", ";"], &["find", "dir/", "-type", "f", "-exec", "cat", "{}", "+"],
    &["find", "-H", "dir", "-name", "secret", "-delete"], &["find", "dir/", "-delete"], &["find", "dir/", "-fprint", "made"],
    // Output files
    &["sort", "-o", "new", "f"], &["sort", "-oM", "f"], &["sort", "-roM", "f"], &["sort", "--output=M", "f"], &["sort", "--out=M", "f"], &["sort", "f", "-o", "f"],
    &["sort", "-o", "dir/made", "f"], &["sort", "--compress-program=./evil", "-S", "1b", "many"], &["sort", "--compress-prog=./evil", "-S1b", "many"],
    &["sort", "-TD", "-S1b", "many"], &["uniq", "f", "new"], &["uniq", "f", "dir/made"], &["uniq", "f", "made"], &["file", "-C", "-m", "f"],
    &["diff", "-l", "f", "g"], &["diff", "--paginate", "f", "g"],
    // Programs that end late or never, and missing operands
    &["ls", "-la", "dir/"], &["ls", "-L", "dir"], &["ls", "-R", "dir/"], &["ls", "-lH", "dir"], &["stat", "-L", "link"], &["stat", "dir/secret"],
    &["cat"], &["tr", "a", "b"], &["wc"],
];

const NAMES: &[&str] = &[
    "bash",
    "sh",
    "env",
    "mkdir",
    "mv",
    "python3",
    "perl",
    "xargs",
    "tee",
    "ln",
    "chmod",
    "./grep",
    "../grep",
    "/usr/bin/grep",
    "GREP",
    "grep ",
    " grep",
    "grep\0",
    "",
    "gawk",
    "dd",
    "tar",
    "git",
];

fn filled(argument: &str, outer: &Path) -> String {
    let outside = outer.join("outside");
    let path = |name: &str| outside.join(name).display().to_string();
    // A letter is a placeholder if no letter or digit follows it and no capital letter or option
    // dash precedes it.
    let letters: Vec<char> = argument.chars().collect();
    if argument == "-TD" {
        return format!("-T{}", outside.display());
    }
    let mut text = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let next = letters.get(index + 1);
        let before = index.checked_sub(1).map(|at| letters[at]);
        let alone = next.is_none_or(|next| !next.is_ascii_alphanumeric())
            && before.is_none_or(|before| !before.is_ascii_uppercase())
            && !(before == Some('-') && index == 1);
        match letter {
            'S' if alone => text.push_str(&path("secret")),
            'M' if alone => text.push_str(&path("marker")),
            other => text.push(*other),
        }
    }
    text
}

/// Returns everything below a folder: paths, contents, link targets.
fn snapshot(folder: &Path) -> BTreeSet<(PathBuf, String)> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let content = match path.symlink_metadata().unwrap().file_type() {
            kind if kind.is_symlink() => std::fs::read_link(&path).unwrap().display().to_string(),
            kind if kind.is_dir() => {
                found.extend(snapshot(&path));
                String::new()
            }
            _ => String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
        };
        found.insert((path, content));
    }
    found
}

#[test]
fn the_corpus_is_hostile() {
    assert!(
        VECTORS.len() + NAMES.len() >= 150 && VECTORS.len() >= 150,
        "{} vectors",
        VECTORS.len()
    );
    let mut escaped = 0;
    for vector in VECTORS {
        let outer = tempfile::tempdir().unwrap();
        plant(outer.path());
        let before = snapshot(outer.path());
        let arguments: Vec<String> = vector[1..]
            .iter()
            .map(|argument| filled(argument, outer.path()))
            .collect();
        // Apply only the contract's rule on arguments.
        if arguments
            .iter()
            .any(|argument| argument.starts_with('/') || argument.contains(".."))
        {
            continue;
        }
        let run = Command::new(vector[0])
            .args(&arguments)
            .current_dir(outer.path().join("repo"))
            .stdin(Stdio::null())
            .output();
        let Ok(output) = run else { continue };
        let reply = [output.stdout, output.stderr].concat();
        escaped += usize::from(
            String::from_utf8_lossy(&reply).contains(CANARY) || snapshot(outer.path()) != before,
        );
    }
    assert!(
        escaped >= 90,
        "without a jail only {escaped} of {} get out",
        VECTORS.len()
    );
}

#[tokio::test]
async fn no_vector_escapes_the_sandbox() {
    for launcher in launchers() {
        no_vector_gets_out(&session_with(launcher, "patch", false).await).await;
    }
}

async fn no_vector_gets_out(session: &Session) {
    let before = snapshot(session.outer.path());
    let mut ran = 0;
    for vector in VECTORS {
        let arguments: Vec<String> = vector[1..]
            .iter()
            .map(|argument| filled(argument, session.outer.path()))
            .collect();
        let result = session
            .call(
                "shell_exec",
                json!({ "command": vector[0], "args": arguments }),
            )
            .await
            .unwrap();
        let text = text_of(&result);
        assert!(!text.contains(CANARY), "{vector:?} read the secret: {text}");
        ran += usize::from(text.starts_with("exit_code: "));
    }
    assert!(ran > 130, "only {ran} were run");
    assert_eq!(
        snapshot(session.outer.path()),
        before,
        "something was made, changed or removed"
    );
}

#[tokio::test]
async fn shell_exec_runs_permitted_commands() {
    let session = session("patch", false).await;
    let run = async |command: &str, args: &[&str]| {
        session
            .call_text("shell_exec", json!({ "command": command, "args": args }))
            .await
    };
    assert_eq!(
        run("cat", &["f"]).await,
        "exit_code: 0\nstdout:\na\nb\n\nstderr:\n"
    );
    assert_eq!(
        run("grep", &["nothing", "f"]).await,
        "exit_code: 1\nstdout:\n\nstderr:\n",
        "not an error of the tool"
    );
    let file = session.at("f");
    for (command, args, expected) in [
        ("grep", vec!["-n", "b", "f"], "2:b"),
        ("sed", vec!["-n", "2p", "f"], "b"),
        ("awk", vec!["{ print NR $0 }", "f"], "1a"),
        ("find", vec![".", "-name", "f"], "./f"),
        ("head", vec!["-n", "1", &file], "a"),
        ("tail", vec!["-n", "1", "f"], "b"),
        ("wc", vec!["-l", "f"], "2 f"),
        ("sort", vec!["-r", "f"], "b\na"),
        ("uniq", vec!["f"], "a"),
        ("cut", vec!["-c1", "f"], "a"),
        ("tr", vec!["a", "b"], "exit_code: 0"),
        ("diff", vec!["f", "g"], "< b"),
        ("file", vec!["f"], "ASCII text"),
        ("stat", vec!["-c", "%s", "f"], "4"),
        ("ls", vec!["."], "evil"),
        ("du", vec!["-a", "f"], "f"),
    ] {
        let reply = run(command, &args).await;
        assert!(reply.contains(expected), "{command}: {reply}");
    }
    let reply = run("cat", &["f", "missing"]).await;
    for part in ["exit_code", "stdout", "stderr"] {
        assert!(reply.contains(&format!("{part}:")), "{reply}");
    }
    let refused = async |command: &str, args: &[&str]| {
        let result = session
            .call("shell_exec", json!({ "command": command, "args": args }))
            .await
            .unwrap();
        text_of(&result).split(':').next().unwrap().to_owned()
    };
    for name in NAMES {
        assert_eq!(refused(name, &[]).await, "CommandNotAllowed", "{name:?}");
    }
    let reply = run("bash", &[]).await;
    assert!(reply.contains("grep, sed, awk, find, cat, head, tail, wc, sort, uniq, cut, tr, diff, file, stat, ls, du, rg"), "{reply}");
    for argument in [
        "/etc/passwd",
        "../outside/secret",
        "/",
        "a/../../outside/secret",
        "/re/p",
        &session.at("link"),
        &session.at("dir/secret"),
    ] {
        assert_eq!(
            refused("cat", &[argument]).await,
            "OutsideRoot",
            "{argument}"
        );
    }
    assert_eq!(refused("cat", &["a\0b"]).await, "InvalidArguments");
    let missing = session
        .call("shell_exec", json!({ "args": [] }))
        .await
        .unwrap();
    assert!(text_of(&missing).starts_with("InvalidArguments: missing `command`"));
}

#[tokio::test]
async fn commands_are_off_unless_allowed() {
    for (profile, tool) in [
        ("patch", "shell_exec"),
        ("workspace", "run_command"),
        ("assistant", "shell_exec"),
        ("local", "run_command"),
    ] {
        let session = Session::of(profile, &[]).await;
        let tools = session.client.list_all_tools().await.unwrap();
        assert!(tools.iter().all(|known| known.name != tool), "{profile}");
        let answer = session.call(tool, json!({ "command": "cat" })).await;
        let is_told_how = answer.is_ok_and(|answer| text_of(&answer).contains("--allow-exec"));
        assert_eq!(
            is_told_how,
            matches!(profile, "patch" | "workspace"),
            "{profile}"
        );
    }
    let options = Options {
        exec: ExecPolicy::Refused("this system has none".to_owned()),
        ..Options::default()
    };
    let session = Session::with("patch", options.clone(), &[]).await;
    let reply = session
        .call_text("shell_exec", json!({ "command": "cat" }))
        .await;
    assert_eq!(reply, "CommandNotAllowed: this system has none");
    let session = Session::with("workspace", options, &[]).await;
    assert_eq!(
        session
            .json("run_command", json!({ "command": "node" }))
            .await["error"]["code"],
        "COMMAND_NOT_ALLOWED"
    );
}

#[tokio::test]
async fn a_refused_command_names_the_flag_that_allows_it() {
    let session = Session::of("patch", &[("f.txt", "")]).await;
    let reply = session
        .call_text("shell_exec", json!({ "command": "cat", "args": ["f.txt"] }))
        .await;
    assert_eq!(
        reply,
        "CommandNotAllowed: commands are not allowed; start the server with --allow-exec"
    );
    let workspace = session.beside("workspace").await;
    let answer = workspace
        .call("run_command", json!({ "command": "node" }))
        .await
        .unwrap();
    let error = &answer.structured_content.unwrap()["error"];
    assert_eq!(error["code"], "COMMAND_NOT_ALLOWED");
    assert!(
        error["message"].as_str().unwrap().contains("--allow-exec"),
        "{error}"
    );
    assert!(
        session.call("run_command", json!({})).await.is_err(),
        "a tool of another profile"
    );
}

/// Runs python3, which every developer's machine has.
async fn python(session: &Session, program: &str, more: Value) -> Value {
    let mut arguments = json!({ "command": "python3", "args": ["-c", program] });
    arguments
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    session.json("run_command", arguments).await
}

#[tokio::test]
async fn run_command_manual_tests() {
    let session = session("workspace", false).await;
    if Path::new("/usr/bin/npm").exists() {
        let npm = session
            .json(
                "run_command",
                json!({ "command": "npm", "args": ["--version"] }),
            )
            .await;
        assert_eq!(
            (&npm["ok"], &npm["data"]["exitCode"]),
            (&json!(true), &json!(0)),
            "{npm}"
        );
        let slow = json!({ "command": "node", "args": ["-e", "setTimeout(()=>{},100000)"], "timeoutMs": 200 });
        let slow = session.json("run_command", slow).await;
        assert_eq!(
            (&slow["ok"], &slow["data"]["timedOut"]),
            (&json!(true), &json!(true)),
            "{slow}"
        );
    }
    let answer = python(&session, "print('hi')", json!({ "cwd": "." })).await;
    let expected = json!({
        "command": "python3", "args": ["-c", "print('hi')"], "cwd": ".", "exitCode": 0, "signal": null, "timedOut": false, "stdout": "hi\n",
        "stderr": "", "stdoutTruncated": false, "stderrTruncated": false,
    });
    assert_eq!(answer, json!({ "ok": true, "data": expected }));
    for (arguments, code) in [
        (
            json!({ "command": "bash", "args": ["-lc", "echo hi"] }),
            "COMMAND_NOT_ALLOWED",
        ),
        (
            json!({ "command": "npm", "args": ["run", "x"], "cwd": "../" }),
            "INVALID_PATH",
        ),
        (
            json!({ "command": "python3", "cwd": "nowhere" }),
            "NOT_FOUND",
        ),
        (
            json!({ "command": "python3", "cwd": "dir" }),
            "INVALID_PATH",
        ),
        (json!({ "command": "python3", "cwd": "f" }), "NOT_DIRECTORY"),
        (json!({ "command": "" }), "VALIDATION_ERROR"),
        (
            json!({ "command": "python3", "args": vec!["x"; 65] }),
            "VALIDATION_ERROR",
        ),
        (
            json!({ "command": "python3", "args": ["x".repeat(401)] }),
            "VALIDATION_ERROR",
        ),
        (
            json!({ "command": "python3", "timeoutMs": 99 }),
            "VALIDATION_ERROR",
        ),
        (
            json!({ "command": "python3", "timeoutMs": 60_001 }),
            "VALIDATION_ERROR",
        ),
        (
            json!({ "command": "python3", "maxOutputBytes": 1_023 }),
            "VALIDATION_ERROR",
        ),
        (
            json!({ "command": "python3", "maxOutputBytes": 262_145 }),
            "VALIDATION_ERROR",
        ),
    ] {
        let answer = session.json("run_command", arguments.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{arguments}");
    }
    for name in [
        "./node",
        "../node",
        "/usr/bin/python3",
        "PYTHON3",
        "python3 ",
        " python3",
        "python3\0",
        "python",
        "sh",
        "env",
        "node.exe",
        "npm\n",
    ] {
        let answer = session
            .json("run_command", json!({ "command": name }))
            .await;
        assert_eq!(answer["error"]["code"], "COMMAND_NOT_ALLOWED", "{name:?}");
    }
    // A program of the repository with a permitted name is not run, whatever the server's `PATH`.
    let mine = session.root().join("python3");
    std::fs::write(&mine, "#!/bin/sh\necho mine\n").unwrap();
    std::fs::set_permissions(&mine, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(
        python(&session, "print('theirs')", json!({})).await["data"]["stdout"],
        "theirs\n"
    );
    assert_eq!(
        python(
            &session,
            "print('theirs')",
            json!({ "args": vec!["x".repeat(400); 64] })
        )
        .await["ok"],
        true
    );
    let long = python(
        &session,
        "import sys; print('x'*5000); print('y'*5000, file=sys.stderr); sys.exit(3)",
        json!({ "maxOutputBytes": 1024 }),
    )
    .await;
    let data = &long["data"];
    assert_eq!(
        (
            data["stdout"].as_str().unwrap().len(),
            data["stderr"].as_str().unwrap().len()
        ),
        (1024, 1024)
    );
    assert_eq!(
        (
            &data["stdoutTruncated"],
            &data["stderrTruncated"],
            &data["exitCode"]
        ),
        (&json!(true), &json!(true), &json!(3))
    );
}

#[tokio::test]
async fn interpreters_stay_in_the_repository() {
    for launcher in launchers() {
        interpreters_stay(&session_with(launcher, "workspace", false).await).await;
    }
}

async fn interpreters_stay(session: &Session) {
    let outside = session.outer.path().join("outside");
    let before = snapshot(&outside);
    let (secret, marker) = (
        outside.join("secret").display().to_string(),
        outside.join("marker").display().to_string(),
    );
    for program in [
        format!("print(open('{secret}').read())"),
        "print(open('link').read())".to_owned(),
        "print(open('dir/secret').read())".to_owned(),
        format!("open('{marker}','w').write('x')"),
        "open('new','w').write('x')".to_owned(),
        format!("import os; os.remove('{secret}')"),
        format!("import os; os.rename('{secret}', 'stolen')"),
        format!("import os; os.link('{secret}', 'stolen')"),
        format!("import os; os.chmod('{secret}', 0o777)"),
        format!("import os; os.utime('{secret}', (1, 1))"),
        format!("import os; os.truncate('{secret}', 0)"),
        format!("import os; os.mkdir('{marker}')"),
        format!(
            "import os; os.listdir('{}'); print('listed')",
            outside.display()
        ),
        format!("import os; os.system('cat {secret}')"),
        format!(
            "import subprocess; print(subprocess.run(['cat', '{secret}'], capture_output=True).stdout)"
        ),
        format!(
            "import ctypes; l=ctypes.CDLL(None); f=l.open(b'{secret}',0); b=ctypes.create_string_buffer(99); l.read(f,b,99); print(b.value)"
        ),
        "import socket; socket.create_connection(('127.0.0.1', 22), 1)".to_owned(),
        "import socket; socket.socket(socket.AF_UNIX).connect('/run/x')".to_owned(),
        "print(open('/etc/passwd').read()[:0] + 'opened')".to_owned(),
        "import os; os.unshare(0x10000000)".to_owned(),
        "import os; os.kill(os.getppid(), 9)".to_owned(),
        "import os; os.chroot('.')".to_owned(),
        format!("import os; print(os.environ); os.execv('/bin/cat', ['cat', '{secret}'])"),
    ] {
        let answer = python(session, &program, json!({})).await;
        let data = &answer["data"];
        assert_eq!(answer["ok"], true, "{program}: {answer}");
        assert!(!answer.to_string().contains(CANARY), "{program}: {answer}");
        let quiet = ["os.system", "subprocess", "ctypes", "execv"]
            .iter()
            .any(|calls| program.contains(calls));
        assert!(
            quiet || data["exitCode"] != 0,
            "{program} succeeded: {answer}"
        );
    }
    assert_eq!(snapshot(&outside), before);
    let environment = python(session, "import os; print(sorted(os.environ))", json!({})).await;
    let names = environment["data"]["stdout"].as_str().unwrap();
    assert!(
        names.contains("HOME") && !names.contains("CARGO"),
        "{names}"
    );
    python(session, "open('f', 'a').write('made')", json!({})).await;
    assert_eq!(
        session.text("f").as_deref(),
        Some("a\nb\nmade"),
        "the repository can be written"
    );
}

#[tokio::test]
async fn a_read_only_workspace_is_read_only_for_commands() {
    let session = session("workspace", true).await;
    let before = snapshot(&session.root());
    for program in [
        "open('made', 'w')",
        "import os; os.remove('f')",
        "import os; os.rename('f', 'h')",
        "import os; os.mkdir('d')",
    ] {
        let answer = python(&session, program, json!({})).await;
        assert_ne!(answer["data"]["exitCode"], 0, "{program}: {answer}");
    }
    assert_eq!(snapshot(&session.root()), before);
    assert_eq!(
        python(&session, "print(open('f').read())", json!({})).await["data"]["stdout"],
        "a\nb\n\n"
    );
}

#[tokio::test]
async fn a_timed_out_command_is_killed_with_its_children() {
    for launcher in launchers() {
        what_does_not_end_is_ended(&session_with(launcher, "workspace", false).await).await;
    }
}

async fn what_does_not_end_is_ended(session: &Session) {
    for program in [
        "import time; time.sleep(600)",
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
        "import subprocess, time; subprocess.Popen(['python3', '-c', 'import time; time.sleep(600)']); time.sleep(600)",
        "while True: print('x' * 100000)",
        "import os\nwhile True: os.write(1, bytes(range(256)) * 400)",
        "import os, time\nif os.fork() == 0:\n  try: os.setsid()\n  except OSError: pass\n  time.sleep(600)\ntime.sleep(600)",
        "import os, time\nif os.fork() == 0:\n  try: os.setpgid(0, 0)\n  except OSError: pass\n  time.sleep(600)\ntime.sleep(600)",
        "import os, time\nfor _ in range(200):\n  if os.fork() == 0: time.sleep(600)\ntime.sleep(600)",
        "import sys; print(sys.stdin.read()); import time; time.sleep(600)",
    ] {
        let begun = Instant::now();
        let answer = python(session, program, json!({ "timeoutMs": 1_000 })).await;
        assert_eq!(
            (&answer["data"]["timedOut"], &answer["data"]["signal"]),
            (&json!(true), &json!("SIGKILL")),
            "{program}: {answer:.300}"
        );
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{program} took {:?}",
            begun.elapsed()
        );
    }
    // Processes left behind are ended too: a daemon that holds the output, a double-forked process,
    // and one that starts a new session.
    let twice = "import os, time\nif os.fork() == 0:\n  if os.fork() == 0:\n    time.sleep(600)\n  os._exit(0)\ntime.sleep(1)";
    let deaf = "import os, signal, time\nif os.fork() == 0:\n  for number in range(1, 65):\n    try: signal.signal(number, signal.SIG_IGN)\n    \
                except (OSError, ValueError): pass\n  try: os.setsid()\n  except OSError: pass\n  time.sleep(600)\ntime.sleep(1)";
    let left =
        "import subprocess; subprocess.Popen(['python3', '-c', 'import time; time.sleep(600)'])";
    for program in [left, twice, deaf] {
        let begun = Instant::now();
        let answer = python(session, program, json!({ "timeoutMs": 60_000 })).await;
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "a daemon that holds the output is not waited for"
        );
        assert_eq!(answer["data"]["exitCode"], 0, "{program}: {answer}");
        // A process left behind has the repository as its working folder.
        assert_eq!(
            processes_in(&session.root()),
            Vec::<String>::new(),
            "{program}"
        );
    }
}

/// Returns the command lines of processes whose working folder is inside `folder`.
fn processes_in(folder: &Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc")
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_in = |process: &PathBuf| {
        std::fs::read_link(process.join("cwd")).is_ok_and(|at| at.starts_with(folder))
    };
    processes
        .filter(is_in)
        .map(|process| std::fs::read_to_string(process.join("cmdline")).unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn a_gigabyte_of_output_is_truncated() {
    let session = session("workspace", false).await;
    let program = "import os\nblock = b'x\\0\\xff' * 349526\nfor _ in range(1024): os.write(1, block)\nos.write(2, b'end')";
    let begun = Instant::now();
    let answer = python(
        &session,
        program,
        json!({ "timeoutMs": 60_000, "maxOutputBytes": 262_144 }),
    )
    .await;
    let data = &answer["data"];
    assert_eq!(
        (
            &data["exitCode"],
            &data["timedOut"],
            &data["stdoutTruncated"]
        ),
        (&json!(0), &json!(false), &json!(true)),
        "{answer:.300}"
    );
    assert_eq!(
        (&data["stderr"], &data["stderrTruncated"]),
        (&json!("end"), &json!(false))
    );
    assert!(
        data["stdout"].as_str().unwrap().starts_with("x\0\u{fffd}x")
            && begun.elapsed() < Duration::from_secs(50)
    );
    let session = self::session("patch", false).await;
    std::fs::File::create(session.root().join("sparse"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    let reply = session
        .call_text(
            "shell_exec",
            json!({ "command": "cat", "args": ["sparse"] }),
        )
        .await;
    assert!(
        reply.starts_with("exit_code: 0\n") && reply.contains("[truncated after 1048576 bytes]"),
        "{reply:.100}"
    );
    let waits = session
        .call_text("shell_exec", json!({ "command": "cat", "args": ["-"] }))
        .await;
    assert_eq!(
        waits, "exit_code: 0\nstdout:\n\nstderr:\n",
        "there is nothing to read on standard input"
    );
}

#[tokio::test]
async fn ordinary_commands_work_in_the_sandbox() {
    let [launcher, _] = launchers();
    let namespaces = launcher.has_namespaces();
    let session = session_with(launcher, "workspace", false).await;
    std::fs::create_dir_all(session.root().join("pkg/node_modules/.bin")).unwrap();
    std::fs::create_dir_all(session.root().join(".venv/bin")).unwrap();
    for (path, says) in [
        ("pkg/node_modules/.bin/tsc", "its own tsc"),
        (".venv/bin/pytest", "its own pytest"),
    ] {
        std::fs::write(
            session.root().join(path),
            format!("#!/bin/sh\necho {says}\n"),
        )
        .unwrap();
        std::fs::set_permissions(
            session.root().join(path),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
    }
    std::fs::create_dir(session.root().join("pkg/src")).unwrap();
    for (command, cwd, expected) in [
        ("tsc", "pkg/src", "its own tsc\n"),
        ("pytest", "pkg", "its own pytest\n"),
    ] {
        let answer = session
            .json("run_command", json!({ "command": command, "cwd": cwd }))
            .await;
        assert_eq!(answer["data"]["stdout"], expected, "{answer}");
    }
    // A repository program that is a link to the outside is not run.
    std::fs::remove_file(session.root().join(".venv/bin/pytest")).unwrap();
    std::os::unix::fs::symlink(
        session.outer.path().join("outside/secret"),
        session.root().join(".venv/bin/pytest"),
    )
    .unwrap();
    if !Path::new("/usr/bin/pytest").exists() && !Path::new("/usr/local/bin/pytest").exists() {
        let answer = session
            .json("run_command", json!({ "command": "pytest" }))
            .await;
        assert_eq!(answer["error"]["code"], "COMMAND_NOT_ALLOWED", "{answer}");
    }
    let programs = [
        "import os; os.chmod('f', 0o755); os.utime('f', (1, 1))",
        "import shutil; shutil.copy('f', 'copy'); shutil.copy2('f', 'copy2'); shutil.copytree('pkg', 'copied')",
        "import subprocess; subprocess.run(['true'], start_new_session=True, check=True)",
        "import os, tempfile; open(tempfile.mkstemp()[1], 'w').write('x'); assert os.environ['HOME'] == tempfile.gettempdir()",
        "import socket; a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'; assert socket.gethostbyname('localhost') == '127.0.0.1'",
    ];
    // Landlock alone refuses changes of modes and new sessions.
    for program in programs.iter().filter(|_| namespaces) {
        let answer = python(&session, program, json!({})).await;
        assert_eq!(answer["data"]["exitCode"], 0, "{program}: {answer}");
    }
    if namespaces && Path::new("/usr/bin/node").exists() {
        let program = "const fs = require('fs'); fs.copyFileSync('f', 'o'); fs.cpSync('pkg', 'p', { recursive: true }); fs.chmodSync('o', 0o755)";
        let answer = session
            .json(
                "run_command",
                json!({ "command": "node", "args": ["-e", program] }),
            )
            .await;
        assert_eq!(answer["data"]["exitCode"], 0, "{answer}");
    }
    let made = python(
        &session,
        "import os; os.makedirs('pkg/.git'); open('pkg/made', 'w')",
        json!({}),
    )
    .await;
    assert_eq!(
        made["data"]["note"], "commands cannot create or replace these; reverted: pkg/.git",
        "{made}"
    );
    assert!(session.root().join("pkg/made").exists() && !session.root().join("pkg/.git").exists());
}
