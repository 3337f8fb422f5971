//! Diagrams of answers about the graph, as the text of Mermaid or Graphviz.
//!
//! Names come from the repository, so labels are escaped: Mermaid reads markup in them, and both
//! languages end them at a quote.

use std::fmt::Write as _;

/// A language for diagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramFormat {
    /// A Mermaid flowchart, which GitHub and GitLab draw in Markdown.
    Mermaid,
    /// Graphviz.
    Dot,
}

/// A graph with labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    nodes: Vec<DiagramNode>,
    edges: Vec<DiagramEdge>,
    /// What the diagram does not show.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct DiagramNode {
    label: String,
    /// A second, quieter line.
    place: String,
    is_marked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct DiagramEdge {
    from: usize,
    to: usize,
    label: String,
    line: LineStyle,
}

/// How the line of an edge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// A certain relation.
    Solid,
    /// A possible relation.
    Dashed,
    /// A relation that is part of a cycle.
    Bold,
}

impl Diagram {
    /// Adds a node and returns its index.
    pub fn node(&mut self, label: impl Into<String>, place: impl Into<String>) -> usize {
        self.nodes.push(DiagramNode {
            label: label.into(),
            place: place.into(),
            is_marked: false,
        });
        self.nodes.len() - 1
    }

    /// Emphasizes a node.
    pub fn mark(&mut self, node: usize) {
        self.nodes[node].is_marked = true;
    }

    /// Adds an edge between two nodes, with an optional label.
    pub fn edge(&mut self, from: usize, to: usize, label: impl Into<String>, line: LineStyle) {
        self.edges.push(DiagramEdge {
            from,
            to,
            label: label.into(),
            line,
        });
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Reports whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Writes the diagram.
    #[must_use]
    pub fn render(&self, format: DiagramFormat) -> String {
        match format {
            DiagramFormat::Mermaid => self.mermaid(),
            DiagramFormat::Dot => self.dot(),
        }
    }

    fn mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        for (index, node) in self.nodes.iter().enumerate() {
            let label = with_place(
                mermaid_text(&node.label),
                mermaid_text(&node.place),
                "<br/>",
            );
            let class = if node.is_marked { ":::marked" } else { "" };
            writeln!(text, "    n{index}[\"{label}\"]{class}").ok();
        }

        for edge in &self.edges {
            let arrow = match edge.line {
                LineStyle::Solid => "-->",
                LineStyle::Dashed => "-.->",
                LineStyle::Bold => "==>",
            };
            let label = match edge.label.as_str() {
                "" => String::new(),
                label => format!("|\"{}\"|", mermaid_text(label)),
            };
            writeln!(text, "    n{} {arrow}{label} n{}", edge.from, edge.to).ok();
        }

        if self.nodes.iter().any(|node| node.is_marked) {
            text.push_str("    classDef marked stroke-width:3px\n");
        }

        text
    }

    fn dot(&self) -> String {
        let mut text = String::from("digraph codeagent {\n    rankdir=LR\n    node [shape=box]\n");
        for (index, node) in self.nodes.iter().enumerate() {
            let label = with_place(dot_text(&node.label), dot_text(&node.place), "\\n");
            let style = if node.is_marked { ", penwidth=3" } else { "" };
            writeln!(text, "    n{index} [label=\"{label}\"{style}]").ok();
        }

        for edge in &self.edges {
            let style = match edge.line {
                LineStyle::Solid => "",
                LineStyle::Dashed => ", style=dashed",
                LineStyle::Bold => ", penwidth=2, color=red",
            };
            let label = dot_text(&edge.label);
            writeln!(
                text,
                "    n{} -> n{} [label=\"{label}\"{style}]",
                edge.from, edge.to
            )
            .ok();
        }

        text.push_str("}\n");
        text
    }
}

fn with_place(label: String, place: String, line_break: &str) -> String {
    if place.is_empty() {
        label
    } else {
        format!("{label}{line_break}{place}")
    }
}

/// Writes everything but letters, digits and harmless punctuation as `#code;`. Mermaid would read
/// `<`, `"`, `` ` `` and `*` as markup, and a leading number with a full stop as a list.
fn mermaid_text(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        match c {
            ' ' | '/' | ':' | ',' | '(' | ')' | '?' | '=' => written.push(c),
            '.' | '-' | '_' if at > 0 && !starts_with_digit(text) => written.push(c),
            c if c.is_alphanumeric() => written.push(c),
            c if c.is_control() => written.push(' '),
            c => {
                write!(written, "#{};", u32::from(c)).ok();
            }
        }
    }
    written
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn dot_text(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => written.extend(['\\', c]),
            c if c.is_control() => written.push(' '),
            c => written.push(c),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagram(label: &str) -> Diagram {
        let mut diagram = Diagram::default();
        let from = diagram.node(label, "src/a.ts:3");
        let to = diagram.node("Cart.total", "");
        diagram.mark(from);
        diagram.edge(from, to, "calls", LineStyle::Solid);
        diagram.edge(to, from, "", LineStyle::Dashed);
        diagram.edge(to, to, "", LineStyle::Bold);
        diagram
    }

    #[test]
    fn mermaid_text_has_nodes_then_edges() {
        assert_eq!(
            diagram("place").render(DiagramFormat::Mermaid),
            "flowchart LR
    n0[\"place<br/>src/a.ts:3\"]:::marked
    n1[\"Cart.total\"]
    n0 -->|\"calls\"| n1
    n1 -.-> n0
    n1 ==> n1
    classDef marked stroke-width:3px
"
        );
    }

    #[test]
    fn dot_text_has_nodes_then_edges() {
        assert_eq!(
            diagram("place").render(DiagramFormat::Dot),
            "digraph codeagent {
    rankdir=LR
    node [shape=box]
    n0 [label=\"place\\nsrc/a.ts:3\", penwidth=3]
    n1 [label=\"Cart.total\"]
    n0 -> n1 [label=\"calls\"]
    n1 -> n0 [label=\"\", style=dashed]
    n1 -> n1 [label=\"\", penwidth=2, color=red]
}
"
        );
    }

    #[test]
    fn labels_cannot_leave_their_quotes() {
        for (label, mermaid, dot) in [
            ("List<int>", "List#60;int#62;", "List<int>"),
            ("a\"]; b", "a#34;#93;#59; b", "a\\\"]; b"),
            ("`*bold*`", "#96;#42;bold#42;#96;", "`*bold*`"),
            ("a\nb", "a b", "a b"),
            ("1. one", "1#46; one", "1. one"),
            ("back\\", "back#92;", "back\\\\"),
            ("#35;", "#35;35#59;", "#35;"),
            ("größe", "größe", "größe"),
            ("%%{init}%%", "#37;#37;#123;init#125;#37;#37;", "%%{init}%%"),
        ] {
            assert_eq!(mermaid_text(label), mermaid, "{label}");
            assert_eq!(dot_text(label), dot, "{label}");
        }
    }
}
