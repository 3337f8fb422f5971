//! Environment variables that .NET reads as settings: `SHOP_MAIL__PORT` is the setting `mail:port` where the
//! variables of a program have the prefix `SHOP_`.

use codeagent_core::query::{self, EventSites, LiteralTarget, Occurrences};

use crate::answers::AnswerError;
use crate::text::Document;

/// Maximum number of places that are read for a prefix or key.
const MAX_SITES: usize = 20;

/// Adds a line about the prefix of an environment variable that no code names, and returns the setting that it is
/// read as.
pub(super) fn setting(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    variable: &str,
) -> Result<Option<LiteralTarget>, AnswerError> {
    for (prefix, key) in splits(variable) {
        let snapshot = occurrences.sources.snapshot();
        let mut keys = query::literal_sites(snapshot, &key, MAX_SITES)?;
        keys.retain(|site| site.text.eq_ignore_ascii_case(&key));
        let prefixes = query::literal_sites(snapshot, prefix, MAX_SITES)?;
        let Some(first) = keys.first() else {
            continue;
        };
        for site in prefixes.iter().filter(|site| site.text == prefix) {
            let line = occurrences.sources.line(&site.path, site.line)?;
            if line.is_some_and(|line| line.to_lowercase().contains("env")) {
                document.line(format!(
                    "{variable} is the setting \"{}\": \"{prefix}\" begins the names of environment variables ({}:{})",
                    first.text, site.path, site.line
                ));
                return Ok(Some(LiteralTarget {
                    text: first.text.clone(),
                    method: None,
                    routes: Vec::new(),
                    files: Vec::new(),
                    events: EventSites::default(),
                }));
            }
        }
    }
    Ok(None)
}

/// Returns the ways to split a variable into a prefix and the key of a setting.
fn splits(variable: &str) -> impl Iterator<Item = (&str, String)> {
    let ends = variable.match_indices('_').map(|(at, _)| at + 1);
    ends.filter(|end| *end < variable.len()).map(|end| {
        let (prefix, key) = variable.split_at(end);
        (prefix, key.replace("__", ":"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_split_into_prefix_and_key() {
        let found: Vec<(&str, String)> = splits("SHOP_MAIL__PORT").collect();
        let expected = ("SHOP_", "MAIL:PORT".to_owned());
        assert_eq!(found[0], expected);
        assert_eq!(splits("PORT").count(), 0);
    }
}
