//! `codeagent watch`: keeps the index up to date for every process on the repository until
//! interrupted.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use codeagent_core::IngestOptions;
use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::service::{IndexService, Role};

use crate::commands::{Root, Threads, model};
use crate::exit;
use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    threads: Threads,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    root.check()?;
    let cancel = Arc::new(AtomicBool::new(false));
    let ingest = IngestOptions {
        threads: arguments.threads.number(),
        cancel: Arc::clone(&cancel),
        in_background: true,
        ..IngestOptions::default()
    };

    let engine = Engine::open(
        &root.folder,
        EngineOptions {
            ingest,
            tolerate_config: true,
            model: model::source(),
            ..EngineOptions::default()
        },
    )?;

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let watched = engine.data().root().to_owned();
    let service = IndexService::with_engine(Arc::new(engine), Role::Watch, |_| {})?;

    output::note(&service.watch_trouble().map_or_else(
        || format!("watching {} (Ctrl-C to stop)", watched.display()),
        |trouble| format!("{trouble}: polling the files instead (Ctrl-C to stop)"),
    ));
    runtime.block_on(codeagent_mcp::serve::stop_signal())?;
    cancel.store(true, Ordering::Relaxed);
    service.stop();

    Ok(exit::INTERRUPTED.into())
}
