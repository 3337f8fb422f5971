//! The base protocol: headers, a length and a JSON message.
//!
//! The reader survives malformed input. A message that is not JSON, or no JSON-RPC message, is
//! reported and skipped; lines that are no headers are skipped until a length is found.
//!
//! Limitations: a wrong length shifts the messages after it, until headers are found again.

use std::io::{self, BufRead, Read, Write};

use crossbeam_channel::{Receiver, Sender};
use lsp_server::{Message, RequestId};

/// Maximum length of a message, in bytes.
const LONGEST: usize = 256 << 20;

/// Maximum length of a header line, in bytes.
const LONGEST_HEADER: u64 = 64 << 10;

/// A message, or why the input was none.
#[derive(Debug)]
pub enum Received {
    /// A well-formed message.
    Message(Message),
    /// The message was not JSON, or not a message. If it has an id, its sender waits for a response.
    Malformed {
        /// The id, if it can be read.
        id: Option<RequestId>,
        /// What is wrong.
        problem: String,
    },
}

/// Reads messages until the input ends or nobody receives them.
pub fn read_messages(mut input: impl BufRead, messages: &Sender<Received>) -> io::Result<()> {
    while let Some(length) = read_headers(&mut input)? {
        if length > LONGEST {
            // The message is skipped without keeping it.
            io::copy(&mut (&mut input).take(length as u64), &mut io::sink())?;
            let problem = format!("a message of {length} bytes is too long");
            let malformed = Received::Malformed { id: None, problem };
            if messages.send(malformed).is_err() {
                return Ok(());
            }
            continue;
        }

        let mut content = Vec::new();
        (&mut input).take(length as u64).read_to_end(&mut content)?;
        if content.len() < length {
            return Ok(());
        }
        if messages.send(parse(&content)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn parse(content: &[u8]) -> Received {
    let malformed = |problem| Received::Malformed {
        id: request_id(content),
        problem,
    };
    match serde_json::from_slice(content) {
        // What looks like a response may be a request with a wrong method.
        Ok(Message::Response(_)) if !is_response(content) => {
            malformed("the message is neither a request nor a notification".to_owned())
        }
        Ok(message) => Received::Message(message),
        Err(error) => malformed(error.to_string()),
    }
}

/// Reports whether a message is an object without a method; a list of three values reads as a
/// response too.
fn is_response(content: &[u8]) -> bool {
    let message: Option<serde_json::Value> = serde_json::from_slice(content).ok();
    message.is_some_and(|message| message.is_object() && message.get("method").is_none())
}

/// Returns the id of a malformed request, whose sender waits for a response.
fn request_id(content: &[u8]) -> Option<RequestId> {
    let mut message: serde_json::Value = serde_json::from_slice(content).ok()?;
    message.get("method")?;
    serde_json::from_value(message.get_mut("id")?.take()).ok()
}

/// Returns the length that the next headers state; `None` at the end of the input.
fn read_headers(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let read = input
            .by_ref()
            .take(LONGEST_HEADER)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }

        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            if length.is_some() {
                return Ok(length);
            }
            continue;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// A message of the server.
#[derive(Debug)]
pub enum Outgoing {
    Message(Message),
    /// A response with a result.
    Result {
        id: RequestId,
        /// The result as JSON text. A tree of values would take longer to make than the result.
        json: String,
    },
}

impl<T: Into<Message>> From<T> for Outgoing {
    fn from(message: T) -> Self {
        Self::Message(message.into())
    }
}

/// Writes messages until the last sender is gone.
pub fn write_messages(mut output: impl Write, messages: &Receiver<Outgoing>) -> io::Result<()> {
    for message in messages {
        match message {
            Outgoing::Message(message) => message.write(&mut output)?,
            Outgoing::Result { id, json } => write_result(&mut output, &id, &json)?,
        }
    }
    output.flush()
}

fn write_result(mut output: impl Write, id: &RequestId, json: &str) -> io::Result<()> {
    let id = serde_json::to_string(id)?;
    let content = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{json}}}"#);
    write!(output, "Content-Length: {}\r\n\r\n", content.len())?;
    output.write_all(content.as_bytes())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<String> {
        let (sender, receiver) = crossbeam_channel::unbounded();
        read_messages(input, &sender).unwrap();
        drop(sender);
        let name = |received| match received {
            Received::Message(Message::Notification(note)) => note.method,
            Received::Message(_) => "other".to_owned(),
            Received::Malformed { id, .. } => match id {
                Some(id) => format!("malformed {id}"),
                None => "malformed".to_owned(),
            },
        };
        receiver.iter().map(name).collect()
    }

    fn framed(content: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{content}", content.len())
    }

    #[test]
    fn malformed_messages_are_reported_and_the_next_one_is_read() {
        let input = [
            framed("{"),
            framed("[1]"),
            framed(r#"{"id":7,"method":3}"#),
            framed(r#"{"id":8,"result":null}"#),
            "nonsense\r\n\r\nX: y\r\n\r\n".to_owned(),
            "Content-Length: many\r\n\r\n".to_owned(),
            format!("content-length:{}\n\n{}", 18, r#"{"method":"first"}"#),
            format!("Content-Type: x\r\n{}", framed(r#"{"method":"next"}"#)),
        ];

        assert_eq!(
            read(input.concat().as_bytes()),
            [
                "malformed",
                "malformed",
                "malformed 7",
                "other",
                "first",
                "next"
            ]
        );
    }

    #[test]
    fn a_truncated_message_ends_the_input() {
        assert!(read(b"Content-Length: 99\r\n\r\n{}").is_empty());
        assert!(read(b"Content-Length: 99999999999\r\n\r\n{}").len() <= 1);
        assert!(read(b"Content-Length: 2").is_empty());
    }
}
