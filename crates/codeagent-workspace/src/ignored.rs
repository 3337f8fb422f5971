//! git's ignore rules: `.gitignore` files, `.git/info/exclude` and the user's global file; for
//! searches also `.ignore` files.
//!
//! The `ignore` crate differs from git in details, so each rule is translated: only trailing spaces
//! are dropped, `{` is an ordinary character, `[[:digit:]]` is a class, and `a**b` is `a*b`.
//! Tracked files are never ignored.
//!
//! Limitations: rule files over 256 KiB are not read. Beyond 2 MiB in total, only the top-level
//! rules apply. Names are case-sensitive. `d**/a` is read as `d*/a`, while git lets `**` after a
//! literal prefix span folders.

mod search_rules;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use crate::git_index::GitIndex;
pub use search_rules::SearchRules;

/// Maximum size of a rule file, in bytes.
const MAX_RULE_BYTES: u64 = 256 << 10;

/// Maximum total size of rules, in bytes; each costs eighty bytes of memory.
const MAX_TOTAL_BYTES: u64 = 2 << 20;

/// Bytes added per rule file to its size.
const BYTES_PER_FILE: u64 = 100;

/// Maximum size of a `.git` file that points to a git folder, in bytes.
const MAX_POINTER_BYTES: u64 = 8 << 10;

/// The rules of a work tree. Folders are read on demand.
pub struct IgnoreRules {
    /// Name of the rule files.
    file: &'static str,
    /// The folder that paths are relative to: the top of the git work tree, or the root.
    top: PathBuf,
    /// Path of the root below `top`. Neither the root nor its parents are ignored, because the user
    /// chose them.
    root: PathBuf,
    git: Option<PathBuf>,
    levels: Mutex<HashMap<PathBuf, Arc<FolderRules>>>,
    /// Rules outside the tree: `.git/info/exclude`, then the user's global file.
    general: Vec<Gitignore>,
    tracked: OnceLock<GitIndex>,
    /// Total size of the rules read so far, in bytes.
    total: AtomicU64,
    /// Whether rules below the top folder are left out.
    only_top: bool,
    /// Whether the caller decides by further rules which folders to enter, and asks only about
    /// their content.
    is_walked: bool,
    skipped: Mutex<Vec<String>>,
}

/// The rules that apply in one folder.
struct FolderRules {
    /// The folder's own rules, if any.
    rules: Option<Gitignore>,
    /// Path relative to the top.
    path: PathBuf,
    /// Rules of the nearest parent folder that has rules.
    above: Option<Arc<FolderRules>>,
    /// Whether everything in the folder is ignored.
    excluded: bool,
}

impl IgnoreRules {
    /// Creates the rules for everything below `root`.
    pub fn new(root: &Path) -> Self {
        let top = root.ancestors().find(|folder| folder.join(".git").exists());
        let git = top.and_then(git_folder);

        let general = git
            .as_deref()
            .map(common_folder)
            .map(|common| common.join("info").join("exclude"));

        let mut ignored = Self {
            root: top
                .and_then(|top| root.strip_prefix(top).ok())
                .map(Path::to_owned)
                .unwrap_or_default(),
            git,
            ..Self::from_files(".gitignore", top.unwrap_or(root))
        };

        let general = general.into_iter().chain(gitconfig_excludes_path());
        ignored.general = general.filter_map(|file| ignored.rules(&file)).collect();
        ignored
    }

    /// Creates rules that come only from files of this name.
    fn from_files(file: &'static str, top: &Path) -> Self {
        Self {
            file,
            top: top.to_owned(),
            root: PathBuf::new(),
            git: None,
            levels: Mutex::default(),
            general: Vec::new(),
            tracked: OnceLock::new(),
            total: AtomicU64::new(0),
            only_top: false,
            is_walked: false,
            skipped: Mutex::default(),
        }
    }

    /// Like [`Self::new`], without rules below the top folder. Used if there are too many rules, so
    /// that the result does not depend on the order of the walk.
    pub fn top_level_only(root: &Path) -> Self {
        let note = format!(
            "more than {MAX_TOTAL_BYTES} bytes of ignore rules; only those at the top are applied"
        );
        Self {
            only_top: true,
            skipped: Mutex::new(vec![note]),
            ..Self::new(root)
        }
    }

    /// Reports whether the rules exceed the limit, so that results are invalid.
    pub fn exceeds_limit(&self) -> bool {
        self.total.load(Ordering::Relaxed) > MAX_TOTAL_BYTES
    }

    /// Reports whether a file or folder is ignored.
    pub fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let Ok(inside) = path.strip_prefix(&self.top) else {
            return false;
        };
        let Some(folder) = inside.parent() else {
            return false;
        };
        let level = self.level(folder);
        (level.excluded || self.excludes(&level, inside, is_folder))
            && !self.tracked().has(inside, is_folder)
    }

    /// Reports whether git tracks a file below a folder.
    pub fn tracks(&self, folder: &Path) -> bool {
        folder
            .strip_prefix(&self.top)
            .is_ok_and(|inside| self.tracked().has(inside, true))
    }

    /// Takes the notes about rule files that were not read.
    pub fn skipped(&self) -> Vec<String> {
        std::mem::take(&mut self.skipped.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tracked(&self) -> &GitIndex {
        self.tracked.get_or_init(|| {
            self.git
                .as_deref()
                .map(|git| GitIndex::read(&git.join("index")))
                .unwrap_or_default()
        })
    }

    fn excludes(&self, level: &Arc<FolderRules>, path: &Path, is_folder: bool) -> bool {
        self.decide(level, path, is_folder).unwrap_or_default()
    }

    /// Returns the decision of the nearest folder with a matching rule; in a file, the last match
    /// wins.
    fn decide(&self, level: &Arc<FolderRules>, path: &Path, is_folder: bool) -> Option<bool> {
        let mut at = Some(level);
        while let Some(level) = at {
            if let Some(rules) = &level.rules
                && let Some(inside) = below(path, &level.path)
            {
                let answer = rules.matched(inside, is_folder);
                if !answer.is_none() {
                    return Some(answer.is_ignore());
                }
            }
            at = level.above.as_ref();
        }

        let answer = self
            .general
            .iter()
            .map(|rules| rules.matched(path, is_folder))
            .find(|answer| !answer.is_none());

        answer.map(|answer| answer.is_ignore())
    }

    fn level(&self, folder: &Path) -> Arc<FolderRules> {
        if let Some(level) = self
            .levels
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(folder)
        {
            return Arc::clone(level);
        }

        let parent = folder.parent().map(|parent| self.level(parent));
        let is_asked_for = self.is_walked || self.root.starts_with(folder);
        let excluded = !is_asked_for
            && parent
                .as_ref()
                .is_some_and(|parent| parent.excluded || self.excludes(parent, folder, true));

        let is_left_out = excluded || (self.only_top && !folder.as_os_str().is_empty());
        let rules = if is_left_out {
            None
        } else {
            self.rules(&self.top.join(folder).join(self.file))
        };

        let above = parent.and_then(|parent| {
            if parent.rules.is_some() {
                Some(parent)
            } else {
                parent.above.clone()
            }
        });

        let level = Arc::new(FolderRules {
            rules,
            path: folder.to_owned(),
            above,
            excluded,
        });

        self.levels
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(folder.to_owned(), Arc::clone(&level));
        level
    }

    /// Reads a rule file. Like git, does not follow a link.
    fn rules(&self, file: &Path) -> Option<Gitignore> {
        let bytes = match read(file, MAX_RULE_BYTES)? {
            Ok(bytes) => bytes,
            Err(size) => {
                let name = file.strip_prefix(&self.top).unwrap_or(file).display();
                let note = format!(
                    "{name}: not applied, because it has {size} bytes of ignore rules, more than \
                     {MAX_RULE_BYTES}"
                );
                self.skipped
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(note);
                return None;
            }
        };

        self.total
            .fetch_add(bytes.len() as u64 + BYTES_PER_FILE, Ordering::Relaxed);
        if self.exceeds_limit() {
            return None;
        }

        let text = String::from_utf8_lossy(&bytes);
        let mut builder = GitignoreBuilder::new("");
        for line in text.trim_start_matches('\u{feff}').split('\n') {
            // A rule that the library rejects never matches in git either.
            if let Some(rule) = translated(line.strip_suffix('\r').unwrap_or(line)) {
                drop(builder.add_line(None, &rule));
            }
        }

        builder.build().ok().filter(|rules| !rules.is_empty())
    }
}

/// Returns the rest of a path below a folder. Compares bytes, because both are spelled alike and
/// this is called for every path and rule file.
pub fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let (path, folder) = (path.as_os_str().as_bytes(), folder.as_os_str().as_bytes());
        let rest = path.strip_prefix(folder)?;
        let rest = if folder.is_empty() || folder == b"/" {
            rest
        } else {
            rest.strip_prefix(b"/")?
        };
        Some(Path::new(std::ffi::OsStr::from_bytes(rest)))
    }
    #[cfg(not(unix))]
    path.strip_prefix(folder).ok()
}

/// Reads a regular file of at most `limit` bytes; returns its size if it is larger. Checking the
/// opened file ensures that a pipe or link put there meanwhile is neither waited for nor followed.
pub fn read(path: &Path, limit: u64) -> Option<Result<Vec<u8>, u64>> {
    let file = open_regular(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .ok()?;
    Some(if size.max(bytes.len() as u64) > limit {
        Err(size.max(bytes.len() as u64))
    } else {
        Ok(bytes)
    })
}

/// Opens a regular file without following a link.
pub fn open_regular(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    let file = File::from(rustix::fs::open(
        path,
        crate::sandbox::READ,
        rustix::fs::Mode::empty(),
    )?);
    #[cfg(not(unix))]
    let file = {
        path.symlink_metadata().and_then(|metadata| {
            metadata
                .is_file()
                .then_some(())
                .ok_or_else(|| io::ErrorKind::InvalidInput.into())
        })?;
        File::open(path)?
    };

    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// Returns git's folder of this work tree: `.git`, or the target of a `.git` file.
fn git_folder(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = String::from_utf8(read(&git, MAX_POINTER_BYTES)?.ok()?).ok()?;
    Some(top.join(text.strip_prefix("gitdir:")?.trim()))
}

/// Returns the user's files that affect ignore rules, whether or not they exist.
pub fn user_rule_files() -> Vec<PathBuf> {
    let variable = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let home = variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    let config = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let files = [
        home.map(|home| home.join(".gitconfig")),
        config.map(|config| config.join("git/config")),
        gitconfig_excludes_path(),
    ];
    files.into_iter().flatten().collect()
}

/// Returns the settings folder and the folders with ignore rules that a walk does not list.
pub fn rule_folders(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.join(".codeagent")];
    let Some(top) = root.ancestors().find(|folder| folder.join(".git").exists()) else {
        return folders;
    };
    folders.extend(
        root.ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(top))
            .map(Path::to_owned),
    );
    if let Some(git) = git_folder(top) {
        folders.push(common_folder(&git).join("info"));
        folders.push(git);
    }
    folders
}

/// Returns the git folder shared by all worktrees of the enclosing repository, with links resolved.
pub fn shared_git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.ancestors().find_map(git_folder)?;
    common_folder(&git).canonicalize().ok()
}

/// Returns the git folder shared by all worktrees.
fn common_folder(git: &Path) -> PathBuf {
    let text = read(&git.join("commondir"), MAX_POINTER_BYTES)
        .and_then(Result::ok)
        .and_then(|bytes| String::from_utf8(bytes).ok());
    text.map_or_else(|| git.to_owned(), |text| git.join(text.trim()))
}

/// Translates a rule for the `ignore` crate; returns `None` if it never matches.
fn translated(line: &str) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }

    let line = without_trailing_spaces(line);
    let (sign, line) = line
        .strip_prefix('!')
        .map_or(("", line), |rest| ("!", rest));
    let (body, end) = line
        .strip_suffix('/')
        .map_or((line, ""), |body| (body, "/"));

    if body.is_empty() {
        return None;
    }

    let is_path = body.contains('/');
    let mut rule = String::from(sign);
    let mut rest = body;

    while let Some(next) = rest.chars().next() {
        let after = &rest[next.len_utf8()..];
        let is_first = rest.len() == body.len();
        rest = match next {
            '\\' => {
                let escaped = after.chars().next()?;
                literal(&mut rule, escaped, is_first);
                &after[escaped.len_utf8()..]
            }
            '*' => {
                let after = after.trim_start_matches('*');
                let starts = is_first || body[..body.len() - rest.len()].ends_with('/');
                let spans = is_path
                    && rest.starts_with("**")
                    && starts
                    && (after.is_empty() || after.starts_with('/'));
                rule.push_str(if spans { "**" } else { "*" });
                after
            }
            '[' => class(&mut rule, after)?,
            '?' | '/' => {
                rule.push(next);
                after
            }
            _ => {
                literal(&mut rule, next, is_first);
                after
            }
        };
    }

    Some(rule + end)
}

/// Drops trailing spaces, except an escaped one. Other white space stays.
fn without_trailing_spaces(line: &str) -> &str {
    let mut end = 0;
    let mut chars = line.char_indices();
    while let Some((at, next)) = chars.next() {
        match next {
            ' ' => {}
            '\\' => {
                end = chars
                    .next()
                    .map_or(line.len(), |(at, escaped)| at + escaped.len_utf8())
            }
            _ => end = at + next.len_utf8(),
        }
    }
    &line[..end]
}

/// Appends a literal character.
fn literal(rule: &mut String, next: char, is_first: bool) {
    if next.is_whitespace() {
        // The library drops white space at the end of a line.
        rule.extend(['[', next, ']']);
    } else if matches!(next, '{' | '}' | '*' | '?' | '[' | ']' | '\\' | '#')
        || (is_first && next == '!')
    {
        rule.extend(['\\', next]);
    } else {
        rule.push(next);
    }
}

/// Appends a bracket class with its members listed one by one; returns the text after it.
fn class<'p>(rule: &mut String, text: &'p str) -> Option<&'p str> {
    let (negated, mut rest) = match text.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, text),
    };

    let mut members: Vec<(char, char)> = Vec::new();
    let mut is_first = true;
    loop {
        let next = rest.chars().next()?;
        if next == ']' && !is_first {
            rest = &rest[1..];
            break;
        }

        is_first = false;
        if let Some((set, after)) = rest
            .strip_prefix("[:")
            .and_then(|named| named.split_once(":]"))
        {
            members.extend(named(set)?);
            rest = after;
            continue;
        }

        let (low, after) = member(rest)?;
        rest = after;
        let mut high = low;
        if let Some(end) = rest.strip_prefix('-').filter(|end| !end.starts_with(']')) {
            (high, rest) = member(end)?;
        }
        members.push((low, high));
    }

    write_class(rule, negated, &members);
    Some(rest)
}

fn member(text: &str) -> Option<(char, &str)> {
    let text = text.strip_prefix('\\').unwrap_or(text);
    let next = text.chars().next()?;
    Some((next, &text[next.len_utf8()..]))
}

/// Returns the ranges of a named class.
fn named(set: &str) -> Option<Vec<(char, char)>> {
    Some(match set {
        "alpha" => vec![('a', 'z'), ('A', 'Z')],
        "digit" => vec![('0', '9')],
        "alnum" => vec![('a', 'z'), ('A', 'Z'), ('0', '9')],
        "upper" => vec![('A', 'Z')],
        "lower" => vec![('a', 'z')],
        "xdigit" => vec![('0', '9'), ('a', 'f'), ('A', 'F')],
        "space" => vec![(' ', ' '), ('\t', '\r')],
        "blank" => vec![(' ', ' '), ('\t', '\t')],
        "punct" => vec![('!', '.'), (':', '@'), ('[', '`'), ('{', '~')],
        "cntrl" => vec![('\u{1}', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        "print" => vec![(' ', '.'), ('0', '~')],
        "graph" => vec![('!', '.'), ('0', '~')],
        _ => return None,
    })
}

/// Appends a class, which never matches `/`.
fn write_class(rule: &mut String, negated: bool, members: &[(char, char)]) {
    let mut single: Vec<char> = Vec::new();
    let mut wide: Vec<(char, char)> = Vec::new();
    for &(low, high) in members {
        if high.is_ascii() {
            single.extend((low..=high).filter(|member| *member != '/' && *member != '\0'));
        } else if low <= high {
            wide.push((low, high));
        }
    }

    single.sort_unstable();
    single.dedup();
    if single.is_empty() && wide.is_empty() && !negated {
        // No name contains NUL or `/`, so this matches nothing.
        rule.push('\0');
        return;
    }

    // `]` is literal only at the beginning, `-` at the beginning or end, and a negation sign
    // anywhere else.
    single.sort_by_key(|member| match member {
        ']' => 0,
        '!' | '^' => 2,
        '-' => 3,
        _ => 1,
    });

    let is_open = !negated && wide.is_empty() && matches!(single[0], '!' | '^');
    match (is_open, single.as_slice()) {
        (true, [only]) => return rule.extend(['\\', *only]),
        (true, [.., '-']) => single.rotate_right(1),
        (true, _) => return rule.push_str("{\\!,\\^}"),
        _ => {}
    }

    rule.push_str(if negated { "[!" } else { "[" });
    let (first, others) = single.split_at(usize::from(single.first() == Some(&']')));
    rule.extend(first);
    rule.push_str(if negated { "/" } else { "" });
    for (low, high) in wide {
        rule.extend([low, '-', high]);
    }
    rule.extend(others);
    rule.push(']');
}

#[cfg(test)]
mod tests;
