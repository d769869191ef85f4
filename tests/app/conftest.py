"""The page in this process, over a fresh workspace in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("streamlit")

from streamlit.testing.v1 import AppTest

from app.state import Server, server
from workbench.resources import shipped

Open = Callable[[str], AppTest]


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The server's state with an empty workspace."""
    monkeypatch.setenv("WORKBENCH_EMPTY", "1")
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
