//! Bounds memory for a client that does not read its answers.
//!
//! When `UNANSWERED` requests wait for their answers to be written, the server stops reading from
//! the client until it has read one. Every request that was read is answered.
//!
//! Limitations: messages that the client sends meanwhile, including cancellations, are read only
//! after an answer was written.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum requests without a written answer. Each answer may hold some megabytes.
const UNANSWERED: usize = 16;

/// A transport that stops reading while too many requests are unanswered.
pub struct BoundedSender<T> {
    inner: T,
    places: Arc<Semaphore>,
    taken: Arc<Mutex<HashMap<RequestId, OwnedSemaphorePermit>>>,
}

impl<T> BoundedSender<T> {
    /// Wraps `inner`, whose `receive` must be cancel-safe.
    pub fn new(inner: T) -> Self {
        Self {
            inner,
            places: Arc::new(Semaphore::new(UNANSWERED)),
            taken: Arc::default(),
        }
    }

    fn taken(&self) -> std::sync::MutexGuard<'_, HashMap<RequestId, OwnedSemaphorePermit>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for BoundedSender<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let place = match &message {
            JsonRpcMessage::Response(response) => self.taken().remove(&response.id),
            JsonRpcMessage::Error(error) => {
                error.id.as_ref().and_then(|id| self.taken().remove(id))
            }
            _ => None,
        };

        let sent = self.inner.send(message);
        async move {
            let result = sent.await;
            drop(place);
            result
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let message = self.inner.receive().await?;
        match &message {
            JsonRpcMessage::Request(request) => {
                drop(self.taken().insert(request.id.clone(), place))
            }
            JsonRpcMessage::Notification(notification) => {
                // A cancelled request is not answered.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.taken().remove(id);
                }
            }
            _ => {}
        }

        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rmcp::ErrorData;
    use tokio::io::AsyncWriteExt;

    use super::*;
    use crate::transport::Lines;

    #[tokio::test]
    async fn reading_stops_at_the_limit_of_unanswered_requests() {
        let (mut client_in, server_in) = tokio::io::duplex(1 << 20);
        let (server_out, _client_out) = tokio::io::duplex(1 << 20);
        let mut lines = BoundedSender::new(Lines::new(server_in, server_out));
        let requests: String = (0..100)
            .map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"))
            .collect();

        client_in.write_all(requests.as_bytes()).await.unwrap();
        let moment = Duration::from_millis(50);
        for _ in 0..UNANSWERED {
            assert!(
                tokio::time::timeout(moment, lines.receive())
                    .await
                    .unwrap()
                    .is_some()
            );
        }

        assert!(
            tokio::time::timeout(moment, lines.receive()).await.is_err(),
            "nobody has read an answer"
        );
        let answer = TxJsonRpcMessage::<RoleServer>::error(
            ErrorData::invalid_request("", None),
            Some(RequestId::Number(3)),
        );
        lines.send(answer).await.unwrap();
        assert!(
            tokio::time::timeout(moment, lines.receive())
                .await
                .unwrap()
                .is_some()
        );
        assert!(tokio::time::timeout(moment, lines.receive()).await.is_err());
    }
}
