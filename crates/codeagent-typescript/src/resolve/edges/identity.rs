//! Symbol identity: TypeScript declarations that share one node, named `path#Container.member`.
//!
//! Declarations with one name, scope and meaning merge (overloads, interfaces, a class and a
//! namespace), as in the language.
//!
//! Limitations: a CommonJS export and a declaration with the same name are two symbols.

use codeagent_lang::WorldFile;
use codeagent_lang::nodes::{Container, Identity, MergeKey, is_of_object, qualified};
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind, Declaration, Facts, ScopeId, ScopeKind};
use codeagent_model::graph::Language;

/// Returns the identity of a declaration inside `parent`.
pub fn identity(file: &WorldFile, decl: DeclId, parent: Option<Container<'_>>) -> Identity {
    let facts = &*file.facts;
    let declaration = facts.decl(decl);
    let name = facts.decl_name(decl);
    let scope = facts.scope(declaration.scope);
    let lexical =
        !declaration.flags.has(DeclFlags::MEMBER) && declaration.kind != DeclKind::EnumMember;
    let nested = lexical && declaration.scope != ScopeId(0) && scope.owner != declaration.parent;

    // Members of a class or object type without a node are placed under the enclosing node, where
    // their names may clash. An alias is one type, however many object types it consists of.
    let nodeless = !lexical
        && scope.owner != declaration.parent
        && match scope.kind {
            ScopeKind::Type => true,
            ScopeKind::Object => !scope
                .owner
                .some()
                .is_some_and(|owner| facts.decl(owner).flags.has(DeclFlags::PARTIAL)),
            _ => false,
        };

    let local = nodeless
        || lexical && (nested || matches!(scope.kind, ScopeKind::Function | ScopeKind::Block));
    Identity {
        language: Language::TypeScript,
        space: meaning(facts, decl),
        qualified_name: match parent {
            Some(parent) => qualified(parent.qualified_name, name),
            None => format!("{}#{name}", file.path),
        },
        disambiguator: disambiguator(facts, decl).to_owned(),
        merge_key: if is_only_given_out(facts, decl) {
            MergeKey::GivenOut
        } else {
            MergeKey::Within(
                parent.map(|parent| parent.id),
                if local {
                    declaration.scope
                } else {
                    ScopeId::NONE
                },
            )
        },
    }
}

/// Returns what distinguishes symbols with one qualified name. Functions held by a local variable or
/// an object literal have one of their own, so the members of the enclosing node keep their ids when
/// such a function is added or removed.
fn disambiguator(facts: &Facts, decl: DeclId) -> &'static str {
    let declaration = facts.decl(decl);
    let scope = facts.scope(declaration.scope);
    let has = |flag| declaration.flags.has(flag);

    match declaration.kind {
        _ if is_of_object(facts, decl) => "object",
        DeclKind::Variable if matches!(scope.kind, ScopeKind::Function | ScopeKind::Block) => {
            "local"
        }
        kind if kind != DeclKind::EnumMember && has(DeclFlags::STATIC | DeclFlags::MEMBER) => {
            "static"
        }
        _ => "",
    }
}

/// Reports whether a declaration is `exports.a = e`, but not `var a = exports.a = e`, which exports
/// the variable.
fn is_only_given_out(facts: &Facts, decl: DeclId) -> bool {
    let declaration = facts.decl(decl);
    let is_exported = declaration.kind == DeclKind::Property
        && declaration.flags.has(DeclFlags::MEMBER | DeclFlags::EXPORT)
        && declaration.scope == ScopeId(0)
        && declaration.parent.is_none();
    let holder = decl
        .0
        .checked_sub(1)
        .map(|before| facts.decl(DeclId(before)));
    let is_held = |holder: &Declaration| {
        holder.name == declaration.name
            && holder.scope == declaration.scope
            && holder.init == declaration.init
    };
    is_exported && !holder.is_some_and(is_held)
}

/// Returns the meaning of a declaration; a namespace has that of the class, enum or function it is
/// merged with.
fn meaning(facts: &Facts, decl: DeclId) -> &'static str {
    let declaration = facts.decl(decl);

    match declaration.kind {
        DeclKind::Class | DeclKind::Interface | DeclKind::Enum | DeclKind::TypeAlias => "type",
        DeclKind::Namespace => facts
            .decls
            .iter()
            .filter(|other| other.name == declaration.name && other.scope == declaration.scope)
            .find_map(|other| match other.kind {
                DeclKind::Class | DeclKind::Enum => Some("type"),
                DeclKind::Function => Some("value"),
                _ => None,
            })
            .unwrap_or("namespace"),
        DeclKind::AmbientModule => "namespace",
        _ => "value",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use codeagent_model::graph::Dialect;

    use super::*;
    use crate::LANGUAGES;

    /// The identity of the declaration of a name: a node, or else the first.
    fn of(dialect: Dialect, text: &str, name: &str) -> Identity {
        let file = WorldFile {
            path: Arc::from("main.ts"),
            facts: Arc::new(LANGUAGES.extract(text, dialect, &[])).into(),
            external: false,
            package: None,
        };
        let facts = &*file.facts;
        let named = || facts.decl_ids().filter(|id| facts.decl_name(*id) == name);
        let node = named().find(|id| !facts.decl(*id).detail.is_none());
        let decl = node.or_else(|| named().next()).unwrap();
        identity(&file, decl, None)
    }

    #[test]
    fn functions_of_objects_and_functions_are_told_apart_from_members() {
        let cases = [
            ("class A { static run() {} }", "static"),
            ("class A { run() {} }", ""),
            ("enum A { run }", ""),
            ("const kit = { run() {} };", "object"),
            ("function f() { const run = () => 1; }", "local"),
            ("const run = () => 1;", ""),
        ];

        for (text, expected) in cases {
            assert_eq!(
                of(Dialect::Ts, text, "run").disambiguator,
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn local_declarations_merge_only_with_those_of_their_block() {
        let cases = [
            ("function run() {}", false),
            ("{ function run() {} }", true),
            ("function f() { function run() {} }", true),
            ("namespace N { export function run() {} }", false),
            ("class A { run() {} }", false),
            ("use(class { run() {} });", true),
            ("type A = { run(): void };", false),
            ("let a: { run(): void };", true),
            ("enum A { run }", false),
        ];

        for (text, expected) in cases {
            let key = of(Dialect::Ts, text, "run").merge_key;
            let is_local = matches!(key, MergeKey::Within(_, scope) if scope != ScopeId::NONE);
            assert_eq!(is_local, expected, "{text}");
        }
    }

    #[test]
    fn an_export_of_a_value_is_no_declaration_beside_it() {
        let is_given_out =
            |text: &str| of(Dialect::Js, text, "run").merge_key == MergeKey::GivenOut;
        assert!(is_given_out("exports.run = () => 1;"));
        assert!(is_given_out("var go = exports.run = () => 1;"));
        assert!(!is_given_out("function run() {}"));
        assert!(!is_given_out("function kit() {} kit.run = () => 1;"));
    }
}
