#!/usr/bin/env python3
"""Runs the SQL of docs/scale.md on several engines and compares the answers, also with codeagent's.

Exports the repositories next to this file. Needs the packages in requirements.txt; an engine whose
package is missing is skipped, unless it is named.

    run.py CODEAGENT [ENGINE..]       engines: duckdb datafusion chdb spark
"""

import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs/scale.md"
TABLES = ["repositories", "packages", "dependencies", "files", "symbols", "occurrences", "uses", "hierarchy"]

# Queries and their answers; `None` if only the engines are compared.
EXPECTED = {
    "callers": [
        ("billing", "Invoice.amount", "src/invoice.ts", 5),
        ("money", "format", "src/money.ts", 16),
        ("shop", "total", "src/cart.ts", 5),
        ("shop", "checkout", "src/checkout.ts", 5),
    ],
    "using repositories": [("billing", 1, 1), ("shop", 2, 2)],
    "impact": [
        ("billing", "Invoice.amount", 1),
        ("money", "format", 1),
        ("shop", "checkout", 1),
        ("shop", "total", 1),
        ("billing", "send", 2),
        ("shop", "onClick", 2),
    ],
    "unused public API": [
        ("Money.plus", "method", "src/money.ts", 5),
        ("legacyRound", "function", "src/money.ts", 20),
    ],
    "version skew": [("npm", "@acme/money", "^1.4.0", 1), ("npm", "@acme/money", "^2.0.0", 1)],
    "fan-in": None,
    "sort by target": None,
}


def queries():
    blocks = re.findall(r"```sql\n-- ([^\n]+)\n(.*?)```", PAGE.read_text(), re.S)
    found = {name: sql.strip() for name, sql in blocks}
    assert list(found) == list(EXPECTED), f"{PAGE}: {list(found)}"
    return found


def plain(rows):
    """Rows as tuples of text and numbers."""
    return [tuple(int(v) if isinstance(v, (int, float)) else str(v) for v in row) for row in rows]


def duckdb_engine(tables):
    import duckdb

    db = duckdb.connect()
    for name in TABLES:
        db.sql(f"CREATE VIEW {name} AS FROM read_parquet('{tables}/{name}/*.parquet')")
    return lambda sql: plain(db.sql(sql).fetchall())


def datafusion_engine(tables):
    import datafusion

    context = datafusion.SessionContext()
    for name in TABLES:
        context.register_parquet(name, f"{tables}/{name}/")

    def ask(sql):
        batches = context.sql(sql).collect()
        return plain([tuple(row.values()) for batch in batches for row in batch.to_pylist()])

    return ask


def chdb_engine(tables):
    from chdb import session

    db = session.Session()
    db.query("CREATE DATABASE code")
    db.query("USE code")
    for name in TABLES:
        columns = "ORDER BY tuple()"
        db.query(f"CREATE TABLE {name} ENGINE = MergeTree {columns} AS SELECT * FROM file('{tables}/{name}/*.parquet', Parquet)")

    def ask(sql):
        rows = str(db.query(sql, "JSONCompactEachRow")).splitlines()
        # 64 bits are texts in JSON.
        number = lambda v: int(v) if isinstance(v, str) and re.fullmatch(r"-?\d+", v) else v
        return plain([[number(v) for v in json.loads(row)] for row in rows])

    return ask


def spark_engine(tables):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = spark.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for name in TABLES:
        spark.read.parquet(f"{tables}/{name}").createOrReplaceTempView(name)
    return lambda sql: plain([tuple(row) for row in spark.sql(sql).collect()])


ENGINES = {"duckdb": duckdb_engine, "datafusion": datafusion_engine, "chdb": chdb_engine, "spark": spark_engine}


def export(codeagent, folder):
    """Exports all repositories and returns the folder of the tables."""
    tables = folder / "tables"
    os.environ["CODEAGENT_DATA_DIR"] = str(folder / "data")
    for repository in sorted((HERE / "repositories").iterdir()):
        copy = folder / "repositories" / repository.name
        subprocess.run(["cp", "-R", f"{repository}/.", copy.mkdir(parents=True) or copy], check=True)
        run = lambda *args: subprocess.run([codeagent, *args], cwd=copy, check=True, stdout=subprocess.DEVNULL)
        run("index")
        run("export", "--format", "parquet", "--out", str(tables))
    return tables


def callers_by_codeagent(codeagent, folder):
    """Who calls `round` of @acme/money, as `codeagent callers` answers in each repository."""
    found = []
    for repository in sorted((folder / "repositories").iterdir()):
        name = "src/money.ts#round" if repository.name == "money" else "npm:@acme/money#round"
        command = [codeagent, "callers", name, "--json"]
        answer = subprocess.run(command, cwd=repository, capture_output=True, text=True)
        if answer.returncode != 0:
            continue
        for row in json.loads(answer.stdout)["results"]:
            path = row["qualified_name"].split("#")[1]
            for site in row["call_sites"]:
                found.append((repository.name, path, row["file_path"], site["line"]))
    return found


def sorted_table(ask, tables, folder, sql):
    """Runs the statement that sorts all rows; checks the order, and that there are no Bloom filters."""
    target = folder / "occurrences.parquet"
    ask(sql.replace("'occurrences.parquet'", f"'{target}'"))
    rows = ask(f"SELECT target FROM read_parquet('{target}')")
    assert rows == sorted(rows) and rows, "not sorted"
    assert len(rows) == len(ask("SELECT target FROM occurrences"))
    assert ask(f"SELECT count(bloom_filter_offset) FROM parquet_metadata('{target}')") == [(0,)]


def main():
    codeagent, *named = sys.argv[1:]
    codeagent = str(pathlib.Path(codeagent).resolve())
    sql = queries()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="codeagent-tables-"))
    tables = export(codeagent, folder)
    answers = {}
    for name in named or ENGINES:
        try:
            ask = ENGINES[name](tables)
        except ImportError as missing:
            if named:
                raise
            print(f"{name}: skipped, {missing}")
            continue
        for query, text in sql.items():
            if query == "sort by target":
                if name == "duckdb":
                    sorted_table(ask, tables, folder, text)
                continue
            rows = ask(text)
            expected = EXPECTED[query] or answers.get(query, rows)
            assert rows == expected, f"{name}, {query}:\n{rows}\nexpected\n{expected}"
            answers[query] = rows
        print(f"{name}: {len(sql)} queries, the same answers")

    own = callers_by_codeagent(codeagent, folder)
    assert sorted(own) == sorted(EXPECTED["callers"]), own
    print("codeagent: the same callers")
    subprocess.run(["rm", "-r", str(folder)], check=True)


main()
