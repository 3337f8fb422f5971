//! The supported clients: where each keeps its settings, and the form of an entry.
//!
//! Limitations: `docs/clients.md` says which clients were tried with their entry; the paths of the
//! others are those of their documentation or sources.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::NAME;

#[derive(Debug)]
pub struct Client {
    /// Name on the command line.
    pub name: &'static str,
    /// Path of its settings file.
    pub(super) file: fn() -> Option<PathBuf>,
    /// Folder that exists if the client is installed; `None` for the folder of its file.
    pub(super) sign: Option<fn() -> Option<PathBuf>>,
    /// Program that is on the path if the client is installed.
    pub(super) program: Option<&'static str>,
    /// Key of its servers in the settings file; `None` if the file is TOML.
    pub(super) servers: Option<&'static str>,
    /// Returns the entry for a program and its arguments.
    pub(super) entry: fn(&str, &[String]) -> Value,
    /// Additional arguments for this client.
    pub(super) own_arguments: &'static [&'static str],
    pub(super) command: Option<OwnCommand>,
}

/// A client's command that manages its servers.
#[derive(Debug)]
pub struct OwnCommand {
    pub program: &'static str,
    /// Arguments that precede the path of our command.
    pub add: &'static [&'static str],
    pub remove: &'static [&'static str],
}

/// A client without special needs; each row names what differs.
const PLAIN: Client = Client {
    name: "",
    file: || None,
    sign: None,
    program: None,
    servers: Some("mcpServers"),
    entry: plain,
    own_arguments: &[],
    command: None,
};

pub const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        file: || Some(home()?.join(".claude.json")),
        entry: typed,
        command: Some(OwnCommand {
            program: "claude",
            add: &["mcp", "add", "-s", "user", NAME, "--"],
            remove: &["mcp", "remove", "-s", "user", NAME],
        }),
        ..PLAIN
    },
    Client {
        name: "codex",
        file: || {
            let folder = variable("CODEX_HOME").or_else(|| Some(home()?.join(".codex")))?;
            Some(folder.join("config.toml"))
        },
        // Its own command drops the comments of other servers.
        program: Some("codex"),
        servers: None,
        ..PLAIN
    },
    Client {
        name: "cursor",
        file: || Some(home()?.join(".cursor/mcp.json")),
        program: Some("cursor"),
        own_arguments: &["--root", "${workspaceFolder}"],
        ..PLAIN
    },
    Client {
        name: "vscode",
        file: || Some(settings_home()?.join("Code/User/mcp.json")),
        program: Some("code"),
        servers: Some("servers"),
        entry: typed,
        ..PLAIN
    },
    Client {
        name: "gemini",
        file: || Some(home()?.join(".gemini/settings.json")),
        program: Some("gemini"),
        ..PLAIN
    },
    Client {
        name: "opencode",
        file: opencode,
        program: Some("opencode"),
        servers: Some("mcp"),
        entry: |program, args| {
            let command: Vec<&str> = std::iter::once(program)
                .chain(args.iter().map(String::as_str))
                .collect();
            json!({ "type": "local", "command": command, "enabled": true })
        },
        ..PLAIN
    },
    Client {
        name: "zed",
        file: || Some(zed()?.join("settings.json")),
        program: Some("zed"),
        servers: Some("context_servers"),
        ..PLAIN
    },
    Client {
        name: "windsurf",
        file: || Some(home()?.join(".codeium/windsurf/mcp_config.json")),
        program: Some("windsurf"),
        ..PLAIN
    },
    Client {
        name: "cline",
        file: cline,
        ..PLAIN
    },
    Client {
        name: "continue",
        // Its own settings are YAML; it also reads every JSON file of this folder.
        file: || Some(home()?.join(".continue/mcpServers/codeagent.json")),
        sign: Some(|| Some(home()?.join(".continue"))),
        ..PLAIN
    },
    Client {
        name: "junie",
        file: || Some(home()?.join(".junie/mcp/mcp.json")),
        sign: Some(|| Some(home()?.join(".junie"))),
        ..PLAIN
    },
];

fn plain(program: &str, args: &[String]) -> Value {
    json!({ "command": program, "args": args })
}

fn typed(program: &str, args: &[String]) -> Value {
    json!({ "type": "stdio", "command": program, "args": args })
}

fn opencode() -> Option<PathBuf> {
    let folder = variable("XDG_CONFIG_HOME")
        .or_else(|| Some(home()?.join(".config")))?
        .join("opencode");
    let commented = folder.join("opencode.jsonc");
    Some(if commented.is_file() {
        commented
    } else {
        folder.join("opencode.json")
    })
}

/// Returns Zed's settings folder, which on macOS is that of Linux.
fn zed() -> Option<PathBuf> {
    Some(if cfg!(windows) {
        variable("APPDATA")?.join("Zed")
    } else if cfg!(target_os = "macos") {
        home()?.join(".config/zed")
    } else {
        settings_home()?.join("zed")
    })
}

/// Returns the file of Cline's extension for VS Code if it is installed, else of its command.
fn cline() -> Option<PathBuf> {
    let extension =
        settings_home()?.join("Code/User/globalStorage/saoudrizwan.claude-dev/settings");
    let folder = if extension.is_dir() {
        extension
    } else {
        home()?.join(".cline/data/settings")
    };
    Some(folder.join("cline_mcp_settings.json"))
}

pub(super) fn home() -> Option<PathBuf> {
    variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
}

/// Returns the folder in which desktop programs keep the user's settings.
fn settings_home() -> Option<PathBuf> {
    if cfg!(windows) {
        variable("APPDATA")
    } else if cfg!(target_os = "macos") {
        Some(home()?.join("Library/Application Support"))
    } else {
        variable("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")))
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
