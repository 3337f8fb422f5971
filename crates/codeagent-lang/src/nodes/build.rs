//! Builds a [`NodeTable`]: finds the declarations that are nodes, and those that share one.

use std::sync::Arc;

use codeagent_model::facts::{DeclId, Facts};
use codeagent_model::graph::NodeId;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::nodes::{Container, Entry, Identity, MergeKey, NodeTable, TableFile, describe};
use crate::project::ProjectModel;
use crate::world::{DeclRef, FileId, WorldFile};

/// A table to which files are added, in order.
#[derive(Default)]
pub(super) struct TableBuilder {
    table: NodeTable,
    /// Per entry: the other condition for declarations to be the same symbol; see
    /// [`Identity::merge_key`].
    merge_keys: Vec<MergeKey>,
    /// Entries by the id they would have without an ordinal.
    by_identity: FxHashMap<NodeId, SmallVec<[u32; 2]>>,
}

impl TableBuilder {
    pub fn add_file(&mut self, projects: &ProjectModel, file: &WorldFile) {
        let id = FileId(self.table.files.len() as u32);
        let project = self.project(projects.project_id(&file.path));
        let facts = &file.facts;
        let language = facts.header.dialect.language();
        self.table.languages = projects.languages();
        let support = self.table.languages.of(language);

        let of_file = NodeId::derive(&[&project, language.as_str(), "file", &file.path, ""]);
        let whole = DeclRef {
            file: id,
            decl: DeclId::NONE,
        };
        let place = self.push(of_file, MergeKey::Alone, whole);
        self.table.of_file.push(place);

        let mut of_decl = vec![0; facts.decls.len()];
        let mut names = vec![String::new(); facts.decls.len()];
        for decl in facts.decl_ids().filter(|decl| is_node(facts, *decl)) {
            let parent = enclosing(facts, &of_decl, decl).map(|parent| Container {
                id: self.table.entries[of_decl[parent.index()] as usize - 1].id,
                qualified_name: &names[parent.index()],
            });
            let identity = support.identity(file, decl, parent);
            let part = DeclRef { file: id, decl };
            of_decl[decl.index()] = self.add_part(&identity, &project, part) + 1;
            names[decl.index()] = identity.qualified_name;
        }

        let mut components = support.decorated_components(facts);
        components.sort_unstable();
        self.table.of_decl.push(of_decl);
        self.table.files.push(TableFile {
            file: file.clone(),
            project,
            components: components.into(),
        });
    }

    /// Returns a project's path, shared with the file before if that has the same project.
    fn project(&self, path: &str) -> Arc<str> {
        match self.table.files.last() {
            Some(last) if *last.project == *path => Arc::clone(&last.project),
            _ => path.into(),
        }
    }

    /// Adds a declaration to the node that it is part of, or as a new one. Returns the index.
    fn add_part(&mut self, identity: &Identity, project: &str, part: DeclRef) -> u32 {
        let base = identity.id(project, None);
        let same = self.by_identity.entry(base).or_default();
        let merged = same.iter().copied().find(|place| {
            let other = &self.merge_keys[*place as usize];
            identity.merge_key.merges_with(other)
        });
        if let Some(place) = merged {
            self.table.entries[place as usize].parts.push(part);
            return place;
        }

        let ordinal = same.len();
        same.push(self.table.entries.len() as u32);
        let id = if ordinal == 0 {
            base
        } else {
            identity.id(project, Some(ordinal))
        };
        self.push(id, identity.merge_key.clone(), part)
    }

    fn push(&mut self, id: NodeId, merge_key: MergeKey, part: DeclRef) -> u32 {
        let place = self.table.entries.len() as u32;
        self.merge_keys.push(merge_key);
        self.table.entries.push(Entry {
            id,
            parts: smallvec![part],
        });
        place
    }

    pub fn finish(mut self) -> NodeTable {
        let several = self
            .by_identity
            .into_iter()
            .filter(|(_, all)| all.len() > 1);
        self.table.shared = several.map(|(id, _)| id).collect();
        self.table
    }
}

/// Reports whether a declaration is (part of) a node.
pub(super) fn is_node(facts: &Facts, decl: DeclId) -> bool {
    let declaration = facts.decl(decl);
    !declaration.detail.is_none()
        && !declaration.name.is_none()
        && describe::kind(facts, decl).is_some()
}

/// Returns the nearest enclosing declaration that has a node. `of_decl` as in [`NodeTable`].
pub(super) fn enclosing(facts: &Facts, of_decl: &[u32], decl: DeclId) -> Option<DeclId> {
    let mut at = facts.decl(decl).parent;
    while let Some(parent) = at.some() {
        if of_decl[parent.index()] != 0 {
            return Some(parent);
        }
        at = facts.decl(parent).parent;
    }
    None
}
