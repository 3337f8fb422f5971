//! Reads project files, including those that a tsconfig extends.

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::project::add_extended;
use codeagent_workspace::{EntryKind, RepoPath, Stamp, Workspace};

use super::{NEVER_READ, NOT_THERE, Scan};
use crate::ingest::summary::FileProblem;
use crate::languages::LANGUAGES;
use crate::store::InputRow;

/// Maximum size of a project file, in bytes.
const MAX_PROJECT_BYTES: u64 = 2 << 20;

/// Reads the project files; returns their rows and texts.
pub fn read_inputs(
    workspace: &Workspace,
    scan: &mut Scan,
) -> (Vec<InputRow>, BTreeMap<String, Arc<str>>) {
    let mut rows = Vec::with_capacity(scan.inputs.len());
    let mut texts = BTreeMap::new();
    for (path, size, stamp) in std::mem::take(&mut scan.inputs) {
        let (row, text) = read_input(workspace, scan, (&path, size, stamp));
        rows.push(row);
        // A csproj that cannot be read still marks its folder as a project.
        let text = text.or_else(|| path.as_str().ends_with(".csproj").then(|| Arc::from("")));
        texts.extend(text.map(|text| (path.to_string(), text)));
    }

    add_extended(LANGUAGES, &mut texts, |path| {
        let path = RepoPath::new(path).ok()?;
        match extended_at(workspace, &path) {
            Ok((size, stamp, false)) => {
                let (row, text) = read_input(workspace, scan, (&path, size, stamp));
                rows.push(row);
                text
            }
            outcome => {
                scan.is_short |= outcome.is_err_and(|is_short| is_short);
                let hash = if outcome.is_ok() {
                    NOT_THERE
                } else {
                    NEVER_READ
                };

                rows.push(InputRow {
                    path: path.to_string(),
                    size: 0,
                    stamp: Stamp::default(),
                    hash,
                });
                None
            }
        }
    });
    rows.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    (rows, texts)
}

/// Returns the size and stamp of a file that a tsconfig extends, and whether it is missing. The
/// error tells whether the system ran short of resources.
pub fn extended_at(workspace: &Workspace, path: &RepoPath) -> Result<(u64, Stamp, bool), bool> {
    match workspace.stat(path) {
        Ok(entry) if entry.kind == EntryKind::File => Ok((entry.size, entry.stamp, false)),
        Err(error) if !error.is_missing() => Err(error.is_shortage()),
        _ => Ok((0, Stamp::default(), true)),
    }
}

/// Reads a project file; returns its row, and its text if it is readable.
fn read_input(
    workspace: &Workspace,
    scan: &mut Scan,
    (path, size, stamp): (&RepoPath, u64, Stamp),
) -> (InputRow, Option<Arc<str>>) {
    match workspace.read_up_to(path, MAX_PROJECT_BYTES) {
        Ok(file) => {
            let row = InputRow {
                path: path.to_string(),
                size: file.size,
                stamp: file.stamp,
                hash: *file.hash.as_bytes(),
            };
            (row, Some(Arc::from(file.text)))
        }
        Err(error) => {
            scan.is_short |= error.is_shortage();
            scan.problems.push(FileProblem {
                path: path.to_string(),
                message: error.to_string(),
            });

            (
                InputRow {
                    path: path.to_string(),
                    size,
                    stamp,
                    hash: NEVER_READ,
                },
                None,
            )
        }
    }
}
