//! Tests of the engine's public interface: language rules, small repositories, incremental
//! indexing, and the layout of the sources. Their data is in `tests/` at the top of the work tree.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories they ask about"
)]
#![allow(clippy::print_stdout, reason = "how much was tried is worth reading")]

mod dispatch;
mod edit_fuzz;
mod external_symbols;
mod fixtures;
mod incremental_equals_full;
mod index_pair;
mod literals;
mod nodes;
mod nuget;
mod packages;
mod packs;
mod relinking;
mod repository;
mod rule_case;
mod rules;
mod syntax_pairs;
mod tidy;
mod toy_language;
