"""Open mutated files and see that each is read in full or refused in one sentence.

    python benchmarks/fuzz_loading.py [--files 5000] [--first 0] [--keep FOLDER]

Bytes flipped, rows cut, columns shuffled, types mixed, names hostile, in text, JSON, Parquet, workbooks and databases.
File number n is always the same. For each: no exception but DatasetError, no more than 30 s, and where the records can
be counted without the loader (text whose quotation marks are left alone), rows + set aside + header = records.
Prints one line a fault and a JSON summary; exits 1 when there is a fault. `--keep` saves the files at fault.
"""

import argparse
import csv
import io
import json
import logging
import multiprocessing
import random
import shutil
import sqlite3
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb

from datasets import Catalogue, DatasetError
from datasets.quality import detect

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LONGEST_SECONDS = 30.0
DETECTED_EVERY = 7
Grid = list[list[str]]

NAMES = (
    'a"b', "a'b", "x); DROP TABLE data; --", "", " ", "__row", "rowid", "select", "naïve ü", "名前", "a\tb", "=1", "*",
    "n" * 300, "A", "a", "analysis", "%s", "{0}", "\u202egnp", "0", "-", "NULL", "$1", "\ufeffid", "c0", "count(*)",
)  # fmt: skip
CELLS = (
    "", " ", "NULL", "n/a", "1e309", "-1e308", "NaN", "inf", "0x1F", "1,234", "1.234,5", "12%", "$5", "(3)", "007",
    "9" * 30, "9007199254740993", "2024-02-30", "31/12/2024", "12/31/2024", "01/02/03", "2024-01-01T00:00:00Z", "true",
    "yes", "'; DROP TABLE data; --", "=cmd|' /C calc'!A0", "<script>", "\u202e", "😀", "x" * 5_000, "-", "--", "1-2",
    "11.0.1", "٣", "1 000", "1e5", ".5", "5.", "+7", "Total", "total:", "1970-01-01", "23:59:60", "\\N", "{}", "[1]",
)  # fmt: skip


class Made(NamedTuple):
    """A mutated file: its name and bytes, and its records where they can be counted (empty: not from outside).

    Text has as many records as the csv module counts, with any of the usual delimiters: mutations may make another one
    the likelier.
    """

    name: str
    content: bytes
    records: frozenset[int] = frozenset()


class Outcome(NamedTuple):
    """What came of one file: "read", "refused", or a fault with its story."""

    number: int
    kind: str
    verdict: str
    seconds: float
    story: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    outcomes: list[Outcome] = []
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        running = [pool.apply_async(judged, (n,)) for n in range(options.first, options.first + options.files)]
        for number, job in enumerate(running, options.first):
            try:
                outcome = job.get(timeout=4 * LONGEST_SECONDS)
            except multiprocessing.TimeoutError:
                outcome = Outcome(number, "?", "hangs", 4 * LONGEST_SECONDS)
            outcomes.append(outcome)
            if outcome.verdict not in {"read", "refused"}:
                print(f"file {number} ({outcome.kind}): {outcome.verdict}: {outcome.story}")
                keep(number, options.keep)
    verdicts = Counter(o.verdict for o in outcomes)
    faults = len(outcomes) - verdicts["read"] - verdicts["refused"]
    summary = {
        "files": len(outcomes),
        **verdicts,
        "faults": faults,
        "slowest_seconds": round(max(o.seconds for o in outcomes), 2),
    }
    print(json.dumps(summary))
    sys.exit(1 if faults else 0)


def keep(number: int, folder: Path | None) -> None:
    """Save a file for a closer look."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        made = make(number)
        (folder / f"{number}-{made.name.replace('/', '_')}").write_bytes(made.content)


def judged(number: int) -> Outcome:
    """Make the file of that number, open it, and judge what came of it."""
    made = make(number)
    kind = made.name.rsplit(".", 1)[-1]
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    started = time.perf_counter()
    try:
        (folder / made.name).write_bytes(made.content)
        verdict, story = opened(folder, made, thorough=number % DETECTED_EVERY == 0)
    except DatasetError as error:
        verdict, story = ("refused", "") if "\n" not in str(error) else ("refused in several lines", str(error))
    except Exception:  # noqa: BLE001 - whatever else is raised is the fault that is looked for
        verdict, story = "raises", traceback.format_exc(limit=-4)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    seconds = time.perf_counter() - started
    if seconds > LONGEST_SECONDS and verdict in {"read", "refused"}:
        verdict = "takes too long"
    return Outcome(number, kind, verdict, seconds, story)


def opened(folder: Path, made: Made, *, thorough: bool) -> tuple[str, str]:
    """Open the file, count what the parsed copy holds, and, where `thorough`, let the detectors look."""
    with Catalogue(folder / "home", allow_paths=True).open(str(folder / made.name), now=NOW) as dataset:
        view = dataset.view()
        counted = view.query("SELECT count(*) FROM analysis").rows[0][0]
        if thorough:
            detect(view)
            dataset.snapshot()
    card = dataset.card
    if counted != card.rows:
        return "disagrees with itself", f"{counted} rows, {card.rows} on the card"
    if not made.records:
        return "read", ""
    (copy,) = (folder / "home" / "cache").glob("*/data.duckdb")
    with duckdb.connect(str(copy), read_only=True) as con:
        aside = con.execute("SELECT count(*) FROM set_aside").fetchone()
    header = 0 if any("no header" in note for note in card.notes) else 1
    seen = counted + (aside[0] if aside else 0) + header
    if seen not in made.records:
        return (
            "loses rows",
            f"{counted} rows + {aside} aside + {header} header, {sorted(made.records)} records; {card.notes}",
        )
    return "read", ""


# Files


def make(number: int) -> Made:
    """The file of that number."""
    rng = random.Random(number)
    kind = rng.choices(list(MAKERS), weights=[w for w, _ in MAKERS.values()])[0]
    return MAKERS[kind][1](rng)


def grid(rng: random.Random) -> Grid:
    """A clean table as text: a header and rows of the usual kinds of columns."""
    width, height = rng.randint(1, 9), rng.choice([0, 1, 2, 5, 20, 60, 200])
    makers: list[tuple[str, Callable[[int], str]]] = [
        ("order_id", lambda i: str(1_000 + i)),
        ("day", lambda i: (date(2024, 1, 1) + timedelta(days=i // 3)).isoformat()),
        ("paid on", lambda i: f"{i % 28 + 1:02d}/{i % 12 + 1:02d}/2024"),
        ("amount", lambda i: f"{rng.lognormvariate(3, 1):.2f}"),
        ("units", lambda i: str(rng.randint(1, 40))),
        ("region", lambda i: rng.choice(["North", "South", "East", "West"])),
        ("zip", lambda i: f"{rng.randint(0, 99_999):05d}"),
        ("active", lambda i: rng.choice(["true", "false"])),
        ("note", lambda i: rng.choice(["", "late", "a longer note, with a comma", "line\nbreak", 'say "hi"'])),
        ("share", lambda i: f"{rng.randint(0, 100)}%"),
        ("price", lambda i: f"${rng.randint(1, 5_000):,}"),
    ]
    chosen = rng.sample(makers, width)
    return [[name for name, _ in chosen], *([make_cell(i) for _, make_cell in chosen] for i in range(height))]


def mutated(rng: random.Random, table: Grid) -> Grid:
    """Some of: rows cut, doubled and left ragged, columns shuffled, types mixed, names hostile, headers repeated."""
    rows = [list(row) for row in table]
    for mutate in rng.sample(MUTATIONS, rng.randint(0, 4)):
        mutate(rng, rows)
    return rows


def _cut_rows(rng: random.Random, rows: Grid) -> None:
    for _ in range(rng.randint(1, 10)):
        if len(rows) > 1:
            rows.pop(rng.randrange(1, len(rows)))


def _shuffle_columns(rng: random.Random, rows: Grid) -> None:
    order = list(range(len(rows[0])))
    rng.shuffle(order)
    for row in rows if rng.random() < 0.5 else rows[len(rows) // 2 :]:
        row[:] = [row[i] for i in order if i < len(row)]


def _mix_types(rng: random.Random, rows: Grid) -> None:
    for _ in range(rng.choice([1, 3, 30, 300])):
        row = rng.choice(rows)
        if row:
            row[rng.randrange(len(row))] = rng.choice(CELLS)


def _rename(rng: random.Random, rows: Grid) -> None:
    for i in range(len(rows[0])):
        if rng.random() < 0.6:
            rows[0][i] = rng.choice(NAMES)


def _ragged(rng: random.Random, rows: Grid) -> None:
    for row in rng.sample(rows, rng.randint(0, min(len(rows), 8))):
        row.extend(rng.choices(CELLS, k=rng.randint(1, 3))) if rng.random() < 0.5 else row.__delitem__(slice(-1, None))


def _repeat(rng: random.Random, rows: Grid) -> None:
    again = rows[0] if rng.random() < 0.5 else rng.choice(rows)
    for _ in range(rng.randint(1, 5)):
        rows.insert(rng.randint(1, len(rows)), list(again))


def _blank(rng: random.Random, rows: Grid) -> None:
    for _ in range(rng.randint(1, 5)):
        rows.insert(rng.randint(0, len(rows)), [""] * rng.choice([1, len(rows[0]) or 1]))


def _titles(rng: random.Random, rows: Grid) -> None:
    rows[:0] = [
        [rng.choice(["Report of the year", "Generated 2024-05-02", "a, b and c"])] for _ in range(rng.randint(1, 4))
    ]
    if rng.random() < 0.5:
        rows.append([rng.choice(["Note: provisional", "Source: the office", "*"])])


MUTATIONS = [_cut_rows, _shuffle_columns, _mix_types, _rename, _ragged, _repeat, _blank, _titles]


def text_file(rng: random.Random) -> Made:
    """Delimited text; records are counted by the csv module."""
    rows = mutated(rng, grid(rng))
    delimiter = rng.choice([",", ",", ";", "\t", "|"])
    out = io.StringIO()
    ends = rng.choice(["\n", "\n", "\r\n"])
    quoting: Literal[0, 1] = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=delimiter, lineterminator=ends, quoting=quoting).writerows(rows)
    text = out.getvalue().replace("\x00", "")
    encoding = rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16"])
    name = rng.choice(["data.csv", "data[1].csv", "it's *.csv", "x.txt", "ü;--.tsv"])
    return Made(name, text.encode(encoding), frozenset(count(text, d) for d in ",;\t|"))


def count(text: str, delimiter: str) -> int:
    """Records with anything in them."""
    lines = text.replace("\r\n", "\n").replace("\ufeff", "").split("\n")
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    return sum(any(cell.strip() for cell in row) for row in reader)


def damaged(rng: random.Random) -> Made:
    """Any file with bytes flipped, cut off, cut out or put in."""
    made = rng.choice([text_file, text_file, json_file, parquet_file, workbook, database])(rng)
    content = bytearray(made.content)
    for _ in range(rng.choice([1, 1, 3, 20, 200])):
        if content:
            content[rng.randrange(len(content))] = rng.choice([0, 10, 13, 34, 44, 92, 255, rng.randrange(256)])
    if rng.random() < 0.3 and content:
        del content[rng.randrange(len(content)) :]
    if rng.random() < 0.2:
        at = rng.randrange(len(content) + 1)
        content[at:at] = rng.randbytes(rng.choice([1, 40, 3_000]))
    return Made(made.name, bytes(content))


def noise(rng: random.Random) -> Made:
    """Bytes that are nothing, some behind the first bytes of something."""
    magic = rng.choice(
        [b"", b"", b"PAR1", b"PK\x03\x04", b"SQLite format 3\x00", b"\x1f\x8b", b"BZh9", b"{", b"[{", b"\xff\xfe"]
    )
    return Made("noise.bin", magic + rng.randbytes(rng.choice([0, 1, 10, 1_000, 20_000])))


def json_file(rng: random.Random) -> Made:
    """Records as JSON or JSON lines whose shape drifts."""
    rows = mutated(rng, grid(rng))
    records: list[object] = []
    for row in rows[1:]:
        record: dict[str, object] = {}
        for name, cell in zip(rows[0], row, strict=False):
            draw = rng.random()
            record[name] = (
                cell if draw < 0.7 else rng.choice([None, 1, 2.5, True, [1, "a"], {"x": cell, "y": {"z": 1}}, cell])
            )
        records.append(record)
    if rng.random() < 0.5:
        return Made("data.jsonl", "\n".join(json.dumps(r) for r in records).encode())
    wrapped: object = {"next": None, "results": records} if rng.random() < 0.3 else records
    return Made("data.json", json.dumps(wrapped, indent=rng.choice([None, 2])).encode())


def parquet_file(rng: random.Random) -> Made:
    """A Parquet file of mutated text columns, some cast."""
    rows = mutated(rng, grid(rng))
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as con:
        width = max(1, len(rows[0]))
        con.execute(f"CREATE TABLE t ({', '.join(f'c{i} VARCHAR' for i in range(width))})")
        filled = [[*row, *[""] * width][:width] for row in rows[1:]]
        if filled:
            con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * width)})", filled)
        casts = [rng.choice(["VARCHAR", "VARCHAR", "DOUBLE", "TIMESTAMP", "BIGINT", "DATE"]) for _ in range(width)]
        cells = ", ".join(f"TRY_CAST(c{i} AS {kind}) AS c{i}" for i, kind in enumerate(casts))
        con.execute(f"COPY (SELECT {cells} FROM t) TO '{folder}/x.parquet'")
        return Made("data.parquet", (Path(folder) / "x.parquet").read_bytes(), frozenset({len(filled) + 1}))


def workbook(rng: random.Random) -> Made:
    """A workbook of one or two sheets; written by hand, so that no library smooths it."""
    sheets = [mutated(rng, grid(rng)) for _ in range(rng.choice([1, 1, 2]))]
    return Made("data.xlsx", xlsx(sheets))


def xlsx(sheets: list[Grid]) -> bytes:
    """The smallest workbook that readers take: inline strings only."""

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        tags = "".join(f'<sheet name="S{i}" sheetId="{i}" r:id="r{i}"/>' for i in range(1, len(sheets) + 1))
        head = '<?xml version="1.0" encoding="UTF-8"?>'
        main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        archive.writestr(
            "xl/workbook.xml", f'{head}<workbook xmlns="{main}" xmlns:r="{rels}"><sheets>{tags}</sheets></workbook>'
        )
        links = "".join(
            f'<Relationship Id="r{i}" Type="{rels}/worksheet" Target="worksheets/s{i}.xml"/>'
            for i in range(1, len(sheets) + 1)
        )
        packages = "http://schemas.openxmlformats.org/package/2006/relationships"
        archive.writestr(
            "xl/_rels/workbook.xml.rels", f'{head}<Relationships xmlns="{packages}">{links}</Relationships>'
        )
        for i, rows in enumerate(sheets, 1):
            body = "".join(
                "<row>"
                + "".join(f'<c t="inlineStr"><is><t>{escape(_printable(c))}</t></is></c>' for c in row)
                + "</row>"
                for row in rows
            )
            archive.writestr(
                f"xl/worksheets/s{i}.xml", f'{head}<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'
            )
    return out.getvalue()


def _printable(text: str) -> str:
    return "".join(c for c in text if c >= " " or c in "\t\n")


def database(rng: random.Random) -> Made:
    """An SQLite database of one or two tables whose cells have mixed types."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.db"
        con = sqlite3.connect(file)
        for table in range(rng.choice([1, 2])):
            rows = mutated(rng, grid(rng))
            names = list(dict.fromkeys(n.casefold().replace("\x00", "") or f"e{i}" for i, n in enumerate(rows[0]))) or [
                "x"
            ]
            quoted = ", ".join('"' + n.replace('"', '""') + '"' for n in names)
            con.execute(f"CREATE TABLE t{table} ({quoted})")
            filled = [[*row, *[""] * len(names)][: len(names)] for row in rows[1:]]
            con.executemany(f"INSERT INTO t{table} VALUES ({', '.join('?' * len(names))})", filled)
        con.commit()
        con.close()
        return Made("data.db", file.read_bytes())


MAKERS: dict[str, tuple[int, Callable[[random.Random], Made]]] = {
    "text": (50, text_file),
    "damaged": (25, damaged),
    "json": (8, json_file),
    "parquet": (5, parquet_file),
    "workbook": (5, workbook),
    "database": (4, database),
    "noise": (3, noise),
}

if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    main()
