//! Memoization changes neither a result nor that of a later site, and each query is computed once.

use std::cell::RefCell;

use super::memo::MemoTable;
use super::stack::{QueryLimits, QueryStack};

const LIMITS: QueryLimits = QueryLimits {
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
            stack: QueryStack::new(limits),
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
fn kept_answers_change_nothing() {
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
fn no_budget_of_a_site_changes_what_another_site_is_answered() {
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
fn an_answer_holds_as_long_as_the_innermost_question_that_it_hangs_on() {
    // 0 queries 1, which queries 2, which queries both of them; then 0 queries 2 again.
    let graph = Graph::new(&[vec![1, 2], vec![2, 2], vec![0, 1]], LIMITS, true);
    assert_eq!(graph.answer(0), 0b111);
    // Once each, and 2 once more, because 1 is no longer active; the result of 1 depends on 0
    // alone.
    assert_eq!(*graph.opened.borrow(), 4);
}

#[test]
fn many_ways_to_a_question_are_worked_out_once() {
    // Each queries the first, which is active, and the next one twice.
    let mut asks: Vec<Vec<usize>> = (0..40)
        .map(|number| vec![0, number + 1, number + 1])
        .collect();
    asks.push(vec![0]);
    let graph = Graph::new(&asks, LIMITS, true);
    assert_eq!(graph.answer(0), (1 << 41) - 1);
    assert_eq!(*graph.opened.borrow(), 41);
}
