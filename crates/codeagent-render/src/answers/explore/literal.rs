//! Sections about strings: routes, events, environment variables, and other text of a question.

use codeagent_core::model::dispatch::verb_and_path;
use codeagent_core::model::graph::{EdgeType, Node, NodeKind, NodeType};
use codeagent_core::query::{
    self, DispatchStep, FoundText, LiteralSite, LiteralTarget, Occurrence, Occurrences,
    TextSearchQuery,
};

use super::file_folder::serving;
use super::flow::{FLOW_TITLE, named_constants};
use super::heading::signature;
use super::literal_use;
use super::member::{MAX_CONTINUED, add_chain, is_callable, numbered};
use super::message::add_callers_around;
use super::wants::{WANTED, Wants};
use super::{environment_settings, flow_source, named_after, senders, value_lines};
use crate::answers::{AnswerError, dispatch};
use crate::note_text::counted;
use crate::text::{Document, Section};

/// Maximum number of words of a button's text.
const MAX_PHRASE: usize = 4;

/// Maximum listed places of a literal.
const MAX_LITERALS: usize = 200;

/// Maximum number of lines with a name of a sentence; one of more is that of a product.
const MAX_LINES: usize = 200;

/// Maximum names of a question that are searched as text.
const MAX_EXPRESSIONS: usize = 3;

/// Maximum places of a literal whose context is shown, and of an environment variable whose readers' callers are.
const MAX_IN_CONTEXT: usize = 2;
const MAX_READS: usize = 8;

/// Maximum characters of the flow of a route if the question does not ask for it, and of that of a component,
/// which is what the client shows at the route.
const MAX_BRIEF: usize = 800;
const MAX_COMPONENT: usize = 2_000;

/// Maximum functions of a route whose flow is shown.
const MAX_FLOWS: usize = 4;

/// Weight of the flow of a route's component if the question does not ask for it.
const COMPONENT: u32 = 20;

/// Minimum length of a name whose spellings in other case are the same name, in bytes.
const LONG_NAME: usize = 12;

/// Number of names in a path of properties that is searched for by its end.
const CHAIN: usize = 3;

/// Lines shown before and after such a place.
const CONTEXT: (u32, u32) = (3, 5);

/// Adds a literal: what handles it, and the places that name it, those in `within` if there are any.
pub(super) fn literal(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    target: &LiteralTarget,
    within: &[&str],
    wants: Wants,
) -> Result<(), AnswerError> {
    let text = target.text.as_str();
    let is_variable = query::is_all_capitals(text);
    if is_variable && query::literal_files(occurrences.sources.snapshot(), text)? == 0 {
        if environment_settings::of_prefixed_object(document, occurrences, text)? {
            return Ok(());
        }
        if let Some(setting) = environment_settings::setting(document, occurrences, text)? {
            return sections(document, occurrences, &setting, (within, true), wants);
        }
    }

    let is_setting = is_variable || wants.setting;
    sections(document, occurrences, target, (within, is_setting), wants)
}

/// Adds a literal, which may be the name of a setting.
fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    target: &LiteralTarget,
    (within, is_setting): (&[&str], bool),
    wants: Wants,
) -> Result<(), AnswerError> {
    let text = target.text.as_str();
    let sites = sites(occurrences, text, within)?;
    let is_registered = !target.files.is_empty()
        || !target.routes.is_empty()
        || !target.events.listeners.is_empty();
    if sites.is_empty() && !is_registered {
        return Ok(());
    }

    let count = sites.len();
    document.line(match count {
        0 => format!("## literal \"{text}\""),
        count => format!("## literal \"{text}\" ({})", counted(count as u64, "place")),
    });
    let is_handled = handlers(document, occurrences, target, wants)?;

    if wants.flow {
        literal_use::sections(document, occurrences, &sites, (is_handled, wants))?;
    }

    let through_constants = through_constants(occurrences, &sites)?;
    let mut places = Vec::with_capacity(count);
    for site in sites {
        places.push(occurrences.at(&site.path, site.line)?);
    }
    let emitters = emitters(occurrences, target)?;
    places.retain(|place| !emitters.contains(place));
    document.section(Section::occurrence_rows("emitters", "emitted at", emitters).weighing(30));
    document.section(named_after::section(occurrences, text)?);
    let (tests, mut code): (Vec<_>, Vec<_>) = places.into_iter().partition(Occurrence::is_test);
    for place in code.iter_mut().take(MAX_CONTINUED) {
        add_chain(occurrences, place)?;
    }
    if wants.senders {
        senders::section(document, occurrences, text, &mut code)?;
    }
    if !is_handled && text.starts_with('/') {
        pages(document, occurrences, text)?;
    }
    if !is_handled && code.len() <= MAX_IN_CONTEXT {
        around(document, occurrences, &code)?;
    }

    if query::is_all_capitals(text) && code.len() <= MAX_READS {
        let is_few = code.len() <= MAX_IN_CONTEXT;
        let mut places: Vec<&Occurrence> = code.iter().collect();
        places.retain(|place| is_few || may_read_environment(place));
        add_callers_around(document, occurrences, &places)?;
    }

    if is_setting {
        environment_settings::uses_of_values(document, occurrences, (&code, None))?;
        environment_settings::readers(document, occurrences, (text, &code))?;
    }

    if is_setting || code.len() <= MAX_IN_CONTEXT {
        value_lines::section(document, occurrences, &code)?;
    }
    reads_of_path(document, occurrences, (text, &code))?;
    let reads = reads_of_key(occurrences, text)?;
    let title =
        "reads of the setting by the last name of its key, in files that name the one before";
    document.section(Section::occurrence_rows("settings", title, reads).weighing(30));
    let (others, in_files) = other_lines(occurrences, text, &code)?;
    document.section(Section::occurrence_rows("literals", "named by", code).weighing(30));
    document.section(through_constants);
    let title = "other lines of code that contain it";
    document.section(Section::occurrence_rows("lines", title, others).weighing(20));
    let title = "in files of other languages";
    document.section(Section::occurrence_rows("mentions", title, in_files).weighing(20));
    document.section(Section::occurrence_rows("tests", "named in tests", tests).weighing(8));
    Ok(())
}

/// Reports whether the line of a place gives the name of an environment variable to what reads it: `envVar: "PORT"`.
fn may_read_environment(place: &Occurrence) -> bool {
    let source = place.source.as_deref().unwrap_or_default().to_lowercase();
    source.contains("env")
}

/// Adds the reads of a property by the last two names of its path: `css.visible` for `metadata.css.visible`.
fn reads_of_path(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (path, known): (&str, &[Occurrence]),
) -> Result<(), AnswerError> {
    let is_name = |name: &str| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        !name.is_empty() && name.chars().all(is_part)
    };

    let names: Vec<&str> = path.split('.').collect();
    let [.., holder, name] = names.as_slice() else {
        return Ok(());
    };
    if names.len() < CHAIN || !names.iter().all(|name| is_name(name)) {
        return Ok(());
    }

    let pattern = format!(r"\b{holder}\??\.{name}\b");
    let mut found = query::search_text(occurrences, &regex(&pattern))?;
    found.code.retain(|place| {
        let mut known = known.iter();
        known.all(|known| (&known.path, known.line) != (&place.path, place.line))
    });

    let title = format!("lines with {holder}.{name}, matched by text");
    document.section(Section::occurrence_rows("path", title, found.code).weighing(40));
    Ok(())
}

/// Returns the places that emit the event with the name of a literal.
fn emitters(
    occurrences: &mut Occurrences<'_, '_>,
    target: &LiteralTarget,
) -> Result<Vec<Occurrence>, AnswerError> {
    let mut places = Vec::with_capacity(target.events.emitters.len());
    for (file, line) in &target.events.emitters {
        let path = occurrences.path(*file)?;
        places.push(occurrences.at(&path, *line)?);
    }
    Ok(places)
}

/// Returns the places that name a literal, those in `within` if there are any.
fn sites(
    occurrences: &Occurrences<'_, '_>,
    text: &str,
    within: &[&str],
) -> Result<Vec<LiteralSite>, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let mut sites = query::literal_sites(snapshot, text, MAX_LITERALS)?;
    let is_meant = |site: &LiteralSite| {
        let mut places = within.iter();
        places.any(|place| query::is_in_place(&site.path, place))
    };
    if sites.iter().any(is_meant) {
        sites.retain(is_meant);
    }

    // An environment variable is not a string that differs in case: `PORT`, `"port"`.
    let is_as_written = |site: &LiteralSite| site.text == text;
    if query::is_all_capitals(text) && sites.iter().any(is_as_written) {
        sites.retain(is_as_written);
    }

    // `Bookmarks` has the key of `/bookmarks`, and is not that route.
    let is_route = |site: &LiteralSite| site.text.contains(['/', '.']);
    if text.starts_with('/') && sites.iter().any(is_route) {
        sites.retain(is_route);
    }
    Ok(sites)
}

/// Returns the section with the uses of constants that hold a literal.
fn through_constants(
    occurrences: &mut Occurrences<'_, '_>,
    sites: &[LiteralSite],
) -> Result<Section, AnswerError> {
    let uses = literal_use::uses_of_constants(occurrences, sites)?;
    let title = "uses of constants, functions and properties that hold this string";
    Ok(Section::occurrence_rows("constants", title, uses).weighing(30))
}

/// Adds the callbacks, routes and files that handle a literal, and reports whether there are any. Routes
/// of other methods than the request's are left out if one has it.
fn handlers(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    target: &LiteralTarget,
    wants: Wants,
) -> Result<bool, AnswerError> {
    let method = target.method.as_deref();
    let is_reached = |route: &&DispatchStep| target.is_reached_by(verb_and_path(&route.label).0);
    let routes: Vec<DispatchStep> = target.routes.iter().filter(is_reached).cloned().collect();
    let is_other_method = routes.is_empty() && !target.routes.is_empty();
    if is_other_method && let Some(method) = method {
        document.line(format!("no route with this path has the method {method}"));
    }

    let routes = if is_other_method {
        &target.routes
    } else {
        &routes
    };
    let method = method.filter(|_| !is_other_method);
    let depth = if wants.flow { usize::MAX } else { 0 };
    let mut callbacks = query::handlers(occurrences, &target.text, method, depth)?;
    if callbacks.is_empty() {
        for route in routes.iter().take(MAX_FLOWS) {
            let path = occurrences.path(route.site.0)?;
            callbacks.extend(query::handlers_at(
                occurrences,
                (&path, route.site.1),
                depth,
            )?);
        }
    }
    let is_handled = !callbacks.is_empty()
        || !routes.is_empty()
        || !target.files.is_empty()
        || !target.events.listeners.is_empty();
    let title = "handled by, matched by equal text";
    document.section(Section::lines("handlers", title, callbacks).weighing(20));

    document.section(dispatch::routes(occurrences, "routes with this path", routes)?.weighing(20));
    let may_be_mounted = routes.is_empty() && target.text.starts_with('/');
    let below = match may_be_mounted {
        true => query::routes_below(occurrences.sources.snapshot(), &target.text)?,
        false => Vec::new(),
    };
    let title = "routes of the routers that are mounted on it";
    document.section(dispatch::routes(occurrences, title, &below)?.weighing(WANTED));

    let listeners = &target.events.listeners;
    document.section(dispatch::listeners(occurrences, listeners)?.weighing(20));
    let mut running = functions_run(occurrences, routes)?;
    running.extend(functions_run(occurrences, listeners)?);
    let mut files = Vec::new();
    for path in &target.files {
        files.push(path.clone());
        for node in serving(occurrences, path, method)? {
            let line = node.spans.first().map_or(0, |span| span.name_line);
            files.push(format!("  {line} {}{}", node.name, signature(&node)));
            files.extend(rendered(occurrences, &node)?);
            running.push(node);
        }
    }
    let title = "files that serve it, by their path";
    document.section(Section::lines("files", title, files).weighing(20));

    flows(document, occurrences, &running, wants)?;
    Ok(is_handled)
}

/// Returns a line about the components that a component renders.
fn rendered(occurrences: &Occurrences<'_, '_>, node: &Node) -> Result<Option<String>, AnswerError> {
    let components = rendered_components(occurrences, node)?;
    let names: Vec<&str> = components.iter().map(|node| node.name.as_str()).collect();
    Ok((!names.is_empty()).then(|| format!("    renders {}", names.join(", "))))
}

/// Returns the components that a component renders, each once.
pub(super) fn rendered_components(
    occurrences: &Occurrences<'_, '_>,
    node: &Node,
) -> Result<Vec<Node>, AnswerError> {
    let mut components: Vec<Node> = Vec::new();
    if node.node_type != NodeType::Component {
        return Ok(components);
    }

    for call in occurrences.outgoing(&[node.id], &[EdgeType::Calls])? {
        let target = query::get_node(occurrences.sources.snapshot(), call.other)?;
        let is_rendered = |node: &Node| {
            let is_value = matches!(node.kind, NodeKind::Variable | NodeKind::Function);
            let is_named = is_value && node.name.starts_with(char::is_uppercase);
            let is_new = components.iter().all(|known| known.id != node.id);
            is_new && (node.node_type == NodeType::Component || is_named)
        };
        let target = target.map(|symbol| symbol.node).filter(is_rendered);
        components.extend(target);
    }

    Ok(components)
}

/// Adds the Razor components that are shown at a route: `@page "/carts"`.
fn pages(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    route: &str,
) -> Result<(), AnswerError> {
    let directive = format!("@page \"{route}\"");
    let found = query::search_text(occurrences, &plain_text(&directive))?;
    let places = found.code.into_iter().chain(found.others).collect();
    let section = Section::occurrence_rows("pages", "pages with this route", places);
    document.section(section.weighing(30));
    Ok(())
}

/// Returns the functions with a name that routes and events run. An unnamed one is known by what is around
/// it.
fn functions_run(
    occurrences: &mut Occurrences<'_, '_>,
    steps: &[DispatchStep],
) -> Result<Vec<Node>, AnswerError> {
    let mut functions = Vec::new();
    for step in steps.iter().filter(|step| step.from != step.to) {
        let Some(id) = step.to else { continue };
        let path = occurrences.path(step.site.0)?;
        let symbol = query::get_node(occurrences.sources.snapshot(), id)?;
        let node = symbol.map(|symbol| symbol.node).filter(is_callable);
        functions.extend(node.filter(|node| !query::is_inside(node, &path, step.site.1)));
    }
    Ok(functions)
}

/// Adds what happens in the functions that a route runs.
fn flows(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    functions: &[Node],
    wants: Wants,
) -> Result<(), AnswerError> {
    for function in functions.iter().take(MAX_FLOWS) {
        let lines = query::flow(occurrences, function)?;
        let flow = Section::tree("flow", FLOW_TITLE, lines.clone());
        document.section(match function.node_type {
            _ if wants.flow => flow.weighing(WANTED),
            NodeType::Component => flow.weighing(COMPONENT).at_most(MAX_COMPONENT),
            _ => flow.weighing(10).at_most(MAX_BRIEF),
        });

        // What a function does that calls nothing stands in its source.
        if wants.flow || lines.len() <= 1 {
            let words = query::name_words(&function.qualified_name);
            let begins = std::slice::from_ref(function);
            flow_source::sections(document, occurrences, begins, (&lines, &words))?;
        }

        named_constants(document, occurrences, function)?;
    }
    Ok(())
}

/// Returns the places that read a nested setting of .NET by the last part of its key, in files that name the part
/// before it: `GetValue("Port")` and `GetSection("Mail")` for `Mail__Port`.
fn reads_of_key(
    occurrences: &mut Occurrences<'_, '_>,
    name: &str,
) -> Result<Vec<Occurrence>, AnswerError> {
    let Some((before, last)) = name.rsplit_once("__") else {
        return Ok(Vec::new());
    };

    let section = before.rsplit("__").next().unwrap_or(before);
    let snapshot = occurrences.sources.snapshot();
    let sections = query::literal_sites(snapshot, section, MAX_LITERALS)?;

    let mut places = Vec::new();
    for site in query::literal_sites(snapshot, last, MAX_LITERALS)? {
        let is_beside = sections.iter().any(|section| section.path == site.path);
        if is_beside && site.text == last {
            places.push(occurrences.at(&site.path, site.line)?);
        }
    }

    places.retain(|place| !place.is_test());
    Ok(places)
}

/// Returns the other lines with the name of an environment variable, which may be read through an
/// object that holds all of them (`env.MAIL_KEY`), and those in files of other languages, such as
/// scripts.
fn other_lines(
    occurrences: &mut Occurrences<'_, '_>,
    name: &str,
    known: &[Occurrence],
) -> Result<(Vec<Occurrence>, Vec<Occurrence>), AnswerError> {
    // .NET joins the keys of nested settings with two underscores: `mail__port`.
    if !query::is_all_capitals(name) && !name.contains("__") {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut found = query::search_text(occurrences, &plain_text(name))?;
    found.code.retain(|place| {
        let mut known = known.iter();
        !known.any(|known| known.path == place.path && known.line == place.line)
    });
    Ok((found.code, found.others))
}

/// What runs the scripts of a package.
const RUNNERS: [&str; 6] = [
    "bun run ",
    "npm run ",
    "pnpm run ",
    "pnpm ",
    "yarn run ",
    "yarn ",
];

/// Finds a name, or else the member of a dotted one (`Cart.closedAt`), or a capitalized word with as
/// many of the words behind it as some line has.
fn longest_found(
    occurrences: &mut Occurrences<'_, '_>,
    name: &str,
    question: &str,
) -> Result<Option<(String, FoundText)>, AnswerError> {
    // `pnpm db:seed` is the script `db:seed` of a package.
    let script = RUNNERS.iter().find_map(|runner| name.strip_prefix(runner));
    let name = script.map_or(name, str::trim);
    // The owner of a member may be known by another name: `Cart.closedAt` is a column of `carts`.
    let member = name.rsplit_once('.').map(|(_, member)| member);
    let member = member.filter(|member| query::is_compound(member));
    let mut texts: Vec<String> = member
        .into_iter()
        .chain([name])
        .map(str::to_owned)
        .collect();
    // A prefix may be joined to it: `"SHOP_" + "maxSize"` is read as `SHOP_maxSize`.
    let tail = name.split_once('_').map(|(_, tail)| tail);
    if let Some(tail) = tail.filter(|tail| query::is_compound(tail)) {
        let inner = tail
            .rsplit('_')
            .next()
            .filter(|part| query::is_compound(part));
        texts.splice(0..0, inner.into_iter().chain([tail]).map(str::to_owned));
    }
    let is_word = name.chars().all(char::is_alphabetic) && name.starts_with(char::is_uppercase);
    let words: Vec<&str> = question.split_whitespace().collect();
    if is_word && let Some(at) = words.iter().position(|word| *word == name) {
        let ends = at + 2..=words.len().min(at + MAX_PHRASE);
        let phrase = |end: usize| words[at..end].join(" ");
        texts.extend(ends.map(|end| phrase(end).trim_end_matches(['?', '.', ',']).to_owned()));
    }

    for text in texts.iter().rev() {
        let found = query::search_text(occurrences, &plain_text(text))?;
        if !(found.code.is_empty() && found.tests.is_empty() && found.others.is_empty()) {
            return Ok(Some((text.clone(), found)));
        }
    }
    Ok(None)
}

/// A search for a text as it is.
pub(super) fn plain_text(pattern: &str) -> TextSearchQuery<'_> {
    TextSearchQuery {
        pattern,
        is_regex: false,
        ignore_case: false,
        path: None,
        literals: false,
    }
}

/// A search for a pattern.
pub(super) fn regex(pattern: &str) -> TextSearchQuery<'_> {
    TextSearchQuery {
        is_regex: true,
        ..plain_text(pattern)
    }
}

/// Adds the lines that contain names of the question that are no symbols, such as a part of a string,
/// the path of a key in an object literal (`routes.home.path`), or the text of a button with the words behind
/// it (`Sign out`).
pub(super) fn expressions(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (names, question): (&[&str], &str),
    wants: Wants,
) -> Result<(), AnswerError> {
    for name in names.iter().copied().take(MAX_EXPRESSIONS) {
        let Some((name, mut found)) = longest_found(occurrences, name, question)? else {
            continue;
        };
        for place in found.code.iter_mut().take(MAX_CONTINUED) {
            add_chain(occurrences, place)?;
        }
        let name = name.as_str();
        let count = found.code.len() + found.tests.len() + found.others.len();
        let lines = counted(count as u64, "line");
        if count > MAX_LINES && question.contains(' ') {
            document.note(format!(
                "{lines} contain {name}; query it alone to see them"
            ));
            continue;
        }
        document.line(format!("## text {name} ({lines})"));
        let statements: Vec<Occurrence> = found
            .code
            .iter()
            .filter(|place| !is_comment(place))
            .cloned()
            .collect();
        if statements.len() <= MAX_IN_CONTEXT {
            around(document, occurrences, &statements)?;
            literal_use::branches_of_items(document, occurrences, (&statements, wants))?;
            value_lines::section(document, occurrences, &statements)?;
        }
        if name.len() >= LONG_NAME {
            in_other_case(document, occurrences, (name, &found))?;
        }
        if wants.tests && found.tests.is_empty() {
            document.line("no test contains it");
        }
        // `"SHOP_" + MaxSize` reads what a constant holds a part of.
        let sites = sites(occurrences, name, &[])?;
        document.section(through_constants(occurrences, &sites)?);
        let tests = Section::occurrence_rows("tests", "in tests", found.tests);
        document.section(wants.weigh(tests, wants.tests, 8));
        let section =
            Section::occurrence_rows("lines", "lines of code that contain it", found.code);
        document.section(section.weighing(30));
        let title = "in files of other languages";
        document.section(Section::occurrence_rows("mentions", title, found.others).weighing(20));
        registered(document, occurrences, name, wants)?;
    }

    Ok(())
}

/// Reports whether the line of a place is one of a comment.
pub(super) fn is_comment(place: &Occurrence) -> bool {
    let source = place.source.as_deref().unwrap_or_default().trim_start();
    ["//", "/*", "* "]
        .iter()
        .any(|start| source.starts_with(start))
}

/// Adds the lines of code that have a name in other case, such as keys that are compared in capitals.
fn in_other_case(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (name, known): (&str, &FoundText),
) -> Result<(), AnswerError> {
    let query = TextSearchQuery {
        ignore_case: true,
        ..plain_text(name)
    };
    let mut code = query::search_text(occurrences, &query)?.code;

    let is_known = |place: &Occurrence| {
        let mut known = known.code.iter();
        known.any(|known| (&known.path, known.line) == (&place.path, place.line))
    };
    code.retain(|place| !is_known(place));

    if code.len() <= MAX_IN_CONTEXT {
        around(document, occurrences, &code)?;
    }
    let title = "lines of code that have it in other case";
    document.section(Section::occurrence_rows("other case", title, code).weighing(30));
    Ok(())
}

/// Adds what the dotted names of nothing that the index knows lead to, if they are paths of keys.
pub(super) fn keyed(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    names: &[&str],
) -> Result<(), AnswerError> {
    for name in names.iter().filter(|name| name.contains('.')) {
        let keyed = query::flow_of_keys(occurrences, name, usize::MAX)?;
        let title = format!("what the keys {name} lead to, matched by equal text");
        document.section(Section::tree("handlers", title, keyed).weighing(30));
    }
    Ok(())
}

/// Adds the callbacks registered as the last part of a dotted name that any are, but not as the first:
/// `client.carts.find.useQuery` leads to `find: procedure.query(() => ..)`.
fn registered(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    name: &str,
    wants: Wants,
) -> Result<(), AnswerError> {
    let depth = if wants.flow { usize::MAX } else { 1 };
    let keyed = query::flow_of_keys(occurrences, name, depth)?;
    if !keyed.is_empty() {
        let title = "what its keys lead to, matched by equal text";
        document.section(Section::tree("handlers", title, keyed).weighing(30));
        return Ok(());
    }

    for part in name.split('.').skip(1).collect::<Vec<_>>().iter().rev() {
        let handlers = query::handlers(occurrences, part, None, depth)?;
        if !handlers.is_empty() {
            let title = format!("registered as `{part}`, matched by equal text");
            document.section(Section::lines("handlers", title, handlers).weighing(30));
            break;
        }
    }

    Ok(())
}

/// Adds the lines around places, those of near places once.
fn around(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[Occurrence],
) -> Result<(), AnswerError> {
    let mut ranges: Vec<(&str, u32, u32)> = Vec::new();
    for place in places {
        let first = place.line.saturating_sub(CONTEXT.0).max(1);
        let last = place.line + CONTEXT.1;
        match ranges.last_mut() {
            Some((path, _, end)) if *path == place.path && first <= *end + 1 => *end = last,
            _ => ranges.push((&place.path, first, last)),
        }
    }

    for (path, first, last) in ranges {
        let lines = occurrences.sources.lines(path, first, last)?;
        let lines = numbered(&lines.unwrap_or_default(), first);
        document.section(Section::lines("context", path, lines).weighing(10));
    }
    Ok(())
}
