//! C# support: from the text of a file to the edges of the graph.
//!
//! The modules in the order in which a file passes through them:
//!
//! | module | contents |
//! |---|---|
//! | [`syntax`] | tokens, preprocessor conditions, repairs for constructs the grammar gets wrong, parsing |
//! | [`lower`] | lowering of the syntax tree to `Facts` |
//! | [`project`] | csproj, props and targets: the files, references and symbols of a project |
//! | [`stdlib`] | declarations of .NET and of packages, read from assembly metadata |
//! | [`resolve`] | resolution of one file: names, types, overloads, edges |
//!
//! [`CSharp`] is the interface to the rest of the product.

pub mod lower;
pub mod project;
pub mod resolve;
pub mod stdlib;
pub mod syntax;

use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::dependencies::DependencyKey;
use codeagent_lang::explain::Report;
use codeagent_lang::lower::branches::branches;
use codeagent_lang::nodes::{Container, Identity};
use codeagent_lang::project::ReadProjects;
use codeagent_lang::{
    Branch, FileId, IndexInput, LanguageIndex, LanguageSupport, LocalName, PublishedFile,
    Resolution, Surroundings, World, WorldFile,
};
use codeagent_model::facts::{DeclId, Facts, Site};
use codeagent_model::graph::{Dialect, Language};
use smallvec::SmallVec;

use crate::resolve::{PackageAssemblies, Tables};

/// The language C#.
pub struct CSharp;

impl LanguageSupport for CSharp {
    fn language(&self) -> Language {
        Language::CSharp
    }

    fn grammar_version(&self) -> usize {
        tree_sitter::Language::from(tree_sitter_c_sharp::LANGUAGE).abi_version()
    }

    fn extract(&self, text: &str, _dialect: Dialect, defines: &[String]) -> Facts {
        lower::extract(text, defines)
    }

    fn local_names(&self, text: &str, _dialect: Dialect, defines: &[String]) -> Vec<LocalName> {
        lower::local_names(text, defines)
    }

    fn surroundings(&self, text: &str, _dialect: Dialect, offsets: &[usize]) -> Vec<Surroundings> {
        lower::surroundings(text, offsets)
    }

    fn branches(&self, text: &str, _dialect: Dialect) -> (Vec<Branch>, bool) {
        let parsed = syntax::parse::parse(text, &[]);
        parsed.map_or_else(Default::default, |parsed| {
            let is_whole = parsed.errors.bytes == 0;
            (branches(parsed.tree.root_node()), is_whole)
        })
    }

    fn conditions(&self, text: &str, defines: &[String]) -> String {
        syntax::conditions::mentioned(text, defines)
    }

    fn is_project_file(&self, name: &str) -> bool {
        project::is_project_file(name)
    }

    fn read_projects(
        &self,
        paths: &[String],
        texts: &Arc<BTreeMap<String, Arc<str>>>,
    ) -> ReadProjects {
        project::read(paths, texts)
    }

    fn build_index(&self, input: IndexInput<'_>) -> Option<Box<dyn LanguageIndex>> {
        let packages = input.installed.get::<PackageAssemblies>();
        let packages = packages.as_ref().map_or(&[][..], |all| &all.0);
        let mut tables = Tables::build(input.files, input.projects, packages);
        tables.add_libraries(input.files, input.projects);
        Some(Box::new(tables))
    }

    fn link(&self, file: FileId, world: &World) -> Resolution {
        resolve::link(file, world)
    }

    fn explain(&self, site: Site, report: &mut Report<'_>) -> Resolution {
        resolve::explain(site, report)
    }

    fn provided_keys(&self, facts: &Facts) -> Vec<DependencyKey> {
        resolve::provided_keys(facts)
    }

    fn keys_of_member(&self, facts: &Facts, member: DeclId) -> SmallVec<[DependencyKey; 3]> {
        resolve::keys_of_member(facts, member)
    }

    fn identity(&self, file: &WorldFile, decl: DeclId, parent: Option<Container<'_>>) -> Identity {
        resolve::identity(&file.facts, decl, parent)
    }

    fn adds_files(&self) -> bool {
        true
    }

    fn published_names(&self, file: PublishedFile<'_>) -> Vec<(DeclId, String)> {
        stdlib::published_names::published_names(file)
    }

    fn is_outermost(&self, facts: &Facts, decl: DeclId) -> bool {
        resolve::is_outermost(facts, decl)
    }
}

/// A registry with only this language.
#[cfg(test)]
const LANGUAGES: codeagent_lang::Languages = codeagent_lang::Languages::new(&[&CSharp]);
