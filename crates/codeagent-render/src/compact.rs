//! Compact lists: rows as lines, grouped by file, without fields that follow from others.
//!
//! ```text
//! @ Shop.Cart.Add incoming calls           of, direction and edge_type of the rows below, if any
//! src/Desk.cs                              the file of the rows below
//! 12-14 public method nabc x5<TAB>Shop.Desk.Run<TAB>(Cart cart)<TAB>void
//!  13:9 cart.Add(1);                       a call site in that file; one in another file has a path
//!  20:5 in it "adds": cart.add(2);         a call site in an anonymous callback, after its label
//!  ? Shop.Cart.Add(string name)            another candidate of the call
//! ```
//!
//! * Before the first tab: the lines, the access modifier or `exported`, the kind (after
//!   `node_type:` if the node type does not follow from it), the node id, and optional fields: a
//!   confidence other than `exact`; `d` and the level of a row that is not directly related; `x`
//!   and the number of sites if not all are shown; `r` and the rank; `s` and the score; the matched
//!   parts of the query; `suffix`; `primary`; `stale`.
//! * After it: the qualified name (`#` stands for the file's path, `.` for the container of the row
//!   above), the parameters and the result.
//! * A name that is not the end of its qualified name follows the id as `=name`.
//!
//! Control characters in names and lines are escaped (`\n`, `\u{1b}`), so no name looks like a row.
//!
//! Limitations: runs of spaces in signatures become one space. Rows of one file are moved together.

use codeagent_core::model::graph::NodeKind;
use serde_json::Value;

/// Writes the rows of a list as lines.
#[must_use]
pub fn compact(rows: &[Value]) -> String {
    let mut writer = Writer::default();
    for group in grouped(rows) {
        writer.row(group);
    }
    writer.out
}

/// Groups rows by heading and file, in the order of each group's first row.
fn grouped(rows: &[Value]) -> Vec<&Value> {
    let mut groups: Vec<((String, &str), Vec<&Value>)> = Vec::new();
    for row in rows {
        let key = (heading(row), text(row, "file_path"));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    // Keep the groups of one heading together.
    let headings: Vec<String> = groups
        .iter()
        .map(|((heading, _), _)| heading.clone())
        .collect();
    groups.sort_by_key(|((heading, _), _)| headings.iter().position(|known| known == heading));
    groups.into_iter().flat_map(|(_, rows)| rows).collect()
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

fn heading(row: &Value) -> String {
    let parts = ["of", "direction", "edge_type"].map(|name| text(row, name));
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[derive(Default)]
struct Writer {
    out: String,
    heading: String,
    file: String,
    container: String,
}

impl Writer {
    /// Appends a line. Its tabs separate fields.
    fn line(&mut self, line: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        for c in line.chars() {
            if c.is_control() && c != '\t' {
                self.out.extend(c.escape_default());
            } else {
                self.out.push(c);
            }
        }
    }

    fn row(&mut self, row: &Value) {
        if let Some(name) = row["type"].as_str() {
            return self.line(&entry(row, name));
        }

        let heading = heading(row);
        if heading != self.heading {
            self.line(&format!("@ {heading}"));
            (self.heading, self.file, self.container) = (heading, String::new(), String::new());
        }

        let file = text(row, "file_path");
        if file != self.file {
            self.line(&without_tabs(file));
            (self.file, self.container) = (file.to_owned(), String::new());
        }

        let mut line = head(row);
        let qualified = text(row, "qualified_name");
        if !qualified.is_empty() {
            line.push('\t');
            line.push_str(&without_tabs(&self.shortened(qualified)));
            let types = squeezed(text(row, "type_parameters"));
            let [parameters, result] =
                ["parameter_signature", "return_type"].map(|key| squeezed(text(row, key)));
            line.push_str(&format!("\t{types}{parameters}\t{result}"));
        }

        self.line(line.trim_end_matches('\t'));
        for site in row["call_sites"].as_array().map_or(&[][..], Vec::as_slice) {
            self.site(site);
        }
    }

    /// Shortens a qualified name by the parts that the row above or the file already shows.
    fn shortened(&mut self, qualified: &str) -> String {
        let (container, name) = qualified
            .rfind(['.', '#'])
            .map_or(("", qualified), |at| qualified.split_at(at));
        let short = if !container.is_empty() && container == self.container && name.starts_with('.')
        {
            name.to_owned()
        } else {
            qualified
                .strip_prefix(self.file.as_str())
                .filter(|rest| rest.starts_with('#'))
                .unwrap_or(qualified)
                .to_owned()
        };
        self.container = container.to_owned();
        short
    }

    fn site(&mut self, site: &Value) {
        let path = site["file_path"]
            .as_str()
            .map(|path| format!("{path}:"))
            .unwrap_or_default();
        let stale = if site["stale"] == true { " stale" } else { "" };

        let code = site["text"]
            .as_str()
            .map(|code| format!(" {code}"))
            .unwrap_or_default();
        let callback = site["callback"]
            .as_str()
            .map(|label| format!(" in {}:", squeezed(label)))
            .unwrap_or_default();
        self.line(&format!(
            " {}{}:{}{stale}{callback}{code}",
            without_tabs(&path),
            site["line"],
            site["column"]
        ));

        for other in site["candidates"].as_array().map_or(&[][..], Vec::as_slice) {
            self.line(&format!(
                " ? {}",
                squeezed(other.as_str().unwrap_or_default())
            ));
        }
    }
}

/// Formats an entry of a directory: `src/`, `a.cs 120`.
fn entry(row: &Value, kind: &str) -> String {
    let name = without_tabs(text(row, "name"));
    match row["size"].as_u64() {
        Some(size) => format!("{name}\t{size}"),
        None if kind == "directory" => format!("{name}/"),
        None => name,
    }
}

/// Escapes tabs, which separate fields, in a name.
fn without_tabs(name: &str) -> String {
    name.replace('\t', "\\t")
}

/// Formats the fields before the first tab.
fn head(row: &Value) -> String {
    let mut parts = Vec::new();
    let start = &row["line_start"];
    match row["line_end"].as_u64() {
        Some(end) if start.as_u64() != Some(end) => parts.push(format!("{start}-{end}")),
        Some(_) => parts.push(format!("{start}-")),
        None => parts.push(start.to_string()),
    }

    let mut add = |part: &str| {
        if !part.is_empty() {
            parts.push(part.to_owned());
        }
    };

    add(text(row, "access_modifier"));
    add(if row["exported"] == true {
        "exported"
    } else {
        ""
    });

    add(&word(row));
    add(text(row, "node_id"));
    let name = text(row, "name");
    if !name.is_empty() && last_segment(text(row, "qualified_name")) != name {
        add(&format!("={}", without_tabs(name).replace(' ', "\u{a0}")));
    }

    if text(row, "confidence") != "exact" {
        add(text(row, "confidence"));
    }

    if let Some(depth) = row["depth"].as_u64() {
        add(&format!("d{depth}"));
    }

    if let Some(count) = row["site_count"].as_u64() {
        add(&format!("x{count}"));
    }

    if let Some(rank) = row["rank"].as_f64() {
        add(&format!("r{rank}"));
    }

    if let Some(score) = row["score"].as_f64() {
        add(&format!("s{score}"));
    }

    if let Some(reasons) = row["matched"].as_array() {
        add(&reasons
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("+"));
    }

    add(text(row, "match"));
    add(if row["is_primary"] == true {
        "primary"
    } else {
        ""
    });

    parts.join(" ")
}

/// Formats the kind, after the node type if that does not follow from the kind.
fn word(row: &Value) -> String {
    let node_type = text(row, "node_type");
    let kind = row["kind"].as_str().unwrap_or(node_type);
    match NodeKind::parse(kind) {
        Some(known) if known.node_type().as_str() == node_type => kind.to_owned(),
        _ if kind == node_type => kind.to_owned(),
        _ => format!("{node_type}:{kind}"),
    }
}

fn last_segment(qualified: &str) -> &str {
    qualified.rsplit(['.', '#']).next().unwrap_or(qualified)
}

/// Replaces every run of spaces by one.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
