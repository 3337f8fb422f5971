//! ECMAScript exports: flags on declarations, export clauses, `export *`, `export default e`,
//! `export = e`.
//!
//! Limitations: `export as namespace X` is not read.

use codeagent_model::facts::*;

use crate::lower::lowering::{EnclosingStatement, Lowering};
use crate::lower::signature_text::DeclText;
use crate::syntax::repair::EditKind;
use crate::syntax::syntax::{Child, Children, Field, Kind};

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers `export ..`.
    pub fn export_statement(&mut self, child: Child<'tree>) {
        if self.b.facts.scope(self.b.scope).kind == ScopeKind::File {
            self.b.facts.header.is_module = true;
        }

        let children = self.children(child);

        let mut flags = self.ambient | DeclFlags::EXPORT;
        if children.has(Kind::DefaultToken) {
            flags.insert(DeclFlags::DEFAULT);
        }

        self.decorators
            .extend(children.iter().filter(|kid| kid.kind == Kind::Decorator));

        if let Some(declaration) = children.get(Field::Declaration) {
            self.statement(
                declaration,
                Some(EnclosingStatement {
                    start: child.start(),
                    end: child.end(),
                    flags,
                }),
            );
        } else if let Some(value) = children.get(Field::Value) {
            let outer = EnclosingStatement {
                start: child.start(),
                end: child.end(),
                flags,
            };
            match value.kind {
                // Declarations without names.
                Kind::FunctionExpression | Kind::GeneratorFunction => {
                    self.function_declaration(value, Some(outer))
                }
                Kind::Class => {
                    self.class_like(value, Some(outer), Context::None);
                }
                _ => self.default_export(child, value, flags),
            }
        } else if children.has(Kind::Equals) {
            if let Some(value) = children.first() {
                let value_expr = self.expr(value, Context::None);
                let export = Export {
                    value: value_expr,
                    ..self.export_of(ExportKind::Assign, value)
                };
                self.b.facts.exports.push(export);
            }
        } else {
            self.export_clauses(&children);
        }

        self.decorators.clear();
    }

    fn default_export(&mut self, child: Child<'tree>, value: Child<'tree>, flags: DeclFlags) {
        let name = self.b.sym_owned("default");
        let at = self.at(child);
        let id = self.b.declare(name, DeclKind::DefaultExport, flags, at);
        self.show(
            id,
            DeclText {
                start: child.start(),
                end: child.end(),
                ..DeclText::default()
            },
        );
        let owner = std::mem::replace(&mut self.b.owner, id);
        let init = self.expr(value, Context::None);
        self.b.decl(id).init = init;
        self.b.owner = owner;
    }

    /// Returns an export clause written at a node.
    pub fn export_of(&self, kind: ExportKind, at: Child<'tree>) -> Export {
        Export {
            kind,
            name: Sym::NONE,
            local: Sym::NONE,
            module: Sym::NONE,
            value: ExprId::NONE,
            scope: self.b.scope,
            type_only: false,
            at: self.at(at),
        }
    }

    fn add_export(&mut self, export: Export) {
        self.b.facts.exports.push(export);
        let id = ExportId(self.b.facts.exports.len() as u32 - 1);
        self.b
            .site(SiteKind::Export, Subject::Export(id), export.at);
    }

    fn export_clauses(&mut self, children: &Children<'tree>) {
        let source = children.get(Field::Source);
        let module = source.map_or(Sym::NONE, |source| self.string(source));
        let type_only = children.has(Kind::TypeToken);

        let mut starred = None;
        for kid in children.iter() {
            match kid.kind {
                Kind::ExportClause => {
                    for specifier in self
                        .children(kid)
                        .named()
                        .filter(|part| part.kind == Kind::ExportSpecifier)
                    {
                        self.export_specifier(specifier, module, type_only);
                    }
                }
                Kind::NamespaceExport => {
                    starred = None;
                    let Some(name) = self.children(kid).first() else {
                        continue;
                    };
                    let star = self.export_of(ExportKind::StarAs, source.unwrap_or(name));
                    let name = self.string(name);
                    let type_only = self.is_type_star(kid);
                    self.add_export(Export {
                        name,
                        module,
                        type_only,
                        ..star
                    });
                }
                Kind::Star => starred = Some(kid),
                _ => {}
            }
        }

        if let (Some(star), Some(source)) = (starred, source) {
            let export = self.export_of(ExportKind::Star, source);
            let type_only = self.is_type_star(star);
            self.add_export(Export {
                module,
                type_only,
                ..export
            });
        }
    }

    /// Reports whether the `type` before `*` was blanked.
    fn is_type_star(&self, star: Child<'tree>) -> bool {
        let before = self.b.text.get(..star.start()).unwrap_or("").trim_end();
        before.ends_with("type") && self.was(EditKind::TypeStar, before.len() - 4)
    }

    fn export_specifier(&mut self, specifier: Child<'tree>, module: Sym, type_only: bool) {
        let children = self.children(specifier);
        let Some(local) = children.get(Field::Name) else {
            return;
        };

        let kind = if module.is_none() {
            ExportKind::Local
        } else {
            ExportKind::From
        };
        let base = self.export_of(kind, local);
        let local = self.string(local);
        let name = children
            .get(Field::Alias)
            .map_or(local, |alias| self.string(alias));

        self.add_export(Export {
            name,
            local,
            module,
            type_only: type_only || children.has(Kind::TypeToken),
            ..base
        });
    }
}
