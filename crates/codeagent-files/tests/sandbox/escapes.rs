//! Commands that attack git's folders, editors' settings and the sandbox itself, run with
//! namespaces and with Landlock alone.
//!
//! A control test runs those that only touch files without a sandbox, which proves that the corpus
//! is not harmless.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use codeagent_files::{Launcher, Outcome, Policy, Request};
use codeagent_workspace::{RepoPath, Workspace};

pub const TESTS: &[(&str, fn())] = &[
    ("the_programs_are_hostile", the_programs_are_hostile),
    (
        "no_program_changes_what_git_editors_and_shells_run",
        no_program_changes_what_git_editors_and_shells_run,
    ),
    (
        "no_program_reaches_the_machine",
        no_program_reaches_the_machine,
    ),
    (
        "removed_names_are_reported_and_links_put_back",
        removed_names_are_reported_and_links_put_back,
    ),
    (
        "a_process_that_survives_its_command_is_killed",
        a_process_that_survives_its_command_is_killed,
    ),
    (
        "nothing_of_the_server_is_passed_on",
        nothing_of_the_server_is_passed_on,
    ),
    (
        "commands_that_write_take_turns",
        commands_that_write_take_turns,
    ),
    ("paths_outside_are_absent", paths_outside_are_absent),
];

/// Content of the secrets; must never appear in an output.
const CANARY: &str = "CANARY-51c9";

/// Returns launchers of both kinds; the first also uses Landlock alone if the system grants no
/// namespaces.
fn launchers() -> [Launcher; 2] {
    let program = || std::env::current_exe().unwrap();
    [
        Launcher::of(program()).unwrap(),
        Launcher::without_namespaces(program()).unwrap(),
    ]
}

/// Creates a repository with everything that is protected, and a folder next to it.
fn plant() -> tempfile::TempDir {
    let outer = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = outer.path().join("repo").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for git in [".git", "sub/.git", "store/tree", ".git/modules/module"] {
        write(&format!("{git}/HEAD"), "ref: refs/heads/main\n");
        write(
            &format!("{git}/config"),
            "[core]\n\trepositoryformatversion = 0\n",
        );
        write(
            &format!("{git}/refs/heads/main"),
            "1111111111111111111111111111111111111111\n",
        );
        write(&format!("{git}/objects/pack/p.pack"), "PACK");
        write(&format!("{git}/hooks/pre-push.sample"), "#!/bin/sh\n");
    }
    write("../outside/secret", CANARY);
    write("f", "text\n");
    write("sub/f", "text\n");
    write("tree/.git", "gitdir: ../store/tree\n");
    write("module/.git", "gitdir: ../.git/modules/module\n");
    write(".vscode/settings.json", "{}");
    write(".codeagent/config.json", "{}");
    write("free/f", "text\n");
    write("deep/er/.idea/workspace.xml", "<x/>");
    write(".bashrc", "true\n");
    write("rules/mcp.json", "{}");
    std::os::unix::fs::symlink("rules", outer.path().join("repo/.cursor")).unwrap();
    outer
}

/// Start of every program: `M` is a file to create outside, `E` git settings that create it, `w`
/// writes a file and `call` makes a system call.
const PRELUDE: &str = r#"
import ctypes, mmap, os, shutil, stat, subprocess, sys, threading, time
M = os.path.realpath('../outside') + '/marker'
E = '[core]\n\tfsmonitor = touch ' + M + '\n'
H = '#!/bin/sh\ntouch ' + M + '\n'
libc = ctypes.CDLL(None, use_errno=True)
def w(path, text=E):
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    with open(path, 'w') as file: file.write(text)
def call(number, *arguments):
    done = libc.syscall(number, *arguments)
    if done < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    print('DONE', done)
"#;

/// Programs that change or create protected files.
#[rustfmt::skip]
const FILES: &[&str] = &[
    // The repository's own folder
    "w('.git/config')", "open('.git/config', 'a').write(E)", "w('.git/hooks/pre-commit', H)", "w('.git/index', 'x')", "w('.git/config.worktree')",
    "os.close(os.open('.git/hooks/post-checkout', os.O_CREAT | os.O_WRONLY, 0o755))", "w('.git/refs/heads/main', '0' * 40)", "w('.git/HEAD', 'x')",
    "w('.git/objects/pack/p.pack', 'x')", "w('.git/packed-refs', 'x')", "w('.git/info/attributes', '* filter=x')", "os.mkfifo('.git/hooks/x')",
    "os.rename('.git', 'g'); w('.git/config')", "os.rename('.git/config', 'c'); w('.git/config')", "os.unlink('.git/config')",
    "shutil.rmtree('.git')", "os.truncate('.git/config', 0)", "os.chmod('.git/hooks/pre-push.sample', 0o755)", "os.rmdir('.git/objects/pack')",
    "os.symlink('.git', 'l'); w('l/config')", "os.symlink('../.git', 'free/l'); w('free/l/config')", "os.link('.git/config', 'h'); w('h')",
    "os.link('.git/config', 'free/h'); w('free/h')", "os.rename('deep', '.git/deep')", "os.rename('f', '.git/config')",
    "d = os.open('.git', os.O_RDONLY); os.write(os.open('config', os.O_WRONLY, dir_fd=d), b'x')",
    "r = os.open('.git/config', os.O_RDONLY); open('/proc/self/fd/%d' % r, 'w').write(E)", "w('/proc/self/cwd/.git/config')",
    "w('/proc/self/root' + os.getcwd() + '/.git/config')", "w('free/../.git/config')", "os.chdir('.git/hooks'); w('../config')",
    "f = open('.git/config', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0] = 88; m.flush()",
    "os.copy_file_range(os.open('f', os.O_RDONLY), os.open('.git/config', os.O_WRONLY), 4)",
    "w('evil/config'); call(316, -100, b'evil', -100, b'.git', 2)", "w('free/e/config'); call(316, -100, b'free/e', -100, b'.git', 2)",
    "subprocess.run(['sh', '-c', 'printf x > .git/config'])", "subprocess.run(['cp', 'f', '.git/config'])", "subprocess.run(['mv', '.git', 'g'])",
    "subprocess.run(['git', 'config', 'core.fsmonitor', 'touch ' + M])", "subprocess.run(['git', 'init', '-q', 'free'])",
    // Nested repositories, work trees, submodules
    "w('sub/.git/config')", "w('sub/.git/hooks/post-commit', H)", "os.rename('sub', 'sub2'); w('sub/.git/config')",
    "os.rename('sub', 'free/sub'); w('sub/.git/config')", "os.rename('sub/.git', 'sub/g'); w('sub/.git/config')", "shutil.rmtree('sub')",
    "w('tree/.git', 'gitdir: ../evil'); w('evil/config')", "os.remove('tree/.git'); w('tree/.git/config')", "w('store/tree/config')",
    "os.rename('store', 'store2'); w('store/tree/config')", "os.rename('tree', 'free/tree'); w('free/store/tree/config')",
    "os.rename('store/tree', 'store/t'); w('store/tree/config')", "w('.git/modules/module/config')", "w('module/.git', 'gitdir: ../f')",
    // New repositories
    "w('new/.git/config')", "w('free/.git/config')", "w('free/.git', 'gitdir: ../evil')", "w('free/e/config'); os.symlink('e', 'free/.git')",
    "w('free/.GIT/config')", "w('free/e/config'); os.rename('free/e', 'free/.git')", "shutil.copytree('.git', 'free/.git'); w('free/.git/config')",
    "w('free/node_modules/p/.git/config')", "w('free/' * 150 + '.git/config')", "w(b'free/\\xff/.git/config'.decode('utf-8', 'surrogateescape'))",
    "w('free/hid/.git/config'); os.chmod('free/hid', 0)", "w('free/.git/config'); os.chmod('free/.git', 0)", "os.mkfifo('free/.git')",
    "w('free/x/.envrc'); os.chmod('free/x', 0o500)", "w('free/x/.git/config'); os.chmod('free/x', 0o500)", "w('free/x/.git/a'); os.chmod('free/x', 0o100)",
    "w('free/.git/config'); w('.envrc'); os.chmod('.', 0)",
    "w('free/.git/a/b/config'); os.chmod('free/.git/a', 0o400); os.chmod('free/.git', 0o500)",
    "if os.fork() == 0:\n  os.closerange(0, 3)\n  try: os.setsid()\n  except OSError: pass\n  for n in range(400): w('free/%d/.git/config' % n); time.sleep(.01)",
    "w('free/.git/config')\ndef swap():\n  while True: os.rename('free/.git', 'free/g'); os.rename('free/g', 'free/.git')\n\
     threading.Thread(target=swap, daemon=True).start(); time.sleep(.1)",
    // Settings of editors, shells, agents and this program
    "w('.codeagent/config.json', '{\"exclude\":[\"**\"]}')", "w('.vscode/tasks.json', 'x')", "os.rename('.vscode', 'v'); w('.vscode/tasks.json')",
    "w('.idea/x')", "w('.envrc', H)", "w('free/.envrc', H)", "w('.claude/settings.json')", "w('free/.codex/config.toml')", "w('.mcp.json')",
    "w('.cursor/mcp.json', 'x')", "os.remove('.cursor'); w('.cursor/mcp.json', 'x')", "os.rename('.cursor', 'free/c'); w('.cursor/mcp.json', 'x')",
    "os.remove('.cursor'); os.symlink('deep', '.cursor')", "w('rules/mcp.json', 'x')", "os.rename('rules', 'r'); w('rules/mcp.json', 'x')",
    "w('deep/er/.idea/workspace.xml', 'x')", "w('.bashrc', H)", "w('.zshrc', H)", "w('.gitmodules')", "w('free/.vscode/tasks.json')",
    "os.symlink(os.path.dirname(M), 'free/.vscode')", "shutil.rmtree('deep')",
];

/// Programs that attack the machine. Each prints `DONE` if it succeeds.
#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    // Mounts and namespaces
    "call(165, b'x', b'deep', b'tmpfs', 0, 0)", "call(165, b'/', b'deep', 0, 4096, 0)", "call(165, 0, b'.git', 0, 32 | 4096, 0)",
    "call(165, 0, os.getcwd().encode(), 0, 32 | 4096, 0)", "call(165, 0, b'/', 0, 32 | 4096, 0)", "call(166, b'.git', 2)", "call(166, b'/', 2)",
    "call(166, b'/proc', 2)", "call(272, 0x10000000)", "call(272, 0x00020000)", "call(272, 0x20000000)", "call(272, 0x40000000)",
    "call(56, 0x10000000 | 17, 0, 0, 0, 0)", "call(56, 0x00020000 | 17, 0, 0, 0, 0)", "call(435, bytes(88), 88)", "call(155, b'.', b'.')",
    "call(161, b'.')", "call(430, b'tmpfs', 0)", "call(428, -100, b'/', 0)", "call(429, -100, b'f', -100, b'deep', 0)",
    "call(442, -100, b'.git', 0, bytes(32), 32)", "call(433, -100, b'/', 0)", "call(308, os.open('/proc/1/ns/mnt', os.O_RDONLY), 0)",
    "call(308, os.open('/proc/self/ns/user', os.O_RDONLY), 0)", "call(304, -100, bytes(24), 0)", "call(303, -100, b'f', bytes(24), bytes(4), 0)",
    // Other processes
    "call(101, 16, 1, 0, 0)", "call(101, 16, os.getppid(), 0, 0)", "call(310, os.getppid(), 0, 0, 0, 0, 0)", "call(312, 1, 1, 0, 0, 0)",
    "print('DONE', os.listdir('/proc/1/root'))", "print('DONE', os.listdir('/proc/1/cwd/'))", "print('DONE', open('/proc/1/environ').read())",
    "print('DONE', open('/proc/%d/mem' % os.getppid(), 'rb'))", "print('DONE', os.listdir('/proc/%d/root' % os.getppid()))",
    "[print('DONE', os.open('/proc/1/fd/%d' % n, os.O_RDWR)) for n in range(64) if os.path.lexists('/proc/1/fd/%d' % n)] or sys.exit(1)",
    "[print('DONE', os.readlink('/proc/%d/fd/%d' % (os.getppid(), n))) for n in range(64)]", "call(438, libc.syscall(434, os.getppid(), 0), 0, 0)",
    "print('DONE', open('/proc/1/exe', 'rb').read(4))", "call(62, os.getppid(), 19)",
    // Files that are read-only or hidden
    "open('/usr/lib/x', 'w'); print('DONE')", "open('/usr/bin/x', 'w'); print('DONE')", "os.mkdir('/x'); print('DONE')",
    "open('/etc/x', 'w'); print('DONE')", "open('/dev/x', 'w'); print('DONE')", "os.open('/usr/bin/env', os.O_WRONLY); print('DONE')",
    "open('/proc/sys/kernel/core_pattern', 'w'); print('DONE')", "open('/proc/sysrq-trigger', 'w'); print('DONE')",
    "open('/proc/self/uid_map', 'w').write('0 0 1'); print('DONE')", "open('/proc/self/oom_score_adj', 'w').write('-999'); print('DONE')",
    "print('DONE', open('/etc/passwd').read())", "print('DONE', os.listdir('/root'))", "print('DONE', os.listdir('/home'))",
    "print('DONE', os.listdir('/sys'))", "print('DONE', os.listdir('/'))", "print('DONE', os.listdir('/etc'))", "print('DONE', os.listdir('/usr'))",
    "print('DONE', os.listdir('/tmp'))", "print('DONE', open('/proc/kcore', 'rb').read(4))",
    "print('DONE', os.open('/dev/tty', os.O_RDWR))", "print('DONE', os.listdir('/dev/pts'))", "print('DONE', open('/dev/kmsg').read(1))",
    "print('DONE', open(os.path.dirname(M) + '/secret').read())", "w(M); print('DONE')", "os.symlink('../outside/secret', 'l'); print('DONE', open('l').read())",
    "os.link('../outside/secret', 'h'); print('DONE')", "os.rename('../outside/secret', 'h'); print('DONE')", "os.chmod('../outside/secret', 0o777); print('DONE')",
    "os.utime('../outside/secret', (1, 1)); print('DONE')", "os.rename('../repo', '../r'); print('DONE')",
    // Devices, modes, owners
    "os.mknod('free/b', 0o600 | stat.S_IFBLK, os.makedev(8, 0)); print('DONE')", "os.mknod('free/c', 0o600 | stat.S_IFCHR, os.makedev(1, 3)); print('DONE')",
    "os.chmod('f', 0o4755); print('DONE')", "os.chmod('f', 0o2755); print('DONE')", "os.fchmod(os.open('f', os.O_RDONLY), 0o6755); print('DONE')",
    "os.open('free/s', os.O_CREAT | os.O_WRONLY, 0o4755); print('DONE')", "call(437, -100, b'free/t', (ctypes.c_uint64 * 3)(0o101, 0o4755, 0), 24)",
    "os.chown('f', 12, 12); print('DONE')",
    // Network and sockets
    "import socket; socket.socket(); print('DONE')", "import socket; socket.socket(socket.AF_UNIX).connect('\\0x'); print('DONE')",
    "import socket; socket.socket(socket.AF_NETLINK); print('DONE')", "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW); print('DONE')",
    "import socket; socket.create_connection(('127.0.0.1', 22), 1); print('DONE')", "import socket; socket.socket(socket.AF_VSOCK); print('DONE')",
    // The kernel
    "call(425, 4, bytes(120))", "call(321, 0, bytes(72), 72)", "call(298, bytes(112), 0, -1, -1, 0)", "call(323, 0)", "call(250, 0, -3, 1)",
    "call(248, b'user', b'x', b'y', 1, -3)", "call(175, 0, 0, b'')", "call(169, 0, 0, 0, 0)", "call(167, b'f', 0)", "call(170, b'x', 1)", "call(163, b'f')",
    "call(103, 3, ctypes.create_string_buffer(64), 64)", "call(172, 3)",
];

fn run(launcher: &Launcher, root: &Path, program: &str, timeout: Duration) -> Outcome {
    let program = format!("{PRELUDE}{program}");
    let request = Request {
        program: "python3",
        arguments: &["-c", &program],
        folder: &RepoPath::root(),
        timeout,
        output_bytes: 1 << 16,
        policy: Policy::Interpreters { writes: true },
    };
    launcher
        .run(&Workspace::open(root).unwrap(), &request)
        .unwrap()
}

fn outcome_text(outcome: &Outcome) -> String {
    String::from_utf8_lossy(&[&outcome.stdout.bytes[..], &outcome.stderr.bytes].concat())
        .into_owned()
}

/// Returns a path from its first protected name on. `store` and `rules` are the targets of a `.git`
/// file and a link.
fn protected_part(path: &Path) -> Option<PathBuf> {
    let names: Vec<_> = path
        .components()
        .map(|name| name.as_os_str().to_ascii_lowercase())
        .collect();
    let git = [
        ".git",
        ".vscode",
        ".codeagent",
        ".idea",
        ".envrc",
        ".claude",
        ".codex",
        ".cursor",
        ".mcp.json",
        ".gitmodules",
        ".bashrc",
        ".zshrc",
    ];
    let at = names
        .iter()
        .position(|name| git.iter().any(|known| name == known))
        .or_else(|| {
            let top = names.first()?;
            (top == "store" || top == "rules").then_some(0)
        })?;
    Some(path.components().skip(at).collect())
}

/// Counts the protected entries below a folder by kind and mode, path and content. Folders may have
/// been moved.
fn state(root: &Path) -> BTreeMap<(PathBuf, String), usize> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            // A folder may be unreadable.
            let Ok(meta) = path.symlink_metadata() else {
                continue;
            };
            if meta.is_dir() {
                todo.push(path.clone());
            }
            let Some(part) = protected_part(path.strip_prefix(root).unwrap()) else {
                continue;
            };
            let content = match meta.file_type() {
                kind if kind.is_symlink() => {
                    format!("link {}", std::fs::read_link(&path).unwrap().display())
                }
                kind if kind.is_file() => {
                    format!(
                        "{:o} {}",
                        meta.permissions().mode(),
                        String::from_utf8_lossy(&std::fs::read(&path).unwrap())
                    )
                }
                kind if kind.is_dir() => "folder".to_owned(),
                _ => "special".to_owned(),
            };
            *found.entry((part, content)).or_default() += 1;
        }
    }
    found
}

/// Returns the entries of the folder next to the repository.
fn outside(outer: &Path) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(outer.join("outside")).unwrap();
    let mut found: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    found.sort();
    found
}

/// Runs git as a user would do next; git runs what the repository's settings say.
fn use_git(root: &Path) {
    for folder in [".", "sub", "free", "tree"] {
        let folder = root.join(folder);
        Command::new("git")
            .arg("status")
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .ok();
    }
}

fn the_programs_are_hostile() {
    assert!(
        FILES.len() + SYSTEM.len() >= 150,
        "{} and {}",
        FILES.len(),
        SYSTEM.len()
    );
    let mut changed = 0;
    for program in FILES {
        let outer = plant();
        let root = outer.path().join("repo");
        let before = state(&root);
        let mut command = Command::new("python3");
        command
            .arg("-c")
            .arg(format!("{PRELUDE}{program}"))
            .current_dir(&root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().unwrap();
        std::fs::set_permissions(&root, PermissionsExt::from_mode(0o755)).unwrap();
        changed += usize::from(state(&root) != before);
        Command::new("chmod")
            .args(["-R", "u+rwx"])
            .arg(outer.path())
            .status()
            .unwrap();
    }
    assert!(
        changed >= FILES.len() - 8,
        "without a jail only {changed} of {} change something",
        FILES.len()
    );
}

fn no_program_changes_what_git_editors_and_shells_run() {
    for launcher in launchers() {
        for program in FILES {
            let outer = plant();
            let root = outer.path().join("repo");
            let (before, beside) = (state(&root), outside(outer.path()));
            let outcome = run(&launcher, &root, program, Duration::from_secs(20));
            std::fs::set_permissions(&root, PermissionsExt::from_mode(0o755)).unwrap();
            let context = format!(
                "namespaces: {}, {program}: {}",
                launcher.has_namespaces(),
                outcome_text(&outcome)
            );
            assert_eq!(state(&root), before, "{context}");
            assert!(
                outcome.not_removed.is_empty() && !outcome.timed_out,
                "{context}: {outcome:?}"
            );
            use_git(&root);
            assert_eq!(outside(outer.path()), beside, "{context}");
        }
    }
}

fn no_program_reaches_the_machine() {
    for launcher in launchers() {
        for program in SYSTEM {
            let outer = plant();
            let root = outer.path().join("repo");
            let (before, beside) = (state(&root), outside(outer.path()));
            let outcome = run(&launcher, &root, program, Duration::from_secs(20));
            let context = format!(
                "namespaces: {}, {program}: {}",
                launcher.has_namespaces(),
                outcome_text(&outcome)
            );
            assert!(
                !outcome_text(&outcome).contains("DONE")
                    && !outcome_text(&outcome).contains(CANARY)
                    && outcome.exit_code != Some(0),
                "{context}"
            );
            assert_eq!(
                (state(&root), outside(outer.path())),
                (before, beside),
                "{context}"
            );
        }
    }
}

fn removed_names_are_reported_and_links_put_back() {
    let outer = plant();
    let root = outer.path().join("repo");
    let launcher = &launchers()[0];
    let outcome = run(
        launcher,
        &root,
        "w('free/.git/config'); w('free/ok')",
        Duration::from_secs(20),
    );
    assert_eq!(
        (outcome.removed, outcome.exit_code),
        (vec!["free/.git".to_owned()], Some(0))
    );
    assert!(root.join("free/ok").exists() && !root.join("free/.git").exists());
    let outcome = run(
        launcher,
        &root,
        "os.remove('.cursor')",
        Duration::from_secs(20),
    );
    assert_eq!(
        outcome.removed,
        if launcher.has_namespaces() {
            vec![".cursor".to_owned()]
        } else {
            Vec::new()
        }
    );
    assert_eq!(
        std::fs::read_link(root.join(".cursor")).unwrap(),
        Path::new("rules")
    );
    let many = "for n in range(50): w('free/%d/.git/config' % n)";
    let outcome = run(launcher, &root, many, Duration::from_secs(20));
    assert!(
        outcome.removed.len() == 21 && outcome.removed[20] == "and more",
        "{outcome:?}"
    );
    assert!((0..50).all(|number| !root.join(format!("free/{number}/.git")).exists()));
}

fn a_process_that_survives_its_command_is_killed() {
    for launcher in launchers() {
        let outer = plant();
        let root = outer.path().join("repo");
        for new_session in [
            "os.setsid()",
            "os.setpgid(0, 0)",
            "pass",
            "os.fork() and os._exit(0)",
        ] {
            let program = format!(
                "if os.fork() == 0:\n  os.closerange(0, 3)\n  try: {new_session}\n  except OSError: pass\n  while True:\n    \
                 w('free/beat', str(time.time())); time.sleep(.01)\nwhile not os.path.exists('free/beat'): time.sleep(.01)"
            );
            let outcome = run(&launcher, &root, &program, Duration::from_secs(60));
            assert_eq!(outcome.exit_code, Some(0), "{new_session}: {outcome:?}");
            let beat = std::fs::read(root.join("free/beat")).unwrap();
            std::thread::sleep(Duration::from_millis(200));
            assert_eq!(
                std::fs::read(root.join("free/beat")).unwrap(),
                beat,
                "{new_session}: it still writes"
            );
            std::fs::remove_file(root.join("free/beat")).unwrap();
        }
    }
}

fn nothing_of_the_server_is_passed_on() {
    let outer = plant();
    let held = std::fs::File::open(outer.path().join("outside/secret")).unwrap();
    // Inheritable, like files that a careless parent leaves open in the server.
    rustix::io::fcntl_setfd(&held, rustix::io::FdFlags::empty()).unwrap();
    for launcher in launchers() {
        let program = "print(sorted(os.listdir('/proc/self/fd')), sorted(os.environ))";
        let outcome = run(
            &launcher,
            &outer.path().join("repo"),
            program,
            Duration::from_secs(20),
        );
        let names = "['GIT_OPTIONAL_LOCKS', 'HOME', 'LC_ALL', 'NO_COLOR', 'PATH', 'TMPDIR']";
        // The fourth is the folder that is being listed.
        assert_eq!(
            outcome_text(&outcome),
            format!("['0', '1', '2', '3'] {names}\n")
        );
    }
}

fn commands_that_write_take_turns() {
    let outer = plant();
    let root = outer.path().join("repo");
    let launcher = &launchers()[0];
    let turn = "assert not os.path.exists('free/turn'); w('free/turn'); time.sleep(.1); os.remove('free/turn')";
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| run(launcher, &root, turn, Duration::from_secs(60))))
            .collect();
        for run in runs {
            let outcome = run.join().unwrap();
            assert_eq!(outcome.exit_code, Some(0), "{}", outcome_text(&outcome));
        }
    });
    let begun = Instant::now();
    let outcome = run(
        launcher,
        &root,
        "time.sleep(600)",
        Duration::from_millis(300),
    );
    assert!(
        outcome.timed_out && outcome.signal == Some(9) && begun.elapsed() < Duration::from_secs(20),
        "{outcome:?}"
    );
}

fn paths_outside_are_absent() {
    let outer = plant();
    let launcher = &launchers()[0];
    if !launcher.has_namespaces() {
        return;
    }
    let paths = [
        "../outside/secret",
        "../outside",
        "/root",
        "/home",
        "/etc/passwd",
        "/etc/hostname",
        "/var",
        "/sys",
        "/run",
        "/boot",
    ];
    // The folders around the repository exist and contain nothing else.
    for path in paths
        .into_iter()
        .filter(|path| !outer.path().starts_with(path))
    {
        let outcome = run(
            launcher,
            &outer.path().join("repo"),
            &format!("os.lstat('{path}')"),
            Duration::from_secs(20),
        );
        assert!(
            outcome_text(&outcome).contains("FileNotFoundError"),
            "{path}: {}",
            outcome_text(&outcome)
        );
    }
}
