//! The symbols related to each group that a name matches, and notes on lists that are empty or
//! incomplete.
//!
//! Limitations: at most [`MAX_NOTES`] groups get notes.

use crate::model::graph::{EdgeDirection, EdgeType};
use crate::query::{
    EmptyList, Filter, Neighbors, Note, QueryError, Relation, Snapshot, Sources, SymbolGroup,
    SymbolMatches, explain_empty, related_results_hint, unindexed_files,
};

/// Most groups that get notes.
const MAX_NOTES: usize = 3;

/// The symbols related to each group, one group after the other.
pub struct Relations {
    found: Vec<Neighbors>,
}

impl Relations {
    /// Finds the symbols related to each group that pass a filter.
    pub fn find(
        snapshot: &Snapshot,
        matches: &SymbolMatches,
        relation: Relation<'_>,
        filter: &Filter,
    ) -> Result<Self, QueryError> {
        filter.check()?;
        let find = |group: &SymbolGroup| {
            let within = group
                .callback
                .as_ref()
                .filter(|_| relation.direction == EdgeDirection::Outgoing);
            let found = Neighbors::of_any(snapshot, &group.ids(), relation, filter, within)?;
            // A type together with its members is related to symbols outside it only.
            Ok::<_, QueryError>(if group.members.is_empty() {
                found
            } else {
                found.outside(&group.ids())
            })
        };
        Ok(Self {
            found: matches
                .answered
                .iter()
                .map(find)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Returns the number of symbols of each group.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        self.found.iter().map(Neighbors::len).collect()
    }

    /// Returns the number of symbols of all groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.iter().map(Neighbors::len).sum()
    }

    /// Reports whether no group has any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.iter().all(Neighbors::is_empty)
    }

    /// Counts the symbols by folder, most first.
    #[must_use]
    pub fn folders(&self) -> Vec<(String, usize)> {
        let mut all: Vec<(String, usize)> =
            self.found.iter().flat_map(Neighbors::folders).collect();
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            next.0 == kept.0 && {
                kept.1 += next.1;
                true
            }
        });
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        all
    }

    /// Returns the group that the symbol at `index` of all belongs to, and its index there.
    /// `index` must be less than [`Self::len`].
    #[must_use]
    pub fn at(&self, index: usize) -> (usize, &Neighbors, usize) {
        let mut rest = index;
        for (group, found) in self.found.iter().enumerate() {
            if rest < found.len() {
                return (group, found, rest);
            }
            rest -= found.len();
        }
        unreachable!("an index is below the number of all")
    }

    /// Explains why the lists of the first groups are empty, or where there is more.
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

        let (mut notes, mut noted) = (Vec::new(), 0);
        let explains = self.is_empty() || matches.answered.len() == 1;
        for (group, found) in matches.answered.iter().zip(&self.found) {
            if !found.is_empty() {
                notes.extend(related_results_hint(sources, group.first(), relation)?);
            } else if explains {
                notes.extend(explain_empty(sources, group.first(), relation)?);
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
