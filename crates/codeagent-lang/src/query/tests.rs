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
