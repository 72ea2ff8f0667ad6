"""No file, however mutated or generated, raises, hangs or loses a row in silence."""

import csv
import io
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from datasets import Catalogue

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ROOT = Path(__file__).parents[1]
FILES = 300


def test_mutated_files_are_read_in_full_or_refused() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "fuzz_loading.py"), "--files", str(FILES), "--first", "20000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-2_000:]
    summary = json.loads(done.stdout.splitlines()[-1])
    assert (summary["files"], summary["faults"]) == (FILES, 0)
    assert summary["read"] > FILES / 2


NAME = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00\r\n\ufeff"), min_size=1, max_size=12
)
CELL = st.one_of(
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00\r"), max_size=20),
    st.integers(-(10**25), 10**25).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.dates().map(str),
    st.sampled_from(["", "n/a", "0012", "12%", "$3", "1,234", "true", "Total", "01/02/2024", "31.12.2024"]),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """A header of letters, and rows that are not blank."""
    width = draw(st.integers(2, 6))
    names = [
        f"col {'abcdef'[i]} {name}".strip()
        for i, name in enumerate(draw(st.lists(NAME, min_size=width, max_size=width)))
    ]
    cells = draw(st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=25))
    return names, [row for row in cells if any(c.strip() for c in row)]


@given(tables())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_rows_read_and_rows_set_aside_are_the_rows_of_the_file(table: tuple[list[str], list[list[str]]]) -> None:
    names, cells = table
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([names, *cells])
    with TemporaryDirectory() as folder:
        (Path(folder) / "t.csv").write_text(out.getvalue(), encoding="utf-8")
        with Catalogue(Path(folder) / "home", allow_paths=True).open(f"{folder}/t.csv", now=NOW) as dataset:
            view = dataset.view()
            read = view.query("SELECT count(*) FROM analysis").rows[0][0]
            aside = sum(int(n.split(" ", 1)[0]) for n in dataset.card.notes if "set aside" in n and n[0].isdigit())
            repeated = sum(row == names for row in cells)
            assert read + aside + repeated == len(cells)
            for column in dataset.card.columns:
                assert 0 <= column.nulls <= read
