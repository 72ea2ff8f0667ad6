"""How long a whole turn takes against what the machine can do at best, each in a process of its own, one after another.

    python benchmarks/speed.py [--rows 10000000] [--csv-rows 1000000] [--profiling PYTHON]

Ratios count, not seconds: the peer runs in the same run, on the same file, with the same two threads.
- an open question on a fresh Parquet file of 6 columns, against DuckDB's SUMMARIZE of that file (goal: at most 4 times)
- the second session on it, up to its first finding, against the first session (goal: at least 5 times faster), in a
  process that is up, as a server or a talk is; beside it the same from the start of the process, where both sessions
  wait for the same imports
- an open question on a fresh CSV file, against ydata-profiling, minimal (goal: at least 10 times faster); it runs in
  the Python environment named by `--profiling` and is left out without one. Both are whole commands, from the start of
  the process to the written HTML report, in turns, the better of two each; what importing alone takes is said beside
  it. The one describes each column by itself; the other decides types on all rows, looks for trouble in the data,
  measures some 24 steps with tests, keeps the findings and writes the report
- the physical limit: the bytes of the file at the speed at which they can be read, and DuckDB's scan of all cells
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb

THREADS = 2
GOAL_SUMMARIZE, GOAL_SECOND, GOAL_PROFILING, GOAL_BYTES = 4.0, 5.0, 10.0, 2 << 30
STARTED = "BENCH_STARTED"
"""The environment variable by which a process knows when it was started, in seconds since 1970."""
QUESTION = "What stands out in this data?"
PROFILING_IMPORTS = "import sys, pandas; from ydata_profiling import ProfileReport;"
PROFILING = (
    PROFILING_IMPORTS
    + "ProfileReport(pandas.read_csv(sys.argv[1]), minimal=True, progress_bar=False).to_file(sys.argv[2])"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--csv-rows", type=int, default=1_000_000)
    parser.add_argument("--profiling", type=Path, help="the Python of an environment with ydata-profiling")
    parser.add_argument("--part", choices=["summarize", "turn"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(PARTS[options.part](options.file)))
        return
    with tempfile.TemporaryDirectory(prefix="speed-") as folder:
        parquet(Path(folder), options.rows)
        delimited(Path(folder), options.csv_rows, options.profiling)


def parquet(folder: Path, rows: int) -> None:
    """Report the Parquet file: first session, second session, SUMMARIZE, limits."""
    file = write(folder / "sales.parquet", rows)
    peer = min(part("summarize", file, folder)["seconds"] for _ in range(2))
    first = part("turn", file, folder, home="a")
    second = part("turn", file, folder, home="a")
    print(f"\n{rows:,} rows x 6 columns, Parquet, {file.stat().st_size / 1e6:,.0f} MB")
    print(f"  SUMMARIZE (DuckDB, {THREADS} threads)      {peer:7.2f} s")
    said("whole turn, fresh", first["seconds"], first["seconds"] / peer, GOAL_SUMMARIZE, at_most=True)
    gib, goal = first["peak_bytes"] / 2**30, GOAL_BYTES / 2**30
    met = "met" if gib <= goal else "missed"
    print(f"  peak memory                    {gib:7.2f} GiB (goal: at most {goal:g}: {met})")
    print(f"  phases: {first['phases']}")
    faster = first["first_finding_seconds"] / second["first_finding_seconds"]
    print(f"  first finding, first session   {first['first_finding_seconds']:7.2f} s")
    said("first finding, second session", second["first_finding_seconds"], faster, GOAL_SECOND, at_most=False)
    whole = [session["from_start_seconds"] for session in (first, second)]
    print(f"    (from the start of the process {whole[0]:.2f} s and {whole[1]:.2f} s = {whole[0] / whole[1]:.2f} x)")
    limits(file)


def delimited(folder: Path, rows: int, profiling: Path | None) -> None:
    """Report the CSV file against ydata-profiling."""
    file = write(folder / "sales.csv", rows)
    turn = part("turn", file, folder, home="b")
    print(f"\n{rows:,} rows x 6 columns, CSV, {file.stat().st_size / 1e6:,.0f} MB")
    print(f"  the turn alone, fresh          {turn['seconds']:7.2f} s, peak {turn['peak_bytes'] / 2**30:.2f} GiB")
    ask = [sys.executable, "-m", "recallyst", "ask", str(file), QUESTION, "--mode", "fresh", "--quiet", "--report"]
    ours, theirs = Command(), Command()
    for again in range(2):
        ours.run([*ask, str(folder / "ours.html")], home=folder / f"c{again}")
        if profiling is not None:
            theirs.run([str(profiling), "-c", PROFILING, str(file), str(folder / "theirs.html")])
    imported = Command().run([sys.executable, "-c", "from recallyst import Recallyst"])
    print(
        f"  the command, with its report   {ours.seconds:7.2f} s ({ours.cpu:.2f} s of processor; {imported} to import)"
    )
    if profiling is None:
        print("  ydata-profiling: not measured (name an environment that has it with --profiling)")
    else:
        imported = Command().run([str(profiling), "-c", PROFILING_IMPORTS])
        ratio = theirs.seconds / ours.seconds
        said("ydata-profiling, minimal", theirs.seconds, ratio, GOAL_PROFILING, at_most=False)
        print(f"    ({theirs.cpu:.2f} s of processor; {imported} to import)")
    limits(file)


class Command:
    """A command that is run several times: the least seconds of the clock, and of the processor, that it took."""

    def __init__(self) -> None:
        self.seconds = self.cpu = float("inf")

    def run(self, command: list[str], *, home: Path | None = None) -> str:
        """Run it once more, and return the least seconds in words."""
        env = {**os.environ, "RECALLYST_USER": "bench"} | ({"RECALLYST_HOME": str(home)} if home else {})
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=env)
        seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        self.seconds, self.cpu = min(self.seconds, seconds), min(self.cpu, cpu)
        return f"{self.seconds:.2f} s"


def limits(file: Path) -> None:
    """Report what reading the bytes alone takes."""
    started = time.perf_counter()
    with file.open("rb") as stream:
        while stream.read(1 << 20):
            pass
    read = time.perf_counter() - started
    reader = "read_parquet" if file.suffix == ".parquet" else "read_csv"
    with duckdb.connect(config={"threads": THREADS}) as con:
        started = time.perf_counter()
        columns = con.execute(f"DESCRIBE SELECT * FROM {reader}('{file}')").fetchall()
        con.execute(f"SELECT bit_xor(hash({', '.join(str(c[0]) for c in columns)})) FROM {reader}('{file}')").fetchall()
        scan = time.perf_counter() - started
    size = file.stat().st_size / 1e6
    speed = size / max(read, 1e-9)
    print(f"  limit: {size:,.0f} MB read in {read:.2f} s ({speed:,.0f} MB/s); DuckDB scans all cells in {scan:.2f} s")


def said(what: str, seconds: float, ratio: float, goal: float, *, at_most: bool) -> None:
    met = ratio <= goal if at_most else ratio >= goal
    words = "at most" if at_most else "at least"
    print(f"  {what:<30} {seconds:7.2f} s = {ratio:5.2f} x (goal: {words} {goal:g} x: {'met' if met else 'missed'})")


def write(file: Path, rows: int) -> Path:
    """A sales table: day, region, product, units, amount, discount; the same rows each time."""
    with duckdb.connect() as con:
        con.execute("SELECT setseed(0.4)")
        con.execute(
            f"COPY (SELECT DATE '2023-01-01' + (i * 730 // {rows})::INTEGER AS day,"
            f" ['North', 'South', 'East', 'West'][1 + (random() * 3.999)::INTEGER % 4] AS region,"
            f" 'P' || lpad(((random() * random() * 200)::INTEGER)::VARCHAR, 3, '0') AS product,"
            f" 1 + (random() * random() * 20)::INTEGER AS units,"
            f" round(exp(3 + random() + random() - random()), 2) AS amount,"
            f" round(random() * 0.3, 2) AS discount FROM range({rows}) t(i)) TO '{file}'"
        )
    return file


def part(name: str, file: Path, folder: Path, *, home: str = "x") -> Mapping[str, Any]:
    """Measure one thing in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--part", name, "--file", str(file)],
        env={**os.environ, "RECALLYST_HOME": str(folder / home), "RECALLYST_USER": "bench", STARTED: str(time.time())},
        capture_output=True,
        text=True,
        check=True,
    )
    found: Mapping[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def summarize(file: Path) -> dict[str, Any]:
    with duckdb.connect(config={"threads": THREADS}) as con:
        started = time.perf_counter()
        con.execute(f"SUMMARIZE SELECT * FROM read_parquet('{file}')").fetchall()
        return {"seconds": time.perf_counter() - started}


def turn(file: Path) -> dict[str, Any]:
    from datasets.battery import step_kinds
    from recallyst import Recallyst

    step_kinds()  # a process that is up has them; a command loads them while it reads the file
    began = time.time() - float(os.environ[STARTED])
    steps: list[float] = []
    started = time.perf_counter()

    def progress(event: Mapping[str, Any]) -> None:
        if event.get("phase") == "battery":
            steps.append(time.perf_counter() - started)  # a step begins: the one before it is measured

    with Recallyst() as analyst:
        answered = analyst.ask(file, QUESTION, mode="fresh", progress=progress)
    seconds = time.perf_counter() - started
    first_finding = steps[1] if len(steps) > 1 else seconds
    return {
        "seconds": seconds,
        "first_finding_seconds": first_finding,
        "from_start_seconds": began + first_finding,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "phases": answered.usage["seconds"],
    }


PARTS = {"summarize": summarize, "turn": turn}

if __name__ == "__main__":
    main()
