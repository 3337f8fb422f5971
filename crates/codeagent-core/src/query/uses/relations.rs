//! The symbols related to each group that a name matches, and notes on lists that are empty or
//! incomplete.
//!
//! Limitations: at most [`MAX_NOTES`] groups get notes.

use rustc_hash::FxHashMap;

use crate::model::graph::{EdgeDirection, EdgeType, NodeId};
use crate::query::unresolved::absent_packages::UncertainLines;
use crate::query::uses::external::external_users;
use crate::query::uses::wrapped::uses_of_wrappers;
use crate::query::{
    EmptyList, Filter, Neighbors, Note, QueryError, Relation, Snapshot, Sources, SymbolGroup,
    SymbolMatches, explain_empty, related_results_hint, unindexed_files,
};
use crate::store::StoredExternal;

/// Maximum number of symbols whose next level is searched.
const MAX_DEEP: usize = 20_000;

/// Maximum number of groups with notes.
const MAX_NOTES: usize = 3;

/// The symbols related to each group, one group after the other.
pub struct Relations {
    found: Vec<Levels>,
}

/// The location of a related symbol in [`Relations`].
#[derive(Clone, Copy)]
pub struct RelatedAt<'a> {
    /// Index of its group.
    pub group: usize,
    /// Number of levels between it and the group.
    pub depth: usize,
    /// The symbols of its level.
    pub neighbors: &'a Neighbors,
    /// Its index in `neighbors`.
    pub index: usize,
}

/// The symbols related to one group, directly or indirectly, by level.
struct Levels {
    /// Levels, nearest first; never empty.
    levels: Vec<Neighbors>,
    /// Level and index of every symbol; each is followed by the related symbols of the next level.
    order: Vec<(usize, usize)>,
}

impl Levels {
    /// Finds the related symbols, down to `depth` levels. A symbol is listed once, at its nearest
    /// level.
    fn find(
        snapshot: &Snapshot,
        first: Neighbors,
        own: &[NodeId],
        relation: Relation<'_>,
        (filter, depth): (&Filter, usize),
    ) -> Result<Self, QueryError> {
        let uses_only = Filter {
            min_confidence: filter.min_confidence,
            ..Filter::default()
        };
        let mut seen = own.to_vec();
        let mut frontier = match (depth, filter.looks_at_symbols()) {
            (0 | 1, _) => Vec::new(),
            (_, false) => first.ids(),
            // What uses external symbols is not found by a node.
            (_, true) if own.is_empty() => first.ids(),
            // Symbols dropped by the filter still lead to the next level.
            (_, true) => Neighbors::of_any(snapshot, own, relation, &uses_only, None)?.ids(),
        };

        let mut levels = vec![first];
        while levels.len() < depth && !frontier.is_empty() && seen.len() < MAX_DEEP {
            seen.extend(&frontier);
            let all = Neighbors::of_any(snapshot, &frontier, relation, &uses_only, None)?;
            let all = all.outside(&seen);
            let next = all.ids();
            levels.push(if filter.looks_at_symbols() {
                Neighbors::of_any(snapshot, &frontier, relation, filter, None)?.outside(&seen)
            } else {
                all
            });
            frontier = next;
        }

        let order = in_tree_order(&levels);
        Ok(Self { levels, order })
    }
}

/// Lists the symbols of all levels; each is followed by the related symbols of the next level.
fn in_tree_order(levels: &[Neighbors]) -> Vec<(usize, usize)> {
    let mut below: FxHashMap<(usize, NodeId), Vec<usize>> = FxHashMap::default();
    for (level, found) in levels.iter().enumerate().skip(1) {
        for at in 0..found.len() {
            if let Some(own) = found.own(at) {
                below.entry((level, own)).or_default().push(at);
            }
        }
    }

    let mut order = Vec::new();
    let mut stack: Vec<(usize, usize)> = (0..levels[0].len()).rev().map(|at| (0, at)).collect();
    while let Some((level, at)) = stack.pop() {
        order.push((level, at));
        let (_, id) = levels[level].key(at);
        let next = below.remove(&(level + 1, id)).unwrap_or_default();
        stack.extend(next.into_iter().rev().map(|at| (level + 1, at)));
    }

    // Symbols whose parent the filter dropped.
    let mut rest: Vec<(usize, usize)> = below
        .into_iter()
        .flat_map(|((level, _), found)| found.into_iter().map(move |at| (level, at)))
        .collect();
    rest.sort_unstable();
    order.extend(rest);

    order
}

impl Relations {
    /// Finds the symbols related to each group, down to `depth` levels, and filters them.
    pub fn find(
        snapshot: &Snapshot,
        matches: &SymbolMatches,
        relation: Relation<'_>,
        filter: &Filter,
        depth: usize,
    ) -> Result<Self, QueryError> {
        filter.check()?;
        let find = |group: &SymbolGroup| {
            let within = group
                .callback
                .as_ref()
                .filter(|_| relation.direction == EdgeDirection::Outgoing);
            // What a folder contains is in it.
            let outer = relation.edge_types.iter().copied();
            let outer: Vec<EdgeType> = outer.filter(|each| *each != EdgeType::Contains).collect();
            let relation = match group.folder {
                Some(_) => Relation {
                    edge_types: &outer,
                    ..relation
                },
                None => relation,
            };

            let found = Neighbors::of_any(snapshot, &group.ids(), relation, filter, within)?;
            // For a type with its members, only symbols outside of it count.
            let found = if group.members.is_empty() {
                found
            } else {
                found.outside(&group.ids())
            };

            Levels::find(snapshot, found, &group.ids(), relation, (filter, depth))
        };

        Ok(Self {
            found: matches
                .answered
                .iter()
                .map(find)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Finds the symbols that use external ones, as one group.
    pub fn of_external(
        snapshot: &Snapshot,
        symbols: &[StoredExternal],
        relation: Relation<'_>,
        filter: &Filter,
        depth: usize,
    ) -> Result<Self, QueryError> {
        let first = external_users(snapshot, symbols, relation, filter)?;
        let levels = Levels::find(snapshot, first, &[], relation, (filter, depth))?;
        Ok(Self {
            found: vec![levels],
        })
    }

    /// Returns the number of symbols of each group.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        self.found.iter().map(|found| found.order.len()).collect()
    }

    /// Returns the number of symbols of all groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.iter().map(|found| found.order.len()).sum()
    }

    /// Reports whether no group has any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.iter().all(|found| found.order.is_empty())
    }

    /// Returns the lines of the `inferred` uses.
    pub(in crate::query) fn inferred_lines(&self) -> UncertainLines {
        let levels = self.found.iter().flat_map(|found| &found.levels);
        levels.flat_map(Neighbors::inferred_lines).collect()
    }

    /// Counts the symbols per folder, most first: by the folder of the use or, for outgoing
    /// relations, of the symbol.
    pub fn folders(&self, snapshot: &Snapshot) -> Result<Vec<(String, usize)>, QueryError> {
        let mut all = Vec::new();
        for found in self.found.iter().flat_map(|found| &found.levels) {
            all.extend(found.folders(snapshot)?);
        }
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            next.0 == kept.0 && {
                kept.1 += next.1;
                true
            }
        });
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(all)
    }

    /// Returns the group and index of the `index`th symbol over all groups. `index` must be less
    /// than [`Self::len`].
    #[must_use]
    pub fn at(&self, index: usize) -> RelatedAt<'_> {
        let mut rest = index;
        for (group, found) in self.found.iter().enumerate() {
            if rest < found.order.len() {
                let (level, index) = found.order[rest];
                return RelatedAt {
                    group,
                    depth: level + 1,
                    neighbors: &found.levels[level],
                    index,
                };
            }
            rest -= found.order.len();
        }
        unreachable!("an index is below the number of all")
    }

    /// Explains why the lists of the first groups are empty, or where related results are.
    pub fn notes(
        &self,
        sources: &mut Sources<'_>,
        matches: &SymbolMatches,
        relation: Relation<'_>,
        filter: &Filter,
    ) -> Result<Vec<Note>, QueryError> {
        if self.is_empty() && !filter.is_empty() {
            return Ok(vec![EmptyList::FilteredOut.into()]);
        }

        if let [group] = matches.answered.as_slice()
            && let Some(folder) = &group.folder
        {
            let alone = EmptyList::FolderAlone {
                path: folder.clone(),
                direction: relation.direction,
            };
            return Ok(self.is_empty().then(|| alone.into()).into_iter().collect());
        }

        let (mut notes, mut noted) = (Vec::new(), 0);
        let explains = self.is_empty() || matches.answered.len() == 1;
        for (group, found) in matches.answered.iter().zip(&self.found) {
            if !found.order.is_empty() {
                let is_deep = found.levels.len() > 1;
                let hint = related_results_hint(sources, group.first(), relation, is_deep)?;
                notes.extend(hint);
            } else if explains {
                notes.extend(explain_empty(sources, group.first(), relation)?);
            }
            if explains || !found.order.is_empty() {
                notes.extend(uses_of_wrappers(sources, group.first(), relation)?);
            }
            noted += usize::from(!notes.is_empty());
            if noted == MAX_NOTES {
                break;
            }
        }

        if self.is_empty() && relation.edge_types != [EdgeType::Contains] {
            let language = matches.answered.first().map(|group| group.first().language);
            let unindexed = unindexed_files(sources.snapshot(), language)?;
            notes.extend(unindexed.map(Note::UnindexedFiles));
        }
        Ok(notes)
    }
}
