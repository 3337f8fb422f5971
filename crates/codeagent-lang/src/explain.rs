//! Explains why a site has its edge, or none: the resolver's own results for one site, as text, to
//! find a wrong rule.
//!
//! The edges printed are those from resolving the whole file; the reasons come from a second
//! resolution of this site alone. Where the two differ, a budget or a cycle decided, and the text
//! says so.
//!
//! Limitations: for reading only. Nothing parses these texts, and they may change with every rule.

use std::fmt::{Display, Write as _};

use codeagent_model::facts::{DeclId, Site};
use codeagent_model::graph::Node;
use codeagent_model::print;
use codeagent_model::span::Position;

use crate::nodes::NodeTable;
use crate::world::{DeclRef, FileId, World};
use crate::{Reference, Resolution, Target, link};

/// Number of steps by which the origin of a type is followed.
pub const MAX_ORIGINS: usize = 8;

/// Sites of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SitesAt {
    /// The 1-based line of the sites.
    pub line: u32,
    /// The 1-based UTF-16 column of the one site; `None` for all sites on the line.
    pub column: Option<u32>,
}

/// Explains some sites of a file.
#[must_use]
pub fn explain(
    file: FileId,
    SitesAt { line, column }: SitesAt,
    world: &World,
    nodes: &NodeTable,
) -> String {
    let facts = world.facts(file);
    let resolution = link(file, world);
    let mut report = Report {
        world,
        nodes,
        file,
        out: String::new(),
    };

    let asked = |at: Position| at.line == line && column.is_none_or(|column| column == at.column);
    for site in facts.sites.iter().filter(|site| asked(site.at)) {
        let kind = format!("{:?}", site.kind).to_lowercase();
        report.line(
            0,
            format_args!(
                "{}:{} {kind} {}",
                report.at(file, site.at),
                report.owner(site.owner),
                print::site(facts, site)
            ),
        );
        let alone = world.support(file).explain(*site, &mut report);
        report.outcome(site, &resolution, &alone);
    }

    if report.out.is_empty() {
        let columns = facts
            .sites
            .iter()
            .filter(|site| site.at.line == line)
            .map(|site| site.at.column.to_string());
        let columns: Vec<String> = columns.collect();
        let there = if columns.is_empty() {
            "none on this line".to_owned()
        } else {
            format!("columns {}", columns.join(", "))
        };
        report.line(0, format_args!("no use there; uses: {there}"));
    }

    report.out
}

/// A text that grows by lines, and the tables that name declarations in it.
pub struct Report<'a> {
    /// The world of the site.
    pub world: &'a World,
    /// The nodes of the world, which name declarations.
    pub nodes: &'a NodeTable,
    /// The file of the site.
    pub file: FileId,
    out: String,
}

impl<'a> Report<'a> {
    /// Adds a line, indented.
    pub fn line(&mut self, depth: usize, text: impl Display) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    /// Returns the node of a declaration, if it has one.
    pub fn node(&self, decl: DeclRef) -> Option<Node> {
        self.nodes.node(decl)
    }

    /// Describes a declaration: `method N.C.M(int a) src/a.cs:3:5`.
    pub fn decl(&self, decl: DeclRef) -> String {
        let facts = self.world.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        let at = self.at(decl.file, declaration.at);

        match self.node(decl) {
            Some(node) => {
                // The node of a merged symbol shows one signature; this is that of the declaration
                // itself.
                let parameters = facts
                    .detail(decl.decl)
                    .and_then(|detail| detail.parameters.some());
                let signature = parameters.map_or("", |parameters| facts.text(parameters));
                format!(
                    "{} {}{signature} {at}",
                    node.kind.as_str(),
                    node.qualified_name
                )
            }
            None => format!(
                "{} {} {at}",
                format!("{:?}", declaration.kind).to_lowercase(),
                facts.decl_name(decl.decl)
            ),
        }
    }

    /// Describes a position: `src/a.cs:3:5`.
    pub fn at(&self, file: FileId, at: Position) -> String {
        format!("{}:{}:{}", self.world.file(file).path, at.line, at.column)
    }

    fn owner(&self, owner: DeclId) -> String {
        if owner.is_none() {
            String::new()
        } else {
            format!(" in {}", self.world.facts(self.file).decl_name(owner))
        }
    }

    /// Prints the edges of a site, or why there are none.
    fn outcome(&mut self, site: &Site, resolution: &Resolution, alone: &Resolution) {
        let here = |used: &&Reference| used.at.offset == site.at.offset;
        for used in resolution.uses.iter().filter(here) {
            let mut targets = used.targets.iter().map(|target| self.target(*target));
            let best = targets.next().unwrap_or_default();
            let others: Vec<String> = targets.collect();
            self.line(
                1,
                format_args!(
                    "edge: {} {best} ({})",
                    used.edge_type.as_str(),
                    used.confidence.as_str()
                ),
            );
            for other in others {
                self.line(2, format_args!("listed with it: {other}"));
            }
        }

        let is_linked = resolution.uses.iter().any(|used| here(&used));
        if !is_linked {
            let open = resolution
                .unresolved
                .iter()
                .any(|open| open.at.offset == site.at.offset);
            let why = if open {
                "it is counted as unresolved"
            } else {
                "its target is a local, external or not in the graph"
            };
            self.line(1, format_args!("no edge: {why}"));
        }

        let targets = |resolution: &Resolution| {
            resolution
                .uses
                .iter()
                .filter(here)
                .map(|used| used.targets.clone())
                .collect::<Vec<_>>()
        };

        if !alone.uses.is_empty()
            && !targets(alone)
                .iter()
                .all(|found| targets(resolution).contains(found))
        {
            self.line(
                1,
                "resolved alone it has another edge: with the whole file, a budget was \
                 exceeded or a cycle was entered elsewhere",
            );
        }
    }

    fn target(&self, target: Target) -> String {
        match target {
            Target::Decl(decl) => self.decl(decl),
            Target::File(file) => format!("file {}", self.world.file(file).path),
        }
    }
}
