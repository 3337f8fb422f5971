//! A one-page language: implementing `LanguageSupport` is enough to get from a text to an edge.
//!
//! ```text
//! def greet
//!     call speak
//! ```
//!
//! It takes the place of C# in the registry and borrows its name; a real language has its own
//! (docs/CONTRIBUTING.md, "Add a language").

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::dependencies::{DependencyKey, KeyTable};
use codeagent_lang::explain::Report;
use codeagent_lang::lower::builder::Builder;
use codeagent_lang::nodes::{Container, Identity, MergeKey, NodeTable};
use codeagent_lang::project::{ProjectModel, ProjectSet, ReadProjects};
use codeagent_lang::query::names::Names;
use codeagent_lang::query::tracked_world::TrackedWorld;
use codeagent_lang::{
    Branch, DeclRef, FileId, FileShift, IndexInput, LanguageIndex, LanguageSupport, Languages,
    LocalName, Reference, Resolution, Surroundings, Target, World, WorldFile,
};
use codeagent_model::facts::{
    Accessors, DeclFlags, DeclId, DeclKind, Detail, Expr, Facts, List, Site, SiteKind, Subject,
    Sym, TypeId,
};
use codeagent_model::graph::{Confidence, Dialect, EdgeType, Language};
use smallvec::{SmallVec, smallvec};

const LANGUAGES: Languages = Languages::new(&[&Toy]);

const FUNCTIONS: KeyTable = KeyTable::names("toy:function");

struct Toy;

/// A language without project files.
#[derive(Debug)]
struct NoProjects;

impl ProjectSet for NoProjects {
    fn path(&self, _index: u32) -> &str {
        "."
    }

    fn find(&self, _path: &str) -> Option<u32> {
        None
    }

    fn may_own(&self, _path: &str) -> bool {
        false
    }

    fn assign(&mut self, _path: &str, _index: u32) {}
}

/// Declarations by name.
struct Functions(BTreeMap<String, DeclRef>);

impl LanguageIndex for Functions {
    fn replace(&mut self, _file: FileId, _old: &Facts, _now: &WorldFile) -> bool {
        false
    }

    fn shift(&mut self, shift: FileShift, _file: &WorldFile, _projects: &ProjectModel) {
        for decl in self.0.values_mut() {
            decl.file = shift.renumber(decl.file);
        }
    }
}

/// Parses lines `def NAME`, each followed by lines `call NAME`.
fn lower(text: &str) -> Facts {
    let mut builder = Builder::new(text, Dialect::CSharp);
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let name_of = |word: &str| line.trim().strip_prefix(word).map(str::trim);
        let name_at = |name: &str| offset + line.rfind(name).unwrap_or_default();
        if let Some(name) = name_of("def ") {
            let at = builder.position(name_at(name));
            let sym = builder.name_sym(name);
            let id = builder.declare(sym, DeclKind::Function, DeclFlags::default(), at);
            let rest = text[offset..].trim_end();
            let end = offset + rest.find("\ndef ").unwrap_or(rest.len());
            builder.set_detail(id, detail(builder.span(offset, end)));
            builder.owner = id;
        } else if let Some(name) = name_of("call ") {
            let at = builder.position(name_at(name));
            let sym = builder.name_sym(name);
            let callee = builder.expr(Expr::Name(sym, builder.scope, at.offset));
            let call = builder.begin_call(callee, List::default());
            builder.finish_call(call, Vec::new());
            let value = builder.fresh_expr(Expr::Call(call));
            builder.site(SiteKind::Call, Subject::Expr(value), at);
        }
        offset += line.len();
    }
    builder.finish(None)
}

fn detail(span: codeagent_model::span::Span) -> Detail {
    Detail {
        span,
        access: None,
        parameters: Sym::NONE,
        type_text: Sym::NONE,
        doc: Sym::NONE,
        deprecated: false,
        accessors: Accessors::default(),
        explicit_interface: TypeId::NONE,
        body_hash: [0; 8],
    }
}

/// Returns the name that a site calls.
fn called(facts: &Facts, site: &Site) -> Option<Sym> {
    let Subject::Expr(value) = site.subject else {
        return None;
    };
    let Expr::Call(call) = facts.expr(value) else {
        return None;
    };
    match facts.expr(facts.calls[call.index()].callee) {
        Expr::Name(name, ..) => Some(name),
        _ => None,
    }
}

impl LanguageSupport for Toy {
    fn language(&self) -> Language {
        Language::CSharp
    }

    fn grammar_version(&self) -> usize {
        0
    }

    fn extract(&self, text: &str, _dialect: Dialect, _defines: &[String]) -> Facts {
        lower(text)
    }

    fn local_names(&self, _text: &str, _dialect: Dialect, _defines: &[String]) -> Vec<LocalName> {
        Vec::new()
    }

    fn surroundings(&self, _text: &str, _dialect: Dialect, offsets: &[usize]) -> Vec<Surroundings> {
        vec![Surroundings::default(); offsets.len()]
    }

    fn branches(&self, _text: &str, _dialect: Dialect) -> (Vec<Branch>, bool) {
        (Vec::new(), true)
    }

    fn is_project_file(&self, _name: &str) -> bool {
        false
    }

    fn read_projects(
        &self,
        _paths: &[String],
        _texts: &Arc<BTreeMap<String, Arc<str>>>,
    ) -> ReadProjects {
        ReadProjects {
            set: Box::new(NoProjects),
            owners: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    fn build_index(&self, input: IndexInput<'_>) -> Option<Box<dyn LanguageIndex>> {
        let mut functions = BTreeMap::new();
        for (number, file) in input.files.iter().enumerate() {
            let facts = &file.facts;
            let declared = facts.decl_ids().map(|decl| {
                let file = FileId(number as u32);
                (facts.decl_name(decl).to_owned(), DeclRef { file, decl })
            });
            functions.extend(declared);
        }
        Some(Box::new(Functions(functions)))
    }

    fn link(&self, file: FileId, world: &World) -> Resolution {
        let session = TrackedWorld::new(world, file);
        let functions: &Functions = world.index();
        let facts = session.own_facts();
        let mut resolution = Resolution::default();
        for site in &facts.sites {
            let Some(name) = called(facts, site) else {
                continue;
            };
            resolution.calls += 1;
            session.record_text_lookup(FUNCTIONS, facts.text(name));
            let Some(target) = functions.0.get(facts.text(name)) else {
                continue;
            };
            session.read(target.file);
            resolution.calls_resolved += 1;
            resolution.uses.push(Reference {
                source: site.owner,
                edge_type: EdgeType::Calls,
                confidence: Confidence::Exact,
                targets: vec![Target::Decl(*target)],
                at: site.at,
            });
        }

        resolution.dependencies = session.finish(&Names::default());
        resolution
    }

    fn explain(&self, _site: Site, report: &mut Report<'_>) -> Resolution {
        report.line(1, "the function of that name");
        self.link(report.file, report.world)
    }

    fn provided_keys(&self, facts: &Facts) -> Vec<DependencyKey> {
        let names = facts.decl_ids().map(|decl| facts.decl_name(decl));
        let mut keys: Vec<DependencyKey> = names.map(|name| FUNCTIONS.key(name)).collect();
        keys.sort_unstable();
        keys
    }

    fn keys_of_member(&self, facts: &Facts, piece: DeclId) -> SmallVec<[DependencyKey; 3]> {
        smallvec![FUNCTIONS.key(facts.decl_name(piece))]
    }

    fn identity(&self, file: &WorldFile, decl: DeclId, _parent: Option<Container<'_>>) -> Identity {
        Identity {
            language: Language::CSharp,
            space: "",
            qualified_name: file.facts.decl_name(decl).to_owned(),
            disambiguator: String::new(),
            merge_key: MergeKey::Alone,
        }
    }
}

#[test]
fn a_language_needs_its_trait_and_a_line_in_the_registry() {
    let file = |path: &str, text: &str| WorldFile {
        path: Arc::from(path),
        facts: Arc::new(LANGUAGES.extract(text, Dialect::CSharp, &[])).into(),
        external: false,
        package: None,
    };
    let files = vec![
        file("a.cs", "def greet\n    call speak\n    call nobody\n"),
        file("b.cs", "def speak\n"),
    ];
    let world = World::build(files, Arc::new(ProjectModel::empty(LANGUAGES)));
    let nodes = NodeTable::build(&world);

    let resolution = codeagent_lang::link(FileId(0), &world);
    assert_eq!((resolution.calls, resolution.calls_resolved), (2, 1));
    assert_eq!(resolution.dependencies.files, [FileId(1)]);

    let edges: Vec<(String, u32)> = nodes
        .edges(FileId(0), &resolution)
        .iter()
        .filter(|edge| edge.edge_type == EdgeType::Calls)
        .map(|edge| {
            let target = nodes.nodes().find(|node| node.id == edge.target);
            (target.unwrap().qualified_name, edge.line)
        })
        .collect();
    assert_eq!(edges, [("speak".to_owned(), 2)]);
}
