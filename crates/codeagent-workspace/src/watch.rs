//! Watches a repository for changes: folds file system events into the set of paths that may have
//! changed.
//!
//! An event is only a hint: the caller compares the disk. What matters is that every change causes
//! an event. Lost events, folders that are created, removed or moved, and changed ignore rules
//! therefore all mean "anything may have changed".
//!
//! Only the folders listed by a walk are watched, so ignored files cost nothing. On Linux each
//! folder has its own watch. Elsewhere the root is watched recursively, and events from other
//! folders are dropped.
//!
//! [`Watcher::sync`] is a barrier: it creates a file in a folder of the same watcher and waits for
//! its event. Since events arrive in the order of the changes, every change made before the call
//! has then been seen. inotify guarantees this order per instance. Windows guarantees it for one
//! folder only, so two barriers are made in a row. macOS is assumed to keep it; this is not tested.
//!
//! Limitations: network file systems are rejected, because they do not report changes made on other
//! machines. Without a [`Watcher`], callers poll. A change through a hard link or a bind mount
//! outside the listed folders is not reported. On FreeBSD before 14.5 every file below the root is
//! held open.

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

/// Number of barriers in a row. On Windows, a completed read may wait behind the event of the first
/// barrier; the second follows it.
const ROUNDS: usize = if cfg!(windows) { 2 } else { 1 };

/// Maximum time for a new watcher to report its first barrier.
const TRIAL: Duration = Duration::from_secs(5);

/// Maximum number of watch operations per batch. A failed operation ends its batch and the rest is
/// copied, so larger batches would cost more.
const MOST_AT_ONCE: usize = 1024;

/// Paths that may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FsEvents {
    /// Files that may have changed.
    pub paths: BTreeSet<RepoPath>,
    /// Whether any other file may have changed.
    pub everything: bool,
}

impl FsEvents {
    /// Reports whether nothing may have changed.
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
    /// The file system does not report changes made on other machines.
    #[error("{0} file systems do not report changes")]
    FileSystem(&'static str),
    /// The system has no watches left.
    #[error(
        "the system's limit of watches has been reached (see fs.inotify.max_user_watches and \
         max_user_instances)"
    )]
    Limit,
    /// The watcher was set up, but no event arrived.
    #[error("the system does not report changes in the data folder")]
    Silent,
    /// The thread that receives events has ended.
    #[error("watching ended unexpectedly")]
    Ended,
    /// Any other system error.
    #[error("cannot watch folders: {0}")]
    Io(#[from] io::Error),
}

/// Watches the folders of a repository.
pub struct Watcher {
    root: Arc<Path>,
    shared: Arc<EventState>,
    backend: Mutex<Option<RecommendedWatcher>>,
    unwatched: Mutex<Unwatched>,
    /// Folder for barrier files, if the data folder is known.
    cookies: Option<PathBuf>,
    barriers: AtomicU64,
}

impl Watcher {
    /// Creates a watcher without folders. Its barriers are files in the data folder; without one,
    /// [`Self::sync`] always fails.
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

    /// Watches exactly these folders. Returns whether some of them are newly watched, so that the
    /// caller must list them again. Errors are reported by [`Self::failure`].
    pub fn watch_dirs(&self, folders: &[Entry]) -> bool {
        self.shared.lock().keep_only(folders);
        let is_new = self.extend(folders);
        self.watch_rules();
        is_new
    }

    /// Watches these folders in addition; returns like [`Self::watch_dirs`].
    pub fn extend(&self, folders: &[Entry]) -> bool {
        let mut events = self.shared.lock();

        // Registered before they are watched, so that an event that unregisters a folder comes
        // later.
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

    /// Returns why watching has failed, if it has.
    #[must_use]
    pub fn failure(&self) -> Option<&WatchError> {
        self.shared.failure.get()
    }

    /// Records that anything may have changed unnoticed.
    pub fn request_rescan(&self) {
        self.shared.lock().request_rescan();
        self.shared.changed.notify_all();
    }

    /// Waits until the events of every change made before this call have arrived. Returns `false`
    /// after the time limit.
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

    /// Takes the paths that may have changed since the last call, according to the events so far
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

    /// Waits for an event, for [`Self::wake`] or for the time-out, if any. Returns whether there
    /// was an event or a wake.
    pub fn wait(&self, time: Option<Duration>) -> bool {
        self.shared.wait(time)
    }

    /// Ends a wait.
    pub fn wake(&self) {
        self.shared.lock().is_woken = true;
        self.shared.changed.notify_all();
    }

    /// Watches the folders with ignore rules and settings. The creation of a missing one is
    /// reported by its parent folder.
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
                    // The folder is no longer watched anyway.
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

/// Creates the folder for barrier files and removes those of a killed process. Only the writer of
/// the index watches, so no other process uses the folder.
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
    /// `EMFILE` and `ENFILE`: no inotify instance is left.
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
