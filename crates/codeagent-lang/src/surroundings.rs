//! Code around a text: the elements, objects, calls and statements that contain an offset.
//!
//! Queries about texts of a user interface ask for them, one file at a time; the index has no rows for
//! them. See [`LanguageSupport::surroundings`](crate::LanguageSupport::surroundings).

use std::ops::Range;

/// The text at an offset, and what contains it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The whole text of the string or element, with whitespace collapsed; `None` if the offset is in
    /// neither, or the string is no text: a module specifier, a key, a compared value.
    pub text: Option<String>,
    /// What contains the offset, innermost first, up to the statement.
    pub around: Vec<Around>,
}

/// An element, object, call or statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// Its kind.
    pub kind: AroundKind,
    /// The tag, the callee or the assigned name; empty for an object.
    pub name: String,
    /// Its bytes; those of the tag for an element that contains others.
    pub span: Range<usize>,
    /// The attributes, properties or arguments.
    pub parts: Vec<Part>,
    /// Whether an element shows other texts, too.
    pub has_other_texts: bool,
}

/// The kind of [`Around`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AroundKind {
    /// An element of markup or JSX.
    Element,
    /// An object literal or initializer.
    Object,
    /// A call or the creation of an object.
    Call,
    /// An assignment.
    Assignment,
    /// The attribute of a declaration.
    Attribute,
}

/// An attribute, property or argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name; empty for an argument without one.
    pub name: String,
    /// Its bytes, with the name.
    pub span: Range<usize>,
}

/// Collapses whitespace, as markup does.
#[must_use]
pub fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
