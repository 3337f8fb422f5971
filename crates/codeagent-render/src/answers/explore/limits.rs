//! Limits an answer to the files, folders and namespaces in which a question looks: `who calls Cart.total in src/shop?`

use codeagent_core::query::{self, Occurrences, Target, Targets};

use super::place_of;
use crate::answers::AnswerError;
use crate::text::Document;

/// The places in which a question looks; none if it looks everywhere.
#[derive(Default)]
pub(super) struct Limits<'t> {
    names: Vec<&'t str>,
    /// Files and folders.
    paths: Vec<String>,
}

/// Returns the places to which the answer about the other targets is limited, except those in which they are
/// declared.
pub(super) fn limits<'t>(
    occurrences: &Occurrences<'_, '_>,
    targets: &'t Targets,
    declaring: &[&str],
) -> Result<Limits<'t>, AnswerError> {
    let is_limit = |target: &&Target| {
        let name = target.requested_text();
        targets.limiting.iter().any(|limiting| limiting == name)
    };

    let mut limits = Limits::default();
    if targets.found.iter().all(|target| is_limit(&target)) {
        return Ok(limits);
    }

    for target in targets.found.iter().filter(is_limit) {
        match (place_of(target), target) {
            (Some(path), _) if declaring.contains(&path) => continue,
            (Some(path), _) => limits.paths.push(path.to_owned()),
            (None, Target::Symbols(namespace)) => {
                let name = &namespace.groups[0].first().qualified_name;
                let files = query::files_of_namespace(occurrences.sources.snapshot(), name)?;
                limits.paths.extend(files);
            }
            (None, _) => continue,
        }
        limits.names.push(target.requested_text());
    }

    limits.names.dedup();
    Ok(limits)
}

impl Limits<'_> {
    /// Reports whether a target is one of the places.
    pub(super) fn is_of(&self, target: &Target) -> bool {
        self.names.contains(&target.requested_text())
    }

    /// Limits an answer, and notes how many places are left out.
    pub(super) fn apply(&self, document: &mut Document) {
        if self.names.is_empty() {
            return;
        }

        let is_inside = |path: &str| {
            self.paths
                .iter()
                .any(|place| query::is_in_place(path, place))
        };
        let (inside, outside) = document.limit_to(is_inside);

        let names = self.names.join(", ");
        match (inside, outside) {
            (_, 0) => {}
            (0, _) => document.note(format!(
                "none of this is in {names}; places elsewhere follow"
            )),
            _ => document.note(format!(
                "only places in {names} ({outside} elsewhere left out)"
            )),
        }
    }
}
