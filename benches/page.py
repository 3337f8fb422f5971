#!/usr/bin/env python3
"""Measures everything that docs/performance.md states and prints its tables as Markdown.

usage: benches/page.py [--runs N] [--rivals FOLDER] [NAME..]

NAME is a folder of target/corpora (default: all of them; benches/corpora.sh fetches them). NAME-nm
is the repository NAME with its packages installed. Each run measures every program once,
one after the other, so that a busy machine slows all of them alike; a table shows medians of CPU
seconds (user and system, all threads). FOLDER is one where `npm install @colbymchenry/codegraph
ttsc` ran; without it, codeagent is measured alone. CODEAGENT_BINARY names the binary to measure
(default: target/release/codeagent).
"""

import argparse
import json
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
CORPORA = TOP / "target/corpora"
BINARY = os.environ.get("CODEAGENT_BINARY", str(TOP / "target/release/codeagent"))
TOOLS = {
    "lookup_symbol": {},
    "get_callers": {},
    "get_callees": {},
    "get_references": {},
    "get_implementations": {},
    "get_dependencies": {},
    "get_dependents": {},
    "get_impact": {"depth": 5},
}
CALLS = 200
EDITS = 16
KINDS = ["body", "member", "signature", "type", "file"]


def measured(command, **options):
    """Runs a command; returns CPU seconds, wall seconds, peak memory in MB and its output."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    cpu = usage.ru_utime + usage.ru_stime
    return cpu, time.perf_counter() - begin, usage.ru_maxrss / 1024, output


def codeagent(data):
    return dict(os.environ, CODEAGENT_DATA_DIR=str(data))


def database(data):
    found = [path for path in data.glob("*/index.db") if path.parent.name != "packages"]
    return found[0]


def forget_repository(data):
    for path in data.iterdir():
        if path.name != "packages":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def copy_of(root, folder):
    """Copies a repository without git's data; packages are linked, because they are only read."""
    ignore = shutil.ignore_patterns(".git", ".codegraph", ".codeagent")
    return Path(shutil.copytree(root, folder / root.name, ignore=ignore, symlinks=True))


def index_table(roots, rivals, runs, folder):
    """First index, unchanged run, memory and database, beside other programs."""
    figures = {}
    note = lambda root, name, value: figures.setdefault((root.name, name), []).append(value)
    # Only codegraph writes to the repository, and it gets none with packages.
    copies = [root if root.name.endswith("-nm") else copy_of(root, folder) for root in roots]
    for _ in range(runs):
        for root in copies:
            data = folder / "data"
            shutil.rmtree(data, ignore_errors=True)
            index = [BINARY, "index", "--verbose", "--root", str(root)]
            cpu, wall, memory, output = measured(index, env=codeagent(data))
            for name, value in [("first", cpu), ("wall", wall), ("memory", memory)]:
                note(root, name, value)
            for phase, spent in re.findall(
                r"(\w+) ([\d.]+)[,\n]", output.split("cpu ms:")[-1] + "\n"
            ):
                note(root, f"phase {phase}", float(spent) / 1e3)
            note(root, "database", database(data).stat().st_size / 1e6)
            note(root, "again", measured(index, env=codeagent(data))[0])
            if root.name.endswith("-nm"):
                forget_repository(data)
                note(root, "known", measured(index, env=codeagent(data))[0])
            for rival, command in rivals.items():
                shutil.rmtree(root / ".codegraph", ignore_errors=True)
                if arguments := command(root):
                    note(root, rival, measured(arguments, cwd=root)[0])
            print(f"  {root.name}: {cpu:.2f} s", flush=True)
    medians = {key: statistics.median(values) for key, values in figures.items()}
    return {
        root.name: {name: value for (of, name), value in medians.items() if of == root.name}
        for root in roots
    }


def bare_parse(roots):
    """The index benchmark's own measurement of a parse without anything else."""
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "bench", "-q", "-p", "codeagent-core", "--bench", "index", "--"]
    _, _, _, output = measured(command + [str(root) for root in roots], cwd=TOP)
    found = re.findall(
        r"^(\S+): .*, (\d+) lines.*\n\s*bare parse ([\d.]+); .*index / parse ([\d.]+)", output, re.M
    )
    return {name: (int(lines), float(parse), float(ratio)) for name, lines, parse, ratio in found}


class Session:
    """A server, asked over its pipes."""

    def __init__(self, root, data):
        command = [BINARY, "mcp", "--root", str(root)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=codeagent(data), text=True, bufsize=1, **pipes)
        self.sent = 0
        client = {"name": "page", "version": "1"}
        self.request(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        self.process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def request(self, method, params):
        self.sent += 1
        message = {"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.sent:
                return answer["result"]

    def call(self, tool, arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def cpu(self):
        """CPU milliseconds of all threads, ended ones included."""
        return time.clock_gettime_ns((~self.process.pid << 3) | 2) / 1e6

    def cost(self, work):
        before = self.cpu()
        work()
        return self.cpu() - before

    def settle(self):
        """Waits until the server has nothing to do."""
        while self.cost(lambda: time.sleep(0.5)) > 10:
            pass


def percentiles(costs):
    costs = sorted(costs)
    return costs[len(costs) // 2], costs[min(len(costs) - 1, len(costs) * 95 // 100)]


def node_id(number):
    """Spells the number of a node as the tools do."""
    digits = "abcdefghijklmnopqrstuvwxyz234567"
    return "n" + "".join(digits[number >> 5 * place & 31] for place in range(11, -1, -1))


def latency(root, folder):
    """CPU of a call by tool over random symbols: the first calls, then the same again."""
    data = folder / f"calls-{root.name}"
    measured([BINARY, "index", "--root", str(root)], env=codeagent(data))
    nodes = (
        sqlite3.connect(database(data))
        .execute("SELECT id, qualified_name FROM nodes ORDER BY id")
        .fetchall()
    )
    nodes = random.Random(7).sample(nodes, min(CALLS, len(nodes)))
    rows = {}
    for tool, more in TOOLS.items():
        session = Session(root, data)
        session.settle()
        key = {"lookup_symbol": "qualified_name", "get_impact": "target"}.get(tool, "node_id")
        symbols = [name if tool == "lookup_symbol" else node_id(number) for number, name in nodes]
        failed = [
            symbol
            for symbol in symbols[:20]
            if session.call(tool, {key: symbol, **more}).get("isError")
        ]
        assert len(failed) < 10, f"{tool} fails for {failed}"
        session.process.kill()

        session = Session(root, data)
        session.settle()
        run = lambda: percentiles(
            [session.cost(lambda: session.call(tool, {key: symbol, **more})) for symbol in symbols]
        )
        rows[tool] = (run(), run())
        session.process.kill()
    return rows


def changed(text, kind, tag, is_csharp):
    """Returns a text after an edit of a kind, or nothing if it has no place for it."""
    if kind == "type":
        return text + (
            f"\npublic class {tag} {{ public void M() {{ }} }}\n"
            if is_csharp
            else f"\nexport class {tag} {{ m() {{ }} }}\n"
        )
    patterns = {
        "body": (r"\)\s*\{", " System.Console.WriteLine(); " if is_csharp else " console.log(1); "),
        "member": (
            r"\bclass\s+\w+[^{;]*\{",
            (
                f"\n public int {tag}() {{ return 1; }}\n"
                if is_csharp
                else f"\n {tag}() {{ return 1; }}\n"
            ),
        ),
        "signature": (
            (
                r"public (?:async |static |override |virtual )*[\w<>\[\]?]+ \w+\("
                if is_csharp
                else r"export (?:async )?function \w+\("
            ),
            f"int {tag}, " if is_csharp else f"{tag}: number, ",
        ),
    }
    pattern, added = patterns[kind]
    found = re.search(pattern, text)
    return found and (text[: found.end()] + added + text[found.end() :]).replace(
        f"{tag}, )", f"{tag})"
    )


def updates(root, folder):
    """CPU of an edit, from the write to the answer of a call that waits for it."""
    root = copy_of(root, folder / "edited")
    data = folder / f"edits-{root.name}"
    measured([BINARY, "index", "--root", str(root)], env=codeagent(data))
    files = {
        suffix: [
            path
            for path in root.rglob(f"*{suffix}")
            if "node_modules" not in path.parts and path.stat().st_size < 40_000
        ]
        for suffix in (".cs", ".ts")
    }
    suffix, files = max(files.items(), key=lambda item: len(item[1]))
    random.Random(3).shuffle(files)
    is_csharp = suffix == ".cs"

    session = Session(root, data)
    session.settle()

    def edit(path, text):
        def work():
            path.unlink() if text is None else path.write_text(text)
            session.call("lookup_symbol", {"qualified_name": "Absent"})

        return session.cost(work)

    # The first edit loads what later ones find in memory.
    edit(files[-1], files[-1].read_text(encoding="utf-8-sig") + "\n")
    rows = {}
    for kind in KINDS:
        costs = []
        for number, path in enumerate(files):
            if len(costs) == EDITS:
                break
            tag = f"Fresh{kind}{number}"
            before = None if kind == "file" else path.read_text(encoding="utf-8-sig")
            if kind == "file":
                path, now = path.parent / f"{tag}{suffix}", changed("", "type", tag, is_csharp)
            else:
                now = changed(before, kind, tag, is_csharp)
            if now:
                costs.append(edit(path, now))
                edit(path, before)
        rows[kind] = percentiles(costs)
    session.process.kill()
    return rows


def table(head, rows):
    print("\n| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        print(
            "| "
            + " | ".join(cell if isinstance(cell, str) else f"{cell:.2f}" for cell in row)
            + " |"
        )
    print(flush=True)


def rival_commands(folder):
    if not folder:
        return {}
    modules = Path(folder).resolve() / "node_modules"
    [ttsc] = modules.glob("@ttsc/*/bin/ttscgraph")
    ttsc.chmod(0o755)
    return {
        # It does not read packages.
        "codegraph": lambda root: not root.name.endswith("-nm")
        and [str(modules / ".bin/codegraph"), "init", str(root)],
        "ttsc": lambda root: (root / "tsconfig.json").exists()
        and [str(ttsc), "dump", "--cwd", str(root)],
    }


def pair(figures):
    return f"{figures[0]:.1f} / {figures[1]:.1f}"


def print_index(index, rivals):
    names = {
        "first": "first index",
        "known": "packages known",
        "again": "nothing changed",
        **{rival: rival for rival in rivals},
        "memory": "peak MB",
        "database": "database MB",
    }
    rows = [[name, *[of.get(key, "-") for key in names]] for name, of in index.items()]
    table(["CPU s", *names.values()], rows)

    phases = ["walk", "read", "parse", "decode", "world", "link", "store"]
    rows = [[name, *[of.get(f"phase {key}", "-") for key in phases]] for name, of in index.items()]
    table(["CPU s", *phases], rows)


def print_calls(calls):
    states = [f"{name}, {state}" for name in calls for state in ("first", "again")]
    rows = [
        [f"`{tool}`", *[pair(it) for of in calls.values() for it in of[tool]]] for tool in TOOLS
    ]
    table(["call, CPU ms, p50 / p95", *states], rows)


def print_edits(edits):
    rows = [[kind, *[pair(of[kind]) for of in edits.values()]] for kind in KINDS]
    table(["edit, CPU ms, p50 / p95", *edits], rows)


def print_parse(parse, index):
    rows = []
    for name, (lines, bare, ratio) in parse.items():
        per_million = index[name]["database"] / lines * 1e6
        rows.append([name, f"{lines:,}", bare, ratio, f"{per_million:.0f}"])
    table(["", "lines", "bare parse, CPU s", "index / parse", "MB per million lines"], rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rivals")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or sorted(path.name for path in CORPORA.iterdir() if path.is_dir())
    roots = [CORPORA / name for name in names]
    plain = [root for root in roots if not root.name.endswith("-nm")]
    rivals = rival_commands(options.rivals)

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        index = index_table(roots, rivals, options.runs, folder)
        print_index(index, rivals)
        print_calls({root.name: latency(root, folder) for root in plain})
        print_edits({root.name: updates(root, folder) for root in plain})
        print_parse(bare_parse(plain), index)


if __name__ == "__main__":
    main()
