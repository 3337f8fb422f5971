//! Facts as text, one declaration, import, export or site per line, for snapshots, `codeagent
//! debug` and explanations of edges.
//!
//! Limitations: for reading and comparing only: offsets of declarations are left out, and
//! expressions are cut off eight levels deep.

use std::fmt::Write as _;

use crate::facts::*;

/// Printed levels of an expression or type.
const LEVELS: u8 = 8;

/// Prints all facts of a text.
#[must_use]
pub fn print(facts: &Facts) -> String {
    let mut out = String::new();
    for import in &facts.imports {
        let name = facts.text(import.name);
        let local = if import.decl.is_none() {
            ""
        } else {
            facts.decl_name(import.decl)
        };
        let only = if import.type_only { " type" } else { "" };
        let global = if import.global { " global" } else { "" };
        let _ = writeln!(
            out,
            "import {:?}{only}{global} {name} as {local} from {}",
            import.kind,
            facts.text(import.module)
        );
    }

    for export in &facts.exports {
        let only = if export.type_only { " type" } else { "" };
        let (name, local, module) = (
            facts.text(export.name),
            facts.text(export.local),
            facts.text(export.module),
        );
        let value = if export.value.is_none() {
            String::new()
        } else {
            format!(" = {}", expr(facts, export.value, LEVELS))
        };
        let _ = writeln!(
            out,
            "export {:?}{only} {local} as {name} from {module}{value}",
            export.kind
        );
    }

    for id in facts.decl_ids() {
        if !matches!(facts.decl(id).kind, DeclKind::Import) {
            let _ = writeln!(out, "{}", declaration(facts, id));
        }
    }

    for Callback { start, end, label } in &facts.callbacks {
        let _ = writeln!(out, "{start}-{end} callback {label}");
    }

    for site in &facts.sites {
        let owner = if site.owner.is_none() {
            "-"
        } else {
            facts.decl_name(site.owner)
        };
        let _ = writeln!(
            out,
            "{}:{} {:?} {} by {owner}",
            site.at.line,
            site.at.column,
            site.kind,
            subject(facts, site.subject)
        );
    }

    out
}

/// Prints an expression.
#[must_use]
pub fn expression(facts: &Facts, id: ExprId) -> String {
    expr(facts, id, LEVELS)
}

/// Prints a written type.
#[must_use]
pub fn written_type(facts: &Facts, id: TypeId) -> String {
    ty(facts, id, LEVELS)
}

/// Prints the subject of a site.
#[must_use]
pub fn site(facts: &Facts, site: &Site) -> String {
    subject(facts, site.subject)
}

fn declaration(facts: &Facts, id: DeclId) -> String {
    let decl = facts.decl(id);

    let mut depth = 0;
    let mut scope = decl.scope;
    while let Some(parent) = facts.scope(scope).parent.some() {
        depth += 1;
        scope = parent;
    }

    let mut line = format!(
        "{}{:?} {}",
        "  ".repeat(depth),
        decl.kind,
        facts.text(decl.name)
    );

    for (flag, word) in FLAGS {
        if decl.flags.has(*flag) {
            let _ = write!(line, " {word}");
        }
    }

    for base in facts.list(decl.bases) {
        let _ = write!(line, " {:?} {}", base.clause, ty(facts, base.ty, LEVELS));
    }

    if !decl.ty.is_none() {
        let _ = write!(line, " : {}", ty(facts, decl.ty, LEVELS));
    }
    if !decl.init.is_none() {
        let _ = write!(line, " = {}", expr(facts, decl.init, LEVELS));
    }
    if !decl.returns.is_empty() {
        let _ = write!(line, " returns {}", exprs(facts, decl.returns));
    }

    push_context(&mut line, facts, decl.context);
    if decl.from > 0 {
        let _ = write!(line, " from {}", decl.from);
    }

    if let Some(detail) = facts.detail(id) {
        push_detail(&mut line, facts, detail);
    }

    line
}

/// Appends the context that gives a declaration its type.
fn push_context(line: &mut String, facts: &Facts, context: Context) {
    match context {
        Context::None => {}
        Context::Argument(call, n) => {
            let _ = write!(
                line,
                " @argument {n} of {}",
                expr(facts, facts.calls[call.index()].callee, LEVELS)
            );
        }
        Context::Typed(to) => drop(write!(line, " @{}", ty(facts, to, LEVELS))),
        Context::Assigned(to) | Context::Element(to) => {
            let _ = write!(line, " @assigned {}", expr(facts, to, LEVELS));
        }
        Context::Property(of, name) => {
            let _ = write!(line, " @property {} of {}", facts.text(name), of.0);
        }
        Context::Returned(by) => drop(write!(line, " @returned {}", facts.decl_name(by))),
        Context::Attribute(of, name) => drop(write!(
            line,
            " @attribute {} of {}",
            facts.text(name),
            expr(facts, of, LEVELS)
        )),
    }
}

/// Appends the details that only nodes need.
fn push_detail(line: &mut String, facts: &Facts, detail: &Detail) {
    let _ = write!(
        line,
        " [{}-{}",
        detail.span.start.line, detail.span.end_line
    );

    for text in [detail.parameters, detail.type_text, detail.doc] {
        if !text.is_none() {
            let _ = write!(line, " {:?}", facts.text(text));
        }
    }
    if !detail.explicit_interface.is_none() {
        let _ = write!(line, " of {}", ty(facts, detail.explicit_interface, LEVELS));
    }
    if detail.deprecated {
        line.push_str(" deprecated");
    }

    let access = detail.access.map_or("", |access| access.as_str());
    let _ = write!(
        line,
        "{}{}]",
        if access.is_empty() { "" } else { " " },
        access
    );
}

const FLAGS: &[(DeclFlags, &str)] = &[
    (DeclFlags::EXPORT, "export"),
    (DeclFlags::DEFAULT, "default"),
    (DeclFlags::AMBIENT, "declare"),
    (DeclFlags::GLOBAL, "global"),
    (DeclFlags::STATIC, "static"),
    (DeclFlags::ABSTRACT, "abstract"),
    (DeclFlags::OVERRIDE, "override"),
    (DeclFlags::READONLY, "readonly"),
    (DeclFlags::ASYNC, "async"),
    (DeclFlags::GENERATOR, "generator"),
    (DeclFlags::CONST, "const"),
    (DeclFlags::LET, "let"),
    (DeclFlags::HOISTED, "hoisted"),
    (DeclFlags::OPTIONAL, "optional"),
    (DeclFlags::REST, "rest"),
    (DeclFlags::TYPE_ONLY, "type"),
    (DeclFlags::COMPUTED, "computed"),
    (DeclFlags::FROM_PARAMETER, "from-parameter"),
    (DeclFlags::VIRTUAL, "virtual"),
    (DeclFlags::SEALED, "sealed"),
    (DeclFlags::PARTIAL, "partial"),
    (DeclFlags::HIDES, "new"),
    (DeclFlags::EXTERN, "extern"),
    (DeclFlags::REQUIRED, "required"),
    (DeclFlags::EXTENSION, "extension"),
    (DeclFlags::REF, "ref"),
    (DeclFlags::OUT, "out"),
    (DeclFlags::IN, "in"),
    (DeclFlags::RETURNS_JSX, "jsx"),
    (DeclFlags::CALLED, "called"),
];

fn subject(facts: &Facts, subject: Subject) -> String {
    match subject {
        Subject::Expr(value) | Subject::Decorator(value) => expr(facts, value, LEVELS),
        Subject::Type(of, segment) => format!("{}#{segment}", ty(facts, of, LEVELS)),
        Subject::Import(id) => facts.text(facts.imports[id.index()].name).to_owned(),
        Subject::Export(id) => facts.text(facts.exports[id.index()].local).to_owned(),
        Subject::Base(of, n) => format!("base {n} of {}", facts.decl_name(of)),
        Subject::Key(of, name) => format!("{} of {}", facts.text(name), of.0),
        Subject::Attribute(component, name) => format!(
            "{} of <{}>",
            facts.text(name),
            expr(facts, component, LEVELS)
        ),
        Subject::Construct(of, id) => format!(
            "construct {} {}",
            ty(facts, of, LEVELS),
            call(facts, id, LEVELS)
        ),
    }
}

fn exprs(facts: &Facts, list: List<ExprId>) -> String {
    let parts: Vec<_> = facts
        .list(list)
        .iter()
        .map(|value| expr(facts, *value, LEVELS))
        .collect();
    format!("[{}]", parts.join(", "))
}

fn call(facts: &Facts, id: CallId, depth: u8) -> String {
    let call = facts.calls[id.index()];
    let args: Vec<_> = facts
        .list(call.args)
        .iter()
        .map(|arg| argument(facts, arg, depth))
        .collect();

    let types = if call.type_args.is_empty() {
        String::new()
    } else {
        format!("<{}>", types(facts, call.type_args, depth))
    };

    format!(
        "{}{types}({})",
        expr(facts, call.callee, depth),
        args.join(", ")
    )
}

fn argument(facts: &Facts, arg: &Arg, depth: u8) -> String {
    let name = if arg.name.is_none() {
        String::new()
    } else {
        format!("{}: ", facts.text(arg.name))
    };
    let mode = match arg.mode {
        ArgMode::Value => "",
        ArgMode::Spread => "...",
        ArgMode::Ref => "ref ",
        ArgMode::Out => "out ",
        ArgMode::In => "in ",
    };
    format!("{name}{mode}{}", expr(facts, arg.value, depth))
}

fn expr(facts: &Facts, id: ExprId, depth: u8) -> String {
    if id.is_none() || depth == 0 {
        return "_".to_owned();
    }
    let inner = |value| expr(facts, value, depth - 1);

    match facts.expr(id) {
        Expr::Name(name, ..) => facts.text(name).to_owned(),
        Expr::This(of) | Expr::ThisAt(of, ..) => {
            format!("this{}", if of.is_none() { "?" } else { "" })
        }
        Expr::Super(_) => "super".to_owned(),
        Expr::Member(of, name) => format!("{}.{}", inner(of), facts.text(name)),
        Expr::Destructured(of, name) => format!("{}~{}", inner(of), facts.text(name)),
        Expr::Index(id) => format!("index {}", call(facts, id, depth - 1)),
        Expr::Call(id) => call(facts, id, depth - 1),
        Expr::New(id) => format!("new {}", call(facts, id, depth - 1)),
        Expr::Generic(of, args) => format!("{}<{}>", inner(of), types(facts, args, depth - 1)),
        Expr::Await(of) => format!("await {}", inner(of)),
        Expr::Iterate(of, wait) => {
            format!("{} {}", if wait { "each-await" } else { "each" }, inner(of))
        }
        Expr::Yield(of) => format!("yield {}", inner(of)),
        Expr::Delegate(of) => format!("yield* {}", inner(of)),
        Expr::Return(of) => format!("return {}", inner(of)),
        Expr::Spread(of) => format!("...{}", inner(of)),
        Expr::Cast(to) => format!("<{}>", ty(facts, to, depth - 1)),
        Expr::Satisfies(of, to) => format!("{} satisfies {}", inner(of), ty(facts, to, depth - 1)),
        Expr::Or(a, b) => format!("({} | {})", inner(a), inner(b)),
        Expr::And(a, b) => format!("({} && {})", inner(a), inner(b)),
        Expr::Binary(operator, a, b) => format!("({operator:?} {} {})", inner(a), inner(b)),
        Expr::Object(of) => format!("object {}", of.0),
        Expr::Array(list, _) => exprs(facts, list),
        Expr::Function(_) => "lambda".to_owned(),
        Expr::Class(of) => format!("class {}", facts.decl_name(of)),
        Expr::ContextualParam(_, n) => format!("context {n}"),
        Expr::NarrowedRef(n) => guard(facts, facts.guards[n as usize], depth - 1),
        Expr::Element(of, n) => format!("{}~{n}", inner(of)),
        Expr::RestElement(of, _) => format!("{}~rest", inner(of)),
        Expr::DynamicImport(name) => format!("import({})", facts.text(name)),
        Expr::Require(name) => format!("require({})", facts.text(name)),
        Expr::Literal(LiteralKind::String | LiteralKind::Interpolated, name) => {
            format!("{:?}", facts.text(name))
        }
        Expr::Literal(kind, name) => format!("{kind:?}{}", facts.text(name)),
        Expr::Jsx(of) => format!("<{} />", inner(of)),
        Expr::NewTarget(id, _) => format!("new {}", call(facts, id, depth - 1)),
        Expr::TypeValue(of) => ty(facts, of, depth - 1),
        Expr::Unary(operator, of) => format!("({operator:?} {})", inner(of)),
        Expr::Tuple(list) => {
            let parts: Vec<_> = facts
                .list(list)
                .iter()
                .map(|arg| argument(facts, arg, depth - 1))
                .collect();

            format!("tuple({})", parts.join(", "))
        }
        Expr::OutArgument(id, n) => format!("out {n} of {}", inner(facts.calls[id.index()].callee)),
        Expr::Query(of) => format!("query {}", inner(of)),
        Expr::Conditional(of) => format!("maybe {}", inner(of)),
        Expr::NonNull(of) => format!("some {}", inner(of)),
        Expr::Paren(of) => format!("({})", inner(of)),
        Expr::Known(known) => format!("{known:?}"),
        Expr::Assign(a, b) => format!("({} := {})", inner(a), inner(b)),
        other => format!("{other:?}"),
    }
}

fn guard(facts: &Facts, guard: Guard, depth: u8) -> String {
    let test = match guard.test {
        GuardTest::InstanceOf(class) => format!("instanceof {}", expr(facts, class, depth)),
        GuardTest::Predicate(id, n) => format!("by {} at {n}", call(facts, id, depth)),
        GuardTest::TypeOf(name) => format!("typeof {}", facts.text(name)),
        GuardTest::Discriminant(name, kind, text) => {
            format!("{} == {kind:?} {}", facts.text(name), facts.text(text))
        }
        GuardTest::HasProperty(name) => format!("has {}", facts.text(name)),
        GuardTest::Truthy => "truthy".to_owned(),
        GuardTest::IsType(_) => "is".to_owned(),
        GuardTest::Assigned(value) => format!("= {}", expr(facts, value, depth)),
        GuardTest::Declared => "as declared".to_owned(),
        GuardTest::Either(a, b) => format!("guard {a} or {b}"),
        GuardTest::Asserted(id, n, _) => format!("asserted by {} at {n}", call(facts, id, depth)),
    };

    format!(
        "{}{} {test}",
        if guard.negated { "not " } else { "" },
        expr(facts, guard.subject, depth)
    )
}

fn types(facts: &Facts, list: List<TypeId>, depth: u8) -> String {
    facts
        .list(list)
        .iter()
        .map(|part| ty(facts, *part, depth))
        .collect::<Vec<_>>()
        .join(", ")
}

fn segments(facts: &Facts, list: List<Segment>, depth: u8) -> String {
    let parts = facts.list(list).iter().map(|segment| {
        let args = if segment.args.is_empty() {
            String::new()
        } else {
            format!("<{}>", types(facts, segment.args, depth))
        };
        format!("{}{args}", facts.text(segment.name))
    });
    parts.collect::<Vec<_>>().join(".")
}

fn ty(facts: &Facts, id: TypeId, depth: u8) -> String {
    if id.is_none() || depth == 0 {
        return "_".to_owned();
    }
    let inner = |part| ty(facts, part, depth - 1);

    match facts.type_expr(id) {
        TypeExpr::Primitive(name) => facts.text(name).to_owned(),
        TypeExpr::Name(list, _) => segments(facts, list, depth - 1),
        TypeExpr::Import(module, list) => format!(
            "import({}).{}",
            facts.text(module),
            segments(facts, list, depth - 1)
        ),
        TypeExpr::Array(of, 1) => format!("{}[]", inner(of)),
        TypeExpr::Array(of, rank) => format!("{}[{rank}]", inner(of)),
        TypeExpr::Nullable(of) => format!("{}?", inner(of)),
        TypeExpr::Pointer(of) => format!("{}*", inner(of)),
        TypeExpr::ByRef(of) => format!("ref {}", inner(of)),
        TypeExpr::Tuple(list) => {
            let parts = facts.list(list).iter().map(|element| {
                let name = if element.name.is_none() {
                    String::new()
                } else {
                    format!("{}: ", facts.text(element.name))
                };
                format!(
                    "{}{name}{}",
                    if element.rest { "..." } else { "" },
                    inner(element.ty)
                )
            });
            format!("[{}]", parts.collect::<Vec<_>>().join(", "))
        }
        TypeExpr::Union(list) => format!("union({})", types(facts, list, depth - 1)),
        TypeExpr::Intersection(list) => format!("both({})", types(facts, list, depth - 1)),
        TypeExpr::Template(list) => format!("template({})", types(facts, list, depth - 1)),
        TypeExpr::TypeOf(value) => format!("typeof {}", expr(facts, value, depth - 1)),
        TypeExpr::Indexed(of, key) => format!("{}[{}]", inner(of), inner(key)),
        TypeExpr::KeyOf(of) => format!("keyof {}", inner(of)),
        TypeExpr::Conditional(list) => format!("conditional({})", types(facts, list, depth - 1)),
        TypeExpr::Predicate(name, is, asserts) => {
            format!(
                "{}{} is {}",
                if asserts { "asserts " } else { "" },
                facts.text(name),
                inner(is)
            )
        }
        TypeExpr::Literal(_, text) => format!("'{}'", facts.text(text)),
        TypeExpr::Heritage(value, args) => format!(
            "expression {}<{}>",
            expr(facts, value, depth - 1),
            types(facts, args, depth - 1)
        ),
        other => format!("{other:?}"),
    }
}
