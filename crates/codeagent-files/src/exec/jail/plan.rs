//! The plan of a jail, passed between its processes as arguments.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::exec::{JAIL, Policy};

/// The process of a jail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JailProcess {
    /// The monitor.
    Keep,
    /// The init: process 1 of the namespaces.
    Init,
    /// The process that becomes the command.
    Command,
}

/// All parameters of a jail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whether to use namespaces.
    pub namespaces: bool,
    pub policy: Policy,
    /// Time limit of the command.
    pub timeout: Duration,
    pub root: PathBuf,
    pub scratch: PathBuf,
    /// Working folder of the command.
    pub folder: PathBuf,
    /// Path of the program; if empty, the jail is built but runs nothing.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Files and folders that must not change, relative to the root.
    pub protected: Vec<PathBuf>,
    /// Folders that must not move, relative to the root.
    pub pinned: Vec<PathBuf>,
}

const STAGES: [(&str, JailProcess); 3] = [
    ("keep", JailProcess::Keep),
    ("init", JailProcess::Init),
    ("command", JailProcess::Command),
];
const LAYERS: [(&str, bool); 2] = [("namespaces", true), ("landlock", false)];
const POLICIES: [(&str, Policy); 3] = [
    ("tools", Policy::Tools),
    ("interpreters", Policy::Interpreters { writes: false }),
    (
        "writing-interpreters",
        Policy::Interpreters { writes: true },
    ),
];

impl Plan {
    /// Reports whether the command may write in the repository.
    pub fn writes(&self) -> bool {
        self.policy == Policy::Interpreters { writes: true }
    }

    /// Returns the arguments that start a process with this plan.
    pub fn words(&self, stage: JailProcess) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![
            JAIL.into(),
            word(&STAGES, &stage),
            word(&LAYERS, &self.namespaces),
            word(&POLICIES, &self.policy),
        ];
        words.push(self.timeout.as_millis().to_string().into());
        words.extend([&self.root, &self.scratch, &self.folder, &self.program].map(Into::into));
        for paths in [&self.protected, &self.pinned] {
            words.push(paths.len().to_string().into());
            words.extend(paths.iter().map(Into::into));
        }
        words.extend(self.arguments.iter().cloned());
        words
    }

    /// Parses the arguments of a process, without the first.
    pub fn parse(words: Vec<OsString>) -> Option<(JailProcess, Self)> {
        let mut words = words.into_iter();
        let stage = meaning(&STAGES, &words.next()?)?;
        let namespaces = meaning(&LAYERS, &words.next()?)?;
        let policy = meaning(&POLICIES, &words.next()?)?;
        let timeout = Duration::from_millis(words.next()?.to_str()?.parse().ok()?);
        let [root, scratch, folder, program] =
            [words.next()?, words.next()?, words.next()?, words.next()?].map(PathBuf::from);
        let mut paths = || -> Option<Vec<PathBuf>> {
            let count: usize = words.next()?.to_str()?.parse().ok()?;
            (0..count)
                .map(|_| words.next().map(PathBuf::from))
                .collect()
        };

        let (protected, pinned) = (paths()?, paths()?);
        let arguments = words.collect();

        Some((
            stage,
            Self {
                namespaces,
                policy,
                timeout,
                root,
                scratch,
                folder,
                program,
                arguments,
                protected,
                pinned,
            },
        ))
    }
}

fn word<T: PartialEq>(table: &[(&str, T)], value: &T) -> OsString {
    table
        .iter()
        .find(|(_, known)| known == value)
        .map(|(word, _)| word.into())
        .unwrap_or_default()
}

fn meaning<T: Copy>(table: &[(&str, T)], word: &OsString) -> Option<T> {
    table
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_round_trips_through_arguments() {
        let plan = Plan {
            namespaces: true,
            policy: Policy::Interpreters { writes: true },
            timeout: Duration::from_millis(1_500),
            root: "/r".into(),
            scratch: "/s".into(),
            folder: "/r/f".into(),
            program: "/bin/true".into(),
            arguments: vec!["2".into(), "".into()],
            protected: vec![".git".into(), "a/.vscode".into()],
            pinned: vec!["a".into()],
        };

        let words = plan.words(JailProcess::Init);
        assert_eq!(words[0], JAIL);
        assert_eq!(
            Plan::parse(words[1..].to_vec()),
            Some((JailProcess::Init, plan))
        );
        assert_eq!(Plan::parse(words[1..6].to_vec()), None);
    }
}
