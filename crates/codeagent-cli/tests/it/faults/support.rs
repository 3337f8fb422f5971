//! Repositories with known answers, servers, and helpers that stop and limit processes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub use codeagent_testkit::poll::{TIMEOUT, until, wait_until};
pub use codeagent_testkit::random::Random;
use codeagent_workspace::{DataDir, DataRoot};
use serde_json::{Value, json};

/// Set in a test process that has its own namespaces.
const INSIDE: &str = "CODEAGENT_TEST_INSIDE";

/// Returns the number of rounds of a random test: `usual` times `CODEAGENT_FAULTS`.
pub fn times(usual: usize) -> usize {
    usual * number("CODEAGENT_FAULTS", 1)
}

pub fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// A repository of classes that each call `Hub`, and the data root of its index.
pub struct ClassRepository {
    pub folder: tempfile::TempDir,
    pub classes: usize,
    pub home: PathBuf,
}

impl ClassRepository {
    /// Creates a repository of so many classes, which all call `Hub.Go0`.
    pub fn new(classes: usize) -> Self {
        let place = Self::unwritten(classes);
        place.write_all(0);
        place
    }

    /// Like [`ClassRepository::new`], without files.
    pub fn unwritten(classes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        let home = folder.path().join("home");
        Self {
            folder,
            classes,
            home,
        }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Writes all files, so that every class calls the method of this version.
    pub fn write_all(&self, version: usize) {
        self.write(
            "Hub.cs",
            &format!("public class Hub\n{{\n    public void Go{version}() {{ }}\n}}\n"),
        );
        for class in 0..self.classes {
            self.write_class(class, version);
        }
    }

    pub fn write_class(&self, class: usize, version: usize) {
        let next = (class + 1) % self.classes;
        let text = format!(
            "public class C{class} : Base{next}\n{{\n    public void M(Hub hub) {{ hub.Go{version}(); new C{next}().M(hub); }}\n}}\n\
             public class Base{class} {{ }}\n"
        );
        self.write(&format!("c/C{class}.cs"), &text);
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
        command
            .args(arguments)
            .arg("--root")
            .arg(self.root())
            .env("CODEAGENT_DATA_DIR", &self.home);
        // Printing a backtrace when out of memory would deadlock on the standard library's lock.
        command
            .env_remove("CODEAGENT_LOG")
            .env_remove("XDG_RUNTIME_DIR")
            .env_remove("RUST_BACKTRACE")
            .current_dir("/");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that has to succeed and returns its standard output.
    pub fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            all_output(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the number of classes that call the method of a version, and all output.
    pub fn callers(&self, version: usize) -> (usize, String) {
        let output = self.run(&["callers", &format!("Hub.Go{version}"), "--limit", "1000"]);
        let printed = all_output(&output);
        assert!(
            matches!(output.status.code(), Some(0 | 2 | 3)),
            "{output:?}"
        );
        let reply = String::from_utf8_lossy(&output.stdout);
        (
            reply
                .lines()
                .filter(|line| !line.starts_with(' ') && line.contains(".M: "))
                .count(),
            printed,
        )
    }

    /// Queries until so many classes are listed; an incomplete answer must say that the index is
    /// behind.
    pub fn awaits(&self, version: usize, classes: usize) {
        until("it is not known", || {
            let (count, text) = self.callers(version);
            assert!(
                count == classes || is_admitted(&text),
                "{count} instead of {classes}: {text}"
            );
            (count == classes).then_some(())
        });
    }

    pub fn data(&self) -> DataDir {
        DataRoot::at(&self.home)
            .data_dir(&self.root().canonicalize().unwrap())
            .unwrap()
    }

    pub fn database(&self) -> PathBuf {
        self.data().path().join("index.db")
    }

    /// Asserts that the index equals a fresh one, without first being repaired by the comparison.
    pub fn is_as_fresh(&self) {
        let verified = self.run(&["status", "--verify"]);
        let text = all_output(&verified);
        assert!(
            verified.status.success() && text.contains("verified: identical to a fresh index"),
            "{text}"
        );
        assert!(!text.contains("damaged"), "{text}");
    }

    /// Starts a daemon and waits until it keeps the index up to date.
    pub fn daemon(&self) -> Running {
        let mut command = self.command(&["daemon", "run"]);
        let running = Running(
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        );
        wait_until("nobody keeps the index", || self.is_kept_by(running.0.id()));
        running
    }

    /// Reports whether this process keeps the index up to date.
    pub fn is_kept_by(&self, process: u32) -> bool {
        codeagent_core::service::ipc::writer_info(&self.data())
            .is_ok_and(|keeping| keeping.process == process)
    }
}

/// Reports whether an answer says that it may be incomplete.
pub fn is_admitted(text: &str) -> bool {
    [
        "there is no index",
        "index yet",
        "not been compared",
        "changed since",
        "were removed",
        "codeagent index",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// Returns all output of a command.
pub fn all_output(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A process that is killed when dropped.
pub struct Running(pub Child);

impl Running {
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }

    pub fn signal(&self, name: &str) {
        assert!(
            Command::new("kill")
                .args([name, &self.0.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Pauses the process; returns when it is paused.
    pub fn pause(&self) {
        self.signal("-STOP");
        wait_until("it goes on", || self.state() == "T");
    }

    fn state(&self) -> String {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        stat.rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .next()
            .unwrap()
            .to_owned()
    }

    /// Returns the CPU time so far, in hundredths of a second.
    pub fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        let fields: Vec<&str> = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    /// Returns the resident memory in kilobytes and the number of open files.
    pub fn holds(&self) -> (u64, usize) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        let files = std::fs::read_dir(format!("/proc/{}/fd", self.0.id()))
            .unwrap()
            .count();
        (
            resident.trim().trim_end_matches(" kB").parse().unwrap(),
            files,
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

pub struct Server {
    pub running: Running,
    pub input: ChildStdin,
    pub output: BufReader<ChildStdout>,
    last: u64,
}

impl Server {
    pub fn start(place: &ClassRepository) -> Self {
        Self::of(&mut place.command(&["mcp"]))
    }

    pub fn of(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let mut server = Self {
            running: Running(child),
            input,
            output,
            last: 0,
        };
        let client = json!({ "name": "test", "version": "1" });
        server.ask(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        );
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    pub fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    pub fn request(&mut self, method: &str, parameters: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        id
    }

    pub fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(
            self.output.read_line(&mut line).unwrap() > 0,
            "the server has ended"
        );
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and returns its response, skipping other messages.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.request(method, parameters);
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool; returns its answer and whether it is an error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let answer = self.ask(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        let result = &answer["result"];
        assert!(result["structuredContent"].is_object(), "{answer}");
        (
            result["structuredContent"].clone(),
            result["isError"] == true,
        )
    }

    /// Returns the number of classes that call the method of a version (0 for an error), and the
    /// whole answer.
    pub fn callers(&mut self, version: usize) -> (usize, Value) {
        let (answer, _) = self.call(
            "get_callers",
            json!({ "node_id": format!("Hub.Go{version}") }),
        );
        (answer["results"].as_array().map_or(0, Vec::len), answer)
    }

    /// Queries until so many classes call the method of a version.
    pub fn awaits(&mut self, version: usize, classes: usize) {
        let mut last = Value::Null;
        let began = Instant::now();
        while began.elapsed() < TIMEOUT {
            let (count, answer) = self.callers(version);
            if count == classes {
                return;
            }
            last = answer;
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{last}");
    }
}

/// Waits for a command that ends in time and returns its output, which must fit into a pipe.
pub fn ended(command: &mut Command) -> Output {
    let mut running = Running(
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let status = until("it hangs", || running.0.try_wait().unwrap());
    let mut output = Output {
        status,
        stdout: Vec::new(),
        stderr: Vec::new(),
    };
    running
        .0
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut output.stdout)
        .unwrap();
    running
        .0
        .stderr
        .take()
        .unwrap()
        .read_to_end(&mut output.stderr)
        .unwrap();
    output
}

/// Runs the named test again in its own namespaces, where it may mount. Returns true in that
/// process; false afterwards in this one, or if the system allows no namespaces.
pub fn inside(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let own = ["--user", "--map-root-user", "--mount"];
    if !Command::new("unshare")
        .args(own)
        .args(["mount", "-t", "tmpfs", "none", "/mnt"])
        .output()
        .is_ok_and(|made| made.status.success())
    {
        println!("not tried: this system has no namespaces for its users");
        return false;
    }
    let mut command = Command::new("unshare");
    command
        .args(own)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, "1");
    let output = command.output().unwrap();
    let reply = all_output(&output);
    println!("{reply}");
    assert!(
        output.status.success() && reply.contains("1 passed"),
        "{reply}"
    );
    false
}

/// Mounts a file system; needs namespaces of its own.
pub fn mount(arguments: &[&str], at: &Path) {
    let output = Command::new("mount")
        .args(arguments)
        .arg(at)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        all_output(&output)
    );
}

pub fn unmount(arguments: &[&str], at: &Path) {
    let output = Command::new("umount")
        .args(arguments)
        .arg(at)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", all_output(&output));
}

/// Wraps a command in a shell that runs `script` first, for example to set limits.
pub fn bounded(script: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{script}; exec \"$0\" \"$@\"")])
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.current_dir("/");
    shell
}
