//! Queries: one file each, every query a function over a [`Snapshot`].
//!
//! - `lookup`: from the text of a question to symbols;
//! - `uses`: what is one step away from a symbol, a file or a package;
//! - `graph`: walks over several steps;
//! - `dispatch`: connections without a call;
//! - `text`: sources, literals, texts of interfaces and files in other languages;
//! - `unresolved`: uses without a target, absent packages, files without symbols.
//!
//! Answers, notes and errors are values, not sentences or JSON; `codeagent-render` words them. Only
//! [`Sources`] reads files, through the workspace it is given.

mod changes;
mod dispatch;
mod error;
mod export;
mod graph;
mod labels;
mod lookup;
mod note;
mod occurrence;
mod search;
mod status;
#[cfg(test)]
mod tests;
mod text;
mod unresolved;
mod uses;
mod vectors;

pub use changes::{
    Break, BreakReason, ChangeKind, Changes, ChangesError, DeclaredSymbol, SymbolChange, changes,
};
pub use dispatch::commands::{all_commands, commands_in};
use dispatch::file_routes::files_of_route;
pub use dispatch::file_routes::{files_with_routes, requests_of_files};
pub use dispatch::framework_lines::{
    FrameworkLines, asked_framework_lines, lines_that_read_settings,
};
pub use dispatch::handlers::{handlers, handlers_at, handlers_named_in, registered_in};
pub use dispatch::key_path::flow_of_keys;
pub use dispatch::mounted_routes::routes_below;
pub use dispatch::object_keys::{key_of_string, undecided_keys, uses_of_key};
pub use dispatch::routes::all_routes;
use dispatch::routes::routes_of;
pub use dispatch::steps::{
    DispatchStep, EventSites, dispatched_from, dispatched_to, events_named, handlers_of, is_inside,
    run_by_constant,
};
pub use error::QueryError;
pub use export::{
    ExportTables, PublishedName, ScipExportError, ScipReport, SymbolScheme, export, export_scip,
    published_names,
};
pub use graph::affected::{Affected, AffectedBy, affected};
pub use graph::caller_tree::caller_tree;
pub use graph::flow::{flow, is_of_all_objects, is_raised};
pub use graph::impact::{
    AffectedUse, Impact, ImpactQuery, ImpactStep, MAX_IMPACT_DEPTH, ReachingTest, impact,
};
pub use graph::neighborhood::{
    NearRelation, NearSymbol, Neighborhood, NeighborhoodQuery, Side, neighborhood,
};
pub use graph::overview::{
    Cycle, Doubt, EntryKind, EntryPoint, MutualUse, Overview, Part, PartUse, RunScript, Scope,
    UnusedSymbol, UsedSymbol, entry_overview, overview, scripts_run,
};
pub use graph::path::{Link, MAX_STEPS, PathSearch, PathStep, find_path, others_as_short};
pub use graph::reach::{CallersOfCallers, ReachingTests, callers_of_callers, tests_reaching};
pub use graph::type_dependencies::{TypeDependency, owner_of, tree, type_dependencies};
pub use labels::Labels;
pub use lookup::cursor::{
    LineUse, UsePlace, declared_on_line, unresolved_on_lines, use_places, uses_on_line,
    uses_on_lines,
};
pub use lookup::described::{
    asks_for_type, asks_for_value, described_helpers, described_rather, described_symbols,
    is_name_said, kind_of_described, overridden_member, type_or_owner, without_what_is_not_done,
};
pub use lookup::described_noun::{DescribedNoun, NounKind, described_noun};
pub use lookup::described_tests::{DescribedTest, DescribedTests, described_tests};
pub use lookup::folder::resolve_folder;
pub use lookup::kind::{Kind, Selection, asked_kind};
pub use lookup::namesakes::{classes_with_members, functions_of_name, symbols_of_name};
pub use lookup::not_found::explain_not_found;
pub use lookup::outline::{
    derive_file_id, files_below, files_of_namespace, get_outline, members_of, named_on_line,
    outermost, source_paths, unique_file,
};
pub use lookup::position::{CallbackLines, is_in_place};
pub use lookup::symbol::{Match, Symbol, get_node, get_node_by_qualified_name, nearest};
pub use lookup::symbol_lookup::{SymbolGroup, SymbolMatches, resolve_symbol, resolve_symbols};
pub use lookup::target::{
    Alias, LiteralTarget, SymbolTarget, Target, Targets, capitalized, is_acronym, is_all_capitals,
    is_common, is_mixed_case, is_request_method, name_words, resolve_targets,
};
pub use lookup::target_nodes::nodes_of;
pub use note::{
    EmptyList, FollowUp, Instead, NamedKind, NoMember, NotFound, Note, PartiallyParsed,
    RelatedResults, SymbolLabel, SymbolSample, UnindexedFiles,
};
pub use occurrence::{Occurrence, Occurrences};
pub use search::{
    FoundSymbol, SearchQuery, SearchResults, Searched, check_project, filter_nodes, search,
};
pub use status::{
    IndexStatus, TextCoverage, counts, generation, most_unresolved, project_ids, reference_count,
    status, unresolved_sites,
};
pub use text::environment::{environment_variables, setting_names};
pub use text::inactive_code::count_inactive_lines;
pub use text::indented::{block, is_label};
pub use text::interface_texts::{
    InterfaceText, Phrase, TextKey, TextPlace, behind_view, bound_names, call_around,
    component_around, component_of_view, conditions, constant_around, escaped_text,
    function_around, handlers_nearby, has_tag_end, interface_phrases, interface_text,
    property_around, reactions, reactions_beside, selected_handlers, type_around,
    type_with_attribute,
};
pub use text::literals::{
    Enclosing, Literal, LiteralSite, enclosing, innermost, literal_files, literal_lines,
    literal_sites, literals_in, literals_in_file, literals_of,
};
pub use text::shared_literals::{SharedLiteral, shared_literals};
pub use text::source::{SourceState, Sources, get_source};
pub use text::text_files::TextFiles;
pub use text::text_mentions::{
    MentionPlace, TextMention, TextMentions, is_compound, text_mentions,
};
pub use text::text_search::{FoundText, TextSearchQuery, search_text};
pub use unresolved::absent_packages::{absent_packages, absent_packages_note};
pub use unresolved::possible_callers::{PossibleCallers, possible_callers};
pub use unresolved::possible_uses::{
    PossibleUses, PossibleUsesQuery, Site, SiteSample, possible_uses, site_text,
    unresolved_calls_in,
};
pub use unresolved::unindexed::{
    failed_files, partial_index_note, partially_parsed_files, unindexed_files, unindexed_files_like,
};
pub use unresolved::unknown_calls::{UnknownCall, UnknownCalls};
pub use uses::empty_result_hints::{explain_empty, related_results_hint};
pub use uses::external::{
    ExternalTarget, PackageUse, external_bases_of_members, external_members, external_names,
    external_targets, external_uses, implementations_of_external, members_below,
    package_uses_by_file, resolve_external, types_below, used_packages,
};
pub use uses::file_imports::{FileImport, imports_of};
pub use uses::file_uses::{
    CallCounts, FilePair, FileUses, FolderHealth, FolderMatrix, FolderPart, IndexedFile, file_uses,
};
pub use uses::filter::Filter;
pub use uses::hierarchy::{
    HIERARCHICAL, bases_of, direct_implementations, implementations_of, is_hierarchical,
};
pub use uses::neighbors::{Neighbor, NeighborQuery, Neighbors, Relation, UseSite, get_neighbors};
pub use uses::reexports::{Reexport, export_names, reexports};
pub use uses::relations::{RelatedAt, Relations};
pub use uses::wrapped::wrappers_of;
pub use vectors::{Embedding, Similar, Vectors, exactly_nearest, find_similar};

pub use crate::embed::tokenizer::root as word_root;
pub use crate::store::{
    Counts, DescribedSymbol, ExportSymbol, ExternalSite, FileKey, FilePackageUse, FileRow,
    ImportRow, LanguageCounts, MatchedBy, Score, SearchFilter, Snapshot, StoredExternal,
    SymbolBrief, VectorSource, export_edges, export_node, export_symbols, external_uses_in, files,
    imports, is_generated_path, is_test_path,
};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name of the method that contains C# top-level statements.
const TOP_LEVEL: &str = "<Main>$";

/// Locks a mutex that may be poisoned. Values cached between queries are replaced in one step, so
/// they are consistent even after a panic.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
