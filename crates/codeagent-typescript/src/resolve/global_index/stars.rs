//! `export *`: the files that may export a name, without a lookup in each of them.
//!
//! Limitations: the names of files that are indexed on demand include some that they do not export,
//! so a clause may be followed in vain.

use codeagent_lang::FileFacts;
use codeagent_lang::query::names::Name;
use codeagent_lang::world::{FileId, WorldFile};
use codeagent_model::facts::ExportId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::file_index::{FileIndex, StarTargets};
use super::indexed_file::IndexedFile;
use super::tables::Tables;

impl Tables {
    /// Builds the index for [`Self::stars_with`].
    pub(super) fn index_stars(&mut self, files: &[WorldFile]) {
        let with_stars: Vec<usize> = (0..files.len())
            .filter(|number| self.files[*number].has_stars())
            .collect();
        if with_stars.is_empty() {
            return;
        }

        for number in with_stars {
            let targets = self.star_targets(FileId(number as u32), &files[number].facts);
            self.files[number].set_stars(targets);
        }

        for (number, file) in files.iter().enumerate() {
            let index = &self.files[number];
            match index.outline() {
                Some(outline) => {
                    let names = outline.exported().filter_map(|name| self.names.get(name));
                    add_exporter(&mut self.exporters, number, names);
                }
                None => {
                    let names = index.get(&self.names).exported(&file.facts);
                    add_exporter(&mut self.exporters, number, names);
                }
            }
        }
    }

    /// Returns the targets of a file's `export *` clauses.
    fn star_targets(&self, file: FileId, facts: &FileFacts) -> StarTargets {
        let is_plain = |module: &FileId| {
            let index = &self.files[module.0 as usize];
            !index.has_stars()
                && !index.is_assigned()
                && *module != file
                && self.augmentations(*module).is_empty()
        };
        let is_ambient = |specifier: &str| self.ambient.contains_key(&self.find(specifier));

        let mut targets = StarTargets::default();
        let stars = self.files[file.0 as usize].stars(facts);
        for (position, (specifier, target)) in stars.into_iter().enumerate() {
            let target = target.filter(|_| !is_ambient(specifier));
            targets.all.push(target);
            match target.filter(is_plain) {
                Some(target) => targets.plain.push((target, position)),
                None => targets.others.push(position),
            }
        }
        targets.plain.sort_unstable();
        targets
    }

    /// Sets the targets of a new file's `export *` clauses.
    pub(super) fn set_star_targets(&mut self, file: FileId, facts: &FileFacts) {
        let targets = self.star_targets(file, facts);
        self.files[file.0 as usize].set_stars(targets);
    }

    /// Reports whether some file has `export *`. Only then the exporters are known.
    pub(super) fn has_stars(&self) -> bool {
        self.files.iter().any(IndexedFile::has_stars)
    }

    /// Updates the exporters after a file's exported names changed.
    pub fn change_exports(
        &mut self,
        file: FileId,
        before: &FxHashSet<Name>,
        now: &FxHashSet<Name>,
    ) {
        // Exporters are only used to follow `export *`.
        if !self.has_stars() {
            return;
        }

        for name in before.difference(now) {
            if let Some(exporters) = self.exporters.get_mut(name) {
                exporters.retain(|exporter| *exporter != file);
            }
        }

        for name in now.difference(before) {
            let exporters = self.exporters.entry(*name).or_default();
            if let Err(at) = exporters.binary_search(&file) {
                exporters.insert(at, file);
            }
        }
    }

    /// Returns the targets of `export *` clauses that have no `export *` or `export =` themselves.
    pub fn plain_stars(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let targets = &self.file(file).star_targets;
        targets.plain.iter().map(|star| star.0)
    }

    /// Returns the `export *` clauses of a file that may export a name, in source order.
    pub fn stars_with(&self, file: FileId, name: Name) -> SmallVec<[ExportId; 4]> {
        let FileIndex {
            stars,
            star_targets: StarTargets { plain, others, all },
            ..
        } = self.file(file);

        let may_export =
            |position: &usize| all[*position].is_none_or(|target| self.may_export(target, name));
        let mut positions: SmallVec<[usize; 4]> =
            others.iter().copied().filter(may_export).collect();
        let exporters = self.exporters.get(&name).map_or(&[][..], Vec::as_slice);
        if exporters.len() < plain.len() {
            for exporter in exporters {
                let from = plain.partition_point(|star| star.0 < *exporter);
                positions.extend(
                    plain[from..]
                        .iter()
                        .take_while(|star| star.0 == *exporter)
                        .map(|star| star.1),
                );
            }
        } else {
            positions.extend(
                plain
                    .iter()
                    .filter(|star| exporters.binary_search(&star.0).is_ok())
                    .map(|star| star.1),
            );
        }

        positions.sort_unstable();

        positions
            .into_iter()
            .map(|position| stars[position])
            .collect()
    }

    /// Reports whether a file may export a name, without reading a file that is indexed on demand.
    fn may_export(&self, file: FileId, name: Name) -> bool {
        let exporters = self.exporters.get(&name).map_or(&[][..], Vec::as_slice);
        let mut visited = FxHashSet::from_iter([file]);
        let mut open = vec![file];

        while let Some(file) = open.pop() {
            let entry = &self.files[file.0 as usize];
            let Some(stars) = entry.stars_of_outlined() else {
                return true;
            };
            if exporters.binary_search(&file).is_ok()
                || entry.is_assigned()
                || !self.augmentations(file).is_empty()
            {
                return true;
            }

            for target in &stars.all {
                let Some(target) = *target else {
                    return true;
                };
                if visited.insert(target) {
                    open.push(target);
                }
            }
        }

        false
    }
}

fn add_exporter(
    exporters: &mut FxHashMap<Name, Vec<FileId>>,
    number: usize,
    names: impl Iterator<Item = Name>,
) {
    let file = FileId(number as u32);
    for name in names {
        let exporters = exporters.entry(name).or_default();
        if exporters.last() != Some(&file) {
            exporters.push(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use codeagent_lang::DeclarationOutline;
    use codeagent_lang::project::ProjectModel;
    use codeagent_model::facts::Facts;
    use codeagent_model::graph::Dialect;

    use super::*;
    use crate::LANGUAGES;

    #[test]
    fn clauses_that_the_facts_lack_are_not_followed() {
        let outline = DeclarationOutline::new(&["./b"], &[]).with_stars(&["./b"]);
        let empty = || Arc::new(Facts::of(Dialect::Ts));
        let file = WorldFile {
            path: "node_modules/a/index.d.ts".into(),
            facts: FileFacts::on_demand(Dialect::Ts, outline, empty),
            external: true,
            package: None,
        };

        let projects = ProjectModel::empty(LANGUAGES);
        let cancel = AtomicBool::new(false);
        let tables = Tables::build(&[file], &projects, (None, &Arc::default()), &cancel).unwrap();
        assert!(tables.stars_with(FileId(0), Name::NONE).is_empty());
    }
}
