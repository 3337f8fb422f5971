//! The `patch` profile: changes files by unified diffs, by whole contents, by appending and by
//! moving.
//!
//! Paths are absolute and below the root, or relative to it. An error is a text, `Code: message`.
//!
//! Limitations: in files that are not UTF-8, the lines of the patch must still be UTF-8.

mod apply;
pub mod diff;
mod header;
mod shell;

use codeagent_workspace::{ReadError, RepoPath, WriteError};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::arguments::{DefaultValue, Kind as Takes, Parameter};
use crate::error::{ErrorKind, FileToolError};
use crate::tool::{Call, Effect, FileTool};

/// Instructions for models.
pub const INSTRUCTIONS: &str = "\
Changes the files under one root. Paths are absolute and must be under the root. patch_apply applies all hunks of a unified diff or none; if it fails with PatchFailed, read the file again and create a new diff.";

/// What the instructions add if commands run.
pub const RUNS: &str = "shell_exec reads and searches files.";

/// Maximum size of a file that is patched or appended to, in bytes.
const MAX_BYTES: u64 = 64 << 20;

const PATH: &str = "Absolute path under the root.";

/// The tools of the profile.
pub const TOOLS: &[FileTool] = &[
    FileTool {
        name: "patch_apply",
        title: "Apply a patch",
        doc: "Apply a unified diff to a file, or create one from a diff whose source is /dev/null. \
              The context must match; if any hunk does not apply, the file is not changed. A hunk \
              whose context occurs several times must state its exact line; one whose context \
              occurs once may be up to 100 lines off, and the answer names the line. Headers, if \
              there are any, must name the file. \
              LF in the patch matches CRLF in the file, which is kept.",
        parameters: &[
            Parameter::required("path", Takes::Text, PATH),
            Parameter::required(
                "patch",
                Takes::Text,
                "Unified diff of one file, optionally in a Markdown code fence.",
            ),
        ],
        fields: &[],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::NoFile,
            ErrorKind::PatchFailed,
            ErrorKind::ReadOnly,
        ],
        effect: Effect::Writes,
        run: patch_apply,
    },
    FileTool {
        name: "append",
        title: "Append to a file",
        doc: "Append text to an existing file.",
        parameters: &[
            Parameter::required("path", Takes::Text, PATH),
            Parameter::required("content", Takes::Text, "Text to append, unchanged."),
        ],
        fields: &[],
        errors: &[ErrorKind::NoFile, ErrorKind::Outside, ErrorKind::ReadOnly],
        effect: Effect::Writes,
        run: append,
    },
    FileTool {
        name: "write_file",
        title: "Write a file",
        doc: "Create a file or replace its whole content. Missing directories are created.",
        parameters: &[
            Parameter::required("path", Takes::Text, PATH),
            Parameter::required("content", Takes::Text, "New content of the file."),
        ],
        fields: &[],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::Permission,
            ErrorKind::ReadOnly,
        ],
        effect: Effect::Writes,
        run: write_file,
    },
    FileTool {
        name: "create_directory",
        title: "Create a directory",
        doc: "Create a directory and its missing parents.",
        parameters: &[Parameter::required("path", Takes::Text, PATH)],
        fields: &[],
        errors: &[ErrorKind::Outside, ErrorKind::ReadOnly],
        effect: Effect::Writes,
        run: create_directory,
    },
    FileTool {
        name: "move_file",
        title: "Move a file",
        doc: "Move or rename a file or directory. A file at the destination is replaced, a \
              directory never; missing directories are created.",
        parameters: &[
            Parameter::required("source", Takes::Text, PATH),
            Parameter::required(
                "destination",
                Takes::Text,
                "New absolute path under the root.",
            ),
        ],
        fields: &[],
        errors: &[ErrorKind::Outside, ErrorKind::NoFile, ErrorKind::ReadOnly],
        effect: Effect::Writes,
        run: move_file,
    },
    FileTool {
        name: "shell_exec",
        title: "Run a text tool",
        doc: "Run one of grep, sed, awk, find, cat, head, tail, wc, sort, uniq, cut, tr, diff, \
              file, stat, ls, du, rg in the root, without a shell. It cannot change anything. A \
              non-zero exit code is a result, not an error.",
        parameters: &[
            Parameter::required("command", Takes::Text, "Program to run."),
            Parameter::optional("args", Takes::Texts(10_000), "Arguments, passed unchanged.")
                .or(DefaultValue::NoTexts),
        ],
        fields: &["exit_code", "stdout", "stderr"],
        errors: &[ErrorKind::CommandRefused, ErrorKind::Outside],
        effect: Effect::Runs,
        run: shell::shell_exec,
    },
];

/// Resolves the path in an argument.
fn argument(call: &Call<'_>, name: &str) -> Result<RepoPath, FileToolError> {
    let text = call.arguments.required_text(name);
    call.workspace
        .resolve(text)
        .map_err(|error| FileToolError::from(error).about(text))
}

fn bytes_of(call: &Call<'_>, path: &RepoPath) -> Result<Vec<u8>, FileToolError> {
    Ok(call.workspace.read_bytes(path, MAX_BYTES)?)
}

fn save(
    call: &Call<'_>,
    path: &RepoPath,
    bytes: &[u8],
    content: String,
) -> Result<Value, FileToolError> {
    call.workspace.write_file(path, bytes)?;
    call.report_changed(&[path]);
    Ok(clean(&content).into())
}

/// Returns an error if a path leads out of the root, before other errors are reported.
fn check_inside(call: &Call<'_>, path: &RepoPath) -> Result<(), FileToolError> {
    match call.workspace.stat(path) {
        Err(error @ ReadError::Escapes(_)) => Err(error.into()),
        _ if path.is_hidden() => Err(WriteError::Protected(path.clone()).into()),
        _ => Ok(()),
    }
}

fn patch_apply(call: &Call<'_>) -> Result<Value, FileToolError> {
    let path = argument(call, "path")?;
    let failed = |reason: String| {
        FileToolError::new(
            ErrorKind::PatchFailed,
            format!("{path}: {reason}; the file was not changed"),
        )
    };

    let patch = diff::parse(call.arguments.required_text("patch")).map_err(failed)?;
    check_inside(call, &path)?;
    if let Some(other) = header::other_file(&patch.names, &path, call.workspace) {
        return Err(failed(format!(
            "the patch is for {other:?}; name that file as `path`, or correct the header"
        )));
    }

    if patch.creates {
        return save(call, &path, &patch.added(), format!("Created {path}"));
    }

    let before = bytes_of(call, &path)?;
    let after = patch.apply(&before).map_err(failed)?;
    let parts = std::iter::once(format!("Applied {} hunks to {path}", patch.hunks.len()))
        .chain(after.notes);

    save(
        call,
        &path,
        &after.bytes,
        parts.collect::<Vec<_>>().join("; "),
    )
}

fn append(call: &Call<'_>) -> Result<Value, FileToolError> {
    let path = argument(call, "path")?;
    let content = call.arguments.required_text("content");
    let mut bytes = bytes_of(call, &path)?;
    bytes.extend_from_slice(content.as_bytes());
    save(
        call,
        &path,
        &bytes,
        format!("Appended {} bytes to {path}", content.len()),
    )
}

fn write_file(call: &Call<'_>) -> Result<Value, FileToolError> {
    let path = argument(call, "path")?;
    let content = call.arguments.required_text("content");
    save(
        call,
        &path,
        content.as_bytes(),
        format!("Wrote {} bytes to {path}", content.len()),
    )
}

fn create_directory(call: &Call<'_>) -> Result<Value, FileToolError> {
    let path = argument(call, "path")?;
    // The contract has no code for an existing entry.
    let taken = |failure: FileToolError| match failure.kind {
        ErrorKind::Exists => {
            FileToolError::new(ErrorKind::NotAFolder, format!("{path} is not a folder"))
        }
        _ => failure,
    };

    let created = call
        .workspace
        .create_folder(&path, true)
        .map_err(|error| taken(error.into()))?;
    Ok(clean(&if created {
        format!("Created {path}")
    } else {
        format!("{path} already exists")
    })
    .into())
}

fn move_file(call: &Call<'_>) -> Result<Value, FileToolError> {
    let (source, destination) = (argument(call, "source")?, argument(call, "destination")?);
    call.workspace.rename(&source, &destination, true)?;
    call.report_changed(&[&source, &destination]);
    Ok(clean(&format!("Moved {source} to {destination}")).into())
}

/// Escapes line endings and control characters.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// Returns the contract's code of an error.
#[must_use]
pub fn code(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NoFile | ErrorKind::NoFolder | ErrorKind::NotAFile | ErrorKind::NotAFolder => {
            "NotFound"
        }
        ErrorKind::Outside => "OutsideRoot",
        ErrorKind::PatchFailed => "PatchFailed",
        ErrorKind::Permission => "PermissionDenied",
        ErrorKind::ReadOnly => "ReadOnly",
        ErrorKind::CommandRefused => "CommandNotAllowed",
        ErrorKind::BadArguments
        | ErrorKind::BadPath
        | ErrorKind::Exists
        | ErrorKind::NotEmpty
        | ErrorKind::TooLarge
        | ErrorKind::BadPattern => "InvalidArguments",
        ErrorKind::Binary
        | ErrorKind::TimedOut
        | ErrorKind::TextMissing
        | ErrorKind::CountDiffers
        | ErrorKind::Internal => "Internal",
    }
}

/// Converts an answer to its protocol form.
#[must_use]
pub fn render(answer: Result<Value, FileToolError>) -> CallToolResult {
    match answer {
        Ok(message) => {
            let text = message
                .as_str()
                .map_or_else(|| message.to_string(), str::to_owned);

            CallToolResult::success(vec![ContentBlock::text(text)])
        }
        Err(failure) => {
            let (code, message) = (code(failure.kind), clean(&failure.message));
            let mut result =
                CallToolResult::error(vec![ContentBlock::text(format!("{code}: {message}"))]);
            result.structured_content =
                Some(json!({ "error": { "code": code, "message": message } }));

            result
        }
    }
}
