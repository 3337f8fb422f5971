//! Texts of a user interface: where a text stands, the keys under which resources define it, the code that
//! uses these keys, and what runs when the user acts on it.
//!
//! Texts are no literals of the index. They are found by a search of source, markup and resources; only the
//! files with an equal text are read closer: source by its parser, markup by a scanner of tags.
//!
//! Limitations: of keys that code computes, only the beginning is searched. Resources are only `.resx`, `.resw`,
//! XML, JSON, object literals and dictionaries of XAML.

mod actions;
mod component_props;
mod injected;
mod keys;
mod markup;
mod matching;
mod opened;
mod phrases;
mod reactions;
mod search;
mod selectors;
mod targets;

use codeagent_lang::surroundings::{AroundKind, Surroundings};

use crate::query::{Occurrence, Occurrences, QueryError};
use crate::store::is_test_path;
pub use actions::{behind_view, component_of_view};
pub(in crate::query) use component_props::callee_behind;
pub use component_props::{
    component_around, constant_around, function_around, handlers_nearby, property_around,
    type_around, type_with_attribute,
};
pub use markup::has_tag_end;
pub use matching::escaped_text;
pub use phrases::{Phrase, interface_phrases};
pub use reactions::{bound_names, conditions, reactions, reactions_beside};
pub use search::call_around;
pub use selectors::selected_handlers;

/// Maximum number of places that are read closer.
const MAX_PLACES: usize = 60;

/// Maximum number of keys that are followed.
const MAX_KEYS: usize = 8;

/// A place of a text or of its key.
#[derive(Clone, Debug)]
pub struct TextPlace {
    /// The line with the symbol and the elements around the text.
    pub at: Occurrence,
    /// What contains the text or key, innermost first.
    around: Surroundings,
}

impl TextPlace {
    /// Reports whether elements of markup or JSX contain the text.
    #[must_use]
    pub fn has_elements(&self) -> bool {
        let mut around = self.around.around.iter();
        around.any(|one| one.kind == AroundKind::Element)
    }
}

/// A key under which resources define a text.
#[derive(Clone, Debug)]
pub struct TextKey {
    /// The key; the path of nested ones.
    pub key: String,
    /// Repo-relative path and line of the definition in the language of the text.
    pub at: (String, u32),
    /// Number of other files that define the key with the same text.
    pub others: usize,
    /// The places that use the key, at most 20.
    pub uses: Vec<TextPlace>,
    /// If there are none, the places that may compute it from its beginning.
    pub computed: Vec<TextPlace>,
}

/// What is known of a text.
#[derive(Clone, Debug, Default)]
pub struct InterfaceText {
    /// The words of the question.
    pub asked: String,
    /// Whether these places have the text; otherwise they have texts that contain it.
    pub is_equal: bool,
    /// Places of the text in source and markup, those of tests last.
    pub places: Vec<TextPlace>,
    /// Its keys in resources.
    pub keys: Vec<TextKey>,
    /// Whether a limit of time or number stopped the search.
    pub is_cut: bool,
}

impl InterfaceText {
    /// Reports whether nothing has the text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.keys.is_empty()
    }

    /// Returns the places of the text and of its keys, outside tests.
    pub fn all_places(&self) -> impl Iterator<Item = &TextPlace> {
        let of_keys = self.keys.iter();
        let of_keys = of_keys.flat_map(|key| key.uses.iter().chain(&key.computed));
        let all = self.places.iter().chain(of_keys);
        all.filter(|place| !is_test_path(&place.at.path))
    }
}

/// Finds the text of an interface that a phrase quotes, or else those that contain it.
pub fn interface_text(
    occurrences: &mut Occurrences<'_, '_>,
    phrase: &Phrase,
) -> Result<InterfaceText, QueryError> {
    let found = search::search(occurrences, phrase)?;
    let mut text = InterfaceText {
        asked: found.asked,
        is_equal: found.is_equal,
        places: found.places,
        keys: Vec::new(),
        is_cut: found.is_cut,
    };
    let mut definitions = keys::grouped(found.definitions);
    text.is_cut |= definitions.len() > MAX_KEYS;
    definitions.truncate(MAX_KEYS);
    if definitions.is_empty() {
        return Ok(text);
    }

    let matching = keys::files_with(occurrences, &definitions)?;
    for definition in definitions {
        let uses = keys::uses(occurrences, &matching, &definition)?;
        text.is_cut |= uses.is_cut;
        let computed = match uses.places.is_empty() {
            true => keys::computed(occurrences, &definition.key)?,
            false => keys::KeyUses::default(),
        };
        text.is_cut |= computed.is_cut;
        text.keys.push(TextKey {
            key: definition.key,
            at: definition.at,
            others: definition.others,
            uses: uses.places,
            computed: computed.places,
        });
    }
    Ok(text)
}
