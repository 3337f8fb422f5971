//! Attempts to escape from the sandbox, by commands that run in it.
//!
//! A separate target with its own `main`: the sandbox restarts the running program, so this program
//! has to call [`codeagent_files::jail_main`] first, which the standard test harness does not
//! allow. Arguments that are not options select tests by name.

#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that commands run in"
)]
#![allow(clippy::print_stdout, reason = "reports the tests as libtest does")]

#[cfg(target_os = "linux")]
mod escapes;

use std::panic::catch_unwind;
use std::process::ExitCode;

#[cfg(target_os = "linux")]
const TESTS: &[(&str, fn())] = escapes::TESTS;
#[cfg(not(target_os = "linux"))]
const TESTS: &[(&str, fn())] = &[];

/// Options of the standard harness that take a value.
const WITH_VALUE: [&str; 4] = ["--skip", "--test-threads", "--color", "--format"];

fn main() -> ExitCode {
    if let Some(ended) = codeagent_files::jail_main() {
        return ended;
    }

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_filter = |at: usize| {
        let follows_option = at > 0 && WITH_VALUE.contains(&arguments[at - 1].as_str());
        !arguments[at].starts_with('-') && !follows_option
    };
    let filters: Vec<&String> = (0..arguments.len())
        .filter(|at| is_filter(*at))
        .map(|at| &arguments[at])
        .collect();
    let selected = TESTS.iter().filter(|(name, _)| {
        filters.is_empty() || filters.iter().any(|filter| name.contains(*filter))
    });

    if arguments.iter().any(|argument| argument == "--list") {
        selected.for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }

    let (mut passed, mut failed) = (0, 0);
    for (name, test) in selected {
        let is_passed = catch_unwind(test).is_ok();
        println!(
            "test {name} ... {}",
            if is_passed { "ok" } else { "FAILED" }
        );
        *(if is_passed { &mut passed } else { &mut failed }) += 1;
    }
    println!("\ntest result: {passed} passed; {failed} failed\n");
    ExitCode::from(u8::from(failed > 0))
}
