//! Adds, changes and removes one table of a TOML file and keeps everything else.
//!
//! Limitations: values are strings in one pair of quotes and arrays of them, as clients write them;
//! anything else is left unchanged.

/// Returns the table of a name, without its header line.
pub fn table<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_at(after_head(text, name)?);
    Some(&rest[..table_end(rest)])
}

/// Returns the text with a value in a table; `None` if there is no such table or the old value is
/// of an unsupported form.
pub fn set(text: &str, name: &str, key: &str, value: &str) -> Option<String> {
    let begin = after_head(text, name)?;
    let body = &text[begin..begin + table_end(&text[begin..])];
    let mut at = begin;

    for line in body.split_inclusive('\n') {
        if let Some(rest) = line
            .trim_start()
            .strip_prefix(key)
            .and_then(|rest| rest.trim_start().strip_prefix('='))
        {
            let old = at + line.len() - rest.trim_start().len();
            let end = old + value_length(&text[old..])?;
            return Some(format!("{}{value}{}", &text[..old], &text[end..]));
        }
        at += line.len();
    }

    let newline = if text[..begin].ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Some(format!(
        "{}{newline}{key} = {value}\n{}",
        &text[..begin],
        &text[begin..]
    ))
}

/// Returns the text with a new table at its end; `None` if its parent is an inline table, which
/// cannot be extended.
pub fn add(text: &str, name: &str, keys: &[(&str, String)]) -> Option<String> {
    let parent = name.split('.').next()?;
    let is_inline = |line: &str| {
        let rest = line.trim_start().strip_prefix(parent);
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    if text.lines().any(is_inline) {
        return None;
    }

    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let keys: String = keys
        .iter()
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    Some(format!("{text}{gap}[{name}]\n{keys}"))
}

/// Returns the text without a table, its subtables and the empty line before it.
pub fn remove(text: &str, name: &str) -> String {
    let mut rest = text.to_owned();
    while let Some((begin, end)) = range(&rest, name) {
        let before = rest[..begin].strip_suffix("\n\n");
        let kept = before.map_or(begin, |before| before.len() + 1);
        rest.replace_range(kept..end, "");
    }
    rest
}

/// Returns the place of a table or of one of its subtables, with the header.
fn range(text: &str, name: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let after = at + line.len();
        let is_ours = head(line).is_some_and(|head| {
            let rest = head.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        if is_ours {
            return Some((at, after + table_end(&text[after..])));
        }
        at = after;
    }
    None
}

/// Returns the name in a table's header.
fn head(line: &str) -> Option<&str> {
    let head = line.split('#').next().unwrap_or_default().trim();
    let name = head.strip_prefix('[')?.strip_suffix(']')?;
    Some(name.trim())
}

fn after_head(text: &str, name: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if head(line) == Some(name) {
            return Some(at);
        }
    }
    None
}

/// Returns the number of bytes before the next table's header.
fn table_end(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            break;
        }
        at += line.len();
    }
    at
}

/// Returns the number of bytes of a string or an array of strings.
fn value_length(text: &str) -> Option<usize> {
    if !text.starts_with('[') {
        return string_length(text);
    }
    let mut at = 1;
    loop {
        let rest = &text[at..];
        at += match rest.chars().next()? {
            ']' => return Some(at + 1),
            '"' | '\'' => string_length(rest)?,
            '#' => rest.find('\n')?,
            ',' => 1,
            space if space.is_whitespace() => space.len_utf8(),
            _ => return None,
        };
    }
}

fn string_length(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = quote == '"',
            _ if c == quote => return (!text[at + 1..].starts_with(quote)).then_some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_a_value_keeps_the_rest() {
        let text = "model = \"x\" # mine\n[servers.a] # ours\n  command = '/old' # why\nargs = [\n  \"a]\", # one\n  'b',\n]\nenv = { A = \"1\" }\n\n[other]\ncommand = \"c\"\n";
        let with = set(text, "servers.a", "command", "\"/new\"").unwrap();
        assert_eq!(with, text.replace("'/old'", "\"/new\""));

        let with = set(text, "servers.a", "args", "[\"mcp\"]").unwrap();
        assert_eq!(
            with,
            text.replace("[\n  \"a]\", # one\n  'b',\n]", "[\"mcp\"]")
        );

        assert_eq!(set("[a]", "a", "k", "1").unwrap(), "[a]\nk = 1\n");
        assert_eq!(
            set("[a]\nx = 1\n[b]\nk = 2\n", "a", "k", "1").unwrap(),
            "[a]\nk = 1\nx = 1\n[b]\nk = 2\n"
        );

        assert!(
            table(text, "servers.a")
                .unwrap()
                .ends_with("env = { A = \"1\" }\n\n")
        );
        assert_eq!(table(text, "servers"), None);
    }

    #[test]
    fn a_table_is_added_and_removed_without_a_trace() {
        let keys = [("command", "\"c\"".to_owned())];

        for text in [
            "",
            "a = 1 # mine\n",
            "[s.b] # b\nx = 1\n",
            "[s.b]\nx = [\n  1,\n]\n\n# end\n",
        ] {
            let with = add(text, "s.a", &keys).unwrap();
            assert!(with.ends_with("[s.a]\ncommand = \"c\"\n"), "{with}");
            assert_eq!(remove(&with, "s.a"), text);
        }

        assert_eq!(add("s = { b = 1 }\n", "s.a", &keys), None);
        assert_eq!(
            remove("[s.a]\nx = 1\n\n[s.a.env]\nA = 1\n\n[s.ab]\ny = 2\n", "s.a"),
            "[s.ab]\ny = 2\n"
        );
    }

    #[test]
    fn unsupported_toml_is_left_unchanged() {
        for text in [
            "[a]\nk = \"\"\"x\"\"\"\n",
            "[a]\nk = 1\n",
            "[a]\nk = [\"x\"",
            "[a]\nk = \"x\n",
            "[b]\nk = \"x\"\n",
        ] {
            assert_eq!(set(text, "a", "k", "1"), None, "{text}");
        }
    }
}
