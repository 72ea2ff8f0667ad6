"""A server that is stopped in the middle of a battery finishes the question when it is started again."""

import json
import time
from pathlib import Path

import httpx
import pytest

from web_server import as_development, serving

ROWS = 50_000


@pytest.mark.server
@pytest.mark.slow
def test_a_battery_that_was_cut_off_is_finished_after_the_restart(tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "server.log"
    days = (f"2025-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(ROWS))
    lines = (f"{day},r{n % 40},c{n % 9},{n * 7919 % 1000},{n % 7}" for n, day in enumerate(days))
    content = "day,region,channel,amount,units\n" + "\n".join(lines)
    with serving(home, log, as_development()) as address, httpx.Client(base_url=address, timeout=60) as client:
        key = client.put("/api/uploads?name=big.csv", content=content.encode()).json()["key"]
        thread = client.post("/threads", json={}).json()["thread_id"]
        given = {
            "assistant_id": "recallyst", "input": {"question": "What stands out?", "dataset": key},
            "stream_mode": ["custom"], "durability": "sync", "on_disconnect": "continue",
        }  # fmt: skip
        with client.stream("POST", f"/threads/{thread}/runs/stream", json=given) as events:
            steps = (json.loads(line[5:]) for line in events.iter_lines() if line.startswith("data:"))
            reached = next(e for e in steps if e.get("step") == 3)
        assert reached["steps"] > 3

    with serving(home, log, as_development()) as address, httpx.Client(base_url=address, timeout=60) as client:
        end = time.monotonic() + 45
        while not (session := client.get(f"/api/sessions/{thread}").json())["document"] and time.monotonic() < end:
            time.sleep(0.5)
        document = session["document"]
        assert document["status"] == "done"
        assert document["usage"]["steps"] == reached["steps"]
        kept = document["memory"]["stored"]
        listed = client.get(f"/api/memory?dataset={key}").json()
        assert kept
        assert len({u["memory_id"] for u in listed}) == len(listed) == len(kept)
