//! Answers of the text tools stay within their budget for any question.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use codeagent_mcp::state::State;
use codeagent_mcp::tools;
use codeagent_testkit::files::copy_shop;
use codeagent_workspace::DataRoot;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value, json};

use crate::tools::support::{Peer, home};

/// Questions in all.
const QUESTIONS: usize = 1_000;

/// Fixtures that are asked beside the shop.
const FIXTURES: usize = 6;

/// A linear congruential generator: the same questions in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// What questions about a repository are made of.
#[derive(Default)]
struct Words {
    names: Vec<String>,
    paths: Vec<String>,
    folders: Vec<String>,
}

impl Words {
    fn of(root: &Path) -> Self {
        let mut words = Self::default();
        let mut open = vec![root.to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let shown = path.strip_prefix(root).unwrap().display().to_string();
                if shown.starts_with('.') {
                    continue;
                }
                if path.is_dir() {
                    words.folders.push(shown);
                    open.push(path);
                } else {
                    let text = std::fs::read_to_string(&path).unwrap_or_default();
                    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_');
                    let parts = parts.filter(|part| part.len() > 2);
                    words.names.extend(parts.map(str::to_owned));
                    words.paths.push(shown);
                }
            }
        }
        words.names.sort();
        words.names.dedup();
        words.paths.sort();
        words.folders.sort();
        words.folders.push(".".to_owned());
        words
    }

    /// A name, a place, a path, a literal, several of these, or a sentence about them.
    fn target(&self, random: &mut Random) -> String {
        let name = random.pick(&self.names).clone();
        let path = random.pick(&self.paths).clone();
        match random.below(10) {
            0 | 1 => name,
            2 => format!("{name}.{}", random.pick(&self.names)),
            3 => format!("{path}:{}", random.below(60)),
            4 => path,
            5 => random.pick(&self.folders).clone(),
            6 => format!("\"{name}\""),
            7 => format!("{name}, {path} {}", random.pick(&self.folders)),
            8 => format!(
                "{} {name} {}?",
                random.pick(&[
                    "who calls",
                    "which tests cover",
                    "what happens when",
                    "what breaks if"
                ]),
                random.pick(&["", "is changed", "and its bases", "two levels up"])
            ),
            _ => format!(
                "{name} {} {}",
                random.pick(&self.names),
                "x".repeat(random.below(300))
            ),
        }
    }

    fn arguments(&self, tool: &str, random: &mut Random) -> Map<String, Value> {
        let target = self.target(random);
        let mut arguments = match tool {
            "explore" => json!({ "query": target }),
            "get_impact" => json!({ "target": target, "depth": 1 + random.below(5) }),
            "find_path" => json!({ "from": target, "to": self.target(random) }),
            "search_text" => json!({ "pattern": target, "ignore_case": random.below(2) == 0 }),
            "get_overview" => json!({ "path": random.pick(&self.folders) }),
            _ => json!({ "range": random.pick(&["HEAD", "A..B", "main"]) }),
        };
        if random.below(5) == 0 {
            let sections = ["callers", "tests", "source", "members", "less likely"];
            let takes_section = tool != "find_path";
            if takes_section {
                arguments["section"] = json!(random.pick(&sections));
            }
        }
        let Value::Object(arguments) = arguments else {
            unreachable!("they are an object");
        };
        arguments
    }
}

async fn ask(root: &Path, data: DataRoot, questions: usize, random: &mut Random) -> usize {
    let state: Arc<State> = State::open(root, data).unwrap();
    state.start();
    state.wait();
    let peer = Peer::of(&state).await;
    let words = Words::of(root);
    let mut answered = 0;
    for number in 0..questions {
        let tool = tools::text::TOOLS[number % tools::text::TOOLS.len()].name;
        let mut arguments = words.arguments(tool, random);
        // Small budgets more often than large ones.
        let largest = *random.pick(&[200, 2_000, 12_000]);
        let max_chars = 200 + random.below(largest);
        arguments.insert("max_chars".to_owned(), max_chars.into());
        let call = CallToolRequestParams::new(tool).with_arguments(arguments.clone());
        let result = peer.client.call_tool(call).await.unwrap();
        let texts = result.content.iter().filter_map(|block| block.as_text());
        let length: usize = texts.map(|text| text.text.chars().count()).sum();
        assert!(
            length <= max_chars,
            "{tool} {arguments:?}: {length} characters"
        );
        assert!(result.structured_content.is_none(), "{tool}");
        answered += usize::from(result.is_error != Some(true));
    }
    state.close();
    answered
}

/// The small repositories of both languages.
fn fixtures() -> Vec<PathBuf> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let below = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        let folders = entries
            .map(|entry| entry.path())
            .filter(|path| path.is_dir());
        folders.collect::<Vec<_>>()
    };
    let mut all: Vec<PathBuf> = below(&top)
        .iter()
        .flat_map(|folder| below(folder))
        .collect();
    all.sort();
    all
}

#[tokio::test]
async fn no_text_is_longer_than_its_budget() {
    let mut random = Random(35);
    let shop = tempfile::tempdir().unwrap();
    copy_shop(shop.path());
    let half = QUESTIONS / 2;
    let mut answered = ask(shop.path(), home(shop.path()), half, &mut random).await;

    let all = fixtures();
    for number in 0..FIXTURES {
        let fixture = &all[number * all.len() / FIXTURES];
        let data = tempfile::tempdir().unwrap();
        let questions = half.div_ceil(FIXTURES);
        answered += ask(fixture, DataRoot::at(data.path()), questions, &mut random).await;
    }
    assert!(answered > QUESTIONS / 3, "{answered} answers are no errors");
}
