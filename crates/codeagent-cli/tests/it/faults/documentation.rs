//! The table of faults behind `docs/reliability.md`, with the tests that stage each.
//!
//! Limitations: the test checks that every named test exists, not what it stages.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use expect_test::expect_file;

/// A fault, what holds, and the tests.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "R1 `index` is killed at any moment",
        "The next command says what is missing; the next `index` goes on and ends as a fresh one does. `index --rebuild` leaves the old index until the new one is complete",
        "a_killed_index_is_gone_on_with a_killed_rebuild_leaves_the_old_index \
         an_index_is_rebuilt_beside_the_old_one_and_exchanged_when_it_is_complete a_stopped_index_is_sound a_failed_batch_leaves_the_generation",
    ),
    (
        "R2 the daemon is killed in a batch and asked at once",
        "The answer is whole or says which files it does not know",
        "a_killed_daemon_leaves_whole_answers a_good_index_outlives_killed_writers",
    ),
    (
        "R3 the power fails",
        "What is left opens, or is found damaged and made anew. Of the log, all that was not synced may be lost",
        "what_a_power_cut_leaves_is_whole_or_made_anew",
    ),
    (
        "R4 the disk is full at any stage",
        "It is said; what was there is served; a server goes on by itself when there is space",
        "a_full_disk_is_said_and_the_index_goes_on_when_there_is_space",
    ),
    (
        "R5 repository or cache cannot be written, or there is no place",
        "A repository is only read. An index that is there is read, if the log that our commands leave beside it is there too; else file tools answer and symbol tools say why",
        "what_may_not_be_written_is_said a_file_in_the_way_is_an_error",
    ),
    (
        "R6 the database is damaged, emptied, removed, replaced, its log lost or another's, at rest or under a server",
        "It is noticed and made anew; the next answers are right. What others write under a server is noticed by size and time and never sealed as whole",
        "a_database_that_others_write_is_rebuilt_by_the_next_batch a_database_that_others_wrote_is_never_sealed_as_whole \
         content_that_decays_behind_size_and_time_is_seen_in_a_small_database a_stale_journal_is_removed_and_a_link_is_named \
         whatever_became_of_an_index_the_next_command_answers_rightly_or_says_what_to_do a_killed_daemons_log_may_be_lost \
         a_server_whose_database_is_damaged_or_replaced_goes_on damaged_indexes_are_noticed_and_made_anew \
         a_database_that_is_removed_is_made_again a_damaged_index_is_made_anew_for_all_servers an_index_counts_for_one_root \
         verifying_finds_values_that_fit_but_are_wrong",
    ),
    (
        "R7 the schema is newer, older or half migrated",
        "A newer one is left alone and named, file tools answer; an older one is migrated, each step in one transaction",
        "a_newer_index_is_left_alone_and_file_tools_answer a_migration_that_was_cut_short_is_made_up_for \
         foreign_and_newer_files_are_refused an_index_of_another_layout_is_made_anew",
    ),
    (
        "R8 the system's queue of notices is full",
        "Everything is looked at once; the next question waits for it",
        "a_queue_that_is_full_means_anything what_happened_while_a_daemon_was_paused_is_known_when_it_goes_on",
    ),
    (
        "R9 no watches or instances are left",
        "The repository is looked at again and again, and `get_status` says so",
        "without_instances_of_watches_one_looks_and_says_so with_too_few_watches_one_looks_and_says_so where_nothing_is_told_one_looks",
    ),
    (
        "R9a the watcher's thread ends, or an event does not arrive in time",
        "Everything is compared, then the repository is polled, and `get_status` says so",
        "a_watcher_whose_thread_ends_says_so where_watching_ends_one_looks a_data_folder_that_cannot_be_written_has_no_barrier",
    ),
    (
        "R10 folders and trees come, go and move; files are exchanged, emptied, become links",
        "All of it is known to the next question",
        "a_thousand_folders_are_known_to_the_next_question folders_that_come_in_whatever_way_are_known \
         what_is_written_is_known_to_the_next_question files_and_folders_that_become_links_are_known \
         a_file_that_is_emptied_and_written_in_parts_is_known folders_that_come_go_or_move_mean_anything \
         random_edits_are_known_to_the_next_question",
    ),
    (
        "R10a installed packages are edited in place, added to a scope, exchanged in a store",
        "The next question knows",
        "declarations_that_are_edited_in_place_are_known a_package_that_is_added_to_a_scope_is_known \
         an_edit_in_the_store_that_links_lead_to_is_known a_new_import_has_its_package_watched",
    ),
    (
        "R10b the user's own ignore rules change (`core.excludesFile`, `~/.config/git/ignore`)",
        "The next question knows",
        "the_users_own_ignore_rules_take_effect_under_a_server",
    ),
    (
        "R11 git exchanges the files under clients",
        "No error, no answer that mixes two versions of a file; afterwards the index is a fresh one",
        "a_checkout_under_clients_is_never_told_in_halves whatever_git_does_is_known a_shallow_clone_is_a_repository \
         a_snapshot_does_not_see_later_batches texts_that_come_back_are_not_parsed_again",
    ),
    (
        "R12 twenty servers on one repository, or one over HTTP with fifty clients",
        "One writes, all answer, `index` succeeds, the log stays small; when the writer is killed another takes over",
        "twenty_servers_have_one_writer_and_another_when_it_is_killed fifty_clients_over_http_and_edits_are_all_answered",
    ),
    (
        "R13 servers, daemons, `watch` and `index` at a time",
        "One writes and is known by number; locks and doors of killed processes are in nobody's way",
        "a_daemon_servers_and_commands_at_a_time_agree of_daemons_that_begin_together_one_stays \
         another_process_that_keeps_the_index_is_named_and_goes_on beside_a_server_all_commands_work_and_know_of_edits \
         there_is_one_writer_at_a_time_and_it_is_known two_servers_know_of_an_edit_and_the_second_takes_over",
    ),
    (
        "R14 clocks jump, times of files lie",
        "No edit is missed, whatever the times say; no time is negative",
        "a_clock_that_jumps_hides_no_edit times_of_files_that_lie_hide_no_edit an_edit_that_keeps_size_and_time_is_seen \
         a_change_that_keeps_the_size_is_noticed",
    ),
    (
        "R15 the client or what started the server is gone, or signals come",
        "A server ends with its input, its reader or its parent; a daemon when nobody needs it",
        "a_server_ends_with_its_client_and_gives_the_lock_back a_server_whose_parent_is_gone_ends_though_its_input_is_held \
         a_client_that_reads_no_more_ends_the_session a_server_that_is_told_to_stop_stops a_call_that_runs_when_the_server_is_stopped_is_finished a_call_that_is_cut_off_is_told \
         a_server_that_is_stopped_under_writing_clients_tells_each_what_became_of_its_file a_daemon_ends_when_nobody_needs_it \
         a_daemon_whose_repository_is_gone_ends",
    ),
    (
        "R16 a client asks thousands of questions and reads no answer, over HTTP also sends halves of requests or leaves its sessions",
        "What is held for it is bounded, nobody else waits, and what was taken in is answered when it reads",
        "a_client_that_is_stuck_keeps_nobody_waiting clients_over_http_that_do_not_read_cost_little_and_keep_nobody_waiting \
         ten_thousand_abandoned_sessions_leave_nothing_behind a_client_that_stalls_does_not_keep_others_waiting \
         a_client_that_does_not_read no_more_is_taken_in_than_is_answered half_sent_large_bodies_block_nobody \
         many_large_bodies_at_a_time_are_answered_or_told_to_come_again a_thousand_connections_that_say_nothing_are_given_up",
    ),
    (
        "R17 little memory, few open files, one thread, a limit on file sizes",
        "Done or refused in words, and the index stays whole; what is too large is left out and named",
        "an_index_that_cannot_be_opened_is_not_taken_for_none with_little_memory_an_index_is_made_or_refused_and_stays_whole \
         a_limit_on_file_sizes_is_said_and_the_index_stays_whole with_few_open_files_and_one_thread_a_server_answers \
         a_shortage_leaves_the_index_as_it_is what_is_too_large_is_left_out_and_named the_number_of_threads_is_checked_and_changes_nothing",
    ),
    (
        "R18 file systems of other kinds",
        "tmpfs and overlay are watched as others are. Network kinds are known by their number and looked at",
        "file_systems_of_other_kinds_are_watched where_nothing_is_told_one_looks",
    ),
    (
        "R19 the root is unmounted, mounted over, renamed, removed and made again",
        "The next question notices; what lies there now is indexed and watched, without a restart. So is what is mounted over a folder. A path that \
         leads to another folder than before is named",
        "what_is_mounted_over_a_folder_is_noticed a_path_that_leads_to_another_folder_is_said a_repository_that_is_mounted_and_unmounted_is_noticed a_repository_that_is_removed_and_made_again_is_noticed a_root_that_goes_is_said",
    ),
    (
        "R20 files and folders may not be read for a while",
        "The file is named, also by answers that are empty, the rest is indexed; what cannot be listed stays in the index; later it is read",
        "what_cannot_be_read_for_a_moment_is_read_when_it_can what_cannot_be_listed_stays_in_the_index \
         an_empty_answer_names_the_files_that_could_not_be_read a_name_that_is_no_utf_8_is_told_by_index_and_status",
    ),
    (
        "R21 a defect in a grammar or a tool, texts that go deep",
        "One file or one call fails, the process goes on; depth is bounded before the stack is",
        "a_panic_costs_the_file_it_happens_in a_tool_that_panics_answers_an_error a_defect_fails_one_query csharp_texts typescript_texts \
         broken_sources_are_survived",
    ),
    (
        "R22 the model or its runtime is missing, cut off, too old or another one; vectors do not fit the symbols",
        "It is said with what to do, and all questions are answered; a killed process costs what it had not written. What needs a true runtime is held by \
         `cargo xtask model-check`",
        "a_model_that_is_damaged_is_said_and_questions_are_answered what_is_cut_off_is_refused_at_any_length a_text_or_nothing_is_no_library \
         a_library_of_something_else_is_refused a_library_that_is_not_there_is_an_error what_is_missing_is_named_and_nothing_is_left \
         a_model_that_cannot_be_opened_is_said_and_nothing_else_suffers a_killed_process_costs_what_it_had_not_written \
         another_model_has_all_vectors_made_anew questions_are_answered_without_the_model_that_made_the_vectors_and_without_some_of_them",
    ),
    (
        "R23 settings that are invalid, unknown, huge or a link",
        "Commands end with 2 and name line and column; servers go on with the default and say so",
        "exit_codes_tell_what_to_do errors_name_line_and_column unknown_keys_are_remarks what_is_no_settings_file_is_refused_or_remarked \
         settings_that_cannot_be_used_stop_a_batch_unless_tolerated get_status_tells_what_is_odd_about_the_settings",
    ),
    (
        "R24 ten minutes of edits (`CODEAGENT_SOAK=600`)",
        "Answers are right all along, files, memory and log stay bounded, the index is a fresh one at the end",
        "a_server_that_is_edited_under_for_long_stays_as_it_was indexed_again_equals_indexed_afresh",
    ),
    (
        "R25 a newer version asks an older daemon",
        "It answers and ends; who asked keeps the index. An older server stays as long as its client",
        "an_older_daemon_makes_room_for_a_newer_version",
    ),
    (
        "R26 the process is stopped for a while",
        "What changed meanwhile is known to the first question afterwards; `index` and `daemon status` say that it does not answer",
        "what_happened_while_a_daemon_was_paused_is_known_when_it_goes_on \
         a_suspended_writer_is_named_by_index_and_by_the_status_of_the_daemon",
    ),
    (
        "R27 a storm in ignored folders, our own writes",
        "Less than a twentieth of a processor, no batch",
        "a_storm_in_ignored_folders_and_our_own_writes_cost_nothing reading_and_what_is_ignored_tell_nothing \
         a_file_that_is_ignored_is_looked_for_once",
    ),
    (
        "R28 a thousand calls, each called off",
        "What was not called off is answered, the work ends, nothing is left",
        "a_thousand_cancelled_calls_leave_nothing_behind a_cancelled_call_is_told_to_stop_until_it_has \
         a_cancelled_call_stops_reading_and_others_go_on",
    ),
];

/// What is not staged, and why.
const NOT_STAGED: &str = "
## Not staged

* xfs, btrfs, ntfs-3g, sshfs and other FUSE file systems (R18): they need tools that are not always there, and the superuser. Kinds that do not tell of \
changes others make are known by their number (`codeagent-workspace/src/watch/unwatched.rs`).
* A grammar that ends the process (R21): there is no process of its own for parsing. Depth and work are bounded before a grammar sees a text, and \
`crates/codeagent-cli/tests/it/hostile_inputs` holds that.
* A write that the system reports as done and loses (R3) other than at the end of the log: no file system that keeps its word does that.
* `index.db-shm` cut off under a process (R6): SQLite maps it, so the system ends the process (SIGBUS). It takes another process of the same user; the next \
one opens the index. An index without that file (`locking_mode = EXCLUSIVE`) could be read by one process alone.
* Bits that decay behind size and time in an index above 16 MiB, or under a process that writes (R6): `codeagent status --verify` sees them. To see them at once \
would take a checksum in every page, which SQLite has in an extension of its file layer only.
";

/// The names of all tests in the workspace.
fn tests() -> BTreeSet<String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![workspace.join("crates"), workspace.join("tests")];
    let mut names = BTreeSet::new();

    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(path).unwrap();
                names.extend(source.split("test]\n").skip(1).filter_map(name));
            }
        }
    }
    names
}

/// The name of the function that a text begins with.
fn name(source: &str) -> Option<String> {
    let (_, rest) = source.split_once("fn ")?;
    Some(rest.split('(').next()?.to_owned())
}

#[test]
fn every_fault_has_a_test_that_stages_it() {
    let known = tests();
    let mut text = "# What is done when the machine or the user around an index misbehaves\n\nWritten by a test. Most of the tests named here are in \
                    `crates/codeagent-cli/tests/it/faults`; `CODEAGENT_FAULTS=25` tries twenty-five times as many moments as usual. Where the system \
                    has no namespaces for its users, tests that mount something say so and pass.\n\n| fault | what holds | tests |\n|---|---|---|\n"
        .to_owned();
    for (fault, holds, names) in FAULTS {
        let names: Vec<&str> = names.split_whitespace().collect();
        for name in &names {
            assert!(known.contains(*name), "{fault}: there is no test {name}");
        }
        let names = names.join("`, `");
        writeln!(text, "| {fault} | {holds} | `{names}` |").unwrap();
    }
    expect_file!["../../../../../docs/reliability.md"].assert_eq(&(text + NOT_STAGED));
}
