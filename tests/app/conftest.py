"""The page over a fresh workspace in memory: in this process, and in a browser."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("streamlit")

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from app.state import Server, server
from tests.app.visitor import CHROMIUM, FLAGS, Visitor, playwright
from workbench.resources import shipped
from workbench.service.jobs import Job

Open = Callable[[str], AppTest]


def sound(test: AppTest) -> AppTest:
    assert [item.value for item in test.exception] == []
    return test


def pressed(test: AppTest, label: str) -> AppTest:
    """The page once the one button of this label is pressed."""
    (button,) = [one for one in test.button if one.label == label]
    return sound(button.click().run())


def finished(job: Job | None) -> Job:
    assert job is not None
    for _ in range(2400):
        if job.ended:
            return job
        time.sleep(0.1)
    raise AssertionError(f"{job.title} is still {job.status}")


@pytest.fixture(scope="package", autouse=True)
def _installed() -> Iterator[None]:
    """What is installed does not change: Streamlit reads what each package says of itself once, not
    for each page.
    """
    with pytest.MonkeyPatch.context() as patched:
        once = cache(manifest_scanner.scan_component_manifests)
        patched.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The server's state with an empty workspace."""
    monkeypatch.delenv("WORKBENCH_WORKSPACE", raising=False)
    server.clear()
    yield server()
    server().workspace.close()
    server.clear()


@pytest.fixture
def page(state: Server) -> Open:
    """Open one page of the app by the name of its view."""
    main = Path(shipped("app", "main.py"))

    def open_page(view: str) -> AppTest:
        test = AppTest.from_file(str(main), default_timeout=60).run()
        return test.switch_page(f"views/{view}.py").run()

    return open_page


@pytest.fixture
def smokers(state: Server) -> Server:
    """The smokers, inferred once and learned from once."""
    ws = state.workspace
    ws.data.open_example("smokers")
    text, _ = ws.rules.at_hand()
    ws.infer(text, query=["Smokes", "Cancer"], engine="exact")
    ws.learn(text, query=["Smokes"], learner="pseudo_likelihood")
    return state


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server for all journeys, over a workspace in memory; `Visitor.fresh` empties it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    main = shipped("app", "main.py")
    environment = {**os.environ, "PYTHONPATH": str(main.parent.parent)}
    environment.pop("WORKBENCH_WORKSPACE", None)
    log = (tmp_path_factory.mktemp("server") / "log.txt").open("w")
    flags = {"server.headless": "true", "server.port": port, "server.address": "127.0.0.1"}
    flags |= {
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
    }
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(main),
        *(f"--{key}={value}" for key, value in flags.items()),
    ]
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=2)
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.25)
        yield url
    finally:
        server.terminate()
        server.wait(20)
        log.close()


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """One headless Chromium for all journeys: its driver keeps an event loop in this thread."""
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield opened
        opened.close()


@pytest.fixture
def visitor(browser: Any, address: str) -> Iterator[Visitor]:
    wanted = os.environ.get("WORKBENCH_SCREENSHOTS")
    folder = Path(wanted) if wanted else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    context = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
    yield Visitor(context.new_page(), address, folder)
    context.close()
