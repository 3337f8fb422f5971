//! Developer commands that measure `codeagent`, keep its answers stable and release it.
//!
//! `cargo run -p xtask -- COMMAND` runs one; each has its own file.
//!
//! Limitations: for development only. They read and write the work tree, start processes, and are
//! never packaged.

#![allow(
    clippy::disallowed_methods,
    reason = "the work tree is the developer's own, not a repository to be indexed"
)]
#![allow(clippy::print_stdout, reason = "the figures are the result")]

mod accuracy;
mod corpora;
mod cost;
mod model;
mod mutants;
mod ranking;
mod release;
mod search;
mod sentences;

use clap::Parser;

/// Measurements of codeagent whose results stand in tests/golden, and its releases.
#[derive(Parser)]
#[command(name = "xtask")]
enum Command {
    Accuracy(accuracy::Options),
    Cost(cost::Options),
    Gold(accuracy::GoldOptions),
    #[command(hide = true)]
    Index(cost::IndexOptions),
    ModelCheck(model::Options),
    Mutants(mutants::Options),
    Ranking(ranking::Options),
    Release(release::Options),
    Search(search::Options),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Accuracy(options) => accuracy::run(&options),
        Command::Cost(options) => cost::run(&options),
        Command::Gold(options) => accuracy::make_gold(&options),
        Command::Index(options) => cost::index(&options),
        Command::ModelCheck(options) => model::run(&options),
        Command::Mutants(options) => mutants::run(&options),
        Command::Ranking(options) => ranking::run(&options),
        Command::Release(options) => release::run(&options),
        Command::Search(options) => search::run(&options),
    }
}
