//! Limits an answer to the files, folders and namespaces in which a question looks: `who calls Cart.total in src/shop?`

use std::collections::HashSet;

use codeagent_core::query::{self, Occurrences, Target, Targets};

use super::place_of;
use crate::answers::AnswerError;
use crate::text::Document;

/// A place in which a question looks.
pub(super) struct Limit<'t> {
    name: &'t str,
    /// A file, a folder, or the files of a namespace.
    paths: HashSet<String>,
}

impl Limit<'_> {
    /// Reports whether a target is this place.
    pub(super) fn is_of(&self, target: &Target) -> bool {
        target.requested_text() == self.name
    }

    fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
            || self
                .paths
                .iter()
                .any(|place| query::is_in_place(path, place))
    }
}

/// Returns the places to which the answer about the other targets is limited, except those in which they are
/// declared.
pub(super) fn limits<'t>(
    occurrences: &Occurrences<'_, '_>,
    targets: &'t Targets,
    declaring: &[&str],
) -> Result<Vec<Limit<'t>>, AnswerError> {
    let is_limit = |target: &&Target| {
        let name = target.requested_text();
        targets.limiting.iter().any(|limiting| limiting == name)
    };
    if targets.found.iter().all(|target| is_limit(&target)) {
        return Ok(Vec::new());
    }
    let mut limits = Vec::new();
    for target in targets.found.iter().filter(is_limit) {
        let paths = match (place_of(target), target) {
            (Some(path), _) if declaring.contains(&path) => continue,
            (Some(path), _) => HashSet::from([path.to_owned()]),
            (None, Target::Symbols(namespace)) => {
                let name = &namespace.groups[0].first().qualified_name;
                let files = query::files_of_namespace(occurrences.sources.snapshot(), name)?;
                files.into_iter().collect()
            }
            (None, _) => continue,
        };
        let name = target.requested_text();
        limits.push(Limit { name, paths });
    }
    Ok(limits)
}

/// Limits an answer, and adds how many places are left out.
pub(super) fn apply(document: &mut Document, limits: &[Limit<'_>]) {
    if limits.is_empty() {
        return;
    }
    let (inside, outside) = document.limit_to(|path| limits.iter().any(|limit| limit.has(path)));
    let names: Vec<&str> = limits.iter().map(|limit| limit.name).collect();
    let names = names.join(", ");
    match (inside, outside) {
        (_, 0) => {}
        (0, _) => document.note(format!(
            "nothing of this is in {names}; what follows is elsewhere"
        )),
        _ => document.note(format!(
            "only places in {names} ({outside} elsewhere left out)"
        )),
    }
}
