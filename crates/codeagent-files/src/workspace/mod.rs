//! The `workspace` profile: lists, reads, edits, writes, moves and removes files.
//!
//! Paths are relative to the root. Every answer is an envelope, `{"ok":true,"data":...}` or
//! `{"ok":false,"error":{"code","message","details"}}`.
//!
//! Limitations: a leading `workspace/` is dropped unless the root has an entry of that name, so no
//! such entry can be created. Files that are not UTF-8 can be moved and removed, but not read.

mod command;
mod edit;
mod files;

use codeagent_workspace::{ReadError, RepoPath, Workspace};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::arguments::{DefaultValue, Kind as Takes, Parameter};
use crate::error::{ErrorKind, FileToolError};
use crate::tool::{Effect, FileTool};

/// Instructions for models.
pub const INSTRUCTIONS: &str = "\
Works on the files of one workspace. Paths are relative to its root; absolute paths and `..` are refused. A leading `workspace/` is dropped, unless the root contains an entry named `workspace`. Every answer is JSON with `ok` and `data`, or `error` with `code` and `message`.";

/// What the instructions add if files can be changed.
pub const WRITES: &str = "Prefer edit_file to write_file for changes of existing files.";

/// Maximum size of a file that is written or edited, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The tools of the profile.
pub const TOOLS: &[FileTool] = &[
    FileTool {
        name: "list_dir",
        title: "List a directory",
        doc: "List a directory's files, directories and links, with `recursive` also those below.",
        parameters: &[
            Parameter::optional("dir", Takes::Text, "Directory, relative to the root.")
                .or(DefaultValue::Text(".")),
            Parameter::optional(
                "recursive",
                Takes::Flag,
                "Whether to list subdirectories as well.",
            )
            .or(DefaultValue::Flag(false)),
            Parameter::optional(
                "maxEntries",
                Takes::Number { min: 1, max: 2_000 },
                "Maximum number of entries.",
            )
            .or(DefaultValue::Number(500)),
        ],
        fields: &[
            "dir",
            "entries",
            "entries[].path",
            "entries[].type",
            "entries[].size",
            "truncated",
        ],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::NotAFolder,
            ErrorKind::NoFile,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Reads,
        run: files::list_dir,
    },
    FileTool {
        name: "read_file",
        title: "Read a file",
        doc: "Read a whole text file. A file longer than `maxBytes` is refused with FILE_TOO_LARGE.",
        parameters: &[
            Parameter::required("file", Takes::Text, "File, relative to the root."),
            Parameter::optional(
                "maxBytes",
                Takes::Number {
                    min: 1,
                    max: MAX_BYTES,
                },
                "Maximum size of the file, in bytes.",
            )
            .or(DefaultValue::Number(262_144)),
        ],
        fields: &["file", "content", "bytes"],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::NoFile,
            ErrorKind::NotAFile,
            ErrorKind::TooLarge,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Reads,
        run: files::read_file,
    },
    FileTool {
        name: "edit_file",
        title: "Edit a file",
        doc: "Replace literal text in a file: its first occurrence, or all with `replaceAll`. With `expectedOccurrences`, all are replaced if the text occurs exactly that often; otherwise nothing is changed. LF in `find` matches CRLF in the file, which is kept.",
        parameters: &[
            Parameter::required("file", Takes::Text, "File, relative to the root."),
            Parameter::required("find", Takes::Something, "Text to replace."),
            Parameter::required("replace", Takes::Text, "Replacement."),
            Parameter::optional(
                "replaceAll",
                Takes::Flag,
                "Whether to replace every occurrence.",
            )
            .or(DefaultValue::Flag(false)),
            Parameter::optional(
                "expectedOccurrences",
                Takes::Number {
                    min: 1,
                    max: 1_000_000,
                },
                "Number of times the text must occur.",
            ),
        ],
        fields: &["file", "replacements", "note"],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::NoFile,
            ErrorKind::TextMissing,
            ErrorKind::CountDiffers,
            ErrorKind::TooLarge,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Writes,
        run: files::edit_file,
    },
    FileTool {
        name: "write_file",
        title: "Write a file",
        doc: "Create a file of at most 1 MiB or replace its whole content. Missing directories are \
              made.",
        parameters: &[
            Parameter::required("file", Takes::Text, "File, relative to the root."),
            Parameter::required("content", Takes::Text, "New content of the file."),
        ],
        fields: &["file", "bytesWritten"],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::TooLarge,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Writes,
        run: files::write_file,
    },
    FileTool {
        name: "delete_file",
        title: "Delete a file or directory",
        doc: "Delete a file, a link (not its target) or an empty directory; with `recursive` a \
              directory and everything in it.",
        parameters: &[
            Parameter::required("path", Takes::Text, "Path to delete, relative to the root."),
            Parameter::optional(
                "recursive",
                Takes::Flag,
                "Whether to delete the contents of a directory.",
            )
            .or(DefaultValue::Flag(false)),
        ],
        fields: &["path", "deletedType"],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::NoFile,
            ErrorKind::NotEmpty,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Writes,
        run: files::delete_file,
    },
    FileTool {
        name: "move_file",
        title: "Move a file or directory",
        doc: "Move or rename. Missing directories are created; a file at the destination is \
              replaced with `overwrite` only, a directory never.",
        parameters: &[
            Parameter::required("from", Takes::Text, "Path to move, relative to the root."),
            Parameter::required("to", Takes::Text, "New path, relative to the root."),
            Parameter::optional(
                "overwrite",
                Takes::Flag,
                "Whether to replace an existing file.",
            )
            .or(DefaultValue::Flag(false)),
        ],
        fields: &["from", "to", "overwritten"],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::NoFile,
            ErrorKind::Exists,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Writes,
        run: files::move_file,
    },
    FileTool {
        name: "mkdir",
        title: "Create a directory",
        doc: "Create a directory. `created` is false if it already existed.",
        parameters: &[
            Parameter::required("dir", Takes::Text, "Directory, relative to the root."),
            Parameter::optional(
                "recursive",
                Takes::Flag,
                "Whether to create missing parent directories.",
            )
            .or(DefaultValue::Flag(true)),
        ],
        fields: &["dir", "created"],
        errors: &[
            ErrorKind::Outside,
            ErrorKind::NoFile,
            ErrorKind::Exists,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Writes,
        run: files::mkdir,
    },
    FileTool {
        name: "run_command",
        title: "Run a command",
        doc: "Run node, npm, npx, python3, pytest or tsc without a shell, in a sandbox: it can \
              change the workspace, but has no access to other files or the network. A non-zero \
              exit code or `timedOut` is a result, not an error.",
        parameters: &[
            Parameter::required("command", Takes::Something, "Program to run."),
            Parameter::optional(
                "args",
                Takes::ShortTexts { max: 64, each: 400 },
                "Arguments, passed unchanged.",
            )
            .or(DefaultValue::NoTexts),
            Parameter::optional(
                "cwd",
                Takes::Text,
                "Directory to run in, relative to the root.",
            )
            .or(DefaultValue::Text(".")),
            Parameter::optional(
                "timeoutMs",
                Takes::Number {
                    min: 100,
                    max: 60_000,
                },
                "Maximum run time, in milliseconds.",
            )
            .or(DefaultValue::Number(15_000)),
            Parameter::optional(
                "maxOutputBytes",
                Takes::Number {
                    min: 1_024,
                    max: 262_144,
                },
                "Maximum number of bytes to keep of each output stream.",
            )
            .or(DefaultValue::Number(65_536)),
        ],
        fields: &[
            "command",
            "args",
            "cwd",
            "exitCode",
            "signal",
            "timedOut",
            "stdout",
            "stderr",
            "stdoutTruncated",
            "stderrTruncated",
        ],
        errors: &[
            ErrorKind::CommandRefused,
            ErrorKind::Outside,
            ErrorKind::NoFolder,
            ErrorKind::BadArguments,
        ],
        effect: Effect::Runs,
        run: command::run_command,
    },
];

/// Optional prefix of paths that means the root, unless an entry has this name.
const PREFIX: &str = "workspace";

/// Parses a path by the rules of this profile: relative, without `..`. A leading `workspace/` is
/// dropped unless the root has an entry of that name.
fn path(text: &str, workspace: &Workspace) -> Result<RepoPath, FileToolError> {
    let refuse = |why: &str| {
        FileToolError::new(
            ErrorKind::Outside,
            format!("{text:?} {why}; paths are relative to the workspace"),
        )
        .about(text)
    };

    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    if text.starts_with(['/', '\\']) || drive || text.contains("://") {
        return Err(refuse("is absolute"));
    }
    if text.split(['/', '\\']).any(|segment| segment == "..") {
        return Err(refuse("is outside the workspace"));
    }

    let path =
        RepoPath::normalized(text).map_err(|error| FileToolError::from(error).about(text))?;
    if path.segments().next() != Some(PREFIX) || root_holds_prefix(workspace) {
        return Ok(path);
    }

    let segments: Vec<&str> = path
        .segments()
        .skip_while(|segment| *segment == PREFIX)
        .collect();
    Ok(RepoPath::new(&segments.join("/"))?)
}

/// Reports whether the root has an entry with the name of the prefix.
fn root_holds_prefix(workspace: &Workspace) -> bool {
    let found = RepoPath::new(PREFIX).map(|path| workspace.stat(&path));
    // A dangling link is an entry too, but `stat` does not find it.
    let is_listed = || {
        workspace
            .items(&RepoPath::root())
            .map_or(true, |(items, _)| {
                items.iter().any(|item| item.path.as_str() == PREFIX)
            })
    };
    !matches!(found, Ok(Err(ReadError::NotFound(_)))) || is_listed()
}

/// Returns a path as shown in answers.
fn shown(path: &RepoPath) -> &str {
    if path.is_root() { "." } else { path.as_str() }
}

/// Returns the contract's code of an error.
#[must_use]
pub fn code(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NoFile | ErrorKind::NoFolder => "NOT_FOUND",
        ErrorKind::Outside | ErrorKind::BadPath => "INVALID_PATH",
        ErrorKind::NotAFile => "NOT_FILE",
        ErrorKind::NotAFolder => "NOT_DIRECTORY",
        ErrorKind::Exists => "ALREADY_EXISTS",
        ErrorKind::NotEmpty => "DIRECTORY_NOT_EMPTY",
        ErrorKind::TooLarge => "FILE_TOO_LARGE",
        ErrorKind::Binary | ErrorKind::BadPattern | ErrorKind::BadArguments => "VALIDATION_ERROR",
        ErrorKind::TextMissing => "PATTERN_NOT_FOUND",
        ErrorKind::CountDiffers => "EDIT_CONFLICT",
        ErrorKind::CommandRefused => "COMMAND_NOT_ALLOWED",
        ErrorKind::TimedOut
        | ErrorKind::PatchFailed
        | ErrorKind::Permission
        | ErrorKind::ReadOnly
        | ErrorKind::Internal => "INTERNAL_ERROR",
    }
}

/// Converts an answer to its protocol form.
#[must_use]
pub fn render(answer: Result<Value, FileToolError>) -> CallToolResult {
    let is_ok = answer.is_ok();
    let envelope = match answer {
        Ok(data) => json!({ "ok": true, "data": data }),
        Err(failure) => {
            let details = failure
                .path
                .map_or_else(|| json!({}), |path| json!({ "path": path }));
            json!({ "ok": false, "error": { "code": code(failure.kind), "message": failure.message, "details": details } })
        }
    };

    let content = vec![ContentBlock::text(envelope.to_string())];
    let mut result = if is_ok {
        CallToolResult::success(content)
    } else {
        CallToolResult::error(content)
    };

    result.structured_content = Some(envelope);
    result
}
