//! The page over HTTP, about a copy of `tests/shop`. `page/test` drives it in a browser.

mod answers;
mod server;
mod settings;
