//! Protected names: files and folders that git, editors, shells and agents act on automatically.
//!
//! By writing them, a command could have code run outside of its jail, for example at the user's
//! next `git status`. Existing ones are found before the command starts ([`Protected::find`]) and
//! made read-only by the other layers of the jail. When the last process has ended, new or replaced
//! ones are removed ([`Protected::restore`]), and replaced links are restored. All operations use
//! handles and do not follow links.
//!
//! The list combines the names that OpenAI's codex (`.git`, `.codex`, `.agents`) and Anthropic's
//! sandbox-runtime (`.git/hooks`, `.vscode`, `.idea`, `.claude`, `.gitmodules`, `.mcp.json`,
//! start-up files of shells) protect with `.codeagent`, `.cursor` and `.envrc`. Case is ignored.
//! Below `node_modules` only `.git` is protected: packages contain the other names, and nobody
//! opens those folders. The target of a `.git` file or link is protected too if it is inside the
//! root.
//!
//! Limitations: a protected name created by another program while a command runs is removed too.
//! Script folders named in git's configuration (`core.hooksPath`), scripts in `package.json` and
//! the like are not protected, nor are bare repositories, or existing hard links to protected
//! files. Folders nested deeper than 200 are not searched.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{CStr, CString, OsStr};
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use codeagent_workspace::remove_tree;
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, chmod, fchmod, fstat, openat, readlinkat, statat,
    symlinkat, unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;
use rustix::process::geteuid;

/// Names protected in every folder.
const ANYWHERE: [&str; 11] = [
    ".git",
    ".codeagent",
    ".vscode",
    ".idea",
    ".envrc",
    ".claude",
    ".codex",
    ".cursor",
    ".agents",
    ".mcp.json",
    ".gitmodules",
];
/// Names protected at the root, which may be a home folder.
const AT_ROOT: [&str; 9] = [
    ".gitconfig",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".ripgreprc",
];
/// Folders below which only `.git` is protected.
const PACKAGES: &[u8] = b"node_modules";

/// Maximum number of protected files and folders.
const MAX_PROTECTED: usize = 4_096;
/// Maximum depth of searched folders.
const MAX_DEPTH: usize = 200;
/// Maximum number of removed paths that are reported.
const MAX_NAMED: usize = 20;
/// Maximum size of a `.git` file, in bytes.
const MAX_POINTER: u64 = 4_096;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Protected paths of a repository.
pub struct Protected {
    root: PathBuf,
    read_only: Vec<PathBuf>,
    pinned: Vec<PathBuf>,
    /// Device and inode numbers of protected files and folders.
    known: HashSet<(u64, u64)>,
    /// Protected links and their targets.
    links: Vec<(PathBuf, CString)>,
}

/// Changes undone after a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Paths that were removed or restored.
    pub removed: Vec<String>,
    /// Paths that could not be removed or restored.
    pub not_removed: Vec<String>,
}

impl Protected {
    /// Finds the protected paths below a root; `path` is the link-free path of the root.
    pub fn find(root: &OwnedFd, path: &Path) -> Result<Self, String> {
        let mut found = Self {
            root: path.to_owned(),
            read_only: Vec::new(),
            pinned: Vec::new(),
            known: HashSet::new(),
            links: Vec::new(),
        };

        let mut pinned = BTreeSet::new();
        let searched = walk(root, &mut |folder, path, name| {
            found.add(folder, path, name, &mut pinned)
        });
        searched.map_err(|error| {
            format!("cannot search the repository for protected files: {error}")
        })?;

        if found.read_only.len() > MAX_PROTECTED || pinned.len() > MAX_PROTECTED {
            return Err(format!(
                "more than {MAX_PROTECTED} protected files and folders (such as .git) in the repository"
            ));
        }

        found.read_only.sort();
        found.read_only.dedup();
        found.pinned = pinned.into_iter().collect();

        Ok(found)
    }

    /// Returns the files and folders that a command must not change, relative to the root.
    pub fn read_only(&self) -> &[PathBuf] {
        &self.read_only
    }

    /// Returns the folders that a command must not move, because a link or a `.git` file leads
    /// through them.
    pub fn pinned(&self) -> &[PathBuf] {
        &self.pinned
    }

    fn add(
        &mut self,
        folder: BorrowedFd<'_>,
        path: &Path,
        name: &CStr,
        pinned: &mut BTreeSet<PathBuf>,
    ) -> Result<(), Errno> {
        let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let target = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => {
                let says = readlinkat(folder, name, Vec::new())?;
                let target = path.with_file_name(OsStr::from_bytes(says.as_bytes()));
                self.links.push((path.to_owned(), says));
                Some(target)
            }
            kind => {
                self.known.insert(identity(&stat));
                self.read_only.push(path.to_owned());
                let is_pointer =
                    kind == FileType::RegularFile && name.to_bytes().eq_ignore_ascii_case(b".git");
                if is_pointer {
                    pointer(folder, name, "gitdir: ").map(|target| path.with_file_name(target))
                } else {
                    None
                }
            }
        };
        let Some(target) = target else { return Ok(()) };

        pin(path, pinned);
        self.add_target(&target, pinned);
        Ok(())
    }

    /// Protects the target of a link or a `.git` file if it is inside the root, and the folder that
    /// worktrees share.
    fn add_target(&mut self, target: &Path, pinned: &mut BTreeSet<PathBuf>) {
        let Ok(real) = self.root.join(target).canonicalize() else {
            return;
        };
        let Ok(inside) = real.strip_prefix(&self.root) else {
            return;
        };
        if inside.as_os_str().is_empty() || self.read_only.iter().any(|known| known == inside) {
            return;
        }

        pin(inside, pinned);
        self.read_only.push(inside.to_owned());

        let shared = rustix::fs::open(&real, FOLDER, Mode::empty())
            .ok()
            .and_then(|folder| pointer(folder.as_fd(), c"commondir", ""));
        if let Some(shared) = shared {
            self.add_target(&inside.join(shared), pinned);
        }
    }

    /// Removes protected names that are new or replaced, and restores links. All processes of the
    /// command must have ended.
    pub fn restore(&self, root: &OwnedFd) -> SweepReport {
        let mut cleaned = SweepReport::default();
        // If this fails, the search below reports it.
        let closed = open_up_handle(root).unwrap_or(None);
        let searched = walk(root, &mut |folder, path, name| {
            let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let says = readlinkat(folder, name, Vec::new()).ok();
            let is_known = match &says {
                Some(says) => self
                    .links
                    .iter()
                    .any(|(known, output)| known == path && output == says),
                None => self.known.contains(&identity(&stat)),
            };

            if !is_known {
                cleaned.note(path, remove(folder, name));
            }

            Ok(())
        });

        if searched.is_err() {
            cleaned
                .not_removed
                .push("the repository could not be searched".to_owned());
        }

        // The parents are pinned, so each link is restored where it was.
        for (path, says) in &self.links {
            let result = symlinkat(says, root, path);
            if result != Err(Errno::EXIST) {
                cleaned.note(path, result);
            }
        }

        if let Some(mode) = closed {
            fchmod(root, mode).ok();
        }

        cleaned
    }
}

impl SweepReport {
    fn note(&mut self, path: &Path, result: Result<(), Errno>) {
        let list = if result.is_ok() {
            &mut self.removed
        } else {
            &mut self.not_removed
        };
        let path = path.display().to_string();
        if list.contains(&path) {
            return;
        }
        match list.len() {
            0..MAX_NAMED => list.push(path),
            MAX_NAMED => list.push("and more".to_owned()),
            _ => {}
        }
    }
}

fn pin(path: &Path, pinned: &mut BTreeSet<PathBuf>) {
    pinned.extend(
        path.ancestors()
            .skip(1)
            .filter(|folder| !folder.as_os_str().is_empty())
            .map(Path::to_owned),
    );
}

fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}

/// Returns the path stored in a small git file.
fn pointer(folder: BorrowedFd<'_>, name: &CStr, before: &str) -> Option<PathBuf> {
    let file = openat(
        folder,
        name,
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .ok()?;
    let mut text = Vec::new();
    std::fs::File::from(file)
        .take(MAX_POINTER)
        .read_to_end(&mut text)
        .ok()?;
    let path = text.strip_prefix(before.as_bytes())?.trim_ascii();
    (!path.is_empty()).then(|| OsStr::from_bytes(path).into())
}

fn is_protected(name: &[u8], at_root: bool, in_packages: bool) -> bool {
    let is = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
    if in_packages {
        is(&ANYWHERE[0])
    } else {
        ANYWHERE.iter().any(is) || at_root && AT_ROOT.iter().any(is)
    }
}

/// A folder whose subfolders have yet to be searched.
struct Level {
    folder: OwnedFd,
    inner: Vec<CString>,
    in_packages: bool,
    /// Its original mode, if it was changed to make it accessible.
    closed: Option<Mode>,
}

/// Calls `act` with the folder, path and name of each protected name. Folders with such a name are
/// not entered.
fn walk(
    root: &OwnedFd,
    act: &mut impl FnMut(BorrowedFd<'_>, &Path, &CStr) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let mut path = PathBuf::new();
    let mut levels = vec![list(
        openat(root, ".", FOLDER, Mode::empty())?,
        &mut path,
        true,
        false,
        act,
    )?];

    while let Some(level) = levels.last_mut() {
        let Some(name) = level.inner.pop() else {
            if let Some(mode) = level.closed {
                fchmod(&level.folder, mode)?;
            }
            levels.pop();
            path.pop();
            continue;
        };
        let Some((folder, closed)) = enter(&level.folder, &name)? else {
            continue;
        };

        let in_packages = level.in_packages || name.to_bytes() == PACKAGES;
        path.push(OsStr::from_bytes(name.to_bytes()));

        let mut inner = match list(folder, &mut path, false, in_packages, act) {
            // Another program removed the entry.
            Err(Errno::NOENT) => {
                path.pop();
                continue;
            }
            other => other?,
        };

        inner.closed = closed;
        if levels.len() >= MAX_DEPTH {
            inner.inner.clear();
        }

        levels.push(inner);
    }

    Ok(())
}

/// Reads a folder.
fn list(
    folder: OwnedFd,
    path: &mut PathBuf,
    at_root: bool,
    in_packages: bool,
    act: &mut impl FnMut(BorrowedFd<'_>, &Path, &CStr) -> Result<(), Errno>,
) -> Result<Level, Errno> {
    let (mut inner, mut protected) = (Vec::new(), Vec::new());
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if is_protected(name.to_bytes(), at_root, in_packages) {
            protected.push(name.to_owned());
        } else if is_folder(&folder, name, entry.file_type()) {
            inner.push(name.to_owned());
        }
    }

    for name in protected {
        path.push(OsStr::from_bytes(name.to_bytes()));
        let acted = act(folder.as_fd(), path, &name);
        path.pop();
        if acted != Err(Errno::NOENT) {
            acted?;
        }
    }

    Ok(Level {
        folder,
        inner,
        in_packages,
        closed: None,
    })
}

fn is_folder(folder: &OwnedFd, name: &CStr, message: FileType) -> bool {
    match message {
        FileType::Unknown => statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory),
        message => message == FileType::Directory,
    }
}

/// Opens a folder. If its owner has no access, makes it accessible and returns the original mode.
fn enter(parent: &OwnedFd, name: &CStr) -> Result<Option<(OwnedFd, Option<Mode>)>, Errno> {
    let opened = match openat(parent, name, FOLDER, Mode::empty()) {
        // Without search permission, only the names in the folder can be read.
        Ok(folder) if statat(&folder, ".", AtFlags::empty()).is_ok() => {
            return Ok(Some((folder, None)));
        }
        Ok(_) | Err(Errno::ACCESS) => open_up(parent, name),
        Err(error) => Err(error),
    };
    match opened {
        Ok(opened) => Ok(Some(opened)),
        // The command cannot access another user's folder either.
        Err(Errno::ACCESS | Errno::PERM | Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes an open folder accessible; returns the original mode if it was changed.
fn open_up_handle(folder: &OwnedFd) -> Result<Option<Mode>, Errno> {
    let stat = fstat(folder)?;
    let mode = Mode::from_raw_mode(stat.st_mode);
    if mode.contains(Mode::RWXU) || stat.st_uid != geteuid().as_raw() {
        return Ok(None);
    }
    fchmod(folder, mode | Mode::RWXU)?;
    Ok(Some(mode))
}

fn open_up(parent: &OwnedFd, name: &CStr) -> Result<(OwnedFd, Option<Mode>), Errno> {
    let handle = openat(
        parent,
        name,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?;

    let stat = fstat(&handle)?;
    if stat.st_uid != geteuid().as_raw() {
        return Err(Errno::ACCESS);
    }

    let mode = Mode::from_raw_mode(stat.st_mode);
    // The mode cannot be changed through a path-only handle, but through its path in `/proc`.
    chmod(
        format!("/proc/self/fd/{}", handle.as_raw_fd()),
        mode | Mode::RWXU,
    )?;
    Ok((openat(&handle, ".", FOLDER, Mode::empty())?, Some(mode)))
}

/// Removes a file, link or folder, even if it was made hard to remove.
pub fn remove(folder: impl AsFd, name: impl Arg) -> Result<(), Errno> {
    let folder = folder
        .as_fd()
        .try_clone_to_owned()
        .map_err(|_| Errno::MFILE)?;
    let name = name.into_c_str()?;
    let removed = remove_open(&folder, &name);
    if removed != Err(Errno::ACCESS) {
        return removed;
    }
    let Some(mode) = open_up_handle(&folder)? else {
        return removed;
    };
    let removed = remove_open(&folder, &name);
    fchmod(&folder, mode)?;
    removed
}

fn remove_open(folder: &OwnedFd, name: &CStr) -> Result<(), Errno> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        other => return other,
    }
    match remove_tree(folder, name) {
        Err(Errno::ACCESS) => {
            open_tree_up(folder, name)?;
            remove_tree(folder, name)
        }
        other => other,
    }
}

/// Gives the owner all rights to a folder and its subfolders.
fn open_tree_up(parent: &OwnedFd, name: &CStr) -> Result<(), Errno> {
    let mut levels = vec![(open_up(parent, name)?.0, None)];
    while let Some((folder, inner)) = levels.last_mut() {
        let inner: &mut Vec<CString> = match inner {
            Some(inner) => inner,
            None => inner.insert(folders_in(folder)?),
        };
        let Some(name) = inner.pop() else {
            levels.pop();
            continue;
        };

        let next = open_up(folder, &name)?.0;
        if levels.len() < MAX_DEPTH {
            levels.push((next, None));
        }
    }

    Ok(())
}

fn folders_in(folder: &OwnedFd) -> Result<Vec<CString>, Errno> {
    let mut inner = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..") && is_folder(folder, name, entry.file_type()) {
            inner.push(name.to_owned());
        }
    }
    Ok(inner)
}
