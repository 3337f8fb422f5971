//! Kinds and fields of syntax nodes as small enums, looked up by number instead of by name.
//!
//! Limitations: kinds that lowering treats alike are `Other` (lower the children) or `Skip`
//! (punctuation, comments, directives).

use std::sync::OnceLock;

use codeagent_lang::lower::cursor::each_child;
use tree_sitter::{Language, Node, TreeCursor};

macro_rules! kinds {
    ($($variant:ident = $name:literal,)*) => {
        /// The kinds of nodes that lowering distinguishes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Kind {
            /// A node without a meaning of its own.
            Other,
            /// Punctuation, a comment or a directive.
            Skip,
            /// Another token without a name: an operator or keyword.
            Token,
            /// A broken region.
            Error,
            $(#[doc = $name] $variant,)*
        }

        const KINDS: &[(&str, Kind)] = &[$(($name, Kind::$variant),)*];
    };
}

kinds! {
    Identifier = "identifier",
    GenericName = "generic_name",
    QualifiedName = "qualified_name",
    AliasQualifiedName = "alias_qualified_name",
    TypeArgumentList = "type_argument_list",
    UsingDirective = "using_directive",
    ExternAliasDirective = "extern_alias_directive",
    GlobalAttribute = "global_attribute",
    GlobalStatement = "global_statement",
    NamespaceDeclaration = "namespace_declaration",
    FileScopedNamespace = "file_scoped_namespace_declaration",
    ClassDeclaration = "class_declaration",
    StructDeclaration = "struct_declaration",
    InterfaceDeclaration = "interface_declaration",
    RecordDeclaration = "record_declaration",
    EnumDeclaration = "enum_declaration",
    EnumMember = "enum_member_declaration",
    EnumMembers = "enum_member_declaration_list",
    DelegateDeclaration = "delegate_declaration",
    DeclarationList = "declaration_list",
    FieldDeclaration = "field_declaration",
    EventFieldDeclaration = "event_field_declaration",
    EventDeclaration = "event_declaration",
    PropertyDeclaration = "property_declaration",
    IndexerDeclaration = "indexer_declaration",
    MethodDeclaration = "method_declaration",
    ConstructorDeclaration = "constructor_declaration",
    DestructorDeclaration = "destructor_declaration",
    OperatorDeclaration = "operator_declaration",
    ConversionDeclaration = "conversion_operator_declaration",
    AccessorList = "accessor_list",
    AccessorDeclaration = "accessor_declaration",
    AttributeList = "attribute_list",
    Attribute = "attribute",
    AttributeArguments = "attribute_argument_list",
    AttributeArgument = "attribute_argument",
    Modifier = "modifier",
    TypeParameterList = "type_parameter_list",
    TypeParameter = "type_parameter",
    Constraints = "type_parameter_constraints_clause",
    Constraint = "type_parameter_constraint",
    BaseList = "base_list",
    PrimaryBase = "primary_constructor_base_type",
    ParameterList = "parameter_list",
    BracketedParameterList = "bracketed_parameter_list",
    Parameter = "parameter",
    ImplicitParameter = "implicit_parameter",
    ExplicitInterface = "explicit_interface_specifier",
    ConstructorInitializer = "constructor_initializer",
    ArrowClause = "arrow_expression_clause",
    Block = "block",
    VariableDeclaration = "variable_declaration",
    VariableDeclarator = "variable_declarator",
    TuplePattern = "tuple_pattern",
    BracketedArguments = "bracketed_argument_list",
    ArgumentList = "argument_list",
    Argument = "argument",
    ImplicitType = "implicit_type",
    PredefinedType = "predefined_type",
    ArrayType = "array_type",
    ArrayRank = "array_rank_specifier",
    NullableType = "nullable_type",
    PointerType = "pointer_type",
    FunctionPointerType = "function_pointer_type",
    RefType = "ref_type",
    ScopedType = "scoped_type",
    TupleType = "tuple_type",
    TupleElement = "tuple_element",
    LocalDeclaration = "local_declaration_statement",
    LocalFunction = "local_function_statement",
    ExpressionStatement = "expression_statement",
    ReturnStatement = "return_statement",
    YieldStatement = "yield_statement",
    IfStatement = "if_statement",
    WhileStatement = "while_statement",
    DoStatement = "do_statement",
    ForStatement = "for_statement",
    ForeachStatement = "foreach_statement",
    UsingStatement = "using_statement",
    FixedStatement = "fixed_statement",
    LockStatement = "lock_statement",
    CheckedStatement = "checked_statement",
    UnsafeStatement = "unsafe_statement",
    SwitchStatement = "switch_statement",
    SwitchBody = "switch_body",
    SwitchSection = "switch_section",
    TryStatement = "try_statement",
    CatchClause = "catch_clause",
    CatchDeclaration = "catch_declaration",
    CatchFilter = "catch_filter_clause",
    FinallyClause = "finally_clause",
    ThrowStatement = "throw_statement",
    LabeledStatement = "labeled_statement",
    GotoStatement = "goto_statement",
    BreakStatement = "break_statement",
    ContinueStatement = "continue_statement",
    EmptyStatement = "empty_statement",
    PreprocIf = "preproc_if",
    PreprocElse = "preproc_else",
    PreprocElif = "preproc_elif",
    Invocation = "invocation_expression",
    MemberAccess = "member_access_expression",
    MemberBinding = "member_binding_expression",
    ElementAccess = "element_access_expression",
    ElementBinding = "element_binding_expression",
    ConditionalAccess = "conditional_access_expression",
    Postfix = "postfix_unary_expression",
    Prefix = "prefix_unary_expression",
    Binary = "binary_expression",
    IsExpression = "is_expression",
    AsExpression = "as_expression",
    IsPattern = "is_pattern_expression",
    Assignment = "assignment_expression",
    ConditionalExpression = "conditional_expression",
    Cast = "cast_expression",
    Await = "await_expression",
    Parenthesized = "parenthesized_expression",
    Checked = "checked_expression",
    Throw = "throw_expression",
    RefExpression = "ref_expression",
    RangeExpression = "range_expression",
    ObjectCreation = "object_creation_expression",
    ImplicitObjectCreation = "implicit_object_creation_expression",
    ArrayCreation = "array_creation_expression",
    ImplicitArrayCreation = "implicit_array_creation_expression",
    Stackalloc = "stackalloc_expression",
    ImplicitStackalloc = "implicit_stackalloc_expression",
    AnonymousObject = "anonymous_object_creation_expression",
    Initializer = "initializer_expression",
    Collection = "collection_expression",
    CollectionElement = "collection_element",
    ExpressionElement = "expression_element",
    SpreadElement = "spread_element",
    Lambda = "lambda_expression",
    AnonymousMethod = "anonymous_method_expression",
    With = "with_expression",
    WithInitializer = "with_initializer",
    SwitchExpression = "switch_expression",
    SwitchArm = "switch_expression_arm",
    WhenClause = "when_clause",
    TupleExpression = "tuple_expression",
    DeclarationExpression = "declaration_expression",
    DefaultExpression = "default_expression",
    Typeof = "typeof_expression",
    Sizeof = "sizeof_expression",
    RefValue = "refvalue_expression",
    Query = "query_expression",
    FromClause = "from_clause",
    JoinClause = "join_clause",
    JoinInto = "join_into_clause",
    LetClause = "let_clause",
    WhereClause = "where_clause",
    OrderByClause = "order_by_clause",
    GroupClause = "group_clause",
    SelectClause = "select_clause",
    InterpolatedString = "interpolated_string_expression",
    Interpolation = "interpolation",
    InterpolationFormat = "interpolation_format_clause",
    StringLiteral = "string_literal",
    VerbatimString = "verbatim_string_literal",
    RawString = "raw_string_literal",
    CharLiteral = "character_literal",
    IntegerLiteral = "integer_literal",
    RealLiteral = "real_literal",
    BooleanLiteral = "boolean_literal",
    NullLiteral = "null_literal",
    ConstantPattern = "constant_pattern",
    DeclarationPattern = "declaration_pattern",
    RecursivePattern = "recursive_pattern",
    VarPattern = "var_pattern",
    NegatedPattern = "negated_pattern",
    ParenthesizedPattern = "parenthesized_pattern",
    RelationalPattern = "relational_pattern",
    OrPattern = "or_pattern",
    AndPattern = "and_pattern",
    ListPattern = "list_pattern",
    TypePattern = "type_pattern",
    PositionalClause = "positional_pattern_clause",
    PropertyClause = "property_pattern_clause",
    Subpattern = "subpattern",
    Designations = "parenthesized_variable_designation",
    Discard = "discard",
    This = "this",
    Base = "base",
    Async = "async",
    Static = "static",
    Ref = "ref",
    Out = "out",
    In = "in",
    Params = "params",
    AwaitWord = "await",
    Default = "default",
    Equals = "=",
    Colon = ":",
    DotDot = "..",
}

impl Kind {
    /// Reports whether it is a step of a postfix chain: `f(..)`, `.b`, `[..]`, `?.b`, `!`.
    pub fn is_postfix(self) -> bool {
        matches!(
            self,
            Self::Invocation
                | Self::MemberAccess
                | Self::ElementAccess
                | Self::ConditionalAccess
                | Self::Postfix
        )
    }

    /// Reports whether it is a binary operator, type tests included.
    pub fn is_operator(self) -> bool {
        matches!(
            self,
            Self::Binary | Self::IsExpression | Self::AsExpression | Self::IsPattern
        )
    }

    /// Reports whether it is a statement.
    pub fn is_statement(self) -> bool {
        (self as u8 >= Self::LocalDeclaration as u8
            && self as u8 <= Self::EmptyStatement as u8
            && self != Self::CatchDeclaration)
            || self == Self::Block
    }

    /// Reports whether it is a pattern.
    pub fn is_pattern(self) -> bool {
        (self as u8 >= Self::ConstantPattern as u8 && self as u8 <= Self::TypePattern as u8)
            || self == Self::Discard
    }
}

macro_rules! fields {
    ($($variant:ident = $name:literal,)*) => {
        /// The roles of children (grammar fields) that lowering distinguishes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Field {
            /// No field, or another one.
            None,
            $(#[doc = $name] $variant,)*
        }

        const FIELDS: &[(&str, Field)] = &[$(($name, Field::$variant),)*];
    };
}

fields! {
    Name = "name",
    Type = "type",
    Returns = "returns",
    Operator = "operator",
    Left = "left",
    Right = "right",
    Condition = "condition",
    Consequence = "consequence",
    Alternative = "alternative",
    Value = "value",
    Alias = "alias",
    Qualifier = "qualifier",
    Expression = "expression",
    Body = "body",
    Rank = "rank",
}

struct KindTables {
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

fn tables() -> &'static KindTables {
    static TABLES: OnceLock<KindTables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let language: Language = tree_sitter_c_sharp::LANGUAGE.into();
        let kinds = (0..language.node_kind_count() as u16)
            .map(|id| kind_of_id(&language, id))
            .collect();
        let fields = (0..=language.field_count() as u16)
            .map(|id| {
                let name = language.field_name_for_id(id).unwrap_or_default();
                FIELDS
                    .iter()
                    .find(|(field, _)| *field == name)
                    .map_or(Field::None, |(_, field)| *field)
            })
            .collect();

        KindTables { kinds, fields }
    })
}

fn kind_of_id(language: &Language, id: u16) -> Kind {
    let name = language.node_kind_for_id(id).unwrap_or_default();
    if let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == name) {
        return *kind;
    }
    let punctuation = matches!(
        name,
        "(" | ")" | "{" | "}" | "[" | "]" | "," | ";" | "comment" | "\"" | "interpolation_brace"
    );
    if punctuation || (name.starts_with("preproc_") || name.starts_with("interpolation_")) {
        Kind::Skip
    } else if language.node_kind_is_named(id) {
        Kind::Other
    } else {
        Kind::Token
    }
}

pub fn kind(node: Node<'_>) -> Kind {
    if node.is_error() {
        return Kind::Error;
    }
    tables()
        .kinds
        .get(usize::from(node.kind_id()))
        .copied()
        .unwrap_or(Kind::Other)
}

/// A child with its kind and role.
#[derive(Clone, Copy, Debug)]
pub struct Child<'r> {
    pub node: Node<'r>,
    pub kind: Kind,
    /// Its role.
    pub field: Field,
}

/// The children of a node without punctuation and comments.
pub type Children<'r> = smallvec::SmallVec<[Child<'r>; 6]>;

/// Returns the children of a node; the cursor is reused.
pub fn children<'r>(cursor: &mut TreeCursor<'r>, node: Node<'r>) -> Children<'r> {
    let mut found = Children::new();
    let fields = &tables().fields;
    each_child(cursor, node, |node, cursor| {
        let kind = kind(node);
        if kind != Kind::Skip {
            let field = cursor.field_id().map_or(Field::None, |id| {
                fields
                    .get(usize::from(id.get()))
                    .copied()
                    .unwrap_or(Field::None)
            });
            found.push(Child { node, kind, field });
        }
    });
    found
}

/// Returns the first child in a role.
pub fn in_field<'r>(children: &Children<'r>, field: Field) -> Option<Node<'r>> {
    children
        .iter()
        .find(|child| child.field == field)
        .map(|child| child.node)
}

/// Returns the first child of a kind.
pub fn of_kind<'r>(children: &Children<'r>, kind: Kind) -> Option<Node<'r>> {
    children
        .iter()
        .find(|child| child.kind == kind)
        .map(|child| child.node)
}
