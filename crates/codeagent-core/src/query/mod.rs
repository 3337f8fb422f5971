//! Queries: one file each, every query a function over a [`Snapshot`].
//!
//! Answers, notes and errors are values, not sentences or JSON; `codeagent-render` words them. Only
//! [`Sources`] reads files, through the workspace it is given.

mod absent_packages;
mod affected;
mod caller_tree;
mod changes;
mod cursor;
mod described_tests;
mod dispatch;
mod empty_result_hints;
mod environment;
mod error;
mod export;
mod external;
mod file_imports;
mod file_routes;
mod file_uses;
mod filter;
mod flow;
mod folder;
mod framework_lines;
mod handlers;
mod hierarchy;
mod impact;
mod importers;
mod interface_texts;
mod key_path;
mod kind;
mod labels;
mod literals;
mod mounted_routes;
mod neighborhood;
mod neighbors;
mod not_found;
mod note;
mod object_keys;
mod occurrence;
mod outline;
mod overview;
mod parameters;
mod path;
mod position;
mod possible_callers;
mod possible_uses;
mod question;
mod razor;
mod reach;
mod reexports;
mod relations;
mod routes;
mod search;
mod shared_literals;
mod shown_routes;
mod source;
mod source_words;
mod status;
mod symbol;
mod symbol_lookup;
mod target;
mod target_nodes;
#[cfg(test)]
mod tests;
mod text_files;
mod text_mentions;
mod text_search;
mod type_dependencies;
mod unindexed;
mod unknown_calls;
mod unresolved_uses;
mod vectors;
mod wrapped;

pub use absent_packages::{absent_packages, absent_packages_note};
pub use affected::{Affected, AffectedBy, affected};
pub use caller_tree::caller_tree;
pub use changes::{
    Break, BreakReason, ChangeKind, Changes, ChangesError, DeclaredSymbol, SymbolChange, changes,
};
pub use cursor::{
    LineUse, UsePlace, declared_on_line, unresolved_on_lines, use_places, uses_on_line,
    uses_on_lines,
};
pub use described_tests::{DescribedTest, DescribedTests, described_tests};
pub use dispatch::{
    DispatchStep, EventSites, dispatched_from, dispatched_to, events_named, handlers_of, is_inside,
    run_by_constant,
};
pub use empty_result_hints::{explain_empty, related_results_hint};
pub use environment::{environment_variables, setting_names};
pub use error::QueryError;
pub use export::{
    ExportTables, PublishedName, ScipExportError, ScipReport, SymbolScheme, export, export_scip,
    published_names,
};
pub use external::{
    ExternalTarget, PackageUse, external_bases_of_members, external_members, external_names,
    external_targets, external_uses, implementations_of_external, members_below,
    package_uses_by_file, resolve_external, types_below, used_packages,
};
pub use file_imports::{FileImport, imports_of};
use file_routes::files_of_route;
pub use file_routes::files_with_routes;
pub use file_uses::{
    CallCounts, FilePair, FileUses, FolderHealth, FolderMatrix, FolderPart, IndexedFile, file_uses,
};
pub use filter::Filter;
pub use flow::{flow, is_raised};
pub use folder::resolve_folder;
pub use framework_lines::{FrameworkLines, asked_framework_lines, lines_that_read_settings};
pub use handlers::{handlers, handlers_named_in};
pub use hierarchy::{
    HIERARCHICAL, bases_of, direct_implementations, implementations_of, is_hierarchical,
};
pub use impact::{
    AffectedUse, Impact, ImpactQuery, ImpactStep, MAX_IMPACT_DEPTH, ReachingTest, impact,
};
pub use interface_texts::{
    InterfaceText, Phrase, TextKey, TextPlace, bound_names, component_around, constant_around,
    function_around, handlers_nearby, has_tag_end, interface_phrases, interface_text, reactions,
    reactions_beside,
};
pub use key_path::flow_of_keys;
pub use kind::{Kind, Selection, asked_kind};
pub use labels::Labels;
pub use literals::{
    Enclosing, Literal, LiteralSite, enclosing, innermost, literal_files, literal_lines,
    literal_sites, literals_in, literals_in_file, literals_of,
};
pub use neighborhood::{
    NearRelation, NearSymbol, Neighborhood, NeighborhoodQuery, Side, neighborhood,
};
pub use neighbors::{Neighbor, NeighborQuery, Neighbors, Relation, UseSite, get_neighbors};
pub use not_found::explain_not_found;
pub use note::{
    EmptyList, FollowUp, Instead, NamedKind, NoMember, NotFound, Note, PartiallyParsed,
    RelatedResults, SymbolLabel, SymbolSample, UnindexedFiles,
};
pub use object_keys::{key_of_string, undecided_keys, uses_of_key};
pub use occurrence::{Occurrence, Occurrences};
pub use outline::{
    derive_file_id, files_below, get_outline, members_of, outermost, source_paths, unique_file,
};
pub use overview::{
    Cycle, Doubt, EntryKind, EntryPoint, MutualUse, Overview, Part, PartUse, Scope, UnusedSymbol,
    UsedSymbol, entry_overview, overview,
};
pub use path::{Link, MAX_STEPS, PathSearch, PathStep, find_path};
pub use position::{CallbackLines, is_in_place};
pub use possible_callers::{PossibleCallers, possible_callers};
pub use possible_uses::{
    PossibleUses, PossibleUsesQuery, Site, SiteSample, possible_uses, site_text,
    unresolved_calls_in,
};
pub use reach::{CallersOfCallers, ReachingTests, callers_of_callers, tests_reaching};
pub use reexports::{Reexport, reexports};
pub use relations::{RelatedAt, Relations};
pub use routes::all_routes;
use routes::routes_of;
pub use search::{
    FoundSymbol, SearchQuery, SearchResults, Searched, check_project, filter_nodes, search,
};
pub use shared_literals::{SharedLiteral, shared_literals};
pub use source::{SourceState, Sources, get_source};
pub use status::{
    IndexStatus, TextCoverage, counts, generation, most_unresolved, project_ids, reference_count,
    status, unresolved_sites,
};
pub use symbol::{Match, Symbol, get_node, get_node_by_qualified_name, nearest};
pub use symbol_lookup::{SymbolGroup, SymbolMatches, resolve_symbol, resolve_symbols};
pub use target::{
    Alias, LiteralTarget, SymbolTarget, Target, Targets, is_all_capitals, is_request_method,
    name_words, resolve_targets,
};
pub use target_nodes::nodes_of;
pub use text_files::TextFiles;
pub use text_mentions::{TextMention, TextMentions, is_compound, text_mentions};
pub use text_search::{FoundText, TextSearchQuery, search_text};
pub use type_dependencies::{TypeDependency, owner_of, tree, type_dependencies};
pub use unindexed::{
    failed_files, partial_index_note, partially_parsed_files, unindexed_files, unindexed_files_like,
};
pub use unknown_calls::{UnknownCall, UnknownCalls};
pub use vectors::{Embedding, Similar, Vectors, exactly_nearest, find_similar};
pub use wrapped::wrappers_of;

pub use crate::embed::tokenizer::root as word_root;
pub use crate::store::{
    Counts, ExportSymbol, ExternalSite, FileKey, FilePackageUse, FileRow, ImportRow,
    LanguageCounts, MatchedBy, Score, SearchFilter, Snapshot, StoredExternal, SymbolBrief,
    VectorSource, export_edges, export_node, export_symbols, external_uses_in, files, imports,
    is_generated_path, is_test_path,
};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name of the method that contains C# top-level statements.
const TOP_LEVEL: &str = "<Main>$";

/// Locks a mutex that may be poisoned. Values cached between queries are replaced in one step, so
/// they are consistent even after a panic.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
