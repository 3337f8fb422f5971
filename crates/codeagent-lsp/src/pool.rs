//! A few threads that answer requests.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;

use crossbeam_channel::Sender;

/// Number of threads: enough for the requests that an editor sends at once.
const THREADS: usize = 4;

/// Work for one thread.
type Job = Box<dyn FnOnce() + Send>;

/// Threads that run jobs in the order in which they are added. Finishes all jobs when dropped.
pub struct Pool {
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts the threads.
    pub fn start() -> io::Result<Self> {
        let (jobs, queue) = crossbeam_channel::unbounded::<Job>();
        let threads = (0..THREADS)
            .map(|index| {
                let queue = queue.clone();
                let run = move || {
                    for job in &queue {
                        // A job reports its own panic; the thread survives it.
                        catch_unwind(AssertUnwindSafe(job)).ok();
                    }
                };

                std::thread::Builder::new()
                    .name(format!("codeagent-lsp-{index}"))
                    .spawn(run)
            })
            .collect::<io::Result<_>>()?;

        Ok(Self {
            jobs: Some(jobs),
            threads,
        })
    }

    /// Adds a job.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        if let Some(jobs) = &self.jobs {
            // The threads outlive the sender.
            jobs.send(Box::new(job)).ok();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            thread.join().ok();
        }
    }
}
