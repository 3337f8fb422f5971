//! Hostile bytes: files that are hardly text, and unusual encodings.

use super::Expected::{Either, Failed, Full, Indexed};
use super::{Row, many, row, rows};

fn utf16(text: &str, mark: bool, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    mark.into_iter()
        .chain(text.encode_utf16())
        .flat_map(unit)
        .collect()
}

pub fn table() -> Vec<Row> {
    let class = "class Ä { void M() { M(); } }\n";
    let bytes: Vec<u8> = (0..1_000_000_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let without_nul: Vec<u8> = bytes.iter().map(|byte| byte.max(&1)).copied().collect();
    let mut lines: Vec<u8> = Vec::new();
    without_nul
        .chunks(500)
        .for_each(|chunk| lines.extend(chunk.iter().chain(b"\n")));
    vec![
        row("empty C#", "a.cs", "", Full),
        row("empty TS", "a.ts", "", Full),
        row("only a mark", "a.cs", b"\xef\xbb\xbf".as_slice(), Full),
        row("only a UTF-16 mark", "a.cs", b"\xff\xfe".as_slice(), Full),
        row(
            "half a UTF-16 character",
            "a.cs",
            b"\xff\xfea".as_slice(),
            Indexed,
        ),
        row("UTF-8 with mark", "a.cs", format!("\u{feff}{class}"), Full),
        row(
            "UTF-16 LE with mark",
            "a.cs",
            utf16(class, true, u16::to_le_bytes),
            Full,
        ),
        row(
            "UTF-16 BE with mark",
            "a.cs",
            utf16(class, true, u16::to_be_bytes),
            Full,
        ),
        row(
            "UTF-16 LE without mark",
            "a.cs",
            utf16(class, false, u16::to_le_bytes),
            Failed("binary"),
        ),
        row(
            "UTF-16 BE without mark",
            "a.cs",
            utf16(class, false, u16::to_be_bytes),
            Failed("binary"),
        ),
        row(
            "lone surrogates",
            "a.ts",
            b"\xff\xfe\x3d\xd8\x3d\xd8".as_slice(),
            Indexed,
        ),
        row(
            "UTF-32",
            "a.cs",
            b"\xff\xfe\0\0c\0\0\0".as_slice(),
            Failed("binary"),
        ),
        row("NUL", "a.cs", b"class \0".as_slice(), Failed("binary")),
        row(
            "NUL after 10,000 bytes",
            "a.cs",
            [many("// a\n", 2000).as_bytes(), b"class A { \0 }"].concat(),
            Indexed,
        ),
        row(
            "an image",
            "a.ts",
            b"\x89PNG\r\n\x1a\n".as_slice(),
            Failed("binary (image/png)"),
        ),
        row(
            "broken UTF-8",
            "a.cs",
            b"class A { /* \xe4\xff\xc3 */ string x = \"\xf0\x9f\"; }".as_slice(),
            Indexed,
        ),
        row(
            "truncated UTF-8",
            "a.ts",
            b"let a = 'x\xf0\x9f\x98".as_slice(),
            Indexed,
        ),
        row("a million bytes", "a.cs", bytes, Failed("binary")),
        row(
            "a million bytes without NUL, C#",
            "a.cs",
            lines.clone(),
            Either,
        ),
        row("a million bytes without NUL, TS", "a.ts", lines, Either),
        row("CRLF", "a.cs", class.replace(' ', "\r\n"), Full),
        row("lone CR", "a.cs", class.replace(' ', "\r"), Full),
        row("lone CR in TS", "a.ts", "// a\rlet a = 1;\r", Full),
        row(
            "line separators",
            "a.ts",
            "let a = 1;\u{2028}let b = 2;\u{2029}\u{85}\u{b}\u{c}",
            Indexed,
        ),
        row(
            "a line of 10 MB",
            "a.ts",
            "f(1);".repeat(2_000_000),
            Failed("generated"),
        ),
        row(
            "a line of 1 MB",
            "a.ts",
            "f(1);".repeat(200_000),
            Failed("generated"),
        ),
        row("three megabytes", "a.cs", many("// a\n", 600_000), Full),
        row(
            "seventeen megabytes",
            "a.cs",
            many("// a\n", 3_500_000),
            Failed("more than the limit"),
        ),
        rows(
            "10 MB of ignore rules",
            vec![
                (
                    ".gitignore".to_owned(),
                    many("a*b*c?d/**/e\n", 700_000).into_bytes(),
                ),
                ("a.cs".to_owned(), class.into()),
            ],
            Failed("more than"),
        ),
        row("a million tabs", "a.cs", many("\t", 1_000_000), Full),
        row(
            "other scripts",
            "a.ts",
            many("let ａ𝒳ñ́ = 'ﷺ👩‍👩‍👧‍👦';", 20_000),
            Indexed,
        ),
    ]
}
