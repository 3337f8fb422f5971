//! Which measurements keep the answers of `codeagent` where they are? `cargo run -p xtask -- COMMAND` makes each; one file per command.
//!
//! **Limits.** For developers only: reads and writes the work tree, starts processes, and is never packaged.

#![allow(clippy::disallowed_methods, reason = "the work tree is the developer's own, not a repository to be indexed")]
#![allow(clippy::print_stdout, reason = "the figures are the result")]

mod mutants;

use clap::Parser;

/// Measurements of codeagent whose results stand in tests/golden.
#[derive(Parser)]
#[command(name = "xtask")]
enum Command {
    Mutants(mutants::Options),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Mutants(options) => mutants::run(&options),
    }
}
