//! State after the process is interrupted or killed, and special files in the repository.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use codeagent_workspace::DataRoot;

/// Number of files in the repository that is indexed when the process is stopped.
const FILES: usize = 400;

/// Maximum time to stop on a busy machine; alone it takes a fraction of a second.
const STOPPING: Duration = Duration::from_secs(2);

fn repository() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for i in 0..FILES {
        let calls: String = (0..40)
            .map(|j| {
                format!(
                    "    public int M{j}(int a) {{ return M{}(a) + new C{}().M{j}(a); }}\n",
                    (j + 1) % 40,
                    (i + j) % FILES
                )
            })
            .collect();
        std::fs::write(
            root.path().join(format!("c{i}.cs")),
            format!("class C{i} {{\n{calls}}}\n"),
        )
        .unwrap();
    }
    root
}

/// Returns the data root of a test: never the user's own.
fn home(root: &Path) -> PathBuf {
    root.join(".codeagent")
}

fn start(root: &Path, command: &str) -> Child {
    let mut process = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    process
        .args([command, "--root"])
        .arg(root)
        .env("CODEAGENT_DATA_DIR", home(root));
    process
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    assert!(
        Command::new("kill")
            .args([name, &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
}

/// Waits without closing the process's input.
fn ended(child: &mut Child) -> (ExitStatus, Duration) {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status, started.elapsed());
        }
        assert!(started.elapsed() < Duration::from_secs(60), "does not stop");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Asserts that no large log remains and that the index can be locked, updated and queried.
fn is_sound(root: &Path, killed: bool) {
    let data = DataRoot::at(home(root))
        .data_dir(&root.canonicalize().unwrap())
        .unwrap();
    let log =
        std::fs::metadata(data.path().join("index.db-wal")).map_or(0, |metadata| metadata.len());
    assert!(killed || log == 0, "a log of {log} bytes is left");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_codeagent"))
            .args(arguments)
            .arg("--root")
            .arg(root)
            .env("CODEAGENT_DATA_DIR", home(root))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let line = run(&["index"]);
    assert!(line.contains(&format!("{FILES} files")), "{line}");
    assert!(run(&["callers", "C7.M7"]).contains("C0.M7"));
}

#[test]
fn an_interrupted_run_leaves_a_sound_index() {
    let root = repository();
    let started = Instant::now();
    assert!(ended(&mut start(root.path(), "index")).0.success());
    let whole = started.elapsed();
    let mut stopped = 0;
    for (number, (command, name)) in [
        ("index", "-TERM"),
        ("index", "-INT"),
        ("mcp", "-TERM"),
        ("mcp", "-INT"),
        ("mcp", "EOF"),
        ("index", "-KILL"),
        ("index", "-TERM"),
        ("mcp", "-KILL"),
        ("index", "-INT"),
    ]
    .iter()
    .enumerate()
    {
        std::fs::remove_dir_all(home(root.path())).unwrap();
        let mut child = start(root.path(), command);
        std::thread::sleep(whole.mul_f64(0.1 * (number + 1) as f64));
        let input = child.stdin.take();
        let was_running = child.try_wait().unwrap().is_none();
        match *name {
            "EOF" => drop(input),
            name if was_running => {
                signal(&child, name);
                let (status, after) = ended(&mut child);
                println!(
                    "{command} {name} after {:.0} %: {status} in {:.2} s",
                    10.0 * (number + 1) as f64,
                    after.as_secs_f64()
                );
                let killed = name == "-KILL";
                let was_stopped = if killed {
                    status.signal() == Some(9)
                } else {
                    status.code() == Some(130)
                };
                // The run may have finished before the signal.
                assert!(
                    was_stopped || status.success(),
                    "{command} {name}: {status}"
                );
                stopped += usize::from(was_stopped);
                assert!(
                    killed || after < STOPPING,
                    "{command} {name} takes {after:?}"
                );
            }
            _ => {}
        }
        let (_, after) = ended(&mut child);
        assert!(after < STOPPING, "{command} {name} takes {after:?}");
        is_sound(root.path(), *name == "-KILL");
    }
    assert!(stopped >= 3, "only {stopped} were stopped in time");
}

#[test]
fn special_files_are_not_indexed() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    std::fs::write(path("a.cs"), "class A { }").unwrap();
    assert!(
        Command::new("mkfifo")
            .args([path("fifo.cs"), path("package.json"), path("a.csproj")])
            .status()
            .unwrap()
            .success()
    );
    let _socket = std::os::unix::net::UnixListener::bind(path("socket.cs")).unwrap();
    for (target, link) in [
        ("/dev/zero", "zero.cs"),
        ("/dev/stdin", "stdin.ts"),
        ("loop.cs", "loop.cs"),
        (".", "here"),
        ("..", "up"),
        ("a.cs", "b.cs"),
        ("/etc", "etc"),
        ("/dev/zero", "tsconfig.json"),
    ] {
        std::os::unix::fs::symlink(target, path(link)).unwrap();
    }
    std::fs::write(
        root.path().join(std::ffi::OsStr::new("\u{feff}.cs")),
        "class B { }",
    )
    .unwrap();
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff.cs");
    std::fs::write(root.path().join(name), "class C { }").unwrap();
    let (mut deep, mut depth) = (root.path().to_owned(), 0);
    while depth < 4000 && deep.as_os_str().len() < 4000 {
        deep.push("d");
        depth += 1;
    }
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(deep.join("deep.cs"), "class D { }").unwrap();
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_codeagent"))
        .args(["index", "--verbose", "--root"])
        .arg(root.path())
        .env("CODEAGENT_DATA_DIR", home(root.path()))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.code() == Some(0)
            && printed.starts_with("3 files")
            && printed.contains("not valid UTF-8"),
        "{printed}"
    );
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn a_file_that_changes_while_it_is_read_is_indexed() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.cs");
    std::fs::write(&path, "class A { }").unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for size in (0..).map(|step| step % 40) {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                if size == 39 {
                    std::fs::remove_file(&path).unwrap();
                } else {
                    std::fs::write(&path, "class A { void M() { } }\n".repeat(size * 100)).unwrap();
                }
            }
        });
        for _ in 0..10 {
            let status = ended(&mut start(root.path(), "index")).0;
            assert!(matches!(status.code(), Some(0 | 1)), "{status}");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    std::fs::write(&path, "class Last { }").unwrap();
    assert!(ended(&mut start(root.path(), "index")).0.success());
    let output = Command::new(env!("CARGO_BIN_EXE_codeagent"))
        .args(["symbol", "Last", "--root"])
        .arg(root.path())
        .env("CODEAGENT_DATA_DIR", home(root.path()))
        .output()
        .unwrap();
    assert!(output.status.success());
}
