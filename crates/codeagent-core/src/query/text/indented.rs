//! Blocks of lines that are told by their indentation.

/// Returns the lines of the block whose head is the first line: `case Closed:`, `if (message is Closed)`. It ends before
/// the next line that is not indented deeper, unless that is a bracket or another label of the same block.
#[must_use]
pub fn block(lines: &[String]) -> &[String] {
    let Some(first) = lines.first() else {
        return &[];
    };

    let mut has_body = false;
    for (at, line) in lines.iter().enumerate().skip(1) {
        if line.trim().is_empty() {
            continue;
        }
        if indentation(line) > indentation(first) {
            has_body = true;
        } else if has_body || !is_label(line) && line.trim() != "{" {
            return &lines[..at];
        }
    }
    lines
}

/// Reports whether a line is the label of a branch.
#[must_use]
pub fn is_label(line: &str) -> bool {
    line.trim_start().starts_with("case ")
}

/// Returns the number of bytes before the text of a line.
pub(in crate::query) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_at_the_next_label_or_statement() {
        for (text, expected) in [
            ("  case A:\n    a();\n\n    break;\n  case B:\n    b();", 4),
            ("  case A:\n  case B:\n    b();\n  default:", 3),
            ("  case A: {\n    a();\n  }\n}", 2),
            ("  case A:\n  {\n    a();\n  }\n}", 3),
            ("  case A: return a();\n}", 1),
            ("  case A:\n    a();", 2),
            ("  if (x is A)\n  {\n    a();\n  }\n  b();", 3),
            ("  if (x is A) a();\n  b();", 1),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert_eq!(block(&lines).len(), expected, "{text}");
        }
    }
}
