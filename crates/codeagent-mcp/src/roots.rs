//! The repositories that a server serves, by name.
//!
//! A single repository is opened at once and stays open. Of several, each is opened by the first
//! call that asks about it, and closed when no call has used it for a while. Changes made while it
//! is closed are found when it is opened again.
//!
//! Limitations: repositories that are closed are not watched.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codeagent_workspace::{DataRoot, Workspace};
use serde_json::{Map, Value};

use crate::state::{Indexing, State};

/// The argument that names a repository of several.
pub const REPO: &str = "repo";

/// Time after which an unused repository of several is closed.
pub const IDLE: Duration = Duration::from_secs(15 * 60);

/// Maximum interval of checks for unused repositories.
const CHECKED: Duration = Duration::from_secs(30);

/// The repositories of a server, in the order in which they were named.
pub struct Roots(Vec<NamedRoot>);

/// A repository with its name, which no other repository of the server has.
pub struct NamedRoot {
    /// The last segments of its path, as many as it takes to be unique.
    pub name: String,
    root: Arc<Root>,
}

/// How to open repositories.
#[derive(Clone)]
pub struct Opening {
    /// Location of all indexes.
    pub home: DataRoot,
    /// Indexing options.
    pub indexing: Indexing,
    /// Whether to keep an index.
    pub is_indexed: bool,
}

/// A repository, which may be closed.
struct Root {
    folder: PathBuf,
    opening: Option<Opening>,
    access: Mutex<Access>,
}

/// Whether a repository can be used.
enum Access {
    /// The next call opens it.
    Closed,
    Open(Opened),
    /// The server has ended, or the client no longer names the repository.
    Ended,
}

struct Opened {
    state: Arc<State>,
    used: Instant,
}

impl Roots {
    /// Creates the root of a server over a repository that is open.
    #[must_use]
    pub fn of(state: Arc<State>) -> Arc<Self> {
        let folder = state.workspace().root().to_owned();
        let used = Instant::now();
        let root = Root {
            folder,
            opening: None,
            access: Mutex::new(Access::Open(Opened { state, used })),
        };
        Arc::new(Self::named(vec![Arc::new(root)]))
    }

    /// Creates the roots of a server over these resolved folders, at least one. Keeps what is open
    /// of the roots `before`.
    pub fn over(
        folders: Vec<PathBuf>,
        opening: &Opening,
        before: Option<&Self>,
    ) -> Result<Arc<Self>, String> {
        let root = |folder: PathBuf| {
            let kept = before.and_then(|before| before.at(&folder));
            kept.unwrap_or_else(|| {
                Arc::new(Root {
                    folder,
                    opening: Some(opening.clone()),
                    access: Mutex::new(Access::Closed),
                })
            })
        };

        let roots = Arc::new(Self::named(folders.into_iter().map(root).collect()));
        match roots.only() {
            Some(only) => drop(only.state()?),
            None => close_when_idle(&roots, opening.indexing.idle.unwrap_or(IDLE)),
        }
        Ok(roots)
    }

    fn named(roots: Vec<Arc<Root>>) -> Self {
        let folders: Vec<PathBuf> = roots.iter().map(|root| root.folder.clone()).collect();
        let names = unique_names(&folders);
        let named = roots.into_iter().zip(names);
        Self(named.map(|(root, name)| NamedRoot { name, root }).collect())
    }

    /// Iterates over the repositories.
    pub fn iter(&self) -> impl Iterator<Item = &NamedRoot> {
        self.0.iter()
    }

    /// Returns the repository, if there is only one.
    #[must_use]
    pub fn only(&self) -> Option<&NamedRoot> {
        match self.0.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the names of the repositories.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.iter().map(|root| root.name.as_str()).collect()
    }

    /// Reports whether these are the folders of the repositories.
    #[must_use]
    pub fn are_at(&self, folders: &[PathBuf]) -> bool {
        self.iter().map(|root| &root.root.folder).eq(folders)
    }

    /// Takes the argument that names a repository out of a call's arguments, and returns the named
    /// repository; else the one that contains the absolute paths among the arguments.
    pub fn take_chosen(&self, sent: &mut Map<String, Value>) -> Result<Option<&NamedRoot>, String> {
        match sent.remove(REPO) {
            Some(Value::String(name)) => self.find(&name).map(Some),
            Some(Value::Null) | None => Ok(self.containing(sent)),
            Some(_) => Err(format!("`{REPO}` must be a string")),
        }
    }

    /// Returns the error for a call that names no repository and needs one.
    #[must_use]
    pub fn not_chosen(&self) -> String {
        format!(
            "pass `{REPO}` ({}) or an absolute path: this server has several repositories",
            self.names().join(", ")
        )
    }

    /// Finds a repository by its name or its absolute path.
    fn find(&self, name: &str) -> Result<&NamedRoot, String> {
        let folder = name.trim_end_matches('/');
        self.iter()
            .find(|root| root.name == folder || root.root.folder == Path::new(folder))
            .ok_or_else(|| {
                format!(
                    "unknown repository `{name}`; this server has {}",
                    self.names().join(", ")
                )
            })
    }

    /// Returns the repository that contains the absolute paths among these arguments, unless they
    /// are in several.
    fn containing(&self, sent: &Map<String, Value>) -> Option<&NamedRoot> {
        let mut texts = Vec::new();
        sent.values().for_each(|value| collect(value, &mut texts));

        let mut found: Option<&NamedRoot> = None;
        for text in texts {
            let Some(root) = self.around(Path::new(text)) else {
                continue;
            };
            if found.is_some_and(|found| found.name != root.name) {
                return None;
            }
            found = Some(root);
        }
        found
    }

    /// Returns the innermost repository that contains an absolute path.
    fn around(&self, path: &Path) -> Option<&NamedRoot> {
        self.iter()
            .filter(|root| path.is_absolute() && path.starts_with(&root.root.folder))
            .max_by_key(|root| root.root.folder.components().count())
    }

    fn at(&self, folder: &Path) -> Option<Arc<Root>> {
        let root = self.iter().find(|root| root.root.folder == folder)?;
        Some(Arc::clone(&root.root))
    }

    /// Closes all repositories for good, except those that `kept` has too.
    pub fn end_except(&self, kept: Option<&Self>) {
        for root in self.iter() {
            if kept.is_none_or(|kept| kept.at(&root.root.folder).is_none()) {
                root.root.end();
            }
        }
    }

    /// Closes the repositories that no call has used for this long.
    pub fn close_unused(&self, idle: Duration) {
        for root in self.iter() {
            root.root.close_if(|opened| {
                // A call in progress holds the state.
                Arc::strong_count(&opened.state) == 1 && opened.used.elapsed() >= idle
            });
        }
    }
}

impl NamedRoot {
    /// Returns the state of the repository, opening it if needed.
    pub fn state(&self) -> Result<Arc<State>, String> {
        self.root.state()
    }

    /// Reports whether the repository is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(*self.root.access(), Access::Open(_))
    }
}

impl Root {
    fn access(&self) -> MutexGuard<'_, Access> {
        // A panic leaves the repository open or closed, never in between.
        self.access.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> Result<Arc<State>, String> {
        let mut access = self.access();
        let state = match (&*access, &self.opening) {
            (Access::Open(open), _) => Arc::clone(&open.state),
            (Access::Closed, Some(opening)) => opening.open(&self.folder)?,
            _ => return Err("the server no longer serves this repository".to_owned()),
        };
        *access = Access::Open(Opened {
            state: Arc::clone(&state),
            used: Instant::now(),
        });
        Ok(state)
    }

    fn close_if(&self, is_closed: impl FnOnce(&Opened) -> bool) {
        let mut access = self.access();
        if let Access::Open(open) = &*access
            && is_closed(open)
        {
            // Under the lock, because a new service could not write the index before this one ends.
            open.state.close();
            *access = Access::Closed;
        }
    }

    fn end(&self) {
        let before = std::mem::replace(&mut *self.access(), Access::Ended);
        if let Access::Open(open) = before {
            open.state.close();
        }
    }
}

impl Opening {
    fn open(&self, folder: &Path) -> Result<Arc<State>, String> {
        let state = State::with_indexing(folder, self.home.clone(), self.indexing.clone())
            .map_err(|error| error.to_string())?;
        if self.is_indexed {
            state.start();
        }
        Ok(state)
    }
}

/// Returns the resolved path of a folder.
pub fn resolved(folder: &Path) -> Result<PathBuf, codeagent_workspace::OpenError> {
    Ok(Workspace::open(folder)?.root().to_owned())
}

/// Starts the thread that closes unused repositories. It ends after the server has dropped them.
fn close_when_idle(roots: &Arc<Roots>, idle: Duration) {
    if idle.is_zero() {
        return;
    }
    let roots = Arc::downgrade(roots);
    let check = move || {
        loop {
            std::thread::sleep(CHECKED.min(idle));
            let Some(roots) = roots.upgrade() else { return };
            roots.close_unused(idle);
        }
    };
    let thread = std::thread::Builder::new().name("codeagent-idle".to_owned());
    if let Err(error) = thread.spawn(check) {
        tracing::warn!(%error, "unused repositories stay open");
    }
}

/// Collects the texts of an argument.
fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, texts)),
        _ => {}
    }
}

/// Returns a unique name of each folder: as many of its last segments as needed.
#[must_use]
pub fn unique_names(folders: &[PathBuf]) -> Vec<String> {
    let last = |folder: &Path, segments: usize| {
        let all: Vec<String> = folder
            .components()
            .map(|component| component.as_os_str().to_string_lossy().into_owned())
            .collect();
        all[all.len().saturating_sub(segments)..].join("/")
    };

    let name = |folder: &PathBuf| {
        (1..=folder.components().count())
            .map(|segments| (segments, last(folder, segments)))
            .find(|(segments, name)| {
                let same = folders
                    .iter()
                    .filter(|other| last(other, *segments) == *name);
                same.count() == 1
            })
            .map_or_else(|| folder.display().to_string(), |(_, name)| name)
    };

    folders.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_the_shortest_unique_ends_of_paths() {
        let folders = ["/w/a/api", "/w/b/api", "/w/web"].map(PathBuf::from);
        assert_eq!(unique_names(&folders), ["a/api", "b/api", "web"]);
    }

    #[test]
    fn absolute_paths_choose_the_innermost_repository() {
        let outer = tempfile::tempdir().unwrap();
        let outer = resolved(outer.path()).unwrap();
        let folders = ["a", "a/inner", "b"].map(|name| outer.join(name));
        for folder in &folders {
            std::fs::create_dir_all(folder).unwrap();
        }
        let opening = Opening {
            home: DataRoot::at(outer.join("data")),
            indexing: Indexing::default(),
            is_indexed: false,
        };
        let roots = Roots::over(folders.to_vec(), &opening, None).unwrap();

        let chosen = |value: Value| {
            let mut sent = value.as_object().cloned().unwrap();
            let root = roots.take_chosen(&mut sent)?;
            assert!(!sent.contains_key(REPO));
            Ok::<_, String>(root.map(|root| root.name.clone()))
        };
        let path = |path: &str| json!([{ "path": outer.join(path) }]);

        assert_eq!(
            chosen(json!({ "q": path("a/inner/x") })),
            Ok(Some("inner".into()))
        );
        assert_eq!(
            chosen(json!({ "q": path("a/x"), "r": "a/x" })),
            Ok(Some("a".into()))
        );
        assert_eq!(chosen(json!({ "q": path("ab/x") })), Ok(None));
        assert_eq!(
            chosen(json!({ "q": path("a/x"), "r": path("b/x") })),
            Ok(None)
        );
        assert_eq!(
            chosen(json!({ "repo": "b", "q": path("a/x") })),
            Ok(Some("b".into()))
        );
        assert_eq!(
            chosen(json!({ "repo": outer.join("b") })),
            Ok(Some("b".into()))
        );
        assert!(
            chosen(json!({ "repo": "c" }))
                .unwrap_err()
                .contains("a, inner, b")
        );
    }
}
