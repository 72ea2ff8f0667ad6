"""The whole story in a real browser: a file, a question, the gate, a verdict, and the memory room."""

import re
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from datasets.samples import sample_path
from web_browser import ask, choose_dataset, heard, listen, needs_chromium, side, upload, window
from web_server import as_development, serving

pytestmark = [needs_chromium, pytest.mark.server, pytest.mark.slow]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("page")
    with serving(folder / "home", folder / "server.log", as_development()) as address:
        yield address


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_finding_is_found_kept_confirmed_and_forgotten(address: str, tmp_path: Path, width: int, dark: bool) -> None:
    orders = tmp_path / f"orders {width}.csv"
    shutil.copy(sample_path("shop_orders"), orders)
    with window(address, width=width, dark=dark) as w:
        page = w.page
        upload(page, orders)
        listen(page)
        ask(page, "Which region has the highest revenue, and why did revenue change in Q3?")
        page.wait_for_selector(".report")
        steps = [text for text in heard(page) if text.startswith("Measuring ")]
        assert steps
        assert all(re.match(r"Measuring \d+ of \d+: \w", text) for text in steps)
        page.locator(".report .chart").first.scroll_into_view_if_needed()
        page.wait_for_selector(".report .chart svg")
        assert page.locator(".report .chart svg path").count() > 3
        page.locator("summary:has-text('SQL and method')").first.click()
        expect(page.locator(".finding pre").first).to_contain_text("SELECT")

        side(page)
        page.click("#new-session")
        page.wait_for_selector(".opening")
        ask(page, "Does the change of revenue in Q3 still hold?")
        page.wait_for_selector(".gate")
        expect(page.locator("#heard")).to_contain_text("The gate asks")
        assert page.locator(".gate .prior li").count() >= 3
        assert page.locator(".gate .mode").count() == 4
        assert page.locator(".gate .mode.suggested").count() == 1
        expect(page.locator(".gate .changed")).to_contain_text("same")
        expect(page.locator(".gate")).to_be_focused()  # the keyboard goes on from here
        page.focus("[data-mode=revalidate]")
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-verdict=holds]")
        expect(page.locator("#remembered")).to_contain_text("1 reconfirmed")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window"

        page.click("#remembered a")
        page.wait_for_selector(".unit")
        choose_dataset(page, orders.name)
        twice = page.locator(".unit:has-text('seen in 2 sessions')")
        expect(twice).to_have_count(1)
        identity = twice.get_attribute("data-memory")
        confirmed = page.locator(f"[data-memory='{identity}']")
        confirmed.locator("button:has-text('Details')").click()
        expect(confirmed.locator(".inside")).to_contain_text("reconfirmed")
        closed_too = page.locator("button:has-text('Closed ones too')")
        closed_too.focus()
        page.keyboard.press("Enter")
        expect(closed_too).to_have_attribute("aria-pressed", "true")
        expect(closed_too).to_be_focused()
        expect(confirmed.locator(".inside"), "a list drawn anew keeps open what is open").to_contain_text("reconfirmed")
        expect(confirmed.locator("button:has-text('Details')")).to_have_attribute("aria-expanded", "true")
        confirmed.locator("button:has-text('Forget')").click()
        confirmed.locator("button:has-text('Forget for good')").click()
        expect(page.locator("#notice")).to_contain_text("2 sessions")
        expect(confirmed).to_have_count(0)
        page.reload()
        page.wait_for_selector(".unit")
        expect(confirmed).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window"
    assert w.complaints == []
    assert {url.split("/")[2] for url in w.asked if not url.startswith(("blob:", "data:"))} == {address.split("/")[2]}


def test_units_are_corrected_pinned_and_exported_and_sessions_taken_up(address: str, tmp_path: Path) -> None:
    orders = tmp_path / "corrections.csv"
    shutil.copy(sample_path("shop_orders"), orders)
    with window(address, width=1280) as w:
        page = w.page
        upload(page, orders)
        ask(page, "Total revenue by region")
        page.wait_for_selector(".report")
        page.reload()
        page.wait_for_selector(".report")
        expect(page.locator(".turn h2")).to_have_text("Total revenue by region")
        with page.expect_download() as saved:
            page.click("button:has-text('Save the report')")
        assert Path(saved.value.path()).stat().st_size > 500_000

        page.click("nav a:has-text('Memory')")
        choose_dataset(page, orders.name)
        unit = page.locator(".unit:has-text('finding')").first
        unit.locator("button:has-text('Correct')").click()
        unit.locator("textarea").fill("West leads, as everybody knows.")
        page.click("button:has-text('Closed ones too')")
        expect(page.locator("button:has-text('Closed ones too')")).to_have_attribute("aria-pressed", "true")
        expect(unit.locator("textarea"), "a list drawn anew keeps what is being written").to_have_value(
            "West leads, as everybody knows."
        )
        unit.locator("button:has-text('Keep this wording')").click()
        corrected = page.locator(".unit:has-text('West leads, as everybody knows.')")
        corrected.locator("button:has-text('Pin')").click()
        expect(corrected).to_contain_text("no time limit")
        corrected.locator("button:has-text('Details')").click()
        expect(corrected.locator(".inside")).to_contain_text("Versions (2)")
        with page.expect_download() as saved:
            page.click("button:has-text('Export')")
        assert "West leads" in Path(saved.value.path()).read_text(encoding="utf-8")
        page.click("nav a:has-text('Audit')")
        expect(page.locator(".trail")).to_contain_text("corrected")
    assert w.complaints == []


def test_a_session_that_began_elsewhere_has_its_question_for_a_name(address: str) -> None:
    question = "Which category sells the most units?"
    with httpx.Client(base_url=address, timeout=60) as client:
        thread = client.post("/threads", json={}).json()["thread_id"]
        given = {"question": question, "dataset": "shop_orders", "mode": "fresh"}
        client.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "recallyst", "input": given})
    with window(address, width=1280) as w:
        w.page.click(f".sessions a:has-text('{question}')")
        expect(w.page.locator(".turn h2")).to_have_text(question)
        expect(w.page.locator(".sessions a[aria-current=page]")).to_contain_text("shop_orders")
    assert w.complaints == []


def test_what_goes_wrong_is_said_and_nothing_is_lost(address: str) -> None:
    with window(f"{address}/#/ask/{uuid.uuid4()}", width=390, dark=True) as w:
        page = w.page
        expect(page.locator(".card.error")).to_contain_text("There is no such session")
        page.click("a:has-text('Begin a new session')")
        page.wait_for_selector(".opening")
        page.route("**/threads", lambda route: route.abort())
        ask(page, "Total revenue by region")
        expect(page.locator("#notice")).to_contain_text("does not answer")
        assert page.input_value("#question") == "Total revenue by region"
        page.unroute("**/threads")
        refusal = '{"detail": "too many requests; try again in 18 s"}'
        page.route("**/runs/stream", lambda route: route.fulfill(status=429, body=refusal))
        page.press("#question", "Enter")
        expect(page.locator("#notice")).to_contain_text("Too many requests; try again in 18 s")
        assert page.input_value("#question") == "Total revenue by region"
        assert page.locator(".turn").count() == 0
        page.click("nav a:has-text('Memory')")
        page.click("button:has-text('Forget everything')")
        expect(page.locator(".sure button").first).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".sure")).to_have_count(0)
        expect(page.locator("button:has-text('Forget everything')")).to_be_focused()


HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


def test_markup_in_cells_names_and_questions_is_only_text(address: str, tmp_path: Path) -> None:
    """Injection through a file name, a column name, cells and the question."""
    hostile = tmp_path / "<b onmouseover=alert(1)>x.csv"
    lines = [f'"{HOSTILE.replace(chr(34), chr(34) * 2)}",amount,day']
    for n in range(240):
        cell = (HOSTILE if n % 3 else "[link](javascript:alert(1)) <script>alert(2)</script>").replace('"', '""')
        lines.append(f'"{cell}",{n % 7 + (n % 3) * 10},2026-{n // 28 % 8 + 1:02d}-{n % 28 + 1:02d}')
    hostile.write_text("\n".join(lines), encoding="utf-8")
    with window(address, width=1280) as w:
        page = w.page
        page.on("dialog", lambda d: w.complaints.append(f"dialog: {d.message}"))
        page.wait_for_selector("#side .inner", state="attached")
        page.set_input_files("#file", str(hostile))
        page.wait_for_selector("h1:has-text('onmouseover')")
        ask(page, f"Compare amount by {HOSTILE} <script>alert(3)</script>")
        page.wait_for_selector(".report")
        ask(page, "What stands out?")
        page.locator(".turn >> nth=1").locator(".chart").first.scroll_into_view_if_needed()
        page.wait_for_selector(".report .chart svg")
        page.locator("summary:has-text('Numbers')").first.click()
        page.click("nav a:has-text('Memory')")
        page.wait_for_selector(".unit")
        page.locator(".unit button:has-text('Details')").first.click()
        page.wait_for_selector(".inside")
        page.click("nav a:has-text('Audit')")
        page.wait_for_selector(".trail li")
        assert page.title() == "Recallyst"
        assert page.locator("main script, main img, main b, aside img, aside b").count() == 0
    assert w.complaints == []
