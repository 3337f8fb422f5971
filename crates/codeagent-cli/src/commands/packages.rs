//! `codeagent packages`: the packages of each project, with versions and uses.

use clap::Args;
use codeagent_core::inspect;
use codeagent_render::answers::{self, PackageUseRow};

use crate::commands::Root;
use crate::commands::ask::Unanswered;
use crate::output::{PrintedAnswer, count};
use crate::text::Line;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Only the package with this name
    #[arg(value_name = "PACKAGE")]
    package: Option<String>,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let (index, staleness) = root.up_to_date_reader()?;
    let declared = inspect::packages(index.workspace())?;
    let answer = match answers::packages(&index, &declared, arguments.package.as_deref()) {
        Ok(answer) => answer,
        Err(error) => return Err(Unanswered::new(error, staleness).into()),
    };

    let mut project = None;
    PrintedAnswer::new((answer, staleness), None).print(root, |row, places| {
        let heading = (project.as_ref() != Some(&row.project)).then(|| {
            if row.project.is_empty() {
                Line::heading("(files in no project)")
            } else {
                Line::heading(places.of(&row.project))
            }
        });
        project = Some(row.project.clone());
        heading.into_iter().chain([line(row).into()]).collect()
    })
}

/// Formats `npm:rxjs ^7.0.0, locked 7.8.1, dev: 12 uses in 3 files`.
fn line(row: &PackageUseRow) -> String {
    let requested = row.requested.as_deref().unwrap_or_default();
    let space = if requested.is_empty() { "" } else { " " };
    let resolved = row.resolved.as_ref().filter(|found| *found != requested);
    let locked = resolved.map_or_else(String::new, |version| format!(", locked {version}"));
    let scope = row
        .scope
        .map_or_else(String::new, |scope| format!(", {scope}"));
    let undeclared = if row.declared { "" } else { ", not declared" };
    let uses = match row.uses {
        _ if row.in_repository => "in this repository".to_owned(),
        // Their symbols are known only if the package is installed.
        0 if row.manager == "nuget" => "no known uses".to_owned(),
        0 => "no uses".to_owned(),
        uses => format!(
            "{} in {}",
            count(uses as u64, "use"),
            count(row.files as u64, "file")
        ),
    };

    format!(
        "  {}:{}{space}{requested}{locked}{scope}{undeclared}: {uses}",
        row.manager, row.package
    )
}
