//! The dependency keys that a file and a changed member publish.

use codeagent_lang::dependencies::DependencyKey;
use codeagent_model::facts::{DeclKind, Facts};
use codeagent_model::graph::Dialect;

use crate::LANGUAGES;
use crate::resolve::global_index::provided_keys::{
    EXTENSIONS, FRIENDS, GLOBAL_USINGS, MEMBERS, NAMESPACES, TYPES, friends,
};
use crate::resolve::{keys_of_member, provided_keys};

fn facts(source: &str) -> Facts {
    LANGUAGES.extract(source, Dialect::CSharp, &[])
}

fn assert_provided(source: &str, expected: &[DependencyKey]) {
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(provided_keys(&facts(source)), expected, "{source}");
}

#[test]
fn a_namespace_is_published_whole_and_by_segment() {
    assert_provided(
        "namespace Shop.Tools { }",
        &["Shop.Tools", "Shop", "Tools"].map(|name| NAMESPACES.key(name)),
    );
}

#[test]
fn types_and_extension_members_are_published_and_other_members_not() {
    assert_provided(
        "static class Scaling { static int Scale(this int by) => by; static int Twice(int x) => x; }",
        &[TYPES.key("Scaling"), EXTENSIONS.key("Scale")],
    );
    assert_provided(
        "static class Scaling { extension(int by) { int Half => by / 2; } }",
        &[
            TYPES.key("Scaling"),
            EXTENSIONS.key("by"),
            EXTENSIONS.key("Half"),
        ],
    );
    assert_provided(
        "class Cart { int count; void Pay() { } }",
        &[TYPES.key("Cart")],
    );
}

#[test]
fn only_global_usings_are_published() {
    assert_provided("using Shop;", &[]);
    assert_provided("global using Shop;", &[GLOBAL_USINGS.key("")]);
}

#[test]
fn friends_are_declared_by_attributes_of_the_assembly() {
    let source = r#"
        [assembly: System.Reflection.AssemblyTitle("Title")]
        [assembly: InternalsVisibleTo("Tests")]
        [assembly: System.Runtime.CompilerServices.InternalsVisibleToAttribute("Bench" + ", PublicKey=" + "00")]
        [assembly: InternalsVisibleTo(Names.Other)]
    "#;
    assert_eq!(
        friends(&facts(source)).collect::<Vec<_>>(),
        ["Tests", "Bench", ""]
    );
    assert_provided(source, &[FRIENDS.key("")]);

    let of_a_class = "[InternalsVisibleTo(\"Tests\")] class Cart { }";
    assert_eq!(friends(&facts(of_a_class)).count(), 0);
}

#[test]
fn a_changed_member_concerns_lookups_of_extensions_only_if_it_is_one() {
    let keys = |source: &str| {
        let facts = facts(source);
        let method = facts
            .decl_ids()
            .find(|id| facts.decl(*id).kind == DeclKind::Method);
        keys_of_member(&facts, method.unwrap()).to_vec()
    };
    assert_eq!(
        keys("static class Scaling { static int Scale(this int by) => by; }"),
        [MEMBERS.key("Scale"), EXTENSIONS.key("Scale")]
    );
    assert_eq!(
        keys("static class Scaling { static int Scale(int by) => by; }"),
        [MEMBERS.key("Scale")]
    );
}
