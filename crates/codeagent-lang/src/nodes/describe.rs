//! The properties that a node takes from its declaration: kind, flags, signature and span.

use codeagent_model::facts::{
    Accessors, DeclFlags, DeclId, DeclKind, Declaration, ExportKind, Expr, ExprId, Facts,
    ScopeKind, Sym,
};
use codeagent_model::graph::{Access, Node, NodeFlags, NodeKind, NodeSpan, NodeType};

use crate::nodes::make::NodeContext;

/// Returns the node of a declaration as if it had no other.
pub(super) fn node(context: &NodeContext<'_>, decl: DeclId, qualified_name: String) -> Node {
    let file = &context.file.file;
    let facts = &*file.facts;
    let declaration = facts.decl(decl);
    let detail = facts
        .detail(decl)
        .expect("only declarations with a detail are nodes");

    let kind = kind(facts, decl).expect("only declarations with a kind are nodes");
    let text = |sym: Sym| sym.some().map(|sym| facts.text(sym).to_owned());
    let name = facts.decl_name(decl);
    let name = if declaration.kind == DeclKind::Namespace {
        name.rsplit('.').next().unwrap_or(name)
    } else {
        name
    };

    let function = holder(facts, declaration);

    Node {
        id: context.id,
        parent: context.parent,
        project_id: context.file.project.to_string(),
        name: name.to_owned(),
        qualified_name,
        node_type: if context.support.is_component(facts, decl) {
            NodeType::Component
        } else {
            kind.node_type()
        },
        kind,
        language: facts.header.dialect.language(),
        access: detail.access,
        flags: flags(facts, decl),
        type_parameters: type_parameters(facts, function),
        parameter_signature: text(detail.parameters),
        parameter_count: detail
            .parameters
            .some()
            .map(|_| facts.list(function.params).len() as u32),
        return_type: text(detail.type_text),
        doc: text(detail.doc),
        spans: vec![NodeSpan {
            path: file.path.to_string(),
            span: detail.span,
            name_line: declaration.at.line,
            name_column: declaration.at.column,
        }],
    }
}

/// Returns `<TKey, TValue>`; `None` if a declaration is not generic.
fn type_parameters(facts: &Facts, declaration: &Declaration) -> Option<String> {
    let names: Vec<&str> = facts
        .list(declaration.type_params)
        .iter()
        .map(|parameter| facts.decl_name(*parameter))
        .collect();
    (!names.is_empty()).then(|| format!("<{}>", names.join(", ")))
}

/// Ranks how well a declaration describes its node: a class before an interface or namespace merged
/// with it, a getter before the setter, then the part with most members, then the one with a body.
pub fn weight(facts: &Facts, decl: DeclId) -> u32 {
    let declaration = facts.decl(decl);
    let members = match declaration.inner.some() {
        Some(inner) if declaration.kind != DeclKind::Namespace => facts.decls[decl.index()..]
            .iter()
            .skip(1)
            .take_while(|other| {
                other.at.offset
                    < facts
                        .detail(decl)
                        .map_or(0, |detail| detail.span.end_offset)
            })
            .filter(|other| other.scope == inner)
            .count() as u32,
        _ => 0,
    };

    let leads = !matches!(declaration.kind, DeclKind::Namespace | DeclKind::Interface);
    let reads = declaration.kind == DeclKind::Getter;
    (u32::from(leads) << 24)
        + (u32::from(reads) << 23)
        + members * 2
        + u32::from(declaration.flags.has(DeclFlags::HAS_BODY))
}

/// Returns the node kind of a declaration; `None` if it is not a node.
pub fn kind(facts: &Facts, decl: DeclId) -> Option<NodeKind> {
    let declaration = facts.decl(decl);

    Some(match declaration.kind {
        DeclKind::Namespace => NodeKind::Namespace,
        DeclKind::AmbientModule => NodeKind::AmbientModule,
        DeclKind::Class => NodeKind::Class,
        DeclKind::Struct => NodeKind::Struct,
        DeclKind::Record => NodeKind::Record,
        DeclKind::RecordStruct => NodeKind::RecordStruct,
        DeclKind::Interface => NodeKind::Interface,
        DeclKind::Enum => NodeKind::Enum,
        DeclKind::Delegate => NodeKind::Delegate,
        DeclKind::TypeAlias => NodeKind::TypeAlias,
        DeclKind::ExtensionBlock => NodeKind::ExtensionBlock,
        DeclKind::Function if is_local(facts, declaration) => NodeKind::LocalFunction,
        DeclKind::Function => NodeKind::Function,
        DeclKind::LocalFunction => NodeKind::LocalFunction,
        DeclKind::Method | DeclKind::Property if is_of_object(facts, decl) => NodeKind::Function,
        DeclKind::Variable if is_local_variable(facts, declaration) => NodeKind::LocalFunction,
        DeclKind::Method | DeclKind::TopLevel => NodeKind::Method,
        DeclKind::Constructor => NodeKind::Constructor,
        DeclKind::PrimaryConstructor => NodeKind::PrimaryConstructor,
        DeclKind::StaticConstructor => NodeKind::StaticConstructor,
        DeclKind::Finalizer => NodeKind::Finalizer,
        DeclKind::Operator => NodeKind::Operator,
        DeclKind::Conversion => NodeKind::Conversion,
        DeclKind::Property => assigned_kind(facts, declaration).unwrap_or(NodeKind::Property),
        DeclKind::Field => NodeKind::Field,
        DeclKind::Event => NodeKind::Event,
        DeclKind::Indexer => NodeKind::Indexer,
        DeclKind::EnumMember => NodeKind::EnumMember,
        DeclKind::Getter | DeclKind::Setter => NodeKind::Accessor,
        DeclKind::Variable | DeclKind::DefaultExport => {
            match facts.expr(value(facts, declaration.init)) {
                Expr::Function(_) => NodeKind::Function,
                Expr::Class(_) => NodeKind::Class,
                _ => NodeKind::Variable,
            }
        }
        _ => return None,
    })
}

/// Reports whether a declaration is a function of an object literal, which can be called only
/// through the object. CommonJS exports, which have an accessibility, are not.
pub fn is_of_object(facts: &Facts, decl: DeclId) -> bool {
    let declaration = facts.decl(decl);
    let scope = facts.scope(declaration.scope);
    let is_member = scope.kind == ScopeKind::Object
        && scope
            .owner
            .some()
            .is_some_and(|owner| facts.decl(owner).kind == DeclKind::ObjectLiteral);
    is_member
        && facts
            .detail(decl)
            .is_some_and(|detail| detail.access.is_none())
}

/// Reports whether a declaration is part of an object type in the head of a class or interface, which is no member of
/// it: `name` of `class Cart extends Named<{ name: string }>`.
fn is_in_head(facts: &Facts, declaration: &Declaration) -> bool {
    let parent = declaration.parent.some().map(|parent| facts.decl(parent));
    let is_of_type = parent.is_some_and(|parent| {
        let is_type = matches!(parent.kind, DeclKind::Class | DeclKind::Interface);
        is_type && declaration.scope != parent.inner
    });
    is_of_type && facts.scope(declaration.scope).kind == ScopeKind::Object
}

/// Reports whether a variable is declared in a function or block. Such a node holds a function.
fn is_local_variable(facts: &Facts, declaration: &Declaration) -> bool {
    matches!(
        facts.scope(declaration.scope).kind,
        ScopeKind::Function | ScopeKind::Block
    )
}

/// Returns the kind of a CommonJS export, or of a function or class in an object literal: that of
/// its value.
fn assigned_kind(facts: &Facts, declaration: &Declaration) -> Option<NodeKind> {
    let scope = facts.scope(declaration.scope);
    let exported = scope.kind == ScopeKind::File && declaration.flags.has(DeclFlags::EXPORT);
    match facts.expr(value(facts, declaration.init)) {
        Expr::Function(_) if exported || scope.kind == ScopeKind::Object => {
            Some(NodeKind::Function)
        }
        Expr::Class(_) if exported || scope.kind == ScopeKind::Object => Some(NodeKind::Class),
        _ => exported.then_some(NodeKind::Variable),
    }
}

/// Returns the declaration whose parameters a node shows: for a variable, those of the function it
/// holds.
fn holder<'f>(facts: &'f Facts, declaration: &'f Declaration) -> &'f Declaration {
    match facts.expr(value(facts, declaration.init)) {
        Expr::Function(function) if is_value(declaration.kind) => facts.decl(function),
        _ => declaration,
    }
}

fn is_value(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Variable | DeclKind::DefaultExport | DeclKind::Property | DeclKind::Field
    )
}

/// Returns the expression under type-preserving casts.
pub fn value(facts: &Facts, expr: ExprId) -> ExprId {
    match facts.expr(expr) {
        Expr::Satisfies(inner, _) | Expr::Paren(inner) => inner,
        _ => expr,
    }
}

/// Reports whether a declaration is in the body of a function, possibly in a nested block.
fn is_local(facts: &Facts, declaration: &Declaration) -> bool {
    let mut scope = facts.scope(declaration.scope);
    while scope.owner.is_none()
        && let Some(parent) = scope.parent.some()
    {
        scope = facts.scope(parent);
    }
    scope
        .owner
        .some()
        .is_some_and(|owner| is_function(facts.decl(owner).kind))
}

fn is_function(kind: DeclKind) -> bool {
    matches!(
        kind,
        DeclKind::Function
            | DeclKind::LocalFunction
            | DeclKind::Lambda
            | DeclKind::Method
            | DeclKind::Constructor
            | DeclKind::Getter
            | DeclKind::Setter
    )
}

fn flags(facts: &Facts, decl: DeclId) -> NodeFlags {
    let declaration = facts.decl(decl);
    let detail = facts
        .detail(decl)
        .expect("only declarations with a detail are nodes");

    let mut flags = NodeFlags::default();
    flags.set(NodeFlags::STATIC, declaration.flags.has(DeclFlags::STATIC));
    let in_interface = declaration
        .parent
        .some()
        .is_some_and(|parent| facts.decl(parent).kind == DeclKind::Interface);

    let demanded = in_interface
        && !declaration.flags.has(DeclFlags::HAS_BODY)
        && !declaration.flags.has(DeclFlags::STATIC);

    flags.set(
        NodeFlags::ABSTRACT,
        declaration.flags.has(DeclFlags::ABSTRACT) || demanded,
    );

    flags.set(
        NodeFlags::ASYNC,
        holder(facts, declaration).flags.has(DeclFlags::ASYNC),
    );

    flags.set(
        NodeFlags::OVERRIDE,
        declaration.flags.has(DeclFlags::OVERRIDE),
    );

    for (flag, accessor) in [
        (NodeFlags::GETTER, Accessors::GET),
        (NodeFlags::SETTER, Accessors::SET),
        (NodeFlags::INIT, Accessors::INIT),
    ] {
        flags.set(flag, detail.accessors.has(accessor));
    }
    if let Some((access, is_getter)) = detail.accessors.own_access() {
        flags.set_own_access(access, is_getter);
    }

    let is_of_object = is_of_object(facts, decl);
    let is_local = is_of_object
        || is_in_head(facts, declaration)
        || kind(facts, decl) == Some(NodeKind::LocalFunction);
    flags.set(NodeFlags::LOCAL, is_local);
    flags.set(NodeFlags::DEPRECATED, detail.deprecated);
    flags.set(NodeFlags::DOC_COMMENT, !detail.doc.is_none());
    flags.set(NodeFlags::PUBLIC_API, is_public(facts, decl));
    flags
}

/// Reports whether a declaration is reachable from outside its project, judging by its own file.
fn is_public(facts: &Facts, decl: DeclId) -> bool {
    let mut at = decl;

    loop {
        let declaration = facts.decl(at);
        let access = facts.detail(at).and_then(|detail| detail.access);
        let open = matches!(
            access,
            None | Some(Access::Public | Access::Protected | Access::ProtectedInternal)
        );
        let is_local = is_local(facts, declaration)
            || is_of_object(facts, at)
            || is_in_head(facts, declaration)
            || declaration.kind == DeclKind::Variable && is_local_variable(facts, declaration);
        if !open || is_local {
            return false;
        }
        match declaration.parent.some() {
            Some(parent) => at = parent,
            None => return is_exported(facts, declaration),
        }
    }
}

/// Reports whether a top-level declaration is visible to other files; a C# file is not a module.
fn is_exported(facts: &Facts, declaration: &Declaration) -> bool {
    let by_flag =
        declaration.flags.0 & (DeclFlags::EXPORT | DeclFlags::DEFAULT | DeclFlags::GLOBAL).0 != 0;
    by_flag
        || !facts.header.is_module
        || matches!(
            declaration.kind,
            DeclKind::DefaultExport | DeclKind::AmbientModule
        )
        || facts
            .exports
            .iter()
            .any(|export| export.kind == ExportKind::Local && export.local == declaration.name)
}
