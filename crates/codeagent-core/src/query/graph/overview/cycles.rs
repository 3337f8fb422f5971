//! Finds cycles between folders or projects.

use rustc_hash::FxHashMap;

/// A set of folders or projects that all use each other, directly or indirectly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Their names, sorted.
    pub members: Vec<String>,
    /// Pairs that use each other directly. Pairs with the fewest uses in the rarer direction come
    /// first.
    pub pairs: Vec<MutualUse>,
}

/// Two folders or projects that use each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutualUse {
    /// The folder or project that uses the other one less often.
    pub from: String,
    /// The other folder or project.
    pub to: String,
    /// Number of uses of `to` by `from`.
    pub uses: usize,
    /// Number of uses of `from` by `to`.
    pub back: usize,
    /// Path and line of the first use of `to` by `from`.
    pub site: (String, u32),
}

/// The uses of one folder or project by another.
#[derive(Clone, Debug, Default)]
pub struct Crossing {
    /// Number of uses.
    pub uses: usize,
    /// Path and line of the first use.
    pub site: (String, u32),
}

/// Uses between folders or projects, by the pair of their indices.
pub type Crossings = FxHashMap<(usize, usize), Crossing>;

/// Returns the cycles formed by some crossings, smallest first.
pub fn cycles(names: &[String], crossings: &Crossings) -> Vec<Cycle> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    for (from, to) in crossings.keys() {
        next[*from].push(*to);
    }
    next.iter_mut().for_each(|targets| targets.sort_unstable());

    let mut found: Vec<Cycle> = components(&next)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| cycle(names, crossings, &component))
        .collect();
    found.sort_by(|a, b| (a.members.len(), &a.members).cmp(&(b.members.len(), &b.members)));
    found
}

fn cycle(names: &[String], crossings: &Crossings, component: &[usize]) -> Cycle {
    let mut members: Vec<String> = component
        .iter()
        .map(|index| names[*index].clone())
        .collect();
    members.sort_unstable();

    let mut pairs = Vec::new();
    for from in component {
        for to in component {
            let (Some(there), Some(back)) =
                (crossings.get(&(*from, *to)), crossings.get(&(*to, *from)))
            else {
                continue;
            };

            if (there.uses, from) < (back.uses, to) {
                pairs.push(MutualUse {
                    from: names[*from].clone(),
                    to: names[*to].clone(),
                    uses: there.uses,
                    back: back.uses,
                    site: there.site.clone(),
                });
            }
        }
    }

    pairs.sort_by(|a, b| (a.uses, &a.from, &a.to).cmp(&(b.uses, &b.from, &b.to)));
    Cycle { members, pairs }
}

/// Returns the strongly connected components of a graph, each after those that it leads to (Tarjan's
/// algorithm, without recursion).
pub fn components(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let (mut order, mut low) = (vec![UNSEEN; next.len()], vec![0; next.len()]);
    let (mut stack, mut is_on_stack) = (Vec::new(), vec![false; next.len()]);
    let (mut found, mut count) = (Vec::new(), 0);

    for root in 0..next.len() {
        if order[root] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((node, edge)) = calls.last_mut() {
            let node = *node;
            if *edge == 0 {
                (order[node], low[node]) = (count, count);
                count += 1;
                stack.push(node);
                is_on_stack[node] = true;
            }
            if let Some(target) = next[node].get(*edge) {
                *edge += 1;
                if order[*target] == UNSEEN {
                    calls.push((*target, 0));
                } else if is_on_stack[*target] {
                    low[node] = low[node].min(order[*target]);
                }
                continue;
            }

            calls.pop();
            if let Some((caller, _)) = calls.last() {
                low[*caller] = low[*caller].min(low[node]);
            }
            if low[node] == order[node] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    is_on_stack[member] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_a_graph_with_two_cycles() {
        let next = [vec![1], vec![2], vec![0, 3], vec![4], vec![3], vec![0]];
        let mut found = components(&next);
        found.sort();
        assert_eq!(found, [vec![0, 1, 2], vec![3, 4], vec![5]]);
    }

    #[test]
    fn the_rarer_direction_comes_first() {
        let names = ["a".to_owned(), "b".to_owned()];
        let crossing = |uses| Crossing {
            uses,
            site: ("a/x.ts".to_owned(), 3),
        };
        let crossings = Crossings::from_iter([((0, 1), crossing(9)), ((1, 0), crossing(2))]);
        let found = cycles(&names, &crossings);
        assert_eq!(found.len(), 1);
        let pair = &found[0].pairs[0];
        assert_eq!((pair.from.as_str(), pair.uses, pair.back), ("b", 2, 9));
    }

    #[test]
    fn long_chains_do_not_overflow_the_stack() {
        let next: Vec<Vec<usize>> = (0..200_000).map(|at| vec![(at + 1) % 200_000]).collect();
        assert_eq!(components(&next).len(), 1);
    }
}
