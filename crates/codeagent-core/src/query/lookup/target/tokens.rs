//! Splits a text into words that may name targets.

use crate::embed::tokenizer::{camel_words, runs};
use crate::model::dispatch::VERBS;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) struct Token<'a> {
    pub text: &'a str,
    /// Whether it was in quotation marks.
    pub is_quoted: bool,
    /// Whether it was in backticks, or written as a call: `save()`.
    pub is_code: bool,
    /// Whether it is the first word of a sentence.
    pub is_first: bool,
}

/// Words other than names that occur in sentences about code.
const COMMON: &str = "\
    a about after all also an and any are as at be before break breaks by call called callers \
    calls can change changed changes class classes clicked code constructed cover covered \
    covers create created declared deep deeper default define defined depend depends derive \
    derived direct does each enum event every exist exists export exported exports field file \
    find first flow for from function get give go handle handled handler handlers happens has \
    have how if implement implementation implementations implemented implements import \
    imported imports in indirectly inside interface into is issued it its lead leads level \
    levels list made main me member members method methods module name named new not of on one \
    or other overridden override overrides parameter path program public raise raised raises \
    reach reaches read reads removed renamed requested run runs server set sets setting \
    settings show signature start starts subclass subclasses surface test tests that the their \
    them there they this through to two type types unit up use used uses using value variable \
    via what when where which who whom why will with without work works write writes written";

/// Abbreviations of prose that look like names with dots, without their last dot.
const ABBREVIATIONS: [&str; 2] = ["e.g", "i.e"];

/// Reports whether a word belongs to prose rather than to code.
#[must_use]
pub fn is_common(word: &str) -> bool {
    let word = word.to_lowercase();
    COMMON.split(' ').any(|common| common == word)
}

/// Reports whether a text is a sentence: it has common words besides other words, or ends with a
/// question mark.
pub(super) fn is_sentence(text: &str, tokens: &[Token<'_>]) -> bool {
    let plain = |token: &&Token<'_>| token.is_plain() && is_common(token.text);
    tokens.len() > 1 && (text.trim_end().ends_with('?') || tokens.iter().any(|token| plain(&token)))
}

/// Reports whether a name is written like a constant or environment variable: `MAX_SIZE`.
pub(super) fn is_constant(text: &str) -> bool {
    text.contains('_') && is_all_capitals(text)
}

/// Returns a name with its first letter as a capital.
#[must_use]
pub fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Reports whether a name is written in capitals: `MAX_SIZE`, `PORT`.
#[must_use]
pub fn is_all_capitals(text: &str) -> bool {
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(is_upper)
}

/// Reports whether a text is written like a route or event name: `documents.archive`, `a/b-c`.
pub(super) fn is_dotted(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/:".contains(c);
    text.contains(['.', '/', ':', '-']) && text.chars().all(is_part)
}

/// Reports whether a text is written like a name, which may be qualified: `Cart.total(int)`, `a.ts#Cart`.
pub(super) fn is_name(text: &str) -> bool {
    let outside = text.split('(').next().unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || "_$.#<>,~`/\\".contains(c);
    outside.replace("::", ".").chars().all(is_part)
}

/// Returns a name with the types of its parameters only: `Cart.Add(Product, int)` for `Cart.Add (Product product, int
/// count)`.
pub(super) fn without_parameter_names(text: &str) -> String {
    let parts = text.split_once('(');
    let Some((name, rest)) =
        parts.filter(|(_, rest)| rest.ends_with(')') && !rest.contains(['<', ':']))
    else {
        return text.to_owned();
    };
    let parameters = rest.trim_end_matches(')').split(',').map(|parameter| {
        let parameter = parameter.trim();
        match parameter.rsplit_once(' ') {
            Some((kind, name)) if name.starts_with(char::is_lowercase) => kind.trim(),
            _ => parameter,
        }
    });
    let parameters: Vec<&str> = parameters.collect();
    format!("{}({})", name.trim_end(), parameters.join(", "))
}

/// Names of types in lower case, in C# and TypeScript.
const PRIMITIVES: [&str; 24] = [
    "any", "bigint", "bool", "boolean", "byte", "char", "decimal", "double", "dynamic", "float",
    "int", "long", "never", "nint", "number", "object", "sbyte", "short", "string", "symbol",
    "uint", "ulong", "unknown", "ushort",
];

/// Reports whether an argument is a value rather than the type of a parameter: `jobId`, `1`, `..`.
pub(super) fn is_value(argument: &str) -> bool {
    let argument = argument.trim();
    let name = argument.split(|c: char| !c.is_alphanumeric()).next();
    let is_type = argument.starts_with(char::is_uppercase)
        || name.is_some_and(|name| PRIMITIVES.contains(&name))
        || argument.contains(' ');
    !is_type
}

/// Reports whether a text is written like the path of a route: `/users/:id`, `/blog/[slug]`, `/<user>/cart`.
pub(super) fn is_route(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._-/:$*{}[]<>".contains(c);
    text.len() > 1 && text.starts_with('/') && text.chars().all(is_part)
}

/// Returns the method that the first of some words is, if the path of the request follows: `POST /login`,
/// `POSTs to /login`.
pub(super) fn method_of_route<'a>(words: &[Token<'a>]) -> Option<&'a str> {
    let (word, rest) = words.split_first()?;
    let path = match rest {
        [to, path, ..] if to.text == "to" => path,
        [path, ..] => path,
        [] => return None,
    };
    let method = word.text.strip_suffix('s').unwrap_or(word.text);
    (path.text.contains('/') && is_request_method(method)).then_some(method)
}

/// Returns the words that names in a text consist of, in lower case: `desktop`, `app` and `main` for
/// `DesktopApp/main`.
#[must_use]
pub fn name_words(text: &str) -> Vec<String> {
    runs(text)
        .flat_map(camel_words)
        .map(str::to_lowercase)
        .collect()
}

/// Words with capitals that a question writes without naming code: `the public API of Cart`, `which React
/// component`.
const TECHNICAL: [&str; 30] = [
    "API",
    "ASP.NET",
    "Android",
    "Angular",
    "C#",
    "CLI",
    "CRUD",
    "CSS",
    "GUI",
    "GraphQL",
    "HTML",
    "HTTP",
    "JSON",
    "JavaScript",
    "LLM",
    "Linux",
    "NestJS",
    "Node",
    "ORM",
    "REST",
    "React",
    "SDK",
    "SMS",
    "SQL",
    "SSO",
    "TypeScript",
    "URL",
    "Vue",
    "Windows",
    "XML",
];

/// Reports whether a word of a sentence names code only if code has exactly that name.
pub(in crate::query) fn is_technical(token: &Token<'_>) -> bool {
    // `APIs`
    let name = token.text.strip_suffix('s').unwrap_or(token.text);
    let is_known = TECHNICAL.contains(&token.text) || TECHNICAL.contains(&name);
    let is_known = is_known || is_product(token.text);
    !token.is_quoted && !token.is_code && is_known
}

/// Reports whether a token consists of words of prose of which one is meant: `key/value`.
pub(super) fn is_alternative(token: &Token<'_>) -> bool {
    let is_word = |word: &str| word.len() > 1 && word.chars().all(char::is_lowercase);
    let is_written = token.is_quoted || token.is_code;
    !is_written && token.text.contains('/') && token.text.split('/').all(is_word)
}

/// Reports whether a name is written like that of a product with a domain: `Socket.IO`.
fn is_product(name: &str) -> bool {
    let parts = name.split_once('.');
    parts.is_some_and(|(first, last)| {
        let is_word =
            first.starts_with(char::is_uppercase) && first.chars().all(char::is_alphabetic);
        is_word && ["IO", "JS", "NET", "io"].contains(&last)
    })
}

/// Reports whether a word is the method of an HTTP request.
#[must_use]
pub fn is_request_method(word: &str) -> bool {
    VERBS.contains(&word)
}

impl Token<'_> {
    /// Reports whether the token is a word that does not look like a name.
    pub fn is_plain(&self) -> bool {
        let is_word = self
            .text
            .chars()
            .all(|c| c.is_alphabetic() || c == '-' || c == '\'');
        let has_inner_capital = self.text.chars().skip(1).any(char::is_uppercase);
        let is_capitalised = self.text.starts_with(char::is_uppercase) && !self.is_first;
        !self.is_quoted && !self.is_code && is_word && !has_inner_capital && !is_capitalised
    }

    /// Reports whether the token is a word of prose with a capital, other than one that asks.
    pub fn is_capitalized(&self) -> bool {
        let mut letters = self.text.chars();
        let is_upper = letters.next().is_some_and(char::is_uppercase);
        let is_word = is_upper && letters.all(char::is_lowercase);
        is_word && !self.is_first && !self.is_quoted && !self.is_code
    }

    /// Reports whether the token may be an environment variable whose name is a common word: `PATH`.
    fn is_variable(&self) -> bool {
        self.text.len() > 3 && is_all_capitals(self.text) && !is_request_method(self.text)
    }

    /// Reports whether the token is looked up as a name.
    pub fn is_name(&self, in_sentence: bool) -> bool {
        if !in_sentence {
            return true;
        }
        if self.is_quoted || self.is_code {
            // An operator in quotation marks is no name.
            let is_named = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            return self.text.contains(is_named);
        }
        if ABBREVIATIONS.contains(&self.text) {
            return false;
        }
        let has_letter = self.text.contains(|c: char| c.is_alphabetic() || c == '_');
        let is_acronym = self.text.len() < 3 || is_common(self.text) && !self.is_variable();
        has_letter && !self.is_plain() && (!is_acronym || self.text.contains(['.', '#', '_', ':']))
    }
}

pub(in crate::query) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut starts = true;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or(' ');
        if let Some(inner) = quoted(rest, first) {
            let (method, text) = request(inner).unwrap_or(("", inner));
            push(&mut tokens, method, false, false);
            push(&mut tokens, text, first != '`', first == '`');
            starts = false;
            at += inner.len() + 2;
        } else if first.is_whitespace() || matches!(first, ',' | ';') || opens_quote(rest) {
            at += first.len_utf8();
        } else {
            let length = word_length(rest);
            match string_argument(&rest[..length]) {
                Some((function, text)) => push_call(&mut tokens, function, text),
                None if let Some(option) = command_line_option(&rest[..length]) => {
                    push(&mut tokens, option, true, false);
                }
                None => {
                    let word = &rest[..length];
                    let bare = word.trim_end_matches(END_MARKS);
                    let is_call = CALLS.iter().any(|call| bare.ends_with(call));
                    push(&mut tokens, trimmed(word), false, is_call);
                }
            }
            if let Some(last) = tokens.last_mut() {
                last.is_first = starts;
            }
            starts = ends_sentence(&rest[..length]);
            at += length;
        }
    }

    tokens
}

fn push<'a>(tokens: &mut Vec<Token<'a>>, text: &'a str, is_quoted: bool, is_code: bool) {
    let text = text.trim();
    if !text.is_empty() {
        tokens.push(Token {
            text,
            is_quoted,
            is_code,
            is_first: false,
        });
    }
}

/// Splits a quoted request: `GET /users`.
fn request(text: &str) -> Option<(&str, &str)> {
    let (method, path) = text.trim().split_once(' ')?;
    let path = path.trim_start();
    (is_request_method(method) && is_route(path)).then_some((method, path))
}

/// Reports whether a word with its marks is the last one of a sentence.
fn ends_sentence(word: &str) -> bool {
    let word = word.trim_end_matches(['"', '\'', ')']);
    word.ends_with(['.', '!', '?']) && !ABBREVIATIONS.contains(&trimmed(word))
}

/// Returns the name of an option of a command line, without its dashes: `max-size` for
/// `--max-size=1`.
fn command_line_option(word: &str) -> Option<&str> {
    let option = trimmed(word).strip_prefix("--")?;
    let name = option.split('=').next().unwrap_or_default();
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    starts.then_some(name)
}

/// Splits a call with a string as its first argument, such as `api.post("/users")`.
fn string_argument(word: &str) -> Option<(&str, &str)> {
    let (function, arguments) = word.split_once('(')?;
    let first = arguments.chars().next()?;
    Some((function, quoted(arguments, first)?))
}

/// Adds the string of a call. The function is a token only if it is not a member, because its object is
/// often a local variable; the name of a request method precedes its path.
fn push_call<'a>(tokens: &mut Vec<Token<'a>>, function: &'a str, text: &'a str) {
    let function = trimmed(function);
    let member = function.rsplit_once('.').map(|(_, member)| member);
    let name = member.unwrap_or(function);
    let method = VERBS
        .into_iter()
        .find(|method| method.eq_ignore_ascii_case(name));
    match method {
        Some(method) if text.contains('/') => push(tokens, method, false, false),
        _ if member.is_none() => push(tokens, function, false, false),
        _ => {}
    }
    push(tokens, text, true, false);
}

/// Reports whether a text begins with a bracket before a quotation mark: `("Save all")`.
fn opens_quote(rest: &str) -> bool {
    let inner = rest.strip_prefix('(');
    inner.is_some_and(|inner| inner.starts_with(['"', '`']))
}

/// Returns the text between the quotation marks at the beginning of `rest`.
fn quoted(rest: &str, first: char) -> Option<&str> {
    if !matches!(first, '"' | '\'' | '`') {
        return None;
    }
    let inner = &rest[1..];
    let end = inner.find(first)?;
    (end > 0 && !inner[..end].contains('\n')).then(|| &inner[..end])
}

/// Reports whether a list of parameters or type arguments may follow a character: `add(`, `add<T>(`.
fn ends_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '>')
}

/// Returns the length of the word at the start of a text. It includes parameter and type argument
/// lists that follow a name.
fn word_length(text: &str) -> usize {
    let (mut depth, mut previous) = (0_usize, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '<' if depth > 0 || ends_name(previous) => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ',' | ';' => return at,
            _ if c.is_whitespace() => return at,
            _ => {}
        }
        previous = c;
    }

    // The list is not closed, so it does not belong to the word.
    if depth > 0 {
        return text
            .find(|c: char| c.is_whitespace() || c == ',')
            .unwrap_or(text.len());
    }

    text.len()
}

/// Ends of words that are written as calls.
const CALLS: [&str; 3] = ["()", "(...)", "(..)"];

/// Punctuation after a word.
const END_MARKS: [char; 8] = ['?', '!', '.', ',', ':', ';', '"', '\''];

/// Removes surrounding punctuation. The brackets of a path belong to it: `/users/{id}`, `/blog/[slug]`.
fn trimmed(word: &str) -> &str {
    let word = word.trim_start_matches(['(', '"', '\'', '<', '*']);
    let word = word.trim_end_matches(END_MARKS);
    let word = if word.contains('/') {
        word
    } else {
        word.trim_start_matches(['[', '{'])
            .trim_end_matches([']', '}'])
    };

    let word = word.strip_suffix("'s").unwrap_or(word);
    let word = match CALLS.iter().find_map(|call| word.strip_suffix(call)) {
        // `.total()` is a member of something.
        Some(callee) => callee.trim_start_matches('.'),
        None => word,
    };

    if word.contains('(') {
        return word;
    }

    let word = word.trim_end_matches(')');
    // `List<Cart>`, but not `Cart>`.
    if word.contains('<') {
        word
    } else {
        word.trim_end_matches('>')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn texts_are_split_at_spaces_and_commas_outside_lists() {
        for (text, expected) in [
            (
                "Cart.Add(Product, int) Total",
                &["Cart.Add(Product, int)", "Total"][..],
            ),
            ("who calls `Cart.Total`?", &["who", "calls", "Cart.Total"]),
            (
                "Cart.Total, src/a.ts:12; List`1",
                &["Cart.Total", "src/a.ts:12", "List`1"],
            ),
            (
                "What happens (in the UI) when Sell() runs?",
                &["What", "happens", "in", "the", "UI", "when", "Sell", "runs"],
            ),
            (
                "event \"documents.archive\"",
                &["event", "documents.archive"],
            ),
            ("Cart's total", &["Cart", "total"]),
            ("who tests .total(...)?", &["who", "tests", "total"]),
            ("a(b c", &["a(b", "c"]),
            ("is [Cart] at /c/{id}?", &["is", "Cart", "at", "/c/{id}"]),
            ("PUT {id}/share", &["PUT", "{id}/share"]),
            ("Map<K, V>.Get", &["Map<K, V>.Get"]),
            ("List<Cart> of <Cart>", &["List<Cart>", "of", "Cart"]),
            (
                "what serves api.post(\"/a b\")?",
                &["what", "serves", "POST", "/a b"],
            ),
            ("socket.emit('join', id)", &["join"]),
            ("env(\"PORT\") Cart", &["env", "PORT", "Cart"]),
            (
                "what does --max-size=1 do - or --?",
                &["what", "does", "max-size", "do", "-", "or", "--"],
            ),
            (
                "it is off (\"Not now.\") - why",
                &["it", "is", "off", "Not now.", "-", "why"],
            ),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn the_method_of_a_request_is_no_name() {
        let is_method = |text: &str| method_of_route(&tokens(text)).is_some();
        assert!(is_method("POST /login"));
        assert!(is_method("POSTs to /login"));
        assert!(is_method("GET api/users"));
        assert!(!is_method("POST"));
        assert!(!is_method("Post /login"));
        assert!(!is_method("DELETE rows"));
    }

    #[test]
    fn names_in_a_sentence_are_distinguished_from_words() {
        let text = "Which tests cover Cart.total and CartStore in the API, also MAX_SIZE and PATH?";
        let tokens = tokens(text);
        assert!(is_sentence(text, &tokens));
        let names: Vec<&str> = tokens
            .iter()
            .filter(|token| token.is_name(true))
            .map(|token| token.text)
            .collect();
        assert_eq!(
            names,
            ["Cart.total", "CartStore", "API", "MAX_SIZE", "PATH"]
        );
        assert!(!is_sentence("Cart Store", &super::tokens("Cart Store")));
    }

    #[test]
    fn parameters_are_their_types() {
        for (text, expected) in [
            (
                "Cart.Add (Product product, int count)",
                "Cart.Add(Product, int)",
            ),
            ("Cart.Add(Product, int)", "Cart.Add(Product, int)"),
            ("Cart.Clear()", "Cart.Clear()"),
            ("add(id: string)", "add(id: string)"),
            ("Cart.total", "Cart.total"),
        ] {
            assert_eq!(without_parameter_names(text), expected, "{text}");
        }
    }
}
