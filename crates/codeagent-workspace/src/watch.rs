//! Watching a repository for changes: file system events, folded into the set of paths that may
//! have changed.
//!
//! An event is a hint and never believed: the caller compares the disk. What counts is that no
//! change goes without one, so lost events, folders that come, go or move and changed ignore rules
//! all mean "anything may have changed".
//!
//! Only the folders that a walk lists are watched, so ignored files cost nothing. On Linux each has
//! a watch of its own; elsewhere the root is watched recursively, and events from folders that are
//! not listed are dropped.
//!
//! [`Watcher::sync`] is a barrier: it creates a file in a folder that the same watcher watches and
//! waits for its event. Events arrive in the order of the changes, so every change made before the
//! call has then been seen. inotify promises that order (one queue for an instance). Windows
//! promises it for one folder only, and two barriers in a row make up for that. macOS is believed
//! to keep it and is not tested.
//!
//! Limitations: network file systems are refused, because they do not report what other machines
//! change. Where there is no [`Watcher`], callers poll. A change through a hard link or a bind
//! mount outside of the listed folders is reported there, not here. On FreeBSD before 14.5 every
//! file below the root is held open.

mod events;
mod unwatched;

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::{
    Config, EventKindMask, PathOp, RecommendedWatcher, RecursiveMode, WatchPathConfig, Watcher as _,
};

use crate::Workspace;
use crate::data_dir::{DataDir, make_own_folder};
use crate::ignored;
use crate::path::RepoPath;
use crate::walk::Entry;
use crate::watch::events::{EventState, Handler};
use crate::watch::unwatched::Unwatched;

/// Whether each folder is watched separately.
const PER_FOLDER: bool = cfg!(target_os = "linux");

/// Barriers in a row that make one. A completed read of Windows may wait behind the event of the
/// first; the second follows it.
const ROUNDS: usize = if cfg!(windows) { 2 } else { 1 };

/// How long a new watcher may take to report the first barrier.
const TRIAL: Duration = Duration::from_secs(5);

/// Operations that are handed over together. One that fails ends its batch, so large batches would
/// be copied often.
const MOST_AT_ONCE: usize = 1024;

/// Possible changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FsEvents {
    /// These files.
    pub paths: BTreeSet<RepoPath>,
    /// Anything.
    pub everything: bool,
}

impl FsEvents {
    /// Whether nothing is known to have changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.everything
    }

    /// Adds other events.
    pub fn add(&mut self, others: Self) {
        self.paths.extend(others.paths);
        self.everything |= others.everything;
    }
}

/// Why callers have to poll.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The file system does not report what others change.
    #[error("{0} file systems do not report changes")]
    FileSystem(&'static str),
    /// The system has no watches left.
    #[error(
        "the system's limit of watches is reached (see fs.inotify.max_user_watches and max_user_instances)"
    )]
    Limit,
    /// The watcher was set up, but no event arrived.
    #[error("the system does not report changes in the data folder")]
    Silent,
    /// The thread that receives events has ended.
    #[error("watching ended unexpectedly")]
    Ended,
    /// Anything else the system says.
    #[error("cannot watch folders: {0}")]
    Io(#[from] io::Error),
}

/// Watches the folders of a repository.
pub struct Watcher {
    root: Arc<Path>,
    shared: Arc<EventState>,
    backend: Mutex<Option<RecommendedWatcher>>,
    unwatched: Mutex<Unwatched>,
    /// Where barriers are created, if the data folder is known.
    cookies: Option<PathBuf>,
    barriers: AtomicU64,
}

impl Watcher {
    /// Creates a watcher that covers no folder yet. Its barriers are files in the data folder;
    /// without one, [`Self::sync`] always fails.
    pub fn new(workspace: &Workspace, data: Option<&DataDir>) -> Result<Self, WatchError> {
        unwatched::check_file_system(workspace.root())?;
        let cookies = data.map(cookie_folder).transpose()?;
        let shared = Arc::new(EventState::new(workspace.root(), cookies.clone()));

        let config = Config::default()
            .with_event_kinds(EventKindMask::CORE | EventKindMask::ACCESS_CLOSE)
            .with_follow_symlinks(false);
        let mut backend =
            RecommendedWatcher::new(Handler(Arc::clone(&shared)), config).map_err(failed)?;

        if let Some(cookies) = &cookies {
            backend
                .watch(cookies, RecursiveMode::NonRecursive)
                .map_err(failed)?;
        }

        let watcher = Self {
            root: workspace.root().into(),
            shared,
            backend: Mutex::new(Some(backend)),
            unwatched: Mutex::new(Unwatched::new(workspace)),
            cookies,
            barriers: AtomicU64::new(0),
        };

        if watcher.cookies.is_some() && !watcher.sync(TRIAL) {
            return Err(WatchError::Silent);
        }
        Ok(watcher)
    }

    /// Watches these folders and no others. Reports whether some of them were not watched before,
    /// so that the caller has to look at them again. If the system refuses, see [`Self::failure`].
    pub fn watch_dirs(&self, folders: &[Entry]) -> bool {
        self.shared.lock().keep_only(folders);
        let is_new = self.extend(folders);
        self.watch_rules();
        is_new
    }

    /// Watches these folders too.
    pub fn extend(&self, folders: &[Entry]) -> bool {
        let mut events = self.shared.lock();

        // Registered before they are watched: an event that unregisters one comes after that.
        let (left, fresh) = events.register(folders);
        let is_new = !fresh.is_empty();
        drop(events);

        if PER_FOLDER {
            let config =
                WatchPathConfig::new(RecursiveMode::NonRecursive).with_dereference_symlinks(false);
            let leave = left
                .iter()
                .map(|path| PathOp::unwatch(self.root.join(path.as_str())));
            let watch = fresh
                .iter()
                .map(|path| PathOp::Watch(self.root.join(path.as_str()), config.clone()));
            self.update(leave.chain(watch).collect());
        } else if self.shared.lock().take_root_lost() {
            self.update(vec![
                PathOp::unwatch(&*self.root),
                PathOp::watch_recursive(&*self.root),
            ]);
        }

        is_new
    }

    /// Returns why not everything is watched.
    #[must_use]
    pub fn failure(&self) -> Option<&WatchError> {
        self.shared.failure.get()
    }

    /// Records that something may have changed unnoticed.
    pub fn request_rescan(&self) {
        self.shared.lock().request_rescan();
        self.shared.changed.notify_all();
    }

    /// Waits until the events of every change made before this call have arrived. Returns `false`
    /// if they have not within this time.
    #[must_use]
    pub fn sync(&self, limit: Duration) -> bool {
        let Some(cookies) = &self.cookies else {
            return false;
        };

        (0..ROUNDS).all(|_| {
            let number = self.barriers.fetch_add(1, Ordering::Relaxed);
            let name = format!("cookie-{}-{number}", std::process::id());
            let path = cookies.join(&name);
            let rescans = self.shared.expect_cookie(&name);

            let is_made = File::create_new(&path).is_ok();
            let arrived = self.shared.wait_for_cookie(
                &name,
                rescans,
                if is_made { limit } else { Duration::ZERO },
            );

            if is_made {
                std::fs::remove_file(&path).ok();
            }
            arrived
        })
    }

    /// Takes the paths that may have changed since the last call, as far as events have arrived
    /// (see [`Self::sync`]).
    #[must_use]
    pub fn take_events(&self) -> FsEvents {
        let found = self
            .unwatched
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .look();
        let mut events = self.shared.lock();
        if found.folders_replaced {
            events.forget(&RepoPath::root());
        }
        if found.anything() {
            events.request_rescan();
        }
        events.take()
    }

    /// Waits for an event, for [`Self::wake`] or for the time-out, if any. Reports whether
    /// something happened.
    pub fn wait(&self, time: Option<Duration>) -> bool {
        self.shared.wait(time)
    }

    /// Ends a wait.
    pub fn wake(&self) {
        self.shared.lock().is_woken = true;
        self.shared.changed.notify_all();
    }

    /// Watches the folders with ignore rules and settings. One that is not there comes with an
    /// event of the folder around it.
    fn watch_rules(&self) {
        let mut fresh = ignored::rule_folders(&self.root);
        self.shared.lock().register_rules(&mut fresh);
        let is_covered = |folder: &PathBuf| !PER_FOLDER && folder.starts_with(&*self.root);
        self.update(
            fresh
                .into_iter()
                .filter(|folder| !is_covered(folder))
                .map(PathOp::watch_non_recursive)
                .collect(),
        );
    }

    fn backend(&self) -> MutexGuard<'_, Option<RecommendedWatcher>> {
        self.backend.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, mut operations: Vec<PathOp>) {
        let mut backend = self.backend();
        let Some(backend) = backend.as_mut() else {
            return;
        };

        while !operations.is_empty() {
            let later = operations.split_off(operations.len().min(MOST_AT_ONCE));

            let mut batch = operations;
            while let Err(error) = backend.update_paths(batch) {
                batch = error.remaining;
                match error.origin {
                    // Not watched any more.
                    Some(PathOp::Unwatch(_)) => {}
                    Some(PathOp::Watch(path, _)) if is_gone(&error.source) => {
                        self.shared.lock().unregister(&path)
                    }
                    Some(PathOp::Watch(..)) if is_forbidden(&error.source) => {}
                    _ => {
                        self.shared.fail(failed(error.source));
                        return;
                    }
                }
            }
            operations = later;
        }
    }
}

/// Creates the folder for barriers and empties it of a killed process's files. Only the index's
/// writer watches, so no other process's files are removed.
fn cookie_folder(data: &DataDir) -> io::Result<PathBuf> {
    let folder = data.path().join("cookies");
    make_own_folder(&folder)?;
    let folder = dunce::canonicalize(folder)?;
    for entry in std::fs::read_dir(&folder)? {
        std::fs::remove_file(entry?.path()).ok();
    }
    Ok(folder)
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ),
        _ => false,
    }
}

fn is_forbidden(error: &notify::Error) -> bool {
    matches!(&error.kind, notify::ErrorKind::Io(error) if error.kind() == io::ErrorKind::PermissionDenied)
}

fn failed(error: notify::Error) -> WatchError {
    /// `EMFILE` and `ENFILE`: no instance is left.
    const NO_INSTANCE: [i32; 2] = [24, 23];
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => WatchError::Limit,
        notify::ErrorKind::Io(error)
            if cfg!(unix)
                && error
                    .raw_os_error()
                    .is_some_and(|code| NO_INSTANCE.contains(&code)) =>
        {
            WatchError::Limit
        }
        notify::ErrorKind::Io(error) => WatchError::Io(error),
        _ => WatchError::Io(io::Error::other(error.to_string())),
    }
}

#[cfg(test)]
mod tests;
