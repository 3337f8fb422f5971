//! Names among the words of a sentence that do not look like names.
//!
//! A word of prose names no symbol that only generated files and bundles declare, whose short names are
//! often words.

use super::tokens::{Token, is_common, name_words};
use super::{
    EVENTS, MAX_TARGETS, SUBTYPES, SymbolTarget, Target, Targets, event, has_literal,
    is_known_event, symbols,
};
use crate::model::graph::{Node, NodeFlags, NodeId, NodeType};
use crate::query::unresolved::unresolved_uses::declared_in_written_files;
use crate::query::{Note, QueryError, Sources, SymbolGroup};
use crate::store::{self, Snapshot};

/// Number of uncommon words from which a sentence describes more than it names.
const LONG: usize = 5;

/// Maximum number of uncommon lower-case words in a sentence that may be names.
const MAX_PLAIN: usize = 2;

/// Maximum number of words that are joined to a name.
pub(super) const MAX_JOINED: usize = 4;

/// Maximum number of words of a sentence among which a name is looked for.
const MAX_WORDS: usize = 60;

/// Words for values and what is done with them.
const OF_VALUES: &[&str] = &[
    "assigned", "change", "changed", "changes", "default", "field", "property", "read", "reads",
    "set", "sets", "setting", "use", "used", "uses", "write", "writes", "written",
];

/// Words that stand between names rather than in them.
pub(super) const FILLERS: [&str; 8] = ["a", "an", "are", "do", "does", "is", "of", "the"];

/// Words between a member and the type that has it.
const OF: [&str; 3] = ["in", "of", "on"];

/// Other words that may stand there.
const BEFORE_OWNER: [&str; 13] = [
    "a",
    "an",
    "class",
    "event",
    "field",
    "function",
    "interface",
    "member",
    "method",
    "property",
    "setting",
    "the",
    "type",
];

/// Number of other words from which a sentence is not about a namespace that it mentions.
const MIN_OTHERS: usize = 4;

/// Words for members of types.
const MEMBERS: [&str; 7] = [
    "event", "field", "function", "member", "method", "property", "setting",
];

/// Beginnings of words for overriding.
const OVERRIDING: &[&str] = &["overrid", "redefin"];

/// Words before the start of a path, and before its end.
const PATH_STARTS: [&str; 4] = ["can", "do", "does", "from"];
const PATH_ENDS: [&str; 4] = ["into", "reach", "reaches", "to"];

/// Words that end a verb of two words: `log out`.
const PARTICLES: [&str; 6] = ["down", "in", "off", "on", "out", "up"];

/// Maximum number of symbols of one name that are looked at.
const MAX_NAMED: usize = 60;

/// Adds the members of named types that other words of a sentence name: `who overrides Cart and its total?`,
/// and the functions of a named file, or of the file of a named function: `who calls save in cart.ts?`
pub(super) fn add_members(
    snapshot: &Snapshot,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    // `which subclasses of Cart override Total?` asks for the member, not for a type `Total`.
    let asks_for_overrides = targets.mentions(OVERRIDING);
    let mut names = Vec::new();
    for target in &targets.found {
        let named = match target {
            Target::Symbols(named) => named,
            Target::File { path, .. } => {
                names.extend(functions_in(snapshot, path, tokens)?);
                continue;
            }
            _ => continue,
        };
        if let [group] = named.groups.as_slice()
            && group.first().node_type == NodeType::Method
        {
            for span in &group.first().spans {
                names.extend(functions_in(snapshot, &span.path, tokens)?);
            }
        }

        let types: Vec<NodeId> = named
            .groups
            .iter()
            .filter(|group| group.first().node_type.is_type())
            .flat_map(SymbolGroup::ids)
            .collect();
        for member in store::children_of(snapshot, &types)? {
            let is_named = |token: &Token<'_>| {
                let name = token.text.split('(').next().unwrap_or_default();
                is_uncommon(token) && token.text.eq_ignore_ascii_case(&member.name)
                    || asks_for_overrides
                        && (token.is_capitalized() || name != token.text)
                        && name == member.name
            };
            let name = format!("{}.{}", named.asked, member.name);
            if member.node_type == NodeType::Constructor {
                continue;
            }
            if tokens.iter().any(is_named) && !names.contains(&name) {
                names.push(name);
            }
        }
    }

    for name in names.iter().take(MAX_PLAIN) {
        if let Ok(member) = symbols(snapshot, name)? {
            // What else has the name of the member is not meant.
            let last = name.rsplit('.').next().unwrap_or(name);
            let is_other = |target: &Target| {
                let asked = target.requested_text().split('(').next();
                asked != Some(last) || matches!(target, Target::Literal(_))
            };
            targets.found.retain(is_other);
            targets.found.push(Target::Symbols(member));
        }
    }
    Ok(())
}

/// Adds the functions that a sentence about a path names at its ends in plain words: `how does Cart.total
/// reach save?`
pub(super) fn add_path_ends(
    snapshot: &Snapshot,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    let is_between = targets.has_word("from") && targets.has_word("to");
    let is_path = is_between || targets.mentions(&["reach", "path", "lead"]);
    if !is_path || targets.found.len() > 1 {
        return Ok(());
    }

    let mut start = function_after(snapshot, tokens, &PATH_STARTS)?;
    let mut end = function_after(snapshot, tokens, &PATH_ENDS)?;
    match targets.found.is_empty() {
        // A single end names nothing that a path leads to.
        true if start.is_none() || end.is_none() => return Ok(()),
        false if end.is_some() => start = None,
        _ => {}
    }
    targets.found.splice(0..0, start.take());
    targets.found.extend(end.take());
    Ok(())
}

/// Returns the function that the plain word after one of some words names.
fn function_after(
    snapshot: &Snapshot,
    tokens: &[Token<'_>],
    before: &[&str],
) -> Result<Option<Target>, QueryError> {
    for pair in tokens.windows(2) {
        let (word, name) = (pair[0].text.to_lowercase(), pair[1]);
        if !before.contains(&word.as_str()) || !is_uncommon(&name) {
            continue;
        }
        let Some(mut found) = written_symbols(snapshot, name.text)? else {
            continue;
        };

        found.groups.retain(|group| {
            let node = group.first();
            node.name == name.text && node.node_type == NodeType::Method
        });
        if !found.groups.is_empty() {
            return Ok(Some(Target::Symbols(found)));
        }
    }

    Ok(None)
}

/// Replaces a name and that of its type by the member: `Closed` and `Cart` in `the Closed event of Cart`,
/// `Cart's Closed event`.
pub(super) fn join_members(
    snapshot: &Snapshot,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    for (at, first) in tokens.iter().enumerate() {
        let rest = &tokens[at + 1..];
        let between = rest.iter().take_while(|token| token.is_plain());
        let between: Vec<&str> = between.map(|token| token.text).collect();
        let Some(second) = rest.get(between.len()) else {
            break;
        };
        let is_of = between.iter().any(|word| OF.contains(word))
            && between
                .iter()
                .all(|word| BEFORE_OWNER.contains(word) || OF.contains(word));
        let (owner, member) = match between.as_slice() {
            [] => (first.text, second.text),
            _ if is_of => (second.text, first.text),
            _ => continue,
        };

        let is_asked = |target: &Target, name: &str| match target {
            Target::Symbols(symbols) => symbols.asked == name,
            _ => false,
        };
        let has_owner = targets.found.iter().any(|target| {
            is_asked(target, owner) && matches!(target, Target::Symbols(named) if named.has_types())
        });
        if owner == member || !has_owner {
            continue;
        }
        // A property may have the name of a type that is meant, unless the question calls it a property.
        let is_member = is_of && between.iter().any(|word| MEMBERS.contains(word));
        let place = targets.found.iter().position(|target| {
            let is_type = matches!(target, Target::Symbols(named) if named.has_types());
            is_asked(target, member) && (is_member || !is_type)
        });
        if let Some(place) = place
            && let Ok(joined) = symbols(snapshot, &format!("{owner}.{member}"))?
            && joined.note.is_none()
        {
            targets.found[place] = Target::Symbols(joined);
            targets.found.retain(|target| !is_asked(target, owner));
        }
    }
    Ok(())
}

/// Removes a namespace that a sentence names beside symbols in it, and what else has their names: `the Cart of
/// Shop.Web`.
pub(super) fn select_by_namespaces(targets: &mut Targets) {
    let namespace = |target: &Target| match target {
        Target::Symbols(named) => {
            let mut groups = named.groups.iter().map(SymbolGroup::first);
            let first = named.groups.first()?.first();
            let is_namespace = groups.all(|node| node.node_type == NodeType::Module);
            is_namespace.then(|| format!("{}.", first.qualified_name))
        }
        _ => None,
    };
    let namespaces: Vec<String> = targets.found.iter().filter_map(namespace).collect();

    for name in namespaces {
        let is_inside = |group: &SymbolGroup| group.first().qualified_name.starts_with(&name);
        let mut selects = false;
        for target in &mut targets.found {
            let Target::Symbols(named) = target else {
                continue;
            };
            if named.groups.iter().chain(&named.others).any(is_inside) {
                let groups = std::mem::take(&mut named.groups);
                let all = groups.into_iter().chain(std::mem::take(&mut named.others));
                (named.groups, named.others) = all.partition(is_inside);
                selects = true;
            }
        }
        if selects {
            let is_other = |target: &Target| namespace(target).is_none_or(|other| other != name);
            targets.found.retain(is_other);
        }
    }
}

/// Splits a name that several of the types named beside it have as a member: `Close (Cart and Order)` stands for
/// `Cart.Close` and `Order.Close`.
pub(super) fn select_by_types(targets: &mut Targets, tokens: &[Token<'_>]) {
    let owner = |group: &SymbolGroup| {
        let name = group.first().qualified_name.replace('#', ".");
        name.rsplit('.').nth(1).unwrap_or_default().to_owned()
    };
    let is_owner = |group: &SymbolGroup| {
        let owner = owner(group);
        !owner.is_empty() && tokens.iter().any(|token| token.text == owner)
    };

    let mut selected: Vec<Target> = Vec::new();
    let mut owners: Vec<String> = Vec::new();
    for target in std::mem::take(&mut targets.found) {
        let groups: Vec<SymbolGroup> = match &target {
            Target::Symbols(named) if !named.has_types() => {
                let all = named.groups.iter().chain(&named.others);
                all.filter(|group| is_owner(group)).cloned().collect()
            }
            _ => Vec::new(),
        };
        let (Target::Symbols(named), 2..) = (&target, groups.len()) else {
            selected.push(target);
            continue;
        };

        for group in groups {
            owners.push(owner(&group));
            selected.push(Target::Symbols(SymbolTarget {
                groups: vec![group],
                others: Vec::new(),
                ..named.clone()
            }));
        }
    }

    selected.retain(|target| !owners.iter().any(|owner| owner == target.requested_text()));
    targets.found = selected;
}

/// Removes what is named twice, and namespaces that a sentence of many words mentions without asking for them, such
/// as the name of the product.
pub(super) fn drop_asides(targets: &mut Targets, tokens: &[Token<'_>]) {
    let mut seen: Vec<NodeId> = Vec::new();
    let mut outside: Vec<String> = Vec::new();
    targets.found.retain(|target| {
        if let Target::External { asked, .. } = target {
            let is_new = !outside.contains(asked);
            outside.push(asked.clone());
            return is_new;
        }
        let Some(first) = target.ids().first().copied() else {
            return true;
        };
        let is_new = !seen.contains(&first);
        seen.push(first);
        is_new
    });

    drop_bare_members(targets);
    drop_containers(targets);
    drop_holders(targets, tokens);
    drop_other_case(targets, tokens);
    let asks_for_it = targets.mentions(&["namespace", "module", "package"]);
    let others = tokens.iter().filter(|token| is_uncommon(token)).count();
    if !asks_for_it {
        drop_products(targets, tokens);
    }
    if asks_for_it || others < MIN_OTHERS {
        return;
    }
    let is_namespace = |target: &Target| match target {
        Target::Symbols(named) => {
            let mut nodes = named.groups.iter().map(SymbolGroup::first);
            nodes.all(|node| node.node_type == NodeType::Module)
        }
        _ => false,
    };
    let has_others = !targets.found.iter().all(is_namespace);
    targets.found.retain(|target| {
        let is_qualified = target.requested_text().contains('.');
        !is_namespace(target) || is_qualified && !has_others
    });
}

/// Removes the name of a member that is also written with its type: `the option port
/// (Options.port)`.
fn drop_bare_members(targets: &mut Targets) {
    let is_qualified = |target: &&Target| target.requested_text().contains('.');
    let qualified = targets.found.iter().filter(is_qualified);
    let members: Vec<(String, Vec<NodeId>)> = qualified
        .filter_map(|target| {
            let (_, member) = target.requested_text().rsplit_once('.')?;
            Some((member.to_owned(), target.ids()))
        })
        .collect();

    let all_ids = |target: &Target| match target {
        Target::Symbols(symbols) => {
            let groups = symbols.groups.iter().chain(&symbols.others);
            groups.flat_map(SymbolGroup::ids).collect()
        }
        _ => Vec::new(),
    };

    targets.found.retain(|target| {
        let ids = all_ids(target);
        let mut members = members.iter();
        !members.any(|(name, of_member)| {
            let is_same = !of_member.is_empty() && of_member.iter().all(|id| ids.contains(id));
            name == target.requested_text() && is_same
        })
    });
}

/// Removes a type beside one of its members, unless the question is about the type, too: `who calls total
/// (Cart)?`
fn drop_containers(targets: &mut Targets) {
    let of_types = [
        "class", "depend", "member", "operator", "public", "surface", "type",
    ];
    if targets.mentions(SUBTYPES) || targets.mentions(OVERRIDING) || targets.mentions(&of_types) {
        return;
    }

    let members = targets.found.iter().filter_map(|target| match target {
        Target::Symbols(symbols) if !symbols.has_types() => Some(&symbols.groups),
        _ => None,
    });
    let parents: Vec<NodeId> = members
        .filter_map(|groups| match groups.as_slice() {
            [only] => only.first().parent,
            _ => None,
        })
        .collect();

    targets.found.retain(|target| match target {
        Target::Symbols(symbols) if symbols.has_types() => {
            !target.ids().iter().any(|id| parents.contains(id))
        }
        _ => true,
    });
}

/// Removes the name of a property before that of a setting in it: `the config setting maxSize`.
fn drop_holders(targets: &mut Targets, tokens: &[Token<'_>]) {
    let is_asked = |target: &Target, name: &str| matches!(target, Target::Symbols(symbols) if symbols.asked == name && !symbols.has_types());
    for words in tokens.windows(3) {
        let [holder, kind, setting] = [words[0].text, words[1].text, words[2].text];
        let is_kind = ["field", "key", "option", "property", "setting"].contains(&kind);
        let has_both = [holder, setting].iter().all(|name| {
            let mut found = targets.found.iter();
            found.any(|target| is_asked(target, name))
        });
        if is_kind && has_both {
            targets.found.retain(|target| !is_asked(target, holder));
        }
    }
}

/// Removes the name of a namespace that is also that of a member, where a question is about another
/// name: `where does Shop read SHOP_PORT?` asks for no method `Shop`.
fn drop_products(targets: &mut Targets, tokens: &[Token<'_>]) {
    let is_module = |node: &Node| node.node_type == NodeType::Module;
    let is_product = |target: &Target| match target {
        Target::Symbols(symbols) if !symbols.asked.contains('.') => {
            let groups = symbols.groups.iter().chain(&symbols.others);
            let nodes: Vec<&Node> = groups.map(SymbolGroup::first).collect();
            let has_both = nodes.iter().any(|node| is_module(node))
                && nodes.iter().any(|node| !is_module(node));
            has_both && !symbols.has_types() && !is_written_as_code(tokens, &symbols.asked)
        }
        _ => false,
    };

    let products = targets.found.iter().filter(|one| is_product(one)).count();
    let has_others = products < targets.found.len() || !targets.missing.is_empty();
    if has_others {
        targets.found.retain(|target| !is_product(target));
    }
}

/// Removes acronyms that equal the name of a symbol in lower case, where others are names as
/// written or the sentence is long: `which IPC channels does Cart use?` asks for no variable `ipc`.
fn drop_other_case(targets: &mut Targets, tokens: &[Token<'_>]) {
    let is_acronym = |name: &str| {
        let is_pair = |pair: &[u8]| pair.iter().all(u8::is_ascii_uppercase);
        name.as_bytes().windows(2).any(is_pair)
    };
    let differs = |target: &Target| match target {
        Target::Symbols(symbols) => {
            let asked = symbols.asked.as_str();
            let note = symbols.note.as_ref();
            let is_lower = |group: &SymbolGroup| group.first().name == asked.to_lowercase();
            matches!(note, Some(Note::MatchedIgnoringCase { .. }))
                && is_acronym(asked)
                && symbols.groups.iter().all(is_lower)
                && !is_written_as_code(tokens, asked)
        }
        _ => false,
    };

    let is_long = targets.uncommon_words().count() >= LONG;
    if is_long || !targets.found.iter().all(differs) {
        let (others, found) = std::mem::take(&mut targets.found)
            .into_iter()
            .partition(differs);
        targets.found = found;

        let asked = others
            .iter()
            .map(|target| target.requested_text().to_owned());
        targets.asides.extend(asked);
    }
}

/// Reports whether a name is in quotation marks or backticks.
fn is_written_as_code(tokens: &[Token<'_>], name: &str) -> bool {
    let mut tokens = tokens.iter();
    tokens.any(|token| token.text == name && (token.is_code || token.is_quoted))
}

/// Returns the qualified names of the functions of a file that words of a sentence name.
fn functions_in(
    snapshot: &Snapshot,
    path: &str,
    tokens: &[Token<'_>],
) -> Result<Vec<String>, QueryError> {
    let mut names = Vec::new();
    for token in tokens.iter().filter(|token| is_uncommon(token)) {
        for node in store::by_name(snapshot, token.text, MAX_NAMED)? {
            let is_function =
                node.node_type == NodeType::Method || node.flags.has(NodeFlags::LOCAL);
            let is_here = node.spans.iter().any(|span| span.path == path);
            if is_function && is_here && node.name == token.text {
                names.push(node.qualified_name.clone());
            }
        }
    }

    names.sort();
    names.dedup();
    Ok(names)
}

/// Returns the event that a word of a sentence names, if it is a string of the repository.
pub(super) fn plain_event(
    sources: &Sources<'_>,
    targets: &Targets,
    tokens: &[Token<'_>],
) -> Result<Option<Target>, QueryError> {
    let is_verb = |token: &Token<'_>| EVENTS.iter().any(|verb| token.text.starts_with(verb));

    for token in tokens.iter().filter(|token| is_uncommon(token)) {
        // What triggers something is seldom an event: `what triggers a rule?`
        let may_be_other = targets.mentions(&["trigger"]);
        if !is_verb(token)
            && let Some(event) = event(sources, targets, token.text)?
            && (!may_be_other || is_known_event(&event))
        {
            return Ok(Some(event));
        }
    }
    Ok(None)
}

/// Returns the symbol whose name consists of words of a sentence that follow each other, the longest one:
/// `where is the screenshot delay read?` names `ScreenshotDelay`.
pub(super) fn joined_name(
    snapshot: &Snapshot,
    targets: &Targets,
    tokens: &[Token<'_>],
) -> Result<Option<Target>, QueryError> {
    let tokens = &tokens[..tokens.len().min(MAX_WORDS)];

    for length in (2..=MAX_JOINED).rev() {
        for words in tokens.windows(length) {
            let is_end = |token: &Token<'_>| PARTICLES.contains(&token.text);
            let is_said = words.iter().all(Token::is_plain)
                && words.first().is_some_and(is_uncommon)
                && words
                    .last()
                    .is_some_and(|last| is_uncommon(last) || is_end(last));
            let words: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
            if !is_said || words.iter().any(|word| FILLERS.contains(&word.as_str())) {
                continue;
            }

            let is_meant = |node: &Node| {
                let is_value = node.node_type == NodeType::Property;
                is_candidate(node, targets)
                    && (!is_value || OF_VALUES.iter().any(|word| targets.has_word(word)))
                    && !node.flags.has(NodeFlags::LOCAL)
            };
            if let Some(target) = joined(snapshot, &words, is_meant)? {
                return Ok(Some(target));
            }
        }
    }
    Ok(None)
}

/// Returns the symbol whose name consists of capitalized words that begin some tokens, and the number of
/// these: `EmptyBin` for `the Empty Bin dialog`, or `EmptyBinDialog` if there is one.
pub(super) fn capitalized_name(
    snapshot: &Snapshot,
    tokens: &[Token<'_>],
) -> Result<Option<(Target, usize)>, QueryError> {
    let capitalized = tokens
        .iter()
        .take_while(|token| token.is_capitalized())
        .count();
    let plain = usize::from(tokens.get(capitalized).is_some_and(Token::is_plain));

    for length in (2..=MAX_JOINED.min(capitalized + plain)).rev() {
        let words: Vec<String> = tokens[..length]
            .iter()
            .map(|token| token.text.to_lowercase())
            .collect();
        let is_meant =
            |node: &Node| node.node_type != NodeType::Module && !node.flags.has(NodeFlags::LOCAL);
        if capitalized >= 2
            && let Some(target) = joined(snapshot, &words, is_meant)?
        {
            return Ok(Some((target, length)));
        }
    }

    Ok(None)
}

/// Returns the text of a button or title that some tokens start with, if it is a string of the repository, and
/// the number of its tokens: `Sign out` in `the user clicks Sign out in the menu`.
pub(super) fn capitalized_phrase(
    snapshot: &Snapshot,
    tokens: &[Token<'_>],
) -> Result<Option<(String, usize)>, QueryError> {
    if !tokens.first().is_some_and(Token::is_capitalized) {
        return Ok(None);
    }

    let is_word = |token: &&Token<'_>| token.is_plain() || token.is_capitalized();
    let words = tokens.iter().take(MAX_JOINED).take_while(is_word).count();
    for length in (2..=words).rev() {
        let texts: Vec<&str> = tokens[..length].iter().map(|token| token.text).collect();
        let phrase = texts.join(" ");
        if has_literal(snapshot, &phrase)? {
            return Ok(Some((phrase, length)));
        }
    }
    Ok(None)
}

/// Returns the symbol whose name some words form; the `s` of a verb may be added: `logs out` is `Logout`.
fn joined(
    snapshot: &Snapshot,
    words: &[String],
    is_meant: impl Fn(&Node) -> bool,
) -> Result<Option<Target>, QueryError> {
    let is_phrasal = words
        .last()
        .is_some_and(|last| PARTICLES.contains(&last.as_str()));
    let mut forms = vec![words.to_vec()];
    if let Some(stem) = words[0].strip_suffix('s').filter(|_| is_phrasal) {
        let mut stemmed = words.to_vec();
        stem.clone_into(&mut stemmed[0]);
        forms.push(stemmed);
    }

    for words in forms {
        let named = store::by_name(snapshot, &words.concat(), MAX_NAMED)?;
        let is_named = |node: &&Node| {
            let parts = name_words(&node.name);
            let is_one = is_phrasal && parts.concat() == words.concat();
            is_meant(node) && (parts == words || is_one)
        };
        if let Some(found) = named.iter().find(is_named)
            && let Some(target) = written_symbols(snapshot, &found.name)?
        {
            return Ok(Some(Target::Symbols(target)));
        }
    }
    Ok(None)
}

/// Returns the symbols with a name that files written by people declare; `None` if there are none.
pub(super) fn written_symbols(
    snapshot: &Snapshot,
    name: &str,
) -> Result<Option<SymbolTarget>, QueryError> {
    let Ok(mut found) = symbols(snapshot, name)? else {
        return Ok(None);
    };

    for groups in [&mut found.groups, &mut found.others] {
        let mut written = Vec::with_capacity(groups.len());
        for group in groups.drain(..) {
            let nodes: Vec<&Node> = group.nodes.iter().collect();
            if declared_in_written_files(snapshot, &nodes)? {
                written.push(group);
            }
        }
        *groups = written;
    }
    Ok((!found.groups.is_empty()).then_some(found))
}

/// Reports whether a sentence may be about a symbol: `what happens when a game is started?` is not about
/// properties `game`.
fn is_candidate(node: &Node, targets: &Targets) -> bool {
    match node.node_type {
        NodeType::Module => false,
        NodeType::Property => !targets.mentions(&["happen"]),
        _ => true,
    }
}

/// Returns the word of a sentence that is most likely a name: the last one that is the name of a
/// function or type, or of a variable or property that is read or written.
pub(super) fn plain_name(
    snapshot: &Snapshot,
    targets: &Targets,
    tokens: &[Token<'_>],
) -> Result<Option<Target>, QueryError> {
    // With more words, the symbol is described rather than named.
    if tokens.iter().filter(|token| is_uncommon(token)).count() > MAX_PLAIN {
        return Ok(None);
    }

    for token in tokens.iter().rev().filter(|token| is_uncommon(token)) {
        let named = store::by_name(snapshot, token.text, MAX_TARGETS)?;
        let is_declared = named
            .iter()
            .any(|node| node.name == token.text && is_candidate(node, targets));

        if is_declared
            && let Some(target) = written_symbols(snapshot, token.text)?
            && let Some(best) = target.groups.first()
            && is_candidate(best.first(), targets)
        {
            return Ok(Some(Target::Symbols(target)));
        }
    }

    Ok(None)
}

/// Reports whether a token is a word of prose that may be the name of something.
fn is_uncommon(token: &Token<'_>) -> bool {
    token.is_plain() && !is_common(token.text)
}
