//! Opens handles on Unix.

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

/// Number of attempts if a path changes during an operation.
pub const TRIES: usize = 3;

/// The repository root as an open folder.
#[derive(Debug)]
pub struct Root {
    handle: std::os::fd::OwnedFd,
}

/// Maximum number of links on the way to a file, as in the kernel.
const MAX_LINKS: usize = 40;

/// Flags for reading. Without them, opening a pipe would wait for its writer, and a terminal could
/// become the controlling one.
pub const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW);

/// Flags for a handle to enter or inspect, not to read.
#[cfg(target_os = "linux")]
pub const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
/// Flags for a handle to enter or inspect, not to read.
#[cfg(not(target_os = "linux"))]
pub const LOOK: OFlags = READ;

/// Treatment of a link at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalLink {
    /// Follow the link.
    Follow,
    /// Use the link itself.
    Keep,
}

/// A resolved path: a name in an open folder.
#[derive(Debug)]
pub struct ResolvedPath {
    /// Handle of the folder.
    pub folder: OwnedFd,
    /// Segments of the folder's link-free path.
    pub at: Vec<String>,
    /// Name in the folder; `None` for the root.
    pub name: Option<String>,
    /// Segments after a name that does not exist.
    pub rest: Vec<String>,
}

impl ResolvedPath {
    /// Returns the link-free path.
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

    /// Reports whether this is still the folder at `path`.
    pub fn is_at(&self, path: &Path) -> bool {
        let of = |found: rustix::io::Result<rustix::fs::Stat>| {
            found.ok().map(|found| (found.st_dev, found.st_ino))
        };
        of(rustix::fs::fstat(&self.handle)) == of(rustix::fs::stat(path))
    }
}

impl Workspace {
    /// Opens a link-free path in one step. `ELOOP` means that the path contains a link or that the
    /// system lacks the call.
    #[cfg(target_os = "linux")]
    fn open_without_links(&self, path: &RepoPath, flags: OFlags) -> Result<OwnedFd, Errno> {
        use rustix::fs::{ResolveFlags, openat2};
        let text = if path.is_root() { "." } else { path.as_str() };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(self.handle(), text, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => Err(Errno::LOOP),
            // `NOFOLLOW` with `PATH` opens the link itself.
            Ok(file) if flags.contains(OFlags::PATH) && is_link(&file) => Err(Errno::LOOP),
            other => other,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_without_links(&self, _path: &RepoPath, _flags: OFlags) -> Result<OwnedFd, Errno> {
        Err(Errno::LOOP)
    }

    /// Opens the target of a path. It is an error if the target is outside the root.
    pub(crate) fn open_inside(&self, path: &RepoPath, flags: OFlags) -> Result<OwnedFd, ReadError> {
        if path.is_hidden() {
            return Err(ReadError::NotFound(path.clone()));
        }

        match self.open_without_links(path, flags) {
            Err(Errno::LOOP) => {}
            other => return other.map_err(|error| failed(path, error)),
        }

        for _ in 0..TRIES {
            let target = self.resolve_parent(path, FinalLink::Follow)?;
            if !target.rest.is_empty() {
                return Err(ReadError::NotFound(path.clone()));
            }

            match openat(
                &target.folder,
                target.name.as_deref().unwrap_or("."),
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

    /// Resolves a path to the folder that contains its last segment.
    pub(crate) fn resolve_parent(
        &self,
        path: &RepoPath,
        last: FinalLink,
    ) -> Result<ResolvedPath, ReadError> {
        let mut walk = LinkWalk::new(self, path)?;
        while let Some(name) = walk.todo.pop_front() {
            if name == ".." {
                walk.leave()?;
                continue;
            }
            if is_hidden_name(&name) {
                return Err(ReadError::NotFound(path.clone()));
            }

            let is_end = walk.todo.is_empty();
            if is_end && last == FinalLink::Keep {
                return Ok(walk.end_at(name));
            }
            match readlinkat(&walk.folder, &name, Vec::new()) {
                Ok(target) => walk.follow(target.as_bytes())?,
                Err(Errno::INVAL) if is_end => return Ok(walk.end_at(name)),
                Err(Errno::INVAL) => walk.enter(name)?,
                // A name that does not exist cannot be a link, so the rest must stay below it.
                Err(Errno::NOENT) if walk.stays_below() => return Ok(walk.end_at(name)),
                Err(error) => return Err(failed(path, error)),
            }
        }
        walk.end_at_folder()
    }

    /// Opens a folder by a path that should be link-free.
    fn folder(&self, at: &[String]) -> Result<OwnedFd, Errno> {
        let mut folder = openat(self.handle(), ".", LOOK | OFlags::DIRECTORY, Mode::empty())?;
        for name in at {
            folder = openat(&folder, name, LOOK | OFlags::DIRECTORY, Mode::empty())?;
        }
        Ok(folder)
    }

    /// Returns the segments of a link's target, and whether they start at the repository root;
    /// `None` if the target is outside.
    fn steps(&self, target: &Path) -> Option<(Vec<String>, bool)> {
        let inside = match target.strip_prefix(self.root()) {
            Ok(inside) => inside.to_owned(),
            Err(_) if leads_through_a_process(target) => return None,
            // The path may name the root differently.
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

/// The state of resolving a path segment by segment.
struct LinkWalk<'r> {
    workspace: &'r Workspace,
    path: &'r RepoPath,
    /// Segments that are not resolved yet.
    todo: VecDeque<String>,
    /// Segments of the link-free path so far.
    at: Vec<String>,
    /// The folder at that path.
    folder: OwnedFd,
    /// Number of links followed.
    links: usize,
}

impl<'r> LinkWalk<'r> {
    fn new(workspace: &'r Workspace, path: &'r RepoPath) -> Result<Self, ReadError> {
        Ok(Self {
            workspace,
            path,
            todo: path.segments().map(str::to_owned).collect(),
            at: Vec::new(),
            folder: workspace.folder(&[]).map_err(|error| failed(path, error))?,
            links: 0,
        })
    }

    /// Goes to the folder that contains the current one.
    fn leave(&mut self) -> Result<(), ReadError> {
        self.at.pop().ok_or_else(|| self.escapes())?;
        self.open_folder()
    }

    /// Goes to a folder that is no link.
    fn enter(&mut self, name: String) -> Result<(), ReadError> {
        let flags = LOOK | OFlags::DIRECTORY;
        self.folder = openat(&self.folder, &name, flags, Mode::empty())
            .map_err(|error| failed(self.path, error))?;
        self.at.push(name);
        Ok(())
    }

    /// Puts the target of a link before the segments that are left.
    fn follow(&mut self, target: &[u8]) -> Result<(), ReadError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(ReadError::NotFound(self.path.clone()));
        }

        let target = Path::new(std::ffi::OsStr::from_bytes(target));
        let (steps, from_root) = self.workspace.steps(target).ok_or_else(|| self.escapes())?;
        if from_root {
            self.at.clear();
            self.open_folder()?;
        }
        for step in steps.into_iter().rev() {
            self.todo.push_front(step);
        }
        Ok(())
    }

    /// Reports whether the segments that are left lead neither upwards nor to a hidden name.
    fn stays_below(&self) -> bool {
        let mut todo = self.todo.iter();
        todo.all(|step| step != ".." && !is_hidden_name(step))
    }

    /// Ends at a name in the current folder.
    fn end_at(self, name: String) -> ResolvedPath {
        ResolvedPath {
            folder: self.folder,
            at: self.at,
            name: Some(name),
            rest: self.todo.into(),
        }
    }

    /// Ends at the current folder: a link may lead to the root, or to a folder by `..`.
    fn end_at_folder(mut self) -> Result<ResolvedPath, ReadError> {
        let name = self.at.pop();
        self.open_folder()?;
        Ok(ResolvedPath {
            folder: self.folder,
            at: self.at,
            name,
            rest: Vec::new(),
        })
    }

    fn open_folder(&mut self) -> Result<(), ReadError> {
        let opened = self.workspace.folder(&self.at);
        self.folder = opened.map_err(|error| failed(self.path, error))?;
        Ok(())
    }

    fn escapes(&self) -> ReadError {
        ReadError::Escapes(self.path.clone())
    }
}

/// Reports whether a path leads through a process's handles, as `/proc/self/fd/3` does. Its meaning
/// depends on the process.
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

/// Converts an error.
pub fn failed(path: &RepoPath, error: Errno) -> ReadError {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => ReadError::NotFound(path.clone()),
        // A link has replaced a folder.
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

    /// Opens a file for reading. All files of the repository are opened here.
    pub(crate) fn open_file(&self, path: &RepoPath) -> Result<File, ReadError> {
        self.open_inside(path, READ).map(File::from)
    }

    /// Opens a folder, following links inside the root.
    #[cfg(target_os = "linux")]
    pub fn open_folder(&self, path: &RepoPath) -> Result<OwnedFd, ReadError> {
        let handle = self.open_inside(path, LOOK)?;
        let opened = openat(&handle, ".", READ | OFlags::DIRECTORY, Mode::empty());
        opened.map_err(|error| match error {
            Errno::NOTDIR => ReadError::NotADirectory(path.clone()),
            other => failed(path, other),
        })
    }

    /// Opens a handle, not for reading, of a path's target, following links inside the root.
    pub(crate) fn look(&self, path: &RepoPath) -> Result<File, ReadError> {
        self.open_inside(path, LOOK).map(File::from)
    }

    /// Like [`Self::look`], but returns `None` if the path may contain links.
    pub(crate) fn look_without_links(&self, path: &RepoPath) -> Option<File> {
        if path.is_hidden() {
            None
        } else {
            self.open_without_links(path, LOOK).ok().map(File::from)
        }
    }

    /// Resolves all links of a path.
    pub fn real_path(&self, path: &RepoPath) -> Result<RepoPath, ReadError> {
        let target = self.resolve_parent(path, FinalLink::Follow)?;
        target
            .real()
            .ok_or_else(|| ReadError::NotFound(path.clone()))
    }
}
