//! A server names only tools that it lists: in its instructions, prompts, tools, answers and errors.

use std::collections::BTreeSet;

use codeagent_files::{ExecPolicy, Options, Profile, ToolSet};
use codeagent_mcp::tools;
use codeagent_render::Face;
use rmcp::model::GetPromptRequestParams;
use serde_json::{Value, json};

use crate::profiles::support::Session;

const FILES: [(&str, &str); 4] = [
    (
        "src/Cart.cs",
        "public interface IPriced { int Total(); }\n\
         public class Cart : IPriced { public int Total() => Sum(1); int Sum(int x) => x; int Sum(string x) => 1; }\n\
         public class Order { int Pay(IPriced priced) => priced.Total(); }\n",
    ),
    (
        "src/cart.ts",
        "export class Door { close() {} }\n\
         export function go(thing: any) { thing.close(); }\n\
         export const sizes = { small: 1 };\n",
    ),
    (
        "src/broken.ts",
        "export function broken( { ] ) => }}} class\n",
    ),
    ("README.md", "Cart\n"),
];

/// Texts that name symbols, files and folders, or fail to.
const TARGETS: [&str; 14] = [
    "Cart",
    "Cart.Total",
    "IPriced.Total",
    "Cart.Sum(bool)",
    "Cart.Missing",
    "sizes.large",
    "Nowhere",
    "Door.close",
    "src/Cart.cs:2",
    "src/cart.ts:900",
    "src",
    "src/broken.ts",
    "who calls Cart.Total?",
    "../outside",
];

fn all_names() -> BTreeSet<&'static str> {
    let options = Options {
        exec: ExecPolicy::Refused("it is off".to_owned()),
        ..Options::default()
    };
    let of_profile = |(_, profile)| ToolSet::new(profile, options.clone()).names();
    let files = Profile::NAMES.into_iter().flat_map(of_profile);
    files.chain(tools::all().map(|tool| tool.name)).collect()
}

/// Fails if a text names a tool that a server does not list. A name of one word, such as `append`,
/// is one only between backticks.
fn check(place: &str, text: &str, listed: &BTreeSet<String>) {
    let has_parts = |word: &&str| word.contains('_') || word.contains(char::is_uppercase);
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let called = text.split('`').skip(1).step_by(2);
    let called = called.filter_map(|call| call.split(' ').next());
    let all = all_names();
    for word in words.filter(has_parts).chain(called) {
        assert!(
            !all.contains(word) || listed.contains(word),
            "{place} names {word}, which is not listed: {text}"
        );
    }
}

/// Arguments for a tool: its required parameters, all with the same text.
fn arguments(tool: &rmcp::model::Tool, text: &str) -> Value {
    let schema = &tool.input_schema;
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| match &schema["properties"][name]["type"] {
        Value::String(kind) if kind == "array" => json!([text]),
        _ => json!(text),
    };
    let mut arguments: serde_json::Map<String, Value> =
        names.map(|name| (name.to_owned(), value(name))).collect();
    if arguments.is_empty() && schema["properties"].get("path").is_some() {
        arguments.insert("path".to_owned(), text.into());
    }
    arguments.into()
}

async fn check_profile(name: &str, profile: Profile, options: Options) {
    let session = Session::with(name, options, &FILES).await;
    let client = &session.client;
    let tools = client.list_all_tools().await.unwrap();
    let listed: BTreeSet<String> = tools.iter().map(|tool| tool.name.to_string()).collect();

    let instructions = client.peer_info().unwrap().instructions.clone();
    check(name, &instructions.unwrap_or_default(), &listed);
    for tool in &tools {
        check(name, &serde_json::to_string(tool).unwrap(), &listed);
    }
    for prompt in client.list_all_prompts().await.unwrap_or_default() {
        check(name, &serde_json::to_string(&prompt).unwrap(), &listed);
        let argument = prompt.arguments.unwrap_or_default();
        let argument = argument
            .iter()
            .map(|each| (each.name.clone(), json!("Cart")));
        let request = GetPromptRequestParams::new(prompt.name).with_arguments(argument.collect());
        let answer = client.get_prompt(request).await;
        check(name, &format!("{answer:?}"), &listed);
    }

    // What a tool that answers from the index says without one, and with one.
    for is_indexed in [false, true] {
        if is_indexed && profile.asks_index() {
            session.state.start();
            session.state.wait();
        }
        for tool in &tools {
            for target in TARGETS {
                let answer = session.call(&tool.name, arguments(tool, target)).await;
                let place = format!("{name}: {} {target}", tool.name);
                check(&place, &format!("{answer:?}"), &listed);
            }
            let answer = session.call(&tool.name, json!({ "section": "none" })).await;
            check(name, &format!("{answer:?}"), &listed);
        }
    }
    let unknown = session.call("no_such_tool", json!({})).await;
    check(name, &format!("{unknown:?}"), &listed);
}

#[tokio::test]
async fn servers_name_only_tools_that_they_list() {
    for (name, profile) in Profile::NAMES {
        check_profile(name, profile, Options::default()).await;
    }
}

#[tokio::test]
async fn servers_that_only_read_or_run_nothing_name_no_other_tools() {
    for name in ["patch", "workspace"] {
        let profile = Profile::of(name).unwrap();
        let read_only = Options {
            read_only: true,
            ..Options::default()
        };
        let running = Options {
            exec: ExecPolicy::Refused("it is off".to_owned()),
            ..Options::default()
        };
        for options in [read_only, running] {
            check_profile(name, profile, options).await;
        }
    }
}

/// Notes and errors are worded for a face, which knows the tools that it may name.
#[test]
fn profiles_of_the_index_list_what_their_faces_name() {
    for (profile, face) in [
        (Profile::Index, Face::Tools),
        (Profile::Index, Face::TextTools),
        (Profile::Agent, Face::TextTools),
    ] {
        let listed: Vec<&str> = tools::of_profile(profile).map(|tool| tool.name).collect();
        for tool in face.tools() {
            assert!(listed.contains(tool), "{profile:?} {face:?}: {tool}");
        }
    }
}

/// A token is taken for four bytes.
#[tokio::test]
async fn the_list_of_profile_agent_is_short() {
    let session = Session::of("agent", &[]).await;
    let tools = session.client.list_all_tools().await.unwrap();
    assert!(tools.iter().all(|tool| tool.output_schema.is_none()));
    let bytes = tools
        .iter()
        .map(|tool| serde_json::to_string(tool).unwrap().len() + 1);
    let tokens = bytes.sum::<usize>() / 4;
    assert!(tokens <= 1_300, "{tokens} tokens");
}
