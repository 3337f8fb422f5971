use codeagent_core::query::Occurrence;

use super::*;

fn place(path: &str, line: u32, symbol: &str) -> Occurrence {
    Occurrence {
        path: path.to_owned(),
        line,
        symbol: symbol.to_owned(),
        source: Some(format!("{symbol}(argument{line});")),
    }
}

fn occurrence_rows(folders: u32, files: u32, lines: u32) -> Vec<Occurrence> {
    let mut all = Vec::new();
    for folder in 0..folders {
        for file in 0..files {
            for line in 1..=lines {
                let path = format!("src/folder{folder}/File{file}.ts");
                all.push(place(&path, line, &format!("Type{file}.member{line}")));
            }
        }
    }
    all
}

#[test]
fn sections_shrink_from_source_lines_to_folders() {
    let mut document = Document::default();
    document.line("## method Cart.total  src/cart.ts:3");
    document.section(Section::occurrence_rows(
        "callers",
        "called by",
        occurrence_rows(2, 2, 2),
    ));
    assert_eq!(
        document.render(10_000),
        "## method Cart.total  src/cart.ts:3\ncalled by (8):\nsrc/folder0/\n File0.ts\n  1 Type0.member1: Type0.member1(argument1);\n  \
         2 Type0.member2: Type0.member2(argument2);\n File1.ts\n  1 Type1.member1: Type1.member1(argument1);\n  2 Type1.member2: \
         Type1.member2(argument2);\nsrc/folder1/\n File0.ts\n  1 Type0.member1: Type0.member1(argument1);\n  2 Type0.member2: \
         Type0.member2(argument2);\n File1.ts\n  1 Type1.member1: Type1.member1(argument1);\n  2 Type1.member2: Type1.member2(argument2);\n"
    );
    assert_eq!(
        document.render(400),
        "## method Cart.total  src/cart.ts:3\ncalled by (8):\nsrc/folder0/\n File0.ts\n  1 Type0.member1\n  2 Type0.member2\n File1.ts\n  \
         1 Type1.member1\n  2 Type1.member2\nsrc/folder1/\n File0.ts\n  1 Type0.member1\n  2 Type0.member2\n File1.ts\n  1 Type1.member1\n  2 Type1.member2\n\
         left out: details of callers; pass section \"callers\" or max_chars 800\n"
    );
    assert_eq!(
        document.render(220),
        "## method Cart.total  src/cart.ts:3\ncalled by (8):\nsrc/folder0/ File0.ts 2, File1.ts 2\nsrc/folder1/ File0.ts 2, File1.ts 2\n\
         left out: callers (8); pass section \"callers\" or max_chars 440\n"
    );
}

#[test]
fn a_tree_loses_its_deepest_lines_first() {
    let mut document = Document::default();
    let branch = |name: &str| {
        let deep = format!("    deep below {name}, {}", "far ".repeat(20));
        [format!("  {name}"), deep]
    };
    let mut lines = vec!["root".to_owned()];
    lines.extend(["first", "second", "third"].into_iter().flat_map(branch));
    document.section(Section::tree("flow", "flow", lines));

    let text = document.render(240);
    assert!(text.starts_with("flow:\nroot\n  first\n"), "{text}");
    assert!(text.contains("\n  second\n  third\n… "), "{text}");
    assert!(text.contains(" more, the deepest\n"), "{text}");
    assert!(!text.contains("deep below third"), "{text}");
}

#[test]
fn many_folders_are_added_up() {
    let mut document = Document::default();
    document.section(Section::occurrence_rows(
        "callers",
        "called by",
        occurrence_rows(60, 3, 40),
    ));
    assert_eq!(
        document.render_for(Face::Commands, 300),
        "called by (7200):\nsrc/ 7200 in 180 files\nleft out: callers (7200); pass --section \"callers\" or --max-chars 600\n"
    );
}

#[test]
fn names_are_listed_beside_folders_if_there_is_room() {
    let mut document = Document::default();
    let places = (0..150)
        .map(|class| {
            place(
                &format!("src/part{}/View{class}.ts", class % 3),
                1,
                &format!("View{class}"),
            )
        })
        .collect();
    document.section(Section::occurrence_rows("subtypes", "extended by", places));
    let text = document.render(1_000);
    assert!(
        text.starts_with(
            "extended by (150):\nsrc/part0/ 50 in 50 files\nsrc/part1/ 50 in 50 files\nsrc/part2/ 50 in 50 files\n View0, View102, "
        ),
        "{text}"
    );
    assert!(text.contains(" more\nleft out: subtypes (150);"), "{text}");
    assert!(text.chars().count() > 800, "{text}");
}

#[test]
fn a_section_keeps_its_limit() {
    let mut document = Document::default();
    document.section(
        Section::occurrence_rows("callers", "called by", occurrence_rows(2, 2, 9)).at_most(300),
    );
    let text = document.render(6_000);
    assert!(
        text.starts_with("called by (36):\nsrc/folder0/ File0.ts 9, File1.ts 9\n"),
        "{text}"
    );
}

#[test]
fn lists_are_wrapped() {
    let mut document = Document::default();
    let names = (0..40).map(|name| format!("member{name}")).collect();
    document.section(Section::list("names", "names", names));
    let text = document.render(6_000);
    assert!(
        text.lines().all(|line| line.chars().count() <= 102),
        "{text}"
    );
    assert!(
        text.starts_with("names (40):\n member0, member1,"),
        "{text}"
    );
}

#[test]
fn the_budget_is_never_exceeded() {
    let mut random = 7_u64;
    let mut next = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for _ in 0..400 {
        let mut document = Document::default();
        for _ in 0..next(4) {
            document.line("l".repeat(next(80) as usize));
            let content =
                occurrence_rows(1 + next(9) as u32, 1 + next(5) as u32, 1 + next(12) as u32);
            document.section(
                Section::occurrence_rows("callers", "called by", content)
                    .weighing(1 + next(30) as u32),
            );
            let lines = (0..next(60))
                .map(|line| format!("{line} some source; é"))
                .collect();
            document.section(Section::lines("source", "", lines));
            let names = (0..next(60)).map(|name| NameRow {
                full: format!("{name} member{name}(first: number)"),
                short: format!("member{name}()"),
            });
            document.section(
                Section::names("members", "members", names.collect()).weighing(1 + next(30) as u32),
            );
        }
        if next(3) == 0 {
            document.note("n".repeat(next(300) as usize));
        }
        let budget = MIN_MAX_CHARS + next(8_000) as usize;
        let text = document.render(budget);
        assert!(
            text.chars().count() <= budget,
            "{} > {budget}\n{text}",
            text.chars().count()
        );
    }
}

#[test]
fn a_section_can_be_requested_alone() {
    let mut document = Document::default();
    document.line("head");
    document.section(Section::lines("source", "", vec!["1 a".to_owned()]));
    document.section(Section::occurrence_rows(
        "callers",
        "called by",
        occurrence_rows(1, 1, 1),
    ));
    assert!(document.keep_only("callers"));
    assert!(!document.render(1_000).contains("1 a"));
    assert!(!document.keep_only("tests"));
}

#[test]
fn data_has_a_limit_of_entries_and_says_how_many_are_missing() {
    let mut document = Document::default();
    document.section(Section::occurrence_rows(
        "callers",
        "called by",
        occurrence_rows(2, 2, 5),
    ));
    document.section(Section::lines("path", "", vec!["a".to_owned()]));
    let value = document.json(3);
    assert_eq!(
        value["parts"][0]["places"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(value["parts"][0]["left_out"], 17);
    assert!(value["parts"][1].get("left_out").is_none(), "{value}");
}

#[test]
fn a_long_line_is_cut_in_its_middle() {
    assert_eq!(super::cut_middle("short", 9), "short");
    assert_eq!(
        super::cut_middle("class Bin(IStore store) : Base", 12),
        "class B…Base"
    );
}
