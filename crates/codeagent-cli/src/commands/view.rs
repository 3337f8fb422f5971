//! `codeagent view`: serves a page about the repository to a browser on this machine.

use std::process::ExitCode;

use clap::Args;
use codeagent_core::service::ServiceOptions;
use codeagent_http::stop_signal;
use codeagent_view::{ViewOptions, serve};
use codeagent_workspace::DataRoot;

use crate::commands::{Root, Threads, model};
use crate::{exit, output};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Port on 127.0.0.1 [default: any free port]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    port: u16,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    root.check()?;
    let options = ViewOptions {
        root: root.folder.clone(),
        port: arguments.port,
        service: ServiceOptions {
            home: DataRoot::default(),
            threads: arguments.threads.number(),
            model: model::source(),
            ..ServiceOptions::default()
        },
    };

    serve(options, stop_signal, |address| {
        output::lines([address]).ok();
        output::note("open this address in a browser on this machine; Ctrl-C ends the server");
    })?;

    Ok(exit::INTERRUPTED.into())
}
