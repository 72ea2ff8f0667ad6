"""Pictures of the page as it is: started, filled and photographed in headless Chromium."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from datasets.samples import sample_path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from web_browser import ask, side, upload, window
from web_server import as_development, serving

QUESTION = "Why did revenue change in Q3, and where?"
LATER = "Is revenue in West still falling?"
WINDOWS = ((1280, False), (1280, True), (390, False), (390, True))


def story(page: Page, orders: Path, shot: Path, name: str) -> None:
    """Walk through the rooms and take a picture in each."""

    def picture(what: str, *, whole: bool = False) -> None:
        page.wait_for_selector(".notice:not(.shown)", state="attached")
        page.wait_for_timeout(400)
        page.screenshot(path=shot / f"{what}-{name}.png", full_page=whole)

    shutil.copy(sample_path("shop_orders"), orders)
    upload(page, orders)
    picture("opening")
    ask(page, QUESTION)
    page.wait_for_selector(".progress")
    picture("progress")
    page.wait_for_selector(".report")
    picture("report")
    for chart in page.locator(".report > .finding .chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg").wait_for()
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("document.querySelector('.composer').hidden = true")
    picture("report-whole", whole=True)
    shutil.copy(sample_path("shop_orders_next"), orders)
    page.evaluate("scrollTo(0, 0)")
    side(page)
    upload(page, orders)
    side(page)
    page.click("#new-session")
    page.wait_for_selector(".opening")
    ask(page, LATER)
    page.wait_for_selector(".gate")
    picture("gate")
    page.evaluate("document.querySelector('.composer').hidden = true")
    picture("gate-whole", whole=True)
    page.click("[data-mode=revalidate]")
    page.wait_for_selector("[data-verdict]")
    picture("verdict")
    page.click("nav a:has-text('Memory')")
    page.wait_for_selector(".unit")
    picture("memory")
    page.locator(".unit button:has-text('Details')").first.click()
    page.wait_for_selector(".inside")
    page.locator(".unit").first.scroll_into_view_if_needed()
    picture("memory-unit")
    page.click("nav a:has-text('Audit')")
    page.wait_for_selector(".trail li")
    picture("audit")


def main() -> None:
    """Take all pictures into a folder."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=Path("out/screenshots"))
    out: Path = options.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for width, dark in WINDOWS:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            with (
                serving(home / "home", home / "server.log", as_development()) as address,
                window(address, width=width, dark=dark) as w,
            ):
                story(w.page, home / "shop orders.csv", out, f"{width}-{'dark' if dark else 'light'}")
                for complaint in w.complaints:
                    print(f"console: {complaint}")
    print(f"{len(list(out.glob('*.png')))} pictures in {out}")


if __name__ == "__main__":
    main()
