//! Diagrams of the answers of `path`, `impact` and `overview`.

use std::collections::{HashMap, HashSet};

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::NodeId;
use codeagent_core::query::{
    self, AffectedUse, Cycle, FolderMatrix, Impact, ImpactQuery, Labels, Overview, Sources,
};

use super::AnswerError;
use super::impact::changed_symbols;
use super::overview::{NamedScope, ProjectNames, scope_of};
use super::path::{search, verb};
use crate::diagram::{Diagram, LineStyle};

/// Maximum number of nodes; more cannot be read.
const MAX_NODES: usize = 100;

/// Maximum number of folders.
const MAX_FOLDERS: usize = 40;

/// Draws the cheapest path from the symbols of one text to those of another.
pub fn path_diagram(index: &IndexReader, from: &str, to: &str) -> Result<Diagram, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let found = search(&mut sources, from, to)?.found;

    let mut diagram = Diagram::default();
    let Some(steps) = found.steps.filter(|steps| !steps.is_empty()) else {
        diagram.node(from, "");
        diagram.node(to, "");
        diagram.notes.push(format!(
            "there is no path between {from} and {to}; `codeagent path` says more"
        ));
        return Ok(diagram);
    };
    if found.is_reversed {
        diagram
            .notes
            .push(format!("the path leads from {to} to {from}"));
    }

    let ids: Vec<NodeId> = steps.iter().flat_map(|step| [step.from, step.to]).collect();
    let mut drawing = Drawing::of(&mut sources, diagram, &ids)?;
    for step in &steps {
        let (from, to) = (drawing.symbol(step.from)?, drawing.symbol(step.to)?);
        let edges = [(from, to)];
        drawing.connect(edges, verb(step.link), LineStyle::Solid);
    }
    Ok(drawing.diagram)
}

/// Draws the uses that a change of symbols, files, folders or of a git range affects.
pub fn impact_diagram(
    index: &IndexReader,
    text: &str,
    depth: usize,
) -> Result<Diagram, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let changed = changed_symbols(&mut sources, text)?;
    let query = ImpactQuery {
        targets: &changed,
        depth,
    };
    let found = query::impact(&mut sources, &query)?;

    let uses = found.direct.iter().chain(&found.possible);
    let mut ids: Vec<NodeId> = uses.flat_map(|each| [each.source, each.target]).collect();
    ids.extend(found.targets.iter().chain(&found.bases));
    ids.extend(found.tests.iter().map(|test| test.source));
    let mut drawing = Drawing::of(&mut sources, Diagram::default(), &ids)?;
    drawing.impact(&found)?;
    Ok(drawing.diagram)
}

/// Draws the uses between the projects of a repository, or between the folders if there is only one
/// project or a folder is named.
pub fn overview_diagram(index: &IndexReader, path: Option<&str>) -> Result<Diagram, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let named = scope_of(&mut sources, path.unwrap_or_default().trim())?;
    if let NamedScope::Folder(folder) = &named {
        return Ok(of_folders(
            &query::file_uses(&snapshot)?.matrix(folder, MAX_FOLDERS),
        ));
    }
    let found = query::overview(&mut sources, named.scope())?;
    if found.project_uses.is_empty() {
        return Ok(of_folders(
            &query::file_uses(&snapshot)?.matrix("", MAX_FOLDERS),
        ));
    }
    Ok(of_projects(&found))
}

fn of_projects(found: &Overview) -> Diagram {
    let names = ProjectNames::of(found);
    let mut diagram = Diagram::default();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let own = found.projects.iter().map(|project| project.name.as_str());
    let others = found
        .project_uses
        .iter()
        .flat_map(|each| [each.from.as_str(), each.to.as_str()]);
    for id in own.chain(others) {
        if known.contains_key(id) || diagram.len() == MAX_NODES {
            continue;
        }
        known.insert(id, diagram.node(names.short(id), ""));
    }

    let mut hidden = 0;
    let is_in = |cycle: &Cycle, name: &String| cycle.members.contains(name);
    for each in &found.project_uses {
        let (Some(from), Some(to)) = (known.get(&*each.from), known.get(&*each.to)) else {
            hidden += 1;
            continue;
        };
        let mut cycles = found.project_cycles.iter();
        let is_cycle = cycles.any(|cycle| is_in(cycle, &each.from) && is_in(cycle, &each.to));
        let line = if is_cycle {
            LineStyle::Bold
        } else {
            LineStyle::Solid
        };
        diagram.edge(*from, *to, each.uses.to_string(), line);
    }
    note_hidden(&mut diagram, hidden, "uses between further projects");
    diagram
}

fn of_folders(matrix: &FolderMatrix) -> Diagram {
    let mut diagram = Diagram::default();
    for part in &matrix.parts {
        let files = if part.files == 1 { "file" } else { "files" };
        let name = if part.is_files {
            part.path.trim_end_matches('.')
        } else {
            part.path.as_str()
        };
        let name = if name.is_empty() { "." } else { name };
        diagram.node(name, format!("{} {files}", part.files));
    }

    for (from, to, uses) in &matrix.uses {
        let is_in = |members: &Vec<usize>| members.contains(from) && members.contains(to);
        let line = if matrix.cycles.iter().any(is_in) {
            LineStyle::Bold
        } else {
            LineStyle::Solid
        };
        if from != to {
            diagram.edge(*from, *to, uses.to_string(), line);
        }
    }

    note_hidden(&mut diagram, matrix.left_out, "smaller folders");
    diagram
}

fn note_hidden(diagram: &mut Diagram, count: usize, what: &str) {
    if count > 0 {
        diagram.notes.push(format!("{count} {what} are not drawn"));
    }
}

/// A diagram of symbols, each drawn once.
struct Drawing<'s, 'a> {
    sources: &'s mut Sources<'a>,
    diagram: Diagram,
    labels: Labels,
    nodes: HashMap<NodeId, usize>,
    edges: HashSet<(usize, usize)>,
}

impl<'s, 'a> Drawing<'s, 'a> {
    /// Loads the names of the symbols that may be drawn.
    fn of(
        sources: &'s mut Sources<'a>,
        diagram: Diagram,
        ids: &[NodeId],
    ) -> Result<Self, AnswerError> {
        let mut labels = Labels::default();
        labels.load(sources.snapshot(), ids.iter().copied())?;
        Ok(Self {
            sources,
            diagram,
            labels,
            nodes: HashMap::new(),
            edges: HashSet::new(),
        })
    }

    /// Returns the node of a symbol, drawing it if it is new; `None` if there is no room.
    fn symbol(&mut self, id: NodeId) -> Result<Option<usize>, AnswerError> {
        if let Some(node) = self.nodes.get(&id) {
            return Ok(Some(*node));
        }
        if self.diagram.len() == MAX_NODES {
            return Ok(None);
        }
        let symbol = query::get_node(self.sources.snapshot(), id)?;
        let span = symbol.as_ref().and_then(|symbol| symbol.node.spans.first());
        let place = span.map_or(String::new(), |span| {
            format!("{}:{}", span.path, span.name_line)
        });
        let node = self.diagram.node(self.labels.short(id), place);
        self.nodes.insert(id, node);
        Ok(Some(node))
    }

    /// Draws edges that are new and whose ends are drawn.
    fn connect(
        &mut self,
        edges: impl IntoIterator<Item = (Option<usize>, Option<usize>)>,
        label: &str,
        line: LineStyle,
    ) {
        for (from, to) in edges {
            if let (Some(from), Some(to)) = (from, to)
                && self.edges.insert((from, to))
            {
                self.diagram.edge(from, to, label, line);
            }
        }
    }

    fn impact(&mut self, found: &Impact) -> Result<(), AnswerError> {
        for id in &found.targets {
            if let Some(node) = self.symbol(*id)? {
                self.diagram.mark(node);
            }
        }

        let mut hidden = self.uses(&found.direct, LineStyle::Solid)?;
        hidden += self.uses(&found.possible, LineStyle::Dashed)?;
        for base in &found.bases {
            let base = self.symbol(*base)?;
            if let [target] = found.targets.as_slice() {
                let edges = [(base, self.symbol(*target)?)];
                self.connect(edges, "may run", LineStyle::Dashed);
            }
        }

        for test in &found.tests {
            if let [target] = found.targets.as_slice() {
                let edges = [(self.symbol(test.source)?, self.symbol(*target)?)];
                hidden += usize::from(edges[0].0.is_none());
                let steps = if test.distance == 1 { "step" } else { "steps" };
                let label = format!("test, {} {steps}", test.distance);
                self.connect(edges, &label, LineStyle::Solid);
            }
        }

        if found.targets.len() > 1 && !found.tests.is_empty() {
            let tests = found.tests.len();
            self.diagram.notes.push(format!(
                "{tests} tests reach these symbols; they are not drawn"
            ));
        }

        note_hidden(&mut self.diagram, hidden, "further uses");
        Ok(())
    }

    /// Draws uses, and returns the number of those that have no room.
    fn uses(&mut self, uses: &[AffectedUse], line: LineStyle) -> Result<usize, AnswerError> {
        let mut hidden = 0;
        for each in uses {
            let ends = (self.symbol(each.source)?, self.symbol(each.target)?);
            hidden += usize::from(ends.0.is_none() || ends.1.is_none());
            let label = each.edge_type.as_str().replace('_', " ");
            self.connect([ends], &label, line);
        }
        Ok(hidden)
    }
}
