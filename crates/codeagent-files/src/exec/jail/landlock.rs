//! Landlock rules: the files and folders that a command may open, and how.
//!
//! Within namespaces this is a second layer, if the kernel supports it. Without namespaces it is
//! the only layer for files, so the rules are stricter: a folder that contains a protected name is
//! read-only, and its other children are granted one by one. This always applies to the root,
//! because a protected name could be created in it.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use rustix::fs::{Dir, FileType, Mode, OFlags, fstat, open, openat};

use super::mounts::OWN_FILES;
use super::plan::Plan;
use crate::exec::Policy;

/// Minimum version: supports all access rights up to truncation (Linux 6.2).
const NEEDED: ABI = ABI::V3;
/// Preferred version: also restricts the network, signals and abstract sockets (Linux 6.12).
const WANTED: ABI = ABI::V6;

/// Folders that all programs need.
const SHARED: &[&str] = &["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/share"];
/// Files that programs read at start-up.
const SHARED_FILES: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/magic",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
];
/// Folders that interpreters also need.
const PROGRAMS: &[&str] = &[
    "/usr/bin",
    "/bin",
    "/usr/local",
    "/usr/libexec",
    "/usr/include",
    "/usr/lib32",
    "/lib32",
];

/// A handle that names a file without opening it.
const NAMED: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

type AccessRights = BitFlags<AccessFs>;

/// Returns why Landlock is unavailable, if it is.
pub fn required() -> Result<(), String> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))
        .and_then(Ruleset::create)
        .map(|_| ())
        .map_err(|error| message(&error))
}

/// Restricts this process and its descendants.
pub fn restrict(plan: &Plan) -> Result<(), String> {
    if plan.namespaces && required().is_err() {
        return Ok(());
    }

    let mut ruleset = ruleset(plan)?;
    let mut add = |handle: &OwnedFd, rights: AccessRights| -> Result<(), String> {
        let stat = fstat(handle).map_err(|error| message(&error))?;
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        let rights = if is_folder {
            rights
        } else {
            rights & AccessFs::from_file(NEEDED)
        };

        let rule = PathBeneath::new(handle.as_fd(), rights);
        (&mut ruleset)
            .add_rule(rule)
            .map(|_| ())
            .map_err(|error| message(&error))
    };

    for (path, rights) in system_rules(plan) {
        // Not every system has every folder.
        let Ok(handle) = open(&path, NAMED, Mode::empty()) else {
            continue;
        };
        add(&handle, rights)?;
    }

    let root = open(&plan.root, NAMED | OFlags::DIRECTORY, Mode::empty())
        .map_err(|error| message(&error))?;
    let (read, run, write) = rights();
    add(
        &root,
        if plan.policy == Policy::Tools {
            read
        } else {
            run
        },
    )?;

    if plan.writes() && plan.namespaces {
        add(&root, write)?;
    } else if plan.writes() {
        add_unprotected(&root, plan, &mut add)?;
    }

    ruleset
        .restrict_self()
        .map(|_| ())
        .map_err(|error| message(&error))
}

fn message(error: &dyn std::error::Error) -> String {
    format!("Landlock: {error}")
}

fn ruleset(plan: &Plan) -> Result<RulesetCreated, String> {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let ruleset = ruleset
        .handle_access(AccessFs::from_all(NEEDED))
        .map_err(|error| message(&error))?;
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    let ruleset = ruleset
        .handle_access(AccessFs::from_all(WANTED))
        .map_err(|error| message(&error))?;
    let ruleset = ruleset
        .handle_access(AccessNet::from_all(WANTED))
        .map_err(|error| message(&error))?;

    // Without a process namespace, programs that may send signals must not reach other processes.
    let is_alone = plan.namespaces || plan.policy == Policy::Tools;
    let ruleset = ruleset.set_compatibility(if is_alone {
        CompatLevel::BestEffort
    } else {
        CompatLevel::HardRequirement
    });

    let ruleset = ruleset
        .scope(Scope::from_all(WANTED))
        .map_err(|error| message(&error))?;
    ruleset.create().map_err(|error| message(&error))
}

/// Returns the rights to read; to read and run; and all rights but to create devices.
fn rights() -> (AccessRights, AccessRights, AccessRights) {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    (
        read,
        read | AccessFs::Execute,
        AccessFs::from_all(NEEDED) & !(AccessFs::MakeChar | AccessFs::MakeBlock),
    )
}

/// Returns the system's paths with the rights at and below them.
fn system_rules(plan: &Plan) -> Vec<(PathBuf, AccessRights)> {
    let (read, run, write) = rights();
    // Names in program folders are often links; the final target is the program.
    let program = plan
        .program
        .canonicalize()
        .unwrap_or_else(|_| plan.program.clone());
    let mut rules: Vec<(PathBuf, AccessRights)> =
        vec![(program, AccessFs::ReadFile | AccessFs::Execute)];
    let mut add = |paths: &[&str], rights: AccessRights| {
        rules.extend(paths.iter().map(|path| (PathBuf::from(path), rights)))
    };

    add(SHARED_FILES, AccessFs::ReadFile.into());
    add(&["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile);
    if plan.policy == Policy::Tools {
        add(SHARED, read);
        // The dynamic loader must be executable; nothing else in these folders is.
        rules.extend(loaders().map(|loader| (loader, AccessFs::ReadFile | AccessFs::Execute)));
        return rules;
    }

    add(SHARED, run);
    add(PROGRAMS, run);
    if plan.namespaces {
        add(&OWN_FILES.map(|(path, _)| path), AccessFs::ReadFile.into());
    }

    // The namespace's own `/proc` shows only the command's processes.
    let is_own = std::fs::read_link("/proc/self")
        .is_ok_and(|link| link.as_os_str() == std::process::id().to_string().as_str());
    add(
        &[if plan.namespaces && is_own {
            "/proc"
        } else {
            "/proc/self"
        }],
        read,
    );

    let etc = std::fs::read_dir("/etc")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());

    // On some systems, Python's start-up file is a link into `/etc`.
    rules.extend(
        etc.filter(|path| path.as_os_str().as_bytes().starts_with(b"/etc/python3"))
            .map(|path| (path, read)),
    );
    rules.push((plan.scratch.clone(), write));
    rules
}

fn loaders() -> impl Iterator<Item = PathBuf> {
    let names = [
        "/lib64/ld-linux-x86-64.so.2",
        "/lib/ld-linux-aarch64.so.1",
        "/lib/ld-musl-x86_64.so.1",
        "/lib/ld-musl-aarch64.so.1",
    ];
    names
        .into_iter()
        .filter_map(|name| Path::new(name).canonicalize().ok())
}

/// Grants write access to the children of folders that contain a protected name, but not to these
/// folders or to the protected names.
fn add_unprotected(
    root: &OwnedFd,
    plan: &Plan,
    add: &mut impl FnMut(&OwnedFd, AccessRights) -> Result<(), String>,
) -> Result<(), String> {
    let protected: BTreeSet<&Path> = plan.protected.iter().map(PathBuf::as_path).collect();
    let mut open_folders: BTreeSet<&Path> = plan.pinned.iter().map(PathBuf::as_path).collect();
    open_folders.extend(
        plan.protected
            .iter()
            .flat_map(|path| path.ancestors().skip(1)),
    );
    open_folders.insert(Path::new(""));

    let (_, _, write) = rights();
    let mut todo = vec![(
        root.try_clone().map_err(|error| message(&error))?,
        PathBuf::new(),
    )];
    while let Some((folder, path)) = todo.pop() {
        let entries = openat(
            &folder,
            ".",
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        );

        for entry in entries
            .and_then(Dir::new)
            .map_err(|error| message(&error))?
        {
            let entry = entry.map_err(|error| message(&error))?;
            let name: &CStr = entry.file_name();
            let inner = path.join(std::ffi::OsStr::from_bytes(name.to_bytes()));
            if matches!(name.to_bytes(), b"." | b"..") || protected.contains(inner.as_path()) {
                continue;
            }
            let Ok(handle) = openat(&folder, name, NAMED | OFlags::NOFOLLOW, Mode::empty()) else {
                continue;
            };

            let kind = fstat(&handle)
                .map(|stat| FileType::from_raw_mode(stat.st_mode))
                .map_err(|error| message(&error))?;
            if open_folders.contains(inner.as_path()) && kind == FileType::Directory {
                todo.push((handle, inner));
            } else if matches!(kind, FileType::Directory | FileType::RegularFile) {
                // The target of a link has its own rule, or none.
                add(&handle, write)?;
            }
        }
    }

    Ok(())
}
