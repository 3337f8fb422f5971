//! The commands, one file each: arguments, one call into the engine, printing.
//!
//! Commands about symbols run the same queries as the tools ([`ask`]), so that both give the same
//! answers.

mod ask;
mod changes;
mod clean;
mod daemon;
mod debug;
mod declarations;
mod demo;
mod doctor;
mod export;
mod graph;
mod hook;
mod import;
mod index;
mod indexes;
mod install;
mod lookup;
mod lsp;
mod mcp;
mod model;
mod outline;
mod packages;
mod related;
mod report;
mod report_html;
mod root;
mod search;
mod shell;
mod snapshot;
mod status;
mod symbol;
mod text;
mod text_answer;
mod view;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

pub use crate::commands::ask::Unanswered;
pub use crate::commands::root::{Root, Unfilled};

use anyhow::bail;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use codeagent_core::model::graph::{EdgeDirection, Language};
use codeagent_core::query::Relation;
use codeagent_mcp::roots::unique_names;
use codeagent_render::answers::{self, ExploreQuery, SymbolQuery};
use codeagent_render::{Face, NeighborRow, UseRow};
use codeagent_workspace::{DataRoot, LogFile};

use crate::commands::root::working_folder;
use crate::error::Usage;
use crate::{exit, output};

/// Code intelligence for C# and TypeScript repositories: where a symbol is, who calls it, what
/// implements it
#[derive(Debug, Parser)]
#[command(
    name = "codeagent",
    version,
    about,
    after_help = "\
Without --root, the repository is the git work tree that contains the current directory, else the nearest parent directory with an index, else \
the indexed directories in the current one, else the current directory. Of several repositories, each answers.

Examples:
  codeagent index
  codeagent search cart total
  codeagent callers Cart.Total
  codeagent references src/Cart.cs:12 --json"
)]
pub struct Cli {
    #[arg(skip)]
    roots: Vec<PathBuf>,
    #[arg(skip)]
    pub json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer a question about a small example repository, which the program contains
    #[command(after_help = "Examples:\n  codeagent demo\n  codeagent demo /tmp/shop")]
    Demo(demo::Arguments),
    /// Update the index with what changed since the last run
    #[command(after_help = "Examples:\n  codeagent index\n  codeagent index ~/src/app --verbose")]
    Index(index::Arguments),
    /// Show what is indexed and how much could be resolved
    #[command(
        after_help = "Examples:\n  codeagent status --json\n  codeagent status --verify\n  codeagent status --all"
    )]
    Status(status::Arguments),
    /// Answer a question about code: source, callers, implementations, tests, uses
    #[command(
        after_help = "Examples:\n  codeagent explore OrderService.Place\n  codeagent explore 'which tests cover Cart.Total?'"
    )]
    Explore(text_answer::Arguments),
    /// List what a change of symbols, files or folders affects, and the tests that reach it
    #[command(
        after_help = "Examples:\n  codeagent impact OrderService.Place\n  codeagent impact src/Shop.Domain/Cart.cs --depth 2"
    )]
    Impact(graph::ImpactArguments),
    /// Show how one symbol reaches another
    #[command(
        after_help = "Examples:\n  codeagent path OrderService.Place PriceCalculator.Price\n  codeagent path OrderService.Place PriceCalculator.Price --format mermaid"
    )]
    Path(graph::PathArguments),
    /// Describe the repository, a folder or a project: parts, entry points, hubs, cycles, unused
    /// code
    #[command(after_help = "Examples:\n  codeagent overview\n  codeagent overview src/Shop.Domain")]
    Overview(graph::OverviewArguments),
    /// Search text; show the enclosing symbol, route or test of each line
    #[command(
        after_help = "Examples:\n  codeagent text documents.archive\n  codeagent text --regex 'catch .*Timeout' --path src"
    )]
    Text(text::Arguments),
    /// Show which symbols changed since a commit, which uses no longer match and which tests to run
    #[command(
        after_help = "Examples:\n  codeagent changes\n  codeagent changes main\n  codeagent changes v1.2..v1.3"
    )]
    Changes(changes::Arguments),
    /// List the test files that the changes since a commit may affect
    #[command(after_help = "Example: codeagent affected --base origin/main | xargs npx jest")]
    Affected(changes::AffectedArguments),
    /// Search symbols by name or description
    #[command(after_help = "Example: codeagent search --type class order service")]
    Search(search::Arguments),
    /// Find symbols by qualified name
    #[command(after_help = "Example: codeagent lookup Shop.Services.OrderService.Place")]
    Lookup(lookup::Arguments),
    /// Show details of a symbol
    #[command(after_help = "Example: codeagent symbol OrderService.Place")]
    Symbol(SymbolArgs),
    /// List where a symbol is declared
    #[command(after_help = "Example: codeagent declarations Order")]
    Declarations(SymbolArgs),
    /// List the symbols of a file
    #[command(after_help = "Example: codeagent outline src/Cart.cs")]
    Outline(outline::Arguments),
    /// Show who calls a symbol
    #[command(
        after_help = "Examples:\n  codeagent callers Place\n  codeagent callers 'Cart.Add(Product, int)'"
    )]
    Callers(related::CallersArgs),
    /// Show what a symbol calls
    #[command(after_help = "Example: codeagent callees OrderService.Place")]
    Callees(related::Arguments),
    /// Show what implements, extends or overrides a symbol
    #[command(after_help = "Example: codeagent implementations IOrderService")]
    Implementations(related::ImplementationsArgs),
    /// Show every use of a symbol
    #[command(after_help = "Example: codeagent references src/Cart.cs:12")]
    References(related::Arguments),
    /// Show what a symbol depends on
    #[command(after_help = "Example: codeagent dependencies OrderService --type contains")]
    Dependencies(related::EdgeTypeArgs),
    /// Show what depends on a symbol
    #[command(after_help = "Example: codeagent dependents OrderService --type references")]
    Dependents(related::EdgeTypeArgs),
    /// List the packages of each project: version asked for, version locked, number of uses
    #[command(after_help = "Examples:\n  codeagent packages\n  codeagent packages rxjs --json")]
    Packages(packages::Arguments),
    /// Export the graph as TSV tables, as a SCIP index or as Parquet tables
    #[command(
        after_help = "Examples:\n  codeagent export --format tsv --out /tmp/graph\n  codeagent export --format scip --out index.scip\n  codeagent export --format parquet --out tables"
    )]
    Export(export::Arguments),
    /// Add the symbols of another language from a SCIP index
    #[command(
        after_help = "Examples:\n  codeagent import index.scip\n  codeagent import rust.scip --folder crates/engine\n  codeagent import --remove rust"
    )]
    Import(import::Arguments),
    /// Debug: show the facts and resolved uses of a file or line
    #[command(hide = true)]
    Debug(debug::Arguments),
    /// Keep the index up to date until interrupted
    #[command(after_help = "Example: codeagent watch --root .")]
    Watch(watch::Arguments),
    /// Keep the index up to date in the background
    #[command(
        after_help = "Examples:\n  codeagent daemon start\n  codeagent daemon status\n  codeagent daemon stop"
    )]
    Daemon(daemon::Arguments),
    /// Serve tools to an MCP client over standard input and output, or over HTTP
    #[command(after_help = "Examples:\n  codeagent mcp --root .\n  codeagent mcp --http 7345")]
    Mcp(mcp::Arguments),
    /// Serve an editor: a read-only language server over standard input and output
    #[command(
        after_help = "The repositories are those around the editor's workspace folders, or --root. Unsaved text is answered as the editor shows it.\n\nExample: codeagent lsp"
    )]
    Lsp(lsp::Arguments),
    /// Write what was understood, and what changed, as one HTML file for CI
    #[command(
        after_help = "Examples:\n  codeagent report --html report.html\n  codeagent report --html report.html --base origin/main"
    )]
    Report(report_html::Arguments),
    /// Serve a page to a browser on this machine: symbols, changes, folders, and what was understood
    #[command(
        after_help = "The page is only for this machine. Its address contains a secret, which is new for each run.\n\nExample: codeagent view"
    )]
    View(view::Arguments),
    /// Share indexes through an object store: made once, used by everybody
    #[command(
        after_help = "Only these commands and `index --pack URL` use a network. The store's URL never comes from the repository.\n\nExamples:\n  codeagent snapshot push file:///srv/snapshots\n  codeagent snapshot pull s3://bucket/snapshots && codeagent index\n  codeagent snapshot gc file:///srv/snapshots --keep 20"
    )]
    Snapshot(snapshot::Arguments),
    /// Remove the index of this repository, or the indexes of repositories that no longer exist
    #[command(after_help = "Examples:\n  codeagent clean\n  codeagent clean --all --dry-run")]
    Clean(clean::Arguments),
    /// Install, test or remove the model for search by meaning
    #[command(
        after_help = "Examples:\n  codeagent model install --from-pip\n  codeagent model status"
    )]
    Model(model::Arguments),
    /// Add codeagent to MCP clients
    #[command(
        after_help = "Examples:\n  codeagent install\n  codeagent install claude\n  codeagent install all --dry-run"
    )]
    Install(install::Arguments),
    /// Remove codeagent from MCP clients; stops daemons when no client is left
    #[command(after_help = "Examples:\n  codeagent uninstall claude\n  codeagent uninstall all")]
    Uninstall(install::Arguments),
    /// Hook for coding agents: list matching symbols after a grep
    #[command(
        after_help = "Example: echo '{\"hook_event_name\":\"PostToolUse\",\"tool_input\":{\"pattern\":\"Place\"}}' | codeagent hook"
    )]
    Hook,
    /// Check the setup and suggest fixes
    #[command(after_help = "Examples:\n  codeagent doctor\n  codeagent doctor --report")]
    Doctor(doctor::Arguments),
    /// Print shell completions
    #[command(
        after_help = "Example: codeagent completions bash > ~/.local/share/bash-completion/completions/codeagent"
    )]
    Completions(shell::Completions),
    /// Print a manual page
    #[command(
        after_help = "Example: codeagent man callers > ~/.local/share/man/man1/codeagent-callers.1"
    )]
    Man(shell::Man),
    /// Print the version
    #[command(hide = true)]
    Version,
}

/// Returns the definition of the whole command line. Commands without a repository have no
/// `--root`, and those without an answer have no `--json`.
pub fn definition() -> clap::Command {
    let root = Arg::new("root")
        .long("root")
        .global(true)
        .value_name("FOLDER")
        .action(ArgAction::Append)
        .value_parser(clap::value_parser!(PathBuf));

    let root = root.help("Repository root; may be repeated [default: enclosing git work tree]");
    let json = Arg::new("json")
        .long("json")
        .global(true)
        .action(ArgAction::SetTrue)
        .help("Print results and errors as JSON");

    Cli::command().mut_subcommands(|command| match command.get_name() {
        "completions" | "man" | "version" | "demo" => command,
        "install" | "uninstall" | "model" => command.arg(&json),
        "watch" | "mcp" | "lsp" | "view" | "hook" => command.arg(&root),
        _ => command.arg(&root).arg(&json),
    })
}

impl Cli {
    /// Parses the command line of this process.
    pub fn of_process() -> Result<Self, clap::Error> {
        let matches = definition().try_get_matches()?;
        let mut cli = Self::from_arg_matches(&matches)?;
        let mut innermost = &matches;
        while let Some((_, matches)) = innermost.subcommand() {
            innermost = matches;
        }

        // Not every command has these options.
        let roots = innermost.try_get_many("root").ok().flatten();
        cli.roots = roots.unwrap_or_default().cloned().collect();
        cli.json = innermost
            .try_get_one("json")
            .ok()
            .flatten()
            .copied()
            .unwrap_or_default();
        Ok(cli)
    }

    /// Returns the log file of this process, if it has no terminal.
    pub fn log(&self) -> Option<LogFile> {
        match &self.command {
            Command::Daemon(arguments) if arguments.is_background() => {
                Root::of(self.roots.first().cloned(), self.json)
                    .ok()?
                    .data()
                    .ok()?
                    .log()
                    .ok()
            }
            _ => None,
        }
    }
}

/// Arguments that name a symbol.
#[derive(Debug, Args)]
struct SymbolArgs {
    /// Qualified name or its last segments (Cart.Total, Total), with parameters for an overload
    /// (Cart.Add(int)), FILE:LINE, or a node id
    #[arg(value_name = "NAME")]
    name: String,
    /// Only symbols declared in this file, folder or glob (if the name is ambiguous)
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
}

/// A symbol's name with paths relative to the root.
struct NamedSymbol {
    name: String,
    file: Option<String>,
}

impl NamedSymbol {
    fn query(&self) -> SymbolQuery<'_> {
        SymbolQuery {
            name: &self.name,
            file: self.file.as_deref(),
        }
    }
}

impl SymbolArgs {
    fn resolve(&self, root: &Root) -> anyhow::Result<NamedSymbol> {
        let name = match self.name.split_once(':') {
            Some((path, rest)) if rest.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("{}:{rest}", root.path(path)?)
            }
            _ => self.name.clone(),
        };
        let file = self
            .file
            .as_deref()
            .map(|file| root.path(file))
            .transpose()?;
        Ok(NamedSymbol { name, file })
    }
}

/// Which symbols a search is about.
#[derive(Debug, Args)]
struct Within {
    /// Only symbols of this language
    #[arg(long, value_parser = PossibleValuesParser::new(Language::NAMES.iter().map(|(name, _)| *name)))]
    language: Option<String>,
    /// Only symbols of this project (the path of its project file)
    #[arg(long)]
    project: Option<String>,
}

impl Within {
    fn language(&self) -> Option<Language> {
        self.language.as_deref().and_then(Language::parse)
    }
}

const MOST_THREADS: i64 = 256;

/// The number of threads.
#[derive(Clone, Copy, Debug, Args)]
struct Threads {
    /// Number of threads [default: all processors]
    #[arg(long = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    given: Option<u16>,
}

impl Threads {
    /// Returns the number for the engine, where 0 is one per processor.
    fn number(self) -> usize {
        self.given.unwrap_or_default().into()
    }
}

/// Runs the requested command, for each repository if there are several.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let roots = roots_of(&cli)?;
    match (cli.command, roots.as_slice()) {
        (Command::Mcp(arguments), roots) => mcp::run(roots, arguments),
        (command, [root, ..]) if roots.len() == 1 || command.is_about_all() => {
            run_in(root, command)
        }
        (command, roots) => run_in_each(roots, command),
    }
}

/// Returns the repositories of a command, at least one.
fn roots_of(cli: &Cli) -> anyhow::Result<Vec<Root>> {
    let folder = match &cli.command {
        Command::Index(arguments) => arguments.folder(),
        _ => None,
    };
    if let Some(folder) = folder {
        return Ok(vec![Root::around(folder, cli.json)?]);
    }

    let mut named = cli.roots.clone();
    if named.is_empty() {
        named.extend(mcp::root_of_environment(&cli.command));
    }
    let takes_several = cli.command.takes_several_roots();
    if named.len() > 1 && !takes_several {
        bail!(Usage(
            "--root: this command takes one repository".to_owned()
        ));
    }

    if named.is_empty() && takes_several {
        let found = codeagent_workspace::find_roots(&working_folder()?, &DataRoot::default());
        let root = |folder| Root {
            folder,
            is_named: false,
            json: cli.json,
        };
        return Ok(found.into_iter().map(root).collect());
    }

    if named.is_empty() {
        return Ok(vec![Root::of(None, cli.json)?]);
    }
    named
        .into_iter()
        .map(|folder| Root::of(Some(folder), cli.json))
        .collect()
}

/// Runs a command for each repository. Succeeds if one of them has an answer.
fn run_in_each(roots: &[Root], command: Command) -> anyhow::Result<ExitCode> {
    let folders: Vec<PathBuf> = roots.iter().map(Root::resolved).collect::<Result<_, _>>()?;
    let mut next = Some(command);
    let (mut code, mut failed) = (None, None);

    for (root, name) in roots.iter().zip(unique_names(&folders)) {
        let command = match next.take() {
            Some(command) => command,
            None => Cli::of_process()?.command,
        };
        output::begin_repository(&name);
        match run_in(root, command) {
            Ok(ended) => drop(code.get_or_insert(ended)),
            Err(error) if exit::is_closed_pipe(&error) => return Err(error),
            Err(error) if failed.is_none() => failed = Some((name, error)),
            Err(error) => output::note(&format!("{name}: {error:#}")),
        }
    }

    match (code, failed) {
        (Some(code), Some((name, error))) => {
            output::note(&format!("{name}: {error:#}"));
            Ok(code)
        }
        (Some(code), None) => Ok(code),
        (None, Some((_, error))) => Err(error),
        (None, None) => Ok(ExitCode::SUCCESS),
    }
}

/// Runs a command, and again if the index was damaged and could be rebuilt.
fn run_in(root: &Root, command: Command) -> anyhow::Result<ExitCode> {
    let is_damage = |done: &anyhow::Result<ExitCode>| done.as_ref().is_err_and(exit::is_damage);
    let asked_again = || dispatch(root, Cli::of_process()?.command);
    let mut done = dispatch(root, command);

    // An index that was replaced during the query looks damaged; run the query again first.
    if is_damage(&done) {
        done = asked_again();
    }
    if is_damage(&done) {
        output::note("the index is damaged and is being rebuilt");
        index::rebuild(root)?;
        done = asked_again();
    }
    done
}

impl Command {
    /// Reports whether the command is about all repositories, whatever the root is.
    fn is_about_all(&self) -> bool {
        matches!(self, Self::Status(arguments) if arguments.is_about_all())
    }

    /// Reports whether the command answers for several repositories.
    fn takes_several_roots(&self) -> bool {
        matches!(
            self,
            Self::Index(_)
                | Self::Status(_)
                | Self::Explore(_)
                | Self::Impact(_)
                | Self::Path(_)
                | Self::Overview(_)
                | Self::Text(_)
                | Self::Changes(_)
                | Self::Search(_)
                | Self::Lookup(_)
                | Self::Symbol(_)
                | Self::Declarations(_)
                | Self::Outline(_)
                | Self::Callers(_)
                | Self::Callees(_)
                | Self::Implementations(_)
                | Self::References(_)
                | Self::Dependencies(_)
                | Self::Dependents(_)
                | Self::Packages(_)
                | Self::Mcp(_)
        )
    }
}

fn dispatch(root: &Root, command: Command) -> anyhow::Result<ExitCode> {
    tracing::info!(?command, "called");

    match command {
        Command::Index(arguments) => return index::run(root, &arguments),
        Command::Status(arguments) => status::run(root, &arguments),
        Command::Explore(arguments) => text_answer::run(root, &arguments, |index, text| {
            let query = ExploreQuery {
                text,
                section: arguments.section(),
                face: Face::Commands,
            };
            answers::explore(index, &query)
        }),
        Command::Impact(arguments) => graph::impact(root, &arguments),
        Command::Path(arguments) => graph::path(root, &arguments),
        Command::Overview(arguments) => graph::overview(root, &arguments),
        Command::Text(arguments) => text::run(root, &arguments),
        Command::Changes(arguments) => changes::run(root, &arguments),
        Command::Affected(arguments) => changes::affected(root, &arguments),
        Command::Search(arguments) => search::run(root, &arguments),
        Command::Lookup(arguments) => lookup::run(root, &arguments),
        Command::Symbol(arguments) => symbol::run(root, &arguments),
        Command::Declarations(arguments) => declarations::run(root, &arguments),
        Command::Outline(arguments) => outline::run(root, &arguments),

        Command::Callers(arguments) => related::run_callers(root, &arguments),
        Command::Callees(arguments) => {
            related::run::<NeighborRow>(root, Relation::CALLEES, &arguments)
        }
        Command::Implementations(arguments) => related::run_implementations(root, &arguments),
        Command::References(arguments) => {
            related::run::<UseRow>(root, Relation::REFERENCES, &arguments)
        }
        Command::Dependencies(arguments) => {
            related::run_typed(root, EdgeDirection::Outgoing, &arguments)
        }
        Command::Dependents(arguments) => {
            related::run_typed(root, EdgeDirection::Incoming, &arguments)
        }

        Command::Packages(arguments) => packages::run(root, &arguments),
        Command::Export(arguments) => export::run(root, &arguments),
        Command::Import(arguments) => import::run(root, &arguments),
        Command::Debug(arguments) => debug::run(root, &arguments),
        Command::Watch(arguments) => return watch::run(root, &arguments),
        Command::Daemon(arguments) => daemon::run(root, &arguments),
        Command::Mcp(arguments) => return mcp::run(std::slice::from_ref(root), arguments),
        Command::Lsp(arguments) => return lsp::run(root, arguments),
        Command::Report(arguments) => report_html::run(root, &arguments),
        Command::View(arguments) => return view::run(root, &arguments),
        Command::Snapshot(arguments) => snapshot::run(root, &arguments),
        Command::Clean(arguments) => clean::run(root, &arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Model(arguments) => model::run(root, &arguments),
        Command::Install(arguments) => install::install(root, &arguments),
        Command::Uninstall(arguments) => install::uninstall(root, &arguments),
        Command::Hook => hook::run(root),
        Command::Doctor(arguments) => return doctor::run(root, &arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
        Command::Version => output::lines([format!("codeagent {}", env!("CARGO_PKG_VERSION"))]),
    }?;

    Ok(ExitCode::SUCCESS)
}
