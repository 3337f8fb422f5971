//! The wording of what an index is missing.

use codeagent_core::service::Staleness;

/// Maximum number of listed file names.
const MAX_NAMED: usize = 5;

/// Words what an index is missing.
#[must_use]
pub fn staleness_text(staleness: &Staleness) -> String {
    let text = match (staleness.found, staleness.everything) {
        (Some(0) | None, true) => {
            "could not check all files for changes in time; some may not be in the index yet"
                .to_owned()
        }
        (Some(found), true) => {
            format!("{found} files have changed and are not in the index yet")
        }
        (_, false) => changed_files_text(staleness),
    };
    match &staleness.failure {
        Some(failure) => format!("{text} ({failure})"),
        None => text,
    }
}

fn changed_files_text(staleness: &Staleness) -> String {
    let files = &staleness.files;
    let names: Vec<&str> = files.iter().take(MAX_NAMED).map(String::as_str).collect();
    let names = names.join(", ");
    match files.len() {
        0 => "the index may be behind the files".to_owned(),
        1 => format!("1 file has changed and is not in the index yet: {names}"),
        count => {
            let more = if count > MAX_NAMED {
                format!(" and {} more", count - MAX_NAMED)
            } else {
                String::new()
            };
            format!("{count} files have changed and are not in the index yet: {names}{more}")
        }
    }
}
