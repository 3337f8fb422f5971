//! Updates the nodes of a changed file in place: most of them only moved, a few were added or
//! removed.
//!
//! Possible if no added or removed node shares its identity with another, because then ordinals
//! would change, or is declared in other files, unless it is a namespace that gains a declaration.
//! The table then equals a rebuilt one except for the order of its nodes.
//!
//! Limitations: all other changes are refused; the caller rebuilds the table.

use std::sync::Arc;

use codeagent_model::facts::{DeclId, Facts};
use codeagent_model::graph::{Node, NodeId, NodeKind, NodeSpan};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::nodes::build::is_node;
use crate::nodes::{Entry, NodeTable, TableBuilder, describe};
use crate::world::{DeclRef, FileId, FileShift, World, WorldFile};

/// Largest number of nodes added and removed in place.
const MOST_CHANGED: usize = 1024;

/// The change of a node. Nodes are named by their index in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeUpdate {
    /// It is new, or its description changed.
    Said(usize),
    /// Its declaration site with this index moved.
    Moved(usize, usize),
    /// It was removed.
    Gone(NodeId),
}

/// The nodes of one file, built without the others.
struct SingleFileScope {
    nodes: Vec<Node>,
    /// The declarations that are nodes, in order, and the index of their node.
    decls: Vec<(DeclId, u32)>,
    /// Identities that several nodes have.
    shared: FxHashSet<NodeId>,
}

fn single_file_scope(world: &World, file: &WorldFile) -> SingleFileScope {
    let mut builder = TableBuilder::default();
    builder.add_file(&world.projects, file);
    let table = builder.finish();

    let places = 0..table.entries.len();
    let node_of = |decl: DeclId| Some((decl, table.of_decl[0][decl.index()].checked_sub(1)?));
    let decls = file.facts.decl_ids().filter_map(node_of).collect();
    let nodes = places.map(|place| table.at(place)).collect();

    SingleFileScope {
        nodes,
        decls,
        shared: table.shared,
    }
}

/// A changed file's nodes before and after the change.
struct FileChange {
    id: FileId,
    was: SingleFileScope,
    is: SingleFileScope,
    /// The place in the table of each former node.
    places: Vec<usize>,
    /// The index of each present node among the former ones.
    pairs: Vec<Option<usize>>,
}

/// Returns the index in `was` of each node of `is`, and the nodes of `was` that are gone.
fn pair_nodes(was: &SingleFileScope, is: &SingleFileScope) -> (Vec<Option<usize>>, Vec<usize>) {
    let mut former: FxHashMap<NodeId, usize> = was
        .nodes
        .iter()
        .enumerate()
        .map(|(place, node)| (node.id, place))
        .collect();

    let pairs: Vec<Option<usize>> = is
        .nodes
        .iter()
        .map(|node| former.remove(&node.id))
        .collect();

    let gone: Vec<usize> = former.into_values().collect();
    (pairs, gone)
}

/// Returns the order of each node's declarations: their weights and, for nodes with several
/// declarations in the file, their documentation.
fn ranks<'f>(
    facts: &'f Facts,
    single_file_scope: &SingleFileScope,
) -> FxHashMap<u32, Vec<(u32, &'f str)>> {
    let several = |node: u32| single_file_scope.nodes[node as usize].spans.len() > 1;
    let doc = |decl: DeclId| {
        facts.detail(decl).map_or("", |detail| {
            if detail.doc.is_none() {
                ""
            } else {
                facts.text(detail.doc)
            }
        })
    };

    let mut ranks: FxHashMap<u32, Vec<(u32, &'f str)>> = FxHashMap::default();
    for (decl, node) in &single_file_scope.decls {
        ranks.entry(*node).or_default().push((
            describe::weight(facts, *decl),
            if several(*node) { doc(*decl) } else { "" },
        ));
    }

    ranks
}

/// Returns the declaration sites in text order.
fn sites(node: &Node) -> Vec<&NodeSpan> {
    let mut sites: Vec<&NodeSpan> = node.spans.iter().collect();
    sites.sort_by_key(|site| site.span.start.offset);
    sites
}

/// Reports whether two nodes are equal except for their sites.
fn same_words(a: &Node, b: &Node) -> bool {
    let words = |node: &Node| Node {
        spans: Vec::new(),
        ..node.clone()
    };
    words(a) == words(b)
}

impl NodeTable {
    /// Updates the nodes of a file whose new facts are already in the world; `old` are its former
    /// facts. Returns `None`, with nothing changed, if the table has to be rebuilt.
    pub fn replace(
        &mut self,
        world: &World,
        id: FileId,
        old: &Arc<Facts>,
    ) -> Option<Vec<NodeUpdate>> {
        let now = world.file(id);
        let before = WorldFile {
            facts: Arc::clone(old).into(),
            ..now.clone()
        };

        let (was, is) = (
            single_file_scope(world, &before),
            single_file_scope(world, now),
        );
        let places = self.places_of_file(id, &was)?;
        let (pairs, gone) = pair_nodes(&was, &is);
        if gone.len() + pairs.iter().filter(|pair| pair.is_none()).count() > MOST_CHANGED {
            return None;
        }

        let change = FileChange {
            id,
            was,
            is,
            places,
            pairs,
        };
        let (mut renewed, joined) = self.compare_all(&change, (old, &now.facts))?;
        if !self.are_removable(&change, &gone) {
            return None;
        }

        let FileChange {
            is, places, pairs, ..
        } = change;
        self.remove_parts(id, old);
        renewed.extend(gone.into_iter().map(|place| self.remove(places[place])));
        let known_at = is.nodes.iter().zip(pairs).map(|(node, pair)| match pair {
            Some(pair) => Some(places[pair]),
            None => joined.get(&node.id).copied(),
        });
        let known_at: Vec<Option<usize>> = known_at.collect();
        let now_at = self.place_all(&is.nodes, known_at, &mut renewed);
        self.add_parts(id, now, &is.decls, &now_at);
        Some(renewed)
    }

    /// Returns the place in the table of each node of a file.
    fn places_of_file(&self, id: FileId, was: &SingleFileScope) -> Option<Vec<usize>> {
        let at = id.0 as usize;
        let mut places = vec![usize::MAX; was.nodes.len()];
        places[0] = self.of_file[at] as usize;
        for (decl, node) in &was.decls {
            places[*node as usize] = self.of_decl[at][decl.index()].checked_sub(1)? as usize;
        }

        Some(places)
    }

    /// Returns the updates of a file's nodes, and the places of other files' nodes that gain a
    /// declaration; `None` if the table has to be rebuilt.
    fn compare_all(
        &self,
        change: &FileChange,
        (old, now): (&Facts, &Facts),
    ) -> Option<(Vec<NodeUpdate>, FxHashMap<NodeId, usize>)> {
        let FileChange {
            id,
            was,
            is,
            places,
            pairs,
        } = change;
        let (ranked, ranks) = (ranks(old, was), ranks(now, is));
        let known: FxHashMap<NodeId, NodeId> = was
            .nodes
            .iter()
            .zip(places)
            .filter_map(|(node, place)| Some((node.id, self.entries.get(*place)?.id)))
            .collect();

        let in_table = |node: &Node| {
            node.parent
                .map(|parent| known.get(&parent).copied().unwrap_or(parent))
        };

        let (mut renewed, mut joined) = (Vec::new(), FxHashMap::default());
        for (place, (node, pair)) in is.nodes.iter().zip(pairs).enumerate() {
            let Some(pair) = *pair else {
                if is.shared.contains(&node.id) {
                    return None;
                }
                if let Some(at) = self.place_of(node.id) {
                    if !self.is_joined(at, node) {
                        return None;
                    }
                    renewed.push(NodeUpdate::Said(at));
                    joined.insert(node.id, at);
                }
                continue;
            };
            let in_all = self.entries.get(places[pair])?;
            let is_alone = in_all.parts.iter().all(|part| part.file == *id);
            let [before, node] = [&was.nodes[pair], node].map(|node| Node {
                parent: in_table(node),
                ..node.clone()
            });
            let is_ranked_alike =
                is_alone || ranked.get(&(pair as u32)) == ranks.get(&(place as u32));
            match self
                .compare((&before, &node), places[pair], is_alone)
                .filter(|_| is_ranked_alike)
            {
                Some(of_node) => renewed.extend(of_node),
                None if self.is_numbered(places[pair]) => return None,
                None => renewed.push(NodeUpdate::Said(places[pair])),
            }
        }

        Some((renewed, joined))
    }

    /// Reports whether each removed node has its own identity and is declared only in this file.
    fn are_removable(&self, change: &FileChange, gone: &[usize]) -> bool {
        let FileChange { was, places, .. } = change;
        for place in gone {
            let Some(in_all) = self.entries.get(places[*place]) else {
                return false;
            };
            let node = &was.nodes[*place];
            if was.shared.contains(&node.id)
                || self.shared.contains(&node.id)
                || in_all.id != node.id
                || in_all.parts.len() != node.spans.len()
            {
                return false;
            }
        }

        true
    }

    /// Returns the place of each node; adds the nodes that have none.
    fn place_all(
        &mut self,
        nodes: &[Node],
        known_at: Vec<Option<usize>>,
        renewed: &mut Vec<NodeUpdate>,
    ) -> Vec<usize> {
        let now_at = nodes.iter().zip(known_at).map(|(node, place)| {
            place.unwrap_or_else(|| {
                let place = self.push(node.id, SmallVec::new());
                renewed.push(NodeUpdate::Said(place));
                place
            })
        });
        now_at.collect()
    }

    /// Takes the declarations of a file from its nodes.
    fn remove_parts(&mut self, id: FileId, facts: &Facts) {
        let of_decl = std::mem::take(&mut self.of_decl[id.0 as usize]);
        for decl in facts.decl_ids() {
            if let Some(place) = of_decl[decl.index()].checked_sub(1) {
                let parts = &mut self.entries[place as usize].parts;
                parts.retain(|part| *part != DeclRef { file: id, decl });
            }
        }
    }

    /// Adds the declarations of a file to its nodes. `decls` are those that are nodes, with indices
    /// into `places`.
    fn add_parts(
        &mut self,
        id: FileId,
        file: &WorldFile,
        decls: &[(DeclId, u32)],
        places: &[usize],
    ) {
        let at = id.0 as usize;
        let mut of_decl = vec![0; file.facts.decls.len()];
        for &(decl, node) in decls {
            let (place, part) = (places[node as usize], DeclRef { file: id, decl });
            of_decl[decl.index()] = place as u32 + 1;
            let parts = &mut self.entries[place].parts;
            if let Err(at) = parts.binary_search(&part) {
                parts.insert(at, part);
            }
        }

        debug_assert!(
            file.facts
                .decl_ids()
                .all(|decl| is_node(&file.facts, decl) == (of_decl[decl.index()] != 0))
        );

        let support = self.languages.of_facts(&file.facts);
        let mut components = support.decorated_components(&file.facts);
        components.sort_unstable();
        self.of_decl[at] = of_decl;
        self.files[at].file = file.clone();
        self.files[at].components = components.into();
    }

    /// Reports whether a node or its container shares its identity with another.
    fn is_numbered(&self, place: usize) -> bool {
        let node = self.at(place);
        let mut ids = [Some(node.id), node.parent].into_iter().flatten();
        ids.any(|id| self.shared.contains(&id))
    }

    fn push(&mut self, id: NodeId, parts: SmallVec<[DeclRef; 1]>) -> usize {
        let entry = Entry { id, parts };
        let place = match self.vacant.pop() {
            Some(place) => {
                self.entries[place as usize] = entry;
                place as usize
            }
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        };
        if let Some(ids) = self.ids.get_mut() {
            ids.insert(id, place as u32);
        }
        place
    }

    /// Adds a file that is already in the world. Returns `None` if the table has to be rebuilt,
    /// which has then changed.
    pub fn add_file(&mut self, world: &World, id: FileId) -> Option<Vec<NodeUpdate>> {
        let shift = FileShift::Inserted(id);
        for part in self.entries.iter_mut().flat_map(|entry| &mut entry.parts) {
            part.file = shift.renumber(part.file);
        }

        let file = world.file(id);
        let empty = Arc::new(Facts::of(file.facts.dialect()));
        let of_empty = WorldFile {
            facts: Arc::clone(&empty).into(),
            ..file.clone()
        };
        let mut builder = TableBuilder::default();
        builder.add_file(&world.projects, &of_empty);
        let mut alone = builder.finish();
        let whole = DeclRef {
            file: id,
            decl: DeclId::NONE,
        };
        let place = self.push(alone.entries[0].id, SmallVec::from_elem(whole, 1));
        let at = id.0 as usize;
        self.languages = alone.languages;
        self.of_file.insert(at, place as u32);
        self.of_decl.insert(at, Vec::new());
        self.files.insert(at, alone.files.remove(0));

        let mut updates = self.replace(world, id, &empty)?;
        updates.retain(|update| !matches!(update, NodeUpdate::Moved(moved, _) if *moved == place));
        updates.push(NodeUpdate::Said(place));
        Some(updates)
    }

    /// Reports whether a node of a file is a further declaration of the namespace at an index.
    fn is_joined(&self, place: usize, node: &Node) -> bool {
        let whole = self.at(place);
        // One that has no parent, not even its file, is declared by all files together.
        whole.kind == NodeKind::Namespace
            && whole.parent.is_none()
            && !self.shared.contains(&whole.id)
            && same_words(&whole, node)
    }

    fn remove(&mut self, place: usize) -> NodeUpdate {
        let id = self.entries[place].id;
        if let Some(ids) = self.ids.get_mut() {
            ids.remove(&id);
        }
        self.vacant.push(place as u32);
        NodeUpdate::Gone(id)
    }

    /// Returns the index of the node with an id.
    fn place_of(&self, id: NodeId) -> Option<usize> {
        let ids = self.ids.get_or_init(|| {
            let vacant: FxHashSet<u32> = self.vacant.iter().copied().collect();
            let places = (0..self.entries.len() as u32).filter(|place| !vacant.contains(place));
            places
                .map(|place| (self.entries[place as usize].id, place))
                .collect()
        });
        ids.get(&id).map(|place| *place as usize)
    }

    /// Returns the updates of a node whose part in a file was `was` and is now `is`; `is_alone` if
    /// no other file declares it. `None` if the file alone does not determine them.
    fn compare(
        &self,
        (was, is): (&Node, &Node),
        place: usize,
        is_alone: bool,
    ) -> Option<Vec<NodeUpdate>> {
        if was == is {
            return Some(Vec::new());
        }

        if was.spans.len() != is.spans.len() || !same_words(was, is) {
            return is_alone.then(|| vec![NodeUpdate::Said(place)]);
        }

        let path = &is.spans[0].path;
        let sites: Vec<(&NodeSpan, &NodeSpan)> = sites(was).into_iter().zip(sites(is)).collect();
        let (mut updates, mut found) = (Vec::new(), 0);
        for (position, site) in self.at(place).spans.iter().enumerate() {
            if site.path != *path {
                continue;
            }
            let (_, to) = sites.iter().find(|(from, _)| *from == site)?;
            found += 1;
            if site != *to {
                updates.push(NodeUpdate::Moved(place, position));
            }
        }

        (found == sites.len()).then_some(updates)
    }
}
