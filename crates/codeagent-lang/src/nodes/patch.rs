//! The nodes of a file that changed are renewed in place: mostly they only stand elsewhere in it,
//! some come and some go.
//!
//! Possible if no node that comes or goes is declared elsewhere too or shares its identity with
//! another, by which they would be numbered. What the table says afterwards is what a table made
//! afresh would say, in another order.
//!
//! **Limits.** Anything else is refused: whoever asked makes the table anew.

use std::sync::Arc;

use codeagent_model::facts::{DeclId, Facts};
use codeagent_model::graph::{Node, NodeId, NodeSpan};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::nodes::{NodeTable, TableBuilder, describe, is_node};
use crate::world::{FileId, World, WorldFile};

/// More nodes than this do not come or go one by one, and a node that more files declare is not
/// made of them.
const MOST_CHANGED: usize = 64;

/// What became of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// It is new, or described in other words.
    Said(usize),
    /// Its site at this position stands elsewhere.
    Moved(usize, usize),
    /// It is gone.
    Gone(NodeId),
}

/// One file's nodes by themselves.
struct Alone {
    nodes: Vec<Node>,
    /// The declarations that are nodes, with the place of their node, in order.
    decls: Vec<(DeclId, u32)>,
    /// Identities that several nodes have.
    shared: FxHashSet<NodeId>,
}

fn alone(world: &World, file: &WorldFile) -> Alone {
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

    Alone {
        nodes,
        decls,
        shared,
    }
}

/// What decides between several declarations of one node: weights, and where it has several in the
/// file, their documentation.
fn ranks<'f>(facts: &'f Facts, alone: &Alone) -> FxHashMap<u32, Vec<(u32, &'f str)>> {
    let several = |node: u32| alone.nodes[node as usize].spans.len() > 1;
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
    for (decl, node) in &alone.decls {
        ranks.entry(*node).or_default().push((
            describe::weight(facts, *decl),
            if several(*node) { doc(*decl) } else { "" },
        ));
    }

    ranks
}

/// The sites by place.
fn sites(node: &Node) -> Vec<&NodeSpan> {
    let mut sites: Vec<&NodeSpan> = node.spans.iter().collect();
    sites.sort_by_key(|site| site.span.start.offset);
    sites
}

/// Whether two nodes are described in the same words.
fn same_words(a: &Node, b: &Node) -> bool {
    let words = |node: &Node| Node {
        spans: Vec::new(),
        ..node.clone()
    };
    words(a) == words(b)
}

impl NodeTable {
    /// Renews the nodes of a file that has new facts in the world already; `old` are those of
    /// before. `None`, with nothing changed, if the table has to be made anew.
    pub fn replace(&mut self, world: &World, id: FileId, old: &Arc<Facts>) -> Option<Vec<Renewed>> {
        let now = world.file(id);
        let before = WorldFile {
            facts: Arc::clone(old),
            ..now.clone()
        };

        let (was, is) = (alone(world, &before), alone(world, now));
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

        let mut changes = Vec::new();
        for (place, (node, pair)) in is.nodes.iter().zip(&pairs).enumerate() {
            let Some(pair) = *pair else {
                if is.shared.contains(&node.id) || self.has(node.id) {
                    return None;
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

        let mut renewed: Vec<Renewed> = changes
            .into_iter()
            .map(|change| self.apply(change))
            .collect();

        renewed.extend(gone.into_iter().map(|place| self.remove(places[place])));
        let (now_at, added) = self.add((&is, &known), &pairs, &places);
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
        self.facts[at] = Arc::clone(&now.facts);
        Some(renewed)
    }

    /// A node that several files declare, of which one changed; made of these files alone.
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
        if files.len() > MOST_CHANGED {
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

    /// Puts those nodes of a file that have no counterpart before into the table. The places of all
    /// of them, and what is new.
    fn add(
        &mut self,
        (is, known): (&Alone, &FxHashMap<NodeId, NodeId>),
        pairs: &[Option<usize>],
        places: &[usize],
    ) -> (Vec<usize>, Vec<Renewed>) {
        let (mut now_at, mut added) = (Vec::with_capacity(pairs.len()), Vec::new());
        for (node, pair) in is.nodes.iter().zip(pairs) {
            if let Some(pair) = pair {
                now_at.push(places[*pair]);
                continue;
            }
            let parent = node
                .parent
                .map(|parent| known.get(&parent).copied().unwrap_or(parent));
            let node = Node {
                parent,
                ..node.clone()
            };
            if let Some(ids) = self.ids.get_mut() {
                ids.insert(node.id);
            }
            let place = match self.vacant.pop() {
                Some(place) => place as usize,
                None => self.nodes.len(),
            };
            if place == self.nodes.len() {
                self.nodes.push(node)
            } else {
                self.nodes[place] = node
            }
            now_at.push(place);
            added.push(Renewed::Said(place));
        }

        (now_at, added)
    }

    fn remove(&mut self, place: usize) -> Renewed {
        let id = self.nodes[place].id;
        if let Some(ids) = self.ids.get_mut() {
            ids.remove(&id);
        }
        self.vacant.push(place as u32);
        Renewed::Gone(id)
    }

    /// Whether there is a node of this id.
    fn has(&self, id: NodeId) -> bool {
        self.ids
            .get_or_init(|| self.nodes().map(|node| node.id).collect())
            .contains(&id)
    }

    fn apply(&mut self, change: NodeChange) -> Renewed {
        match change {
            NodeChange::Said(place, node) => {
                self.nodes[place] = *node;
                Renewed::Said(place)
            }
            NodeChange::Moved(place, position, site) => {
                self.nodes[place].spans[position] = site;
                Renewed::Moved(place, position)
            }
        }
    }
}

/// What has to be done to a node.
enum NodeChange {
    Said(usize, Box<Node>),
    Moved(usize, usize, NodeSpan),
}

/// What must be done to the node `whole`, of which one file said `was` and says `is`; `is_alone`:
/// no other file says anything of it. `None` if that cannot be told from the file.
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
