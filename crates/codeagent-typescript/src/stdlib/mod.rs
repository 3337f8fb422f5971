//! Bundled library declarations: ECMAScript and browsers, and well-known npm packages for
//! repositories where they are not installed.

pub mod dts_bundle;
pub mod javascript;
pub mod npm;
