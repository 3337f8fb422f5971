//! Scratch folders: a command's `HOME` and `TMPDIR`.
//!
//! The jail creates the folder, locks it while the command runs and removes it afterwards, even if
//! the server was killed. An unlocked folder was left by a killed jail; the next server removes it
//! ([`sweep`]).

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, mkdir, open, openat, rename};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::jail::protected::remove;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Prefix of scratch folders' names.
const PREFIX: &str = "codeagent-run-";

/// Returns the path of a scratch folder that does not exist yet.
pub fn new_path() -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos());
    let name = format!(
        "{PREFIX}{}-{}-{nanos}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    Ok(std::env::temp_dir().canonicalize()?.join(name))
}

/// A scratch folder in use. Removed when dropped.
pub struct Scratch {
    path: PathBuf,
    _lock: OwnedFd,
}

impl Scratch {
    /// Creates and locks the folder.
    pub fn make(path: &Path) -> io::Result<Self> {
        // It is renamed only after it is locked, so that no `sweep` removes it before.
        let unlocked = path.with_file_name(format!(
            ".{}",
            path.file_name().unwrap_or_default().display()
        ));
        mkdir(&unlocked, Mode::RWXU)?;
        let lock = open(&unlocked, FOLDER, Mode::empty())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        rename(&unlocked, path)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_at(&self.path).ok();
    }
}

fn remove_at(path: &Path) -> io::Result<()> {
    let parent = open(path.parent().unwrap_or(path), FOLDER, Mode::empty())?;
    Ok(remove(&parent, path.file_name().unwrap_or_default())?)
}

/// Removes this user's unused scratch folders.
pub fn sweep() {
    sweep_in(&std::env::temp_dir());
}

fn sweep_in(folder: &Path) {
    let Ok(base) = open(folder, FOLDER - OFlags::NOFOLLOW, Mode::empty()) else {
        return;
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes())
        {
            sweep_one(&base, &entry.file_name()).ok();
        }
    }
}

fn sweep_one(base: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    let is_scratch =
        rustix::fs::statat(base, name, AtFlags::SYMLINK_NOFOLLOW)?.st_uid == geteuid().as_raw();
    let lock = openat(base, name, FOLDER, Mode::empty())?;
    if is_scratch && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
        remove(base, name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeping_removes_only_unused_folders() {
        let base = tempfile::tempdir().unwrap();
        let used = Scratch::make(&base.path().join(format!("{PREFIX}used"))).unwrap();
        let left = base.path().join(format!("{PREFIX}left"));

        std::fs::create_dir_all(left.join("deep/er")).unwrap();
        std::fs::set_permissions(
            left.join("deep"),
            std::os::unix::fs::PermissionsExt::from_mode(0o000),
        )
        .unwrap();
        std::fs::create_dir(base.path().join("other")).unwrap();
        std::os::unix::fs::symlink(
            base.path().join("other"),
            base.path().join(format!("{PREFIX}link")),
        )
        .unwrap();
        sweep_in(base.path());
        assert!(!left.exists() && used.path.exists() && base.path().join("other").exists());

        let path = used.path.clone();
        drop(used);
        assert!(!path.exists());
    }
}
