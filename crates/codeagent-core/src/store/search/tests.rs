//! Queries and their first results.

use super::*;
use crate::model::graph::{Access, NodeFlags, NodeId, NodeKind};
use crate::store::{
    Delta, FullGraph, PackedNodes, Reader, VectorSource, Write, Writer, lexical_signs,
};

const SYMBOLS: &[(&str, NodeKind, &str, &str)] = &[
    (
        "Net.Http.HttpClientFactory",
        NodeKind::Class,
        "",
        "Makes clients.",
    ),
    (
        "Net.Http.HttpClientFactory.HttpClientFactory",
        NodeKind::Constructor,
        "(Options options)",
        "",
    ),
    (
        "Net.Http.HttpClientFactory.CreateClient",
        NodeKind::Method,
        "(string name)",
        "Hands out a warm connection.",
    ),
    ("Net.Http.IHttpClientFactory", NodeKind::Interface, "", ""),
    ("Net.Tests.HttpClientFactoryTests", NodeKind::Class, "", ""),
    (
        "Net.Tests.HttpClientFactoryTests._httpClientFactory",
        NodeKind::Field,
        "",
        "",
    ),
    ("Net.Http.ClientOptions", NodeKind::Class, "", ""),
    ("Net.Http.ClientOptions.Factory", NodeKind::Property, "", ""),
    ("Shop.Cart", NodeKind::Class, "", ""),
    ("Shop.Cart.Total", NodeKind::Method, "()", ""),
    ("Shop.Order.Total", NodeKind::Method, "()", ""),
    ("Shop.CartItem", NodeKind::Class, "", ""),
    ("Shop.Cartography", NodeKind::Class, "", ""),
    ("Shop.Order.cart", NodeKind::Field, "", ""),
    ("src/auth/service.ts", NodeKind::File, "", ""),
    ("src/auth/service.ts#AuthService", NodeKind::Class, "", ""),
    (
        "src/auth/service.ts#AuthService.authenticate",
        NodeKind::Method,
        "(token: string)",
        "",
    ),
    ("dist/auth/service.js#AuthService", NodeKind::Class, "", ""),
    ("src/auth/service.ts#MAX_TRIES", NodeKind::Variable, "", ""),
];

fn node((qualified_name, kind, signature, doc): &(&str, NodeKind, &str, &str)) -> Node {
    let is_typescript = qualified_name.contains('/');

    let separators: &[char] = if *kind == NodeKind::File {
        &['/']
    } else {
        &['.', '#']
    };

    let name = qualified_name.rsplit(separators).next().unwrap();

    Node {
        id: NodeId::derive(&[qualified_name]),
        parent: None,
        project_id: if is_typescript {
            "tsconfig.json"
        } else {
            "Net.csproj"
        }
        .to_owned(),
        name: name.to_owned(),
        qualified_name: (*qualified_name).to_owned(),
        node_type: kind.node_type(),
        kind: *kind,
        language: if is_typescript {
            Language::TypeScript
        } else {
            Language::CSharp
        },
        access: Some(Access::Public),
        flags: NodeFlags::default(),
        type_parameters: None,
        parameter_signature: (!signature.is_empty()).then(|| (*signature).to_owned()),
        parameter_count: None,
        return_type: None,
        doc: (!doc.is_empty()).then(|| (*doc).to_owned()),
        spans: Vec::new(),
    }
}

fn store() -> (tempfile::TempDir, Reader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");

    let mut nodes: Vec<Node> = SYMBOLS.iter().map(node).collect();
    nodes.sort_by_key(|node| node.id);
    let signs = lexical_signs(&nodes);
    let nodes = PackedNodes::of(&nodes);
    let delta = Delta {
        write: Write::Replace(FullGraph { nodes, signs }),
        ..Delta::default()
    };
    Writer::open(&path).unwrap().apply(delta).unwrap();
    let reader = Reader::open(&path, 1).unwrap();
    (folder, reader)
}

fn first(reader: &Reader, query: &str, filter: &SearchFilter, count: usize) -> Vec<String> {
    let found = search(
        &reader.snapshot().unwrap(),
        query,
        filter,
        50,
        Evidence::default(),
    )
    .unwrap();

    // In a natural-language result, symbols with all words in their name come first, by rank, then
    // the others by score.
    let in_order = |a: &Hit, b: &Hit| match (a.score, b.score) {
        (Some(first), Some(second)) if first.matched.name != second.matched.name => {
            first.matched.name
        }
        (Some(first), Some(second)) if !first.matched.name => first.score >= second.score,
        _ => a.rank <= b.rank,
    };

    assert!(found.hits.is_sorted_by(in_order), "{query}");

    let mark = if found.some_words { "some: " } else { "" };
    found
        .hits
        .into_iter()
        .take(count)
        .map(|hit| format!("{mark}{}", hit.node.qualified_name))
        .collect()
}

#[test]
fn the_intended_symbol_comes_first() {
    let (_folder, reader) = store();
    for (query, expected) in [
        (
            "HttpClientFactory",
            &[
                "Net.Http.HttpClientFactory",
                "Net.Http.HttpClientFactory.HttpClientFactory",
            ][..],
        ),
        ("httpclientfactory", &["Net.Http.HttpClientFactory"]),
        ("http client factory", &["Net.Http.HttpClientFactory"]),
        ("client factory", &["Net.Http.HttpClientFactory"]),
        ("http", &["Net.Http.HttpClientFactory"]),
        ("HttpClientFac*", &["Net.Http.HttpClientFactory"]),
        ("IHttpClientFac*", &["Net.Http.IHttpClientFactory"]),
        (
            "HCF",
            &[
                "Net.Http.HttpClientFactory",
                "Net.Http.HttpClientFactory.HttpClientFactory",
            ],
        ),
        ("hcf", &["Net.Http.HttpClientFactory"]),
        ("hcfac", &["Net.Http.HttpClientFactory"]),
        (
            "Cart",
            &[
                "Shop.Cart",
                "Shop.Order.cart",
                "Shop.CartItem",
                "Shop.Cartography",
            ],
        ),
        (
            "cart",
            &[
                "Shop.Order.cart",
                "Shop.Cart",
                "Shop.CartItem",
                "Shop.Cartography",
            ],
        ),
        ("Cart.Total", &["Shop.Cart.Total"]),
        ("cart total", &["Shop.Cart.Total"]),
        (
            "AuthService",
            &[
                "src/auth/service.ts#AuthService",
                "dist/auth/service.js#AuthService",
            ],
        ),
        (
            "authenti",
            &["src/auth/service.ts#AuthService.authenticate"],
        ),
        ("max tries", &["src/auth/service.ts#MAX_TRIES"]),
        (
            "warm connection",
            &["Net.Http.HttpClientFactory.CreateClient"],
        ),
        ("Options factory", &["Net.Http.ClientOptions.Factory"]),
        ("name:Cart NOT item", &["Shop.Cart"]),
        (
            "\"http client\" AND name:tests",
            &["Net.Tests.HttpClientFactoryTests"],
        ),
        (
            "signature:token",
            &["src/auth/service.ts#AuthService.authenticate"],
        ),
        ("cartography helicopter", &["some: Shop.Cartography"]),
        ("helicopter", &[]),
    ] {
        assert_eq!(
            first(
                &reader,
                query,
                &SearchFilter::default(),
                expected.len().max(1)
            ),
            expected,
            "{query}"
        );
    }
}

#[test]
fn filters_apply_to_every_search_method() {
    let (_folder, reader) = store();
    let classes = SearchFilter {
        node_type: Some(NodeType::Class),
        ..SearchFilter::default()
    };

    let typescript = SearchFilter {
        language: Some(Language::TypeScript),
        ..SearchFilter::default()
    };

    let project = SearchFilter {
        project: Some("Net.csproj".to_owned()),
        ..SearchFilter::default()
    };

    for query in [
        "cart",
        "auth*",
        "a*",
        "HCF",
        "http client",
        "service",
        "name:c*",
        "nothing service",
    ] {
        for (filter, fits) in [
            (
                &classes,
                (|node| node.node_type == NodeType::Class) as fn(&Node) -> bool,
            ),
            (&typescript, |node| node.language == Language::TypeScript),
            (&project, |node| node.project_id == "Net.csproj"),
        ] {
            let hits = search(
                &reader.snapshot().unwrap(),
                query,
                filter,
                50,
                Evidence::default(),
            )
            .unwrap()
            .hits;
            assert!(hits.iter().all(|hit| fits(&hit.node)), "{query} {filter:?}");
        }
    }

    assert_eq!(
        first(&reader, "cart", &classes, 9),
        ["Shop.Cart", "Shop.CartItem", "Shop.Cartography"]
    );
    assert_eq!(first(&reader, "factory", &typescript, 9), [""; 0]);
}

#[test]
fn names_without_letters_are_found() {
    let (_folder, reader) = store();
    assert_eq!(first(&reader, "$", &SearchFilter::default(), 1), [""; 0]);
    assert_eq!(first(&reader, "(\"", &SearchFilter::default(), 1), [""; 0]);
}

/// Searches for a sentence and returns the results with their reasons; the symbol named `near`
/// counts as similar.
fn answers_to(reader: &Reader, sentence: &str, near: Option<&str>) -> Vec<String> {
    let ask = |_: &str| {
        let nearest = near
            .iter()
            .map(|name| (NodeId::derive(&[name]), 0.5))
            .collect();
        Ok(Some(SimilarSymbols {
            nearest,
            source: VectorSource::Lexical,
        }))
    };

    let hits = search(
        &reader.snapshot().unwrap(),
        sentence,
        &SearchFilter::default(),
        50,
        Evidence {
            near: &ask,
            ..Evidence::default()
        },
    )
    .unwrap()
    .hits;

    let reason = |MatchedBy { name, words, near }: MatchedBy| {
        [(name, "name"), (words, "words"), (near.is_some(), "near")]
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, word)| word)
            .collect::<Vec<_>>()
    };

    let shown = |hit: Hit| {
        format!(
            "{} {}",
            hit.node.qualified_name,
            hit.score
                .map_or_else(String::new, |score| reason(score.matched).join("+"))
        )
    };

    hits.into_iter().map(shown).collect()
}

#[test]
fn a_sentence_is_searched_by_words_and_vectors() {
    let (_folder, reader) = store();
    let first = |sentence: &str, near| {
        answers_to(&reader, sentence, near)
            .into_iter()
            .next()
            .unwrap_or_default()
    };
    // Word stems match anywhere in a name
    assert_eq!(
        first("which symbol is handing out connections", None),
        "Net.Http.HttpClientFactory.CreateClient words"
    );

    // A similar symbol without a word in common
    assert_eq!(
        first(
            "checks who somebody is",
            Some("src/auth/service.ts#AuthService.authenticate")
        ),
        "src/auth/service.ts#AuthService.authenticate near"
    );

    // Two reasons rank above one
    assert_eq!(
        first("the total of an order", Some("Shop.Order.Total")),
        "Shop.Order.Total words+near"
    );

    assert_eq!(first("checks who somebody is", None), "");
}

#[test]
fn names_with_all_words_come_first_in_word_order() {
    let (_folder, reader) = store();
    let plain = search(
        &reader.snapshot().unwrap(),
        "http client factory",
        &SearchFilter::default(),
        50,
        Evidence::default(),
    )
    .unwrap();

    let hybrid = answers_to(&reader, "http client factory", Some("Shop.Cart"));

    let named: Vec<String> = hybrid
        .iter()
        .filter_map(|row| Some(row.strip_suffix(" name")?.to_owned()))
        .collect();

    assert!(
        named.len() >= 3
            && hybrid.iter().position(|row| row == "Shop.Cart near") >= Some(named.len()),
        "{hybrid:?}"
    );

    let plain: Vec<&str> = plain
        .hits
        .iter()
        .map(|hit| hit.node.qualified_name.as_str())
        .collect();

    assert!(
        plain.starts_with(&named.iter().map(String::as_str).collect::<Vec<_>>()),
        "{plain:?} {named:?}"
    );
}

#[test]
fn name_queries_keep_their_order() {
    let (_folder, reader) = store();
    for query in [
        "HttpClientFactory",
        "client factory",
        "http client fac*",
        "name:Cart NOT item",
        "HCF",
        "Shop.Cart.Total",
    ] {
        let ask = |_: &str| -> Result<Option<SimilarSymbols>, StoreError> {
            panic!("{query} was asked as language")
        };

        let hits = search(
            &reader.snapshot().unwrap(),
            query,
            &SearchFilter::default(),
            50,
            Evidence {
                near: &ask,
                ..Evidence::default()
            },
        )
        .unwrap()
        .hits;

        assert!(
            !hits.is_empty() && hits.iter().all(|hit| hit.score.is_none()),
            "{query}"
        );
    }
}

#[test]
fn similar_symbols_are_filtered_too() {
    let (_folder, reader) = store();
    let methods = SearchFilter {
        node_type: Some(NodeType::Method),
        ..SearchFilter::default()
    };

    let ids = ["Shop.Cart", "Shop.Cart.Total"].map(|name| (NodeId::derive(&[name]), 0.5));
    let ask = |_: &str| {
        Ok(Some(SimilarSymbols {
            nearest: ids.to_vec(),
            source: VectorSource::Lexical,
        }))
    };

    let hits = search(
        &reader.snapshot().unwrap(),
        "where is it reckoned",
        &methods,
        50,
        Evidence {
            near: &ask,
            ..Evidence::default()
        },
    )
    .unwrap()
    .hits;

    assert_eq!(
        hits.iter()
            .map(|hit| hit.node.qualified_name.as_str())
            .collect::<Vec<_>>(),
        ["Shop.Cart.Total"]
    );
}
