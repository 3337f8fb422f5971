//! `codeagent explore` and the other commands that answer a question in one text, as the tools of
//! the same names do.

use anyhow::bail;
use clap::Args;
use codeagent_core::engine::IndexReader;
use codeagent_render::answers::AnswerError;
use codeagent_render::text::{DEFAULT_MAX_CHARS, Document, LARGEST_MAX_CHARS, MIN_MAX_CHARS};
use codeagent_render::{Face, staleness_text};

use crate::commands::Root;
use crate::commands::ask::Unanswered;
use crate::error::Usage;
use crate::output;
use crate::text::Line;

/// How much of an answer is printed.
#[derive(Debug, Args)]
pub struct TextArgs {
    /// Maximum length of the answer, in characters
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_CHARS as u32, value_parser = clap::value_parser!(u32).range(MIN_MAX_CHARS as i64..=LARGEST_MAX_CHARS as i64))]
    max_chars: u32,
    /// Print only this section (the last line of an answer names those that were cut)
    #[arg(long, value_name = "SECTION")]
    section: Option<String>,
}

/// Arguments of a question in words.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Names or their last segments (Cart.Total), FILE:LINE, files, folders, literals, or a
    /// sentence
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    #[command(flatten)]
    text: TextArgs,
}

impl Arguments {
    /// Returns the only section that is wanted.
    pub fn section(&self) -> Option<&str> {
        self.text.section.as_deref()
    }
}

/// Answers a question in words.
pub fn run(
    root: &Root,
    arguments: &Arguments,
    ask: impl FnOnce(&IndexReader, &str) -> Result<Document, AnswerError>,
) -> anyhow::Result<()> {
    let query = arguments.query.join(" ");
    print(root, &arguments.text, |index| ask(index, &query))
}

/// Prints the document that answers a query, or its facts as JSON.
pub fn print(
    root: &Root,
    arguments: &TextArgs,
    ask: impl FnOnce(&IndexReader) -> Result<Document, AnswerError>,
) -> anyhow::Result<()> {
    let (index, staleness) = root.up_to_date_reader()?;
    let mut document = match ask(&index) {
        Ok(document) => document,
        Err(error) => return Err(Unanswered::new(error, staleness).into()),
    };
    if !staleness.is_none() {
        document.note(staleness_text(&staleness));
    }
    show(root, arguments, document)
}

/// Prints a document, or its facts as JSON.
pub fn show(root: &Root, arguments: &TextArgs, mut document: Document) -> anyhow::Result<()> {
    if let Some(section) = &arguments.section {
        let keys: Vec<&str> = document.keys().collect();
        if !document.keep_only(section) {
            bail!(Usage(format!(
                "--section: the answer has no section {section:?}; it has {}",
                keys.join(", ")
            )));
        }
    }

    if root.json {
        return output::json(&document.json(usize::MAX));
    }

    let text = document.render_for(Face::Commands, arguments.max_chars as usize);
    output::lines(text.lines().map(line))
}

/// Colours a line of an answer: headings, files and folders, line numbers.
fn line(text: &str) -> Line {
    let body = text.trim_start_matches(' ');
    let indent = &text[..text.len() - body.len()];
    let line = Line::from(indent);
    let is_title = body.starts_with("## ") || indent.is_empty() && body.ends_with(':');

    if is_title {
        return line.bold(body);
    }

    let number = body.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
    if number.len() < body.len() && number.starts_with([' ', '…']) {
        return line
            .number(&body[..body.len() - number.len()], None)
            .text(number);
    }

    let is_folder = indent.is_empty() && body.ends_with('/') && !body.contains(' ');
    let is_file = indent.len() == 1 && body.contains('.') && !body.contains(' ');
    if is_folder || is_file {
        return line.path(body, None);
    }

    line.text(body)
}
