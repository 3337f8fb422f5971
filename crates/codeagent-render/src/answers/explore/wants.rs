//! The sections that the words of a question ask for.

use codeagent_core::model::graph::NodeType;
use codeagent_core::query::{Note, Target, Targets};

use super::connection::{asks_for_path_to, ends, gets_to};
use super::is_prose;
use crate::text::Section;

/// The sections that a question asks for; by default a bit of everything.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wants {
    pub tests: bool,
    pub no_tests: bool,
    pub implementations: bool,
    /// The question asks for overrides rather than where something is implemented.
    pub overrides: bool,
    pub impact: bool,
    pub levels: bool,
    /// The question asks for all that leads to its subject, up to the requests that reach it.
    pub roots: bool,
    pub flow: bool,
    /// The question says that its subject is sent or raised.
    pub messages: bool,
    /// The question asks what sends or raises something.
    pub senders: bool,
    /// What a setting, option or flag decides.
    pub setting: bool,
    pub dependencies: bool,
    /// The question asks where something gets its data.
    pub data: bool,
    pub members: bool,
    pub public: bool,
    pub imports: bool,
    pub callers: bool,
    /// Less likely uses, too.
    pub others: bool,
    pub path: bool,
    pub entry_points: bool,
    /// The question asks under which conditions something happens or is shown.
    pub conditions: bool,
    /// The answer guesses what the question means.
    pub guesses: bool,
}

/// Beginnings of words for the start of a program.
pub(super) const STARTS: &[&str] = &["start", "entry", "begin", "boot"];

/// Beginnings of words for what starts at an entry point.
const PROGRAMS: &[&str] = &[
    "api",
    "app",
    "backend",
    "cli",
    "client",
    "daemon",
    "execut",
    "frontend",
    "process",
    "program",
    "project",
    "repositor",
    "server",
    "service",
    "site",
    "solution",
    "system",
    "tool",
    "version",
    "web",
    "worker",
];

/// Beginnings of further words of a question about the start of a program.
const AROUND_STARTS: &[&str] = &["point", "code", "execution", "main", "up"];

/// Words by which a single test is asked for.
const BEFORE_TEST: [&str; 7] = ["any", "e2e", "integration", "no", "unit", "what", "which"];

/// Maximum number of words between one for a time and a test: `after a browser test`.
const MAX_BEFORE_TEST: usize = 3;

/// Weight of a section that the question asks for.
pub(super) const WANTED: u32 = 60;

/// Maximum characters of a section beside those that the question asks for.
const MAX_UNWANTED: usize = 1_000;

impl Wants {
    /// Parses the words of a question. A list of names asks for no particular section.
    pub fn of(targets: &Targets) -> Self {
        if !targets.is_sentence {
            return Self::default();
        }

        let words = |beginnings: &[&str]| targets.mentions(beginnings);
        let flow = asks_for_flow(targets);
        // `who runs X`, but not `what happens when X runs`.
        let asks_for_runners = !flow && words(&["run", "invok", "trigger"]);
        // `what can I import from cart.ts?`
        let asks_for_exports = targets.has_word("can") && words(&["import"]);
        let no_tests = excludes_tests(targets);

        Self {
            tests: asks_for_tests(targets) && !no_tests,
            no_tests,
            overrides: words(&["overrid", "redefin"]) || targets.has_word("implements"),
            implementations: words(&[
                "implement",
                "subclass",
                "overrid",
                "deriv",
                "exist",
                "extend",
                "inherit",
                "redefin",
            ]),
            impact: words(&[
                "break", "impact", "chang", "renam", "remov", "adapt", "adjust", "affect",
            ]),
            roots: asks_for_roots(targets),
            levels: words(&["level", "lead", "indirect", "transitiv"])
                || words(&["extension", "helper", "wrapper"]) && targets.has_word("through")
                || asks_for_their_callers(targets),
            flow,
            messages: words(&["sent", "rais", "publish", "dispatch", "emit"]),
            setting: words(&[
                "argument",
                "environment",
                "flag",
                "option",
                "setting",
                "switch",
            ]),
            senders: asks_who_sends(targets),
            data: words(&["data", "load", "fetch", "quer"]),
            dependencies: words(&["depend", "rely", "relies", "need", "requir", "inject"]),
            members: words(&[
                "public",
                "publish",
                "surface",
                "export",
                "expose",
                "member",
                "operation",
                "operator",
                "offer",
            ]) || asks_for_exports,
            public: words(&["public", "publish", "surface"]),
            imports: words(&["import"]) && !asks_for_exports,
            path: is_path(targets),
            entry_points: words(STARTS)
                && names_no_code(targets)
                && starts_a_program(targets)
                && (!words(&["happen"]) || words(PROGRAMS) || names_program(targets)),
            callers: words(&[
                "call",
                "raise",
                "use",
                "read",
                "write",
                "set",
                "construct",
                "creat",
                "emit",
                "fire",
                "listen",
                "render",
                "subscrib",
            ]) || asks_for_runners,
            others: false,
            conditions: words(&["appear", "condition", "decid", "hidden", "visib", "whether"]),
            guesses: false,
        }
    }

    /// Weighs a section: more if the question asks for it. If the question asks for another one, the
    /// section gets little room.
    pub fn weigh(self, section: Section, is_wanted: bool, normal: u32) -> Section {
        if is_wanted {
            section.weighing(WANTED)
        } else if self.asks() {
            section.weighing(normal.div_ceil(2)).at_most(MAX_UNWANTED)
        } else {
            section.weighing(normal)
        }
    }

    /// Weighs the section of uses in tests. A change that breaks callers breaks tests, too.
    pub fn weigh_tests(self, section: Section) -> Section {
        if self.impact && !self.tests {
            return section.weighing(20);
        }
        self.weigh(section, self.tests, 8)
    }

    /// Reports whether the question asks for particular sections.
    pub fn asks(self) -> bool {
        self.tests
            || self.implementations
            || self.impact
            || self.levels
            || self.flow
            || self.dependencies
            || self.members
            || self.imports
            || self.callers
            || self.path
    }
}

/// Reports whether a question asks what sends a message: `who sends "closed"?`
fn asks_who_sends(targets: &Targets) -> bool {
    let mut asking = ["what", "where", "which", "who"].iter();
    asking.any(|word| targets.has_word(word))
        && targets.mentions(&[
            "dispatch", "emit", "fire", "publish", "rais", "send", "sent",
        ])
}

/// Reports whether a question asks for tests, rather than for what happens with them: `when tests run in processes`,
/// `after a browser test has finished`.
fn asks_for_tests(targets: &Targets) -> bool {
    if targets.mentions(&["cover"]) {
        return true;
    }
    let is_test = |at: usize, word: &str| match word {
        // `how many milliseconds a test may take`
        "test" => at > 0 && BEFORE_TEST.contains(&targets.words[at - 1].as_str()),
        _ => word.starts_with("test"),
    };
    let is_time = |word: &String| ["after", "before", "when", "while"].contains(&word.as_str());
    let is_circumstance = |at: usize| {
        let before = &targets.words[at.saturating_sub(MAX_BEFORE_TEST)..at];
        before.iter().any(is_time)
    };
    let mut words = targets.words.iter().enumerate();
    words.any(|(at, word)| is_test(at, word) && !is_circumstance(at))
}

/// Reports whether a question is not about tests: `without the tests`, `tests aside`.
fn excludes_tests(targets: &Targets) -> bool {
    let is_test = |word: &String| word.starts_with("test");
    let mut words = targets
        .words
        .windows(3)
        .map(|words| (&words[0], &words[1..]));
    let is_without = |(first, rest): (&String, &[String])| {
        let of_near = ["without", "outside", "except", "excluding"].contains(&first.as_str());
        of_near && rest.iter().any(is_test) || first == "not" && rest[0] == "tests"
    };
    let mut pairs = targets.words.windows(2);
    words.any(is_without) || pairs.any(|pair| is_test(&pair[0]) && pair[1] == "aside")
}

/// Reports whether a question asks what happens, in order.
fn asks_for_flow(targets: &Targets) -> bool {
    let asks_when = targets.has_word("do") && targets.has_word("when");
    let symbols = targets.found.iter().filter(|found| !found.ids().is_empty());

    // Without a name, neither end of a path is known.
    let asks_how = asks_how(targets)
        && match symbols.clone().count() {
            0 => true,
            count => count < 2 && !asks_for_path_to(targets),
        };

    // `from the click on Save, which code writes the file?`
    let starts_with_from = targets.words.first().is_some_and(|word| word == "from");
    let asks_from = starts_with_from && !is_path(targets);

    // `how does a POST to /carts end up in the database?`
    let names_route = targets.found.iter().any(|target| match target {
        Target::Literal(literal) => !literal.files.is_empty() || !literal.routes.is_empty(),
        _ => false,
    });
    let asks_how_of_route = targets.has_word("how") && names_route && symbols.count() == 0;

    targets.mentions(&["happen", "flow"])
        || asks_how_of_route
        || asks_to_trace(targets)
        || asks_for_server(targets)
        || asks_when
        || asks_how
        || asks_from
}

/// Reports whether a question asks for all that follows from a start: `trace cart.save() across HTTP`.
fn asks_to_trace(targets: &Targets) -> bool {
    let mut traces = ["across", "follow", "trace", "traces"].iter();
    traces.any(|word| targets.has_word(word))
}

/// Reports whether a question goes on to the callers of what it asks for: `callers of X, and who calls those?`
fn asks_for_their_callers(targets: &Targets) -> bool {
    let of_them = [
        "those",
        "these",
        "them",
        "indirectly",
        "transitively",
        "ends",
        "eventually",
        "ultimately",
        "turn",
    ];
    targets.mentions(&["call", "invok"]) && of_them.iter().any(|word| targets.has_word(word))
}

/// Reports whether a question asks how something comes about: `how does a file get into the queue?`, but not `how
/// often`.
fn asks_how(targets: &Targets) -> bool {
    let mut pairs = targets.words.windows(2);
    let verbs = ["are", "did", "do", "does", "is"];
    let of_uses = [
        "called",
        "configured",
        "implemented",
        "set",
        "tested",
        "used",
    ];
    pairs.any(|pair| pair[0] == "how" && verbs.contains(&pair[1].as_str()))
        && !of_uses.iter().any(|word| targets.has_word(word))
}

/// Reports whether a question asks what leads to its subject from outside: `which requests can cause it?`, `its
/// callers up to the route`.
fn asks_for_roots(targets: &Targets) -> bool {
    let from_outside = targets.mentions(&["request", "route", "endpoint", "entry"]);
    let asks_which = ["which", "what", "through", "up"];
    let asks_which = asks_which.iter().any(|word| targets.has_word(word));
    let up_to = targets.has_word("up") && targets.mentions(&["handler", "top"]);
    let asks_back = !targets.mentions(&["depend", "happen", "send"]) && !asks_for_server(targets);
    (up_to || from_outside && asks_which) && asks_back
}

/// Reports whether a question asks what answers a request: `which server code answers the request
/// sent by X?`, `which server code runs?`
fn asks_for_server(targets: &Targets) -> bool {
    let answers = targets.mentions(&["answer", "serve"]) && targets.mentions(&["request", "call"]);
    let mut pairs = targets.words.windows(2);
    let names_server_code = pairs.any(|pair| {
        let is_server = ["server", "backend"].contains(&pair[0].as_str());
        is_server && ["code", "handler", "method", "side"].contains(&pair[1].as_str())
    });
    answers || names_server_code && targets.mentions(&["run", "handl", "execut"])
}

/// Reports whether a question names nothing but folders, modules and types, which may be those of a program. A
/// word that happens to be a name (`where does the app start?`) is none.
fn names_no_code(targets: &Targets) -> bool {
    let is_place = |target: &Target| match target {
        Target::Folder { .. } => true,
        // `the Mail Agent` is a program.
        Target::Symbols(symbols) if is_prose(&symbols.asked) => true,
        // `the macOS version of BigMail` is a program, although a script has a variable `bigmail`.
        Target::Symbols(symbols)
            if matches!(symbols.note, Some(Note::MatchedIgnoringCase { .. })) =>
        {
            true
        }
        Target::Literal(literal) => is_prose(&literal.text),
        // `the Avalonia app`
        Target::External { asked, .. } => is_prose(asked),
        Target::Symbols(symbols) => {
            let mut groups = symbols.groups.iter();
            groups.all(|group| {
                let node = group.first();
                let is_entry = node.name.eq_ignore_ascii_case("main");
                node.node_type == NodeType::Module || node.node_type.is_type() || is_entry
            })
        }
        _ => false,
    };

    let asks_where = targets.mentions(&["where", "entry"]);
    let has_types = targets.found.iter().any(|target| !target.ids().is_empty());
    match asks_where {
        true => !targets.has_written_name || targets.found.iter().all(is_place),
        false => !has_types && targets.found.iter().all(is_place),
    }
}

/// Reports whether a question names the file of a program: `Shop.exe`.
fn names_program(targets: &Targets) -> bool {
    let mut missing = targets.missing.iter();
    missing.any(|(name, _)| name.ends_with(".exe"))
}

/// Reports whether what starts is a program, which one more word may name (`the mail program`): `how does
/// a user start a backup?` is about a backup. After `where does .. start`, further words tell how far the
/// answer goes.
fn starts_a_program(targets: &Targets) -> bool {
    let known = [STARTS, PROGRAMS, AROUND_STARTS].concat();
    let is_other = |word: &&str| !known.iter().any(|start| word.starts_with(start));
    let asks_where = targets.words.first().is_some_and(|word| word == "where");
    let of_program = usize::from(targets.mentions(PROGRAMS));

    if !asks_where {
        return targets.uncommon_words().filter(is_other).count() <= of_program;
    }

    // `the updater program that installs a version` is one program.
    let clause = ["that", "which"];
    let before = targets
        .words
        .iter()
        .position(|word| clause.contains(&word.as_str()));
    let noun = &targets.words[..before.unwrap_or(targets.words.len())];

    let in_noun = |word: &&str| noun.iter().any(|own| own == word);
    let others = targets.uncommon_words_before(STARTS).filter(is_other);
    others.filter(in_noun).count() <= 2 * of_program
}

/// Reports whether a question asks how one of its symbols leads to another: `how does A end up in B?`,
/// `from A to B`.
fn is_path(targets: &Targets) -> bool {
    let symbols = targets.found.iter().filter(|found| !ends(found).is_empty());
    let is_between = targets.has_word("from") && targets.has_word("to");
    symbols.count() > 1
        && !asks_to_trace(targets)
        && !targets.mentions(&["level"])
        && (targets.has_word("how")
            || is_between
            || gets_to(targets)
            || targets.mentions(&["reach", "path", "lead"]))
}

/// Reports whether some words have one of these beginnings.
pub(super) fn says(words: &[String], beginnings: &[&str]) -> bool {
    let has_beginning = |word: &String| beginnings.iter().any(|start| word.starts_with(start));
    words.iter().any(has_beginning)
}
