//! Symbols as the protocol shows them.

use codeagent_core::query;
use codeagent_core::{Node, NodeFlags, NodeId, NodeKind, NodeSpan, NodeType};
use lsp_types::{CallHierarchyItem, Range, SymbolKind, SymbolTag, TypeHierarchyItem};
use serde_json::Value;

use crate::requests::RequestError;
use crate::view::Answering;

/// Returns the protocol's kind of a symbol.
pub fn kind(node: &Node) -> SymbolKind {
    match node.kind {
        NodeKind::Class | NodeKind::Record => SymbolKind::CLASS,
        NodeKind::Struct | NodeKind::RecordStruct => SymbolKind::STRUCT,
        NodeKind::Interface => SymbolKind::INTERFACE,
        NodeKind::Enum => SymbolKind::ENUM,
        // The protocol has no kind for type aliases; editors show them as type parameters.
        NodeKind::TypeAlias => SymbolKind::TYPE_PARAMETER,

        NodeKind::Delegate | NodeKind::Function | NodeKind::LocalFunction => SymbolKind::FUNCTION,
        NodeKind::Namespace | NodeKind::ExtensionBlock => SymbolKind::NAMESPACE,
        NodeKind::AmbientModule => SymbolKind::MODULE,

        NodeKind::Method | NodeKind::Finalizer => SymbolKind::METHOD,
        NodeKind::Operator | NodeKind::Conversion => SymbolKind::OPERATOR,
        NodeKind::Constructor | NodeKind::PrimaryConstructor | NodeKind::StaticConstructor => {
            SymbolKind::CONSTRUCTOR
        }
        NodeKind::Property | NodeKind::Indexer | NodeKind::Accessor => SymbolKind::PROPERTY,
        NodeKind::Field => SymbolKind::FIELD,
        NodeKind::Event => SymbolKind::EVENT,
        NodeKind::EnumMember => SymbolKind::ENUM_MEMBER,

        NodeKind::Variable => SymbolKind::VARIABLE,
        NodeKind::File => SymbolKind::FILE,
    }
}

/// Returns the protocol's tags of a symbol.
pub fn tags(node: &Node) -> Option<Vec<SymbolTag>> {
    let is_deprecated = node.flags.has(NodeFlags::DEPRECATED);
    is_deprecated.then(|| vec![SymbolTag::DEPRECATED])
}

/// Returns the text beside a symbol's name: its parameters and type.
pub fn detail(node: &Node) -> Option<String> {
    let parameters = node.all_parameters();
    let declared = node.return_type.as_deref();
    let declared = declared.map(|text| format!(": {text}")).unwrap_or_default();
    let detail = format!("{parameters}{declared}");
    let detail = detail.trim_start_matches(": ").to_owned();
    Some(detail).filter(|detail| !detail.is_empty())
}

/// Returns the qualified name of what contains a symbol.
pub fn container(node: &Node) -> Option<String> {
    let before = node.qualified_name.strip_suffix(&node.name)?;
    let before = before.trim_end_matches(['.', '#']);
    Some(before.to_owned()).filter(|before| !before.is_empty())
}

/// Returns the range of a declaration, and that of its name, which is inside it.
pub fn ranges(answering: &Answering<'_>, node: &Node, span: &NodeSpan) -> (Range, Range) {
    let name = answering.name_range(node, span);
    let full = answering.full_range(span);
    let full = Range::new(full.start.min(name.start), full.end.max(name.end));
    (full, name)
}

/// A symbol in a hierarchy.
pub struct Item {
    node: Node,
    /// The declaration that the item shows.
    span: NodeSpan,
    ranges: (Range, Range),
}

impl Item {
    /// Loads a symbol; shows its declaration in `path`, if it has one there. Returns `None` if the
    /// symbol or its declaration no longer exists.
    pub fn load(
        answering: &Answering<'_>,
        id: NodeId,
        path: Option<&str>,
    ) -> Result<Option<Self>, RequestError> {
        let Some(symbol) = query::get_node(answering.snapshot(), id)? else {
            return Ok(None);
        };

        let node = symbol.node;
        let in_path = node
            .spans
            .iter()
            .find(|span| path.is_none_or(|path| span.path == path));
        let Some(span) = in_path.or(node.spans.first()).cloned() else {
            return Ok(None);
        };

        let ranges = ranges(answering, &node, &span);
        Ok(Some(Self { node, span, ranges }))
    }

    /// Reports whether the symbol is a type.
    pub fn is_type(&self) -> bool {
        self.node.node_type.is_type() || self.node.node_type == NodeType::Component
    }

    /// Reports whether the symbol may call others.
    pub fn is_callable(&self) -> bool {
        !matches!(self.node.node_type, NodeType::Module | NodeType::Interface)
    }

    /// Returns the item of a call hierarchy.
    pub fn into_call_item(
        self,
        answering: &Answering<'_>,
    ) -> Result<CallHierarchyItem, RequestError> {
        let (range, selection_range) = self.ranges;
        Ok(CallHierarchyItem {
            uri: answering.uri(&self.span.path)?,
            kind: kind(&self.node),
            tags: tags(&self.node),
            detail: container(&self.node),
            range,
            selection_range,
            data: Some(Value::String(self.node.id.to_string())),
            name: self.node.name,
        })
    }

    /// Returns the item of a type hierarchy.
    pub fn into_type_item(
        self,
        answering: &Answering<'_>,
    ) -> Result<TypeHierarchyItem, RequestError> {
        let (range, selection_range) = self.ranges;
        Ok(TypeHierarchyItem {
            uri: answering.uri(&self.span.path)?,
            kind: kind(&self.node),
            tags: tags(&self.node).and_then(|tags| tags.into_iter().next()),
            detail: container(&self.node),
            range,
            selection_range,
            data: Some(Value::String(self.node.id.to_string())),
            name: self.node.name,
        })
    }
}

/// Returns the symbol that an item of ours refers to.
pub fn id_of(data: Option<&Value>) -> Result<NodeId, RequestError> {
    data.and_then(Value::as_str)
        .and_then(NodeId::parse)
        .ok_or_else(|| RequestError::Parameters("the item has no symbol of this server".to_owned()))
}
