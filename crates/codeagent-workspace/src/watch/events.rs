//! Folds events into the set of paths that may have changed.
//!
//! An event does not always tell whether its path is a file or a folder; such paths are inspected
//! when the set is taken.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{Event, EventHandler, EventKind};

use crate::package_dirs::NODE_MODULES;
use crate::path::{RepoPath, is_hidden_name};
use crate::walk::Entry;
use crate::watch::{FsEvents, WatchError};

/// Files outside the listed folders that affect which files are listed.
const RULES: [&str; 4] = ["index", "exclude", "config.json", ".gitignore"];

/// Maximum number of recorded paths; beyond it, everything is compared.
const MOST_PATHS: usize = 100_000;

/// State shared by the event thread and the threads waiting for events.
pub(super) struct EventState {
    events: Mutex<Events>,
    /// Signalled when an event arrives.
    pub changed: Condvar,
    /// Why watching has stopped.
    pub failure: OnceLock<WatchError>,
}

impl EventState {
    pub fn new(root: &Path, cookies: Option<PathBuf>) -> Self {
        let events = Events {
            root: root.to_owned(),
            cookies,
            is_root_lost: true,
            ..Events::default()
        };
        Self {
            events: Mutex::new(events),
            changed: Condvar::new(),
            failure: OnceLock::new(),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that no more events will arrive.
    pub fn fail(&self, error: WatchError) {
        self.failure.get_or_init(|| error);
        self.lock().request_rescan();
        self.changed.notify_all();
    }

    /// Waits for events, for `wake` or for the time-out. Returns whether there was an event or a
    /// wake.
    pub fn wait(&self, time: Option<Duration>) -> bool {
        let waits = |events: &mut Events| {
            !events.is_woken
                && !events.is_rescan
                && events.paths.is_empty()
                && events.unclear.is_empty()
        };

        match time {
            Some(time) => {
                let (_events, waited) = self
                    .changed
                    .wait_timeout_while(self.lock(), time, waits)
                    .unwrap_or_else(PoisonError::into_inner);
                !waited.timed_out()
            }
            None => {
                drop(
                    self.changed
                        .wait_while(self.lock(), waits)
                        .unwrap_or_else(PoisonError::into_inner),
                );
                true
            }
        }
    }

    /// Registers a barrier file whose event is expected. Returns the number of rescans so far.
    pub fn expect_cookie(&self, cookie: &str) -> u64 {
        let mut events = self.lock();
        events.expected.insert(cookie.to_owned());
        events.rescans
    }

    /// Waits for the event of a barrier file. A rescan after `rescans` also ends the wait, because
    /// it makes the barrier unnecessary.
    pub fn wait_for_cookie(&self, cookie: &str, rescans: u64, limit: Duration) -> bool {
        let waits =
            |events: &mut Events| events.expected.contains(cookie) && events.rescans == rescans;
        let (mut events, waited) = self
            .changed
            .wait_timeout_while(self.lock(), limit, waits)
            .unwrap_or_else(PoisonError::into_inner);
        events.expected.remove(cookie);
        !waited.timed_out()
    }
}

/// Receives events on a thread of the library, which drops the handler when the thread ends.
pub(super) struct Handler(pub Arc<EventState>);

impl EventHandler for Handler {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        match event {
            Ok(event) => {
                self.0.lock().fold(&event);
                self.0.changed.notify_all();
            }
            // After an error, it is unknown which folders are still watched.
            Err(error) => self.0.fail(super::failed(error)),
        }
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.0.fail(WatchError::Ended);
    }
}

/// Events not yet taken.
#[derive(Default)]
pub(super) struct Events {
    root: PathBuf,
    cookies: Option<PathBuf>,
    /// Listed folders with their inodes. All folders below a folder are adjacent.
    folders: BTreeMap<RepoPath, u64>,
    /// Folders whose watch was lost or now belongs to another folder.
    left: HashSet<RepoPath>,
    /// Watched folders with ignore rules or settings.
    rules: HashSet<PathBuf>,
    /// Whether the root has lost its recursive watch.
    is_root_lost: bool,
    paths: BTreeSet<RepoPath>,
    /// Paths that may be folders, each with whether a folder there matters.
    unclear: BTreeMap<RepoPath, bool>,
    is_rescan: bool,
    /// Number of requested rescans.
    rescans: u64,
    /// Barrier files whose event has not arrived.
    expected: BTreeSet<String>,
    /// Whether a wait must end.
    pub is_woken: bool,
}

impl Events {
    /// Requests that everything is compared.
    pub fn request_rescan(&mut self) {
        self.is_rescan = true;
        self.rescans += 1;
        self.paths.clear();
        self.unclear.clear();
    }

    /// Takes the events that have arrived.
    pub fn take(&mut self) -> FsEvents {
        self.is_woken = false;

        for (path, counts) in std::mem::take(&mut self.unclear) {
            let is_folder = self
                .root
                .join(path.as_str())
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_dir());
            if is_folder && counts {
                self.folder_changed(path);
            } else if !is_folder && !is_hidden_name(path.file_name()) {
                self.paths.insert(path);
            }
        }

        FsEvents {
            paths: std::mem::take(&mut self.paths),
            everything: std::mem::take(&mut self.is_rescan),
        }
    }

    /// Ends the watches of all other folders.
    pub fn keep_only(&mut self, folders: &[Entry]) {
        let kept: HashSet<&RepoPath> = folders.iter().map(|folder| &folder.path).collect();
        let others: Vec<RepoPath> = self
            .folders
            .keys()
            .filter(|path| !kept.contains(path))
            .cloned()
            .collect();
        self.leave(others);
    }

    /// Registers folders. Returns the folders to unwatch and those to watch.
    pub fn register(&mut self, folders: &[Entry]) -> (Vec<RepoPath>, Vec<RepoPath>) {
        let mut fresh = Vec::new();
        for folder in folders {
            match self.folders.insert(folder.path.clone(), folder.stamp.inode) {
                Some(inode) if inode == folder.stamp.inode => continue,
                Some(_) => drop(self.left.insert(folder.path.clone())),
                None => {}
            }
            fresh.push(folder.path.clone());
        }
        (self.left.drain().collect(), fresh)
    }

    /// Registers folders with rules; removes those already registered from the list.
    pub fn register_rules(&mut self, folders: &mut Vec<PathBuf>) {
        folders.retain(|folder| folder.is_dir() && self.rules.insert(folder.clone()));
        if !folders.is_empty() {
            // The rules may have changed between reading and watching.
            self.request_rescan();
        }
    }

    /// Unregisters a folder that no longer exists and could not be watched.
    pub fn unregister(&mut self, path: &Path) {
        self.rules.remove(path);
        if let Some(path) = path
            .strip_prefix(&self.root)
            .ok()
            .and_then(|path| RepoPath::from_relative(path).ok())
        {
            self.folders.remove(&path);
        }
    }

    /// Ends the watches of a folder and of those below it.
    pub fn forget(&mut self, folder: &RepoPath) {
        let inside = if folder.is_root() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let from = (Bound::Included(inside.as_str()), Bound::Unbounded);
        let below = self
            .folders
            .range::<str, _>(from)
            .map(|(path, _)| path)
            .take_while(|path| path.as_str().starts_with(&inside));
        let mut gone: Vec<RepoPath> = below.cloned().collect();
        gone.push(folder.clone());
        self.leave(gone);
        self.is_root_lost |= folder.is_root();
    }

    fn leave(&mut self, folders: Vec<RepoPath>) {
        for path in folders {
            if self.folders.remove(&path).is_some() {
                self.left.insert(path);
            }
        }
    }

    /// Returns whether the root must be watched again, and resets that.
    pub fn take_root_lost(&mut self) -> bool {
        std::mem::take(&mut self.is_root_lost)
    }

    fn fold(&mut self, event: &Event) {
        if event.need_rescan() {
            self.request_rescan();
        }
        event
            .paths
            .iter()
            .for_each(|path| self.fold_path(path, event.kind));
        if self.paths.len() + self.unclear.len() > MOST_PATHS {
            self.request_rescan();
        }
    }

    fn fold_path(&mut self, path: &Path, kind: EventKind) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return;
        };
        // Names that are not UTF-8 are not indexed.
        let Some(name) = name.to_str() else { return };

        if self.cookies.as_deref() == Some(parent) {
            self.expected.remove(name);
            return;
        }

        if moves(kind) {
            let before = self.rules.len();
            self.rules.retain(|folder| !folder.starts_with(path));
            if self.rules.len() < before {
                self.request_rescan();
            }
        }

        if self.rules.contains(parent) && RULES.contains(&name) {
            self.request_rescan();
        }

        let Ok(inside) = path.strip_prefix(&self.root) else {
            return;
        };
        let Ok(inside) = RepoPath::from_relative(inside) else {
            return;
        };

        self.fold_inside(inside, kind);
    }

    fn fold_inside(&mut self, path: RepoPath, kind: EventKind) {
        let is_known = self.folders.contains_key(&path);

        let parent = path
            .as_str()
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);

        if !is_known && !self.folders.contains_key(parent) {
            return;
        }

        let is_folder = is_known
            || matches!(
                kind,
                EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder)
            );

        match kind {
            // Changes inside the folder are reported separately.
            EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any | ModifyKind::Other)
                if is_folder => {}
            EventKind::Modify(ModifyKind::Metadata(_)) if is_folder => {
                // The folder may have been unreadable when it was to be watched.
                if !path.is_root() {
                    self.leave(vec![path.clone()]);
                }
                self.folder_changed(path);
            }
            _ if is_folder => {
                self.forget(&path);
                self.folder_changed(path);
            }
            EventKind::Access(_)
            | EventKind::Create(CreateKind::File)
            | EventKind::Remove(RemoveKind::File)
            | EventKind::Modify(ModifyKind::Data(_)) => {
                if !is_hidden_name(path.file_name()) {
                    self.paths.insert(path);
                }
            }
            // Windows reports this for a folder whenever an entry of it changes.
            EventKind::Modify(ModifyKind::Any) => drop(self.unclear.entry(path).or_insert(false)),
            _ => drop(self.unclear.insert(path, true)),
        }
    }

    /// Handles a folder that was created, removed, moved or got other permissions.
    fn folder_changed(&mut self, path: RepoPath) {
        // Inside a package, only a folder that was listed matters.
        if path
            .parent()
            .is_some_and(|parent| parent.segments().any(|segment| segment == NODE_MODULES))
        {
            self.paths.insert(path);
        } else {
            self.request_rescan();
        }
    }
}

/// Reports whether an event may replace the entry at a path.
fn moves(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::Access(_)
            | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_) | ModifyKind::Any)
    )
}
