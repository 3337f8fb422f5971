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

use crate::nodes::{NodeTable, TableBuilder, describe, file_node, is_node};
use crate::world::{FileId, World, WorldFile};

/// Largest number of nodes added and removed in place.
const MOST_CHANGED: usize = 1024;
/// Largest number of files from which a node is rebuilt.
const MOST_PARTS: usize = 64;

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
    let NodeTable {
        nodes,
        of_decl,
        shared,
        ..
    } = builder.finish();

    let decls = file
        .facts
        .decl_ids()
        .filter(|id| of_decl[0][id.index()] != 0)
        .map(|id| (id, of_decl[0][id.index()] - 1))
        .collect();

    SingleFileScope {
        nodes,
        decls,
        shared,
    }
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
        let at = id.0 as usize;
        let mut places = vec![usize::MAX; was.nodes.len()];
        places[0] = self.of_file[at] as usize;
        for (decl, node) in &was.decls {
            places[*node as usize] = self.of_decl[at][decl.index()].checked_sub(1)? as usize;
        }

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
        if gone.len() + pairs.iter().filter(|pair| pair.is_none()).count() > MOST_CHANGED {
            return None;
        }

        let (ranked, ranks) = (ranks(old, &was), ranks(&now.facts, &is));
        let known: FxHashMap<NodeId, NodeId> = was
            .nodes
            .iter()
            .zip(&places)
            .filter_map(|(node, place)| Some((node.id, self.nodes.get(*place)?.id)))
            .collect();

        let in_table = |node: &Node| {
            node.parent
                .map(|parent| known.get(&parent).copied().unwrap_or(parent))
        };

        let (mut changes, mut joined) = (Vec::new(), FxHashMap::default());
        for (place, (node, pair)) in is.nodes.iter().zip(&pairs).enumerate() {
            let Some(pair) = *pair else {
                if is.shared.contains(&node.id) {
                    return None;
                }
                if let Some(at) = self.place_of(node.id) {
                    changes.push(NodeChange::Said(at, Box::new(self.joined(at, node)?)));
                    joined.insert(node.id, at);
                }
                continue;
            };
            let whole = self.nodes.get(places[pair])?;
            let is_alone = whole.spans.iter().all(|site| *site.path == *now.path);
            let [before, node] = [&was.nodes[pair], node].map(|node| Node {
                parent: in_table(node),
                ..node.clone()
            });
            let is_ranked_alike =
                is_alone || ranked.get(&(pair as u32)) == ranks.get(&(place as u32));
            match compare((&before, &node), (whole, places[pair]), is_alone)
                .filter(|_| is_ranked_alike)
            {
                Some(of_node) => changes.extend(of_node),
                None => changes.push(NodeChange::Said(
                    places[pair],
                    Box::new(self.made_again(world, (id, places[pair]))?),
                )),
            }
        }

        for place in &gone {
            let (node, whole) = (&was.nodes[*place], self.nodes.get(places[*place])?);
            if was.shared.contains(&node.id)
                || self.shared.contains(&node.id)
                || whole.id != node.id
                || whole.spans.len() != node.spans.len()
            {
                return None;
            }
        }

        let mut renewed: Vec<NodeUpdate> = changes
            .into_iter()
            .map(|change| self.apply(change))
            .collect();

        renewed.extend(gone.into_iter().map(|place| self.remove(places[place])));
        let known_at = is.nodes.iter().zip(pairs).map(|(node, pair)| match pair {
            Some(pair) => Some(places[pair]),
            None => joined.get(&node.id).copied(),
        });
        let known_at: Vec<Option<usize>> = known_at.collect();
        let (now_at, added) = self.add((&is, &known), &known_at);
        renewed.extend(added);
        let mut of_decl = vec![0; now.facts.decls.len()];
        for (decl, node) in &is.decls {
            of_decl[decl.index()] = now_at[*node as usize] as u32 + 1;
        }

        debug_assert!(
            now.facts
                .decl_ids()
                .all(|decl| is_node(&now.facts, decl) == (of_decl[decl.index()] != 0))
        );

        self.of_decl[at] = of_decl;
        self.facts[at] = Arc::clone(now.facts.shared());
        Some(renewed)
    }

    /// Rebuilds a node that several files declare, one of which changed, from these files alone.
    fn made_again(&self, world: &World, (changed, place): (FileId, usize)) -> Option<Node> {
        let whole = self.nodes.get(place)?;
        let mut files: Vec<FileId> = whole
            .spans
            .iter()
            .map(|site| self.find(&site.path))
            .collect::<Option<_>>()?;

        files.push(changed);
        files.sort_unstable();
        files.dedup();
        if files.len() > MOST_PARTS {
            return None;
        }

        let mut builder = TableBuilder::default();
        files
            .into_iter()
            .for_each(|file| builder.add_file(&world.projects, world.file(file)));

        let NodeTable { nodes, shared, .. } = builder.finish();
        let is_numbered = |id: NodeId| shared.contains(&id) || self.shared.contains(&id);

        nodes
            .into_iter()
            .find(|node| node.id == whole.id)
            .filter(|node| !is_numbered(node.id) && !node.parent.is_some_and(is_numbered))
    }

    /// Adds the nodes of a file that did not exist before. Returns the indices of all its nodes,
    /// and the additions.
    fn add(
        &mut self,
        (is, known): (&SingleFileScope, &FxHashMap<NodeId, NodeId>),
        known_at: &[Option<usize>],
    ) -> (Vec<usize>, Vec<NodeUpdate>) {
        let (mut now_at, mut added) = (Vec::with_capacity(known_at.len()), Vec::new());
        for (node, place) in is.nodes.iter().zip(known_at) {
            if let Some(place) = place {
                now_at.push(*place);
                continue;
            }
            let parent = node
                .parent
                .map(|parent| known.get(&parent).copied().unwrap_or(parent));
            let node = Node {
                parent,
                ..node.clone()
            };
            let place = self.push(node);
            now_at.push(place);
            added.push(NodeUpdate::Said(place));
        }

        (now_at, added)
    }

    fn push(&mut self, node: Node) -> usize {
        let place = match self.vacant.pop() {
            Some(place) => place as usize,
            None => self.nodes.len(),
        };
        if let Some(ids) = self.ids.get_mut() {
            ids.insert(node.id, place as u32);
        }
        if place == self.nodes.len() {
            self.nodes.push(node)
        } else {
            self.nodes[place] = node
        }
        place
    }

    /// Adds a file that is already in the world. Returns `None` if the table has to be rebuilt,
    /// which has then changed.
    pub fn add_file(&mut self, world: &World, id: FileId) -> Option<Vec<NodeUpdate>> {
        let file = world.file(id);
        let empty = Arc::new(Facts::of(file.facts.dialect()));
        let of_empty = WorldFile {
            facts: Arc::clone(&empty).into(),
            ..file.clone()
        };
        let place = self.push(file_node(&of_empty, world.projects.project_id(&file.path)));
        let at = id.0 as usize;
        self.of_file.insert(at, place as u32);
        self.of_decl.insert(at, Vec::new());
        self.facts.insert(at, Arc::clone(&empty));

        let mut updates = self.replace(world, id, &empty)?;
        updates.retain(|update| !matches!(update, NodeUpdate::Moved(moved, _) if *moved == place));
        updates.push(NodeUpdate::Said(place));
        Some(updates)
    }

    /// Returns a namespace with the declarations that a file adds to it; `None` for other nodes.
    fn joined(&self, place: usize, node: &Node) -> Option<Node> {
        let whole = &self.nodes[place];
        // One that has no parent, not even its file, is declared by all files together.
        if whole.kind != NodeKind::Namespace
            || whole.parent.is_some()
            || self.shared.contains(&whole.id)
            || !same_words(whole, node)
        {
            return None;
        }
        let mut spans = [whole.spans.as_slice(), &node.spans].concat();
        spans.sort_by(|a, b| (&a.path, a.span.start.offset).cmp(&(&b.path, b.span.start.offset)));
        Some(Node {
            spans,
            ..whole.clone()
        })
    }

    fn remove(&mut self, place: usize) -> NodeUpdate {
        let id = self.nodes[place].id;
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
            let places = (0..self.nodes.len() as u32).filter(|place| !vacant.contains(place));
            places
                .map(|place| (self.nodes[place as usize].id, place))
                .collect()
        });
        ids.get(&id).map(|place| *place as usize)
    }

    fn apply(&mut self, change: NodeChange) -> NodeUpdate {
        match change {
            NodeChange::Said(place, node) => {
                self.nodes[place] = *node;
                NodeUpdate::Said(place)
            }
            NodeChange::Moved(place, position, site) => {
                self.nodes[place].spans[position] = site;
                NodeUpdate::Moved(place, position)
            }
        }
    }
}

/// A change to be made to a node.
enum NodeChange {
    Said(usize, Box<Node>),
    Moved(usize, usize, NodeSpan),
}

/// Returns the changes to the node `whole`, whose part in the file was `was` and is now `is`;
/// `is_alone` if no other file declares it. `None` if the file alone does not determine the
/// changes.
fn compare(
    (was, is): (&Node, &Node),
    (whole, place): (&Node, usize),
    is_alone: bool,
) -> Option<Vec<NodeChange>> {
    if was == is {
        return Some(Vec::new());
    }

    if was.spans.len() != is.spans.len() || !same_words(was, is) {
        return is_alone.then(|| {
            vec![NodeChange::Said(
                place,
                Box::new(Node {
                    id: whole.id,
                    ..is.clone()
                }),
            )]
        });
    }

    let path = &is.spans[0].path;
    let sites: Vec<(&NodeSpan, &NodeSpan)> = sites(was).into_iter().zip(sites(is)).collect();
    let (mut changes, mut found) = (Vec::new(), 0);
    for (position, site) in whole
        .spans
        .iter()
        .enumerate()
        .filter(|(_, site)| site.path == *path)
    {
        let (_, to) = sites.iter().find(|(from, _)| *from == site)?;
        found += 1;
        if site != *to {
            changes.push(NodeChange::Moved(place, position, (*to).clone()));
        }
    }

    (found == sites.len()).then_some(changes)
}
