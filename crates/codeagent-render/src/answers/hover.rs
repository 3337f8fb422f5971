//! A symbol as an editor describes it at the cursor, in Markdown.

use codeagent_core::inspect::LocalName;
use codeagent_core::model::facts::DeclKind;
use codeagent_core::model::graph::{
    Confidence, Dialect, Language, Node, NodeFlags, NodeId, NodeType,
};
use codeagent_core::query::{self, Snapshot};

use super::AnswerError;

/// Maximum number of other candidates that are named.
const MAX_CANDIDATES: usize = 3;

/// What to describe.
#[derive(Clone, Copy, Debug)]
pub struct HoverQuery<'a> {
    /// The symbol.
    pub symbol: NodeId,
    /// Confidence and other candidates, if the cursor is at a use.
    pub used: Option<(Confidence, &'a [NodeId])>,
}

/// Describes a symbol: signature, documentation, confidence of the use, and where it is declared.
/// Returns `None` if the symbol no longer exists.
pub fn hover_text(
    snapshot: &Snapshot,
    query: &HoverQuery<'_>,
) -> Result<Option<String>, AnswerError> {
    let Some(symbol) = query::get_node(snapshot, query.symbol)? else {
        return Ok(None);
    };
    let node = &symbol.node;

    let mut parts = vec![signature(node)];
    parts.extend(node.doc.as_deref().map(escaped));
    if node.flags.has(NodeFlags::DEPRECATED) {
        parts.push("deprecated".to_owned());
    }
    if let Some((Confidence::Inferred, candidates)) = query.used {
        parts.push(inferred(snapshot, candidates)?);
    }
    if let Some(span) = node.spans.first() {
        let others = match node.spans.len() - 1 {
            0 => String::new(),
            1 => ", and 1 more declaration".to_owned(),
            more => format!(", and {more} more declarations"),
        };
        let path = escaped(&span.path);
        parts.push(format!("{path}:{}{others}", span.name_line));
    }
    Ok(Some(parts.join("\n\n")))
}

/// A local, parameter or type parameter to describe.
#[derive(Clone, Copy, Debug)]
pub struct LocalHover<'a> {
    /// The name with its uses.
    pub name: &'a LocalName,
    /// Repo-relative path.
    pub path: &'a str,
    /// The line of the declaration.
    pub declared: &'a str,
}

/// Describes a local: the line of its declaration, its kind and its number of uses.
#[must_use]
pub fn local_text(local: &LocalHover<'_>) -> String {
    let LocalHover {
        name,
        path,
        declared,
    } = local;
    let kind = match name.kind {
        DeclKind::Parameter => "parameter",
        DeclKind::TypeParam => "type parameter",
        DeclKind::Lambda => "function expression",
        DeclKind::Import => "import from outside the index",
        _ => "local variable",
    };

    let uses = match name.uses.len() {
        0 => "not used".to_owned(),
        1 => "used once".to_owned(),
        many => format!("used {many} times"),
    };

    let language = Dialect::of_path(path).map_or("", |dialect| fence(dialect.language()));
    let code = block(language, declared.trim());
    format!(
        "{code}\n\n{kind}, {uses}\n\n{}:{}",
        escaped(path),
        name.at.line
    )
}

/// Returns the name of a language in Markdown.
fn fence(language: Language) -> &'static str {
    match language {
        Language::CSharp => "csharp",
        Language::TypeScript => "typescript",
        Language::Imported => "",
    }
}

/// Formats a block of code. A part of the source must not end the block.
fn block(language: &str, code: &str) -> String {
    format!("```{language}\n{}\n```", code.replace("```", "` ` `"))
}

/// Formats a signature as a block of code.
fn signature(node: &Node) -> String {
    let separator = match node.language {
        Language::CSharp => " ",
        Language::TypeScript | Language::Imported => ": ",
    };
    let kind = node.kind.as_str().replace('_', " ");
    let kind = if node.node_type == NodeType::Method {
        String::new()
    } else {
        format!("{kind} ")
    };
    let access = node
        .access
        .map(|access| format!("{} ", access.as_str().replace('_', " ")));
    let access = access.unwrap_or_default();

    // TypeScript's qualified names begin with the path; a private name has a `#` too.
    let whole = node.qualified_name.as_str();
    let name = whole.split_once('#').map_or(whole, |(_, name)| name);
    let parameters = node.all_parameters();
    let declared = node.return_type.as_deref();
    let line = match (node.language, declared) {
        (Language::CSharp, Some(declared)) => {
            format!("{access}{kind}{declared}{separator}{name}{parameters}")
        }
        (_, declared) => {
            let declared = declared.map(|text| format!("{separator}{text}"));
            format!(
                "{access}{kind}{name}{parameters}{}",
                declared.unwrap_or_default()
            )
        }
    };
    block(fence(node.language), &line)
}

/// Escapes text so that Markdown shows it as it is.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '&' | '!'
        ) {
            shown.push('\\');
        }
        shown.push(c);
    }
    shown
}

fn inferred(snapshot: &Snapshot, candidates: &[NodeId]) -> Result<String, AnswerError> {
    let mut names = Vec::new();
    for id in candidates.iter().take(MAX_CANDIDATES) {
        let symbol = query::get_node(snapshot, *id)?;
        names.extend(symbol.map(|symbol| escaped(&symbol.node.qualified_name)));
    }
    let more = candidates.len().saturating_sub(names.len());
    Ok(match (names.is_empty(), more) {
        (true, _) => "inferred: the most likely target".to_owned(),
        (false, 0) => format!("inferred: the target may also be {}", names.join(", ")),
        (false, more) => format!(
            "inferred: the target may also be {}, or one of {more} more",
            names.join(", ")
        ),
    })
}
