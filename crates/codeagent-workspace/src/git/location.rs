//! Finds git's folders for a root. Layouts that lead elsewhere are an error.

use std::path::{Path, PathBuf};

use crate::git::GitError;
use crate::ignored::read;

/// Maximum size of a file that names a folder, in bytes.
const MAX_POINTER_BYTES: u64 = 4096;

/// Locations of git's folders.
#[derive(Debug)]
pub struct Location {
    /// The folder of this worktree, with `HEAD` and the index.
    pub git: PathBuf,
    /// The folder shared by all worktrees, with objects and references.
    pub common: PathBuf,
    /// Path of the root below the top of the work tree; empty or with a trailing slash.
    pub prefix: String,
}

impl Location {
    /// Finds the innermost work tree that contains a root.
    pub fn find(root: &Path) -> Result<Self, GitError> {
        let found = root
            .ancestors()
            .find_map(|top| Some((top, top.join(".git").symlink_metadata().ok()?.file_type())));
        let (top, kind) = found.ok_or(GitError::NoRepository)?;
        let dot_git = top.join(".git");

        let (git, common) = if kind.is_dir() {
            (dot_git.clone(), dot_git)
        } else if kind.is_file() {
            pointed(top, &dot_git)?
        } else {
            return Err(GitError::Unsupported("`.git` is a link"));
        };
        check_layout(&common)?;

        let prefix = root.strip_prefix(top).unwrap_or(Path::new(""));
        let mut prefix = prefix
            .to_str()
            .ok_or(GitError::Unsupported(
                "the path of the root is not valid UTF-8",
            ))?
            .replace(std::path::MAIN_SEPARATOR, "/");
        if !prefix.is_empty() {
            prefix.push('/');
        }
        Ok(Self {
            git,
            common,
            prefix,
        })
    }
}

/// Follows a `.git` file to a linked worktree that points back to it, or to the folder of a
/// submodule inside the enclosing repository.
fn pointed(top: &Path, dot_git: &Path) -> Result<(PathBuf, PathBuf), GitError> {
    let elsewhere = GitError::Unsupported(
        "the `.git` file names a folder that belongs neither to a linked work tree nor to a submodule here",
    );
    let target = line(dot_git)
        .and_then(|text| Some(top.join(text.strip_prefix("gitdir:")?.trim())))
        .and_then(|target| dunce::canonicalize(target).ok());
    let Some(git) = target else {
        return Err(GitError::Unsupported(
            "the `.git` file does not name a folder",
        ));
    };

    let back = line(&git.join("gitdir")).and_then(|text| dunce::canonicalize(git.join(text)).ok());
    if let Some(back) = back {
        let common = line(&git.join("commondir"))
            .and_then(|text| dunce::canonicalize(git.join(text)).ok())
            .filter(|common| git.parent() == Some(&common.join("worktrees")));
        let is_ours = dunce::canonicalize(dot_git).is_ok_and(|own| own == back);
        return match common {
            Some(common) if is_ours => Ok((git, common)),
            _ => Err(elsewhere),
        };
    }

    let is_submodule = top
        .ancestors()
        .skip(1)
        .any(|outer| git.starts_with(outer.join(".git").join("modules")));
    if is_submodule {
        Ok((git.clone(), git))
    } else {
        Err(elsewhere)
    }
}

fn check_layout(common: &Path) -> Result<(), GitError> {
    let objects = common.join("objects");
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());

    if !is_folder(&objects) || !is_folder(&common.join("refs")) {
        return Err(GitError::Unsupported("it has no objects"));
    }
    if common.join("reftable").exists() {
        return Err(GitError::Unsupported(
            "its references are in a reftable, which is not supported",
        ));
    }
    if objects
        .join("info")
        .join("alternates")
        .symlink_metadata()
        .is_ok()
    {
        return Err(GitError::Unsupported(
            "it uses objects of another repository; run `git repack -a` and remove \
             `objects/info/alternates`",
        ));
    }

    let pack = objects.join("pack");
    if pack.symlink_metadata().is_err() {
        return Ok(());
    }
    let is_plain = is_folder(&pack)
        && std::fs::read_dir(&pack)?.all(|entry| {
            entry.is_ok_and(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        });
    if is_plain {
        Ok(())
    } else {
        Err(GitError::Unsupported(
            "`objects/pack` contains something other than plain files",
        ))
    }
}

fn line(path: &Path) -> Option<String> {
    let text = String::from_utf8(read(path, MAX_POINTER_BYTES)?.ok()?).ok()?;
    Some(text.trim().to_owned())
}
