//! What are all meanings of a name related to, and what is said of lists that are empty or not all?
//!
//! **Limits.** Of more than [`MAX_NOTES`] meanings nothing is said.

use crate::model::graph::EdgeType;
use crate::query::empty_result_hints::{elsewhere, why_empty};
use crate::query::{
    Filter, Meaning, Meant, Neighbors, QueryError, Relation, Snapshot, Sources, unread_note,
};

/// Of how many meanings it is said why they have nothing, or where there is more.
const MAX_NOTES: usize = 3;

/// What each meaning of a name is related to, one meaning after the other.
pub struct Relations {
    found: Vec<Neighbors>,
}

impl Relations {
    /// Finds the symbols related to each meaning that a filter lets pass.
    pub fn find(
        snapshot: &Snapshot,
        meant: &Meant,
        relation: Relation<'_>,
        filter: &Filter,
    ) -> Result<Self, QueryError> {
        let find = |meaning: &Meaning| {
            let found = Neighbors::of_any(snapshot, &meaning.ids(), relation, filter)?;
            // What a type as a whole is related to lies outside it.
            Ok::<_, QueryError>(if meaning.members.is_empty() {
                found
            } else {
                found.outside(&meaning.ids())
            })
        };
        Ok(Self {
            found: meant.answered.iter().map(find).collect::<Result<_, _>>()?,
        })
    }

    /// How many there are of each meaning.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        self.found.iter().map(Neighbors::len).collect()
    }

    /// How many there are of all.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.iter().map(Neighbors::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.iter().all(Neighbors::is_empty)
    }

    /// In how many folders there are how many of all, most first.
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

    /// Which meaning the one at `index` of all belongs to, and its place among those. `index` is
    /// less than [`Self::len`].
    #[must_use]
    pub fn at(&self, index: usize) -> (usize, &Neighbors, usize) {
        let mut rest = index;
        for (meaning, found) in self.found.iter().enumerate() {
            if rest < found.len() {
                return (meaning, found, rest);
            }
            rest -= found.len();
        }
        unreachable!("an index is below the number of all")
    }

    /// Why the lists of the first meanings are empty, or where there is more of them.
    pub fn notes(
        &self,
        sources: &mut Sources<'_>,
        meant: &Meant,
        relation: Relation<'_>,
    ) -> Result<Vec<String>, QueryError> {
        let (mut notes, mut told) = (Vec::new(), 0);
        let says_why = self.is_empty() || meant.answered.len() == 1;
        for (meaning, found) in meant.answered.iter().zip(&self.found) {
            if !found.is_empty() {
                notes.extend(elsewhere(sources, meaning.first(), relation)?);
            } else if says_why {
                notes.extend(why_empty(sources, meaning.first(), relation)?);
            }
            told += usize::from(!notes.is_empty());
            if told == MAX_NOTES {
                break;
            }
        }
        if self.is_empty() && relation.edge_types != [EdgeType::Contains] {
            notes.extend(unread_note(
                sources.snapshot(),
                meant
                    .answered
                    .first()
                    .map(|meaning| meaning.first().language),
            )?);
        }
        Ok(notes)
    }
}
