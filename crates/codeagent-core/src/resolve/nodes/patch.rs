//! The nodes of a file whose bodies changed are renewed in place: mostly they only stand elsewhere in it.
//!
//! Possible if the file declares the same nodes in the same order and with the same weight; what describes a node may differ if no other file
//! declares it. What the table says afterwards is what a table made afresh would say.
//!
//! **Limits.** Anything else is refused: whoever asked makes the table anew.

use std::sync::Arc;

use crate::model::facts::{DeclId, Facts};
use crate::model::graph::{Node, NodeSpan};
use crate::resolve::nodes::{NodeTable, TableBuilder, describe, is_node};
use crate::resolve::world::{FileId, World, WorldFile};

/// What became of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// It is described in other words.
    Said(usize),
    /// Its site at this position stands elsewhere.
    Moved(usize, usize),
}

/// One file's nodes by themselves.
struct Alone {
    nodes: Vec<Node>,
    /// The declarations that are nodes, with the place of their node, in order.
    decls: Vec<(DeclId, u32)>,
}

fn alone(world: &World, file: &WorldFile) -> Alone {
    let mut builder = TableBuilder::default();
    builder.add_file(&world.projects, file);
    let of_decl = &builder.of_decl[0];
    let decls = file.facts.decl_ids().filter(|id| of_decl[id.index()] != 0).map(|id| (id, of_decl[id.index()] - 1)).collect();
    Alone { nodes: builder.drafts.into_iter().map(|draft| draft.node).collect(), decls }
}

/// What decides between several declarations of one node: weights, and where it has several in the file, their documentation.
fn ranks<'f>(facts: &'f Facts, alone: &Alone) -> Vec<(u32, u32, &'f str)> {
    let several = |node: u32| alone.nodes[node as usize].spans.len() > 1;
    let doc = |decl: DeclId| facts.detail(decl).map_or("", |detail| if detail.doc.is_none() { "" } else { facts.text(detail.doc) });
    let rank = |(decl, node): &(DeclId, u32)| (*node, describe::weight(facts, *decl), if several(*node) { doc(*decl) } else { "" });
    alone.decls.iter().map(rank).collect()
}

/// The sites by place.
fn sites(node: &Node) -> Vec<&NodeSpan> {
    let mut sites: Vec<&NodeSpan> = node.spans.iter().collect();
    sites.sort_by_key(|site| site.span.start.offset);
    sites
}

/// Whether two nodes are described in the same words.
fn same_words(a: &Node, b: &Node) -> bool {
    let words = |node: &Node| Node { spans: Vec::new(), ..node.clone() };
    words(a) == words(b)
}

impl NodeTable {
    /// Renews the nodes of a file that has new facts in the world already; `old` are those of before. `None`, with nothing changed, if the table
    /// has to be made anew.
    pub fn replace(&mut self, world: &World, id: FileId, old: &Arc<Facts>) -> Option<Vec<Renewed>> {
        let now = world.file(id);
        let before = WorldFile { facts: Arc::clone(old), ..now.clone() };
        let (was, is) = (alone(world, &before), alone(world, now));
        if was.nodes.len() != is.nodes.len() || ranks(old, &was) != ranks(&now.facts, &is) {
            return None;
        }
        let at = id.0 as usize;
        let mut places = vec![usize::MAX; was.nodes.len()];
        places[0] = self.of_file[at] as usize;
        for (decl, node) in &was.decls {
            places[*node as usize] = self.of_decl[at][decl.index()].checked_sub(1)? as usize;
        }
        let mut changes = Vec::new();
        for ((was, is), place) in was.nodes.iter().zip(&is.nodes).zip(&places) {
            if was != is {
                compare((was, is), (self.nodes.get(*place)?, *place), &now.path, &mut changes)?;
            }
        }
        let renewed = changes.into_iter().map(|change| self.apply(change)).collect();
        let mut of_decl = vec![0; now.facts.decls.len()];
        for ((before, _), (decl, _)) in was.decls.iter().zip(&is.decls) {
            of_decl[decl.index()] = self.of_decl[at][before.index()];
        }
        debug_assert!(now.facts.decl_ids().all(|decl| is_node(&now.facts, decl) == (of_decl[decl.index()] != 0)));
        self.of_decl[at] = of_decl;
        self.facts[at] = Arc::clone(&now.facts);
        Some(renewed)
    }

    fn apply(&mut self, change: Change) -> Renewed {
        match change {
            Change::Said(place, node) => {
                self.nodes[place] = *node;
                Renewed::Said(place)
            }
            Change::Moved(place, position, site) => {
                self.nodes[place].spans[position] = site;
                Renewed::Moved(place, position)
            }
        }
    }
}

/// What has to be done to a node.
enum Change {
    Said(usize, Box<Node>),
    Moved(usize, usize, NodeSpan),
}

/// Notes what must be done to the node `whole`, of which one file said `was` and says `is`. `None` if that cannot be told from the file.
fn compare((was, is): (&Node, &Node), (whole, place): (&Node, usize), path: &str, changes: &mut Vec<Change>) -> Option<()> {
    if was.spans.len() != is.spans.len() || was.id != is.id || was.parent != is.parent {
        return None;
    }
    let sites: Vec<(&NodeSpan, &NodeSpan)> = sites(was).into_iter().zip(sites(is)).collect();
    let mut moved = Vec::new();
    let mut found = 0;
    for (position, site) in whole.spans.iter().enumerate().filter(|(_, site)| site.path == path) {
        let (_, to) = sites.iter().find(|(from, _)| *from == site)?;
        found += 1;
        if site != *to {
            moved.push((position, (*to).clone()));
        }
    }
    if found != sites.len() {
        return None;
    }
    if same_words(was, is) {
        changes.extend(moved.into_iter().map(|(position, site)| Change::Moved(place, position, site)));
        return Some(());
    }
    if whole.spans.len() != sites.len() || whole.id != was.id {
        return None;
    }
    let mut node = Node { parent: whole.parent, spans: whole.spans.clone(), ..is.clone() };
    moved.into_iter().for_each(|(position, site)| node.spans[position] = site);
    changes.push(Change::Said(place, Box::new(node)));
    Some(())
}
