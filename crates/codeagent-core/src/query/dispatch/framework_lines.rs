//! Lines by which frameworks know code: jobs on a schedule (`@Cron`), options of a command line (`[Option]`),
//! its commands, environment variables, tables, middleware, background work.
//!
//! A question asks for such lines if it begins like one for several things (`which`, `list`) and has the
//! words for them, in the plural. Lines are found by their text, because the framework may not be installed.
//!
//! Limitations: English only; a mark is found where it begins on one line.

use crate::query::{FoundText, Occurrence, Occurrences, QueryError, TextSearchQuery, search_text};
use crate::store;

/// Maximum number of folders with a name.
const MAX_FOLDERS: usize = 4;

/// Maximum length of a line that is not minified, in bytes.
const MAX_WRITTEN_BYTES: usize = 300;

/// Title of the lines that read environment variables.
const ENVIRONMENT: &str = "lines that read environment variables";

/// First words of questions for several things.
const STARTS: [&str; 4] = ["list", "show", "what", "which"];

/// Filler words before the subject of a question.
const FILLERS: [&str; 8] = ["all", "are", "different", "is", "me", "of", "our", "the"];

/// Number of other words after the first among which the subject is.
const SUBJECT_WORDS: usize = 2;

/// A regular expression for lines that read an environment variable or a configuration key; the names are parsed by
/// [`setting_names`](crate::query::setting_names).
const READS: &str = r"(process\??|import\.meta|Deno|Bun)\.env([?!]?\.\w|[?!]?\.?\[)|Environment\.GetEnvironmentVariable|\bGetValue<[^>]*>\(\s*\x22|\b(GetSection|GetConnectionString)\(\s*\x22|\b[cC]onfig(uration)?(Service)?\.get(OrThrow)?(<[^>]*>)?\(\s*['\x22]|\b_?[cC]onfig(uration)?\[\s*\x22|\benv\(\s*['\x22]|\$[Ee]nv:\w";

/// What frameworks know by a line.
struct Framework {
    /// Words that a question for it has: one of each list.
    words: &'static [&'static [&'static str]],
    /// What its lines do.
    title: &'static str,
    /// A regular expression for its lines. A search is fast if few characters can begin each alternative.
    pattern: &'static str,
    /// Texts of lines that match, but count for less.
    weak: &'static [&'static str],
}

/// Entity Framework, Nest, TypeORM, Drizzle, Knex, Sequelize, Mongoose and Prisma; CommandLineParser,
/// System.CommandLine, commander, yargs, oclif and nest-commander; Quartz, Hangfire, Azure Functions,
/// node-cron, node-schedule and Bull; ASP.NET Core, Express, Koa and Fastify.
const FRAMEWORKS: [Framework; 7] = [
    Framework {
        words: &[
            &["environment", "env"],
            &["variable", "variables", "var", "vars"],
        ],
        title: ENVIRONMENT,
        pattern: r"(process\??|import\.meta|Deno|Bun)\.env([?!]?\.\w|[?!]?\.?\[)|\}\s*=\s*process\.env\b|Environment\.GetEnvironmentVariable",
        weak: &[],
    },
    Framework {
        words: &[
            &[
                "schedule",
                "scheduled",
                "cron",
                "periodically",
                "recurring",
                "nightly",
                "timer",
                "timetable",
                "repeatedly",
                "regularly",
            ],
            &["jobs", "tasks", "work", "run", "runs", "functions", "put"],
        ],
        title: "lines that put work on a schedule",
        // The last alternative is a cron string, which has a `*`.
        pattern: concat!(
            r"@(Cron|Interval|Scheduled?)\(|\[(TimerTrigger|DisallowConcurrentExecution)\b|\bcron\.schedule\(|",
            r"new CronJob\(|\bscheduleJob\(|\bRecurringJob\.|CronSchedule\(|\bschedules\.task\(|\brepeat: \{|",
            r"new PeriodicTimer\(|new ([\w.]+\.)?Timer\(|\bsetInterval\(|",
            r"['\x22`](\*(/[0-9]+)?( [0-9A-Z*/,?#-]+){4,5}|",
            r"[0-9][0-9/,-]* \*(/[0-9]+)?( [0-9A-Z*/,?#-]+){3,4}|",
            r"([0-9][0-9/,-]* ){2}\*(/[0-9]+)?( [0-9A-Z*/,?#-]+){2,3}|",
            r"([0-9][0-9/,-]* ){3}\*(/[0-9]+)?( [0-9A-Z*/,?#-]+){1,2}|",
            r"([0-9][0-9/,-]* ){4}\*)['\x22`]",
        ),
        weak: &["Timer(", "setInterval("],
    },
    Framework {
        words: &[
            &["cli", "command-line", "terminal"],
            &["options", "switches", "flags", "arguments", "parameters"],
        ],
        title: "lines that declare options or arguments of a command line",
        pattern: r#"\[(Option|Argument|Verb|CliOption|CliArgument)\(|@(Option|Argument|Flag)\(|\.(option|requiredOption|argument|positional)\(\s*['"`]|new (Cli)?(Option|Argument)(<[^>]*>)?\(\s*["'`]|\bFlags\.\w+\("#,
        weak: &[],
    },
    Framework {
        words: &[
            &["commands", "subcommands", "verbs"],
            &[
                "cli",
                "command-line",
                "executable",
                "program",
                "subcommands",
                "terminal",
                "tool",
            ],
        ],
        title: "lines that declare commands of a command line",
        pattern: r#"\bnew (Cli)?Command\(\s*($|["'`])|\.command\(\s*($|["'`{])|\[(Verb|Command|CliCommand)\(|@Command\(|\bAddCommand<[^>]*>\(\s*"|\bstatic override paths\b"#,
        weak: &[],
    },
    Framework {
        words: &[
            &["database", "db", "sql"],
            &["tables", "entities", "collections"],
        ],
        title: "lines that declare tables or entities of a database",
        pattern: r"@Entity\(|\[Table\(|\bDbSet<|\b(pg|sqlite|mysql)Table\(|\bcreateTable\(|(?i:create table) |\bsequelize\.define\(|\bmongoose\.model\(|^model \w+ \{",
        weak: &[],
    },
    Framework {
        words: &[
            &["middleware", "middlewares"],
            &["middlewares", "registered", "installed", "exist"],
        ],
        title: "lines that register middleware",
        pattern: r"\b(app|router|server|koa|fastify|api)\.(use|register|Use\w*)\(|\bUseMiddleware<",
        weak: &[],
    },
    Framework {
        words: &[
            &["background", "hosted"],
            &["services", "tasks", "workers", "jobs"],
        ],
        title: "lines that register or declare work in the background",
        pattern: r"\bAddHostedService\b|\b(BackgroundService|IHostedService)\b\s*($|[,{(])|\boverride\b.*\bTask ExecuteAsync\(|new Worker\(|@Processor\(",
        weak: &[],
    },
];

/// Lines that a question asks for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FrameworkLines {
    /// What the lines do.
    pub title: &'static str,
    /// Whether the lines read environment variables.
    pub reads_environment: bool,
    /// The lines.
    pub found: FoundText,
    /// Number of further lines that match, which were not read.
    pub left_out: u64,
    /// Lines that start timers, which may have nothing to do with what is asked for.
    pub timers: Vec<Occurrence>,
}

/// Finds the lines of frameworks that a question asks for, in the folders that it names if these have some; `None` if it
/// asks for something else, or there are none.
pub fn asked_framework_lines(
    occurrences: &mut Occurrences<'_, '_>,
    (question, named): (&str, &[&str]),
) -> Result<Option<FrameworkLines>, QueryError> {
    let words = plain_words(question);
    let Some(framework) = asked(&words) else {
        return Ok(None);
    };

    let mut folders: Vec<String> = named.iter().map(|path| (*path).to_owned()).collect();
    folders.extend(folders_asked(occurrences, &words)?);
    let places = folders.iter().map(|path| Some(path.as_str()));
    let mut only_weak = None;
    for place in places.chain([None]) {
        let (mut found, left_out) = lines_in(occurrences, place, framework.pattern)?;
        let weak = take_weak(&mut found, framework.weak);
        let lines = |found, timers| FrameworkLines {
            title: framework.title,
            reads_environment: framework.title == ENVIRONMENT,
            found,
            left_out,
            timers,
        };
        if has_lines(&found) {
            return Ok(Some(lines(found, weak.code)));
        }
        if only_weak.is_none() && has_lines(&weak) {
            only_weak = Some(lines(weak, Vec::new()));
        }
    }
    Ok(only_weak)
}

fn has_lines(found: &FoundText) -> bool {
    !found.code.is_empty() || !found.others.is_empty()
}

/// Removes the lines with texts that count for less, and returns them.
fn take_weak(found: &mut FoundText, texts: &[&str]) -> FoundText {
    let is_weak = |line: &mut Occurrence| {
        let source = line.source.as_deref().unwrap_or_default();
        texts.iter().any(|text| source.contains(text))
    };
    let mut weak = FoundText::default();
    for (lines, taken) in [
        (&mut found.code, &mut weak.code),
        (&mut found.tests, &mut weak.tests),
        (&mut found.others, &mut weak.others),
    ] {
        taken.extend(lines.extract_if(.., is_weak));
    }
    weak.timed_out = found.timed_out;
    weak
}

/// Returns the lines outside tests that read environment variables and configuration keys, also in scripts.
pub fn lines_that_read_settings(
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<Vec<Occurrence>, QueryError> {
    let (found, _) = lines_in(occurrences, None, READS)?;
    Ok([found.code, found.others].concat())
}

/// Finds the lines in a place that somebody wrote and that match a pattern, and the number of lines that were not read.
fn lines_in(
    occurrences: &mut Occurrences<'_, '_>,
    path: Option<&str>,
    pattern: &str,
) -> Result<(FoundText, u64), QueryError> {
    let query = TextSearchQuery {
        pattern,
        is_regex: true,
        ignore_case: false,
        path,
        literals: false,
    };

    let mut found = search_text(occurrences, &query)?;
    let left_out = found.count.saturating_sub(found.shown() as u64);
    found.code.retain(is_written);
    found.others.retain(is_written);

    Ok((found, left_out))
}

/// Reports whether a line is of code that somebody wrote: not a comment, generated or minified.
fn is_written(line: &Occurrence) -> bool {
    let source = line.source.as_deref().unwrap_or_default();
    let is_comment = ["*", "//", "#", "<!--"]
        .iter()
        .any(|mark| source.starts_with(mark));
    !is_comment && source.len() <= MAX_WRITTEN_BYTES && !store::is_generated_path(&line.path)
}

/// Returns the words of a question in lower case.
fn plain_words(question: &str) -> Vec<String> {
    let text = question
        .to_lowercase()
        .replace("command line", "command-line");
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '_' | '.' | '-'));
    words
        .map(|word| word.trim_matches(['.', '-']).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns the framework that a question in these words asks for.
fn asked(words: &[String]) -> Option<&'static Framework> {
    let first = words.first()?;
    if !STARTS.contains(&first.as_str()) {
        return None;
    }

    let has = |words: &[String], list: &[&str]| words.iter().any(|word| list.contains(&&**word));
    // `which setting turns scheduled jobs off?` asks for a setting.
    let subject: Vec<String> = words[1..]
        .iter()
        .filter(|word| !FILLERS.contains(&word.as_str()))
        .take(SUBJECT_WORDS)
        .cloned()
        .collect();

    FRAMEWORKS.iter().find(|framework| {
        let lists = framework.words;
        lists.iter().all(|list| has(words, list)) && lists.iter().any(|list| has(&subject, list))
    })
}

/// Returns the folders with the name at the end of a question: `.. in the backend`.
fn folders_asked(
    occurrences: &Occurrences<'_, '_>,
    words: &[String],
) -> Result<Vec<String>, QueryError> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let name = match words[..] {
        [.., "in", name] | [.., "in", "the", name] => name,
        _ => return Ok(Vec::new()),
    };
    let snapshot = occurrences.sources.snapshot();
    Ok(store::folders_named(snapshot, name, MAX_FOLDERS)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_lines_of_frameworks_has_their_words() {
        for (question, expected) in [
            (
                "What jobs run on a schedule in the backend?",
                "on a schedule",
            ),
            (
                "Which command line switches does it understand?",
                "command line",
            ),
            ("Which CLI flags are there?", "command line"),
            (
                "Which environment variables does the server read?",
                "environment",
            ),
            ("list the database tables", "tables"),
            ("which middleware is registered?", "middleware"),
            ("Which background services run?", "background"),
            ("Which commands exist?", ""),
            ("Which subcommands does the importer accept?", "commands"),
            ("What commands does the CLI have?", "commands"),
            ("What does the auth middleware do?", ""),
            (
                "What does the export command do with the format option?",
                "",
            ),
            ("Where is the schedule stored?", ""),
            ("What runs on a timer in the backend?", "on a schedule"),
            ("Which setting turns scheduled jobs off?", ""),
            ("Show me all the environment variables", "environment"),
            ("Which of the jobs run nightly?", "on a schedule"),
            ("Which client options are there?", ""),
            ("What parameters does the line chart take?", ""),
            ("Which function processes the background image?", ""),
            ("Where is the rate limit middleware applied?", ""),
            ("The schedule is wrong", ""),
        ] {
            let title = asked(&plain_words(question)).map_or("", |found| found.title);

            assert!(title.contains(expected), "{question}: {title}");
            assert_eq!(title.is_empty(), expected.is_empty(), "{question}: {title}");
        }
    }
}
