//! Node kinds, token kinds and fields of the two grammars, as small numbers.
//!
//! The grammars `typescript` and `tsx` number their node kinds differently; a table per grammar
//! maps both to [`Kind`] and [`Field`], so lowering compares bytes and never strings.
//!
//! Limitations: unlisted node kinds are `Other` (or `OtherToken`): their children are lowered, but
//! they are not interpreted.

use std::sync::OnceLock;

use codeagent_lang::lower::cursor::each_child;
use smallvec::SmallVec;
use tree_sitter::{Language, Node, TreeCursor};

macro_rules! kinds {
    (named { $($named:ident = $named_text:literal,)* } tokens { $($token:ident = $token_text:literal,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Kind { Error, Other, $($named,)* OtherToken, $($token,)* }

        impl Kind {
            fn of(text: &str, named: bool) -> Self {
                if named {
                    match text { $($named_text => Self::$named,)* "ERROR" => Self::Error, _ => Self::Other }
                } else {
                    match text { $($token_text => Self::$token,)* _ => Self::OtherToken }
                }
            }

            /// Reports whether it is a node rather than a token.
            pub fn is_named(self) -> bool {
                (self as u8) < Self::OtherToken as u8
            }
        }
    };
}

kinds! {
    named {
        Comment = "comment", HtmlComment = "html_comment",
        AbstractClassDeclaration = "abstract_class_declaration", AbstractMethodSignature = "abstract_method_signature",
        AccessibilityModifier = "accessibility_modifier", AmbientDeclaration = "ambient_declaration", Arguments = "arguments",
        Array = "array", ArrayPattern = "array_pattern", ArrayType = "array_type", ArrowFunction = "arrow_function",
        AsExpression = "as_expression", Asserts = "asserts", AssertsAnnotation = "asserts_annotation",
        AssignmentExpression = "assignment_expression", AssignmentPattern = "assignment_pattern",
        AugmentedAssignment = "augmented_assignment_expression", AwaitExpression = "await_expression",
        BinaryExpression = "binary_expression", BreakStatement = "break_statement", CallExpression = "call_expression",
        CallSignature = "call_signature", CatchClause = "catch_clause", Class = "class", ClassBody = "class_body",
        ClassDeclaration = "class_declaration", ClassHeritage = "class_heritage", ClassStaticBlock = "class_static_block",
        ComputedPropertyName = "computed_property_name", ConditionalType = "conditional_type", ConstNode = "const",
        ConstructSignature = "construct_signature", ConstructorType = "constructor_type", ContinueStatement = "continue_statement",
        Decorator = "decorator", DoStatement = "do_statement", ElseClause = "else_clause", EmptyStatement = "empty_statement",
        EnumAssignment = "enum_assignment", EnumDeclaration = "enum_declaration", ExportClause = "export_clause",
        ExportSpecifier = "export_specifier", ExportStatement = "export_statement", ExpressionStatement = "expression_statement",
        ExtendsClause = "extends_clause", ExtendsTypeClause = "extends_type_clause", False = "false",
        ForInStatement = "for_in_statement", ForStatement = "for_statement", FormalParameters = "formal_parameters",
        FunctionDeclaration = "function_declaration", FunctionExpression = "function_expression",
        FunctionSignature = "function_signature", FunctionType = "function_type", GeneratorFunction = "generator_function",
        GeneratorFunctionDeclaration = "generator_function_declaration", GenericType = "generic_type", Identifier = "identifier",
        IfStatement = "if_statement", ImplementsClause = "implements_clause", Import = "import", ImportAlias = "import_alias",
        ImportClause = "import_clause", ImportRequireClause = "import_require_clause", ImportSpecifier = "import_specifier",
        ImportStatement = "import_statement", IndexSignature = "index_signature", IndexTypeQuery = "index_type_query",
        InferType = "infer_type", InstantiationExpression = "instantiation_expression", InterfaceDeclaration = "interface_declaration",
        InternalModule = "internal_module", IntersectionType = "intersection_type", JsxAttribute = "jsx_attribute",
        JsxElement = "jsx_element", JsxExpression = "jsx_expression", JsxNamespaceName = "jsx_namespace_name",
        JsxOpeningElement = "jsx_opening_element", JsxSelfClosingElement = "jsx_self_closing_element",
        LabeledStatement = "labeled_statement", LexicalDeclaration = "lexical_declaration", LiteralType = "literal_type",
        LookupType = "lookup_type", MappedTypeClause = "mapped_type_clause", MemberExpression = "member_expression",
        MethodDefinition = "method_definition", MethodSignature = "method_signature", Module = "module",
        NamedImports = "named_imports", NamespaceExport = "namespace_export", NamespaceImport = "namespace_import",
        NestedIdentifier = "nested_identifier", NestedTypeIdentifier = "nested_type_identifier", NewExpression = "new_expression",
        NonNullExpression = "non_null_expression", Null = "null", Number = "number", Object = "object",
        ObjectAssignmentPattern = "object_assignment_pattern", ObjectPattern = "object_pattern", ObjectType = "object_type",
        OptionalParameter = "optional_parameter", OptionalType = "optional_type", OverrideModifier = "override_modifier",
        Pair = "pair", PairPattern = "pair_pattern", ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type", PredefinedType = "predefined_type",
        PrivatePropertyIdentifier = "private_property_identifier", PropertyIdentifier = "property_identifier",
        PropertySignature = "property_signature", PublicFieldDefinition = "public_field_definition", ReadonlyType = "readonly_type",
        Regex = "regex", RequiredParameter = "required_parameter", RestPattern = "rest_pattern", RestType = "rest_type",
        ReturnStatement = "return_statement", SatisfiesExpression = "satisfies_expression", SequenceExpression = "sequence_expression",
        ShorthandPropertyIdentifier = "shorthand_property_identifier",
        ShorthandPropertyIdentifierPattern = "shorthand_property_identifier_pattern", SpreadElement = "spread_element",
        StatementBlock = "statement_block", StatementIdentifier = "statement_identifier", String = "string",
        SubscriptExpression = "subscript_expression", Super = "super", SwitchCase = "switch_case", SwitchDefault = "switch_default",
        SwitchStatement = "switch_statement", TemplateLiteralType = "template_literal_type", TemplateString = "template_string",
        TemplateSubstitution = "template_substitution", TernaryExpression = "ternary_expression", This = "this",
        ThisType = "this_type", ThrowStatement = "throw_statement", True = "true", TryStatement = "try_statement",
        TupleType = "tuple_type", TypeAliasDeclaration = "type_alias_declaration", TypeArguments = "type_arguments",
        TypeAssertion = "type_assertion", TypeIdentifier = "type_identifier", TypeParameter = "type_parameter",
        TypePredicate = "type_predicate", TypePredicateAnnotation = "type_predicate_annotation", TypeQuery = "type_query",
        UnaryExpression = "unary_expression", Undefined = "undefined", UnionType = "union_type",
        UpdateExpression = "update_expression", VariableDeclaration = "variable_declaration",
        VariableDeclarator = "variable_declarator", WhileStatement = "while_statement", YieldExpression = "yield_expression",
    }
    tokens {
        AbstractToken = "abstract", Comma = ",", AndAnd = "&&", AsToken = "as", AsyncToken = "async", AwaitToken = "await", BangToken = "!",
        ConstToken = "const", DeclareToken = "declare", DefaultToken = "default", DeleteToken = "delete", Equals = "=",
        GetToken = "get", Global = "global", In = "in", InstanceOf = "instanceof", LetToken = "let", LooseEqual = "==",
        LooseNotEqual = "!=", Minus = "-", NamespaceToken = "namespace", NullishToken = "??", Of = "of", OrOr = "||", Plus = "+",
        Question = "?", ReadonlyToken = "readonly", SetToken = "set", Star = "*", StaticToken = "static", StrictEqual = "===",
        StrictNotEqual = "!==", TypeToken = "type", TypeofToken = "typeof", VarToken = "var", VoidToken = "void", Less = "<",
        Greater = ">", LessEqual = "<=", GreaterEqual = ">=", PlusAssign = "+=", NullishAssign = "??=", OrAssign = "||=",
        AndAssign = "&&=",
    }
}

macro_rules! fields {
    ($($field:ident = $text:literal,)*) => {
        /// The field of a node in its parent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Field { None, $($field,)* }

        impl Field {
            fn of(text: &str) -> Self {
                match text { $($text => Self::$field,)* _ => Self::None }
            }
        }
    };
}

fields! {
    Alias = "alias", Alternative = "alternative", Argument = "argument", Arguments = "arguments", Attribute = "attribute",
    Body = "body", Condition = "condition", Consequence = "consequence", Constraint = "constraint", Constructor = "constructor",
    Declaration = "declaration", Decorator = "decorator", Word = "kind", Function = "function", Index = "index",
    IndexType = "index_type", Key = "key", Left = "left", Module = "module", Name = "name", Receiver = "object",
    OpenTag = "open_tag", Operator = "operator", OptionalChain = "optional_chain", Parameter = "parameter",
    Parameters = "parameters", Pattern = "pattern", Property = "property", ReturnType = "return_type", Right = "right",
    Source = "source", Type = "type", TypeArguments = "type_arguments", TypeParameters = "type_parameters", Value = "value",
}

pub struct Grammar {
    pub language: Language,
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

impl Grammar {
    /// Returns the grammar for files without (`false`) or with JSX.
    pub fn get(jsx: bool) -> &'static Self {
        static PLAIN: OnceLock<Grammar> = OnceLock::new();
        static JSX: OnceLock<Grammar> = OnceLock::new();
        if jsx {
            JSX.get_or_init(|| Self::new(tree_sitter_typescript::LANGUAGE_TSX.into()))
        } else {
            PLAIN.get_or_init(|| Self::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()))
        }
    }

    fn new(language: Language) -> Self {
        let kinds = (0..language.node_kind_count() as u16)
            .map(|id| {
                Kind::of(
                    language.node_kind_for_id(id).unwrap_or(""),
                    language.node_kind_is_named(id),
                )
            })
            .collect();

        let fields = (0..=language.field_count() as u16)
            .map(|id| Field::of(language.field_name_for_id(id).unwrap_or("")))
            .collect();
        Self {
            language,
            kinds,
            fields,
        }
    }

    pub fn kind(&self, node: Node<'_>) -> Kind {
        self.kinds
            .get(usize::from(node.kind_id()))
            .copied()
            .unwrap_or(Kind::Error)
    }

    /// Returns all children of a node except comments, in one pass of a cursor.
    pub fn children<'tree>(
        &self,
        cursor: &mut TreeCursor<'tree>,
        node: Node<'tree>,
    ) -> Children<'tree> {
        let mut children = SmallVec::new();
        each_child(cursor, node, |node, cursor| {
            let kind = self.kind(node);
            if !matches!(kind, Kind::Comment | Kind::HtmlComment) {
                let field = cursor
                    .field_id()
                    .and_then(|id| self.fields.get(usize::from(id.get())))
                    .copied()
                    .unwrap_or(Field::None);
                children.push(Child { node, kind, field });
            }
        });

        Children(children)
    }
}

/// A node with its kind and its field in the parent.
#[derive(Clone, Copy, Debug)]
pub struct Child<'tree> {
    pub node: Node<'tree>,
    pub kind: Kind,
    pub field: Field,
}

impl Child<'_> {
    /// Returns the offset of the first byte.
    pub fn start(self) -> usize {
        self.node.start_byte()
    }

    /// Returns the offset past the last byte.
    pub fn end(self) -> usize {
        self.node.end_byte()
    }
}

/// The children of one node, without comments.
pub struct Children<'tree>(SmallVec<[Child<'tree>; 6]>);

impl<'tree> Children<'tree> {
    /// Returns the first child in a field.
    pub fn get(&self, field: Field) -> Option<Child<'tree>> {
        self.0.iter().find(|child| child.field == field).copied()
    }

    /// Returns the first child of a kind.
    pub fn find(&self, kind: Kind) -> Option<Child<'tree>> {
        self.0.iter().find(|child| child.kind == kind).copied()
    }

    /// Reports whether there is a child of a kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.0.iter().any(|child| child.kind == kind)
    }

    /// Returns the first child that is not a token.
    pub fn first(&self) -> Option<Child<'tree>> {
        self.named().next()
    }

    /// Iterates over all children, including tokens.
    pub fn iter(&self) -> impl Iterator<Item = Child<'tree>> + '_ {
        self.0.iter().copied()
    }

    /// Iterates over all children that are not tokens.
    pub fn named(&self) -> impl Iterator<Item = Child<'tree>> + '_ {
        self.0.iter().filter(|child| child.kind.is_named()).copied()
    }
}
