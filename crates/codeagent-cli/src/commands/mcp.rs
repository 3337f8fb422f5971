//! `codeagent mcp`: serves the tools of a profile to MCP clients over standard input and output or
//! HTTP.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use codeagent_files::assistant::Limits;
use codeagent_files::{ExecPolicy, Options, Profile, ToolSet};
use codeagent_mcp::call::ListFormat;
use codeagent_mcp::http::{ENDPOINT, HttpOptions, Token};
use codeagent_mcp::repositories::ServerRoot;
use codeagent_mcp::roots::IDLE;
use codeagent_mcp::serve::{ShutdownCause, serve_http, serve_stdio};
use codeagent_mcp::state::Indexing;
use codeagent_workspace::check_addresses;

use crate::commands::daemon::LONGEST_IDLE;
use crate::commands::{Command, Root, Threads, model, working_folder};
use crate::error::Usage;
use crate::{exit, output};

const PORT: &str = "7345";

#[derive(Debug, Args)]
pub struct Arguments {
    /// Set of tools to offer; `local` serves $WORKSPACE_ROOT if --root is not given
    #[arg(long, value_name = "NAME", default_value = "index", value_parser = PossibleValuesParser::new(Profile::NAMES.map(|(name, _)| name)))]
    profile: String,
    /// Refuse all changes
    #[arg(long)]
    read_only: bool,
    /// Offer the tools that run commands, in a sandbox (profiles patch and workspace)
    #[arg(long)]
    allow_exec: bool,
    /// Default format of lists
    #[arg(long, value_name = "FORMAT", value_parser = ["rows", "compact"], default_value = "rows")]
    answers: String,
    /// Serve over HTTP at this address (PORT or HOST:PORT) instead of standard input and output
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = PORT, value_parser = address)]
    http: Option<SocketAddr>,
    /// Additional host name clients may use
    #[arg(long, value_name = "NAME", requires = "http")]
    allow_host: Vec<String>,
    /// Origin that may send requests (scheme://host:port)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Accept requests without a token
    #[arg(long, requires = "http")]
    no_token: bool,
    /// Also serve the endpoints of protocol revision 2024-11-05: /sse and /messages
    #[arg(long, requires = "http")]
    legacy_sse: bool,
    /// Close a repository of several after this many minutes without a call; 0: never
    #[arg(long, value_name = "MINUTES", default_value_t = (IDLE.as_secs() / 60) as u32, value_parser = clap::value_parser!(u32).range(0..=LONGEST_IDLE))]
    idle: u32,
    #[command(flatten)]
    threads: Threads,
}

/// Returns the root that `WORKSPACE_ROOT` names. Only the contract of profile `local` has this
/// variable; `--root` overrides it.
pub(super) fn root_of_environment(command: &Command) -> Option<PathBuf> {
    let Command::Mcp(arguments) = command else {
        return None;
    };
    let root = std::env::var_os("WORKSPACE_ROOT").filter(|root| !root.is_empty());
    root.filter(|_| Profile::of(&arguments.profile) == Some(Profile::Local))
        .map(PathBuf::from)
}

pub fn run(roots: &[Root], arguments: Arguments) -> anyhow::Result<ExitCode> {
    let has_commands =
        arguments.http.is_some() || matches!(arguments.profile.as_str(), "patch" | "workspace");
    if arguments.allow_exec && !has_commands {
        bail!(Usage(format!(
            "--allow-exec: profile {} runs no commands; use --profile patch or workspace",
            arguments.profile
        )));
    }

    let lists = if arguments.answers == "compact" {
        ListFormat::Compact
    } else {
        ListFormat::Rows
    };

    let profile = Profile::of(&arguments.profile).unwrap_or(Profile::Index);
    let exec = if arguments.allow_exec {
        ExecPolicy::allowed()
    } else {
        ExecPolicy::Off
    };

    let (limits, wrong) = Limits::of(|name| std::env::var(name).ok());
    wrong.iter().for_each(|wrong| output::note(wrong));

    let tools = ToolSet::new(
        profile,
        Options {
            read_only: arguments.read_only,
            limits,
            exec,
        },
    );

    let ended = match arguments.http {
        None => serve_stdio(&server_root(roots)?, tools, indexing(&arguments), lists)?,
        Some(address) => over_http(roots, tools, address, arguments, lists)?,
    };
    Ok(match ended {
        ShutdownCause::HungUp => ExitCode::SUCCESS,
        ShutdownCause::Stopped => exit::INTERRUPTED.into(),
    })
}

/// Returns the named folders, or where to start looking for the client's.
fn server_root(roots: &[Root]) -> anyhow::Result<ServerRoot> {
    if !roots.iter().any(|root| root.is_named) {
        check_addresses()?;
        return Ok(ServerRoot::Around(working_folder()?));
    }
    roots.iter().try_for_each(Root::check)?;
    Ok(ServerRoot::Named(folders(roots)))
}

fn folders(roots: &[Root]) -> Vec<PathBuf> {
    roots.iter().map(|root| root.folder.clone()).collect()
}

fn over_http(
    roots: &[Root],
    tools: ToolSet,
    address: SocketAddr,
    arguments: Arguments,
    lists: ListFormat,
) -> anyhow::Result<ShutdownCause> {
    roots.iter().try_for_each(Root::check)?;
    let first = roots.first().context("no repository")?;
    let (token, whence) = token(first, arguments.no_token)?;
    let indexing = indexing(&arguments);
    let Arguments {
        allow_host: hosts,
        allow_origin: origins,
        legacy_sse,
        ..
    } = arguments;

    let options = HttpOptions {
        address,
        hosts,
        origins,
        token,
        legacy_sse,
    };

    let announce = |address| {
        output::print_error(&format!(
            "listening at http://{address}{ENDPOINT}; {whence}"
        ));
    };
    let ended = serve_http(&folders(roots), tools, options, indexing, lists, announce)?;

    Ok(ended)
}

fn indexing(arguments: &Arguments) -> Indexing {
    Indexing {
        threads: arguments.threads.number(),
        model: model::source(),
        idle: Some(Duration::from_secs(u64::from(arguments.idle) * 60)),
    }
}

/// Returns the token and a description of its source.
fn token(root: &Root, none: bool) -> anyhow::Result<(Option<Token>, String)> {
    if none {
        return Ok((None, "no token is required".to_owned()));
    }
    if let Some(token) = Token::of_environment()? {
        return Ok((
            Some(token),
            "the token comes from the environment".to_owned(),
        ));
    }
    let data = root.data()?;
    let (token, path) = Token::load_or_create(&data)?;
    Ok((Some(token), format!("the token is in {}", path.display())))
}

/// Parses `7345`, `127.0.0.1:7345`, `[::1]:7345` or `localhost:7345`.
fn address(text: &str) -> Result<SocketAddr, String> {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let text = text.strip_prefix("localhost:").unwrap_or(text);
    let port = text.parse().map(|port| SocketAddr::new(here, port));
    port.or_else(|_| text.parse()).map_err(|_| {
        "expected a port, or an IP address and a port such as 127.0.0.1:7345".to_owned()
    })
}
