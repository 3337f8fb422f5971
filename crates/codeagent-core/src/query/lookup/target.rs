//! Targets: the symbols, files, folders and literals that a caller's text refers to.
//!
//! A text is a name or the end of one, `FILE:LINE`, a file, a folder, a quoted literal, several of
//! these, or a sentence that mentions them (`who calls Cart.Total?`). Names are resolved by
//! [`resolve_symbols`]. A name under which TypeScript imports or re-exports a symbol resolves to
//! that symbol. Unresolved parts are returned with the reason.
//!
//! Limitations: a lower-case word of a sentence counts as a name only if the sentence has no other
//! target.

mod alias;
mod described_members;
mod excluded;
mod external;
mod fluent;
mod kind_words;
mod module;
mod overriders;
mod places;
mod prose;
mod strings;
mod tokens;
mod weak_names;

use crate::model::dispatch::verbs_agree;
use crate::model::graph::{Dialect, Node, NodeId, NodeType};
use crate::query::dispatch::steps::events_named;
use crate::query::lookup::position;
use crate::query::{
    DispatchStep, EventSites, NotFound, files_of_route, literal_files, resolve_symbols,
};
use crate::query::{
    Note, QueryError, Sources, SymbolGroup, get_node_by_qualified_name, is_compound, routes_of,
};
use crate::store::{self, Snapshot, StoredExternal};

pub use alias::Alias;
pub(in crate::query) use kind_words::{is_hook, kind_test};
use strings::{event, has_literal, is_known_event, route};
pub use tokens::is_common;
pub(in crate::query) use tokens::{Token, is_technical, tokens};
pub use tokens::{capitalized, is_all_capitals, is_request_method, name_words};
pub(in crate::query) use weak_names::names_nothing_for_sure;
pub use weak_names::{is_acronym, is_mixed_case};

/// Maximum number of targets per text.
const MAX_TARGETS: usize = 12;

/// Maximum number of target files with the same name.
const MAX_FILES: usize = 8;

/// Words of a sentence that call a quoted text a string.
const STRINGS: &[&str] = &[
    "channel", "event", "literal", "message", "route", "setting", "string", "topic",
];

/// Beginnings of words of a sentence about an event, whose name may be that of a symbol, too.
const EVENTS: &[&str] = &["emit", "fire", "hear", "listen", "subscrib", "trigger"];

/// Beginnings of words of a sentence about the use of a package.
const PACKAGES: &[&str] = &["depend", "import", "librar", "packag"];

/// Beginnings of words of a sentence about what a type has below it.
const SUBTYPES: &[&str] = &[
    "deriv",
    "extend",
    "implement",
    "inherit",
    "subclass",
    "subtype",
];

/// Beginnings of words of a sentence about what overrides a member.
const OVERRIDES: &[&str] = &["overrid"];

/// What a module path leaves out, in the order of lookup.
const MODULE_ENDINGS: [&str; 8] = [
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mts",
    ".mjs",
    "/index.ts",
    "/index.js",
];

/// Maximum length of a text, in bytes.
const MAX_BYTES: usize = 4_000;

/// An entity that a text refers to.
#[derive(Clone, Debug)]
pub enum Target {
    /// Symbols with a name or at a location.
    Symbols(SymbolTarget),
    /// An indexed file.
    File {
        /// The text that named it.
        asked: String,
        /// Repo-relative path of the file.
        path: String,
        /// Node of the file.
        node: Box<Node>,
    },
    /// A folder that contains indexed files.
    Folder {
        /// The text that named it.
        asked: String,
        /// Repo-relative path, without a trailing slash; `.` is the whole repository.
        path: String,
    },
    /// Symbols outside the repository, which it uses.
    External {
        /// The text that named them.
        asked: String,
        /// The symbols; never empty.
        symbols: Vec<StoredExternal>,
        /// The name of a member of these types that the repository implements, but does not use.
        member: Option<String>,
    },
    /// A string that is not the name of a symbol: a route, an event, an environment variable.
    Literal(LiteralTarget),
}

/// A string of a question, and the routes and events that it names.
#[derive(Clone, Debug)]
pub struct LiteralTarget {
    /// The string, without quotes.
    pub text: String,
    /// The HTTP method that stands before it: `POST /users`.
    pub method: Option<String>,
    /// The routes with this path.
    pub routes: Vec<DispatchStep>,
    /// Repo-relative paths of the files that serve the route because of where they are.
    pub files: Vec<String>,
    /// What listens to the event with this name, and what emits it.
    pub events: EventSites,
}

/// The symbols that a name resolves to.
#[derive(Clone, Debug)]
pub struct SymbolTarget {
    /// The text that named them.
    pub asked: String,
    /// Groups to answer, best first; never empty.
    pub groups: Vec<SymbolGroup>,
    /// Other groups with the name, best first.
    pub others: Vec<SymbolGroup>,
    /// How the name was resolved, if not as written.
    pub note: Option<Note>,
    /// The import or re-export that introduces the name, if it is an alias.
    pub alias: Option<Alias>,
}

/// The entities that a text refers to.
#[derive(Debug, Default)]
pub struct Targets {
    /// Targets, in the order of the text.
    pub found: Vec<Target>,
    /// Parts of the text that look like names but could not be resolved, each with the reason.
    pub missing: Vec<(String, QueryError)>,
    /// Acronyms that are names of symbols only in lower case, and are left out beside other names.
    pub asides: Vec<String>,
    /// Names that are left out because the text describes something else.
    pub left_out: Vec<String>,
    /// Names of files, folders and namespaces in which the text looks for something: `in src/shop`.
    pub limiting: Vec<String>,
    /// Other words of the text, in lower case.
    pub words: Vec<String>,
    /// Whether a target is written as a name, not as a word that a name happens to equal.
    pub has_written_name: bool,
    /// Whether the text is a sentence rather than a list of names.
    pub is_sentence: bool,
}

impl Target {
    /// Returns the ids of the symbols or the file; empty for folders and literals.
    #[must_use]
    pub fn ids(&self) -> Vec<NodeId> {
        match self {
            Self::Symbols(symbols) => symbols.groups.iter().flat_map(SymbolGroup::ids).collect(),
            Self::File { node, .. } => vec![node.id],
            Self::Folder { .. } | Self::External { .. } | Self::Literal(_) => Vec::new(),
        }
    }

    /// Reports whether the target is symbols that only tests declare.
    #[must_use]
    pub fn is_of_tests(&self) -> bool {
        let is_test = |node: &Node| {
            let mut spans = node.spans.iter();
            spans.all(|span| store::is_test_path(&span.path))
        };
        match self {
            Self::Symbols(symbols) => {
                let mut nodes = symbols.groups.iter().flat_map(|group| &group.nodes);
                nodes.all(is_test)
            }
            _ => false,
        }
    }

    /// Returns the text that named the target.
    #[must_use]
    pub fn requested_text(&self) -> &str {
        match self {
            Self::Symbols(symbols) => &symbols.asked,
            Self::File { asked, .. }
            | Self::Folder { asked, .. }
            | Self::External { asked, .. } => asked,
            Self::Literal(literal) => &literal.text,
        }
    }
}

impl SymbolTarget {
    fn has_types(&self) -> bool {
        self.groups
            .iter()
            .any(|group| group.first().node_type.is_type())
    }
}

impl LiteralTarget {
    /// Looks up the routes of a string.
    fn new(sources: &Sources<'_>, text: &str, method: Option<&str>) -> Result<Self, QueryError> {
        // A text of several words is no path, unless the first is a method: `GET /users`.
        let first = text.split_once(char::is_whitespace);
        let is_path = first.is_none_or(|(verb, _)| tokens::is_request_method(verb));
        let routes = match is_path {
            true => routes_of(sources.snapshot(), text)?,
            false => Vec::new(),
        };
        Ok(Self {
            text: text.to_owned(),
            method: method.map(str::to_owned),
            routes,
            files: files_of_route(sources, text, method)?,
            events: events_named(sources.snapshot(), text)?,
        })
    }

    /// Reports whether something serves the route or emits or listens to the event with its name.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.routes.is_empty()
            || !self.files.is_empty()
            || !self.events.listeners.is_empty()
            || !self.events.emitters.is_empty()
    }

    /// Reports whether a request with the target's method may reach a route with another.
    #[must_use]
    pub fn is_reached_by(&self, method: &str) -> bool {
        let asked = self.method.as_deref();
        asked.is_none_or(|asked| verbs_agree(asked, method))
    }
}

impl Targets {
    /// Reports whether a word of the text starts with one of these prefixes.
    #[must_use]
    pub fn mentions(&self, beginnings: &[&str]) -> bool {
        self.words
            .iter()
            .any(|word| beginnings.iter().any(|start| word.starts_with(start)))
    }

    /// Reports whether the text has a word that names no target.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    /// Returns the words that name no target and do not only ask.
    pub fn uncommon_words(&self) -> impl Iterator<Item = &str> {
        let words = self.words.iter().map(String::as_str);
        words.filter(|word| !tokens::is_common(word))
    }

    /// Returns the uncommon words before the first word that starts with one of these prefixes; a `startup` starts
    /// nothing.
    pub fn uncommon_words_before(&self, beginnings: &[&str]) -> impl Iterator<Item = &str> {
        let is_end = |word: &String| {
            beginnings.iter().any(|start| word.starts_with(start)) && !word.ends_with("up")
        };
        let end = self.words.iter().position(is_end);
        let words = self.words[..end.unwrap_or(self.words.len())].iter();
        words
            .map(String::as_str)
            .filter(|word| !tokens::is_common(word))
    }

    /// Removes all targets, and keeps their names as left out.
    pub fn leave_out_names(&mut self) {
        for target in self.found.drain(..) {
            let name = target.requested_text();
            if !self.left_out.iter().any(|known| known == name) {
                self.left_out.push(name.to_owned());
            }
        }
    }

    /// Returns an error if there are no targets.
    pub fn check(mut self) -> Result<Self, QueryError> {
        if self.found.is_empty() && !self.missing.is_empty() {
            return Err(self.missing.swap_remove(0).1);
        }
        Ok(self)
    }
}

/// Resolves a text to targets.
pub fn resolve_targets(sources: &mut Sources<'_>, text: &str) -> Result<Targets, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QueryError::EmptySearch);
    }
    if text.len() > MAX_BYTES {
        return Err(QueryError::SearchTooLong {
            bytes: text.len(),
            max: MAX_BYTES,
        });
    }
    let snapshot = sources.snapshot();
    let mut targets = Targets::default();
    if let Some(whole) = whole(snapshot, text)? {
        targets.found.push(whole);
        return Ok(targets);
    }

    let tokens = tokens(text);
    targets.is_sentence = tokens::is_sentence(text, &tokens);
    targets.words = tokens
        .iter()
        .filter(|token| token.is_plain())
        .map(|token| token.text.to_lowercase())
        .collect();
    let is_other =
        |token: &Token<'_>| token.is_name(targets.is_sentence) && !tokens::is_technical(token);
    let has_others = tokens.iter().any(is_other);
    let mut method = None;
    let mut next = 0;
    for (at, token) in tokens.iter().enumerate() {
        if at < next {
            continue;
        }
        let may_add = targets.is_sentence && targets.found.len() < MAX_TARGETS;
        if may_add && let Some((target, length)) = prose::capitalized_name(snapshot, &tokens[at..])?
        {
            targets.found.push(target);
            next = at + length;
            continue;
        }
        if may_add
            && let Some((phrase, length)) = prose::capitalized_phrase(snapshot, &tokens[at..])?
        {
            let literal = LiteralTarget::new(sources, &phrase, None)?;
            targets.found.push(Target::Literal(literal));
            next = at + length;
            continue;
        }
        if let Some(verb) = tokens::method_of_route(&tokens[at..]) {
            method = Some(verb);
            continue;
        }
        let method = if token.is_plain() {
            None
        } else {
            method.take()
        };
        if token.is_name(targets.is_sentence) && targets.found.len() < MAX_TARGETS {
            if kind_words::is_place(&tokens, at)
                && let places @ [_, ..] = places::named(snapshot, token.text)?.as_slice()
            {
                targets.found.extend(places.iter().cloned());
                continue;
            }
            if kind_words::is_route(&tokens, at)
                && let Some((route, true)) = route(sources, &format!("/{}", token.text), method)?
            {
                targets.found.push(Target::Literal(route));
                continue;
            }
            add(sources, &mut targets, token, (method, has_others))?;
        }
    }
    if targets.is_sentence
        && weak_names::differ_in_case(&targets, &tokens)
        && let Some(joined) = prose::joined_name(snapshot, &targets, &tokens)?
    {
        targets.found = vec![joined];
    }
    if targets.is_sentence {
        weak_names::drop_examples(&mut targets, text);
        excluded::drop_excluded(&mut targets, &tokens);
        prose::join_members(snapshot, &mut targets, &tokens)?;
        prose::add_members(snapshot, &mut targets, &tokens)?;
        prose::add_path_ends(snapshot, &mut targets, &tokens)?;
        prose::select_by_namespaces(&mut targets);
        prose::drop_asides(&mut targets, &tokens);
        prose::select_by_types(&mut targets, &tokens);
        weak_names::drop_products(&mut targets, &tokens);
        strings::prefer_settings(sources, &mut targets, &tokens)?;
        weak_names::drop_weak(sources, &mut targets, &tokens)?;
        kind_words::prefer_places(&mut targets, &tokens);
        kind_words::prefer_kinds(&mut targets, &tokens);
        kind_words::prefer_owners(&mut targets);
        kind_words::prefer_members(&mut targets);
        places::add(snapshot, &mut targets, &tokens)?;
        places::limit(snapshot, &mut targets, &tokens)?;
    }
    targets.has_written_name = !targets.found.is_empty() || !targets.missing.is_empty();
    if !targets.has_written_name && targets.is_sentence {
        for word in targets.words.clone() {
            let event = event(sources, &targets, &word)?;
            targets.found.extend(event.filter(is_known_event));
        }
        if targets.found.is_empty() {
            let named = match strings::joined_event(sources, &targets, &tokens)? {
                Some(joined) => Some(joined),
                None => prose::plain_event(sources, &targets, &tokens)?,
            };
            targets.found.extend(named);
        }
        let named = match prose::joined_name(snapshot, &targets, &tokens)? {
            Some(_) if !targets.found.is_empty() => None,
            Some(joined) => Some(joined),
            None => prose::plain_name(snapshot, &targets, &tokens)?,
        };
        targets.found.extend(named);
        if targets.found.is_empty() && targets.mentions(PACKAGES) {
            let package = external::package(snapshot, &targets)?;
            targets.found.extend(package);
        }
    }
    described_members::add(snapshot, &mut targets, &tokens)?;
    if targets.found.is_empty() {
        for (asked, _) in std::mem::take(&mut targets.missing) {
            match alias::resolve(sources, &asked)? {
                Some(target) => targets.found.push(Target::Symbols(target)),
                None => {
                    let error = missing(sources.snapshot(), &asked)?;
                    targets.missing.push((asked, error));
                }
            }
        }
    }
    Ok(targets)
}

/// Resolves a text that is one name, possibly with spaces: `Cart.Add(Product, int)`, a file path.
fn whole(snapshot: &Snapshot, text: &str) -> Result<Option<Target>, QueryError> {
    let has_space = text.contains(char::is_whitespace);
    let is_signature = text.ends_with(')') && text.contains('(');
    if has_space && !is_signature {
        let file = store::file_by_path(snapshot, text)?;
        return Ok(match file {
            Some(_) => files(snapshot, text)?.pop(),
            None => None,
        });
    }
    if has_space {
        return Ok(symbols(snapshot, text)?.ok().map(Target::Symbols));
    }
    Ok(None)
}

/// Adds the targets of a token, or the reason why there are none. For a route, `method` is the HTTP
/// method before it; `has_others` tells whether other words of the sentence are names for sure.
fn add(
    sources: &mut Sources<'_>,
    targets: &mut Targets,
    token: &Token<'_>,
    (method, has_others): (Option<&str>, bool),
) -> Result<(), QueryError> {
    let snapshot = sources.snapshot();
    let text = token.text;

    if targets.is_sentence && tokens::is_technical(token) {
        let is_named = symbols(snapshot, text)?.is_ok_and(|found| found.note.is_none());
        let is_aside = has_others || targets.uncommon_words().nth(1).is_some();
        if !is_named && (is_aside || external::as_written(snapshot, text)?.is_none()) {
            targets.words.push(text.to_lowercase());
            return Ok(());
        }
    }

    let paths = paths(snapshot, text)?;
    if !paths.is_empty() {
        targets.found.extend(paths);
        return Ok(());
    }
    let route = route(sources, text, method)?;
    if let Some((route, true)) = route {
        targets.found.push(Target::Literal(route));
        return Ok(());
    }
    let is_file = text.contains('/') || !token.is_quoted && !has_literal(snapshot, text)?;
    if method.is_none() && is_file {
        let modules = modules(snapshot, text)?;
        if !modules.is_empty() {
            targets.found.extend(modules);
            return Ok(());
        }
    }
    if targets.is_sentence
        && targets.mentions(OVERRIDES)
        && let Some(overriders) = overriders::of_external(snapshot, text)?
    {
        targets.found.push(Target::Symbols(overriders));
        return Ok(());
    }
    let literal = |sources: &Sources<'_>| match &route {
        Some((route, _)) if route.text == text => Ok(route.clone()),
        _ => LiteralTarget::new(sources, text, method),
    };
    let found = symbols(snapshot, text)?;
    let is_literal = token.is_quoted
        || tokens::is_constant(text)
        || tokens::is_dotted(text)
        || tokens::is_route(text);
    // In quotation marks, the name of a string is not that of a symbol, nor is what no code can name.
    let is_string = token.is_quoted && (targets.mentions(STRINGS) || !tokens::is_name(text));
    match found {
        Ok(_) if is_string && literal_files(snapshot, text)? > 0 => {
            targets.found.push(Target::Literal(literal(sources)?));
        }
        // A string or a name of a package as written precedes a symbol that differs in case.
        Ok(symbols)
            if matches!(symbols.note, Some(Note::MatchedIgnoringCase { .. }))
                && (token.is_quoted || token.is_code || tokens::is_all_capitals(text))
                && has_literal(snapshot, text)? =>
        {
            targets.found.push(Target::Literal(literal(sources)?));
        }
        Ok(symbols)
            if matches!(symbols.note, Some(Note::MatchedIgnoringCase { .. }))
                && let Some(external) = external::as_written(snapshot, text)? =>
        {
            targets.found.push(external);
        }
        Ok(symbols)
            if targets.mentions(SUBTYPES)
                && !symbols.has_types()
                && let Some(external) = external::extended(snapshot, text)? =>
        {
            targets.found.push(external);
        }
        Ok(symbols) => {
            targets.found.extend(event(sources, targets, text)?);
            targets.found.push(Target::Symbols(symbols));
            // An environment variable may be a constant as well as a string.
            if tokens::is_constant(text) {
                targets.found.push(Target::Literal(literal(sources)?));
            }
            targets
                .found
                .extend(external::exported_by_package(snapshot, text)?);
        }
        Err(_) if let Some(member) = alias::of_object(snapshot, text)? => {
            targets.found.push(Target::Symbols(member))
        }
        Err(_) if let Some(member) = fluent::of_result(snapshot, text)? => {
            targets.found.push(Target::Symbols(member))
        }
        Err(_) if let Some(external) = external::by_name(snapshot, text)? => {
            targets.found.push(external)
        }
        Err(_) if let Some(member) = external::by_member(snapshot, text)? => {
            targets.found.push(member)
        }
        Err(_) if let Some(modules) = module::imported(sources, text)? => {
            targets.found.extend(modules);
        }
        // Behind other words of prose; `lodash/debounce` alone is a module.
        Err(_)
            if tokens::is_alternative(token)
                && targets.uncommon_words().nth(1).is_some()
                && !has_literal(snapshot, text)? =>
        {
            let words = text.split('/').map(str::to_owned);
            targets.words.extend(words);
        }
        // `reasoning_effort` may be the name of a property in a message, `cart.Closed` that of an event.
        Err(_) if is_literal || is_composed(text) && has_literal(snapshot, text)? => {
            targets.found.push(Target::Literal(literal(sources)?));
        }
        Err(error) => match alias::resolve(sources, text)? {
            Some(alias) => targets.found.push(Target::Symbols(alias)),
            None => {
                let folders = places::folders_of_name(snapshot, text)?;
                if folders.is_empty() {
                    targets.missing.push((text.to_owned(), error));
                }
                targets.found.extend(folders);
            }
        },
    }
    Ok(())
}

/// Reports whether a name has several parts: `reasoning_effort`, `cart.Closed`, `NoHotkeys`.
fn is_composed(name: &str) -> bool {
    name.contains(['_', '.']) || is_compound(name)
}

/// Resolves a name or a location; a call in it stands for what it returns (`useCart().add`), and
/// arguments that are no types of parameters are left out. The inner error tells why there is no
/// symbol.
fn symbols(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Result<SymbolTarget, QueryError>, QueryError> {
    let text = &text.replace("().", ".");
    let text = &tokens::without_parameter_names(text);
    let found = symbols_as_written(snapshot, text)?;
    let (called, arguments) = text.split_once('(').unwrap_or_default();
    let arguments = arguments.trim_end_matches(')');
    let is_call = !called.is_empty() && tokens::is_name(called) && text.ends_with(')');
    if found.is_ok() || !is_call || !arguments.split(',').all(tokens::is_value) {
        return Ok(found);
    }
    let without_arguments = symbols_as_written(snapshot, called)?;
    Ok(without_arguments.or(found))
}

fn symbols_as_written(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Result<SymbolTarget, QueryError>, QueryError> {
    match resolve_symbols(snapshot, text, None) {
        Ok(matches) => Ok(Ok(SymbolTarget {
            asked: text.to_owned(),
            groups: matches.answered,
            others: matches.listed,
            note: matches.note,
            alias: None,
        })),
        Err(error @ QueryError::Store(_)) => Err(error),
        Err(error) => Ok(Err(error)),
    }
}

/// Returns the files or the folder with this path; empty if there are none.
fn paths(snapshot: &Snapshot, text: &str) -> Result<Vec<Target>, QueryError> {
    if text.contains('#') || position::parse(text).is_some() {
        return Ok(Vec::new());
    }
    if text == "." {
        return Ok(vec![folder(text, ".".to_owned())]);
    }

    let path = text.trim_start_matches("./").trim_end_matches('/');
    let is_path = text.contains('/');
    if is_path || Dialect::of_path(path).is_some() {
        let files = files(snapshot, path)?;
        if !files.is_empty() {
            return Ok(files);
        }
    }

    if is_path {
        let folders = store::folders_named(snapshot, path, MAX_FILES)?;
        return Ok(folders.into_iter().map(|path| folder(text, path)).collect());
    }

    Ok(Vec::new())
}

/// Returns the files of a module path without an ending, as an import has it: `utils/console`. A name with a
/// hyphen is that of a file, because code cannot have it: `send-mail.handler`.
fn modules(snapshot: &Snapshot, text: &str) -> Result<Vec<Target>, QueryError> {
    let path = text.trim_start_matches("./");
    if path.starts_with('/') || !path.contains(['/', '-']) || path.contains(['#', '{', '*', ':']) {
        return Ok(Vec::new());
    }
    for ending in MODULE_ENDINGS {
        let found = files(snapshot, &format!("{path}{ending}"))?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

fn folder(asked: &str, path: String) -> Target {
    Target::Folder {
        asked: asked.to_owned(),
        path,
    }
}

/// Returns the files at a path, or else those whose path ends with it.
fn files(snapshot: &Snapshot, text: &str) -> Result<Vec<Target>, QueryError> {
    let paths = match store::file_by_path(snapshot, text)? {
        Some(file) => vec![file.path],
        None => {
            let keys = store::files_ending(snapshot, text, MAX_FILES)?;
            let paths = keys
                .into_iter()
                .filter_map(|key| store::file_path(snapshot, key).transpose());
            paths.collect::<Result<_, _>>()?
        }
    };

    let mut files = Vec::new();
    for path in paths {
        let nodes = get_node_by_qualified_name(snapshot, &path, None, None)?;
        let node = nodes
            .into_iter()
            .map(|(node, _)| node)
            .find(|node| node.node_type == NodeType::File);
        files.extend(node.map(|node| Target::File {
            asked: text.to_owned(),
            path,
            node: Box::new(node),
        }));
    }

    Ok(files)
}

fn missing(snapshot: &Snapshot, asked: &str) -> Result<QueryError, QueryError> {
    Ok(match symbols(snapshot, asked)? {
        Err(error) => error,
        Ok(_) => QueryError::NoSymbol(Box::new(NotFound {
            asked: asked.to_owned(),
            instead: crate::query::Instead::Nearest(Vec::new()),
            unindexed: Vec::new(),
            missing: None,
        })),
    })
}
