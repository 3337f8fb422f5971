//! Fields of an answer in addition to its rows.

use codeagent_core::query::{PossibleUses, SiteSample, SymbolGroup, SymbolLabel, SymbolMatches};
use serde_json::{Map, Value};

use crate::note_text::{label_text, name_text};

/// Maximum characters of symbols that are only listed.
const MAX_LISTED: usize = 2_000;

/// A field in addition to the rows of an answer.
#[derive(Clone, Copy, Debug)]
pub struct ExtraField {
    /// Its name.
    pub name: &'static str,
    /// Its JSON type: `string`, `integer`, or `array` for a list of strings.
    pub json_type: &'static str,
    /// Description, written for a model.
    pub doc: &'static str,
}

/// The cursor of the next page.
pub const NEXT_CURSOR: ExtraField = ExtraField {
    name: "next_cursor",
    json_type: "string",
    doc: "Pass it as `cursor`, with the same arguments, for the next page. Absent on the last page.",
};

/// The number of rows on all pages.
pub const TOTAL: ExtraField = ExtraField {
    name: "total",
    json_type: "integer",
    doc: "Number of rows on all pages, if there are several pages.",
};

/// The folders with most rows.
pub const FOLDERS: ExtraField = ExtraField {
    name: "folders",
    json_type: "array",
    doc: "If there are several pages: the folders with the most rows, `folder: number`; select one \
          with `path`.",
};

/// Files whose line numbers may be off.
pub const STALE_FILES: ExtraField = ExtraField {
    name: "stale_files",
    json_type: "array",
    doc: "Files of this answer that changed since they were indexed; line numbers may be off. Pass \
          them to index_files, then repeat the call.",
};

/// The number of unresolved uses.
pub const UNRESOLVED_SITES: ExtraField = ExtraField {
    name: "unresolved_sites",
    json_type: "integer",
    doc: "Number of unresolved uses that may belong to this list: uses of the symbol's name or, \
          for callees, calls in the symbol.",
};

/// The first of [`UNRESOLVED_SITES`].
pub const UNRESOLVED: ExtraField = ExtraField {
    name: "unresolved",
    json_type: "array",
    doc: "The first of unresolved_sites, most likely first: `path:line:column text`.",
};

/// The cursor of more of [`UNRESOLVED`].
pub const UNRESOLVED_CURSOR: ExtraField = ExtraField {
    name: "unresolved_cursor",
    json_type: "string",
    doc: "Pass it as `cursor`, with the same arguments, for more of unresolved_sites.",
};

/// The number of uses that more likely belong to other symbols.
pub const POSSIBLE_SITES: ExtraField = ExtraField {
    name: "possible_sites",
    json_type: "integer",
    doc: "Number of `inferred` uses of other symbols of that name that may belong to this one.",
};

/// The first of [`POSSIBLE_SITES`].
pub const POSSIBLE: ExtraField = ExtraField {
    name: "possible",
    json_type: "array",
    doc: "The first of possible_sites: `path:line:column text`.",
};

/// The number of mentions in text that is not indexed.
pub const TEXTUAL_SITES: ExtraField = ExtraField {
    name: "textual_sites",
    json_type: "integer",
    doc: "Number of lines that contain the symbol's name and may use it: of Razor files, of C# code \
          excluded by `#if` and, if the list is empty, of other markup, templates and \
          configuration.",
};

/// The first of [`TEXTUAL_SITES`].
pub const TEXTUAL: ExtraField = ExtraField {
    name: "textual",
    json_type: "array",
    doc: "The first of textual_sites: `path:line text`.",
};

/// The external symbols that the symbols use.
pub const EXTERNAL: ExtraField = ExtraField {
    name: "external",
    json_type: "array",
    doc: "Symbols it uses outside the repository: `line manager:package#path`, in the order of the uses.",
};

/// The symbols that the answer covers.
pub const SYMBOLS: ExtraField = ExtraField {
    name: "symbols",
    json_type: "array",
    doc: "If the name matches several symbols: each as `node_id name(signature) path:line: number \
          of rows`, best first. `of` names the symbol of a row.",
};

/// Further symbols of the name.
pub const ALSO_NAMED: ExtraField = ExtraField {
    name: "also_named",
    json_type: "array",
    doc: "Other symbols of that name, not included; query one by its node_id.",
};

/// The fields in addition to the rows of an answer about symbols. Empty ones are not sent.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// The cursor of the next page.
    pub next_cursor: Option<String>,
    /// The number of rows on all pages, if there are several pages.
    pub total: Option<usize>,
    /// Results that may be missing.
    pub possible: PossibleUses,
    /// The cursor of more unresolved uses.
    pub unresolved_cursor: Option<String>,
    /// The external symbols that the symbols use, each as `line symbol`.
    pub external: Vec<String>,
    /// The folders with most rows, each as `folder: number`.
    pub folders: Vec<String>,
    /// The symbols that the answer covers, if the name matches several.
    pub symbols: Vec<AnsweredSymbol>,
    /// Further symbols of the name.
    pub also_named: AlsoNamed,
    /// Files shown in the answer that have changed since they were indexed.
    pub stale_files: Vec<String>,
}

/// One of several symbols that an answer covers.
#[derive(Clone, Debug)]
pub struct AnsweredSymbol {
    /// The symbol.
    pub label: SymbolLabel,
    /// Number of its rows, if rows are grouped by symbol.
    pub results: Option<usize>,
}

/// Symbols of a name that the answer does not cover, as many as fit.
#[derive(Clone, Debug, Default)]
pub struct AlsoNamed {
    /// The symbols.
    pub symbols: Vec<SymbolLabel>,
    /// Number of further symbols.
    pub more: usize,
}

impl AnsweredSymbol {
    /// Formats the symbol without its id: `qualified_name(signature)`.
    #[must_use]
    pub fn name(&self) -> String {
        name_text(&self.label)
    }
}

impl AlsoNamed {
    fn new(groups: &[SymbolGroup]) -> Self {
        let (mut symbols, mut characters) = (Vec::new(), 0);
        for group in groups {
            let label = group.label();
            characters += label_text(&label).chars().count();
            if characters > MAX_LISTED && !symbols.is_empty() {
                break;
            }
            symbols.push(label);
        }
        let more = groups.len() - symbols.len();
        Self { symbols, more }
    }

    fn texts(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("and {} more", self.more));
        self.symbols.iter().map(label_text).chain(more).collect()
    }
}

impl Extra {
    /// Lists every symbol that a name matches by itself.
    pub(crate) fn of_symbols(matches: &SymbolMatches) -> Self {
        let symbol = |node| AnsweredSymbol {
            label: SymbolLabel::from(node),
            results: None,
        };
        Self::about(matches, matches.nodes().map(symbol).collect())
    }

    /// Lists the groups that a name matches, each with the number of its rows.
    pub(crate) fn of_groups(matches: &SymbolMatches, counts: &[usize]) -> Self {
        let group = |(group, count): (&SymbolGroup, &usize)| AnsweredSymbol {
            label: group.label(),
            results: Some(*count),
        };
        let groups = matches.answered.iter().zip(counts);
        Self::about(matches, groups.map(group).collect())
    }

    fn about(matches: &SymbolMatches, symbols: Vec<AnsweredSymbol>) -> Self {
        Self {
            symbols: if matches.is_one() {
                Vec::new()
            } else {
                symbols
            },
            also_named: AlsoNamed::new(&matches.listed),
            ..Self::default()
        }
    }

    /// Returns the fields in the order in which they are sent.
    #[must_use]
    pub fn fields(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        let mut add = |field: &ExtraField, value: Option<Value>| {
            fields.extend(value.map(|value| (field.name.to_owned(), value)));
        };
        let text = |text: &Option<String>| text.clone().map(Value::from);
        add(&NEXT_CURSOR, text(&self.next_cursor));
        add(&TOTAL, self.total.map(Value::from));

        let number = |sites: &SiteSample| (sites.count > 0).then(|| sites.count.into());
        let first = |sites: &SiteSample| (sites.count > 0).then(|| sites.first.clone().into());
        let PossibleUses {
            unresolved,
            possible,
            textual,
            ..
        } = &self.possible;
        add(&UNRESOLVED_SITES, number(unresolved));
        add(&UNRESOLVED, first(unresolved));
        add(&UNRESOLVED_CURSOR, text(&self.unresolved_cursor));
        add(&POSSIBLE_SITES, number(possible));
        add(&POSSIBLE, first(possible));
        add(&TEXTUAL_SITES, number(textual));
        add(&TEXTUAL, first(textual));

        let symbols: Vec<String> = self.symbols.iter().map(answered_text).collect();
        for (field, list) in [
            (&EXTERNAL, self.external.clone()),
            (&FOLDERS, self.folders.clone()),
            (&SYMBOLS, symbols),
            (&ALSO_NAMED, self.also_named.texts()),
            (&STALE_FILES, self.stale_files.clone()),
        ] {
            add(field, (!list.is_empty()).then(|| list.into()));
        }
        fields
    }

    /// Returns the number of characters of the fields.
    pub(crate) fn characters(&self) -> usize {
        self.fields()
            .iter()
            .map(|(name, value)| name.len() + value.to_string().chars().count() + 4)
            .sum()
    }
}

fn answered_text(symbol: &AnsweredSymbol) -> String {
    let label = label_text(&symbol.label);
    match symbol.results {
        Some(results) => format!("{label}: {results}"),
        None => label,
    }
}
