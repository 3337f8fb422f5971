//! The protocol over lines: one message per line of input or output, and nothing else.
//!
//! Malformed input is answered as JSON-RPC requires, so that no client waits in vain: `-32700` for
//! text that is not JSON, `-32600` for JSON that is not a message and for a line that is too long.
//! Unknown notifications and responses to nothing are ignored.
//!
//! Limitations: of a line of more than 16 MiB only the `id` is kept. Errors are dropped if the
//! client does not read them.

use std::future::Future;
use std::io;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::RequestId;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::request_id::RequestIdScanner;

/// Maximum length of a line.
const MAX_LINE: usize = 16 << 20;
/// A buffer larger than this is freed after its line.
const KEPT_BUFFER: usize = 1 << 20;
/// Maximum lines waiting to be written.
const QUEUE: usize = 64;
/// Time limit for pending writes when closing.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A message from a client.
pub type Incoming = RxJsonRpcMessage<RoleServer>;
/// A message from the server.
pub type Outgoing = TxJsonRpcMessage<RoleServer>;

/// A transport of messages as lines.
pub struct Lines<R> {
    input: BufReader<R>,
    /// The current line, as far as it was read.
    line: Vec<u8>,
    /// Set while the current line is too long: it is skipped, except for its `id`.
    too_long: Option<RequestIdScanner>,
    /// `None` once closed.
    output: Option<mpsc::Sender<Line>>,
    writer: Option<JoinHandle<()>>,
}

/// A line to write, and the signal that it was written.
struct Line {
    bytes: Vec<u8>,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// The result of reading a line.
enum Read {
    /// `line` holds a line.
    Line,
    /// An oversized line, and its `id`.
    TooLong(Option<RequestId>),
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Creates a transport over two streams; must be called within a runtime.
    pub fn new(input: R, output: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (sender, queue) = mpsc::channel(QUEUE);
        let writer = tokio::spawn(write_lines(output, queue));
        Self {
            input: BufReader::with_capacity(1 << 16, input),
            line: Vec::new(),
            too_long: None,
            output: Some(sender),
            writer: Some(writer),
        }
    }

    /// Reads to the end of a line. Cancel-safe: bytes already read are kept.
    async fn read(&mut self) -> io::Result<Read> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                let too_long = self
                    .too_long
                    .take()
                    .map(|seeker| Read::TooLong(seeker.id()));
                return Ok(too_long.unwrap_or(if self.line.is_empty() {
                    Read::End
                } else {
                    Read::Line
                }));
            }

            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            if self.too_long.is_none() && self.line.len() + taken > MAX_LINE {
                let mut seeker = RequestIdScanner::default();
                seeker.pass(&std::mem::take(&mut self.line));
                self.too_long = Some(seeker);
            }

            match &mut self.too_long {
                Some(seeker) => seeker.pass(&available[..taken]),
                None => self.line.extend_from_slice(&available[..taken]),
            }

            self.input.consume(taken);
            if end.is_some() {
                return Ok(self
                    .too_long
                    .take()
                    .map_or(Read::Line, |seeker| Read::TooLong(seeker.id())));
            }
        }
    }

    /// Takes the message from the line, if it is one.
    fn take_message(&mut self) -> Option<Incoming> {
        let parsed = parse(&self.line);
        self.line.clear();
        self.line.shrink_to(KEPT_BUFFER);
        parsed.unwrap_or_else(|refusal| {
            let (error, id) = *refusal;
            self.refuse(error, id);
            None
        })
    }

    fn refuse(&self, error: ErrorData, id: Option<RequestId>) {
        let message = Outgoing::error(error, id);
        if let (Some(output), Ok(bytes)) = (&self.output, to_line(&message)) {
            // Dropped if the queue is full: the client does not read.
            output
                .try_send(Line {
                    bytes,
                    written: None,
                })
                .ok();
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(&mut self, message: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let hung_up = || io::Error::from(io::ErrorKind::BrokenPipe);
            let (written, done) = oneshot::channel();
            let line = Line {
                bytes: to_line(&message)?,
                written: Some(written),
            };
            output
                .ok_or_else(hung_up)?
                .send(line)
                .await
                .map_err(|_| hung_up())?;
            done.await.map_err(|_| hung_up())?
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        let output = self.output.clone()?;
        loop {
            let read = tokio::select! {
                // The client no longer reads, so answers cannot be delivered.
                () = output.closed() => return None,
                read = self.read() => read,
            };

            match read {
                Ok(Read::Line) => {
                    if let Some(message) = self.take_message() {
                        return Some(message);
                    }
                }
                Ok(Read::TooLong(id)) => {
                    let reason = format!("message of more than {} MiB not read", MAX_LINE >> 20);
                    self.refuse(ErrorData::invalid_request(reason, None), id);
                }
                Ok(Read::End) => return None,
                Err(error) => {
                    tracing::warn!(%error, "cannot read the input");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output = None;
        if let Some(writer) = self.writer.take() {
            // Pending lines are still written, but a client that does not read must not block the
            // server.
            tokio::time::timeout(TIMEOUT, writer).await.ok();
        }
        Ok(())
    }
}

/// Writes lines one after the other until the queue is closed or the client disconnects.
async fn write_lines(mut output: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Line>) {
    while let Some(Line { bytes, written }) = queue.recv().await {
        let result = write_line(&mut output, &bytes).await;
        let failed = result.is_err();
        if let Some(written) = written {
            written.send(result).ok();
        }
        if failed {
            return;
        }
    }
}

async fn write_line(output: &mut (impl AsyncWrite + Unpin), line: &[u8]) -> io::Result<()> {
    output.write_all(line).await?;
    output.flush().await
}

fn to_line(message: &Outgoing) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Why a line is not a message, and its `id`, if any.
pub type Refusal = Box<(ErrorData, Option<RequestId>)>;

fn refusal(error: ErrorData, id: Option<RequestId>) -> Refusal {
    Box::new((error, id))
}

/// Parses the message in a line or in the body of a request; returns `None` if it needs no answer.
pub fn parse(line: &[u8]) -> Result<Option<Incoming>, Refusal> {
    let line = line
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(line)
        .trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }

    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return Err(unreadable(line, &error)),
    };

    let is_answer = value.get("method").is_none()
        && (value.get("result").is_some() || value.get("error").is_some());
    let is_notification =
        value["jsonrpc"] == "2.0" && value["method"].is_string() && value.get("id").is_none();
    if is_answer || is_notification {
        return Ok(None);
    }

    let reason = if value.is_array() {
        "batches are not supported; send one message per line"
    } else {
        "invalid message: send an object with `jsonrpc`: \"2.0\", `method` and, for a request, an \
         `id` that is a string or a whole number"
    };
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value(id.clone()).ok());
    Err(refusal(ErrorData::invalid_request(reason, None), id))
}

/// Returns the error for text that is not JSON. Strings with half a surrogate pair are skipped, so
/// that the `id` next to them is found.
fn unreadable(line: &[u8], error: &serde_json::Error) -> Refusal {
    #[derive(Deserialize)]
    struct Envelope {
        id: RequestId,
    }

    match serde_json::from_slice::<Envelope>(line) {
        Ok(Envelope { id }) => refusal(
            ErrorData::parse_error(
                format!("the message contains text that is not Unicode: {error}"),
                None,
            ),
            Some(id),
        ),
        Err(_) => refusal(
            ErrorData::parse_error(format!("the message is not valid JSON: {error}"), None),
            None,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::io::{AsyncReadExt, DuplexStream};

    fn shown(line: &[u8]) -> String {
        match parse(line) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(message)) => match message {
                Incoming::Request(request) => format!("request {}", request.id),
                _ => "message".to_owned(),
            },
            Err(refusal) => format!(
                "{} {}",
                refusal.0.code.0,
                refusal
                    .1
                    .map_or_else(|| "-".to_owned(), |id| id.to_string())
            ),
        }
    }

    #[test]
    fn every_line_is_accepted_refused_or_ignored() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1"),
            (
                "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\r\n",
                "request a",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                "message",
            ),
            (" \r\n", "nothing"),
            (r#"{"result":{}}"#, "nothing"),
            ("hello", "-32700 -"),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x","arguments":{"path":"\ud800"}}}"#,
                "-32700 4",
            ),
            (
                r#"{"method":"\udfff","params":{"\ud800":1},"id":"z"}"#,
                "-32700 z",
            ),
            (r#"{"method":"\udfff","params":{}}"#, "-32700 -"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, "-32700 -"),
            (&"[".repeat(100_000), "-32700 -"),
            (r#"{"jsonrpc":"2.0","id":7}"#, "-32600 7"),
            (r#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#, "-32600 x"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600 -"),
            ("[]", "-32600 -"),
            ("3", "-32600 -"),
        ] {
            assert_eq!(
                shown(line.as_bytes()),
                expected,
                "{}",
                &line[..line.len().min(60)]
            );
        }

        assert_eq!(shown(b"{\"id\":\"\xff\"}"), "-32700 -");
    }

    fn lines() -> (Lines<DuplexStream>, DuplexStream, DuplexStream) {
        let (client_in, server_in) = tokio::io::duplex(1 << 16);
        let (server_out, client_out) = tokio::io::duplex(1 << 16);
        (Lines::new(server_in, server_out), client_in, client_out)
    }

    #[tokio::test]
    async fn an_oversized_line_is_refused_and_the_next_one_is_read() {
        let (mut lines, mut client_in, mut client_out) = lines();
        let sender = tokio::spawn(async move {
            client_in
                .write_all(&vec![b'x'; MAX_LINE + 1])
                .await
                .unwrap();
            client_in
                .write_all(b"\n{\"params\":{\"id\":1,\"text\":\"")
                .await
                .unwrap();
            client_in
                .write_all(&vec![b'x'; MAX_LINE + 1])
                .await
                .unwrap();
            client_in
                .write_all(b"\"},\"id\":17}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")
                .await
                .unwrap();
        });

        // A last line without a line feed counts too.
        assert!(
            matches!(lines.receive().await, Some(Incoming::Request(request)) if request.id == RequestId::Number(1))
        );
        assert!(lines.receive().await.is_none());
        sender.await.unwrap();
        lines.close().await.unwrap();
        drop(lines);

        let mut answer = String::new();
        client_out.read_to_string(&mut answer).await.unwrap();
        let answers: Vec<Value> = answer
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();

        let error = json!({ "code": -32600, "message": "message of more than 16 MiB not read" });
        assert_eq!(
            answers,
            [
                json!({ "jsonrpc": "2.0", "error": error }),
                json!({ "jsonrpc": "2.0", "id": 17, "error": error })
            ]
        );
    }

    #[tokio::test]
    async fn a_client_that_stops_reading_ends_the_session() {
        let (mut lines, _client_in, client_out) = lines();
        drop(client_out);
        let answer = Outgoing::error(ErrorData::invalid_request("", None), None);
        assert!(lines.send(answer).await.is_err());
        assert!(lines.receive().await.is_none());
    }
}
