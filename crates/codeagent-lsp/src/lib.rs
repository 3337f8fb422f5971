//! A read-only language server over the index: `codeagent lsp`.
//!
//! Every editor that speaks the Language Server Protocol gets the answers that the tools and
//! commands give. The server is a thin layer: [`IndexService`](codeagent_core::IndexService) keeps
//! the index of each workspace folder, and queries answer the requests.
//!
//! ```text
//! input -> transport -> main loop -+-> notification: documents, folders, cancellation
//!                        (server)  +-> request: job -> pool -> output
//!                                        a view of folders and documents -> snapshot -> requests/*
//! ```
//!
//! Threads:
//!
//! * The reader parses messages (`transport`). A malformed one is answered and skipped.
//! * The main loop (`server`) applies notifications in their order and never waits for an index.
//!   It hands each request to the pool, with a `View` of the documents as they are at that moment.
//! * The pool's threads (`pool`) answer requests. Each answer reads one snapshot of the index.
//! * The writer writes responses in the order in which they are ready.
//! * While an index is being built, a thread shows the client its progress (`progress`).
//!
//! Freshness: a request waits until the index contains every change made before it (`folder`), on
//! disk and in the editor. If no open document differs from its file, it reads the repository's
//! index. Otherwise it reads an [`UnsavedIndex`](codeagent_core::service::UnsavedIndex): a private
//! copy with the documents' texts in place of the files, so that every position is right, in every
//! file. Nothing unsaved reaches the repository's index, and the server writes no file of the
//! repository.
//!
//! Locals, parameters and type parameters are not in the index; they are found in their file's text
//! (`file_text`).
//!
//! Limitations: a document that was never saved has no symbols. Installed packages are not in the
//! index, so they have no definition; neither have members of types without a name. A document
//! whose name exists only outside the workspace folders has no answers.

mod client;
mod document;
mod file_text;
mod folder;
mod pool;
mod positions;
mod progress;
mod requests;
mod server;
mod text_cache;
mod transport;
mod uri;
mod view;

pub use server::{ServeError, ServerOptions, serve, serve_stdio};
