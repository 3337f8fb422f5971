//! Workflows offered as prompts: three tasks that take several tools, for a person to pick from a
//! client's menu.
//!
//! Limitations: a prompt is a text that names tools; the model does the work.

use codeagent_files::Profile;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// Placeholder of the argument in a text.
const PLACEHOLDER: &str = "{}";

struct Template {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    argument: &'static str,
    argument_means: &'static str,
    text: &'static str,
    /// The text for profile `agent`, which lists other tools.
    agent_text: &'static str,
}

const TEMPLATES: &[Template] = &[
    Template {
        name: "impact",
        title: "What breaks if this changes?",
        description: "Lists everything that a change of one symbol affects: callers, \
                      implementations, tests.",
        argument: "symbol",
        argument_means: "A qualified name or its last segments: `OrderService.Place`",
        text: "What would break if `{}` changed? Call get_symbol for its signature, get_callers and \
               get_references for its uses, get_implementations for what implements or overrides it. \
               Follow the callers of callers as long as they matter. Answer with a list by project: \
               the symbol, its location, and what would have to change there; list tests separately. \
               Say which edges are `inferred` and how many uses are unresolved.",
        agent_text: "What would break if `{}` changed? Call explore with `what breaks if it changes` \
                     and the symbol. Follow the callers of callers as long as they matter. Answer \
                     with a list by project: the symbol, its location, and what would have to change \
                     there; list tests separately. Say which uses are only possible.",
    },
    Template {
        name: "explain",
        title: "How does this work?",
        description: "Explains one symbol from its source, its callees and its callers.",
        argument: "symbol",
        argument_means: "A qualified name or its last segments: `OrderService.Place`",
        text: "How does `{}` work? Call get_symbol and read its source with read_file. Follow the \
               important calls with get_callees, and see with get_callers what it is used for. \
               Explain it to somebody who has not seen this code: its purpose, its steps, its \
               dependencies, how it can fail. Write locations as path:line.",
        agent_text: "How does `{}` work? Call explore with `what happens` and the symbol, and read \
                     with read_file what the answer leaves out. Explain it to somebody who has not \
                     seen this code: its purpose, its steps, its dependencies, how it can fail. \
                     Write locations as path:line.",
    },
    Template {
        name: "tour",
        title: "Show me around",
        description: "Describes the main parts of the repository or of one folder, and how they \
                      relate.",
        argument: "folder",
        argument_means: "A path relative to the root, `.` for the whole repository",
        text: "Show me around in `{}`. Call get_directory_tree for its structure, get_file_outline \
               for the files that look central, and get_dependents for their main types to see who \
               uses them. Answer with the parts, the purpose of each, how a typical request or call \
               passes through them, and where to start reading. Write locations as path:line.",
        agent_text: "Show me around in `{}`. Call explore with the folder and with its most used \
                     types. Answer with the parts, the purpose of each, how a typical request or \
                     call passes through them, and where to start reading. Write locations as \
                     path:line.",
    },
];

/// Returns all prompts.
pub fn all() -> Vec<Prompt> {
    let prompt = |template: &Template| {
        let argument = PromptArgument::new(template.argument)
            .with_description(template.argument_means)
            .with_required(true);
        let mut prompt = Prompt::new(
            template.name,
            Some(template.description),
            Some(vec![argument]),
        );
        prompt.title = Some(template.title.to_owned());
        prompt
    };
    TEMPLATES.iter().map(prompt).collect()
}

/// Returns a prompt with its argument filled in.
pub fn get(
    profile: Profile,
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let Some(template) = TEMPLATES.iter().find(|template| template.name == name) else {
        let known: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        return Err(ErrorData::invalid_params(
            format!("unknown prompt `{name}`; available: {}", known.join(", ")),
            None,
        ));
    };

    let given = arguments
        .and_then(|arguments| arguments.get(template.argument))
        .and_then(Value::as_str);
    let Some(given) = given.filter(|given| !given.trim().is_empty()) else {
        let message = format!(
            "`{name}` takes `{}`: {}",
            template.argument, template.argument_means
        );
        return Err(ErrorData::invalid_params(message, None));
    };
    let text = if profile == Profile::Agent {
        template.agent_text
    } else {
        template.text
    };

    let message = PromptMessage::new_text(Role::User, text.replace(PLACEHOLDER, given));
    Ok(GetPromptResult::new(vec![message]).with_description(template.description))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    #[test]
    fn prompts_name_existing_tools_and_use_their_argument() {
        assert!(TEMPLATES.len() <= 3);

        for template in TEMPLATES {
            for (profile, text) in [
                (Profile::Index, template.text),
                (Profile::Agent, template.agent_text),
            ] {
                assert_eq!(text.matches(PLACEHOLDER).count(), 1, "{}", template.name);

                let is_listed =
                    |word: &str| tools::of_profile(profile).any(|tool| tool.name == word);
                let words = text
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .filter(|word| word.contains('_'));
                let unknown: Vec<&str> = words.filter(|word| !is_listed(word)).collect();

                assert!(unknown.is_empty(), "{}: {unknown:?}", template.name);
            }
        }
    }
}
