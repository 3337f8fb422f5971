//! TypeScript and JavaScript: from the text of a file to the edges of the graph.
//!
//! A file passes through the modules in this order:
//!
//! | module | contents |
//! |---|---|
//! | `syntax` | repairs of text that the grammar misreads; node kinds |
//! | [`lower`] | lowering of the tree to `Facts` |
//! | `javascript` | lowering of untyped JavaScript: JSDoc, CommonJS, prototypes |
//! | [`project`] | tsconfig and package.json: owners of files, packages of the repository |
//! | [`stdlib`] | bundled declarations of ECMAScript, browsers and well-known npm packages |
//! | [`resolve`] | resolution of one file: modules, names, types, overloads, edges |
//!
//! [`TypeScript`] is the interface to the rest of the product.

mod javascript;
pub mod lower;
pub mod project;
pub mod resolve;
pub mod stdlib;
mod syntax;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use codeagent_lang::dependencies::DependencyKey;
use codeagent_lang::explain::Report;
use codeagent_lang::nodes::{Container, Identity};
use codeagent_lang::project::{ProjectModel, ReadProjects};
use codeagent_lang::{
    Branch, DeclarationOutline, FileId, IndexInput, InstalledPackages, LanguageIndex,
    LanguageSupport, LocalName, PublishedFile, Resolution, Surroundings, World, WorldFile,
};
use codeagent_model::facts::{DeclId, Facts, Site, Sym};
use codeagent_model::graph::{Dialect, Language};
use smallvec::SmallVec;

use crate::resolve::{PackageAnswers, Tables};

/// The language TypeScript, with JavaScript.
pub struct TypeScript;

/// Returns the resolved specifiers of installed packages; empty if none were looked up.
fn package_answers(installed: &InstalledPackages) -> Arc<PackageAnswers> {
    installed.get().unwrap_or_default()
}

impl LanguageSupport for TypeScript {
    fn language(&self) -> Language {
        Language::TypeScript
    }

    fn grammar_version(&self) -> usize {
        tree_sitter::Language::from(tree_sitter_typescript::LANGUAGE_TYPESCRIPT).abi_version()
    }

    fn extract(&self, text: &str, dialect: Dialect, _defines: &[String]) -> Facts {
        lower::extract(text, dialect)
    }

    fn extract_declarations(&self, text: &str, dialect: Dialect) -> Facts {
        lower::extract_declarations(text, dialect)
    }

    fn local_names(&self, text: &str, dialect: Dialect, _defines: &[String]) -> Vec<LocalName> {
        lower::local_names(text, dialect)
    }

    fn surroundings(&self, text: &str, dialect: Dialect, offsets: &[usize]) -> Vec<Surroundings> {
        lower::surroundings(text, dialect, offsets)
    }

    fn branches(&self, text: &str, dialect: Dialect) -> (Vec<Branch>, bool) {
        lower::branches(text, dialect)
    }

    fn outline_declarations(&self, text: &str, dialect: Dialect) -> Option<DeclarationOutline> {
        lower::outline(text, dialect)
    }

    fn is_project_file(&self, name: &str) -> bool {
        project::is_project_file(name)
    }

    fn add_extended(
        &self,
        texts: &mut BTreeMap<String, Arc<str>>,
        read: &mut dyn FnMut(&str) -> Option<Arc<str>>,
    ) {
        project::add_extended(texts, read);
    }

    fn read_projects(
        &self,
        paths: &[String],
        texts: &Arc<BTreeMap<String, Arc<str>>>,
    ) -> ReadProjects {
        project::read(paths, texts)
    }

    fn library_files(
        &self,
        files: &[WorldFile],
        projects: &ProjectModel,
        installed: &InstalledPackages,
        known: &[WorldFile],
    ) -> Vec<WorldFile> {
        resolve::library_files(files, projects, &package_answers(installed), known)
    }

    fn build_index(&self, input: IndexInput<'_>) -> Option<Box<dyn LanguageIndex>> {
        let installed_now = package_answers(input.installed);
        let modules = input.before.and_then(|(index, installed)| {
            let tables = (index as &mut dyn Any).downcast_mut::<Tables>()?;
            (package_answers(installed) == installed_now).then(|| tables.take_modules())
        });
        let tables = Tables::build(
            input.files,
            input.projects,
            (modules, &installed_now),
            input.cancel,
        )?;
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

    fn specifiers(&self, facts: &Facts) -> Vec<Sym> {
        resolve::specifiers(facts)
    }

    fn module_answers<'w>(&self, file: FileId, world: &'w World) -> Option<Vec<&'w str>> {
        Some(resolve::module_answers(file, world))
    }

    fn programs<'w>(&self, file: FileId, world: &'w World) -> Option<Vec<&'w str>> {
        Some(world.index::<Tables>().programs(file).0.collect())
    }

    fn object_functions<'f>(&self, facts: &'f Facts) -> Vec<&'f str> {
        resolve::object_functions(facts)
    }

    fn identity(&self, file: &WorldFile, decl: DeclId, parent: Option<Container<'_>>) -> Identity {
        resolve::identity(file, decl, parent)
    }

    fn adds_files(&self) -> bool {
        true
    }

    fn published_names(&self, file: PublishedFile<'_>) -> Vec<(DeclId, String)> {
        resolve::published_names(file)
    }

    fn is_component(&self, facts: &Facts, decl: DeclId) -> bool {
        resolve::is_component(facts, decl)
    }

    fn decorated_components(&self, facts: &Facts) -> Vec<DeclId> {
        resolve::decorated_components(facts)
    }
}

/// A registry with only this language.
#[cfg(test)]
const LANGUAGES: codeagent_lang::Languages = codeagent_lang::Languages::new(&[&TypeScript]);
