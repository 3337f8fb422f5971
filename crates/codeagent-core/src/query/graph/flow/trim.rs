//! Shortens a long flow that leads to requests, events or messages: calls that lead to none of them are shown to a
//! small depth.

/// Number of lines from which a flow is long.
const LONG: usize = 30;

/// Depth to which lines are always shown.
const SHOWN: usize = 2;

/// Returns the lines without the deep ones that lead to no `border`, are not behind one, and do not stand beside
/// one.
pub(super) fn trimmed(lines: Vec<String>, borders: &[usize]) -> Vec<String> {
    if borders.is_empty() || lines.len() <= LONG {
        return lines;
    }
    let depths: Vec<usize> = lines.iter().map(|line| depth(line)).collect();
    let mut is_kept: Vec<bool> = depths.iter().map(|depth| *depth <= SHOWN).collect();
    for border in borders {
        let inside = depths[border + 1..].iter();
        let behind = inside.take_while(|depth| **depth > depths[*border]).count();
        is_kept[*border..=border + behind].fill(true);

        let mut outer = depths[*border];
        for at in (0..*border).rev() {
            is_kept[at] |= depths[at] <= outer;
            outer = outer.min(depths[at]);
        }
    }
    let left_out = is_kept.iter().filter(|is_kept| !**is_kept).count();
    let mut kept = is_kept.into_iter();
    let mut lines = lines;
    lines.retain(|_| kept.next().unwrap_or(true));
    if left_out > 0 {
        lines.push(format!(
            "  and {left_out} deeper lines without a request, event or message"
        ));
    }
    lines
}

fn depth(line: &str) -> usize {
    (line.len() - line.trim_start().len()) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_far_from_a_request_are_left_out() {
        let mut lines: Vec<String> = ["0", "  1 a", "    2 b", "      3 c", "        4 d"]
            .map(str::to_owned)
            .to_vec();
        lines.extend(
            [
                "  1 e",
                "    2 f",
                "      3 beside",
                "      3 request",
                "        4 handler",
            ]
            .map(str::to_owned),
        );
        lines.extend(std::iter::repeat_n("      3 g".to_owned(), LONG));

        let found = trimmed(lines.clone(), &[8]);
        let expected = [
            "0",
            "  1 a",
            "    2 b",
            "  1 e",
            "    2 f",
            "      3 beside",
            "      3 request",
            "        4 handler",
        ];
        assert_eq!(found[..expected.len()], expected);

        let rest = ["  and 32 deeper lines without a request, event or message"];
        assert_eq!(found[expected.len()..], rest);

        assert_eq!(trimmed(lines.clone(), &[]), lines);
    }
}
