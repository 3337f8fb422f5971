//! A handle that opens an embedding model on first use. The model can be closed while unused.
//!
//! Limitations: a failure to open is remembered, so a running process does not notice a model that
//! is installed or repaired later.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::embed::{EmbedError, Embedder};

/// The result of opening: `None` if no model is installed.
pub type Opened = Result<Option<Arc<dyn Embedder>>, EmbedError>;

/// A model that is opened on first use; cheap to clone. The default has no model.
#[derive(Clone, Default)]
pub struct ModelHandle(Option<Arc<Lazy>>);

struct Lazy {
    open: Box<dyn Fn() -> Opened + Send + Sync>,
    opened: Mutex<Option<Opened>>,
}

impl ModelHandle {
    /// Creates a handle that calls `open` on first use.
    pub fn new(open: impl Fn() -> Opened + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Lazy {
            open: Box::new(open),
            opened: Mutex::new(None),
        })))
    }

    /// Returns the model, opening it if needed.
    pub fn model(&self) -> Opened {
        let Some(lazy) = &self.0 else { return Ok(None) };
        // Holding the lock makes concurrent callers wait for the same model.
        lazy.opened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| (lazy.open)())
            .clone()
    }

    /// Closes an open model; the next use opens it again.
    pub fn close(&self) {
        if let Some(lazy) = &self.0 {
            lazy.opened
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take_if(|opened| matches!(opened, Ok(Some(_))));
        }
    }

    /// Reports whether opening is known to have failed.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        // If another thread is opening the model, the outcome is not known yet.
        self.0.as_ref().is_some_and(|lazy| {
            lazy.opened
                .try_lock()
                .is_ok_and(|opened| matches!(&*opened, Some(Err(_))))
        })
    }

    /// Reports whether there is no model to open.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Debug for ModelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_none() {
            "no model"
        } else {
            "a model"
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::embed::HashingEmbedder;

    fn counted(answer: fn() -> Opened) -> (ModelHandle, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let own = Arc::clone(&count);
        let source = ModelHandle::new(move || {
            own.fetch_add(1, Ordering::Relaxed);
            answer()
        });
        (source, count)
    }

    #[test]
    fn a_model_is_opened_on_first_use_and_reopened_after_closing() {
        let (source, count) = counted(|| Ok(Some(Arc::new(HashingEmbedder))));
        let other = source.clone();
        assert_eq!(count.load(Ordering::Relaxed), 0);
        assert!(source.model().unwrap().is_some() && other.model().unwrap().is_some());
        assert_eq!(count.load(Ordering::Relaxed), 1);
        other.close();
        assert!(source.model().unwrap().is_some());
        assert_eq!(count.load(Ordering::Relaxed), 2);
        assert!(ModelHandle::default().model().unwrap().is_none());
    }

    #[test]
    fn a_model_that_failed_to_open_is_not_tried_again() {
        let (source, count) = counted(|| Err(EmbedError::Unavailable("too old".to_owned())));
        assert!(
            source
                .model()
                .is_err_and(|error| error.to_string() == "too old")
        );
        source.close();
        assert!(
            source.model().is_err() && source.is_broken() && !ModelHandle::default().is_broken()
        );
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
