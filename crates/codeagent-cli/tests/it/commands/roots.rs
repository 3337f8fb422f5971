//! The root: the default if none is named, and the folders that are refused.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

/// A home folder that contains a repository, and the data root.
struct Home {
    outer: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self {
            outer: tempfile::tempdir().unwrap(),
        };
        for name in ["one", "two"] {
            let folder = home.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(
                folder.join("a.ts"),
                format!("export function {name}() {{}}\n"),
            )
            .unwrap();
        }
        home
    }

    fn path(&self) -> PathBuf {
        self.outer.path().canonicalize().unwrap().join("home")
    }

    fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(arguments)
            .current_dir(folder)
            .env("HOME", self.path())
            .env("USERPROFILE", self.path())
            .env_remove("XDG_CONFIG_HOME");
        command
            .env("CODEAGENT_DATA_DIR", self.outer.path().join("data"))
            .env_remove("CODEAGENT_LOG");
        command
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> Output {
        self.command(folder, arguments).output().unwrap()
    }

    /// Returns the exit code and all output.
    fn run_and_capture(&self, folder: &Path, arguments: &[&str]) -> (i32, String) {
        let output = self.run(folder, arguments);
        (
            output.status.code().unwrap(),
            String::from_utf8([output.stdout, output.stderr].concat()).unwrap(),
        )
    }
}

#[test]
fn the_disk_and_home_folders_are_refused_as_default_roots() {
    let home = Home::new();
    let top = home.path().ancestors().last().unwrap().to_owned();
    for (folder, reason) in [
        (&top, "is the whole file system"),
        (&home.path(), "is a home folder"),
        (&home.outer.path().to_owned(), "is a home folder"),
    ] {
        for command in [
            &["index"][..],
            &["watch"],
            &["daemon", "start"],
            &["mcp", "--http", "0"],
            &["index", "--json"],
        ] {
            let (code, printed) = home.run_and_capture(folder, command);
            assert!(
                code == 2 && printed.contains(reason) && printed.contains("--root FOLDER"),
                "{command:?} {code} {printed}"
            );
        }
        let (code, printed) = home.run_and_capture(folder, &["doctor"]);
        assert!(
            code == 1 && printed.contains(reason) && !printed.contains("watching:"),
            "{code} {printed}"
        );
    }
    // A git work tree at the home folder makes neither it nor the folders in it a repository.
    std::fs::create_dir(home.path().join(".git")).unwrap();
    assert_eq!(home.run_and_capture(&home.path(), &["index"]).0, 2);
    assert!(
        home.run_and_capture(&home.path().join("one"), &["index"])
            .1
            .starts_with("1 file, ")
    );
    let top = top.to_str().unwrap();
    let (code, printed) = home.run_and_capture(&home.path(), &["index", "--root", top]);
    assert!(
        code == 2 && printed.contains("is the whole file system"),
        "{code} {printed}"
    );
    let named = home.run_and_capture(&home.path(), &["index", "--root", "."]);
    assert!(
        named.0 == 0 && named.1.starts_with("2 files, "),
        "a home folder that is named is meant: {named:?}"
    );
}

#[test]
fn a_folder_without_sources_gets_no_index() {
    let home = Home::new();
    let (above, below) = (home.path().join("one"), home.path().join("one/docs"));
    std::fs::create_dir(&below).unwrap();
    std::fs::write(below.join("readme.md"), "words").unwrap();
    let (code, printed) = home.run_and_capture(&below, &["index"]);
    assert!(
        code == 2
            && printed.contains("no C# or TypeScript files in")
            && printed.contains("--root FOLDER"),
        "{code} {printed}"
    );
    for arguments in [
        &["index", "--root", "."][..],
        &["index", "--root", ".", "--json"],
        &["index", "--root", ".", "--rebuild"],
    ] {
        let (code, printed) = home.run_and_capture(&below, arguments);
        assert!(
            code == 0
                && printed.contains("no C# or TypeScript files in")
                && printed.contains("docs"),
            "{code} {printed}"
        );
    }
    assert_eq!(
        home.run_and_capture(&below, &["symbol", "one", "--root", "."])
            .0,
        3,
        "nothing is indexed"
    );
    assert_eq!(home.run_and_capture(&above, &["index"]).0, 0);
    let (code, printed) = home.run_and_capture(&below, &["symbol", "one"]);
    assert!(
        code == 0 && printed.contains("a.ts"),
        "the index above answers: {code} {printed}"
    );
}

#[test]
fn an_unexpanded_variable_from_a_client_is_named() {
    let home = Home::new();
    for arguments in [
        &["mcp", "--root", "${workspaceFolder}"][..],
        &["index", "--root", "${workspaceFolder:one}/src"],
    ] {
        let (code, printed) = home.run_and_capture(&home.path(), arguments);
        assert!(
            code == 2
                && printed.contains("the client did not expand")
                && printed.contains("${workspaceFolder"),
            "{code} {printed}"
        );
    }
    std::fs::create_dir(home.path().join("${odd}")).unwrap();
    assert_eq!(
        home.run_and_capture(&home.path(), &["index", "--root", "${odd}"])
            .0,
        0,
        "a folder may be called so"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_entry_for_vs_code_holds_no_variable() {
    let home = Home::new();
    let (code, printed) = home.run_and_capture(&home.path(), &["install", "vscode"]);
    assert_eq!(code, 0, "{printed}");
    let written = std::fs::read_to_string(home.path().join(".config/Code/User/mcp.json")).unwrap();
    let settings: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(
        settings["servers"]["codeagent"]["args"],
        json!(["mcp", "--profile", "agent"]),
        "{written}"
    );
}

/// A server started without `--root`, and its client.
struct Session {
    server: Child,
    output: BufReader<std::process::ChildStdout>,
    roots: Vec<String>,
    /// Number of requests for them.
    asked: usize,
    next: u64,
}

impl Session {
    fn start(home: &Home, arguments: &[&str], capabilities: Value, roots: &[&Path]) -> Self {
        let mut command = home.command(&home.path(), arguments);
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let mut session = Self {
            server,
            output,
            roots: Vec::new(),
            asked: 0,
            next: 0,
        };
        session.name(roots);
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" } });
        assert!(session.request("initialize", hello)["result"]["serverInfo"]["name"].is_string());
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    fn name(&mut self, roots: &[&Path]) {
        self.roots = roots
            .iter()
            .map(|root| format!("file://{}", root.display()))
            .collect();
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.server.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request and returns its response; answers the server's own requests meanwhile.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(
                self.output.read_line(&mut line).unwrap(),
                0,
                "the server is gone"
            );
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == "roots/list" {
                self.asked += 1;
                let roots: Vec<Value> =
                    self.roots.iter().map(|uri| json!({ "uri": uri })).collect();
                self.send(
                    &json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "roots": roots } }),
                );
            } else if message["id"] == id {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        answer["result"]["content"][0]["text"]
            .as_str()
            .map_or_else(|| answer.to_string(), str::to_owned)
    }

    /// Calls a tool until the answer contains a text, because indexing and changes of roots take
    /// time.
    fn until(&mut self, tool: &str, arguments: &Value, wanted: &str) {
        let begun = std::time::Instant::now();
        loop {
            let answer = self.call(tool, arguments.clone());
            if answer.contains(wanted) {
                return;
            }
            assert!(
                begun.elapsed() < std::time::Duration::from_secs(120),
                "{answer}"
            );
        }
    }

    fn end(mut self) {
        drop(self.server.stdin.take());
        assert_eq!(self.server.wait().unwrap().code(), Some(0));
    }
}

#[cfg(unix)]
#[test]
fn a_server_without_a_root_uses_the_clients_root() {
    let home = Home::new();
    let (one, two) = (home.path().join("one"), home.path().join("two"));
    let mut session = Session::start(
        &home,
        &["mcp"],
        json!({ "roots": { "listChanged": true } }),
        &[&one],
    );
    session.until("lookup_symbol", &json!({ "qualified_name": "one" }), "a.ts");
    assert_eq!(session.asked, 1);
    session.name(&[&two]);
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    session.until("lookup_symbol", &json!({ "qualified_name": "two" }), "a.ts");
    assert!(
        !session
            .call("lookup_symbol", json!({ "qualified_name": "one" }))
            .contains("a.ts")
    );
    session.end();
    // Both indexes were released.
    for root in [&one, &two] {
        assert!(
            home.run_and_capture(root, &["index"])
                .1
                .starts_with("nothing changed: 1 file, ")
        );
    }

    // Of each root, the top of the work tree is served.
    std::fs::create_dir_all(two.join(".git")).unwrap();
    std::fs::create_dir_all(two.join("deep")).unwrap();
    let mut session = Session::start(
        &home,
        &["mcp", "--profile", "assistant"],
        json!({ "roots": {} }),
        &[&one, &two.join("deep")],
    );
    for (name, text) in [("one", "function one"), ("two", "function two")] {
        session.until("read_file", &json!({ "path": "a.ts", "repo": name }), text);
    }
    let refused = session.call("read_file", json!({ "path": "a.ts" }));
    assert!(refused.contains("pass `repo` (one, two)"), "{refused}");
    session.end();
}

#[cfg(unix)]
#[test]
fn a_server_without_a_repository_says_so_until_it_gets_one() {
    let home = Home::new();
    let empty = home.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    for (profile, tool, arguments) in [
        ("index", "get_status", json!({})),
        ("index", "read_file", json!({ "path": "one/a.ts" })),
        ("assistant", "read_file", json!({ "path": "one/a.ts" })),
        (
            "patch",
            "write_file",
            json!({ "path": "one/a.ts", "content": "changed" }),
        ),
        ("workspace", "list_dir", json!({ "path": "." })),
        ("local", "local_fetch_content", json!({ "queries": [] })),
    ] {
        for capabilities in [json!({}), json!({ "roots": {} })] {
            let mut session = Session::start(
                &home,
                &["mcp", "--profile", profile],
                capabilities,
                &[&home.path()],
            );
            let reply = session.call(tool, arguments.clone());
            assert!(
                reply.contains("is a home folder")
                    && reply.contains("--root")
                    && !reply.contains("function"),
                "{profile} {reply}"
            );
            assert!(
                std::fs::read_to_string(home.path().join("one/a.ts"))
                    .unwrap()
                    .contains("function one")
            );
            session.end();
        }
    }
    let mut command = home.command(&empty, &["mcp"]);
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(server.stdout.take().unwrap());
    let mut session = Session {
        server,
        output,
        roots: Vec::new(),
        asked: 0,
        next: 0,
    };
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
    session.request("initialize", hello);
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    session.until("get_status", &json!({}), "no C# or TypeScript files in");
    std::fs::write(empty.join("new.ts"), "export function fresh() {}\n").unwrap();
    session.until(
        "lookup_symbol",
        &json!({ "qualified_name": "fresh" }),
        "new.ts",
    );
    session.end();
}

#[cfg(unix)]
#[test]
fn commands_answer_for_each_of_several_roots() {
    let home = Home::new();
    let outer = home.path().join("all");
    std::fs::create_dir(&outer).unwrap();
    for name in ["one", "two"] {
        std::fs::rename(home.path().join(name), outer.join(name)).unwrap();
    }
    let (code, printed) =
        home.run_and_capture(&outer, &["index", "--root", "one", "--root", "two"]);
    assert!(
        code == 0 && printed.matches("1 file, ").count() == 2 && printed.contains("# two"),
        "{code} {printed}"
    );

    // The indexed folders are found from above.
    let (code, printed) = home.run_and_capture(&outer, &["symbol", "two"]);
    assert!(
        code == 0 && printed.contains("# two\n") && printed.contains("note: one: no symbol"),
        "{code} {printed}"
    );
    let (code, printed) = home.run_and_capture(&outer, &["lookup", "one", "--json"]);
    assert!(
        code == 0 && printed.contains("\"repo\": \"one\""),
        "{code} {printed}"
    );
    assert_eq!(home.run_and_capture(&outer, &["symbol", "three"]).0, 2);

    let (code, printed) = home.run_and_capture(
        &outer,
        &[
            "export", "--root", "one", "--root", "two", "--format", "tsv", "--out", "x",
        ],
    );
    assert!(
        code == 2 && printed.contains("takes one repository"),
        "{code} {printed}"
    );

    std::fs::remove_dir_all(outer.join("one")).unwrap();
    let (code, printed) = home.run_and_capture(&outer, &["status", "--all"]);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(
        code == 0
            && lines.len() == 2
            && lines[0].contains("all/one: ")
            && lines[0].contains("no longer exists")
            && lines[1].contains("all/two: 1 file, ")
            && lines[1].ends_with("not watched"),
        "{code} {printed}"
    );
}
