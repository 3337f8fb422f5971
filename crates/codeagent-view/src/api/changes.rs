//! Changes since a commit, and what they affect.

use codeagent_core::Dialect;
use codeagent_core::model::graph::{Node, NodeId};
use codeagent_core::query::{
    self, Affected, AffectedUse, Break, ChangeKind, Changes, Impact, ImpactQuery, ImpactStep,
    Labels, Sources, SymbolChange,
};
use codeagent_render::answers::{self, AnswerError, IMPACT_DEPTH};
use codeagent_workspace::ChangedFile;
use serde_json::{Value, json};

use super::{ApiError, Query, rows};

/// Maximum number of rows of each list.
const MAX_ROWS: usize = 200;

/// Compares the working tree with a commit, or the sides of a range.
pub fn changes(query: &Query<'_>) -> Result<Value, ApiError> {
    let base = query.parameters.get("base").unwrap_or("HEAD");
    let mut sources = query.sources();
    let changes = query::changes(&mut sources, base).map_err(AnswerError::from)?;
    let affected = query::affected(&sources, &changes)?;
    let ids = changes.ids();
    let asked = ImpactQuery {
        targets: &ids,
        depth: IMPACT_DEPTH,
    };
    let impact = query::impact(&mut sources, &asked)?;

    Ok(json!({
        "files": list(changes.git.files.iter().map(file_row).collect()),
        "symbols": list(changed(query, &changes.symbols)?),
        "breaks": list(changes.breaks.iter().map(break_row).collect()),
        "direct": uses(&mut sources, &impact.direct)?,
        "possible": uses(&mut sources, &impact.possible)?,
        "tests": list(tests(&affected)),
        "steps": impact.steps.iter().filter(|step| step.symbols > 0).map(step_row).collect::<Value>(),
        "public": public(query, &impact.public)?,
        "notes": notes(&changes, &impact),
    }))
}

fn notes(changes: &Changes, impact: &Impact) -> Vec<&'static str> {
    let mut notes = Vec::new();
    if changes.is_cut {
        notes.push("only the first files were compared by symbol");
    }
    if !changes.git.is_checked_out {
        notes.push("uses and tests come from the working tree, which is at another commit");
    }
    if impact.is_cut {
        notes.push("the search for what is affected was cut off");
    }
    notes
}

fn file_row(file: &ChangedFile) -> Value {
    let path = file.path.as_str();
    let is_indexed = file.new.is_some() && Dialect::of_path(path).is_some();
    json!({ "path": path, "is_indexed": is_indexed })
}

fn step_row(step: &ImpactStep) -> Value {
    json!({ "distance": step.distance, "symbols": step.symbols, "files": step.files })
}

/// Returns the tests that the changes may affect, each with the reason as its name.
fn tests(affected: &Affected) -> Vec<Value> {
    let mut tests = answers::affected_json(affected)["tests"].take();
    let tests = tests.as_array_mut().map(std::mem::take).unwrap_or_default();
    let named = |mut test: Value| {
        test["name"] = test["reason"].take();
        test
    };
    tests.into_iter().map(named).collect()
}

/// Returns the first rows, with the number of all.
fn list(mut rows: Vec<Value>) -> Value {
    let total = rows.len();
    rows.truncate(MAX_ROWS);
    json!({ "total": total, "rows": rows })
}

fn changed(query: &Query<'_>, changes: &[SymbolChange]) -> Result<Vec<Value>, ApiError> {
    let mut labels = Labels::default();
    labels.load(
        query.snapshot,
        changes.iter().filter_map(|change| change.id),
    )?;

    let row = |change: &SymbolChange| {
        let declared = change.declared();
        let word = match change.kind {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Renamed => "renamed",
            ChangeKind::Signature => "signature",
            ChangeKind::Body => "body",
        };
        let before = match (change.kind, &change.old) {
            (ChangeKind::Signature, Some(old)) => Some(old.shown()),
            (ChangeKind::Renamed, Some(old)) => {
                Some(format!("{}:{} {}", old.path, old.line, old.name))
            }
            _ => None,
        };
        json!({
            "change": word,
            "id": change.id.map(|id| id.to_string()),
            "name": declared.shown(),
            "kind": declared.kind.as_str(),
            "path": declared.path,
            "line": declared.line,
            "before": before,
        })
    };

    Ok(changes.iter().map(row).collect())
}

fn break_row(found: &Break) -> Value {
    let mut row = rows::occurrence(&found.place);
    row["name"] = answers::break_text(found).into();
    if !found.is_certain {
        row["confidence"] = "inferred".into();
    }
    row
}

/// Returns the first uses with their lines, and the number of all.
fn uses(sources: &mut Sources<'_>, uses: &[AffectedUse]) -> Result<Value, ApiError> {
    let mut occurrences = query::Occurrences::new(sources);
    let mut rows = Vec::new();
    for each in uses.iter().take(MAX_ROWS) {
        let name = occurrences.enclosing(each.source, &each.path, each.line)?;
        let text = occurrences.sources.line(&each.path, each.line)?;
        rows.push(json!({
            "path": &*each.path,
            "line": each.line,
            "name": name,
            "text": text,
            "confidence": each.confidence.as_str(),
        }));
    }
    Ok(json!({ "total": uses.len(), "rows": rows }))
}

fn public(query: &Query<'_>, reached: &[(NodeId, usize)]) -> Result<Value, ApiError> {
    let mut nodes: Vec<Node> = Vec::new();
    for (id, _) in reached.iter().take(MAX_ROWS) {
        nodes.extend(query::get_node(query.snapshot, *id)?.map(|symbol| symbol.node));
    }
    let rows = rows::symbols(query.snapshot, nodes.iter())?;
    Ok(json!({ "total": reached.len(), "rows": rows }))
}
