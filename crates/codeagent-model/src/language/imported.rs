//! Properties of languages that are imported as SCIP indexes.

use crate::graph::NodeType;
use crate::language::LanguageRules;

/// What holds of any language.
pub const RULES: LanguageRules = LanguageRules {
    names: &[],
    callable: &[NodeType::Method, NodeType::Constructor],
    has_object_literals: false,
    has_structural_types: false,
    has_explicit_implementations: false,
    public_api: "part of the public API",
    manifests: &[],
    parameter: |text| (String::new(), text.to_owned()),
};
