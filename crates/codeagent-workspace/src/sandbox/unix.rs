//! How does a path become a handle where the system is a Unix?
//!
//! **Limits.** See the head of `sandbox`.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;

use crate::Workspace;
use crate::path::{RepoPath, is_hidden_name};
use crate::read::ReadError;

/// How often something is tried again that somebody changed in between.
pub const TRIES: usize = 3;

/// The root of a repository as an open folder.
#[derive(Debug)]
pub struct Root {
    handle: std::os::fd::OwnedFd,
}

/// Most links on the way to one file, as the system itself has it.
const MAX_LINKS: usize = 40;

/// Opening a pipe would wait for its writer, opening a terminal could make it ours.
pub const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW);

/// To stand in a folder, or to ask what something is.
#[cfg(target_os = "linux")]
pub const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
/// To stand in a folder, or to ask what something is.
#[cfg(not(target_os = "linux"))]
pub const LOOK: OFlags = READ;

/// What to do with a link at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// The path means what the link leads to.
    Follow,
    /// The path means the link.
    Keep,
}

/// Where a path leads: a name in an open folder.
#[derive(Debug)]
pub struct Place {
    /// The folder.
    pub folder: OwnedFd,
    /// The folder as a path without links.
    pub at: Vec<String>,
    /// The name in it; `None` for the root.
    pub name: Option<String>,
    /// What follows a name that does not exist.
    pub rest: Vec<String>,
}

impl Place {
    /// The path without links.
    pub fn real(&self) -> Option<RepoPath> {
        let segments = self.at.iter().chain(&self.name).chain(&self.rest);
        RepoPath::new(&segments.map(String::as_str).collect::<Vec<_>>().join("/")).ok()
    }
}

impl Root {
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            handle: rustix::fs::open(path, flags, Mode::empty())?,
        })
    }

    pub fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// Whether it is the folder that lies at this path now.
    pub fn is_at(&self, path: &Path) -> bool {
        let of = |found: rustix::io::Result<rustix::fs::Stat>| {
            found.ok().map(|found| (found.st_dev, found.st_ino))
        };
        of(rustix::fs::fstat(&self.handle)) == of(rustix::fs::stat(path))
    }
}

impl Workspace {
    /// Opens a path on which no link lies, in one step. `ELOOP`: a link lies on it, or the system
    /// does not know how.
    #[cfg(target_os = "linux")]
    fn open_without_links(&self, path: &RepoPath, flags: OFlags) -> Result<OwnedFd, Errno> {
        use rustix::fs::{ResolveFlags, openat2};
        let text = if path.is_root() { "." } else { path.as_str() };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(self.handle(), text, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => Err(Errno::LOOP),
            // With `NOFOLLOW` and `PATH` the handle would be one of the link itself.
            Ok(file) if flags.contains(OFlags::PATH) && is_link(&file) => Err(Errno::LOOP),
            other => other,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_without_links(&self, _path: &RepoPath, _flags: OFlags) -> Result<OwnedFd, Errno> {
        Err(Errno::LOOP)
    }

    /// Opens what a path leads to, which is inside the root or an error.
    pub(crate) fn open_inside(&self, path: &RepoPath, flags: OFlags) -> Result<OwnedFd, ReadError> {
        if path.is_hidden() {
            return Err(ReadError::NotFound(path.clone()));
        }
        match self.open_without_links(path, flags) {
            Err(Errno::LOOP) => {}
            other => return other.map_err(|error| failed(path, error)),
        }
        for _ in 0..TRIES {
            let place = self.place(path, Last::Follow)?;
            if !place.rest.is_empty() {
                return Err(ReadError::NotFound(path.clone()));
            }
            match openat(
                &place.folder,
                place.name.as_deref().unwrap_or("."),
                flags,
                Mode::empty(),
            ) {
                Ok(file) if flags == LOOK && is_link(&file) => {}
                Err(Errno::LOOP | Errno::MLINK) => {}
                other => return other.map_err(|error| failed(path, error)),
            }
        }
        Err(ReadError::Escapes(path.clone()))
    }

    /// Walks to the folder in which a path ends.
    pub(crate) fn place(&self, path: &RepoPath, last: Last) -> Result<Place, ReadError> {
        let missing = || ReadError::NotFound(path.clone());
        let escapes = || ReadError::Escapes(path.clone());
        let io = |error| failed(path, error);
        let mut todo: VecDeque<String> = path.segments().map(str::to_owned).collect();
        let mut at: Vec<String> = Vec::new();
        let mut folder = self.folder(&at).map_err(io)?;
        let mut links = 0;
        while let Some(name) = todo.pop_front() {
            if name == ".." {
                at.pop().ok_or_else(escapes)?;
                folder = self.folder(&at).map_err(io)?;
                continue;
            }
            if is_hidden_name(&name) {
                return Err(missing());
            }
            let is_end = todo.is_empty();
            if is_end && last == Last::Keep {
                return Ok(Place {
                    folder,
                    at,
                    name: Some(name),
                    rest: Vec::new(),
                });
            }
            match readlinkat(&folder, &name, Vec::new()) {
                Ok(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(missing());
                    }
                    let target = std::ffi::OsStr::from_bytes(target.as_bytes()).to_owned();
                    let (steps, from_root) = self.steps(Path::new(&target)).ok_or_else(escapes)?;
                    if from_root {
                        at.clear();
                        folder = self.folder(&at).map_err(io)?;
                    }
                    steps
                        .into_iter()
                        .rev()
                        .for_each(|step| todo.push_front(step));
                }
                Err(Errno::INVAL) if is_end => {
                    return Ok(Place {
                        folder,
                        at,
                        name: Some(name),
                        rest: Vec::new(),
                    });
                }
                Err(Errno::INVAL) => {
                    folder = openat(&folder, &name, LOOK | OFlags::DIRECTORY, Mode::empty())
                        .map_err(io)?;
                    at.push(name);
                }
                // A name that does not exist leads nowhere, so what follows it must stay below it.
                Err(Errno::NOENT)
                    if todo
                        .iter()
                        .all(|step| step != ".." && !is_hidden_name(step)) =>
                {
                    return Ok(Place {
                        folder,
                        at,
                        name: Some(name),
                        rest: todo.into(),
                    });
                }
                Err(error) => return Err(io(error)),
            }
        }
        // A link may lead to the root, or to a folder by way of `..`.
        let name = at.pop();
        let folder = self.folder(&at).map_err(io)?;
        Ok(Place {
            folder,
            at,
            name,
            rest: Vec::new(),
        })
    }

    /// A folder by a path on which no link is expected.
    fn folder(&self, at: &[String]) -> Result<OwnedFd, Errno> {
        let mut folder = openat(self.handle(), ".", LOOK | OFlags::DIRECTORY, Mode::empty())?;
        for name in at {
            folder = openat(&folder, name, LOOK | OFlags::DIRECTORY, Mode::empty())?;
        }
        Ok(folder)
    }

    /// The steps that the target of a link says, and whether they begin at the root of the
    /// repository. `None`: elsewhere.
    fn steps(&self, target: &Path) -> Option<(Vec<String>, bool)> {
        let inside = match target.strip_prefix(self.root()) {
            Ok(inside) => inside.to_owned(),
            Err(_) if leads_through_a_process(target) => return None,
            // The root may have another name.
            Err(_) if target.is_absolute() => target
                .canonicalize()
                .ok()?
                .strip_prefix(self.root())
                .ok()?
                .to_owned(),
            Err(_) => target.to_owned(),
        };
        let mut steps = Vec::new();
        for component in inside.components() {
            match component {
                std::path::Component::Normal(name) => steps.push(name.to_str()?.to_owned()),
                std::path::Component::ParentDir => steps.push("..".to_owned()),
                std::path::Component::CurDir => {}
                _ => return None,
            }
        }
        Some((steps, target.is_absolute()))
    }
}

/// Whether a path leads through something that a process holds, as `/proc/self/fd/3` does: where to
/// depends on who asks, and when.
#[cfg(target_os = "linux")]
fn leads_through_a_process(target: &Path) -> bool {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    target.is_absolute()
        && matches!(
            openat2(
                CWD,
                target,
                flags,
                Mode::empty(),
                ResolveFlags::NO_MAGICLINKS
            ),
            Err(Errno::LOOP)
        )
}

#[cfg(not(target_os = "linux"))]
fn leads_through_a_process(_target: &Path) -> bool {
    false
}

fn is_link(file: &OwnedFd) -> bool {
    rustix::fs::fstat(file)
        .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_symlink())
}

/// What the system said of a path.
pub fn failed(path: &RepoPath, error: Errno) -> ReadError {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => ReadError::NotFound(path.clone()),
        // A link stands where a folder stood a moment ago.
        Errno::LOOP | Errno::XDEV => ReadError::Escapes(path.clone()),
        // A socket.
        Errno::NXIO => ReadError::NotAFile(path.clone()),
        other => ReadError::Io {
            path: path.clone(),
            source: other.into(),
        },
    }
}

impl Workspace {
    pub(crate) fn handle(&self) -> std::os::fd::BorrowedFd<'_> {
        self.handle.handle()
    }

    /// Opens a file for reading. Every file of the repository is opened here.
    pub(crate) fn open_file(&self, path: &RepoPath) -> Result<File, ReadError> {
        self.open_inside(path, READ).map(File::from)
    }

    /// Opens a folder of the repository, links inside the root followed.
    #[cfg(target_os = "linux")]
    pub fn open_folder(&self, path: &RepoPath) -> Result<OwnedFd, ReadError> {
        let handle = self.open_inside(path, LOOK)?;
        let opened = openat(&handle, ".", READ | OFlags::DIRECTORY, Mode::empty());
        opened.map_err(|error| match error {
            Errno::NOTDIR => ReadError::NotADirectory(path.clone()),
            other => failed(path, other),
        })
    }

    /// What stands at a path, links inside the root followed; a handle that cannot be read.
    pub(crate) fn look(&self, path: &RepoPath) -> Result<File, ReadError> {
        self.open_inside(path, LOOK).map(File::from)
    }

    /// What stands at a path, if the system says in one step that no link lies on the way to it; a
    /// handle that cannot be read.
    pub(crate) fn look_without_links(&self, path: &RepoPath) -> Option<File> {
        if path.is_hidden() {
            None
        } else {
            self.open_without_links(path, LOOK).ok().map(File::from)
        }
    }

    /// The path without links of what a path leads to.
    pub fn real_path(&self, path: &RepoPath) -> Result<RepoPath, ReadError> {
        let place = self.place(path, Last::Follow)?;
        place
            .real()
            .ok_or_else(|| ReadError::NotFound(path.clone()))
    }
}
