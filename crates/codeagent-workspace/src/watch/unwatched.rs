//! Changes that cause no event: another folder or file system mounted at or below the root, and the
//! user's own ignore rules.
//!
//! These are checked whenever events are taken, at the cost of a few system calls.
//!
//! Limitations: mounts are noticed on Linux only.

use std::path::{Path, PathBuf};

use crate::Workspace;
use crate::ignored;
use crate::read::Stamp;
use crate::watch::WatchError;

/// Magic numbers of network file systems.
#[cfg(target_os = "linux")]
const REMOTE: [(u64, &str); 7] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9p"),
    (0x5346_414f, "AFS"),
];

/// Returns an error for file systems that other machines can change.
#[cfg(target_os = "linux")]
pub(super) fn check_file_system(root: &Path) -> Result<(), WatchError> {
    let system = rustix::fs::statfs(root).map_err(std::io::Error::from)?;
    match REMOTE
        .iter()
        .find(|(number, _)| *number == system.f_type as u64 & 0xffff_ffff)
    {
        Some((_, name)) => Err(WatchError::FileSystem(name)),
        None => Ok(()),
    }
}

/// No network file systems are known on this platform.
#[cfg(not(target_os = "linux"))]
pub(super) fn check_file_system(_root: &Path) -> Result<(), WatchError> {
    Ok(())
}

/// The state at the last check.
pub(super) struct Unwatched {
    workspace: Workspace,
    is_there: bool,
    mounts: Mounts,
    rules: Vec<(PathBuf, Option<(u64, Stamp)>)>,
}

/// Differences since the last check.
#[derive(Default)]
pub(super) struct Differences {
    /// The root is another folder, or a folder below it may be.
    pub folders_replaced: bool,
    /// The user's ignore rules have changed.
    rules_changed: bool,
}

impl Differences {
    /// Reports whether anything differs.
    pub fn anything(&self) -> bool {
        self.folders_replaced || self.rules_changed
    }
}

impl Unwatched {
    pub fn new(workspace: &Workspace) -> Self {
        Self {
            workspace: workspace.clone(),
            is_there: true,
            mounts: Mounts::of(workspace.root()),
            rules: rules(),
        }
    }

    /// Returns the differences since the last check.
    pub fn look(&mut self) -> Differences {
        let now = self.workspace.reopened();
        let was_there = std::mem::replace(&mut self.is_there, now.is_there());
        let is_another_root = was_there != self.is_there || !now.has_root_of(&self.workspace);
        self.workspace = now;
        let rules_changed = self
            .rules
            .iter()
            .any(|(path, state)| state_of(path) != *state);
        if rules_changed {
            self.rules = rules();
        }
        Differences {
            folders_replaced: is_another_root | self.mounts.have_changed(self.workspace.root()),
            rules_changed,
        }
    }
}

/// Returns the state of the user's files that affect ignore rules.
fn rules() -> Vec<(PathBuf, Option<(u64, Stamp)>)> {
    ignored::user_rule_files()
        .into_iter()
        .map(|path| (path.clone(), state_of(&path)))
        .collect()
}

fn state_of(path: &Path) -> Option<(u64, Stamp)> {
    path.metadata()
        .ok()
        .map(|metadata| (metadata.len(), Stamp::of(&metadata)))
}

/// The mounts at and below the root.
struct Mounts {
    /// The mount table; its handle signals changes.
    #[cfg(target_os = "linux")]
    table: Option<std::fs::File>,
    #[cfg(target_os = "linux")]
    here: Vec<String>,
}

#[cfg(target_os = "linux")]
impl Mounts {
    const TABLE: &str = "/proc/self/mountinfo";

    fn of(root: &Path) -> Self {
        // Opened first, so that later mounts are noticed.
        let table = std::fs::File::open(Self::TABLE).ok();
        Self {
            table,
            here: Self::at_or_below(root),
        }
    }

    fn have_changed(&mut self, root: &Path) -> bool {
        if !self.table.as_ref().is_some_and(has_news) {
            return false;
        }
        let here = Self::at_or_below(root);
        let before = std::mem::replace(&mut self.here, here);
        before != self.here
    }

    fn at_or_below(root: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(Self::TABLE).unwrap_or_default();
        text.lines()
            .filter(|line| mount_point(line).starts_with(root))
            .map(str::to_owned)
            .collect()
    }
}

/// Reports whether the mount table has changed since it was opened or last polled, as specified in
/// proc(5).
#[cfg(target_os = "linux")]
fn has_news(table: &std::fs::File) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut tables = [PollFd::new(table, PollFlags::PRI)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut tables, Some(&now)).is_ok() && tables[0].revents().contains(PollFlags::PRI)
}

/// Returns the mount point of a line. In the table, white space and backslashes are octal escapes.
#[cfg(target_os = "linux")]
fn mount_point(line: &str) -> PathBuf {
    let field = line.split(' ').nth(4).unwrap_or_default();
    [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ]
    .iter()
    .fold(field.to_owned(), |field, (number, c)| {
        field.replace(number, c)
    })
    .into()
}

#[cfg(not(target_os = "linux"))]
impl Mounts {
    fn of(_root: &Path) -> Self {
        Self {}
    }

    fn have_changed(&mut self, _root: &Path) -> bool {
        false
    }
}
