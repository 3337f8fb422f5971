//! The section about a setting that a question describes: `which setting keeps my own visits out?`

use std::collections::BTreeMap;

use codeagent_core::query::{self, Occurrence, Occurrences, Target, Targets};

use super::connection::is_form;
use super::constants;
use super::member::source_lines;
use super::message::add_callers_around;
use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Words for settings. An option or flag may be that of a dialog or an enum.
const SETTINGS: [&str; 5] = [
    "config",
    "configuration",
    "environment",
    "setting",
    "settings",
];

/// Number of words behind `which` or `what` among which a setting is what a question asks for.
const NEAR: usize = 3;

/// Share of the best setting's weight that others have.
const MIN_SHARE: f64 = 0.9;

/// Maximum number of functions whose source is read or shown, and its characters for each.
const MAX_SOURCES: usize = 2;
const MAX_SOURCE_CHARS: usize = 900;

/// Maximum number of settings that are listed.
const MAX_SETTINGS: usize = 5;

/// Adds the reads of the environment variables and configuration keys whose names have the rarest words of a
/// question that asks for a setting without naming one; reports whether there are any.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
) -> Result<bool, AnswerError> {
    let is_other = |target: &Target| !target.is_of_tests();
    let has_name = targets.has_written_name
        && (targets.found.is_empty() || targets.found.iter().any(is_other));
    if !asks_for_setting(&targets.words) || has_name {
        return Ok(false);
    }
    let is_other = |word: &&str| !SETTINGS.contains(word);
    let words: Vec<&str> = targets.uncommon_words().filter(is_other).collect();

    let mut reads: BTreeMap<String, Vec<Occurrence>> = BTreeMap::new();
    for line in query::lines_that_read_settings(occurrences)? {
        for name in query::setting_names(line.source.as_deref().unwrap_or_default()) {
            reads.entry(name.to_owned()).or_default().push(line.clone());
        }
    }

    let ranked = ranked(reads, &words);
    if ranked.len() > MAX_SETTINGS {
        return Ok(false);
    }
    let ranked = best_by_source(occurrences, ranked, &words)?;
    for (name, lines) in &ranked {
        let title = format!("{name} (matched by words of its name) is read at");
        let section = Section::occurrence_rows("settings", title, lines.clone());
        document.section(section.weighing(WANTED));
    }
    let lines: Vec<&Occurrence> = ranked.iter().flat_map(|(_, lines)| lines).collect();
    let mut functions = add_callers_around(document, occurrences, &lines)?;
    functions.truncate(MAX_SOURCES);
    for function in &functions {
        let title = occurrences.short_name(function)?;
        let source = Section::lines("source", title, source_lines(occurrences, function)?);
        document.section(source.weighing(10).at_most(MAX_SOURCE_CHARS));
    }
    document.section(constants::section(occurrences, &functions)?.weighing(6));
    Ok(!ranked.is_empty())
}

/// Reports whether words ask for a setting: `which environment variable ..`, and not `what happens in the settings?`
fn asks_for_setting(words: &[String]) -> bool {
    let asks = |word: &String| word == "which" || word == "what";
    let asked = words.iter().position(asks);
    let mut near = words.iter().skip(asked.map_or(words.len(), |at| at + 1));
    near.by_ref()
        .take(NEAR)
        .any(|word| SETTINGS.contains(&word.as_str()))
}

/// Keeps those of several settings whose readers have the most of some words in their source.
fn best_by_source(
    occurrences: &mut Occurrences<'_, '_>,
    settings: Vec<(String, Vec<Occurrence>)>,
    words: &[&str],
) -> Result<Vec<(String, Vec<Occurrence>)>, AnswerError> {
    let mut counts = Vec::with_capacity(settings.len());
    for (_, lines) in &settings {
        let mut source = String::new();
        for line in lines.iter().take(MAX_SOURCES) {
            if let Some(function) = query::function_around(occurrences, line)? {
                source.push_str(&source_lines(occurrences, &function)?.join(" "));
            }
        }

        let own = query::name_words(&source);
        let is_said = |word: &&&str| own.iter().any(|own| is_form(own, word));
        counts.push(words.iter().filter(is_said).count());
    }

    let most = counts.iter().copied().max().unwrap_or(0);
    let kept = settings.into_iter().zip(counts);
    let kept = kept.filter(|(_, count)| *count == most);
    Ok(kept.map(|(setting, _)| setting).collect())
}

/// Returns the settings whose names have the rarest of some words.
fn ranked(
    reads: BTreeMap<String, Vec<Occurrence>>,
    words: &[&str],
) -> Vec<(String, Vec<Occurrence>)> {
    let own: Vec<Vec<String>> = reads.keys().map(|name| query::name_words(name)).collect();
    let has = |own: &[String], word: &str| own.iter().any(|own| is_form(own, word));
    let weights: Vec<f64> = words
        .iter()
        .map(|word| 1.0 / own.iter().filter(|own| has(own, word)).count().max(1) as f64)
        .collect();

    let score = |own: &[String]| {
        let said = words
            .iter()
            .zip(&weights)
            .filter(|(word, _)| has(own, word));
        said.map(|(_, weight)| weight).sum::<f64>()
    };

    let scores: Vec<f64> = own.iter().map(|own| score(own)).collect();
    let most = scores.iter().copied().fold(0.0, f64::max);
    let kept = reads.into_iter().zip(scores);
    let kept = kept.filter(|(_, score)| *score > 0.0 && *score >= MIN_SHARE * most);
    kept.map(|(setting, _)| setting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_asked_for_behind_the_question_word() {
        let asks = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            asks_for_setting(&words)
        };
        assert!(asks(
            "in production what environment variable sets the port"
        ));
        assert!(asks("what is the setting that keeps visits out"));
        assert!(!asks("what code runs when a user opens the settings"));
        assert!(!asks("the setting that keeps visits out"));
    }

    #[test]
    fn the_rarest_words_decide_between_settings() {
        let names = ["SHOP_SELF", "SHOP_TRACK", "IGNORE_IP", "SHOP_PORT"];
        let reads = names
            .map(|name| (name.to_owned(), Vec::new()))
            .into_iter()
            .collect();
        let found = ranked(reads, &["shop", "ignoring", "visits"]);
        let found: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
        assert_eq!(found, ["IGNORE_IP"]);
    }
}
