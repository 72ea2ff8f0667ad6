"""Twenty people chat at once on one machine: time to the first sign of progress, errors, cross-talk, and memory.

Each person has a token of their own and asks follow-ups on threads of their own, answering gates with `fresh`, until
the time is over. Prints a line every half minute and the figures at the end, beside those of one person alone.
"""

import argparse
import asyncio
import itertools
import json
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from web_server import serving, token, with_tokens

QUESTIONS = (
    "Which region has the highest revenue?",
    "Why did revenue change in Q3, and where?",
    "And by channel?",
    "How does revenue develop over time?",
    "Total units by category",
)
LIMITS = {"RECALLYST_QUESTIONS_PER_MINUTE": "10000", "RECALLYST_REQUESTS_PER_MINUTE": "100000"}


@dataclass
class Tally:
    """What one phase of the measurement saw; times in seconds."""

    first_progress: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    gates: int = 0

    def line(self) -> str:
        """The figures of this phase."""
        first, whole = sorted(self.first_progress), sorted(self.whole)
        return (
            f"{len(whole)} questions, {len(self.errors)} errors; first progress p50 {statistics.median(first):.3f} s, "
            f"p95 {first[int(len(first) * 0.95)]:.3f} s, max {first[-1]:.3f} s; "
            f"whole answer p50 {statistics.median(whole):.2f} s, p95 {whole[int(len(whole) * 0.95)]:.2f} s"
        )


async def chat(address: str, user: str, until: float, tally: Tally) -> None:
    """One person: sessions of a few questions each, one after the other."""
    headers = {"authorization": f"Bearer {token(user, f'org of {user}', minutes=60)}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=120) as client:
        for number in itertools.count():
            thread = (await client.post("/threads", json={"metadata": {"number": number}})).json()["thread_id"]
            for question in QUESTIONS:
                if time.monotonic() > until:
                    return
                given: dict[str, Any] = {"input": {"question": question, "dataset": "shop_orders", "mode": "fresh"}}
                if number % 2 and question == QUESTIONS[0]:
                    given["input"]["mode"] = None
                await ask(client, thread, given, tally)
            document = (await client.get(f"/api/sessions/{thread}")).json()["document"]
            if document["status"] == "waiting":
                tally.gates += 1
                await ask(client, thread, {"command": {"resume": {"mode": "fresh"}}}, tally)
            units = (await client.get("/api/memory?status=all")).json()
            own = {t["thread_id"] for t in (await client.post("/threads/search", json={"limit": 1000})).json()}
            tally.errors += ["another's memory was shown" for u in units if u["session_id"] not in own]


async def ask(client: httpx.AsyncClient, thread: str, given: dict[str, Any], tally: Tally) -> None:
    """Send one question and take the times."""
    body = {"assistant_id": "recallyst", "stream_mode": ["custom"], "durability": "sync", **given}
    started, first = time.monotonic(), None
    async with client.stream("POST", f"/threads/{thread}/runs/stream", json=body) as answer:
        if answer.status_code != 200:
            tally.errors.append(f"{answer.status_code}")
            return
        event = ""
        async for line in answer.aiter_lines():
            if line.startswith("event:"):
                event = line[6:].strip()
            elif line.startswith("data:") and event == "custom" and first is None:
                first = time.monotonic() - started
            elif line.startswith("data:") and event == "error":
                tally.errors.append(json.loads(line[5:]).get("message", line)[:200])
    tally.whole.append(time.monotonic() - started)
    if first is not None:
        tally.first_progress.append(first)


def resident_mb(log: Path) -> float:
    """Resident memory of the server process, found by the log that it holds open."""
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and (process / "fd" / "1").readlink() == log:
                status = (process / "status").read_text()
                return int(status.split("VmRSS:")[1].split()[0]) / 1024
        except OSError:
            continue
    return float("nan")


async def measure(address: str, log: Path, people: int, seconds: float) -> Tally:
    """Let that many people chat for that long; prints the memory of the server meanwhile."""
    tally, until = Tally(), time.monotonic() + seconds
    talks = [asyncio.create_task(chat(address, f"user{n}", until, tally)) for n in range(people)]
    while not all(t.done() for t in talks):
        await asyncio.wait(talks, timeout=30)
        print(f"  {people} people, {len(tally.whole)} answers, server {resident_mb(log):,.0f} MB", flush=True)
    await asyncio.gather(*talks)
    return tally


def main() -> None:
    """Measure one person, then all of them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--people", type=int, default=20)
    options.add_argument("--seconds", type=float, default=180)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, log = Path(folder) / "home", Path(folder).resolve() / "server.log"
        with serving(home, log, with_tokens() | LIMITS) as address:
            alone = asyncio.run(measure(address, log, 1, given.seconds / 9))
            print(f"one person: {alone.line()}", flush=True)
            many = asyncio.run(measure(address, log, given.people, given.seconds))
            print(f"{given.people} people: {many.line()}")
            print(f"errors: {sorted(set(many.errors)) or 'none'}; server at the end {resident_mb(log):,.0f} MB")


if __name__ == "__main__":
    main()
