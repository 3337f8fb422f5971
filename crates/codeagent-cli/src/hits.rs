//! Lists of locations in ripgrep's format.
//!
//! On a terminal, each file is a heading followed by `line:column: name: source` lines. Otherwise
//! each line begins with the file, for other programs to read. Names are short unless `--long` is
//! given. A list with several levels is a tree of indented names.

use std::io::IsTerminal;

use clap::Args;
use codeagent_core::model::graph::EdgeDirection;
use codeagent_core::query::Relation;
use codeagent_render::{Row, Site, SymbolName, SymbolRow};

use crate::hyperlinks::HyperlinkFormat;
use crate::output::PathDisplay;
use crate::text::Line;

/// How a list is printed.
#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    /// Print whole qualified names
    #[arg(long)]
    long: bool,
    /// Print each file once, above its lines, as on a terminal
    #[arg(long, overrides_with = "no_heading")]
    heading: bool,
    /// Print the file in every line, as in a pipe
    #[arg(long)]
    no_heading: bool,
    /// Link locations: none, default (file://), vscode, vscodium, cursor, zed, textmate, or a URL
    /// with {path}, {line} and {column} [default: default if the terminal is known to follow links,
    /// else none]
    #[arg(long, value_name = "FORMAT", value_parser = HyperlinkFormat::parse)]
    hyperlink_format: Option<HyperlinkFormat>,
}

/// A place and what is there.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Repo-relative path.
    path: String,
    line: u32,
    /// 0 if it is not known.
    column: u32,
    /// Levels above it.
    level: usize,
    name: String,
    source: String,
}

/// The form of a list.
#[derive(Clone, Debug)]
pub struct Form {
    /// Whole names.
    is_long: bool,
    /// Each file is a heading.
    has_headings: bool,
    links: HyperlinkFormat,
}

impl ListArgs {
    /// Decides the form: headings and links are for terminals, unless the user says otherwise.
    pub fn form(&self) -> Form {
        let is_terminal = std::io::stdout().is_terminal();
        let links = self.hyperlink_format.clone().unwrap_or_else(|| {
            HyperlinkFormat::of_terminal(|name| std::env::var(name).ok().filter(|_| is_terminal))
        });
        Form {
            is_long: self.long,
            has_headings: (is_terminal || self.heading) && !self.no_heading,
            links,
        }
    }
}

impl Form {
    /// Makes the hits of a related symbol: the places of its uses, or its declaration.
    pub fn hits<R: Row>(&self, row: &R, relation: Relation<'_>, places: &PathDisplay) -> Vec<Hit> {
        let verb = row.edge_type().filter(|_| relation.edge_types.len() != 1);
        let level = row.depth() - 1;
        let row = row.neighbor();
        let mut name = self.name(&row.symbol);
        if relation.direction == EdgeDirection::Outgoing && !row.call_sites.is_empty() {
            let declared = places.of(&row.file_path);
            name += &format!(" ({declared}:{})", row.line_start);
        }

        let hit = |site: &Site| Hit {
            path: site.file_path.as_ref().unwrap_or(&row.file_path).clone(),
            line: site.line,
            column: site.column,
            level,
            name: described(verb, &name, site, row.confidence),
            source: site
                .text
                .clone()
                .unwrap_or_else(|| "(the file was changed since it was indexed)".to_owned()),
        };
        if row.call_sites.is_empty() {
            return vec![Hit {
                path: row.file_path.clone(),
                line: row.line_start,
                column: 0,
                level,
                name: with_verb(verb, &name),
                source: String::new(),
            }];
        }
        row.call_sites.iter().map(hit).collect()
    }

    fn name(&self, symbol: &SymbolName) -> String {
        if self.is_long {
            symbol.qualified_name.clone()
        } else {
            symbol.short()
        }
    }

    /// Writes the hits of one list.
    pub fn lines(&self, hits: &[Hit], places: &PathDisplay) -> Vec<Line> {
        if hits.iter().any(|hit| hit.level > 0) {
            return hits.iter().map(|hit| self.branch(hit, places)).collect();
        }
        if !self.has_headings {
            return hits
                .iter()
                .map(|hit| {
                    self.location(Line::default(), hit, places)
                        .text(": ")
                        .text(hit.text())
                })
                .collect();
        }

        let mut lines = Vec::new();
        for path in in_order(hits.iter().map(|hit| hit.path.as_str())) {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            let address = self.links.address(&places.whole(path), 1, 1);
            lines.push(Line::default().path(places.of(path), address));
            let below = hits.iter().filter(|hit| hit.path == path);
            lines.extend(below.map(|hit| {
                let address = self.address(hit, places);
                let place = Line::default().number(hit.position(), address);
                place.text(": ").text(hit.text())
            }));
        }
        lines
    }

    /// Writes a hit of a tree: indented, its name first.
    fn branch(&self, hit: &Hit, places: &PathDisplay) -> Line {
        let line = Line::default().text("  ".repeat(hit.level));
        let line = line.text(format!("{}  ", hit.name));
        let line = self.location(line, hit, places);
        match hit.source.as_str() {
            "" => line,
            source => line.text(format!(": {source}")),
        }
    }

    /// Writes `method Cart.Total(int extra): int  src/Cart.cs:12`.
    pub fn symbol(&self, row: &SymbolRow, places: &PathDisplay) -> Line {
        let signature = &row.signature;
        let parameters = signature.all_parameters();
        let result = signature.return_type.as_ref();
        let hit = Hit {
            path: row.file_path.clone(),
            line: row.line_start,
            column: 0,
            level: 0,
            name: format!(
                "{} {}{}{}",
                row.symbol.word(),
                self.name(&row.symbol),
                parameters,
                result.map(|text| format!(": {text}")).unwrap_or_default()
            ),
            source: String::new(),
        };

        if self.has_headings {
            self.branch(&hit, places)
        } else {
            self.location(Line::default(), &hit, places)
                .text(": ")
                .text(hit.name)
        }
    }

    /// Appends `src/Cart.cs:12:5`.
    fn location(&self, line: Line, hit: &Hit, places: &PathDisplay) -> Line {
        let address = self.address(hit, places);
        line.path(places.of(&hit.path), address.clone())
            .text(":")
            .number(hit.position(), address)
    }

    fn address(&self, hit: &Hit, places: &PathDisplay) -> Option<String> {
        self.links
            .address(&places.whole(&hit.path), hit.line, hit.column)
    }
}

impl Hit {
    fn position(&self) -> String {
        match self.column {
            0 => self.line.to_string(),
            column => format!("{}:{column}", self.line),
        }
    }

    fn text(&self) -> String {
        match self.source.as_str() {
            "" => self.name.clone(),
            source => format!("{}: {source}", self.name),
        }
    }
}

/// Writes `references Cart.total > router.post "carts" (inferred, or Order.total)`.
fn described(verb: Option<&str>, name: &str, site: &Site, confidence: &str) -> String {
    let mut text = with_verb(verb, name);
    if let Some(callback) = &site.callback {
        text += &format!(" > {callback}");
    }
    let others: Vec<String> = site
        .candidates
        .iter()
        .map(|other| format!("or {other}"))
        .collect();
    let doubt = Some(confidence).filter(|confidence| *confidence != "exact");
    let doubt: Vec<String> = doubt.map(str::to_owned).into_iter().chain(others).collect();
    if !doubt.is_empty() {
        text += &format!(" ({})", doubt.join(", "));
    }
    text
}

fn with_verb(verb: Option<&str>, name: &str) -> String {
    verb.map(|verb| format!("{verb} ")).unwrap_or_default() + name
}

/// Returns each text once, in the order in which they come first.
fn in_order<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut order: Vec<&str> = Vec::new();
    for text in texts {
        if !order.contains(&text) {
            order.push(text);
        }
    }
    order
}
