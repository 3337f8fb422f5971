//! Sections about the Razor views in which a text stands: the actions or view components that show them, and what
//! names these.

use std::collections::BTreeSet;

use codeagent_core::query::{self, Occurrence, Occurrences};

use super::literal::plain_text;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of views that are looked up.
const MAX_VIEWS: usize = 3;

/// Maximum number of lines that name a view or view component; a name with more is a common word.
const MAX_NAMING: usize = 12;

/// Adds what shows the views among some places.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[Occurrence],
) -> Result<(), AnswerError> {
    let is_view = |path: &&str| path.ends_with(".cshtml");
    let paths = places.iter().map(|place| place.path.as_str());
    let views: BTreeSet<&str> = paths.filter(is_view).collect();

    for view in views.into_iter().take(MAX_VIEWS) {
        let name = view.rsplit('/').next().unwrap_or(view);
        let behind = query::behind_view(occurrences, view)?;
        let ids: Vec<_> = behind.iter().map(|node| node.id).collect();
        let rows = occurrences.of_declarations(&ids)?;
        let title = match query::component_of_view(view) {
            Some(_) => format!("view component of {name}, by its folder"),
            None => format!("actions with the name of the view {name}"),
        };
        document.section(Section::occurrence_rows("actions", title, rows).weighing(30));

        if let Some(component) = query::component_of_view(view) {
            uses_of_component(document, occurrences, component)?;
        }
    }
    Ok(())
}

/// Adds the places that show a view component by its tag or name, and those that name these views.
fn uses_of_component(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    component: &str,
) -> Result<(), AnswerError> {
    let mut showing = Vec::new();
    for text in [
        format!("<vc:{}", kebab(component)),
        format!("InvokeAsync(\"{component}\""),
        format!("InvokeAsync(typeof({component})"),
        format!("ViewComponent(\"{component}\""),
    ] {
        let found = query::search_text(occurrences, &plain_text(&text))?;
        showing.extend(found.code.into_iter().chain(found.others));
    }
    let mut naming = Vec::new();
    for place in &showing {
        let name = place.path.rsplit('/').next().unwrap_or_default();
        let stem = name
            .strip_suffix(".cshtml")
            .filter(|stem| query::is_compound(stem));
        if let Some(stem) = stem {
            let found = query::search_text(occurrences, &plain_text(stem))?;
            naming.extend(found.code);
        }
    }
    naming.retain(|place| !place.is_test());
    naming.sort_unstable();
    naming.dedup();

    let title = format!("{component} is shown at");
    document.section(Section::occurrence_rows("shown", title, showing).weighing(30));
    if naming.len() <= MAX_NAMING {
        let title = "code that names these views";
        document.section(Section::occurrence_rows("naming", title, naming).weighing(20));
    }
    Ok(())
}

/// Returns a name as the tag of a view component has it: `cart-bell` for `CartBell`.
fn kebab(name: &str) -> String {
    query::name_words(name).join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_a_view_component_has_hyphens() {
        assert_eq!(kebab("CartBell"), "cart-bell");
        assert_eq!(kebab("Bell"), "bell");
    }
}
