//! The file tools of the `workspace` contract.
//!
//! Limitations: a recursive listing stops at `maxEntries`, in path order, with folders before their
//! entries.

use codeagent_workspace::{ItemKind, Removed, RepoPath, WalkControl};
use serde_json::{Value, json};

use super::edit::Edit;
use super::{MAX_BYTES, path, shown};
use crate::error::{ErrorKind, FileToolError};
use crate::tool::Call;

/// Returns the path in an argument, and its text for messages.
fn argument<'a>(call: &'a Call<'_>, name: &str) -> Result<(RepoPath, &'a str), FileToolError> {
    let text = call.arguments.required_text(name);
    Ok((path(text, call.workspace)?, text))
}

pub fn list_dir(call: &Call<'_>) -> Result<Value, FileToolError> {
    let (folder, text) = argument(call, "dir")?;
    let most = call.arguments.number("maxEntries").unwrap_or_default();
    let depth = if call.arguments.flag("recursive") {
        usize::MAX
    } else {
        1
    };

    let mut entries = Vec::new();
    let mut truncated = false;
    let visited = call.workspace.descend(&folder, depth, &mut |item| {
        truncated = entries.len() == most;
        if truncated {
            return WalkControl::Stop;
        }
        let kind = match item.kind {
            ItemKind::Directory => "dir",
            ItemKind::Link => "symlink",
            ItemKind::File | ItemKind::Other(_) => "file",
        };
        entries.push(json!({ "path": item.path.as_str(), "type": kind, "size": item.size() }));
        WalkControl::Into
    });

    visited.map_err(|error| FileToolError::from(error).about(text))?;
    Ok(json!({ "dir": shown(&folder), "entries": entries, "truncated": truncated }))
}

/// Returns the exact text of a file of at most `limit` bytes.
fn text_of(
    call: &Call<'_>,
    file: &RepoPath,
    text: &str,
    limit: u64,
) -> Result<String, FileToolError> {
    let bytes = call
        .workspace
        .read_bytes_meta(file, limit)
        .map_err(|error| FileToolError::from(error).about(text))?
        .bytes;
    String::from_utf8(bytes).map_err(|_| {
        FileToolError::new(ErrorKind::Binary, format!("{file} is not valid UTF-8")).about(text)
    })
}

pub fn read_file(call: &Call<'_>) -> Result<Value, FileToolError> {
    let (file, text) = argument(call, "file")?;
    let limit = call.arguments.number("maxBytes").unwrap_or_default() as u64;
    let content = text_of(call, &file, text, limit)?;
    let bytes = content.len();
    Ok(json!({ "file": file.as_str(), "content": content, "bytes": bytes }))
}

pub fn edit_file(call: &Call<'_>) -> Result<Value, FileToolError> {
    let (file, text) = argument(call, "file")?;
    let (find, replace) = (
        call.arguments.required_text("find"),
        call.arguments.required_text("replace"),
    );
    let content = text_of(call, &file, text, MAX_BYTES)?;
    let edit = Edit::new(&content, find, replace);
    let count = edit.count();

    if count == 0 {
        return Err(FileToolError::new(
            ErrorKind::TextMissing,
            format!("`find` does not occur in {file}; read the file and copy the text exactly"),
        ));
    }

    let expected = call.arguments.number("expectedOccurrences");
    if let Some(expected) = expected.filter(|expected| *expected != count) {
        return Err(FileToolError::new(
            ErrorKind::CountDiffers,
            format!("`find` occurs {count} times in {file}, not {expected}; nothing was changed"),
        ));
    }

    let replacements = if call.arguments.flag("replaceAll") || expected.is_some() {
        count
    } else {
        1
    };

    let (edited, kept) = edit
        .replaced(replacements, MAX_BYTES as usize)
        .ok_or_else(|| too_large(&file))?;
    save(call, &file, text, &edited)?;

    let mut data = json!({ "file": file.as_str(), "replacements": replacements });
    let others = (replacements < count)
        .then(|| format!("`find` occurs {count} times; only the first was replaced"));
    let notes: Vec<String> = others.into_iter().chain(kept.map(str::to_owned)).collect();
    if !notes.is_empty() {
        data["note"] = notes.join("; ").into();
    }

    Ok(data)
}

pub fn write_file(call: &Call<'_>) -> Result<Value, FileToolError> {
    let (file, text) = argument(call, "file")?;
    let content = call.arguments.required_text("content");
    if content.len() as u64 > MAX_BYTES {
        return Err(too_large(&file));
    }
    save(call, &file, text, content)?;
    Ok(json!({ "file": file.as_str(), "bytesWritten": content.len() }))
}

fn save(call: &Call<'_>, file: &RepoPath, text: &str, content: &str) -> Result<(), FileToolError> {
    call.workspace
        .write_file(file, content.as_bytes())
        .map_err(|error| FileToolError::from(error).about(text))?;
    call.report_changed(&[file]);
    Ok(())
}

fn too_large(file: &RepoPath) -> FileToolError {
    FileToolError::new(
        ErrorKind::TooLarge,
        format!("{file} would exceed {MAX_BYTES} bytes"),
    )
    .about(file.as_str())
}

pub fn delete_file(call: &Call<'_>) -> Result<Value, FileToolError> {
    let (target, text) = argument(call, "path")?;
    let removed = call
        .workspace
        .remove(&target, call.arguments.flag("recursive"))
        .map_err(|error| FileToolError::from(error).about(text))?;
    call.report_changed(&[&target]);
    let kind = match removed {
        Removed::File => "file",
        Removed::Directory => "dir",
    };
    Ok(json!({ "path": target.as_str(), "deletedType": kind }))
}

pub fn move_file(call: &Call<'_>) -> Result<Value, FileToolError> {
    let ((from, text), (to, _)) = (argument(call, "from")?, argument(call, "to")?);
    let moved = call
        .workspace
        .rename(&from, &to, call.arguments.flag("overwrite"));
    let overwritten = moved.map_err(|error| FileToolError::from(error).about(text))?;
    call.report_changed(&[&from, &to]);
    Ok(json!({ "from": from.as_str(), "to": to.as_str(), "overwritten": overwritten }))
}

pub fn mkdir(call: &Call<'_>) -> Result<Value, FileToolError> {
    let (folder, text) = argument(call, "dir")?;
    let made = call
        .workspace
        .create_folder(&folder, call.arguments.flag("recursive"));
    let created = made.map_err(|error| FileToolError::from(error).about(text))?;
    Ok(json!({ "dir": shown(&folder), "created": created }))
}
