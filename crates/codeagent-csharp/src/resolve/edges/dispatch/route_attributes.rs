//! Routes of classes by attributes that the repository declares: `[ApiV1]` for `RouteAttribute` with
//! `api/v1/[controller]`.
//!
//! Limitations: the template is the only text with a slash in the attribute's classes. Its last placeholder
//! stands for the text that the attribute is given; others may be anything.

use codeagent_model::facts::{DeclId, TypeId};
use codeagent_model::graph::Confidence;

use super::Fit;
use super::routes::{Prefix, attributes, template};
use crate::resolve::edges::SiteResolver;
use crate::resolve::types::{Ty, Type};

/// The types of ASP.NET that make an attribute a route.
const PROVIDERS: &[&str] = &["RouteAttribute", "IRouteTemplateProvider"];

/// What a text without a template stands for.
const CONTROLLER: &str = "[controller]";

impl SiteResolver<'_> {
    /// Returns the prefixes that attributes of the repository give a class of this file.
    pub(super) fn own_prefixes(&self, class: DeclId) -> Vec<Prefix> {
        let given: Vec<(TypeId, Option<String>)> = attributes(self.facts, class)
            .map(|(_, ty, call)| (ty, template(self.facts, call)))
            .collect();

        let prefixes = given.into_iter().filter_map(|(attribute, given)| {
            let ty = self.type_of_attribute(attribute)?;
            self.declaration_of(ty)?;
            let path = match (self.fits(ty, PROVIDERS), self.written_template(ty)) {
                (Fit::Exact, Some(written)) => filled(&written, given.as_deref()),
                (Fit::Exact, None) => given?,
                _ => return None,
            };
            Some(Prefix {
                path,
                confidence: Confidence::Inferred,
            })
        });

        prefixes.collect()
    }

    /// Returns the only text with a slash in the classes of an attribute.
    fn written_template(&self, attribute: Ty) -> Option<String> {
        let mut found: Option<String> = None;
        for &ty in self.class_chain(attribute).iter() {
            let Type::Named(tid, _) = self.arena.get(ty) else {
                continue;
            };
            for part in &self.type_def(tid).parts {
                let facts = self.facts(part.file);
                let span = facts.detail(part.decl)?.span;
                let inside = facts
                    .literals
                    .iter()
                    .filter(|literal| (span.start.line..=span.end_line).contains(&literal.line));
                for text in inside.map(|literal| facts.text(literal.text)) {
                    if !text.contains('/') || found.as_deref() == Some(text) {
                        continue;
                    }
                    if found.replace(text.to_owned()).is_some() {
                        return None;
                    }
                }
            }
        }

        found
    }
}

/// Puts a text in the place of a template's last placeholder.
fn filled(written: &str, given: Option<&str>) -> String {
    let (Some(start), Some(end)) = (written.rfind('{'), written.rfind('}')) else {
        return written.to_owned();
    };
    if end < start {
        return written.to_owned();
    }
    let given = given.unwrap_or(CONTROLLER);
    format!("{}{given}{}", &written[..start], &written[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_placeholder_is_what_the_attribute_is_given() {
        for (written, given, expected) in [
            ("api/v1/[controller]", None, "api/v1/[controller]"),
            (
                "api/v{version}/{resource}",
                Some("queue"),
                "api/v{version}/queue",
            ),
            ("api/{resource}", None, "api/[controller]"),
        ] {
            assert_eq!(filled(written, given), expected);
        }
    }
}
