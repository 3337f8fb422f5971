//! Copies of a type: types with one name that no project tells apart, as in samples and templates.
//! A file that no project compiles means the nearest.
//!
//! Limitations: folders are compared, not what a build outside the repository compiles.

use codeagent_lang::FileId;
use codeagent_model::graph::Access;

use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{TypeDef, TypeDefId};
use crate::resolve::types::Types;

impl Types<'_> {
    /// Reports whether a top-level type is the one that its name leads to in the file being resolved,
    /// and not a copy.
    pub fn is_nearest(&self, tid: TypeDefId) -> bool {
        self.memo
            .nearest
            .get_or_insert_with(tid, || self.compute_is_nearest(tid))
    }

    fn compute_is_nearest(&self, tid: TypeDefId) -> bool {
        let group = self.tables.type_def(tid);
        let (name, from) = ((group.name, group.arity), self.home_of(self.file));
        let same = self.tables.top.get(&(group.namespace, group.name));
        same.is_none_or(|same| same.len() == 1)
            || self.lookup_namespace_type(group.namespace, name, self.file, from) == Some(tid)
    }

    /// Reports whether no project compiles the file being resolved.
    pub fn is_of_no_project(&self) -> bool {
        self.home_of(self.file) == self.tables.assemblies.none()
    }

    /// Reports whether only nearness leads to a top-level type from a file of no project: other types with
    /// the name are as visible, and the file's folder does not have this one alone.
    pub fn is_guessed_copy(&self, tid: TypeDefId) -> bool {
        let from = self.home_of(self.file);
        let group = self.tables.type_def(tid);
        self.record_lookup(provided_keys::TYPES, group.name);
        let Some(all) = self.tables.top.get(&(group.namespace, group.name)) else {
            return false;
        };

        let rank = |group: &TypeDef| self.visibility(&group.homes, group.access, from);
        let distance = self.distance(self.file, group);
        let is_rival = |other: &TypeDef| {
            other.arity == group.arity
                && !other.external
                && other.access != Access::File
                && rank(other) == rank(group)
                && (distance > 1 || self.distance(self.file, other) == 1)
        };
        let others = all.iter().filter(|other| **other != tid);
        let mut others = others.map(|other| self.tables.type_def(*other));
        distance > 0 && others.any(is_rival)
    }

    /// Returns how far a type is from a file: 0 in the file itself, 1 in its folder, and one more for
    /// each step to another folder. Of its parts, those next to the file in path order count: no
    /// other shares more folders with it.
    pub(super) fn distance(&self, file: FileId, group: &TypeDef) -> usize {
        if group.external {
            return usize::MAX;
        }
        let folder = |file: FileId| self.tables.file(file).folder;
        let after = group.parts.partition_point(|part| part.file < file);
        let next = group.parts[after.saturating_sub(1)..].iter().take(2);
        let distances = next.map(|part| {
            if part.file == file {
                0
            } else {
                let folders = &self.tables.folders;
                1 + folders.steps_between(folder(file), folder(part.file))
            }
        });
        distances.min().unwrap_or(usize::MAX)
    }
}
