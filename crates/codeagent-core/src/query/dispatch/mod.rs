//! Connections without a call: containers, events, routes, jobs, and strings or keys under which
//! code is registered.

pub(super) mod commands;
pub(super) mod file_routes;
pub(super) mod framework_lines;
pub(super) mod handlers;
pub(super) mod key_path;
pub(super) mod mapped_groups;
pub(super) mod mounted_routes;
pub(super) mod object_keys;
pub(super) mod routes;
pub(super) mod shown_routes;
pub(super) mod steps;
