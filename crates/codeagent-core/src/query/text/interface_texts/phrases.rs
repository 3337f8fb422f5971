//! The texts of a user interface that a question quotes: `clicks "Delete account"`, `the Export button`.

use crate::query::lookup::target::{Token, is_common, is_technical, tokens};

/// Words of a question about what a user sees or does.
const INTERFACE: [&str; 33] = [
    "banner",
    "button",
    "caption",
    "checkbox",
    "choose",
    "click",
    "column",
    "dialog",
    "display",
    "dropdown",
    "header",
    "heading",
    "hit",
    "item",
    "label",
    "link",
    "menu",
    "option",
    "page",
    "placeholder",
    "press",
    "say",
    "screen",
    "select",
    "show",
    "tab",
    "tap",
    "text",
    "title",
    "toast",
    "toggle",
    "tooltip",
    "translation",
];

/// Words that follow a text in lower case: `the save changes button`.
const CONTROLS: [&str; 7] = [
    "button", "checkbox", "heading", "label", "link", "toggle", "tooltip",
];

/// Endings of these words.
const ENDINGS: [&str; 9] = ["d", "ed", "es", "ing", "n", "ped", "ping", "s", "ting"];

/// Words that end a text in lower case before a control.
const FILLERS: [&str; 12] = [
    "a", "an", "and", "does", "in", "is", "of", "on", "that", "the", "this", "which",
];

/// Words that precede a message without quotation marks: `the error Cannot open the file`.
const MESSAGES: [&str; 5] = ["error", "message", "notice", "notification", "warning"];

/// Words for what code declares.
const KINDS: [&str; 8] = [
    "class",
    "component",
    "event",
    "function",
    "hook",
    "interface",
    "method",
    "service",
];

/// Verbs whose object is a text: `clicks Save in the Shop`.
const ACTIONS: [&str; 6] = ["choose", "click", "hit", "press", "select", "tap"];

/// Number of words before and after a text among which a word of the interface stands.
const NEAR: usize = 3;

/// Number of words of a message at least and at most.
const MESSAGE_WORDS: (usize, usize) = (3, 24);

/// Maximum number of words of a text without quotation marks.
const MAX_WORDS: usize = 6;

/// Maximum number of phrases of a question.
const MAX_PHRASES: usize = 4;

/// Words that may be a text of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// Its words.
    pub words: Vec<String>,
    /// The number of words that the text has at least.
    pub least: usize,
    /// Whether it was in quotation marks.
    pub is_quoted: bool,
    /// Whether it may differ in case.
    pub is_lower: bool,
}

impl Phrase {
    fn quoted(text: &str) -> Self {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Self {
            least: words.len(),
            words,
            is_quoted: true,
            is_lower: false,
        }
    }

    fn capitalized(tokens: &[Token<'_>]) -> Self {
        let is_word = |token: &&Token<'_>| !token.is_quoted && !token.is_code;
        let words = tokens.iter().take(MAX_WORDS).take_while(is_word);
        Self {
            words: words.map(|token| token.text.to_owned()).collect(),
            least: 1,
            is_quoted: false,
            is_lower: false,
        }
    }

    /// Returns the words as one text.
    #[must_use]
    pub fn text(&self) -> String {
        self.words.join(" ")
    }
}

/// Returns the texts that a question may quote, the most likely first; empty if it asks for no interface.
#[must_use]
pub fn interface_phrases(question: &str) -> Vec<Phrase> {
    let question = question.replace(['“', '”', '„', '«', '»'], "\"");
    let tokens = tokens(&question);
    // `Show me the steps.` asks for no interface.
    let is_asking = |token: &Token<'_>| token.is_first && token.text == "Show";
    // `who calls Title?` names a symbol, `the Export Button` a button.
    let is_word = |at: usize, token: &Token<'_>| {
        let is_behind_name = at > 0 && tokens[at - 1].is_capitalized();
        token.is_first || is_behind_name || token.text.starts_with(char::is_lowercase)
    };
    let is_about = tokens
        .iter()
        .enumerate()
        .any(|(at, token)| is_word(at, token) && is_form(token, &INTERFACE) && !is_asking(token));
    let mut phrases: Vec<Phrase> = tokens
        .iter()
        .filter(|token| token.is_quoted && (is_about || token.text.contains(' ')))
        .filter(|token| !is_option(token.text, &question))
        .filter(|token| token.text.contains(char::is_alphabetic))
        .map(|token| Phrase::quoted(token.text))
        .collect();
    if let Some(phrase) = acted_on(&tokens) {
        return vec![phrase];
    }
    if phrases.is_empty() {
        phrases.extend(message(&tokens));
    }
    if !phrases.is_empty() || !is_about {
        phrases.truncate(MAX_PHRASES);
        return phrases;
    }

    phrases = capitalized(&tokens);
    phrases.dedup();
    if phrases.is_empty() {
        phrases.extend(before_control(&tokens));
    }
    phrases.truncate(MAX_PHRASES);
    phrases
}

/// Returns the words with a capital that are the object of what a user does: `presses the Delete Account button`.
fn acted_on(tokens: &[Token<'_>]) -> Option<Phrase> {
    let verb = tokens.iter().position(|token| is_form(token, &ACTIONS))?;
    let rest = &tokens[verb + 1..];
    let object = match rest {
        [the, rest @ ..] if the.text == "the" => rest,
        _ => rest,
    };
    let starts = object.first().is_some_and(starts_text) && !announces_path(object);
    (starts && !object.first().is_some_and(is_written_as_code)).then(|| Phrase::capitalized(object))
}

/// Reports whether a word is an option of a command line: `--max-size`.
fn is_option(word: &str, question: &str) -> bool {
    question.contains(&format!("--{word}"))
}

/// Returns the words behind one that announces a message, if they begin with a capital.
fn message(tokens: &[Token<'_>]) -> Option<Phrase> {
    let announces = |token: &Token<'_>| is_form(token, &MESSAGES);
    let words = &tokens[tokens.iter().position(announces)? + 1..];
    let (least, most) = MESSAGE_WORDS;
    let starts = words.first().is_some_and(starts_text);
    (starts && words.len() >= least).then(|| Phrase {
        words: words
            .iter()
            .take(most)
            .map(|word| word.text.to_owned())
            .collect(),
        least,
        is_quoted: false,
        is_lower: false,
    })
}

/// Reports whether a token is written as the first word of a text.
fn starts_text(token: &Token<'_>) -> bool {
    is_written_word(token) && token.text.starts_with(char::is_uppercase)
}

/// Returns the runs of words that begin with a capital. Beside the name of code, a word of the interface stands
/// near them: `clicks on Save`.
fn capitalized(tokens: &[Token<'_>]) -> Vec<Phrase> {
    let names_code = tokens.iter().any(is_written_as_code);
    let mut phrases = Vec::new();
    let mut is_inside = false;
    for (at, token) in tokens.iter().enumerate().skip(1) {
        let starts = starts_text(token) && !is_technical(token) && !announces_path(&tokens[at..]);
        let is_control = is_form(token, &CONTROLS) && token.text.to_lowercase() != token.text;
        let is_named = names_kind(&tokens[at + 1..]);
        let is_near = !names_code || is_near_interface(tokens, at);
        if starts && !is_inside && !is_control && !is_named && is_near {
            phrases.push(Phrase::capitalized(&tokens[at..]));
        }
        is_inside = starts;
    }
    phrases
}

/// Reports whether a token cannot be a word of prose: `Cart.total`, `src/cart.ts`, `cartStore`.
fn is_written_as_code(token: &Token<'_>) -> bool {
    let inside = token.text.trim_matches(|c: char| !c.is_alphanumeric());
    let is_code = |c: char| matches!(c, '.' | '/' | '_' | '#');
    let has_lower = inside.contains(char::is_lowercase);
    let has_inner_capital = inside.chars().skip(1).any(char::is_uppercase);
    token.is_code || inside.contains(is_code) || has_lower && has_inner_capital
}

/// Reports whether words begin with one that says that code has the name before them: `the Main method`.
fn names_kind(rest: &[Token<'_>]) -> bool {
    rest.first()
        .is_some_and(|token| KINDS.contains(&token.text))
}

/// Reports whether a word of the interface stands near a token.
fn is_near_interface(tokens: &[Token<'_>], at: usize) -> bool {
    let near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(tokens.len());
    tokens[near].iter().any(|token| is_form(token, &INTERFACE))
}

/// Reports whether words begin with one that says what the path behind it is: `URL /users/:id`, `Shop page /cart`.
fn announces_path(tokens: &[Token<'_>]) -> bool {
    let is_path = |token: &Token<'_>| token.text.contains('/');
    match tokens {
        [name, path, ..] if is_path(path) => is_technical(name),
        [_, page, path, ..] => is_form(page, &INTERFACE) && is_path(path),
        _ => false,
    }
}

/// Returns the words in lower case before a control: `save changes` of `the save changes button`.
fn before_control(tokens: &[Token<'_>]) -> Option<Phrase> {
    let control = tokens.iter().position(|token| is_form(token, &CONTROLS))?;
    let before = &tokens[..control];
    let is_of_text = |token: &&Token<'_>| token.is_plain() && !FILLERS.contains(&token.text);
    let count = before.iter().rev().take_while(is_of_text).count();
    let words = &before[control - count..];
    let has_start = count < control && FILLERS.contains(&before[control - count - 1].text);
    if count == 0 || count > MAX_WORDS || !has_start {
        return None;
    }

    Some(Phrase {
        words: words.iter().map(|token| token.text.to_owned()).collect(),
        least: words.len(),
        is_quoted: false,
        is_lower: true,
    })
}

/// Reports whether a token is written as a word of an interface rather than as a name of code.
fn is_written_word(token: &Token<'_>) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '&');
    let rest = token.text.chars().skip(1);
    let is_upper = token.text.chars().all(|c| !c.is_lowercase());
    let has_inner_capital = !is_upper && rest.clone().any(char::is_uppercase);
    let is_asking = is_common(token.text) && token.is_first;
    !token.is_quoted
        && !token.is_code
        && !has_inner_capital
        && !is_asking
        && token.text.chars().all(is_word)
        && token.text.chars().count() > 1
}

/// Reports whether a token is a form of one of some words.
fn is_form(token: &Token<'_>, words: &[&str]) -> bool {
    let text = token.text.to_lowercase();
    let is_ending = |rest: &str| rest.is_empty() || ENDINGS.contains(&rest);
    let is_word = token.is_plain() || token.is_capitalized();
    is_word
        && words
            .iter()
            .any(|word| text.strip_prefix(word).is_some_and(is_ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_an_interface_quote_its_texts() {
        for (question, expected) in [
            (
                "what happens when the user clicks \"Delete account\"?",
                &["Delete account"][..],
            ),
            ("who uses “No results found”", &["No results found"]),
            (
                "where is the label Save changes defined and who uses it",
                &["Save changes defined and who uses"],
            ),
            ("what does the Export button do", &["Export button do"]),
            ("which page has the heading Billing", &["Billing"]),
            (
                "what happens when the user types \"delete\" and presses the Delete Account button?",
                &["Delete Account button"],
            ),
            (
                "which request does Shop send when a user hits Close in Billing?",
                &["Close in Billing"],
            ),
            ("Which lines run on POST /pay? Show me the steps", &[]),
            ("which page is shown at the URL /users/:id?", &[]),
            ("which components render the Shop page /cart/:id?", &[]),
            ("what does the save changes button do", &["save changes"]),
            ("which button handlers exist", &[]),
            ("how does an HTML page reach the REST API on Windows?", &[]),
            ("which component is shown at the URL /carts/:id?", &[]),
            ("who calls Cart.Total?", &[]),
            ("who calls Title?", &[]),
            ("what does the Export Button do", &["Export Button do"]),
            ("who listens to the event \"closed\"?", &[]),
            ("which tests cover CartPage in the dialog", &[]),
        ] {
            let phrases = interface_phrases(question);
            let texts: Vec<String> = phrases.iter().map(Phrase::text).collect();

            assert_eq!(texts, expected, "{question}");
        }
    }
}
