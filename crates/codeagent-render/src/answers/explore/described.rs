//! Sections about the symbols that a question describes without naming one, and their tests.

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::{Node, NodeType};
use codeagent_core::query::{self, Occurrences, Targets};

use super::heading::heading;
use super::member::{ROOTS, is_callable, source_lines};
use super::wants::WANTED;
use super::{Subject, Wants, search};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum characters of the source of the symbols, in their order.
const MAX_SOURCE_CHARS: [usize; 4] = [1_900, 900, 500, 400];

/// Maximum characters of the calls that lead to the first symbol.
const MAX_LEADING_CHARS: usize = 900;

/// How many times less source is shown beside the steps of the first symbol.
const ASIDE: usize = 3;

/// Score from which a described symbol is likely what tests are asked of.
const DESCRIBES_SUBJECT: f64 = 0.2;

/// The same for a helper of tests, of which there are few.
const DESCRIBES_HELPER: f64 = 0.1;

/// Adds what a question asks for of the first symbol that it describes, and the source of all.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    described: &[Node],
    wants: Wants,
) -> Result<(), AnswerError> {
    for ((at, node), most) in described.iter().enumerate().zip(MAX_SOURCE_CHARS) {
        let mut part = Document::default();
        part.line(heading(occurrences, node)?);
        // The steps of the first one say more than the source of others.
        let is_aside = at > 0 && wants.flow;
        let most = if is_aside { most / ASIDE } else { most };
        let source = source(occurrences, node)?.at_most(most);
        if at > 0 {
            part.section(source.weighing(20));
            document.append(part, WANTED / 2);
            continue;
        }

        let overloads = overloads(occurrences, node)?;
        let subject = Subject {
            nodes: &overloads,
            words: &[],
            wants,
        };
        subject.sections(&mut part, occurrences)?;
        // What a question describes may be in the middle of what happens.
        if wants.flow && is_callable(node) {
            let lines = query::caller_tree(occurrences, &subject.ids())?;
            let section = Section::tree("leads to it", ROOTS, lines);
            part.section(section.weighing(20).at_most(MAX_LEADING_CHARS));
        }
        if part.keys().all(|key| key != "source") {
            part.section(source.weighing(10));
        }
        document.append(part, WANTED);
    }
    Ok(())
}

/// Returns a described symbol with its overloads, which it may mean as well; what happens is that of one.
fn overloads(occurrences: &Occurrences<'_, '_>, node: &Node) -> Result<Vec<Node>, AnswerError> {
    if node.node_type != NodeType::Method {
        return Ok(vec![node.clone()]);
    }
    let snapshot = occurrences.sources.snapshot();
    let named = query::get_node_by_qualified_name(snapshot, &node.qualified_name, None, None)?;
    let named = named.into_iter().map(|(node, _)| node);
    let mut overloads = vec![node.clone()];
    overloads.extend(named.filter(|other| {
        other.id != node.id
            && other.parent == node.parent
            && other.qualified_name == node.qualified_name
    }));
    Ok(overloads)
}

/// Adds the tests of the symbol that a question describes, and those with its words in their names; reports whether
/// there are any.
pub(super) fn tests(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (targets, question): (&Targets, &str),
    wants: Wants,
) -> Result<bool, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let helpers = query::described_helpers(snapshot, question)?;
    if let Some(best) = helpers
        .first()
        .filter(|best| best.score >= DESCRIBES_HELPER)
    {
        guess(
            document,
            occurrences,
            ("the helper may be:", &best.node),
            wants,
        )?;
        return Ok(true);
    }

    // One word that is a name is a symbol, whose uses in tests are known.
    let fewest = if targets.found.is_empty() { 1 } else { 2 };
    let found = query::described_tests(snapshot, &targets.words, fewest)?;
    if found.most_of.is_some() {
        // What a noun with a clause describes is searched for by its kind.
        let described = match query::described_noun(question) {
            Some(_) => Vec::new(),
            None => query::described_symbols(snapshot, question)?,
        };
        let is_meant = |best: &&query::DescribedSymbol| {
            best.said.len() > 1
                && best.score >= DESCRIBES_SUBJECT
                && best.node.node_type != NodeType::Property
        };
        let best = described.first().filter(is_meant);
        let tested = match best.map(|best| best.node.clone()) {
            None => search::best_hit(index, occurrences, question)?,
            best => best,
        };
        if let Some(tested) = &tested {
            guess(
                document,
                occurrences,
                ("the tested code may be:", tested),
                wants,
            )?;
        }
    }

    let mut places = |tests: &[query::DescribedTest]| {
        let places = tests
            .iter()
            .map(|test| occurrences.at(&test.path, test.line));
        places.collect::<Result<Vec<_>, _>>()
    };
    let (named, beside) = (places(&found.tests)?, places(&found.beside)?);
    let title = match found.most_of {
        Some((most, all)) => {
            format!("tests with up to {most} of these {all} words in their names, titles or paths")
        }
        None => "tests with these words in their names or titles".to_owned(),
    };
    let tests = Section::occurrence_rows("tests", title, named).of(found.total);
    document.section(tests.weighing(WANTED));
    let title = "other tests of these classes or files";
    let beside = Section::occurrence_rows("tests beside", title, beside);
    document.section(beside.weighing(WANTED / 2));
    Ok(!found.tests.is_empty())
}

/// Adds what a question asks for of a symbol that it may mean, below a line that says so.
fn guess(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (line, node): (&str, &Node),
    wants: Wants,
) -> Result<(), AnswerError> {
    document.line(line);
    let wants = Wants {
        guesses: true,
        ..wants
    };
    sections(document, occurrences, std::slice::from_ref(node), wants)
}

fn source(occurrences: &mut Occurrences<'_, '_>, node: &Node) -> Result<Section, AnswerError> {
    let lines = source_lines(occurrences, node)?;
    Ok(Section::lines("source", "", lines))
}
