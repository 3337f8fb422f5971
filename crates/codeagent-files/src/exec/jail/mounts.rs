//! Builds the root that a command sees, from mounts.
//!
//! The root is a `tmpfs`. It contains the system's programs and libraries and a few files of `/etc`
//! and `/dev`, all read-only; a `/proc` of the process namespace; and the repository and the
//! scratch folder at their usual paths. Protected files and folders are mounted onto themselves,
//! read-only, so they cannot be changed, moved or replaced. Nothing else of the machine is visible.
//!
//! No mount honours set-user-ID bits. Device files outside of `/dev` do not work.
//!
//! Limitations: a rename or hard link into or out of a pinned folder fails with `EXDEV`, as between
//! file systems.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use nix::sched::CloneFlags;
use rustix::fs::{Mode, OFlags, open};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};
use rustix::process::{chdir, pivot_root};

use super::landlock;
use super::plan::Plan;
use crate::exec::Policy;

/// Folders and files of the system. Links are recreated as links.
const SYSTEM: &[&str] = &[
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/share",
    "/usr/include",
    "/usr/local",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/magic",
    "/etc/ssl/openssl.cnf",
];
/// Device files that contain no data of the machine.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// Links that shells expect.
const DEVICE_LINKS: &[(&str, &str)] = &[
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

/// Files created for the command, which has no network: they make only its own host name
/// resolvable. Landlock grants them too.
pub const OWN_FILES: [(&str, &str); 2] = [
    ("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"),
    (
        "/etc/nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files\n",
    ),
];

const NO_SPECIALS: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Creates a mount namespace with the command's root and enters the working folder. Returns a
/// handle of this program, because that root does not contain it.
pub fn enter(plan: &Plan) -> Result<OwnedFd, String> {
    let program = open(
        "/proc/self/exe",
        OFlags::PATH | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(|error| format!("mounts: {error}"))?;
    build(plan).map_err(|(what, error)| format!("mounts: {}: {error}", what.display()))?;
    chdir(&plan.folder).map_err(|error| format!("cannot enter the working directory: {error}"))?;
    Ok(program)
}

/// A path that could not be mounted, with the error.
type MountError = (PathBuf, io::Error);

fn build(plan: &Plan) -> Result<(), MountError> {
    // The new root is mounted over the scratch folder, which becomes hidden.
    let at = plan.scratch.as_path();
    let failed = |error: io::Error| (at.to_owned(), error);
    nix::sched::unshare(CloneFlags::CLONE_NEWNS).map_err(|error| failed(error.into()))?;
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )
    .map_err(|error| failed(error.into()))?;

    // Opened after `unshare`, because an earlier handle would belong to the old namespace.
    let scratch = open(
        at,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(|error| failed(error.into()))?;

    let root = NewRoot {
        at,
        mounts: mounts().map_err(failed)?,
    };
    mount("codeagent", at, "tmpfs", NO_SPECIALS, c"mode=0755,size=16m")
        .map_err(|error| failed(error.into()))?;
    root.system(plan)?;
    root.proc()?;
    root.repository(plan)?;
    if plan.policy != Policy::Tools {
        root.scratch(&scratch)?;
    }

    mount_remount(at, MountFlags::BIND | MountFlags::RDONLY | NO_SPECIALS, c"")
        .map_err(|error| failed(error.into()))?;
    // `pivot_root` stacks the old root on top of the new one; it is then detached with all its
    // mounts.
    let enter = || {
        chdir(at)?;
        pivot_root(".", ".")?;
        unmount(".", UnmountFlags::DETACH)?;
        chdir("/")
    };

    enter().map_err(|error| failed(error.into()))
}

/// A root under construction.
struct NewRoot<'a> {
    /// Temporary mount point of the root.
    at: &'a Path,
    /// The mounts of the old root.
    mounts: Vec<Mount>,
}

/// A mount with the flags that it must keep.
struct Mount {
    at: PathBuf,
    flags: MountFlags,
}

impl NewRoot<'_> {
    /// Returns the location of an absolute path while the root is under construction.
    fn mounted(&self, path: &Path) -> PathBuf {
        self.at.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn system(&self, plan: &Plan) -> Result<(), MountError> {
        let read_only = NO_SPECIALS | MountFlags::RDONLY;
        let etc = std::fs::read_dir("/etc")
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());

        let python = etc.filter(|path| {
            path.as_os_str()
                .as_encoded_bytes()
                .starts_with(b"/etc/python3")
        });

        for path in SYSTEM.iter().map(PathBuf::from).chain(python) {
            let Ok(found) = path.symlink_metadata() else {
                continue;
            };
            if found.is_symlink() {
                self.link(
                    &path,
                    &std::fs::read_link(&path).map_err(|error| (path.clone(), error))?,
                )?;
            } else {
                self.bind(&path, &path, read_only)?;
            }
        }

        for (path, text) in OWN_FILES {
            let target = self.mounted(Path::new(path));
            let result = target
                .parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(&target, text));
            result.map_err(|error| (path.into(), error))?;
        }

        for device in DEVICES {
            self.bind(
                Path::new(device),
                Path::new(device),
                MountFlags::NOSUID | MountFlags::NOEXEC,
            )?;
        }

        let links = if plan.policy == Policy::Tools {
            &[]
        } else {
            DEVICE_LINKS
        };

        links
            .iter()
            .try_for_each(|(link, target)| self.link(Path::new(link), Path::new(target)))
    }

    /// Mounts a `/proc` of the process namespace. Where the machine's `/proc` is partially hidden,
    /// the kernel refuses that; then the machine's is used and Landlock must hide the rest.
    fn proc(&self) -> Result<(), MountError> {
        let target = self.mounted(Path::new("/proc"));
        let failed = |error: io::Error| (target.clone(), error);
        std::fs::create_dir_all(&target).map_err(failed)?;
        let flags = NO_SPECIALS | MountFlags::NOEXEC | MountFlags::RDONLY;
        match mount("proc", &target, "proc", flags, None) {
            Err(error) if landlock::required().is_err() => Err(failed(error.into())),
            Err(_) => self.bind(Path::new("/proc"), Path::new("/proc"), flags),
            Ok(()) => Ok(()),
        }
    }

    fn repository(&self, plan: &Plan) -> Result<(), MountError> {
        self.bind(
            &plan.root,
            &plan.root,
            if plan.writes() {
                NO_SPECIALS
            } else {
                NO_SPECIALS | MountFlags::RDONLY
            },
        )?;
        for pinned in &plan.pinned {
            self.rebind(&plan.root.join(pinned), NO_SPECIALS)?;
        }
        plan.protected.iter().try_for_each(|path| {
            self.rebind(&plan.root.join(path), NO_SPECIALS | MountFlags::RDONLY)
        })
    }

    fn scratch(&self, scratch: &OwnedFd) -> Result<(), MountError> {
        let target = self.mounted(self.at);
        let failed = |error: io::Error| (target.clone(), error);
        std::fs::create_dir_all(&target).map_err(failed)?;
        // Not recursive, because the new root is mounted on this folder.
        mount_bind(format!("/proc/self/fd/{}", scratch.as_raw_fd()), &target)
            .map_err(|error| failed(error.into()))?;
        self.harden(self.at, NO_SPECIALS)
    }

    fn link(&self, link: &Path, target: &Path) -> Result<(), MountError> {
        let mounted = self.mounted(link);
        let result = mounted
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::os::unix::fs::symlink(target, &mounted));
        result.map_err(|error| (link.to_owned(), error))
    }

    /// Makes a file or folder of the old root visible at a path of the new one.
    fn bind(&self, source: &Path, path: &Path, flags: MountFlags) -> Result<(), MountError> {
        let target = self.mounted(path);
        let failed = |error: io::Error| (path.to_owned(), error);
        if source.is_dir() {
            std::fs::create_dir_all(&target).map_err(failed)?;
        } else if !target.exists() {
            let result = target
                .parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::File::create(&target));
            result.map_err(failed)?;
        }
        mount_bind_recursive(source, &target).map_err(|error| failed(error.into()))?;
        self.harden(path, flags)
    }

    /// Turns a file or folder in the new root into its own mount.
    fn rebind(&self, path: &Path, flags: MountFlags) -> Result<(), MountError> {
        let target = self.mounted(path);
        mount_bind_recursive(&target, &target).map_err(|error| (path.to_owned(), error.into()))?;
        self.harden(path, flags)
    }

    /// Adds flags to the mount at a path and to those below it. Existing flags are kept, because
    /// some cannot be removed.
    fn harden(&self, path: &Path, flags: MountFlags) -> Result<(), MountError> {
        let around = self
            .mounts
            .iter()
            .filter(|mount| path.starts_with(&mount.at));
        // The last of several mounts at one path is on top.
        let own = around
            .max_by_key(|mount| mount.at.components().count())
            .map_or(MountFlags::empty(), |mount| mount.flags);
        let remount = |path: &Path, had: MountFlags| {
            mount_remount(self.mounted(path), MountFlags::BIND | had | flags, c"")
        };

        remount(path, own).map_err(|error| (path.to_owned(), error.into()))?;
        for mount in self
            .mounts
            .iter()
            .filter(|mount| mount.at != path && mount.at.starts_with(path))
        {
            match remount(&mount.at, mount.flags) {
                // The mount is hidden below another one.
                Ok(())
                | Err(
                    rustix::io::Errno::INVAL | rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR,
                ) => {}
                Err(error) => return Err((mount.at.clone(), error.into())),
            }
        }

        Ok(())
    }
}

/// Returns the mounts of this namespace.
fn mounts() -> io::Result<Vec<Mount>> {
    let text = std::fs::read("/proc/self/mountinfo")?;
    let mount = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ').skip(4);
        let at = PathBuf::from(std::ffi::OsString::from_vec(unescaped(fields.next()?)));
        let options = fields.next()?;
        let flag = |option: &[u8]| match option {
            b"ro" => MountFlags::RDONLY,
            b"nosuid" => MountFlags::NOSUID,
            b"nodev" => MountFlags::NODEV,
            b"noexec" => MountFlags::NOEXEC,
            b"noatime" => MountFlags::NOATIME,
            b"nodiratime" => MountFlags::NODIRATIME,
            b"relatime" => MountFlags::RELATIME,
            _ => MountFlags::empty(),
        };

        Some(Mount {
            at,
            flags: options
                .split(|byte| *byte == b',')
                .fold(MountFlags::empty(), |flags, option| flags | flag(option)),
        })
    };

    Ok(text
        .split(|byte| *byte == b'\n')
        .filter_map(mount)
        .collect())
}

/// Decodes a path of `mountinfo`, in which white space is written as octal escapes.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal = after
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }

    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn mount_paths_are_unescaped() {
        assert_eq!(super::unescaped(b"/a\\040b\\134c\\x"), b"/a b\\c\\x");
    }
}
