//! Perl-compatible patterns (PCRE2): look-around, back-references, named groups, in bounded time.
//!
//! PCRE2 backtracks, so a pattern can take exponential time, and a match cannot be interrupted.
//! Limits at the start of the pattern bound the steps and memory of a match; the clock is checked
//! between matches. PCRE2 restarts its step count for each start position of a match, so the limit
//! depends on the length of the text. A text that exceeds it is searched again, one start position
//! at a time, with a higher limit, and the clock is checked in between. PCRE2's JIT is not used,
//! because it does not count loops over single characters.
//!
//! Limitations: without `multi_line` each line is searched separately. A pattern that needs more
//! than `MOST_STEPS` steps at one position is an error.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use grep_matcher::{Match, Matcher, NoCaptures};
use pcre2::bytes::{Regex, RegexBuilder};

use super::{Case, SearchError, TextQuery};

/// Maximum number of steps of one call; takes a second or two, so the clock is checked at least
/// that often.
const STEPS: usize = 1 << 25;
/// Maximum number of steps from one start position.
const MOST_STEPS: usize = 1 << 20;
/// Maximum memory of a match in KiB.
const MOST_MEMORY: usize = 16 << 10;
/// Maximum length of texts with the first limit, in bytes.
const SHORT: usize = 64;
/// Number of limits; each is for texts of twice the length.
const LIMITS: usize = 24;

/// A pattern matched by PCRE2.
#[derive(Clone, Debug)]
pub struct PerlMatcher {
    builder: RegexBuilder,
    /// The pattern without limits.
    pattern: String,
    is_unicode: bool,
    /// Compiled pattern for each limit.
    limited: Vec<OnceLock<Regex>>,
    /// Pattern that matches only at the start position, with the highest limit.
    anchored: OnceLock<Regex>,
    deadline: Option<Instant>,
    cancel: Arc<AtomicBool>,
}

impl PerlMatcher {
    /// Compiles the pattern of a query.
    pub fn new(query: &TextQuery) -> Result<Self, SearchError> {
        let mut builder = RegexBuilder::new();
        let is_caseless = match query.case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !has_upper_case(&query.pattern),
        };

        builder
            .caseless(is_caseless)
            .multi_line(true)
            .dotall(query.multi_line && query.dot_all)
            .ucp(!query.ascii);

        // Compiled without limits first, so that an error's position refers to the pattern as
        // written.
        builder
            .build(&query.pattern)
            .map_err(|error| SearchError::Pattern(error.to_string()))?;

        let pattern = if query.whole_line {
            format!("(?m:^)(?:{})(?m:$)", query.pattern)
        } else if query.whole_word {
            format!(r"(?<!\w)(?:{})(?!\w)", query.pattern)
        } else {
            format!("(?:{})", query.pattern)
        };

        let matcher = Self {
            builder,
            pattern,
            is_unicode: !query.ascii,
            limited: vec![OnceLock::new(); LIMITS],
            anchored: OnceLock::new(),
            deadline: query.deadline,
            cancel: Arc::clone(&query.cancel),
        };

        matcher
            .regex(&matcher.anchored, MOST_STEPS, r"\G")
            .map_err(SearchError::Pattern)?;

        Ok(matcher)
    }

    /// Returns the pattern with a limit, compiling it on first use.
    fn regex<'r>(
        &self,
        place: &'r OnceLock<Regex>,
        steps: usize,
        prefix: &str,
    ) -> Result<&'r Regex, String> {
        if let Some(regex) = place.get() {
            return Ok(regex);
        }

        let text = format!(
            "(*LIMIT_MATCH={steps})(*LIMIT_HEAP={MOST_MEMORY}){prefix}{}",
            self.pattern
        );
        let regex = self
            .builder
            .build(&text)
            .map_err(|error| error.to_string())?;
        Ok(place.get_or_init(|| regex))
    }

    fn is_late(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Tries every start position separately.
    fn find_by_position(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, String> {
        let regex = self.regex(&self.anchored, MOST_STEPS, r"\G")?;

        for start in at..=haystack.len() {
            // No match starts inside a character.
            if self.is_unicode
                && haystack
                    .get(start)
                    .is_some_and(|byte| (0x80..0xc0).contains(byte))
            {
                continue;
            }
            if self.is_late() {
                return Err("it timed out".to_owned());
            }
            if let Some(found) = regex
                .find_at(haystack, start)
                .map_err(|error| describe(&error))?
            {
                return Ok(Some(span(&found)));
            }
        }
        Ok(None)
    }
}

impl Matcher for PerlMatcher {
    type Captures = NoCaptures;
    type Error = String;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, String> {
        if self.is_late() {
            return Err("it timed out".to_owned());
        }
        let doublings = (haystack.len() - at)
            .div_ceil(SHORT)
            .max(1)
            .next_power_of_two()
            .trailing_zeros() as usize;
        let index = doublings.min(LIMITS - 1);
        let regex = self.regex(&self.limited[index], (STEPS / SHORT) >> index, "")?;
        match regex.find_at(haystack, at) {
            Ok(found) => Ok(found.map(|found| span(&found))),
            Err(error) if is_limit(&error) => self.find_by_position(haystack, at),
            Err(error) => Err(error.to_string()),
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, String> {
        Ok(NoCaptures::new())
    }
}

fn span(found: &pcre2::bytes::Match<'_>) -> Match {
    // `\K` may set the start behind the end.
    Match::new(found.start().min(found.end()), found.end())
}

/// Reports whether a limit of steps, depth or memory was hit.
fn is_limit(error: &pcre2::Error) -> bool {
    matches!(error.code(), -47 | -53 | -63)
}

fn describe(error: &pcre2::Error) -> String {
    if is_limit(error) {
        "too much backtracking".to_owned()
    } else {
        error.to_string()
    }
}

/// Reports whether a pattern contains an upper-case letter outside of escapes.
fn has_upper_case(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            other if other.is_uppercase() => return true,
            _ => {}
        }
    }
    false
}
