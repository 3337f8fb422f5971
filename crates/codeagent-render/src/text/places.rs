//! Places of a section, grouped by folder and file, in each of its forms.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use codeagent_core::query::Occurrence;

use super::section::{Form, wrapped};
use crate::text::cut_middle;

/// Maximum characters of a source line.
const MAX_SOURCE: usize = 110;

/// Maximum line numbers per name where names are shown without source.
const MAX_LINES_OF_NAME: usize = 4;

/// Maximum number of folders; if there are more, folders at the same depth are added up.
const MAX_FOLDERS: usize = 20;

/// Fewest names that are worth a list beside folders.
const FEWEST_NAMES: usize = 5;

/// Maximum characters of the names beside folders.
const MOST_OF_NAMES: usize = 1_500;

/// Folders, their files, and the files' places.
type Tree<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a Occurrence>>>;

fn tree(places: &[Occurrence]) -> Tree<'_> {
    let mut tree = Tree::new();
    for of_file in places.chunk_by(|one, next| one.path == next.path) {
        let path = &of_file[0].path;
        let (folder, file) = path.rsplit_once('/').unwrap_or((".", path));
        let files = tree.entry(folder).or_default();
        files.entry(file).or_default().extend(of_file);
    }
    tree
}

pub(super) fn places_text(places: &[Occurrence], form: Form) -> Option<String> {
    match form {
        Form::Full => {
            let has_source = places.iter().any(|place| place.source.is_some());
            has_source.then(|| source_lines(places))
        }
        Form::Names => {
            let has_names = places.iter().any(|place| !place.symbol.is_empty());
            has_names.then(|| name_lines(places))
        }
        Form::Files => Some(file_lines(places)),
        Form::SomeNames(size) => some_names(places, size),
        _ => Some(folder_lines(places)),
    }
}

/// Formats the folders with their counts, then the first names; `None` if only few names fit.
fn some_names(places: &[Occurrence], size: usize) -> Option<String> {
    let mut seen = HashSet::from([""]);
    let names = places.iter().map(|place| place.symbol.as_str());
    let names: Vec<&str> = names.filter(|name| seen.insert(name)).collect();

    let folders = folder_lines(places);
    // Beside the title, the indentation of lines, and what is said of further names; a comma and a
    // space follow each name.
    let left = size.checked_sub(folders.chars().count() + 140)?;
    let mut left = left.min(MOST_OF_NAMES);
    let fits = |name: &&&str| {
        let length = name.chars().count() + 3;
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    };
    let shown = names.iter().take_while(fits).count();
    if shown < FEWEST_NAMES {
        return None;
    }

    let more = match names.len() - shown {
        0 => String::new(),
        more => format!("… {more} more"),
    };
    let shown = names[..shown].iter().copied();
    let listed = shown.chain(Some(more.as_str()).filter(|more| !more.is_empty()));
    Some(folders + &wrapped("", listed))
}

fn source_lines(places: &[Occurrence]) -> String {
    let mut text = String::new();
    for (folder, files) in tree(places) {
        let _ = writeln!(text, "{folder}/");
        for (file, places) in files {
            let _ = writeln!(text, " {file}");
            let mut last = "";
            for place in places {
                let source = cut_middle(place.source.as_deref().unwrap_or_default(), MAX_SOURCE);
                let name = place.symbol.as_str();
                let line = if name == last || name == file || name.is_empty() {
                    format!("  {} {source}", place.line)
                } else if source.is_empty() {
                    format!("  {} {name}", place.line)
                } else {
                    format!("  {} {name}: {source}", place.line)
                };
                let _ = writeln!(text, "{}", line.trim_end());
                last = name;
            }
        }
    }

    text
}

fn name_lines(places: &[Occurrence]) -> String {
    let mut text = String::new();
    for (folder, files) in tree(places) {
        let _ = writeln!(text, "{folder}/");
        for (file, places) in files {
            let mut names: Vec<(&str, Vec<u32>)> = Vec::new();
            for place in places {
                match names.iter_mut().find(|(name, _)| *name == place.symbol) {
                    Some((_, lines)) => lines.push(place.line),
                    None => names.push((&place.symbol, vec![place.line])),
                }
            }

            let _ = writeln!(text, " {file}");
            for (name, lines) in names {
                let name = if name == file { "" } else { name };
                let line = format!("  {} {name}", listed(&lines));
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
    }

    text
}

/// Writes the lines of a name: `3,8,12,20…`.
fn listed(lines: &[u32]) -> String {
    let shown: Vec<String> = lines
        .iter()
        .take(MAX_LINES_OF_NAME)
        .map(u32::to_string)
        .collect();
    let more = if lines.len() > MAX_LINES_OF_NAME {
        "…"
    } else {
        ""
    };
    format!("{}{more}", shown.join(","))
}

fn file_lines(places: &[Occurrence]) -> String {
    let mut text = String::new();
    for (folder, files) in tree(places) {
        let files: Vec<String> = files
            .iter()
            .map(|(file, places)| match places.len() {
                1 => (*file).to_owned(),
                count => format!("{file} {count}"),
            })
            .collect();
        text += &wrapped(&format!("{folder}/"), files.iter().map(String::as_str));
    }
    text
}

/// Formats the folders with their counts, those with most places first. Many folders are added up to
/// those that contain them.
pub(super) fn folder_lines(places: &[Occurrence]) -> String {
    let tree = tree(places);
    let deepest = tree.keys().map(|folder| folder.split('/').count()).max();
    let deepest = deepest.unwrap_or(1);

    let mut folders = at_depth(&tree, deepest);
    for depth in (1..deepest).rev() {
        if folders.len() <= MAX_FOLDERS {
            break;
        }
        folders = at_depth(&tree, depth);
    }

    folders.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let line = |(folder, count, files): &(String, usize, usize)| match files {
        1 => format!("{folder}/ {count} in 1 file\n"),
        files => format!("{folder}/ {count} in {files} files\n"),
    };
    folders.iter().map(line).collect()
}

/// Adds up the places and files of folders to the first `depth` segments of their paths.
fn at_depth(tree: &Tree<'_>, depth: usize) -> Vec<(String, usize, usize)> {
    let mut folders: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (folder, files) in tree {
        let segments: Vec<&str> = folder.split('/').take(depth).collect();
        let entry = folders.entry(segments.join("/")).or_default();
        entry.0 += files.values().map(Vec::len).sum::<usize>();
        entry.1 += files.len();
    }
    folders
        .into_iter()
        .map(|(folder, (count, files))| (folder, count, files))
        .collect()
}
