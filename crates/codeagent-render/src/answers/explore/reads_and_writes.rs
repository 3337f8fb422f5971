//! Sections about the uses of a field, property or variable: what reads it, and what writes it.

use codeagent_core::model::graph::NodeKind;
use codeagent_core::query::Occurrence;

use super::Subject;
use crate::text::{Document, Section};

/// Adds the uses of a field, property or variable; writes are separate where the source lines show
/// them.
pub(super) fn reads_and_writes(
    subject: &Subject<'_>,
    document: &mut Document,
    uses: Vec<Occurrence>,
) {
    let wants = subject.wants;
    let name = &subject.first().name;
    let is_wanted = wants.callers || wants.impact || wants.flow;
    let is_event = subject.first().kind == NodeKind::Event;
    let (writes, reads): (Vec<_>, Vec<_>) = uses.into_iter().partition(|place| {
        let source = place.source.as_deref();
        source.is_some_and(|source| is_written(source, name))
    });

    let (written, read) = if is_event {
        ("subscribed or unsubscribed at", "raised or used by")
    } else {
        ("written by", "read or used by")
    };

    for (key, title, places) in [("reads", read, reads), ("writes", written, writes)] {
        document.section(wants.weigh(Section::occurrence_rows(key, title, places), is_wanted, 20));
    }
}

/// Reports whether a line assigns a name.
fn is_written(line: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let rest = &line[at + name.len()..];
        if before.is_some_and(is_word) || rest.starts_with(is_word) {
            return false;
        }
        // A JSX attribute is not an assignment, and a local variable of the name is another symbol.
        if rest.starts_with("={") || is_declared_after(&line[..at]) {
            return false;
        }

        let rest = rest.trim_start();
        if rest.starts_with("++") || rest.starts_with("--") || line[..at].ends_with("++") {
            return true;
        }

        let operator: String = rest
            .chars()
            .take_while(|c| "=+-*/%&|^?<>!".contains(*c))
            .collect();
        match operator.as_str() {
            "==" | "===" | "=>" | "<=" | ">=" | "!=" | "!==" | "" => false,
            operator => operator.ends_with('='),
        }
    })
}

/// Reports whether a text ends with a keyword or type, so that a declared name follows.
fn is_declared_after(before: &str) -> bool {
    let word = before.trim_end();
    let last = word.rsplit(|c: char| !c.is_alphanumeric()).next();
    word.len() < before.len()
        && word.ends_with(|c: char| c.is_alphanumeric() || ">]?".contains(c))
        && !matches!(last, Some("else" | "do" | "return"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_distinguished_from_reads() {
        for (line, expected) in [
            ("this.total = 1;", true),
            ("total += 1", true),
            ("total ??= 1", true),
            ("cart.total++", true),
            ("if (total == 1)", false),
            ("total => 1", false),
            ("total >= 1", false),
            ("subtotal = total", false),
            ("const total = cart.total;", false),
            ("int total = cart.total;", false),
            ("if (a) b(); else total = 1;", true),
            ("return total;", false),
            ("<Row total={total} />", false),
        ] {
            assert_eq!(is_written(line, "total"), expected, "{line}");
        }
    }
}
