//! Pairs of syntax forms: every expression in every position of every other form, every statement
//! after every other, and every member after every other must lose no calls, types or declarations.
//!
//! The forms are tables in `tests/neighbours`. In a form, `$9` is a position for an expression that
//! binds at least as tightly as 9. The number before an expression says how tightly it binds; one
//! that binds too loosely is parenthesized. Names state what must be found: a name that starts with
//! `Call` is called, `New` is constructed, `Type` is a type that is used, `Def` is declared. Forms
//! under `[gap]` are known to be lost, and must be.
//!
//! Limitations: combinations of three forms are not tested.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use codeagent_core::LANGUAGES;
use codeagent_core::model::facts::{Facts, SiteKind};
use codeagent_core::model::graph::Dialect;

/// Maximum number of failures shown.
const SHOWN: usize = 200;

struct Form<'a> {
    level: u8,
    text: &'a str,
}

/// Returns the forms of a table by heading.
fn forms(table: &str) -> BTreeMap<&str, Vec<Form<'_>>> {
    let mut sections: BTreeMap<&str, Vec<Form<'_>>> = BTreeMap::new();
    let mut section = "";
    for line in table.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
            .filter(|name| name.bytes().all(|b| b.is_ascii_lowercase()))
        {
            section = name;
            continue;
        }
        let form = match section {
            "expression" => {
                let (level, text) = line.split_once(' ').unwrap();
                Form {
                    level: level.parse().unwrap(),
                    text,
                }
            }
            _ => Form {
                level: 0,
                text: line,
            },
        };
        sections.entry(section).or_default().push(form);
    }
    sections
}

/// Returns the positions of a form: byte range and level.
fn places(text: &str) -> Vec<(usize, usize, u8)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('$') {
        let digits = text[at + 1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        if digits > 0 {
            found.push((
                at,
                at + 1 + digits,
                text[at + 1..at + 1 + digits].parse().unwrap(),
            ));
        }
    }
    found
}

/// Fills a form: an expression in its `which`th position, and names in all others.
fn filled(text: &str, which: usize, inner: Option<&Form<'_>>) -> String {
    let mut out = String::new();
    let mut from = 0;
    for (index, (start, end, level)) in places(text).into_iter().enumerate() {
        out.push_str(&text[from..start]);
        match inner.filter(|_| index == which) {
            Some(form) if form.level >= level => out.push_str(&filled(form.text, 0, None)),
            Some(form) => drop(write!(out, "({})", filled(form.text, 0, None))),
            None => out.push('v'),
        }
        from = end;
    }
    out + &text[from..]
}

/// Returns what the names in a text state and the facts do not have.
fn missing(text: &str, facts: &Facts) -> Vec<String> {
    let mut lost = Vec::new();
    if facts.header.error_bytes > 0 {
        lost.push(format!("{} bytes not read", facts.header.error_bytes));
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for (at, _) in text.char_indices() {
        let starts = text.as_bytes()[at].is_ascii_uppercase()
            && (at == 0 || !is_word(text.as_bytes()[at - 1]));
        if !starts {
            continue;
        }
        let name = &text[at..at + text[at..].bytes().take_while(|byte| is_word(*byte)).count()];
        let site = |kinds: &[SiteKind]| {
            facts
                .sites
                .iter()
                .any(|site| site.at.offset as usize == at && kinds.contains(&site.kind))
        };
        let there = match name {
            _ if name.starts_with("Call") => site(&[SiteKind::Call, SiteKind::Tag, SiteKind::Jsx]),
            _ if name.starts_with("New") => site(&[SiteKind::New, SiteKind::TypeRef]),
            _ if name.starts_with("Type") => site(&[
                SiteKind::TypeRef,
                SiteKind::ParameterType,
                SiteKind::Base,
                SiteKind::Attribute,
                SiteKind::Read,
                SiteKind::Test,
            ]),
            _ if name.starts_with("Def") => {
                facts.decls.iter().any(|decl| facts.text(decl.name) == name)
            }
            _ => true,
        };
        if !there {
            lost.push(name.to_owned());
        }
    }
    let created = text.match_indices("new New").count();
    let new_sites = facts
        .sites
        .iter()
        .filter(|site| site.kind == SiteKind::New)
        .count();
    if new_sites < created {
        lost.push(format!("{} of {created} creations", created - new_sites));
    }
    lost
}

/// Tests texts, and fails with all that lose something.
struct Trial<'a> {
    dialect: Dialect,
    gaps: Vec<&'a str>,
    tried: usize,
    failures: Vec<String>,
}

impl<'a> Trial<'a> {
    fn new(dialect: Dialect, forms: &BTreeMap<&str, Vec<Form<'a>>>) -> Self {
        Self {
            dialect,
            gaps: forms["gap"].iter().map(|form| form.text).collect(),
            tried: 0,
            failures: Vec::new(),
        }
    }

    fn text(&mut self, shown: &str, text: &str) {
        self.tried += 1;
        let facts = LANGUAGES.extract(text, self.dialect, &[]);
        let lost = missing(text, &facts);
        if lost.is_empty() == self.gaps.contains(&shown) {
            self.failures
                .push(format!("{shown}    lost: {}", lost.join(", ")));
        }
    }

    /// Tests every expression in every position of every expression and statement.
    fn expressions(
        &mut self,
        outer: &[Form<'_>],
        inner: &[Form<'_>],
        around: impl Fn(&str) -> String,
    ) {
        for form in outer {
            for which in 0..places(form.text).len() {
                for inner in inner {
                    let shown = filled(form.text, which, Some(inner));
                    self.text(&shown, &around(&shown));
                }
            }
        }
    }

    /// Tests every form after every other.
    fn sequences(&mut self, forms: &[Form<'_>], separator: &str, around: impl Fn(&str) -> String) {
        let texts: Vec<String> = forms
            .iter()
            .map(|form| filled(form.text, 0, None))
            .collect();
        for first in &texts {
            for second in &texts {
                // The language inserts no semicolon between an initial value and `[`.
                if !separator.contains(';') && first.contains(" = ") && second.starts_with('[') {
                    continue;
                }
                let shown = format!("{first}{separator}{second}");
                self.text(&shown, &around(&shown));
            }
        }
    }

    fn finish(self) {
        let shown = &self.failures[..self.failures.len().min(SHOWN)];
        assert!(
            shown.is_empty(),
            "{} of {} lose something:\n{}",
            self.failures.len(),
            self.tried,
            shown.join("\n")
        );
    }
}

const CSHARP: &str = include_str!("../../../../tests/neighbours/csharp.txt");

#[test]
fn nested_csharp_expressions_lose_no_names() {
    let forms = forms(CSHARP);
    let mut trial = Trial::new(Dialect::CSharp, &forms);
    let in_method = |statement: &str| {
        format!(
            "class C {{ void DefM() {{ {statement} CallLast(); }} void DefAfter() {{ CallAfter(); }} }}"
        )
    };
    trial.expressions(&forms["statement"], &forms["expression"], in_method);
    trial.expressions(&forms["expression"], &forms["expression"], |text| {
        in_method(&format!("v = {text};"))
    });
    trial.finish();
}

#[test]
fn adjacent_csharp_statements_and_members_lose_no_names() {
    let forms = forms(CSHARP);
    let mut trial = Trial::new(Dialect::CSharp, &forms);
    trial.sequences(&forms["statement"], " ", |text| {
        format!(
            "class C {{ void DefM() {{ {text} CallLast(); }} void DefAfter() {{ CallAfter(); }} }}"
        )
    });
    trial.sequences(&forms["member"], "\n", |text| {
        format!("class C {{ {text} void DefAfter() {{ CallAfter(); }} }}")
    });
    trial.finish();
}

const TYPESCRIPT: &str = include_str!("../../../../tests/neighbours/typescript.txt");

/// Wraps an expression statement that would otherwise begin like another statement.
fn in_function(statement: &str) -> String {
    format!(
        "async function* DefM() {{\n{statement}\nCallLast()\n}}\nfunction DefAfter() {{ CallAfter() }}\n"
    )
}

#[test]
fn nested_typescript_expressions_lose_no_names() {
    let forms = forms(TYPESCRIPT);
    let mut trial = Trial::new(Dialect::Ts, &forms);
    trial.expressions(&forms["statement"], &forms["expression"], in_function);
    trial.expressions(&forms["expression"], &forms["expression"], |text| {
        in_function(&format!("v = {text}"))
    });
    trial.finish();
}

/// Templates, default values, computed keys, decorators and attributes.
#[test]
fn typescript_places() {
    let forms = forms(TYPESCRIPT);
    let mut trial = Trial::new(Dialect::Ts, &forms);
    trial.expressions(&forms["place"], &forms["expression"], in_function);
    trial.finish();

    // A type assertion with angle brackets would be a tag.
    let is_assertion = |form: &&Form<'_>| form.text.starts_with("<TypeA>");
    let expressions: Vec<Form<'_>> = forms["expression"]
        .iter()
        .filter(|form| !is_assertion(form))
        .map(|form| Form { ..*form })
        .collect();
    let mut trial = Trial::new(Dialect::Tsx, &forms);
    trial.expressions(&forms["place"], &expressions, in_function);
    trial.expressions(&forms["markup"], &expressions, in_function);
    trial.finish();
}

#[test]
fn adjacent_typescript_statements_and_members_lose_no_names() {
    let forms = forms(TYPESCRIPT);
    let mut trial = Trial::new(Dialect::Ts, &forms);
    for separator in ["\n", ";\n"] {
        trial.sequences(&forms["statement"], separator, in_function);
        trial.sequences(&forms["member"], separator, |text| {
            format!(
                "abstract class C {{\n{text}{separator}}}\nfunction DefAfter() {{ CallAfter() }}\n"
            )
        });
        trial.sequences(&forms["signature"], separator, |text| {
            format!("interface C {{\n{text}{separator}}}\nCallAfter()\n")
        });
        trial.sequences(&forms["signature"], separator, |text| {
            format!("type C = {{\n{text}{separator}}} | TypeA\nCallAfter()\n")
        });
    }
    trial.finish();
}
