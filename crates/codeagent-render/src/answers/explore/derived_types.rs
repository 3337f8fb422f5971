//! The types below a type: their heads, and where they are registered.

use codeagent_core::model::graph::{EdgeType, Language, Node, NodeId, NodeType};
use codeagent_core::model::language::split_outside;
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of types below one whose registrations are looked for.
const MAX_REGISTERED: usize = 60;

/// Maximum number of lines of a type before its body, besides the first, and from how many bytes on they are left
/// out, as well as the type parameters.
const MAX_HEAD_LINES: u32 = 8;
const MAX_HEAD_BYTES: usize = 160;

/// Adds the next lines to the first one of a type whose bases stand there.
pub(super) fn add_bases(
    occurrences: &mut Occurrences<'_, '_>,
    row: &mut Occurrence,
) -> Result<(), AnswerError> {
    let Some(source) = &mut row.source else {
        return Ok(());
    };

    let last = row.line + MAX_HEAD_LINES;
    let lines = occurrences.sources.lines(&row.path, row.line + 1, last)?;
    for line in lines.iter().flatten() {
        let line = line.trim();
        let is_open = !source.contains(['{', ';']) && !line.starts_with('{');
        if !is_open || source.len() > MAX_HEAD_BYTES {
            break;
        }

        let is_inside = source.ends_with(['<', '(']) || line.starts_with(['>', ')']);
        source.push_str(if is_inside { "" } else { " " });
        source.push_str(line);
    }

    if source.len() > MAX_HEAD_BYTES {
        *source = without_type_parameters(source);
    }
    Ok(())
}

/// Returns the names of the bases that the heads of classes and interfaces have, without type arguments.
pub(super) fn written_bases(
    occurrences: &mut Occurrences<'_, '_>,
    types: &[Node],
) -> Result<Vec<String>, AnswerError> {
    let mut names = Vec::new();

    for node in types {
        let is_of_bases = matches!(node.node_type, NodeType::Class | NodeType::Interface);
        for span in node.spans.iter().filter(|_| is_of_bases) {
            let mut head = Occurrence {
                path: span.path.clone(),
                line: span.name_line,
                source: occurrences.sources.line(&span.path, span.name_line)?,
                ..Occurrence::default()
            };

            add_bases(occurrences, &mut head)?;
            let head = without_type_parameters(&head.source.unwrap_or_default());
            names.extend(bases_in(&head, node.language).map(str::to_owned));
        }
    }

    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Returns the names behind `:`, `extends` or `implements` in the head of a type.
fn bases_in(head: &str, language: Language) -> impl Iterator<Item = &str> {
    let head = head.split(['{', ';']).next().unwrap_or(head);

    let lists: Vec<&str> = match language {
        Language::CSharp => {
            let bases = head.split_once(" : ").map_or("", |(_, bases)| bases);
            vec![bases.split(" where ").next().unwrap_or(bases)]
        }
        _ => {
            let lists = head
                .split(" implements ")
                .flat_map(|part| part.split(" extends "));
            lists.skip(1).collect()
        }
    };

    let names = lists.into_iter().flat_map(|list| split_outside(list, ','));
    // `extends mixin(Base)` has no name; in C#, a base has the arguments of its constructor.
    let is_named = move |base: &&str| language == Language::CSharp || !base.contains('(');
    let names = names.map(str::trim).filter(is_named).map(|base| {
        let is_part = |c: char| c.is_alphanumeric() || "_.$@".contains(c);
        let end = base.find(|c| !is_part(c)).unwrap_or(base.len());
        base[..end].rsplit('.').next().unwrap_or(base)
    });

    names.filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Leaves out the first list of type parameters of a head: `class Cart<..> extends Base<T>`.
fn without_type_parameters(head: &str) -> String {
    let mut depth = 0_usize;
    let Some(start) = head.find('<') else {
        return head.to_owned();
    };

    for (at, c) in head[start..].char_indices() {
        match c {
            '<' => depth += 1,
            // `=>` ends no list.
            '>' if head[start..start + at].ends_with('=') => {}
            '>' if depth == 1 => {
                let rest = &head[start + at + 1..];
                return format!("{}<..>{rest}", &head[..start]);
            }
            '>' => depth -= 1,
            _ => {}
        }
    }

    head.to_owned()
}

/// Adds where the types below one are given to calls as type arguments or are created, if a question asks where they
/// are registered: `services.AddBell<LoudBell>()`.
pub(super) fn registered_types(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    derived: &[NodeId],
) -> Result<(), AnswerError> {
    let mut words = subject.words.iter();
    if !words.any(|word| word.starts_with("regist")) || derived.len() > MAX_REGISTERED {
        return Ok(());
    }

    let mut places = Vec::new();
    for id in derived {
        let Some(symbol) = query::get_node(occurrences.sources.snapshot(), *id)? else {
            continue;
        };

        let name = &symbol.node.name;
        let mut used = vec![*id];
        let members = query::members_of(occurrences.sources.snapshot(), *id)?;
        let constructors = members
            .iter()
            .filter(|one| one.node_type == NodeType::Constructor);
        used.extend(constructors.map(|one| one.id));

        let uses = occurrences.uses_of(&used, &[EdgeType::References, EdgeType::Calls])?;
        let is_given = |place: &Occurrence| {
            let source = place.source.as_deref().unwrap_or_default();
            let forms = ["{}>(", "new {}(", "typeof({})", "useClass: {}"];
            let mut forms = forms.iter().map(|form| form.replace("{}", name));
            !place.is_test() && forms.any(|form| source.contains(&form))
        };
        places.extend(uses.into_iter().filter(is_given));
    }

    places.sort_unstable();
    places.dedup();
    let title = "these types are created, or given as type arguments, at";
    let section = Section::occurrence_rows("registered types", title, places);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_heads_have_no_type_parameters() {
        for (head, expected) in [
            (
                "class A<T extends B<C>> extends D<T>",
                "class A<..> extends D<T>",
            ),
            ("class A<F = () => void> : D", "class A<..> : D"),
            ("class A : D", "class A : D"),
            ("class A<T", "class A<T"),
        ] {
            assert_eq!(without_type_parameters(head), expected);
        }
    }

    #[test]
    fn bases_are_read_from_the_head_of_a_type() {
        for (head, language, expected) in [
            (
                "class A<..>(int b) : Base<C, D>(b), N.IFace where T : E {",
                Language::CSharp,
                vec!["Base", "IFace"],
            ),
            ("class A {", Language::CSharp, vec![]),
            (
                "class A extends React.Component<P> implements I, J {",
                Language::TypeScript,
                vec!["Component", "I", "J"],
            ),
            ("class A extends mixin(B) {", Language::TypeScript, vec![]),
        ] {
            let found: Vec<&str> = bases_in(head, language).collect();
            assert_eq!(found, expected, "{head}");
        }
    }
}
