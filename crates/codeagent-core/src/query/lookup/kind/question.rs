//! Parses a question for everything of a kind: `which email providers are there in the backend?`

/// Maximum number of words of a kind.
const MAX_WORDS: usize = 4;

/// First words of a question for a kind.
const STARTS: [&str; 4] = ["which", "what", "list", "show"];

/// Words that may precede the kind.
const BEFORE: [&str; 7] = ["all", "different", "kinds", "me", "of", "the", "types"];

/// Words after a kind that say only that it is one of symbols.
const NOUNS: [&str; 5] = [
    "classes",
    "functions",
    "implementations",
    "interfaces",
    "types",
];

/// The ends of a question for a kind.
const ENDS: [&[&str]; 6] = [
    &["exist"],
    &["do", "exist"],
    &["are", "there"],
    &["are", "available"],
    &["does", "it", "have"],
    &["do", "we", "have"],
];

/// Participles after which a question still asks for everything of a kind.
const NEUTRAL: [&str; 8] = [
    "declared",
    "defined",
    "exposed",
    "implemented",
    "provided",
    "registered",
    "scheduled",
    "supported",
];

/// Verbs between a part of the repository and everything of a kind in it: `which jobs does the
/// worker run?`
const HAVE: [&str; 13] = [
    "contain", "declare", "define", "expose", "have", "include", "offer", "provide", "register",
    "run", "schedule", "ship", "support",
];

/// Words of a second question behind that for a kind: `.. and how are they loaded?`
const ASKING: [&str; 6] = ["how", "what", "when", "where", "which", "who"];

/// Words before what is not asked for.
const EXCEPT: [&str; 4] = [" apart from ", " besides ", " except ", " other than "];

/// Words behind the name of a part of a repository: `the worker project`.
const PARTS: [&str; 9] = [
    "app",
    "application",
    "assembly",
    "folder",
    "module",
    "package",
    "program",
    "project",
    "service",
];

/// Words for the whole repository, where a folder may stand.
const WHOLE: [&str; 10] = [
    "app",
    "code",
    "framework",
    "it",
    "library",
    "product",
    "project",
    "repo",
    "repository",
    "we",
];

/// What a question for a kind says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KindQuestion {
    /// The words of the kind in lower case, the last in the plural.
    pub words: Vec<String>,
    /// The folder that it asks about.
    pub folder: Option<String>,
    /// The part of the text that asks for the kind.
    pub clause: String,
}

/// A way to read the words of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// The words of the kind, in the singular.
    pub kind: Vec<String>,
    /// Words before it that select of the kind: `email` of `email providers`.
    pub selecting: Vec<String>,
}

impl KindQuestion {
    /// Parses a question; `None` if it asks for something else.
    pub fn parse(question: &str) -> Option<Self> {
        let text = question.trim().trim_end_matches(['?', '.', '!']);
        let text = without_exception(text);
        // `what can start a rule - list the trigger handlers`
        let last = text.rsplit([':', ';', ',']).next().unwrap_or(text);
        let last = last.rsplit(" - ").next().unwrap_or(last);
        // `which commands does the tool offer, and where are they registered?`
        let first = text.split(", ").next().unwrap_or(text);
        let first = without_second_question(first);
        let clauses = [last, text, first];
        let as_written = clauses.iter().find_map(|clause| Self::of_clause(clause));
        as_written.or_else(|| Self::of_clause(&without_brackets(first)))
    }

    fn of_clause(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = without_purpose(&words);
        let (first, rest) = words.split_first()?;
        let first = first.to_lowercase();
        if !STARTS.contains(&first.as_str()) {
            return None;
        }

        let (rest, folder) = without_folder(rest);
        let rest: Vec<String> = rest.iter().map(|word| written(word)).collect();
        let rest = rest.as_slice();
        let rest = match ENDS.iter().find(|end| ends_with(rest, end)) {
            Some(end) => &rest[..rest.len() - end.len()],
            None if let [before @ .., are, done] = rest
                && are == "are"
                && NEUTRAL.contains(&done.as_str()) =>
            {
                before
            }
            None if folder.is_owner() => rest,
            None if matches!(first.as_str(), "list" | "show") => rest,
            None => return None,
        };
        let start = rest
            .iter()
            .position(|word| !BEFORE.contains(&word.as_str()))?;
        let kind = &rest[start..];
        let is_plain = |word: &String| word.chars().all(char::is_alphabetic);
        let is_kind = kind.len() <= MAX_WORDS && kind.iter().all(is_plain);
        is_kind.then(|| Self {
            words: kind.to_vec(),
            folder: folder.name(),
            clause: words.join(" "),
        })
    }

    /// Returns the ways to read the words, the most specific ones first.
    pub fn readings(&self) -> Vec<Reading> {
        let Some((mut last, mut before)) = self.words.split_last() else {
            return Vec::new();
        };

        let mut readings = Vec::new();
        // `error classes` are what `errors` are, if nothing is an `ErrorClass`.
        if let Some((noun, others)) = before.split_last()
            && NOUNS.contains(&last.as_str())
        {
            readings.extend(readings_of(before, &singulars(last), 0..=0));
            (last, before) = (noun, others);
            readings.extend(readings_of(
                before,
                std::slice::from_ref(noun),
                0..=before.len(),
            ));
        }
        readings.extend(readings_of(before, &singulars(last), 0..=before.len()));
        readings
    }
}

/// Returns the readings of a kind whose last word is one of `last`, with so many words that select.
fn readings_of(
    before: &[String],
    last: &[String],
    selecting: std::ops::RangeInclusive<usize>,
) -> Vec<Reading> {
    let mut readings = Vec::new();
    for count in selecting {
        for last in last {
            let kind = before[count..].iter().chain([last]);
            readings.push(Reading {
                kind: kind.cloned().collect(),
                selecting: before[..count].to_vec(),
            });
        }
    }
    readings
}

/// Where a question asks for a kind.
enum Place<'q> {
    Anywhere,
    /// `.. in the backend`.
    Inside(&'q str),
    /// `which commands does seconv have?`
    Owner(&'q str),
}

impl Place<'_> {
    fn is_owner(&self) -> bool {
        matches!(self, Self::Owner(_))
    }

    /// Returns the name of the folder, `None` for the whole repository.
    fn name(&self) -> Option<String> {
        match self {
            Self::Anywhere => None,
            Self::Inside(name) | Self::Owner(name) => {
                (!WHOLE.contains(name)).then(|| name.trim_matches('/').to_owned())
            }
        }
    }
}

/// Splits the place off that a question ends with.
fn without_folder<'q, 'w>(words: &'w [&'q str]) -> (&'w [&'q str], Place<'q>) {
    let words = words.strip_suffix(&["here"]).unwrap_or(words);
    if let Some((verb, clause)) = words.split_last()
        && HAVE.contains(verb)
        && let Some(does) = clause
            .iter()
            .rposition(|word| ["does", "do"].contains(word))
        && let Some(name) = owner(&clause[does + 1..])
    {
        return (&clause[..does], Place::Owner(name));
    }

    match without_part(words) {
        [before @ .., "come" | "ship", "with", name]
        | [before @ .., "come" | "ship", "with", "the", name] => (before, Place::Owner(name)),
        [before @ .., "in" | "of", name] | [before @ .., "in" | "of", "the", name] => {
            (before, Place::Inside(name))
        }
        _ => (words, Place::Anywhere),
    }
}

/// Returns a word of a kind in lower case, without the hyphen that names of code do not have: `plug-ins`.
fn written(word: &str) -> String {
    let is_path = word.contains(['/', '.']);
    let word = word.to_lowercase();
    if is_path { word } else { word.replace('-', "") }
}

/// Returns a text without what is not asked for: `.. besides plain SQL`.
fn without_exception(text: &str) -> &str {
    let ends = EXCEPT.iter().filter_map(|word| text.find(word));
    ends.min().map_or(text, |end| &text[..end])
}

/// Returns a text up to a second question: `.. and how are they loaded`.
fn without_second_question(text: &str) -> &str {
    let mut ends = text.match_indices(" and ");
    let end = ends.find(|(at, and)| {
        let next = text[at + and.len()..].split(' ').next();
        next.is_some_and(|next| ASKING.contains(&next))
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// Returns some words without what the kind is registered for: `.. are registered for the queue`.
fn without_purpose<'q, 'w>(words: &'w [&'q str]) -> &'w [&'q str] {
    let mut pairs = words.windows(2);
    let end = pairs.position(|pair| NEUTRAL.contains(&pair[0]) && pair[1] == "for");
    end.map_or(words, |at| &words[..=at])
}

/// Returns a text without what is in brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut words: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        depth += usize::from(word.starts_with('('));
        if depth == 0 {
            words.push(word);
        }
        depth = depth.saturating_sub(usize::from(word.trim_end_matches(',').ends_with(')')));
    }
    words.join(" ")
}

/// Returns the name of what has something: the only word, or the one in brackets (`the mail add-in
/// (Shop.Mail)`).
fn owner<'q>(words: &[&'q str]) -> Option<&'q str> {
    let in_brackets = |word: &&'q str| word.strip_prefix('(')?.strip_suffix(')');
    if let Some(name) = words.iter().find_map(in_brackets) {
        return Some(name);
    }
    match without_part(words) {
        [name] | ["the" | "this" | "our", name] | ["the", _, name] => Some(name),
        _ => None,
    }
}

/// Returns some words without the last one, if it says that the name before it is that of a part of
/// the repository.
fn without_part<'q, 'w>(words: &'w [&'q str]) -> &'w [&'q str] {
    match words.split_last() {
        Some((last, before))
            if PARTS.contains(&last.strip_suffix('s').unwrap_or(last))
                && !before.ends_with(&["the"]) =>
        {
            before
        }
        _ => words,
    }
}

fn ends_with(words: &[String], end: &[&str]) -> bool {
    let mut last = words.iter().rev().zip(end.iter().rev());
    words.len() > end.len() && last.all(|(word, end)| word == end)
}

/// Returns the singulars that a regular plural may have: `class` and `classe` for `classes`.
fn singulars(word: &str) -> Vec<String> {
    if let Some(stem) = word.strip_suffix("ies") {
        return vec![format!("{stem}y")];
    }
    let Some(stem) = word.strip_suffix('s').filter(|stem| stem.len() > 1) else {
        return Vec::new();
    };
    match stem.strip_suffix('e') {
        Some(shorter) => vec![stem.to_owned(), shorter.to_owned()],
        None if stem.ends_with('s') => Vec::new(),
        None => vec![stem.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_a_kind_has_its_plural() {
        for (question, expected) in [
            ("which commands exist?", &["command"][..]),
            (
                "Which state handlers exist",
                &["state handler", "state + handler"],
            ),
            ("what kinds of jobs are there?", &["job"]),
            ("list all repositories", &["repository"]),
            (
                "which error classes are defined here?",
                &["error classe", "error class", "error"],
            ),
            ("which caches exist?", &["cache", "cach"]),
            ("which classes exist?", &["classe", "class"]),
            (
                "What can start a rule - list the trigger handlers",
                &["trigger handler", "trigger + handler"],
            ),
            ("which commands does seconv have?", &["command in seconv"]),
            ("which commands do we have?", &["command"]),
            (
                "which commands does the interactive shell offer besides plain SQL?",
                &["command in shell"],
            ),
            (
                "What Quartz jobs does the Api project schedule?",
                &["quartz job in Api", "quartz + job in Api"],
            ),
            (
                "What profile enrichers ship with the library?",
                &["profile enricher", "profile + enricher"],
            ),
            (
                "which jobs are scheduled in the Worker app?",
                &["job in Worker"],
            ),
            (
                "which monitor types exist?",
                &["monitor type", "monitor typ", "monitor"],
            ),
            (
                "which controllers does Shop.Web have?",
                &["controller in Shop.Web"],
            ),
            ("list the guards in src/api", &["guard in src/api"]),
            (
                "Which commands does the mail add-in (Shop.Mail) offer, and where are they made?",
                &["command in Shop.Mail"],
            ),
            (
                "Which mail (SMTP) providers exist in the Shop services, and who uses each?",
                &["mail provider in Shop", "mail + provider in Shop"],
            ),
            (
                "Which plug-ins does Shop ship and how are they loaded?",
                &["plugin in Shop"],
            ),
            (
                "Which mail jobs are registered for the /api/jobs queue, and what is behind each?",
                &["mail job", "mail + job"],
            ),
            ("who calls Cart.total?", &[]),
            ("which class exists?", &[]),
            ("what happens", &[]),
            ("which Cart.totals exist?", &[]),
            ("which endpoints are unauthenticated?", &[]),
        ] {
            let question = KindQuestion::parse(question);
            let folder = question.as_ref().and_then(|asked| asked.folder.clone());
            let readings = question.map(|asked| asked.readings()).unwrap_or_default();

            let text = |reading: &Reading| {
                let mut text = reading.selecting.join(" ");
                text += if text.is_empty() { "" } else { " + " };
                text += &reading.kind.join(" ");
                text += &folder
                    .as_ref()
                    .map_or(String::new(), |name| format!(" in {name}"));
                text
            };

            let readings: Vec<String> = readings.iter().map(text).collect();
            assert_eq!(readings, expected);
        }
    }
}
