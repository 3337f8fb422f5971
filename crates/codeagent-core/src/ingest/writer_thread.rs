//! The writer thread: owns the [`Writer`] and takes commands through a bounded channel.
//!
//! Limitations: a full channel blocks the sender, which slows producers down to the speed of the
//! disk.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use codeagent_workspace::Guard;
use cpu_time::ThreadTime;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use crate::ingest::IngestError;
use crate::store::{Delta, FactsKey, Interrupter, NodeVector, StoreError, WriteReport, Writer};

const QUEUE: usize = 16;

/// Interval at which a waiting caller checks for cancellation.
const WAITING: Duration = Duration::from_millis(50);

/// Time without commands after which the write-ahead log is copied into the database.
const CALM: Duration = Duration::from_secs(1);

/// Interval at which a cancelled writer is interrupted.
const STOPPING: Duration = Duration::from_millis(1);

/// Packed facts with their keys.
pub type PackedFacts = Vec<(FactsKey, Vec<u8>)>;

enum WriteCommand {
    Facts(PackedFacts),
    Apply(Box<Delta>, Sender<Result<CommitResult, StoreError>>),
    /// Vectors of the named model.
    Vectors(String, Vec<NodeVector>, Sender<Result<(), StoreError>>),
    CollectVectors(String, Sender<Result<(), StoreError>>),
    Checkpoint(Sender<Result<(), StoreError>>),
}

/// The result of writing a delta.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommitResult {
    /// The changed counts.
    pub applied: WriteReport,
    /// Processor time of the writer since the last batch.
    pub cpu: Duration,
}

/// Reports whether a writer thread runs, even while it is busy.
#[derive(Clone, Debug)]
pub struct WriterLiveness(Weak<()>);

impl WriterLiveness {
    /// Reports whether the thread still takes commands.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// Handle of the writer thread. Dropping it drains the queue and closes the database.
pub struct WriterThread {
    outbox: Option<Sender<WriteCommand>>,
    interrupter: Interrupter,
    guard: Arc<Guard>,
    liveness: WriterLiveness,
    thread: Option<JoinHandle<()>>,
}

impl WriterThread {
    /// Opens the database for writing and starts the thread.
    pub fn start(path: &Path) -> Result<Self, StoreError> {
        let writer = Writer::open(path)?;
        let interrupter = writer.interrupter();
        let guard = Arc::new(Guard::new(path));
        let own = Arc::clone(&guard);
        let (outbox, inbox) = bounded(QUEUE);
        let alive = Arc::new(());
        let liveness = WriterLiveness(Arc::downgrade(&alive));
        let work = move || {
            // Dropped however the thread ends.
            let _alive = alive;
            run(writer, &inbox, &own);
        };

        let thread = std::thread::Builder::new()
            .name("codeagent-writer".to_owned())
            .spawn(work);
        let thread = thread.map_err(|error| StoreError::Thread(error.to_string()))?;

        Ok(Self {
            outbox: Some(outbox),
            interrupter,
            guard,
            liveness,
            thread: Some(thread),
        })
    }

    /// Returns the guard that detects other writers of the database.
    #[must_use]
    pub fn guard(&self) -> Arc<Guard> {
        Arc::clone(&self.guard)
    }

    /// Returns a handle that reports whether the thread runs.
    #[must_use]
    pub fn liveness(&self) -> WriterLiveness {
        self.liveness.clone()
    }

    /// Stores facts. The next [`Self::apply`] reports an error.
    pub fn put_facts(&self, packed: PackedFacts) -> Result<(), IngestError> {
        self.send(WriteCommand::Facts(packed))
    }

    /// Writes a delta and waits for it. If `cancel` is set meanwhile, it is rolled back.
    pub fn apply(&self, delta: Delta, cancel: &AtomicBool) -> Result<CommitResult, IngestError> {
        let (reply, answer) = bounded(1);
        self.send(WriteCommand::Apply(Box::new(delta), reply))?;
        loop {
            let is_cancelled = cancel.load(Ordering::Relaxed);
            match answer.recv_timeout(if is_cancelled { STOPPING } else { WAITING }) {
                Ok(Err(_)) if is_cancelled => return Err(IngestError::Interrupted),
                Ok(result) => return Ok(result?),
                Err(RecvTimeoutError::Disconnected) => return Err(IngestError::WriterGone),
                // Repeated, because the writer may be between two statements.
                Err(RecvTimeoutError::Timeout) if is_cancelled => self.interrupter.interrupt(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Writes vectors of a model and waits for it. Vectors of other models are deleted.
    pub fn put_vectors(&self, model: &str, vectors: Vec<NodeVector>) -> Result<(), IngestError> {
        self.wait_for(|reply| WriteCommand::Vectors(model.to_owned(), vectors, reply))
    }

    /// Removes the vectors of texts that no symbol has.
    pub fn collect_vectors(&self, model: &str) -> Result<(), IngestError> {
        self.wait_for(|reply| WriteCommand::CollectVectors(model.to_owned(), reply))
    }

    /// Moves the log into the database file and waits for it.
    pub fn checkpoint(&self) -> Result<(), IngestError> {
        self.wait_for(WriteCommand::Checkpoint)
    }

    fn wait_for(
        &self,
        command: impl FnOnce(Sender<Result<(), StoreError>>) -> WriteCommand,
    ) -> Result<(), IngestError> {
        let (reply, answer) = bounded(1);
        self.send(command(reply))?;
        Ok(answer.recv().map_err(|_| IngestError::WriterGone)??)
    }

    fn send(&self, command: WriteCommand) -> Result<(), IngestError> {
        let outbox = self.outbox.as_ref().ok_or(IngestError::WriterGone)?;
        outbox.send(command).map_err(|_| IngestError::WriterGone)
    }
}

impl Drop for WriterThread {
    fn drop(&mut self) {
        drop(self.outbox.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer thread panicked");
        }
    }
}

fn run(mut writer: Writer, inbox: &Receiver<WriteCommand>, guard: &Guard) {
    let mut failed: Option<StoreError> = None;
    let mut since = ThreadTime::now();
    while let Some(command) = next(&mut writer, inbox, guard) {
        match command {
            WriteCommand::Facts(packed) => {
                if failed.is_none() {
                    failed = guard.while_writing(|| writer.put_facts(&packed)).err();
                }
            }
            WriteCommand::Apply(delta, reply) => {
                let result = failed
                    .take()
                    .map_or_else(|| guard.while_writing(|| writer.apply(*delta)), Err);
                let written = result.map(|applied| CommitResult {
                    applied,
                    cpu: since.elapsed(),
                });
                since = ThreadTime::now();
                answer(&reply, written);
            }
            WriteCommand::Vectors(model, vectors, reply) => {
                answer(
                    &reply,
                    guard.while_writing(|| writer.put_vectors(&model, &vectors)),
                );
            }
            WriteCommand::CollectVectors(model, reply) => answer(
                &reply,
                guard.while_writing(|| writer.collect_vectors(&model)),
            ),
            WriteCommand::Checkpoint(reply) => {
                answer(&reply, guard.while_writing(|| writer.checkpoint()))
            }
        }
    }

    guard.while_writing(|| {
        if let Err(error) = writer.checkpoint() {
            tracing::warn!(%error, "the log could not be moved into the database");
        }
        // Closing the database may write too.
        drop(writer);
    });
}

/// Returns the next command. After an idle second, copies the write-ahead log into the database:
/// the log's index has no checksums, so damage to it could hide the log's contents.
fn next(
    writer: &mut Writer,
    inbox: &Receiver<WriteCommand>,
    guard: &Guard,
) -> Option<WriteCommand> {
    match inbox.recv_timeout(CALM) {
        Ok(command) => return Some(command),
        Err(RecvTimeoutError::Disconnected) => return None,
        Err(RecvTimeoutError::Timeout) => {}
    }
    if let Err(error) = guard.while_writing(|| writer.copy_log()) {
        tracing::debug!(%error, "the log could not be copied into the database");
    }
    inbox.recv().ok()
}

fn answer<T>(reply: &Sender<T>, value: T) {
    if reply.send(value).is_err() {
        tracing::debug!("the caller no longer waits for the writer");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn liveness_ends_with_the_writer_thread() {
        let folder = tempfile::tempdir().unwrap();
        let writer = WriterThread::start(&folder.path().join("index.db")).unwrap();
        let liveness = writer.liveness();
        assert!(liveness.is_alive());
        drop(writer);
        assert!(!liveness.is_alive());
    }
}
