//! `codeagent symbol`: details of every symbol that a name matches.

use codeagent_core::model::graph::Language;
use codeagent_render::answers;
use codeagent_render::{SymbolDetail, SymbolRow};

use crate::commands::ask::ask;
use crate::commands::{Root, SymbolArgs};
use crate::output::{PathDisplay, PrintedAnswer, count};
use crate::text::Line;

pub fn run(root: &Root, arguments: &SymbolArgs) -> anyhow::Result<()> {
    let named = arguments.resolve(root)?;
    let (mut answer, staleness) = ask(root, |index| {
        answers::details(index, &named.query(), usize::MAX)
    })?;
    // Every symbol is a row already.
    answer.extra.symbols.clear();
    PrintedAnswer::new((answer, staleness), None).print(root, detail)
}

fn detail(detail: &SymbolDetail, places: &PathDisplay) -> Vec<Line> {
    let row = &detail.row;
    let start = format!("{}:{}", places.of(&row.file_path), row.line_start);
    let mut lines = vec![head(row).location(&start)];
    let doc = detail.doc.as_ref();
    lines.extend(doc.map(|doc| Line::from(format!("    {doc}"))));

    let used = count(detail.reference_count, "time");
    lines.push(
        format!(
            "    node_id {}, project {}, used {used}",
            row.symbol.node_id, detail.project_id
        )
        .into(),
    );
    lines.push(format!("    {}", modifiers(detail)).into());

    let more = match detail.declarations {
        all @ 2.. => format!(
            " and at {} more (codeagent declarations)",
            count(all as u64 - 1, "place")
        ),
        _ => String::new(),
    };
    lines.push(
        Line::from("    declared ")
            .location(&start)
            .text(format!("-{}{more}", row.line_end)),
    );
    lines
}

/// Writes `method Shop.Cart.Total(int extra): int  `.
fn head(row: &SymbolRow) -> Line {
    let signature = &row.signature;
    let parameters = signature.all_parameters();
    let result = signature.return_type.as_ref();
    Line::from(format!("{} ", row.symbol.word()))
        .bold(row.symbol.qualified_name.as_str())
        .text(format!(
            "{}{}  ",
            parameters,
            result.map(|text| format!(": {text}")).unwrap_or_default()
        ))
}

fn modifiers(detail: &SymbolDetail) -> String {
    let language = Language::parse(detail.row.language);
    let public = language.map_or("public", |language| language.rules().public_api);
    let flags = [
        (detail.is_static, "static"),
        (detail.is_abstract, "abstract"),
        (detail.is_async, "async"),
        (detail.is_override, "override"),
        (detail.is_deprecated, "deprecated"),
        (detail.is_public_api, public),
    ];

    let set = flags.iter().filter(|(is_set, _)| *is_set);
    let access = detail.row.signature.access_modifier.into_iter();
    access
        .chain(set.map(|(_, word)| *word))
        .collect::<Vec<_>>()
        .join(", ")
}
