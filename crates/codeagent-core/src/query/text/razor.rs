//! C# names in Razor files (`.razor`, `.cshtml`), whose code is not indexed.
//!
//! A private member is named only in the markup of its own component, `Edit.razor` for the class
//! `Edit`; other names are in any Razor file.
//!
//! Limitations: names are matched by equal text. Words between two tags on one line are prose,
//! unless they contain code.

use crate::model::graph::{Access, Language, Node, NodeId};
use crate::query::QueryError;
use crate::query::text::text_files::is_word;
use crate::store::{self, Snapshot};

/// Characters that occur in code between two tags, but hardly in prose.
const CODE: [char; 8] = ['@', '(', ')', '{', '}', ';', '=', '"'];

/// Longest line in bytes that is searched for names.
const MAX_LINE: usize = 8192;

/// Maximum number of enclosing types of a member.
const MAX_NESTING: usize = 16;

/// The names of C# symbols, with the Razor files in which each may be.
#[derive(Debug, Default)]
pub struct RazorNames<'a>(Vec<(&'a str, RazorReach)>);

/// The Razor files in which a name may be.
#[derive(Debug)]
pub enum RazorReach {
    /// Any file.
    Anywhere,
    /// The markup of components of these names.
    Components(Vec<String>),
}

impl RazorReach {
    /// Returns where a symbol may be named that is inside `outer` types.
    pub fn of(access: Option<Access>, outer: Vec<String>) -> Self {
        if access == Some(Access::Private) {
            Self::Components(outer)
        } else {
            Self::Anywhere
        }
    }

    /// Reports whether the name may be in a Razor file.
    pub fn holds(&self, path: &str) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Components(names) => {
                component(path).is_some_and(|name| names.iter().any(|each| each == name))
            }
        }
    }
}

impl<'a> RazorNames<'a> {
    /// Collects the names of the C# symbols among these.
    pub fn of(snapshot: &Snapshot, nodes: &[&'a Node]) -> Result<Self, QueryError> {
        let is_named =
            |node: &&&Node| node.language == Language::CSharp && node.name.chars().all(is_word);

        let mut names = Vec::new();
        for node in nodes.iter().filter(is_named) {
            let outer = match node.access {
                Some(Access::Private) => outer_names(snapshot, node.parent)?,
                _ => Vec::new(),
            };
            names.push((node.name.as_str(), RazorReach::of(node.access, outer)));
        }
        Ok(Self(names))
    }

    /// Reports whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names that a file may have; none if it is not a Razor file.
    pub fn within(&self, path: &str) -> Vec<&'a str> {
        let names = self.0.iter().filter(|_| is_razor(path));
        let mut names: Vec<&str> = names
            .filter(|(_, reach)| reach.holds(path))
            .map(|(name, _)| *name)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn outer_names(snapshot: &Snapshot, mut parent: Option<NodeId>) -> Result<Vec<String>, QueryError> {
    let mut names = Vec::new();
    while let Some(id) = parent
        && names.len() < MAX_NESTING
    {
        let brief = store::briefs(snapshot, &[id])?.remove(&id);
        parent = brief.as_ref().and_then(|brief| brief.parent);
        names.extend(brief.map(|brief| brief.name));
    }
    Ok(names)
}

/// Reports whether a path is that of a Razor file.
pub fn is_razor(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["razor", "cshtml"]
        .iter()
        .any(|each| each.eq_ignore_ascii_case(ending))
}

/// Returns the name of the class that a component's file declares: `Edit` for `Pages/Edit.razor`.
pub fn component(path: &str) -> Option<&str> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = file.rsplit_once('.')?;
    ending.eq_ignore_ascii_case("razor").then_some(stem)
}

/// Returns the words of a line that may be C# names; none of a line as long as a minified script.
pub fn code_words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = if line.len() > MAX_LINE { line.len() } else { 0 };
    std::iter::from_fn(move || {
        let start = rest + line[rest..].find(is_word)?;
        let end = line[start..]
            .find(|c| !is_word(c))
            .map_or(line.len(), |length| start + length);
        rest = end;
        Some((start, end))
    })
    .filter(move |(start, end)| {
        let (before, after) = (&line[..*start], &line[*end..]);
        // `text-total` is one word of HTML or CSS.
        !before.ends_with('-') && !after.starts_with('-') && !is_prose(before, after)
    })
    .map(move |(start, end)| &line[start..end])
}

/// Reports whether a word between these parts of a line is text between two tags.
fn is_prose(before: &str, after: &str) -> bool {
    // `<` before a space compares.
    let is_tag = |(at, _): &(usize, &str)| !after[at + 1..].starts_with(char::is_whitespace);
    let next = after.match_indices('<').next().filter(is_tag);
    let (Some(tag), Some((next, _))) = (before.rfind('>'), next) else {
        return false;
    };
    !before[tag..].contains(CODE) && !after[..next].contains(CODE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_code_are_told_from_prose() {
        for (line, expected) in [
            ("<button @onclick=\"Save\">Stop</button>", true),
            ("<button @onclick=\"() => Save(1)\">", true),
            ("<p>@Save</p>", true),
            ("<p>Now @(Save + 1)</p>", true),
            ("<Save Total=\"1\" />", true),
            ("    List<int> all = Save();", true),
            ("@if (a > Save && b < Max)", true),
            ("<button>Save</button>", false),
            ("<button>Save it now</button>", false),
            ("<i class=\"icon-Save\"></i>", false),
            ("<p>@Saved</p>", false),
        ] {
            let found = code_words(line).any(|word| word == "Save");
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_private_name_is_in_its_own_component() {
        let private = RazorReach::of(Some(Access::Private), vec!["Edit".to_owned()]);
        assert!(private.holds("Pages/Edit.razor"));
        assert!(!private.holds("Pages/List.razor") && !private.holds("Pages/Edit.cshtml"));
        assert!(RazorReach::of(Some(Access::Public), Vec::new()).holds("Pages/List.razor"));
    }
}
