//! Handlers that scripts attach to elements by a selector: `$(document).on("click", ".add-to-cart", function () { .. })`
//! for `<a class="add-to-cart">`.

use codeagent_lang::surroundings::{Around, AroundKind};

use super::TextPlace;
use super::reactions::{File, block_end};
use super::search::read;
use crate::model::graph::Dialect;
use crate::query::graph::flow::flow_of_lines;
use crate::query::{Occurrences, QueryError, literal_sites};
use crate::store::is_test_path;

/// Number of elements around a text whose classes and id are looked up.
const NEAR: usize = 2;

/// Maximum number of places of a selector; one with more is a style.
const MAX_SITES: usize = 6;

/// Length of a line from which it is that of a bundle, in bytes.
const MAX_LINE_BYTES: usize = 400;

/// Maximum number of handlers that are shown.
const MAX_HANDLERS: usize = 3;

/// Returns the functions that scripts give the elements of markup around a text by their classes or id, with their
/// calls.
pub fn selected_handlers(
    occurrences: &mut Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Vec<String>, QueryError> {
    let path = place.at.path.as_str();
    if Dialect::of_path(path).is_some() {
        return Ok(Vec::new());
    }
    let text = read(occurrences, path)?.unwrap_or_default();
    let elements = place.around.around.iter();
    let elements = elements.filter(|one| one.kind == AroundKind::Element);
    let selectors: Vec<String> = elements
        .take(NEAR)
        .flat_map(|element| selectors(&File::new(path, &text), element))
        .collect();

    let (mut lines, mut count) = (Vec::new(), 0);
    for selector in selectors {
        let snapshot = occurrences.sources.snapshot();
        let mut sites = literal_sites(snapshot, &selector, MAX_SITES + 1)?;
        // `.add-to-cart`, but not `.add-to-cart button`.
        sites.retain(|site| {
            let mut each = site.text.split(',').map(str::trim);
            each.any(|one| one == selector) && !is_test_path(&site.path)
        });
        if sites.len() > MAX_SITES {
            continue;
        }
        for site in sites {
            let source = occurrences.sources.line(&site.path, site.line)?;
            let source = source.unwrap_or_default();
            let is_written = source.len() < MAX_LINE_BYTES;
            let is_handler = is_written && (source.contains("function") || source.contains("=>"));
            if !is_handler || count == MAX_HANDLERS {
                continue;
            }
            count += 1;
            let script = read(occurrences, &site.path)?.unwrap_or_default();
            let within = site.line..=last_line(&script, site.line);
            lines.push(format!("{}:{} {}", site.path, site.line, source.trim()));
            let inner = flow_of_lines(occurrences, (&site.path, &within), usize::MAX)?;
            lines.extend(inner.into_iter().map(|line| format!("  {line}")));
        }
    }
    Ok(lines)
}

/// Returns the selectors of an element: `.add-to-cart`, `#total`.
fn selectors(file: &File<'_>, element: &Around) -> Vec<String> {
    let mut found = Vec::new();
    for part in &element.parts {
        let sign = match part.name.as_str() {
            "class" => '.',
            "id" => '#',
            _ => continue,
        };
        let value = super::markup::value(file.at(&part.span)).unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let names = value
            .split_whitespace()
            .filter(|name| name.chars().all(is_name));
        found.extend(names.map(|name| format!("{sign}{name}")));
    }
    found
}

/// Returns the last line of the block that begins on a line of a script.
fn last_line(script: &str, line: u32) -> u32 {
    let before = script.split_inclusive('\n').take(line as usize - 1);
    let start: usize = before.map(str::len).sum();
    let end = block_end(script, start);
    script[..end].matches('\n').count() as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_on_the_line_of_its_brace() {
        let script = "a();\n$('.x').on('click', function () {\n  b();\n});\n";
        assert_eq!(last_line(script, 2), 4);
    }
}
