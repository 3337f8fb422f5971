//! Accuracy measurement: indexes published repositories and compares the exported tables with
//! compilers' results and with the previous run.
//!
//! * `tests/golden/accuracy.txt`: counts, precision and recall by repository and class.
//! * `tests/golden/sites/NAME.txt`: every site where we disagree with the compiler.
//! * `tests/golden/rows/NAME.txt`: a hash of all our rows for each file, which reveals changed
//!   edges without gold data.
//! * `tests/golden/ranking.txt`: search quality.
//!
//! Limitations: an optional corpus that is missing on this machine keeps its recorded figures.

mod csharp;
mod gold;
mod report;
mod rows;
mod score;
mod tables;
mod typescript;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use codeagent_core::Language;
use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::query::{self, ExportTables};

use crate::accuracy::report::Golden;
use crate::accuracy::score::{Report, Sources, Tables};
use crate::accuracy::tables::{Table, sections};
use crate::corpora::{self, CORPORA, Corpus, FOLDER};
use crate::search;

/// Folder of the recorded results.
const GOLDEN: &str = "tests/golden";
/// Folder of the exported rows that the next comparison reads.
const ROWS_FOLDER: &str = "target/golden";

/// How good the answers are, and which of them changed
#[derive(clap::Args)]
pub struct Options {
    /// Fail if anything differs from `tests/golden`, instead of writing it
    #[arg(long)]
    check: bool,
    /// Bring Debian's packages too; without it they are measured only if they are there
    #[arg(long)]
    debian: bool,
}

/// Make compact gold from the tables of a compiler harness
#[derive(clap::Args)]
pub struct GoldOptions {
    /// Beginning of their names: PREFIX.symbols.tsv.gz..
    prefix: PathBuf,
    /// Whose compiler
    #[arg(value_parser = |text: &str| Language::parse(text).ok_or("no such language"))]
    language: Language,
    /// Name of the corpus
    name: String,
}

/// Writes `tests/golden/gold/NAME.tsv.zst`.
pub fn make_gold(options: &GoldOptions) -> anyhow::Result<()> {
    gold::compact(&options.prefix, options.language, &gold_path(&options.name))
}

fn gold_path(name: &str) -> PathBuf {
    Path::new(GOLDEN)
        .join("gold")
        .join(format!("{name}.tsv.zst"))
}

/// The measurements of one corpus.
struct Measured {
    name: &'static str,
    figures: String,
    sites: String,
    rows: rows::Rows,
    ranking: search::Tally,
}

/// Compares with the recorded results, or writes them.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let mut golden = Golden::open(Path::new(GOLDEN))?;
    let mut ranking = search::Tally::default();
    let mut measured = Vec::new();

    for corpus in CORPORA {
        if corpus.is_optional() && !options.debian && !corpus.root(Path::new(FOLDER)).exists() {
            golden.keep_section(corpus.name);
            continue;
        }

        let one = measure(corpus)?;
        if !corpus.is_optional() {
            golden.add_ranking(one.name, &one.ranking);
            ranking.add(one.ranking);
        }
        golden.add_figures(one.figures);
        golden.add_corpus(one.name, one.sites, rows::hashes(&one.rows));
        measured.push((one.name, one.rows));
    }

    golden.add_ranking("all", &ranking);
    let previous_rows = |name: &str| Path::new(ROWS_FOLDER).join(format!("{name}.rows.zst"));
    let changes = golden.changes(&measured, &previous_rows);
    changes.iter().for_each(|line| println!("{line}"));

    if options.check && !changes.is_empty() {
        bail!(
            "answers changed: if each is better than before, run `cargo xtask accuracy` and commit {GOLDEN}"
        );
    }

    golden.write()?;
    for (name, rows) in &measured {
        rows::keep(rows, &previous_rows(name))?;
    }

    Ok(())
}

fn measure(corpus: &Corpus) -> anyhow::Result<Measured> {
    let root = corpus.fetched_root(Path::new(FOLDER))?;
    let engine = Engine::open(
        &root,
        EngineOptions {
            home: corpora::data_root(),
            rebuild: true,
            ..EngineOptions::default()
        },
    )?;

    let summary = engine
        .index(&|_| ())
        .with_context(|| format!("cannot index {}", corpus.name))?;
    let (snapshot, workspace) = (engine.reader().snapshot()?, engine.workspace());
    let exported = query::export(&snapshot, &workspace)?;

    let ranking = if corpus.is_optional() {
        search::Tally::default()
    } else {
        search::measure(&snapshot)?
    };

    let mut figures = format!(
        "{}: {} files, {} symbols, {} edges\n",
        corpus.name,
        summary.files(),
        summary.symbols,
        summary.edges
    );

    let mut sites = String::new();
    if corpus.has_gold {
        let report = compare(corpus, &root, &exported)?;
        figures += &report::figures(&report);
        sites = report
            .disagreements()
            .into_iter()
            .flat_map(|line| [line, "\n"])
            .collect();
    }

    Ok(Measured {
        name: corpus.name,
        figures,
        sites,
        rows: rows::collect(&exported),
        ranking,
    })
}

fn compare(corpus: &Corpus, root: &Path, exported: &ExportTables) -> anyhow::Result<Report> {
    let gold = gold::read(&gold_path(corpus.name))?;
    let gold = Tables::new(sections(&gold));
    let actual = [
        ("symbols", Table::parse(&exported.symbols)),
        ("calls", Table::parse(&exported.calls)),
        ("inherits", Table::parse(&exported.inherits)),
        ("refs", Table::parse(&exported.refs)),
    ];
    let actual = Tables::new(actual.into_iter().collect());
    Ok(match corpus.language {
        Language::TypeScript => typescript::score(&actual, &gold, &mut Sources::open(root)?),
        Language::CSharp => csharp::score(&actual, &gold),
        Language::Imported => anyhow::bail!("there is no gold for imported languages"),
    })
}
