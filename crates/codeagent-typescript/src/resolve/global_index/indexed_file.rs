//! A file's entry in the global index: its index, made from the start or when it is first read.
//!
//! The files of packages are indexed on demand if they have an outline. The index of all files then
//! knows the names in it, its targets and what it may export.

use std::sync::OnceLock;

use codeagent_lang::query::names::Names;
use codeagent_lang::world::{FileId, WorldFile};
use codeagent_lang::{DeclarationOutline, FileFacts};
use codeagent_model::facts::ExportId;

use super::file_index::{FileIndex, StarTargets};
use super::global_names::ProvidedNames;
use super::module_resolution::ModulePaths;

/// The entry of a file. The default is that of a file of another language.
#[derive(Default)]
pub struct IndexedFile {
    index: OnceLock<FileIndex>,
    outlined: Option<Outlined>,
}

/// What is known of a file that is indexed on demand.
struct Outlined {
    file: WorldFile,
    /// Its module specifiers, sorted, with the files they resolve to.
    targets: Vec<(Box<str>, Option<FileId>)>,
    stars: StarTargets,
}

impl From<FileIndex> for IndexedFile {
    fn from(index: FileIndex) -> Self {
        Self {
            index: OnceLock::from(index),
            outlined: None,
        }
    }
}

impl IndexedFile {
    /// Creates the entry of a file that is indexed on demand. Adds its names, and resolves its
    /// module specifiers.
    pub fn outlined(
        file: &WorldFile,
        outline: &DeclarationOutline,
        names: &mut Names,
        modules: &mut ModulePaths,
    ) -> Self {
        for name in outline.names() {
            names.add(name);
        }

        let target = |specifier: &str| (specifier.into(), modules.resolve(&file.path, specifier));
        Self {
            index: OnceLock::new(),
            outlined: Some(Outlined {
                file: file.clone(),
                targets: outline.specifiers().map(target).collect(),
                stars: StarTargets::default(),
            }),
        }
    }

    /// Returns the index, making it if needed.
    pub fn get(&self, names: &Names) -> &FileIndex {
        self.index.get_or_init(|| match &self.outlined {
            Some(outlined) => outlined.index(names),
            None => FileIndex::default(),
        })
    }

    /// Reports whether the file has `export *`.
    pub fn has_stars(&self) -> bool {
        match self.outline() {
            Some(outline) => outline.stars().next().is_some(),
            None => self
                .index
                .get()
                .is_some_and(|index| !index.stars.is_empty()),
        }
    }

    /// Reports whether the file has `export =` or `module.exports =`.
    pub fn is_assigned(&self) -> bool {
        match self.outline() {
            Some(outline) => outline.is_assigned,
            None => self
                .index
                .get()
                .is_some_and(|index| !index.assigned.is_empty()),
        }
    }

    /// Returns the specifiers of `export *` and the files they resolve to, in source order. `facts`
    /// are those of the file, for one that is not indexed on demand.
    pub fn stars<'f>(&'f self, facts: &'f FileFacts) -> Vec<(&'f str, Option<FileId>)> {
        if let Some(outlined) = &self.outlined {
            let stars = self
                .outline()
                .into_iter()
                .flat_map(|outline| outline.stars());
            return stars.map(|star| (star, outlined.target(star))).collect();
        }

        let index = self.index.get();
        let star = |index: &FileIndex, id: &ExportId| {
            let module = facts.exports[id.index()].module;
            let at = index.modules.binary_search_by_key(&module, |entry| entry.0);
            (
                facts.text(module),
                at.ok().and_then(|at| index.modules[at].1),
            )
        };
        let stars = |index: &'f FileIndex| index.stars.iter().map(|id| star(index, id)).collect();
        index.map(stars).unwrap_or_default()
    }

    /// Returns the targets of `export *` of a file that is indexed on demand.
    pub fn stars_of_outlined(&self) -> Option<&StarTargets> {
        self.outlined.as_ref().map(|outlined| &outlined.stars)
    }

    /// Sets the targets of `export *`.
    pub fn set_stars(&mut self, stars: StarTargets) {
        match (&mut self.outlined, self.index.get_mut()) {
            (Some(outlined), _) => outlined.stars = stars,
            (None, Some(index)) => index.star_targets = stars,
            (None, None) => {}
        }
    }

    /// Replaces the numbers of all files.
    pub fn renumber_files(&mut self, number: &impl Fn(&mut FileId)) {
        if let Some(index) = self.index.get_mut() {
            index.renumber_files(number);
        }
        if let Some(outlined) = &mut self.outlined {
            let targets = outlined.targets.iter_mut();
            targets
                .filter_map(|target| target.1.as_mut())
                .for_each(number);
            outlined.stars.renumber_files(number);
        }
    }

    /// Returns the outline of a file that is indexed on demand.
    pub fn outline(&self) -> Option<&DeclarationOutline> {
        self.outlined.as_ref()?.file.facts.outline()
    }

    /// Returns the imported files.
    pub fn targets(&self) -> impl Iterator<Item = FileId> {
        let outlined = self.outlined.as_ref();
        let own = self.index.get().filter(|_| outlined.is_none());
        let targets = outlined.into_iter().flat_map(|file| &file.targets);
        targets
            .filter_map(|target| target.1)
            .chain(own.into_iter().flat_map(FileIndex::targets))
    }
}

impl Outlined {
    fn target(&self, specifier: &str) -> Option<FileId> {
        let targets = &self.targets;
        let at = targets.binary_search_by(|target| (*target.0).cmp(specifier));
        targets[at.ok()?].1
    }

    fn index(&self, names: &Names) -> FileIndex {
        let target = |specifier: &str| self.target(specifier);
        let mut index = FileIndex::new(&self.file, |text| names.add_later(text), target);

        let facts = &self.file.facts;
        index.provided = ProvidedNames::new(facts, |sym| index.name(sym));
        let stars = index
            .stars
            .iter()
            .map(|id| facts.exports[id.index()].module);
        let outlined = facts
            .outline()
            .into_iter()
            .flat_map(|outline| outline.stars());
        index.star_targets = if stars.map(|module| facts.text(module)).eq(outlined) {
            self.stars.clone()
        } else {
            // The text could not be parsed in full, or not be read.
            StarTargets::unknown(index.stars.len())
        };
        index
    }
}
