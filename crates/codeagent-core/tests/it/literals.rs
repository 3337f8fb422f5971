//! String literals in the index: their locations and their lookup.

use codeagent_core::query::{Enclosing, literal_sites, literals_in, literals_of};

use crate::repository::Repository;

const FILES: &[(&str, &str)] = &[
    (
        "client.ts",
        "declare const client: any;\nexport class Documents {\n  archive(id: string) {\n    client.post('/documents.archive', { id });\n    \
         client.get(`/documents/${id}`);\n    return 'Archived it.';\n  }\n}\n",
    ),
    (
        "server.ts",
        "import { Documents } from './client';\ndeclare const router: any;\nrouter.post('documents.archive', () => new Documents());\nrouter.get('documents/:id', () => \
         process.env.DOCUMENTS_URL);\n",
    ),
    (
        "Server.cs",
        "public class Server {\n    [HttpGet(\"Documents/{id:int}\")]\n    public void Get(int id) { Fetch($\"documents/{id}\"); }\n    void \
         Fetch(string url) { }\n}\n",
    ),
];

fn around(enclosing: &Enclosing) -> String {
    match &enclosing.callback {
        Some(callback) => callback.label.clone(),
        None => enclosing.node.name.clone(),
    }
}

#[test]
fn literals_are_found_however_they_are_written() {
    let mut repository = Repository::of(FILES);
    repository.index();
    let engine = repository.engine.take().unwrap();
    let snapshot = engine.reader().snapshot().unwrap();

    let sites = |text: &str| -> Vec<(String, u32, String)> {
        literal_sites(&snapshot, text, 10)
            .unwrap()
            .into_iter()
            .map(|site| (site.path, site.line, around(&site.enclosing)))
            .collect()
    };
    let expected = |sites: &[(&str, u32, &str)]| -> Vec<(String, u32, String)> {
        sites
            .iter()
            .map(|(path, line, name)| ((*path).to_owned(), *line, (*name).to_owned()))
            .collect()
    };

    assert_eq!(
        sites("documents.archive"),
        expected(&[
            ("client.ts", 4, "archive"),
            ("server.ts", 3, "router.post \"documents.archive\""),
        ])
    );
    assert_eq!(
        sites("/documents/:id"),
        expected(&[
            ("Server.cs", 2, "Get"),
            ("Server.cs", 3, "Get"),
            ("client.ts", 5, "archive"),
            ("server.ts", 4, "router.get \"documents/:id\""),
        ])
    );
    assert_eq!(
        sites("DOCUMENTS_URL"),
        expected(&[("server.ts", 4, "router.get \"documents/:id\"")])
    );
    assert!(
        sites("./client").is_empty(),
        "module specifiers are no literals"
    );
    assert!(sites("Archived it.").is_empty(), "prose is no literal");
}

#[test]
fn keys_of_procedures_are_found() {
    let procedures = "declare const router: any, procedure: any;\nexport const routes = router({\n  create: procedure.input(1).mutation(() => {}),\n  \
        limit: 3,\n});\nexport function inside(list: any) {\n  return { items: list.map(() => 1) };\n}\n";
    let mut repository = Repository::of(&[("procedures.ts", procedures)]);
    repository.index();
    let engine = repository.engine.take().unwrap();
    let snapshot = engine.reader().snapshot().unwrap();

    let found = literal_sites(&snapshot, "create", 10).unwrap();
    let places: Vec<(u32, String)> = found
        .iter()
        .map(|site| (site.line, around(&site.enclosing)))
        .collect();
    assert_eq!(places, [(3, "create".to_owned())]);
    for key in ["limit", "items"] {
        assert!(
            literal_sites(&snapshot, key, 10).unwrap().is_empty(),
            "{key}"
        );
    }
}

#[test]
fn literals_of_a_span_are_listed() {
    let mut repository = Repository::of(FILES);
    repository.index();
    let engine = repository.engine.take().unwrap();
    let snapshot = engine.reader().snapshot().unwrap();

    let texts = |literals: Vec<codeagent_core::query::Literal>| -> Vec<String> {
        literals.into_iter().map(|literal| literal.text).collect()
    };
    let archive = codeagent_core::query::resolve_symbol(&snapshot, "Documents.archive").unwrap();
    assert_eq!(
        texts(literals_of(&snapshot, archive.id).unwrap()),
        ["/documents.archive", "/documents/${id}"]
    );
    assert_eq!(
        texts(literals_in(&snapshot, "server.ts", &(3..=3)).unwrap()),
        ["documents.archive"]
    );
}

#[test]
fn edits_replace_literals_and_callbacks() {
    let mut repository = Repository::of(FILES);
    repository.index();
    repository.write(&[(
        "server.ts",
        "declare const router: any;\n\nrouter.post('documents.remove', () => {});\n",
    )]);
    repository.index();
    std::fs::remove_file(repository.path("client.ts")).unwrap();
    repository.index();

    let engine = repository.engine.take().unwrap();
    let snapshot = engine.reader().snapshot().unwrap();
    assert!(
        literal_sites(&snapshot, "documents.archive", 10)
            .unwrap()
            .is_empty()
    );
    let removed = literal_sites(&snapshot, "documents.remove", 10).unwrap();
    assert_eq!(
        around(&removed[0].enclosing),
        "router.post \"documents.remove\""
    );
}
