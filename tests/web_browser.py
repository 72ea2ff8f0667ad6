"""Headless Chromium on the page; what it asks for and complains of is kept, nothing outside this machine is reached."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed here")

PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Window:
    """One window: the page, what its console said, and which addresses it asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@contextmanager
def window(address: str, *, width: int, height: int = 860, dark: bool = False) -> Iterator[Window]:
    """Open the page of a server in a window of that size."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        opened = Window(context.new_page())
        opened.page.set_default_timeout(PATIENCE_MS)
        opened.page.on(
            "console", lambda m: opened.complaints.append(m.text) if m.type in {"error", "warning"} else None
        )
        opened.page.on("pageerror", lambda e: opened.complaints.append(str(e)))
        opened.page.on("request", lambda r: opened.asked.append(r.url))
        opened.page.goto(address)
        yield opened
        browser.close()


def side(page: Page) -> None:
    """Open the list of data and sessions where the window is narrow."""
    menu = page.locator("button.menu")
    if menu.is_visible() and menu.get_attribute("aria-expanded") != "true":
        menu.click()


def upload(page: Page, file: Path) -> None:
    """Bring a file and wait until it is chosen."""
    page.wait_for_selector("#side .inner", state="attached")
    page.set_input_files("#file", str(file))
    page.wait_for_selector(f"h1:has-text('{file.name}')")


def choose_dataset(page: Page, name: str) -> None:
    """Show the memory of one dataset, and wait until it is what is shown."""
    page.select_option(".filters select", label=name)
    page.wait_for_selector(".units[aria-busy=false]")


def listen(page: Page) -> None:
    """Write down every text that the progress shows from now on; a quick step is gone before a look would find it."""
    page.evaluate(
        """() => {
            window.heard = [];
            const note = () => {
                const now = document.querySelector(".now-text");
                if (now && window.heard.at(-1) !== now.textContent) window.heard.push(now.textContent);
            };
            new MutationObserver(note).observe(document.body, {subtree: true, childList: true, characterData: true});
        }"""
    )


def heard(page: Page) -> list[str]:
    """What the progress has shown since `listen`, in order."""
    texts: list[str] = page.evaluate("() => window.heard")
    return texts


def ask(page: Page, question: str) -> None:
    """Type a question and send it with the Enter key."""
    page.fill("#question", question)
    page.press("#question", "Enter")
