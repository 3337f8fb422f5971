//! Memoization changes neither a result nor that of a later site, and each query is computed once.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::memo::MemoTable;
use super::stack::{QueryLimits, QueryStack};

const LIMITS: QueryLimits = QueryLimits {
    least_of_site: None,
    depth: 60,
    site: None,
    file: 1_000_000,
    provisional: u32::MAX,
};

/// Queries that make other queries, in order; the result is the set of queries reached.
struct Graph {
    asks: Vec<Vec<usize>>,
    stack: QueryStack<usize>,
    answers: MemoTable<usize, u64>,
    is_kept: bool,
    opened: RefCell<usize>,
}

impl Graph {
    fn new(asks: &[Vec<usize>], limits: QueryLimits, is_kept: bool) -> Self {
        Self {
            asks: asks.to_vec(),
            stack: QueryStack::new(limits, &Arc::default()),
            answers: MemoTable::default(),
            is_kept,
            opened: RefCell::default(),
        }
    }

    fn answer(&self, question: usize) -> u64 {
        let work = || {
            *self.opened.borrow_mut() += 1;
            self.asks[question]
                .iter()
                .fold(1_u64 << question, |all, asked| all | self.answer(*asked))
        };
        let answer = if self.is_kept {
            self.stack.query(&self.answers, (question, question), work)
        } else {
            self.stack.query_uncached(question, work)
        };
        answer.unwrap_or_default()
    }
}

/// Returns graphs of this many queries, each of which makes up to three others.
fn graphs(questions: usize) -> impl Iterator<Item = Vec<Vec<usize>>> {
    let mut state = 1_u64;
    let mut draw = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    (0..2000).map(move |_| {
        (0..questions)
            .map(|_| (0..draw(4)).map(|_| draw(questions)).collect())
            .collect()
    })
}

#[test]
fn memoized_answers_equal_computed_ones() {
    for asks in graphs(9) {
        let (kept, plain) = (
            Graph::new(&asks, LIMITS, true),
            Graph::new(&asks, LIMITS, false),
        );
        for question in 0..asks.len() {
            assert_eq!(
                kept.answer(question),
                plain.answer(question),
                "question {question} of {asks:?}"
            );
        }
    }
}

#[test]
fn the_budget_of_one_site_does_not_change_answers_at_another() {
    let limits = QueryLimits {
        depth: 6,
        site: Some(7),
        ..LIMITS
    };
    for asks in graphs(9) {
        let linked = Graph::new(&asks, limits, true);
        for question in 0..asks.len() {
            linked.stack.begin_site();
            let after_others = (linked.answer(question), linked.stack.exceeded());
            let alone = Graph::new(&asks, limits, true);
            alone.stack.begin_site();
            let first = (alone.answer(question), alone.stack.exceeded());
            // Results settled by other sites save steps, so less may be cut off.
            assert!(
                after_others == first || first.1,
                "question {question} of {asks:?}"
            );
        }
    }
}

#[test]
fn a_provisional_answer_is_memoized_during_the_innermost_open_query() {
    // 0 asks 1, which asks 2, which asks both of them; then 0 asks 2 again.
    let graph = Graph::new(&[vec![1, 2], vec![2, 2], vec![0, 1]], LIMITS, true);
    assert_eq!(graph.answer(0), 0b111);
    // Each is computed once, and 2 once more, because 1 is no longer open; the answer of 1 depends
    // on 0 alone.
    assert_eq!(*graph.opened.borrow(), 4);
}

#[test]
fn a_query_reached_in_many_ways_is_computed_once() {
    // Each query depends on the first, which is open, and twice on the next one.
    let mut asks: Vec<Vec<usize>> = (0..40)
        .map(|number| vec![0, number + 1, number + 1])
        .collect();
    asks.push(vec![0]);
    let graph = Graph::new(&asks, LIMITS, true);
    assert_eq!(graph.answer(0), (1 << 41) - 1);
    assert_eq!(*graph.opened.borrow(), 41);
}

#[test]
fn a_cancelled_resolution_has_no_steps_left() {
    let of_sites = QueryLimits {
        site: Some(300_000),
        least_of_site: Some(500),
        ..LIMITS
    };
    for limits in [LIMITS, of_sites] {
        let cancel = Arc::new(AtomicBool::new(false));
        let stack: QueryStack<u32> = QueryStack::new(limits, &cancel);
        stack.begin_site();
        assert!((0..10_000).all(|_| stack.spend(1)));

        cancel.store(true, Ordering::Relaxed);
        let steps = (0..100_000).take_while(|_| stack.spend(1)).count();
        assert!(steps < 5_000, "{steps} steps after it was cancelled");

        stack.begin_site();
        assert!(!stack.spend(1), "nor has a later site");
    }
}

/// The limits of a language whose sites have budgets of their own.
const OF_SITES: QueryLimits = QueryLimits {
    site: Some(100),
    ..LIMITS
};

/// Spends single steps up to the first refusal, and returns how many were granted.
fn granted(stack: &QueryStack<u32>) -> usize {
    (0..1_000).take_while(|_| stack.spend(1)).count()
}

#[test]
fn a_site_gets_its_least_steps_unless_the_file_has_a_large_list() {
    let limits = QueryLimits {
        least_of_site: Some(10),
        file: 50,
        ..OF_SITES
    };
    let stack: QueryStack<u32> = QueryStack::new(limits, &Arc::default());

    stack.begin_site();
    assert_eq!(granted(&stack), 49, "no more than the file has");
    stack.begin_site();
    assert_eq!(granted(&stack), 9, "the least steps");

    stack.withdraw_least();
    stack.begin_site();
    assert_eq!(granted(&stack), 0);
}

#[test]
fn only_queries_count_against_a_site_without_least_steps() {
    let stack: QueryStack<u32> = QueryStack::new(OF_SITES, &Arc::default());
    stack.begin_site();
    assert!(stack.spend(200));
    assert_eq!(stack.query_uncached(1, || 7), Some(7));
}

#[test]
fn a_used_up_budget_cuts_off_the_result_being_computed_if_sites_have_least_steps() {
    for (least_of_site, is_independent) in [(Some(1), false), (None, true)] {
        let limits = QueryLimits {
            least_of_site,
            site: Some(5),
            file: 5,
            ..LIMITS
        };
        let stack: QueryStack<u32> = QueryStack::new(limits, &Arc::default());
        stack.begin_site();
        assert!(stack.is_independent());

        assert!(!stack.spend(5));
        assert!(stack.exceeded());
        assert_eq!(stack.is_independent(), is_independent, "{least_of_site:?}");
    }
}

#[test]
fn the_steps_of_a_site_bound_its_queries() {
    let limits = QueryLimits {
        site: Some(1),
        ..LIMITS
    };
    let stack: QueryStack<u32> = QueryStack::new(limits, &Arc::default());
    stack.begin_site();
    let inner = stack.query_uncached(1, || stack.query_uncached(2, || ()));
    assert_eq!(inner, Some(None));
    assert!(stack.exceeded());

    stack.begin_site();
    assert!(!stack.exceeded());
    assert_eq!(stack.query_uncached(2, || ()), Some(()));
}

#[test]
fn the_innermost_query_was_started_last() {
    let stack: QueryStack<u32> = QueryStack::new(LIMITS, &Arc::default());
    let inner = stack.query_uncached(2, || stack.query_uncached(1, || stack.innermost()));
    assert_eq!(inner, Some(Some(Some(1))));
    assert_eq!(stack.innermost(), None);
}

/// Makes query 1, which depends on query 0, and returns its result outside query 0, if it is stored.
fn kept_after(limits: QueryLimits, is_provisional: bool) -> Option<u32> {
    let (stack, table) = (
        QueryStack::new(limits, &Arc::default()),
        MemoTable::default(),
    );
    stack.begin_site();
    stack.query_uncached(0, || {
        let dependent = || stack.query_uncached(0, || 5).unwrap_or(6);
        let inner = if is_provisional {
            stack.query_provisional(&table, (1, 1), dependent)
        } else {
            stack.query(&table, (1, 1), dependent)
        };
        assert_eq!(inner, Some(6));

        let is_stored = !is_provisional || limits.provisional > 0;
        assert_eq!(stack.memo_hit(&table, &1), is_stored.then_some(6));
    });
    table.get(&1)
}

#[test]
fn provisional_results_count_as_settled_after_very_many_queries() {
    for limits in [LIMITS, OF_SITES] {
        let ignoring = QueryLimits {
            provisional: 0,
            ..limits
        };
        assert_eq!(kept_after(limits, false), None);
        assert_eq!(kept_after(ignoring, false), Some(6));
        assert_eq!(kept_after(limits, true), None);
        assert_eq!(kept_after(ignoring, true), None, "cheap to compute");
    }
}

#[test]
fn settled_results_are_cheap_to_compute() {
    let (stack, table) = (
        QueryStack::new(LIMITS, &Arc::default()),
        MemoTable::default(),
    );
    assert_eq!(stack.query_provisional(&table, (1, 1), || 5), Some(5));
    assert_eq!(table.get(&1), None);
}

#[test]
fn what_the_budget_of_a_site_cut_off_is_kept_for_that_site_only() {
    let limits = QueryLimits {
        site: Some(1),
        provisional: 0,
        ..LIMITS
    };
    for is_provisional in [false, true] {
        let (stack, table) = (
            QueryStack::new(limits, &Arc::default()),
            MemoTable::default(),
        );
        stack.begin_site();
        let cut = || stack.query_uncached(2, || 5).unwrap_or(6);
        let found = if is_provisional {
            stack.query_provisional(&table, (1, 1), cut)
        } else {
            stack.query(&table, (1, 1), cut)
        };
        assert_eq!(found, Some(6));
        assert_eq!(stack.memo_hit(&table, &1), Some(6));

        stack.begin_site();
        assert_eq!(stack.memo_hit(&table, &1), None);
        assert_eq!(table.get(&1), None);
    }
}

#[test]
fn a_result_outside_all_queries_is_settled_even_if_a_limit_cut_it_off() {
    let limits = QueryLimits { depth: 1, ..LIMITS };
    let (stack, table) = (
        QueryStack::new(limits, &Arc::default()),
        MemoTable::default(),
    );
    let found = stack.query(&table, (1, 1), || {
        stack.query_uncached(2, || 5).unwrap_or(6)
    });
    assert_eq!((found, table.get(&1)), (Some(6), Some(6)));
    assert!(!table.insert(1, 7), "there was one");
}

#[test]
fn what_the_depth_cut_off_is_computed_again_where_there_is_more_depth() {
    let limits = QueryLimits { depth: 3, ..LIMITS };
    let (stack, table) = (
        QueryStack::new(limits, &Arc::default()),
        MemoTable::default(),
    );
    let ask = || {
        stack.query(&table, (1, 1), || {
            stack.query_uncached(2, || 5).unwrap_or(6)
        })
    };

    stack.query_uncached(7, || {
        let deep = stack.query_uncached(8, || (ask(), ask()));
        assert_eq!(deep, Some((Some(6), Some(6))));
        assert_eq!(stack.memo_hit(&table, &1), None);
        assert_eq!(ask(), Some(5));
    });
}
