//! Progress of indexes that are being built, in clients that can show it.
//!
//! A thread per folder asks the client for a progress display (`window/workDoneProgress/create`)
//! and reports until the index can be read. An index that is only opened is not worth a display.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use codeagent_core::Canceller;
use codeagent_core::service::Unavailable;
use codeagent_render::building_text;
use crossbeam_channel::Sender;
use lsp_server::{Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::transport::Outgoing;

/// Interval of reports.
const INTERVAL: Duration = Duration::from_millis(200);

/// Maximum time for which a client may think about a display.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows the progress of folders. Clones share their requests.
#[derive(Clone)]
pub struct Reporter {
    out: Sender<Outgoing>,
    /// Where the answers to requests for a display go.
    waiting: Arc<Mutex<Waiting>>,
    /// Cancelled when the session ends.
    stopping: Canceller,
}

#[derive(Default)]
struct Waiting {
    last: u32,
    answers: HashMap<RequestId, Sender<bool>>,
}

impl Reporter {
    pub fn new(out: Sender<Outgoing>, stopping: Canceller) -> Self {
        Self {
            out,
            waiting: Arc::default(),
            stopping,
        }
    }

    /// Shows the progress of a folder's index until it can be read.
    pub fn watch(&self, folder: &Arc<Folder>) -> io::Result<()> {
        let (reporter, folder) = (self.clone(), Arc::downgrade(folder));
        std::thread::Builder::new()
            .name("codeagent-lsp-progress".to_owned())
            .spawn(move || reporter.follow(&folder))?;
        Ok(())
    }

    /// Takes the client's answer to a request for a display.
    pub fn answered(&self, response: &Response) {
        let waiting = self.lock().answers.remove(&response.id);
        if let Some(waiting) = waiting {
            waiting.send(response.error.is_none()).ok();
        }
    }

    /// Stops waiting for the client, because the session ends.
    pub fn stop(&self) {
        self.lock().answers.clear();
    }

    fn follow(&self, folder: &Weak<Folder>) {
        let Some(building) = self.next(folder, |text| text.is_some()) else {
            return;
        };
        let Some(token) = self.create() else { return };

        self.send(&token, &begin(folder, &building));
        let mut shown = building;
        while let Some(text) = self.next(folder, |text| text != Some(&shown)) {
            self.send(&token, &json!({ "kind": "report", "message": text }));
            shown = text;
        }
        self.send(&token, &json!({ "kind": "end" }));
    }

    /// Waits until the text of a building index is as wanted, and returns it; `None` once the index
    /// can be read, cannot be built, or the session ends.
    fn next(
        &self,
        folder: &Weak<Folder>,
        is_wanted: impl Fn(Option<&String>) -> bool,
    ) -> Option<String> {
        while !self.stopping.is_cancelled() {
            let text = match folder.upgrade()?.unavailable()? {
                Unavailable::Closed | Unavailable::Opening => None,
                Unavailable::Building(progress) => Some(building_text(progress)),
                Unavailable::Rebuilding => Some("rebuilding".to_owned()),
                Unavailable::BuiltElsewhere => Some("in another process".to_owned()),
                Unavailable::WrittenElsewhere | Unavailable::Failed(_) => return None,
            };
            if is_wanted(text.as_ref())
                && let Some(text) = text
            {
                return Some(text);
            }
            std::thread::sleep(INTERVAL);
        }

        None
    }

    /// Asks the client for a display and returns its token, unless the client refuses.
    fn create(&self) -> Option<String> {
        let (sender, answer) = crossbeam_channel::bounded(1);
        let (id, token) = {
            let mut waiting = self.lock();
            waiting.last += 1;
            let token = format!("codeagent/indexing/{}", waiting.last);
            let id = RequestId::from(token.clone());
            waiting.answers.insert(id.clone(), sender);
            (id, token)
        };

        let method = "window/workDoneProgress/create".to_owned();
        let request = Request::new(id.clone(), method, json!({ "token": token }));
        self.out.send(request.into()).ok()?;
        let is_accepted = answer.recv_timeout(PATIENCE).unwrap_or(false);
        self.lock().answers.remove(&id);
        is_accepted.then_some(token)
    }

    fn send(&self, token: &str, value: &Value) {
        let params = json!({ "token": token, "value": value });
        let note = Notification::new("$/progress".to_owned(), params);
        // Without a writer, the client is gone.
        self.out.send(note.into()).ok();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Every change is one call, so the map is consistent even after a panic.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn begin(folder: &Weak<Folder>, message: &str) -> Value {
    let name = folder.upgrade().and_then(|folder| {
        let name = folder.root().file_name()?;
        Some(name.to_string_lossy().into_owned())
    });
    let title = format!("Indexing {}", name.unwrap_or_default());
    json!({ "kind": "begin", "title": title.trim_end(), "message": message, "cancellable": false })
}
