//! Modules that a file of tests replaces, so that it does not reach their code: `vi.mock("./cart")`.
//!
//! Limitations: a call that replaces a module is found by its text, and must begin on the line of the module's name.

use codeagent_workspace::RepoPath;
use rustc_hash::FxHashMap;

use crate::query::{Occurrences, QueryError};

/// Calls that replace a module, up to its name.
const CALLS: [&str; 4] = ["jest.mock(", "jest.doMock(", "vi.mock(", "vi.doMock("];

/// Maximum number of lines of a test that are read.
const MAX_LINES: u32 = 400;

/// The modules that files of tests replace, read once for each file.
#[derive(Default)]
pub(super) struct Mocks(FxHashMap<String, Vec<String>>);

impl Mocks {
    /// Reports whether a file of tests replaces one of some modules, given by their paths.
    pub(super) fn replaces(
        &mut self,
        occurrences: &mut Occurrences<'_, '_>,
        test: &str,
        modules: &[String],
    ) -> Result<bool, QueryError> {
        if !self.0.contains_key(test) {
            let lines = occurrences.sources.lines(test, 1, MAX_LINES)?;
            let names = lines.unwrap_or_default();
            let names = names.iter().filter_map(|line| replaced(line));
            let names = names.map(str::to_owned).collect();
            self.0.insert(test.to_owned(), names);
        }
        let names = &self.0[test];
        let is_replaced = |module: &String| names.iter().any(|name| is_module(test, name, module));
        Ok(modules.iter().any(is_replaced))
    }
}

/// Returns the module that a line replaces.
fn replaced(line: &str) -> Option<&str> {
    let rest = CALLS
        .iter()
        .find_map(|call| line.trim_start().strip_prefix(call))?;
    let quote = rest.chars().next().filter(|c| "\"'`".contains(*c))?;
    rest[1..].split(quote).next()
}

/// Reports whether a name of a module in a test means the file at `path`. One that is not relative is compared with
/// the end of the path, because settings map it.
fn is_module(test: &str, name: &str, path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let stem = stem.strip_suffix("/index").unwrap_or(stem);
    let name = name.trim_end_matches(".js").trim_end_matches(".ts");

    if name.starts_with('.') {
        let folder = test.rsplit_once('/').map_or("", |(folder, _)| folder);
        let module = RepoPath::normalized(&format!("{folder}/{name}"));
        return module.is_ok_and(|module| module.as_str() == stem);
    }
    let end = name.trim_start_matches(['@', '~', '#', '/']);
    let before = stem.strip_suffix(end);
    end.contains('/') && before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_module_is_known_by_its_name() {
        assert_eq!(
            replaced("vi.mock(\"@/lib/cart\", () => ({"),
            Some("@/lib/cart")
        );
        assert_eq!(replaced("const mock = vi.fn();"), None);

        let test = "web/pages/shop.test.ts";
        for (name, path, expected) in [
            ("@/lib/cart", "web/lib/cart.ts", true),
            ("@/lib/cart", "web/lib/other-cart.ts", false),
            ("../lib/cart", "web/lib/cart/index.ts", true),
            ("./cart", "web/lib/cart.ts", false),
            ("cart", "web/lib/cart.ts", false),
        ] {
            assert_eq!(is_module(test, name, path), expected, "{name} {path}");
        }
    }
}
