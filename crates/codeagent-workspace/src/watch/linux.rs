//! Watching by inotify: one watch for each listed folder, without the openings and readings that a library's mask would bring along.
//!
//! **Limits.** A folder has one watch, so one that is mounted at two places below the root is told of under one of its names.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::Workspace;
use crate::external::NODE_MODULES;
use crate::ignored;
use crate::path::{RepoPath, is_hidden_name};
use crate::walk::Entry;
use crate::watch::{Hints, WatchError};

const BUFFER_BYTES: usize = 64 << 10;

const WATCHED: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::EXCL_UNLINK);

/// What makes a folder another one than before.
const MOVES: ReadFlags = ReadFlags::CREATE.union(ReadFlags::DELETE).union(ReadFlags::MOVED_FROM).union(ReadFlags::MOVED_TO);

/// Files outside of the listed folders on which depends what a walk lists.
const RULES: [&str; 4] = ["index", "exclude", "config.json", ".gitignore"];

/// File systems that change behind the back of this system, by their numbers.
const REMOTE: [(u64, &str); 7] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9p"),
    (0x5346_414f, "AFS"),
];

/// Watches the folders of a repository.
pub struct Watcher {
    root: Arc<Path>,
    inotify: OwnedFd,
    wake: OwnedFd,
    watches: Mutex<Watches>,
    /// Why it cannot watch any more.
    failure: OnceLock<WatchError>,
}

#[derive(Default)]
struct Watches {
    /// Watched folders of the repository: number of the watch and of the folder.
    folders: HashMap<RepoPath, (i32, u64)>,
    /// What each watch is about; `None`: a folder with ignore rules or settings.
    places: HashMap<i32, Option<RepoPath>>,
    /// Something may have been missed.
    in_doubt: bool,
    /// File system and number of the folder at the root.
    root: Option<(u64, u64)>,
}

impl Watcher {
    /// Watches nothing of a repository yet but what its ignore rules depend on.
    pub fn new(workspace: &Workspace) -> Result<Self, WatchError> {
        let system = rustix::fs::statfs(workspace.root()).map_err(io::Error::from)?;
        if let Some((_, name)) = REMOTE.iter().find(|(number, _)| *number == system.f_type as u64 & 0xffff_ffff) {
            return Err(WatchError::FileSystem(name));
        }
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).map_err(failed)?;
        let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC).map_err(failed)?;
        Ok(Self { root: workspace.root().into(), inotify, wake, watches: Mutex::default(), failure: OnceLock::new() })
    }

    /// Watches these folders and no others; whether some of them were not watched before, so that one has to look at them again. Where the
    /// system refuses, see [`Self::failure`].
    pub fn cover(&self, folders: &[Entry]) -> bool {
        let mut watches = self.watches();
        let before = watches.folders.len();
        let mut is_new = false;
        for folder in folders {
            if watches.folders.get(&folder.path).is_some_and(|(_, inode)| *inode == folder.stamp.inode) {
                continue;
            }
            is_new = true;
            match inotify::add_watch(&self.inotify, self.root.join(folder.path.as_str()), WATCHED | WatchFlags::DONT_FOLLOW) {
                Ok(watch) => watches.put(&folder.path, watch, folder.stamp.inode),
                // It went meanwhile; the next look tells.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => {}
                Err(error) => {
                    self.failure.get_or_init(|| failed(error));
                    return false;
                }
            }
        }
        if is_new || before > folders.len() {
            self.leave_others(&mut watches, folders);
        }
        for folder in ignored::rule_folders(&self.root) {
            // What is not there comes with a notice of the folder around it, or outside of the root not at all.
            if let Ok(watch) = inotify::add_watch(&self.inotify, &folder, WATCHED)
                && !watches.places.contains_key(&watch)
            {
                watches.places.insert(watch, None);
                // It may say something else than when it was read.
                watches.in_doubt = true;
            }
        }
        is_new
    }

    /// Why not everything is watched.
    #[must_use]
    pub fn failure(&self) -> Option<&WatchError> {
        self.failure.get()
    }

    /// Says that something may have changed unseen.
    pub fn doubt(&self) {
        self.watches().in_doubt = true;
        self.wake();
    }

    /// What may have changed since the last time, up to this moment.
    #[must_use]
    pub fn hints(&self) -> Hints {
        let mut watches = self.watches();
        let in_doubt = self.is_another_root(&mut watches) | std::mem::take(&mut watches.in_doubt);
        let mut hints = Hints { everything: in_doubt, ..Hints::default() };
        rustix::io::read(&self.wake, &mut [0_u8; 8]).ok();
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned());
                    let (watch, flags) = (event.wd(), event.events());
                    self.note(&mut watches, &mut hints, (watch, flags, name.as_deref()));
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return hints,
                Err(_) => {
                    hints.everything = true;
                    return hints;
                }
            }
        }
    }

    /// Waits for a notice, for [`Self::wake`] or for the time to pass; without a time for ever. Whether there is something.
    pub fn wait(&self, time: Option<Duration>) -> bool {
        let time = time.map(|time| Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos().into() });
        let mut sources = [PollFd::new(&self.inotify, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
        !matches!(poll(&mut sources, time.as_ref()), Ok(0))
    }

    /// Ends a wait.
    pub fn wake(&self) {
        rustix::io::write(&self.wake, &1_u64.to_ne_bytes()).ok();
    }

    fn watches(&self) -> MutexGuard<'_, Watches> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether another folder lies at the root than before: of a file system that is mounted there, nothing is told. Its folders are not watched.
    fn is_another_root(&self, watches: &mut Watches) -> bool {
        let Ok(found) = rustix::fs::stat(&*self.root) else { return false };
        match watches.root.replace((found.st_dev, found.st_ino)) {
            Some(before) if before != (found.st_dev, found.st_ino) => {
                self.leave_others(watches, &[]);
                true
            }
            _ => false,
        }
    }

    fn leave_others(&self, watches: &mut Watches, folders: &[Entry]) {
        let kept: HashSet<&RepoPath> = folders.iter().map(|folder| &folder.path).collect();
        let others: Vec<RepoPath> = watches.folders.keys().filter(|path| !kept.contains(path)).cloned().collect();
        for path in others {
            self.leave(watches, &path);
        }
    }

    fn leave(&self, watches: &mut Watches, path: &RepoPath) {
        if let Some((watch, _)) = watches.folders.remove(path)
            && watches.places.get(&watch).is_some_and(|place| place.as_ref() == Some(path))
        {
            watches.places.remove(&watch);
            // It may have ended by itself.
            inotify::remove_watch(&self.inotify, watch).ok();
        }
    }

    fn note(&self, watches: &mut Watches, hints: &mut Hints, (watch, flags, name): (i32, ReadFlags, Option<&OsStr>)) {
        if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            hints.everything = true;
            return;
        }
        let Some(place) = watches.places.get(&watch).cloned() else { return };
        if flags.contains(ReadFlags::IGNORED) {
            watches.places.remove(&watch);
            if let Some(place) = place {
                watches.folders.retain(|path, (number, _)| path != &place || *number != watch);
                hints.everything = true;
            }
            return;
        }
        let Some(folder) = place else {
            hints.everything |= name.and_then(OsStr::to_str).is_some_and(|name| RULES.contains(&name));
            return;
        };
        let Some(name) = name else {
            // Of the folder itself; what happens to one inside is told of the folder around it.
            let is_gone = flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT);
            hints.everything |= is_gone || (folder.is_root() && flags.contains(ReadFlags::ATTRIB));
            return;
        };
        // Names that are not UTF-8 are not indexed.
        let Some(name) = name.to_str() else { return };
        let path = if folder.is_root() { RepoPath::new(name) } else { RepoPath::new(&format!("{folder}/{name}")) };
        let Ok(path) = path else { return };
        if !flags.contains(ReadFlags::ISDIR) {
            if !is_hidden_name(name) {
                hints.paths.insert(path);
            }
            return;
        }
        if flags.intersects(MOVES) {
            let inside: Vec<RepoPath> = watches.folders.keys().filter(|folder| lies_in(folder, &path)).cloned().collect();
            inside.iter().for_each(|folder| self.leave(watches, folder));
        }
        // A package came or went: it matters if somebody has asked for it.
        if folder.file_name() == NODE_MODULES {
            hints.paths.insert(path);
        } else {
            hints.everything = true;
        }
    }
}

impl Watches {
    fn put(&mut self, path: &RepoPath, watch: i32, inode: u64) {
        // A folder has one watch, whatever it is called: the old name counts no more.
        if let Some(Some(before)) = self.places.insert(watch, Some(path.clone()))
            && before != *path
        {
            self.folders.remove(&before);
        }
        self.folders.insert(path.clone(), (watch, inode));
    }
}

fn lies_in(path: &RepoPath, folder: &RepoPath) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn failed(error: Errno) -> WatchError {
    match error {
        Errno::NOSPC | Errno::MFILE | Errno::NFILE => WatchError::Limit,
        other => WatchError::Io(other.into()),
    }
}
