//! How is a list told in few characters? Grouped by file, one line per fact, nothing that follows
//! from something else.
//!
//! ```text
//! @ Shop.Cart.Add incoming calls           what the rows below have in common: of, direction, edge_type, as far as there are any
//! src/Desk.cs                              the file of the rows below
//! 12-14 public method nabc x5<TAB>Shop.Desk.Run<TAB>(Cart cart)<TAB>void
//!  13:9 cart.Add(1);                       a call site in that file; of another file with its path before
//!  ? Shop.Cart.Add(string name)            what else may be called there
//! ```
//!
//! Before the first tab stand the lines, the access modifier, the kind (after `node_type:` where
//! that does not follow from it), the node id and what else there is: a confidence that is not
//! `exact`, `x` and the number of sites if not all are shown, `r` and the rank, `s` and the score,
//! what of the query was matched, `suffix`, `primary`, `stale`; after it the qualified name (`#`
//! stands for the file's path, `.` for the container of the row above), the parameters and the
//! result. A name that is not the end of its qualified name follows the id as `=name`.
//!
//! A control character in a name or line is escaped (`\n`, `\u{1b}`), so that no name is mistaken
//! for a row.
//!
//! **Limits.** Runs of blanks in signatures become one blank. Rows of one file come together, in
//! their order.

use std::sync::atomic::{AtomicBool, Ordering};

use codeagent_core::model::graph::NodeKind;
use serde_json::Value;

/// Whether lists are told as lines where a call does not say.
static IS_DEFAULT: AtomicBool = AtomicBool::new(false);

/// Tells lists as lines where a call does not say: `codeagent mcp --answers compact`. For the whole
/// process, before it serves.
pub fn make_default() {
    IS_DEFAULT.store(true, Ordering::Relaxed);
}

/// Whether lists are told as lines where a call does not say.
#[must_use]
pub fn is_default() -> bool {
    IS_DEFAULT.load(Ordering::Relaxed)
}

/// The rows of a list as lines.
#[must_use]
pub fn compact(rows: &[Value]) -> String {
    let mut writer = Writer::default();
    for group in grouped(rows) {
        writer.row(group);
    }
    writer.out
}

/// The rows, those of one heading and file together, in the order in which the first of each come.
fn grouped(rows: &[Value]) -> Vec<&Value> {
    let mut groups: Vec<((String, &str), Vec<&Value>)> = Vec::new();
    for row in rows {
        let key = (heading(row), text(row, "file_path"));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    // What has one heading stays together.
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
    /// A line whose tabs are ours.
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
            let rest = [text(row, "parameter_signature"), text(row, "return_type")].map(squeezed);
            let rest = rest.join("\t");
            line.push_str(&format!("\t{rest}"));
        }
        self.line(line.trim_end_matches('\t'));
        for site in row["call_sites"].as_array().map_or(&[][..], Vec::as_slice) {
            self.site(site);
        }
    }

    /// A qualified name without what the row above or the file say already.
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
        self.line(&format!(
            " {}{}:{}{stale}{code}",
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

/// An entry of a directory: `src/`, `a.cs 120`
fn entry(row: &Value, kind: &str) -> String {
    let name = without_tabs(text(row, "name"));
    match row["size"].as_u64() {
        Some(size) => format!("{name}\t{size}"),
        None if kind == "directory" => format!("{name}/"),
        None => name,
    }
}

/// A name without what separates fields.
fn without_tabs(name: &str) -> String {
    name.replace('\t', "\\t")
}

/// All of a row that has no tab in it.
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
    add(&word(row));
    add(text(row, "node_id"));
    let name = text(row, "name");
    if !name.is_empty() && last_segment(text(row, "qualified_name")) != name {
        add(&format!("={}", without_tabs(name).replace(' ', "\u{a0}")));
    }
    if text(row, "confidence") != "exact" {
        add(text(row, "confidence"));
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

/// The kind; with the node type where that is another one than the kind's own.
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

/// With one blank for every run of blanks.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
