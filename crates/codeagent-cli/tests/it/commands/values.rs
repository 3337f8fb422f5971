//! `codeagent explore`: where the values of constants, settings and environment variables go.

use super::{Case, Shop, assert_answers};

#[test]
fn values_are_followed() {
    assert_answers(CASES);
}

#[test]
fn a_logger_is_no_value_that_source_names() {
    let shop = Shop::with(&[(
        "src/Bins.cs",
        "class Bins {\n    static readonly Logger Log = Logs.Get();\n    public void Empty() { Log.Write(1); }\n}\n",
    )]);
    let text = shop.stdout(&["explore", "Bins.Empty"]);
    assert!(!text.contains("values of constants"), "{text}");
}

#[test]
fn a_variable_that_nothing_has_is_no_other_one() {
    let shop = Shop::with(&[(
        "web/port.ts",
        "export const port = process.env.DEPOT_PORT;\n",
    )]);
    let text = shop.stdout(&[
        "explore",
        "where is the environment variable `HARBOR` of the depot read, and which value has it?",
    ]);
    assert!(!text.contains("DEPOT_PORT (matched"), "{text}");
}

const CASES: &[Case] = &[
    Case {
        files: &[
            (
                "web/secrets.ts",
                "import { secret } from './read';\nexport const token = secret({\n  key: 'DEPOT_TOKEN',\n});\n",
            ),
            (
                "web/read.ts",
                "export function secret({ key }: { key: string }) {\n  return process.env[key];\n}\n",
            ),
        ],
        question: "where is DEPOT_TOKEN read?",
        expected: &[
            "reads of variables by a computed name in functions that get this one (1):\nweb/\n read.ts\n  2 secret: return process.env[key];\n",
        ],
    },
    Case {
        files: &[
            (
                "src/Views.cs",
                "class Views {\n    string Path(IConfiguration config) => config[\"Theme\"];\n}\n",
            ),
            (
                "web/theme.js",
                "export function Theme(name) { return name; }\n",
            ),
        ],
        question: "where is the `Theme` app setting read?",
        expected: &["## literal \"Theme\"", "  2 Views.Path: "],
    },
    Case {
        files: &[(
            "web/sweep.ts",
            "const MAX_AGE = 60 * 60;\nconst seen = new Map();\nexport function sweep(age: number) {\n  return age > MAX_AGE && seen.size > 0;\n}\n",
        )],
        question: "what does sweep do?",
        expected: &[
            "values of constants that are named there (1):\nweb/\n sweep.ts\n  1 MAX_AGE: const MAX_AGE = 60 * 60;\n",
        ],
    },
    Case {
        files: &[
            (
                "api/config.ts",
                "export const config = {\n  isHarbor: process.env.HARBOR === 'true',\n};\n",
            ),
            (
                "api/info.ts",
                "import { config } from './config';\nexport const info = () => ({ harbor: config.isHarbor });\n",
            ),
        ],
        question: "where is the environment variable `HARBOR` read, and what changes when it is set?",
        expected: &[
            "lines with .isHarbor, which holds the value, matched by text (1):",
            "  2 info: export const info = () => ({ harbor: config.isHarbor });",
        ],
    },
    Case {
        files: &[
            (
                "src/Settings.cs",
                "public class Settings { public int MaxBins { get; set; } }\n",
            ),
            (
                "src/Depot.cs",
                "public class Depot {\n    int MaxBins { get; set; }\n    public Depot(Settings settings) {\n        MaxBins = settings.MaxBins;\n    }\n    bool IsFull(int bins) => bins >= MaxBins;\n    void OnMaxBinsChanged(int now) { MaxBins = now; }\n}\n",
            ),
        ],
        question: "where is the setting Settings.MaxBins read, and what takes effect when it changes?",
        expected: &[
            "uses of MaxBins, which holds its value (2):",
            "  6 Depot.IsFull: bool IsFull(int bins) => bins >= MaxBins;",
            "functions with its name in theirs, matched by text (1):",
            "  7 Depot.OnMaxBinsChanged: void OnMaxBinsChanged(int now) { MaxBins = now; }",
        ],
    },
    Case {
        files: &[(
            "src/Ports.cs",
            "static class Machine {\n    static Machine() {\n        string text = Environment.GetEnvironmentVariable(\"DEPOT_PORT\");\n        if (!int.TryParse(text, out int port)) { port = 80; }\n        Port = port;\n    }\n    public static int Port { get; }\n}\nstatic class Settings { public static int Port; }\nclass Program {\n    void Start() {\n        Settings.Port = Machine.Port;\n        Listen(Settings.Port);\n    }\n}\n",
        )],
        question: "where is DEPOT_PORT read, and which code depends on its value?",
        expected: &[
            "lines with text or port, which holds the value, matched by text (2):",
            "uses of Port, which holds its value (2):\nsrc/\n Ports.cs\n  12 Program.Start: Settings.Port = Machine.Port;\n  13 Listen(Settings.Port);\n",
        ],
    },
    Case {
        files: &[(
            "src/Options.cs",
            "public record BinList(int Count);\npublic class DepotOptions { public string BinListUrl { get; set; } }\nclass Loader {\n    string Url(DepotOptions options) => options.BinListUrl ?? \"/bins\";\n}\n",
        )],
        question: "where is the option that makes the depot load another bin list read?",
        expected: &[
            "## public property DepotOptions.BinListUrl",
            "  4 Loader.Url: string Url(DepotOptions options) => options.BinListUrl ?? \"/bins\";",
        ],
    },
];
