"""A real browser and packages from npm for tests; what is missing is a reason to skip."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
OFFLINE = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
NPM_SECONDS = 180
AXE = ("axe-core", "4.10.3")  # finds what keeps people out


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    if not CHROMIUM:
        pytest.skip("needs Chromium (apt install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright (pip install playwright)")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=[*QUIET, *OFFLINE])
        try:
            yield opened
        finally:
            opened.close()


@functools.cache
def npm(package: str, version: str) -> Path:
    """The folder of a package from npm, installed once into a place of its own."""
    if not shutil.which("npm"):
        pytest.skip("needs npm")
    cache = Path(os.environ.get("QUIZ_TEST_NPM", Path(tempfile.gettempdir()) / f"quiz-test-npm-{os.getuid()}"))
    folder = cache / "node_modules" / package
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(cache), "--no-audit", "--no-fund", f"{package}@{version}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=NPM_SECONDS, check=False)
        if done.returncode:
            pytest.skip(f"npm can't install {package}: {done.stderr[-200:]}")
    return folder
