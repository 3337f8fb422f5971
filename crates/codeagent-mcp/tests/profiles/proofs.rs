//! Which test proves what no table of tools says: variables of the environment, exclusions,
//! prompts, transports, and the hostile inputs? The rows of the hostile corpus keep the names they
//! have there.
//!
//! **Limits.** That a test of the name exists is looked up; what it proves is for its reader.

/// Where tests stand, as sources.
pub const SOURCES: &[&str] = &[
    include_str!("assistant.rs"),
    include_str!("contract.rs"),
    include_str!("crowded.rs"),
    include_str!("breakout.rs"),
    include_str!("exec.rs"),
    include_str!("hostile.rs"),
    include_str!("indexed.rs"),
    include_str!("limits.rs"),
    include_str!("local.rs"),
    include_str!("local_answers.rs"),
    include_str!("patch.rs"),
    include_str!("paths.rs"),
    include_str!("raw.rs"),
    include_str!("special.rs"),
    include_str!("texts.rs"),
    include_str!("workspace.rs"),
    include_str!("../tools/contract.rs"),
    include_str!("../tools/errors.rs"),
    include_str!("../tools/filesystem.rs"),
    include_str!("../tools/http.rs"),
    include_str!("../tools/protocol.rs"),
    include_str!("../tools/symbols.rs"),
    include_str!("../../src/http/guard.rs"),
    include_str!("../../src/profiles/local/fetch.rs"),
    include_str!("../../src/profiles/local/mod.rs"),
    include_str!("../../src/profiles/local/pages.rs"),
    include_str!("../../src/profiles/local/ripgrep.rs"),
    include_str!("../../src/profiles/local/yaml.rs"),
    include_str!("../../src/profiles/patch/diff.rs"),
    include_str!("../../src/server.rs"),
    include_str!("../../src/transport.rs"),
    include_str!("../../../codeagent-cli/tests/commands/servers.rs"),
    include_str!("../../../codeagent-cli/tests/http.rs"),
    include_str!("../../../codeagent-cli/tests/profiles.rs"),
    include_str!("../../../codeagent-workspace/src/data_dir.rs"),
    include_str!("../../../codeagent-workspace/src/decode.rs"),
    include_str!("../../../codeagent-workspace/src/ignored/tests.rs"),
    include_str!("../../../codeagent-workspace/src/path.rs"),
    include_str!("../../../codeagent-workspace/src/sandbox/tests/mounts.rs"),
    include_str!("../../../codeagent-workspace/src/sandbox/race.rs"),
    include_str!("../../../codeagent-workspace/src/sandbox/tests.rs"),
    include_str!("../../../codeagent-workspace/src/search/tests.rs"),
    include_str!("../../../codeagent-workspace/src/tests.rs"),
    include_str!("../../../../tests/hostile.rs"),
    include_str!("../../../../tests/hostile/stopping.rs"),
];

/// Promises that are about no parameter, field or error of one tool.
pub const MORE: &[(&str, &str, &str)] = &[
    (
        "assistant",
        "`ALLOWED_REPO_ROOT`, none",
        "only_a_repository_in_the_allowed_folder_is_read",
    ),
    (
        "assistant",
        "`MAX_FILE_SIZE_BYTES`, 1048576",
        "the_environment_sets_limits read_file_reads_texts_and_bytes",
    ),
    (
        "assistant",
        "`SEARCH_TIMEOUT_MS`, 30000",
        "the_environment_sets_limits a_search_that_takes_too_long_says_so",
    ),
    (
        "assistant",
        "`MAX_SEARCH_RESULTS`, 100",
        "the_environment_sets_limits search_files_finds_lines_with_context",
    ),
    (
        "assistant",
        "list_files shows at most 500",
        "list_files_shows_levels",
    ),
    (
        "assistant",
        "extensions blocked as texts",
        "every_blocked_extension_is_binary",
    ),
    (
        "assistant",
        "folders and files that search_files leaves out",
        "search_files_finds_lines_with_context",
    ),
    (
        "assistant",
        "folders that get_repo_overview leaves out, 15 languages",
        "get_repo_overview_shows_structure_and_counts",
    ),
    (
        "assistant",
        "`access_denied` of every tool, `internal_error`, numbers of all errors",
        "errors_are_told_as_the_revision_allows hostile_paths_are_denied",
    ),
    (
        "patch",
        "code fences, `/dev/null`, all hunks or none",
        "a_patch_fits_exactly_or_not_at_all patch_apply_changes_a_file_or_leaves_it",
    ),
    (
        "patch",
        "a hunk is applied where it states, or near to it where it alone fits",
        "a_hunk_that_fits_in_several_places_needs_its_line a_hunk_may_be_a_hundred_lines_off_and_the_answer_says_so",
    ),
    (
        "patch",
        "headers name the file",
        "patch_apply_changes_a_file_or_leaves_it patches_that_do_not_fit_change_nothing",
    ),
    (
        "patch",
        "line ends of the file are kept",
        "patches_keep_the_line_ends_of_the_file",
    ),
    ("patch", "`--read-only`", "a_read_only_server_says_so"),
    (
        "patch",
        "the eighteen commands, path-like arguments",
        "shell_exec_runs_what_is_permitted",
    ),
    (
        "patch",
        "bearer over HTTP",
        "every_profile_has_an_endpoint_of_its_own the_token_is_shown_once_and_right",
    ),
    (
        "workspace",
        "the envelope of errors",
        "hostile_paths_are_refused",
    ),
    (
        "workspace",
        "the printed input schemas",
        "workspace_has_the_printed_schemas",
    ),
    (
        "workspace",
        "`workspace/` in front is taken away, unless something at the root has that name",
        "list_dir_manual_tests a_folder_called_workspace_is_not_the_root",
    ),
    (
        "workspace",
        "line ends of the file are kept",
        "edit_file_keeps_the_line_ends_of_the_file",
    ),
    (
        "workspace",
        "`--read-only`",
        "a_read_only_workspace_hides_what_writes a_read_only_workspace_is_read_only_for_commands",
    ),
    (
        "local",
        "tools/list, prompts/list",
        "tools_and_prompts_are_those_of_the_contract",
    ),
    (
        "local",
        "1 to 5 queries",
        "queries_are_one_to_five_and_checked",
    ),
    (
        "local",
        "partial failure",
        "one_query_that_fails_costs_no_other",
    ),
    (
        "local",
        "minification",
        "minifying_keeps_what_runs local_fetch_content_reads_sections",
    ),
    (
        "local",
        "YAML",
        "every_text_is_quoted_and_nothing_empty_shown",
    ),
    (
        "local",
        "secrets",
        "secrets_are_known_by_their_names hostile_paths_are_refused",
    ),
    (
        "local",
        "`responseTooLarge`: at most 25000 tokens",
        "an_answer_has_at_most_25_000_tokens",
    ),
    (
        "local",
        "`commandExecutionFailed`: 30 s",
        "local_ripgrep_that_takes_too_long_says_so",
    ),
    (
        "local",
        "patterns of PCRE2 in bounded time",
        "a_perl_pattern_that_backtracks_too_much_is_an_error_soon",
    ),
    (
        "local",
        "options without effect are named",
        "options_without_effect_are_told",
    ),
    (
        "local",
        "`WORKSPACE_ROOT`",
        "the_root_of_local_may_come_from_the_environment",
    ),
    ("local", "`toolExecutionFailed`", "a_defect_fails_one_query"),
    (
        "all",
        "one profile per server, over HTTP one per path",
        "profiles_have_their_tools every_profile_has_an_endpoint_of_its_own",
    ),
    (
        "all",
        "commands are off unless allowed, and refused without a jail",
        "commands_are_off_unless_allowed commands_are_offered_only_if_allowed a_command_that_was_not_allowed_names_the_flag",
    ),
    (
        "all",
        "what is written is in the index, whichever process writes it",
        "what_is_written_is_in_the_index_when_the_call_returns what_a_patch_writes_is_in_the_index \
         what_is_written_beside_another_server_is_in_its_index",
    ),
    (
        "local",
        "what ignore files leave out",
        "what_is_left_out_is_what_ripgrep_leaves_out",
    ),
];

/// The hostile inputs.
pub const HOSTILE: &[(&str, &str, &str)] = &[
    (
        "P1",
        "`..` in any form",
        "no_path_leads_out_by_any_parameter_of_any_tool hostile_paths_are_denied hostile_paths_are_outside hostile_paths_are_refused \
         paths_that_lead_out_escape",
    ),
    (
        "P2",
        "`..` that stays inside",
        "each_profile_reads_the_forms_of_a_path_that_its_contract_has whatever_is_asked_the_answer_lies_under_the_root",
    ),
    (
        "P3",
        "absolute paths of any system",
        "no_path_leads_out_by_any_parameter_of_any_tool what_other_systems_and_shells_read_into_a_path_is_taken_literally",
    ),
    (
        "P4",
        "an absolute path inside",
        "each_profile_reads_the_forms_of_a_path_that_its_contract_has",
    ),
    (
        "P5",
        "a sibling with the same beginning",
        "no_path_leads_out_by_any_parameter_of_any_tool",
    ),
    (
        "P6",
        "links out, dangling, in chains, in circles",
        "no_path_leads_out_by_any_parameter_of_any_tool links_lead_inside_or_nowhere what_links_lead_to_is_indexed_once_and_never_outside \
         links_out_of_the_root_are_not_followed",
    ),
    (
        "P7",
        "links that stay inside",
        "links_lead_inside_or_nowhere links_are_followed_inside_only what_links_lead_to_is_indexed_once_and_never_outside",
    ),
    (
        "P8",
        "writing through a dangling link",
        "no_path_leads_out_by_any_parameter_of_any_tool files_are_written_inside_only whatever_is_written_lies_inside",
    ),
    (
        "P9",
        "folders exchanged for links",
        "sixty_thousand_reads_leak_nothing sixty_thousand_writes_leave_the_outside_alone \
         the_settings_of_git_are_not_read_through_an_exchanged_folder a_pipe_in_the_place_of_a_links_target_is_not_waited_for",
    ),
    (
        "P10",
        "links into /proc and /dev",
        "no_path_leads_out_by_any_parameter_of_any_tool what_a_process_holds_is_no_way_in links_lead_inside_or_nowhere",
    ),
    (
        "P11",
        "pipes, sockets, devices, folders as files",
        "what_is_no_file_is_refused_at_once_by_every_tool devices_are_refused_at_once a_device_in_the_place_of_a_file_is_no_file \
         ignore_files_that_are_no_files_are_passed_over what_is_no_file_of_rules_is_not_opened what_is_no_file_is_left_alone \
         what_is_no_file_is_refused_at_once rules_are_read_from_files_only",
    ),
    (
        "P12",
        "NUL, line ends, ESC, too long, empty, surrogates",
        "what_is_no_path_is_refused_by_any_parameter_of_any_tool each_profile_reads_the_forms_of_a_path_that_its_contract_has \
         names_that_want_to_be_more_than_names_are_told_as_names odd_paths_are_taken_literally_or_refused \
         whatever_line_is_sent_one_message_or_none_comes_back",
    ),
    (
        "P13",
        "names that are not UTF-8",
        "names_that_are_not_utf8_are_reported odd_paths_are_taken_literally_or_refused names_that_want_to_be_more_than_names_are_told_as_names",
    ),
    (
        "P14",
        "composed and decomposed names",
        "names_that_look_alike_are_different_files names_that_look_alike_are_different_files_of_the_index",
    ),
    (
        "P15",
        "names that differ by case",
        "names_that_look_alike_are_different_files names_that_look_alike_are_different_files_of_the_index",
    ),
    (
        "P16",
        "names that other systems reserve",
        "names_that_look_alike_are_different_files names_that_look_alike_are_different_files_of_the_index \
         names_that_some_file_system_takes_for_a_hidden_folder_are_hidden",
    ),
    (
        "P17",
        "escaped and wide dots",
        "what_other_systems_and_shells_read_into_a_path_is_taken_literally",
    ),
    (
        "P18",
        "`~`, `$HOME`, `*`",
        "what_other_systems_and_shells_read_into_a_path_is_taken_literally names_that_look_alike_are_different_files",
    ),
    (
        "P19",
        "`.git`, `.env`, `.codeagent`",
        "no_path_leads_out_by_any_parameter_of_any_tool each_profile_reads_the_forms_of_a_path_that_its_contract_has \
         local_fetch_content_reads_sections walk_sees_what_git_sees_without_build_output",
    ),
    (
        "F1",
        "empty files and line ends of every kind",
        "every_profile_reads_bytes_of_any_kind_or_refuses_them lines_are_counted_and_picked_whatever_ends_them",
    ),
    (
        "F2",
        "byte order marks, UTF-16, Latin-1, NUL",
        "every_profile_reads_bytes_of_any_kind_or_refuses_them bytes_become_text binary_is_told_from_text bytes_and_encodings",
    ),
    (
        "F3",
        "long lines, many lines, huge and growing files",
        "ten_thousand_lines_and_half_a_megabyte_are_the_border two_gigabytes_of_nothing_are_refused_or_passed_over \
         a_file_that_grows_and_shrinks_is_read_as_it_is_at_some_moment a_line_without_an_end_costs_bounded_memory \
         read_file_is_cut_at_its_limits a_file_that_changes_while_it_is_read_is_indexed",
    ),
    (
        "F4",
        "sources made to be hard",
        "csharp_texts typescript_texts bytes_and_encodings",
    ),
    (
        "F5",
        "crowded and deep folders, many ignore rules, circles",
        "a_hundred_thousand_entries_of_a_folder_are_cut_and_counted a_hundred_thousand_links_are_listed_and_not_followed \
         three_thousand_folders_deep_is_no_matter three_thousand_folders_deep_are_walked_and_removed_with_few_handles \
         floods_of_ignore_rules_are_bounded rules_of_many_folders_are_bounded_in_all circles_of_folders_are_walked_once project_files \
         large_directories_are_cut_and_say_so a_crowded_repository_is_answered_in_bounds",
    ),
    (
        "Q1",
        "queries with the signs of FTS5 and SQL",
        "queries_of_any_kind_are_searched_or_refused",
    ),
    (
        "Q2",
        "parameters of wrong type or value",
        "every_parameter_is_checked_and_every_default_holds every_parameter_is_checked whatever_line_is_sent_one_message_or_none_comes_back",
    ),
    (
        "Q3",
        "patterns made to hang",
        "patterns_of_any_kind_are_searched_or_refused_in_time_by_every_search no_pattern_is_too_odd no_glob_is_too_odd",
    ),
    (
        "Q4",
        "unknown symbols",
        "what_names_no_symbol_here_is_not_found_by_any_tool an_unknown_symbol_is_not_found",
    ),
    (
        "W1",
        "patches that do not fit",
        "patches_that_do_not_fit_change_nothing a_patch_fits_exactly_or_not_at_all \
         a_hundred_thousand_hunks_are_applied_or_refused_in_bounded_work patch_apply_changes_a_file_or_leaves_it",
    ),
    (
        "W2",
        "limits, rights, full disks, many writers",
        "writes_that_cannot_be_made_change_nothing write_file_manual_tests permissions_are_kept_and_respected \
         a_full_disk_leaves_the_old_content a_full_file_system_keeps_what_it_holds a_reader_sees_the_old_or_the_new_content \
         concurrent_writes_leave_one_of_the_contents whatever_line_is_sent_one_message_or_none_comes_back",
    ),
    ("W3", "edits that do not fit", "edit_file_manual_tests"),
    (
        "W4",
        "moves onto themselves and elsewhere, removals through links",
        "moves_and_removals_have_defined_ends things_are_moved_inside_only things_are_removed_inside_only \
         nothing_is_moved_to_another_file_system",
    ),
    (
        "X1",
        "commands that break out",
        "no_vector_gets_out_of_the_jail the_corpus_is_hostile interpreters_stay_in_the_repository no_program_reaches_the_machine \
         no_program_changes_what_git_editors_and_shells_run the_programs_are_hostile",
    ),
    (
        "X2",
        "names of commands, many and long arguments",
        "shell_exec_runs_what_is_permitted endless_arguments_and_outputs_are_bounded run_command_manual_tests",
    ),
    (
        "X3",
        "endless output, daemons, deaf commands",
        "what_does_not_end_is_ended_with_all_it_started a_gigabyte_of_output_is_read_and_cut endless_arguments_and_outputs_are_bounded \
         a_process_that_survives_its_command_is_killed a_command_ends_with_its_server_and_leaves_nothing",
    ),
    (
        "H1",
        "strangers and nonsense, over HTTP and standard input",
        "strangers_are_refused only_our_own_names_are_answered web_pages_are_refused_but_for_those_allowed the_token_is_shown_once_and_right \
         the_token_is_in_a_file_of_the_owner_and_nowhere_else a_server_that_strangers_could_reach_is_not_started \
         what_revision_2026_07_28_demands_of_headers_is_checked a_client_that_stalls_does_not_keep_others_waiting \
         a_thousand_connections_that_say_nothing_are_given_up sessions_of_2024_11_05_are_few_and_end_with_their_streams \
         get_status_never_shows_a_path a_web_page_of_an_allowed_origin_can_use_the_server half_sent_large_bodies_block_nobody \
         a_body_that_is_announced_too_large_is_refused_before_it_comes what_is_no_message_is_answered_as_over_standard_input \
         whatever_line_is_sent_one_message_or_none_comes_back every_line_is_a_message_or_refused_or_nothing \
         a_line_that_is_too_long_is_refused_and_the_next_one_read two_thousand_calls_at_once_are_all_answered \
         a_cancelled_call_has_no_answer_and_an_end_of_input_ends_it the_revision_is_settled_by_the_first_message \
         a_tool_that_panics_answers_an_error a_server_that_is_told_to_stop_stops",
    ),
    (
        "I1",
        "contents and names that want to be more than data",
        "what_files_say_is_data what_sources_say_is_data contents_never_become_lines_of_the_protocol \
         names_that_want_to_be_more_than_names_are_told_as_names",
    ),
];
