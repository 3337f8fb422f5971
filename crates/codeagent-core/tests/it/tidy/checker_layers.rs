//! Calls between the modules of TypeScript's checker: only listed ones go to a later module.
//!
//! The modules share one `impl Checker`, so the compiler allows any call. This check collects each
//! module's methods from the sources. Every call of a method of a later module must be listed in
//! [`UPWARD`], and every listed call must exist.
//!
//! Limitations: only calls on `self` or `checker` are seen; methods are identified by name.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{assert_none, sources};

const FOLDER: &str = "crates/codeagent-typescript/src/resolve/";

/// The modules, each of which may call those before it.
const ROOMS: &[&str] = &["names", "types", "expressions"];

/// Calls of later modules that the language requires.
const UPWARD: &[(&str, &str)] = &[
    // The exports of `module.exports = value` are the members of the value's type.
    ("names", "lookup_exported_member"),
    // Without an annotation, the type is that of an initializer, a returned or a spread value;
    // `typeof x` and `extends f()` have the type of an expression.
    ("types", "type_of_expr"),
];

/// A file of a module: the methods of its `impl Checker`, and the methods that it calls.
struct Part {
    room: usize,
    methods: BTreeSet<String>,
    calls: BTreeSet<String>,
}

impl Part {
    fn new(room: usize, text: &str) -> Self {
        let tokens: Vec<TokenTree> = text.parse::<TokenStream>().unwrap().into_iter().collect();
        let mut part = Self {
            room,
            methods: BTreeSet::new(),
            calls: BTreeSet::new(),
        };
        for (at, token) in tokens.iter().enumerate() {
            let is_body = |token: &&TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
            if is_word(token, "impl")
                && let Some(body) = tokens[at..]
                    .iter()
                    .position(|token| is_body(&token))
                    .map(|body| at + body)
                && tokens[at..body]
                    .iter()
                    .any(|token| is_word(token, "Checker"))
                && let TokenTree::Group(group) = &tokens[body]
            {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let named = inside
                    .windows(2)
                    .filter(|pair| is_word(&pair[0], "fn"))
                    .map(|pair| pair[1].to_string());
                part.methods.extend(named);
            }
        }
        part.add_calls(&tokens);
        part
    }

    fn add_calls(&mut self, tokens: &[TokenTree]) {
        for token in tokens {
            if let TokenTree::Group(group) = token {
                self.add_calls(&group.stream().into_iter().collect::<Vec<_>>());
            }
        }
        for window in tokens.windows(4) {
            if let [
                receiver,
                TokenTree::Punct(dot),
                TokenTree::Ident(name),
                TokenTree::Group(args),
            ] = window
                && (is_word(receiver, "self") || is_word(receiver, "checker"))
                && dot.as_char() == '.'
                && args.delimiter() == Delimiter::Parenthesis
            {
                self.calls.insert(name.to_string());
            }
        }
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

/// Returns unlisted calls of a later module, and listed calls that do not exist.
fn problems(parts: &[Part]) -> Vec<String> {
    let mut rooms: BTreeMap<&str, usize> = BTreeMap::new();
    for part in parts {
        rooms.extend(
            part.methods
                .iter()
                .map(|method| (method.as_str(), part.room)),
        );
    }
    let upward = |part: &Part, call: &str| rooms.get(call).is_some_and(|room| *room > part.room);
    let found: BTreeSet<(&str, &str)> = parts
        .iter()
        .flat_map(|part| {
            part.calls
                .iter()
                .filter(|call| upward(part, call))
                .map(|call| (ROOMS[part.room], call.as_str()))
        })
        .collect();
    let listed: BTreeSet<(&str, &str)> = UPWARD.iter().copied().collect();
    let unlisted = found
        .difference(&listed)
        .map(|(room, call)| format!("`{room}` asks `{call}` of a room above it"));
    unlisted
        .chain(
            listed
                .difference(&found)
                .map(|(room, call)| format!("`{room}` asks no `{call}` any more")),
        )
        .collect()
}

fn parts() -> Vec<Part> {
    let sources = sources();
    let inside = sources
        .iter()
        .filter(|source| !source.is_test())
        .filter_map(|source| {
            let (room, _) = source.path.strip_prefix(FOLDER)?.split_once('/')?;
            Some(Part::new(
                ROOMS.iter().position(|known| *known == room)?,
                &source.text,
            ))
        });
    inside.collect()
}

#[test]
fn only_listed_calls_go_to_later_checker_modules() {
    let parts = parts();
    assert!(
        parts.iter().map(|part| part.methods.len()).sum::<usize>() > 200,
        "the methods of the rooms are not found"
    );
    assert_none(&problems(&parts));
}

#[test]
fn a_call_of_a_later_checker_module_is_found_in_every_form() {
    let mut parts = parts();
    let mut seen = |text: &str| {
        parts.push(Part::new(0, text));
        let found = problems(&parts).len();
        parts.pop();
        found
    };
    assert_eq!(
        seen("impl Checker<'_> { fn f(&mut self) { self.type_of_expr(file, expr); } }"),
        1
    );
    assert_eq!(
        seen(
            "impl Checker<'_> { fn f(&mut self) { let x = || g(|checker| checker.type_of(file, ty)); } }"
        ),
        1
    );
    assert_eq!(
        seen(
            "fn f(checker: &mut Checker<'_>) { checker.infer_type_args(); checker.resolve_overload() }"
        ),
        2
    );
    assert_eq!(
        seen(
            "impl Checker<'_> { fn f(&mut self) { self.lookup_name(position, name, meaning); self.facts(file); } }"
        ),
        0
    );
    assert_eq!(
        seen("/// `self.type_of_expr(x)`\nfn f() { other.type_of_expr(x) }"),
        0
    );
}
