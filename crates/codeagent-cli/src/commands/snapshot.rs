//! `codeagent snapshot`: shares indexes through an object store.

use anyhow::bail;
use clap::{Args, Subcommand};
use codeagent_core::IndexReader;
use codeagent_core::packs::{PackInfo, make_pack};
use codeagent_render::staleness_text;
use codeagent_share::{PullOptions, PushOptions, Remote, gc, pull, push, write_pack};
use codeagent_workspace::{DataRoot, Workspace};
use serde_json::{Value, json};

use crate::commands::Root;
use crate::commands::clean::size;
use crate::error::Usage;
use crate::output::{self, count};

/// Maximum number of ancestors that are looked for in the store.
const HISTORY: usize = 1_000;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write a snapshot of the index to the store
    Push(PushArguments),
    /// Read the snapshot of the nearest commit; the next `codeagent index` uses it
    Pull(PullArguments),
    /// List snapshots, the newest first
    Ls(ListArguments),
    /// Remove all but the newest snapshots, and what no snapshot needs
    Gc(CollectArguments),
}

/// The store, and the repository's name there.
#[derive(Debug, Args)]
struct Place {
    /// URL of the store, such as file:///srv/snapshots or s3://bucket/snapshots
    url: String,
    /// Name of the repository in the store [default: the name of its folder]
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
}

#[derive(Debug, Args)]
struct PushArguments {
    #[command(flatten)]
    place: Place,
    /// Id of the commit [default: HEAD]
    #[arg(long, value_name = "ID")]
    commit: Option<String>,
    /// Write the graph, too: larger, and faster for this very commit
    #[arg(long)]
    graph: bool,
    /// Write an interface pack to URL, which may be a path, for `codeagent index --pack` of
    /// repositories that use this one
    #[arg(long, conflicts_with = "graph")]
    pack: bool,
}

#[derive(Debug, Args)]
struct PullArguments {
    #[command(flatten)]
    place: Place,
    /// Id of the commit [default: HEAD, else its nearest ancestor]
    #[arg(long, value_name = "ID")]
    commit: Option<String>,
    /// Read facts only: they are true of every repository with the same texts
    #[arg(long)]
    no_graph: bool,
}

#[derive(Debug, Args)]
struct ListArguments {
    /// URL of the store, such as file:///srv/snapshots or s3://bucket/snapshots
    url: String,
    /// Only snapshots of this repository
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
}

#[derive(Debug, Args)]
struct CollectArguments {
    #[command(flatten)]
    place: Place,
    /// Number of snapshots to keep
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.action {
        Action::Push(arguments) => run_push(root, arguments),
        Action::Pull(arguments) => run_pull(root, arguments),
        Action::Ls(arguments) => list(root, arguments),
        Action::Gc(arguments) => collect(root, arguments),
    }
}

fn run_push(root: &Root, arguments: &PushArguments) -> anyhow::Result<()> {
    let (index, staleness) = root.up_to_date_reader()?;
    if !staleness.is_none() {
        output::note(&staleness_text(&staleness));
    }

    if arguments.pack {
        return push_pack(root, arguments, &index);
    }
    let options = PushOptions {
        repo: arguments.place.repo(root)?,
        history: history(root, arguments.commit.as_deref())?,
        with_graph: arguments.graph,
    };
    let pushed = push(&Remote::open(&arguments.place.url)?, &index, &options)?;
    let text = format!(
        "pushed {} of {}: {} of {} sent, {}",
        pushed.commit,
        options.repo,
        pushed.sent_facts,
        count(pushed.facts as u64, "text"),
        size(pushed.sent_bytes)
    );
    let value = json!({
        "commit": pushed.commit,
        "facts": pushed.facts,
        "sent_facts": pushed.sent_facts,
        "sent_bytes": pushed.sent_bytes,
    });
    print(root, text, value)
}

/// Writes an interface pack. The commit only says what is in it, so a folder without git has one.
fn push_pack(root: &Root, arguments: &PushArguments, index: &IndexReader) -> anyhow::Result<()> {
    let (url, name) = (&arguments.place.url, arguments.place.repo(root)?);
    let history = history(root, arguments.commit.as_deref()).unwrap_or_default();
    let commit = history.first().map_or("", String::as_str);
    let (bytes, pack) = make_pack(index.workspace(), &index.snapshot()?, (&name, commit))?;

    let length = bytes.len() as u64;
    write_pack(url, bytes)?;
    let text = format!("wrote {} to {url}: {}", pack_text(&pack), size(length));
    let value = json!({
        "pack": name,
        "commit": pack.commit,
        "packages": pack.packages,
        "files": pack.files,
        "sent_bytes": length,
    });
    print(root, text, value)
}

/// Returns the text about a pack.
pub fn pack_text(pack: &PackInfo) -> String {
    let packages = match pack.packages.as_slice() {
        [package] => format!("package {package}"),
        packages => count(packages.len() as u64, "package"),
    };
    format!(
        "pack {} ({packages}, {})",
        pack.name,
        count(pack.files as u64, "file")
    )
}

fn run_pull(root: &Root, arguments: &PullArguments) -> anyhow::Result<()> {
    root.check()?;
    let options = PullOptions {
        repo: arguments.place.repo(root)?,
        history: history(root, arguments.commit.as_deref())?,
        with_graph: !arguments.no_graph,
        home: DataRoot::default(),
    };

    let pulled = pull(&Remote::open(&arguments.place.url)?, &root.folder, &options)?;
    let graph = if pulled.has_graph {
        " and the graph"
    } else {
        ""
    };

    let text = format!(
        "pulled {} of {}: {}{graph}; run `codeagent index`",
        pulled.commit,
        options.repo,
        count(pulled.new_facts as u64, "new text"),
    );

    let value = json!({
        "commit": pulled.commit,
        "new_facts": pulled.new_facts,
        "graph": pulled.has_graph,
    });

    print(root, text, value)
}

fn list(root: &Root, arguments: &ListArguments) -> anyhow::Result<()> {
    let remote = Remote::open(&arguments.url)?;
    let found = remote.snapshots(arguments.repo.as_deref())?;
    let found = found.into_iter();
    if root.json {
        let rows = found.map(|listed| {
            json!({
                "repo": listed.repo,
                "commit": listed.commit,
                "written_at": listed.written_at,
            })
        });
        return output::json(&json!({ "results": rows.collect::<Vec<_>>(), "notes": [] }));
    }

    let lines = found.map(|listed| format!("{} {}", listed.repo, listed.commit));
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        output::note("the store has no snapshots");
    }
    output::lines(lines)
}

fn collect(root: &Root, arguments: &CollectArguments) -> anyhow::Result<()> {
    let remote = Remote::open(&arguments.place.url)?;
    let repo = arguments.place.repo(root)?;
    let removed = gc(&remote, &repo, arguments.keep as usize)?;
    let text = format!(
        "removed {} of {repo} and {}",
        count(removed.snapshots as u64, "snapshot"),
        count(removed.parts as u64, "object")
    );
    let value = json!({ "snapshots": removed.snapshots, "objects": removed.parts });
    print(root, text, value)
}

fn print(root: &Root, text: String, value: Value) -> anyhow::Result<()> {
    if root.json {
        output::json(&value)
    } else {
        output::lines([text])
    }
}

impl Place {
    fn repo(&self, root: &Root) -> anyhow::Result<String> {
        root.repository_name(self.repo.as_deref())
    }
}

/// Returns the ids of the commit and its ancestors, newest first.
fn history(root: &Root, commit: Option<&str>) -> anyhow::Result<Vec<String>> {
    if let Some(commit) = commit {
        return Ok(vec![commit.to_owned()]);
    }
    let history = Workspace::open(&root.folder)?
        .git()
        .and_then(|git| git.history(HISTORY));
    match history {
        Ok(history) => Ok(history),
        Err(error) => bail!(Usage(format!("{error}; pass --commit ID"))),
    }
}
