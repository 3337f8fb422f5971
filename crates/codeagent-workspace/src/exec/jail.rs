//! How does a process lock itself up before it becomes a command? Limits, then files and network by Landlock, then system calls by seccomp; each
//! step can only take away, and a step that fails ends the process.
//!
//! **Limits.** What each policy may reach is [`rules`] and `syscalls`; nothing else is written down anywhere.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    Scope,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::syscalls;

/// The least that must be had: everything up to truncation (Linux 6.2).
const NEEDED: ABI = ABI::V3;
/// What is asked for besides where it can be had: the network, signals and abstract sockets (Linux 6.12).
const WANTED: ABI = ABI::V6;

/// Largest file that may be written, in bytes.
const MAX_FILE: u64 = 64 << 20;
/// Most memory of a text tool, in bytes.
const MAX_MEMORY: u64 = 2 << 30;
/// Most processes and threads of the user, as long as an interpreter runs.
const MAX_PROCESSES: u64 = 4_096;

/// Where programs find what all of them need.
const SHARED: &[&str] = &["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/share"];
/// Files that programs look for as they start.
const SHARED_FILES: &[&str] =
    &["/etc/ld.so.cache", "/etc/magic", "/etc/localtime", "/etc/ssl/openssl.cnf", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"];
/// What interpreters are started from, besides.
const PROGRAMS: &[&str] = &["/usr/bin", "/bin", "/usr/local", "/usr/libexec"];

/// Locks this process up as the arguments say and becomes the command. Returns the reason if it cannot, and in the end of a check.
pub fn enter(arguments: &[OsString]) -> Result<(), String> {
    let word = |index: usize| arguments.get(index).and_then(|argument| argument.to_str()).unwrap_or_default();
    if word(0) == super::CHECK {
        limit("tools", 1)?;
        restrict(&rules("tools", Path::new("/usr"), Path::new("/usr"), Path::new("/bin/true")), true)?;
        return syscalls::restrict(true);
    }
    let [policy, _, root, scratch, program, rest @ ..] = arguments else { return Err("too few arguments".to_owned()) };
    let policy = policy.to_str().unwrap_or_default();
    let seconds = word(1).parse().map_err(|_| "no time is said")?;
    // Names in the folders of programs are often links, of which the last is the program.
    let real = Path::new(program).canonicalize().map_err(|error| error.to_string())?;
    limit(policy, seconds)?;
    let alone = policy == "tools";
    restrict(&rules(policy, Path::new(root), Path::new(scratch), &real), alone)?;
    syscalls::restrict(alone)?;
    Err(format!("the program cannot be started: {}", Command::new(program).args(rest).exec()))
}

fn limit(policy: &str, seconds: u64) -> Result<(), String> {
    let set = |resource: Resource, most: u64| {
        // What is narrower already cannot be widened.
        let most = getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).map_err(|error| error.to_string())
    };
    set(Resource::Core, 0)?;
    set(Resource::Nofile, 1_024)?;
    set(Resource::Fsize, MAX_FILE)?;
    if policy == "tools" {
        // Of several processors' time as much as one has in that time, and some to end in.
        set(Resource::Cpu, seconds.saturating_mul(2) + 5)?;
        set(Resource::As, MAX_MEMORY)
    } else {
        // Interpreters set aside more addresses than there is memory.
        set(Resource::Nproc, MAX_PROCESSES)
    }
}

/// What may be reached: a path, and what may be done at and below it.
fn rules(policy: &str, root: &Path, scratch: &Path, program: &Path) -> Vec<(PathBuf, BitFlags<AccessFs>)> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let run = read | AccessFs::Execute;
    let write = AccessFs::from_all(NEEDED) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut rules: Vec<(PathBuf, BitFlags<AccessFs>)> = vec![(program.to_owned(), AccessFs::ReadFile | AccessFs::Execute)];
    let mut add = |paths: &[&str], access: BitFlags<AccessFs>| rules.extend(paths.iter().map(|path| (PathBuf::from(path), access)));
    add(SHARED_FILES, AccessFs::ReadFile.into());
    add(&["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile);
    let python = std::fs::read_dir("/etc").into_iter().flatten().flatten().map(|entry| entry.path());
    let is_python = |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"python3"));
    if policy == "tools" {
        // The loader of a program is a program; no other is in these folders by name.
        add(SHARED, read);
        rules.extend(loaders().map(|loader| (loader, AccessFs::ReadFile | AccessFs::Execute)));
        rules.push((root.to_owned(), read));
    } else {
        add(SHARED, run);
        add(PROGRAMS, run);
        add(&["/proc/self"], read);
        // Its start-up file is a link to there on some systems.
        rules.extend(python.filter(is_python).map(|path| (path, read)));
        rules.push((root.to_owned(), if policy == "writing-interpreters" { write } else { run }));
        rules.push((scratch.to_owned(), write));
    }
    rules
}

/// The programs that load programs.
fn loaders() -> impl Iterator<Item = PathBuf> {
    let names = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"];
    names.into_iter().filter_map(|name| Path::new(name).canonicalize().ok())
}

fn restrict(rules: &[(PathBuf, BitFlags<AccessFs>)], alone: bool) -> Result<(), String> {
    let told = |error: &dyn std::error::Error| format!("Landlock: {error}");
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let ruleset = ruleset.handle_access(AccessFs::from_all(NEEDED)).map_err(|error| told(&error))?;
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    let ruleset = ruleset.handle_access(AccessFs::from_all(WANTED)).map_err(|error| told(&error))?;
    let ruleset = ruleset.handle_access(AccessNet::from_all(WANTED)).map_err(|error| told(&error))?;
    // A program that may start others may also signal them, and must reach no others.
    let ruleset = ruleset.set_compatibility(if alone { CompatLevel::BestEffort } else { CompatLevel::HardRequirement });
    let ruleset = ruleset.scope(Scope::from_all(WANTED)).map_err(|error| told(&error))?;
    let mut ruleset = ruleset.create().map_err(|error| told(&error))?;
    for (path, access) in rules {
        // Not every system has every folder.
        let Ok(handle) = PathFd::new(path) else { continue };
        let access = if path.is_dir() { *access } else { *access & AccessFs::from_file(NEEDED) };
        ruleset = ruleset.add_rule(PathBeneath::new(handle, access)).map_err(|error| told(&error))?;
    }
    ruleset.restrict_self().map(|_| ()).map_err(|error| told(&error))
}
