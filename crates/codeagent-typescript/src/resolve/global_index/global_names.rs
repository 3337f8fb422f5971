//! Global declarations and ambient modules, by name.
//!
//! The declarations of a file that is indexed on demand are one entry, without a number
//! ([`DeclId::NONE`]). They are looked up in the file when the name is, so only files that declare a
//! name in question are read.

use codeagent_lang::DeclarationOutline;
use codeagent_lang::query::names::Name;
use codeagent_lang::world::{DeclRef, FileId, WorldFile};
use codeagent_model::facts::*;

use super::file_index::FileIndex;
use super::tables::{Tables, is_typescript};

/// The declarations of one file that other files see, sorted.
#[derive(Default)]
pub struct ProvidedNames {
    globals: Vec<(Name, DeclId)>,
    ambient: Vec<(Name, DeclId)>,
}

impl ProvidedNames {
    /// Collects the declarations of a file that is not in the tables declaration by declaration.
    pub(super) fn new(facts: &Facts, name: impl Fn(Sym) -> Name) -> Self {
        let mut provided = Self::default();
        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            let entry = (name(decl.name), id);
            if is_global(facts, decl) {
                provided.globals.push(entry);
            } else if decl.kind == DeclKind::AmbientModule && !facts.header.is_module {
                provided.ambient.push(entry);
            }
        }
        provided.globals.sort_unstable();
        provided.ambient.sort_unstable();
        provided
    }
}

impl Tables {
    /// Returns the declarations of a global name that are visible in the file being resolved.
    pub fn globals(&self, link: FileId, name: Name) -> impl Iterator<Item = DeclRef> + '_ {
        let entries = self.globals.get(&name).map_or(&[][..], Vec::as_slice);
        self.declared_by(entries, link, name, |index| &index.provided.globals)
    }

    /// Returns the visible blocks that declare an ambient module, then those that augment it.
    pub fn ambient(&self, link: FileId, name: Name) -> impl Iterator<Item = DeclRef> + '_ {
        let entries = self.ambient.get(&name).map_or(&[][..], Vec::as_slice);
        self.declared_by(entries, link, name, |index| &index.provided.ambient)
    }

    /// Returns the ambient module with `*` in its name that a specifier matches. If several match, the
    /// longest text before `*` decides.
    pub fn wildcard(&self, specifier: &str) -> Option<Name> {
        let beginning = |name: &Name| {
            let (start, end) = self.names.text(*name).split_once('*')?;
            specifier.strip_prefix(start)?.strip_suffix(end)?;
            Some(start.len())
        };
        let matching = self.wildcards.iter().rev();
        let matching = matching.filter_map(|name| Some((beginning(name)?, *name)));
        matching
            .max_by_key(|(length, _)| *length)
            .map(|(_, name)| name)
    }

    /// Reports whether the last file that declares a global name, if any, is one of a library.
    pub(super) fn is_global_of_library(&self, name: Name) -> bool {
        let last = self.globals.get(&name).and_then(|entries| entries.last());
        last.is_some_and(|decl| self.is_of_library(decl.file))
    }

    /// Returns the declarations that entries stand for, without those of files that do not count.
    fn declared_by<'t>(
        &'t self,
        entries: &'t [DeclRef],
        link: FileId,
        name: Name,
        provided: impl Fn(&'t FileIndex) -> &'t [(Name, DeclId)] + 't,
    ) -> impl Iterator<Item = DeclRef> + 't {
        let visible = entries
            .iter()
            .filter(move |entry| self.counts(link, entry.file));

        visible.flat_map(move |entry| {
            let on_demand = if entry.decl.is_none() {
                let all = provided(self.file(entry.file));
                let start = all.partition_point(|known| known.0 < name);
                let length = all[start..].partition_point(|known| known.0 == name);
                &all[start..start + length]
            } else {
                &[]
            };

            let known = Some(*entry).filter(|entry| !entry.decl.is_none());
            let file = entry.file;
            let on_demand = on_demand
                .iter()
                .map(move |&(_, decl)| DeclRef { file, decl });

            known.into_iter().chain(on_demand)
        })
    }

    /// Adds the declarations of a file whose facts are known.
    pub(super) fn add_globals(&mut self, file: FileId, facts: &Facts) {
        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            let position = DeclRef { file, decl: id };
            let name = self.name(file, decl.name);

            if decl.kind == DeclKind::AmbientModule {
                match self
                    .target(file, decl.name)
                    .filter(|_| facts.header.is_module)
                {
                    Some(module) => self.augmented.entry(module).or_default().push(position),
                    None if !facts.header.is_module => {
                        self.add_ambient(name, position);
                    }
                    None => {}
                }
            } else if is_global(facts, decl) {
                self.globals.entry(name).or_default().push(position);
            }
        }
    }

    /// Adds the names of a file that is indexed on demand.
    pub(super) fn add_outlined_globals(&mut self, file: FileId, outline: &DeclarationOutline) {
        let position = DeclRef {
            file,
            decl: DeclId::NONE,
        };
        for name in outline.globals() {
            let name = self.find(name);
            self.globals.entry(name).or_default().push(position);
        }
        for name in outline.ambient() {
            let name = self.find(name);
            self.add_ambient(name, position);
        }
    }

    /// Adds a block of an ambient module. One in the repository or an installed package replaces
    /// the bundled ones.
    fn add_ambient(&mut self, name: Name, position: DeclRef) {
        if self.names.text(name).contains('*') && !self.wildcards.contains(&name) {
            self.wildcards.push(name);
        }
        let blocks = self.ambient.entry(name).or_default();
        let is_own = position.file < self.libraries;
        if is_own || blocks.iter().all(|block| block.file >= self.libraries) {
            blocks.push(position);
        }
    }

    /// Appends the blocks of modules that augment an ambient module to its declarations.
    pub(super) fn add_augmented_ambient(&mut self, files: &[WorldFile]) {
        if self.ambient.is_empty() {
            return;
        }

        for (number, file) in files
            .iter()
            .enumerate()
            .filter(|(_, file)| file.facts.outline().is_none())
            .filter(|(_, file)| is_typescript(file) && file.facts.header.is_module)
        {
            let blocks = file
                .facts
                .decl_ids()
                .filter(|id| file.facts.decl(*id).kind == DeclKind::AmbientModule);
            for id in blocks {
                let position = DeclRef {
                    file: FileId(number as u32),
                    decl: id,
                };
                let name = self.name(position.file, file.facts.decl(id).name);
                if let Some(ambient) = self.ambient.get_mut(&name) {
                    ambient.push(position);
                }
            }
        }
    }
}

/// Reports whether a declaration is visible in every file.
pub fn is_global(facts: &Facts, decl: &Declaration) -> bool {
    if decl.name.is_none()
        || decl.flags.has(DeclFlags::MEMBER)
        || matches!(
            decl.kind,
            DeclKind::Parameter | DeclKind::Narrow | DeclKind::AmbientModule
        )
    {
        return false;
    }
    (decl.scope == ScopeId(0) && !facts.header.is_module)
        || facts.scope(decl.scope).kind == ScopeKind::Global
}
