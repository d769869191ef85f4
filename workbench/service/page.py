"""The web page of a server: over the server's own workspace, its jobs in the server's queue."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import anyio.to_thread
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.errors import UsageError
from workbench.resources import shipped
from workbench.service.access import COOKIE
from workbench.service.held import ServedWorkspace
from workbench.service.requests import body_of, not_there

MOST_FORM = 4096
MAY = ("label", "model", "admin")
"""The roles that the page is for; who labels sees those views alone that ask and explain."""


class Page:
    """The page as an ASGI application; where there are tokens it asks for one, and keeps it in the
    browser.

    Streamlit comes at the first visit. A process can have one page only, as Streamlit has it.
    """

    def __init__(self, served: ServedWorkspace) -> None:
        self.served = served
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        browser = HTTPConnection(scope)
        if scope["type"] == "websocket" and not _of_this_site(browser):
            await send({"type": "websocket.close", "code": 1008})
        elif self.served.tokens.of_browser(browser.headers.get("cookie")) in MAY:
            await (await self._started())(scope, receive, send)
        elif scope["type"] == "http":
            await (await self._asked(Request(scope, receive)))(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _asked(self, request: Request) -> Response:
        """A form for the token, or what was written into it."""
        if request.method != "POST":
            return HTMLResponse(_form(""), 401)
        try:
            content = await body_of(request, MOST_FORM)
        except UsageError:
            return HTMLResponse(_form("This is no token."), 413)
        told = parse_qs(content.decode(errors="replace"))
        secret = told.get("token", [""])[0]
        role = self.served.tokens.role(f"Bearer {secret}")
        client = request.client.host if request.client else "?"
        who = self.served.tokens.who(f"Bearer {secret}") or "nobody"
        self.served.audit.note(f"{who}@{client}", "open the page", role in MAY)
        if role not in MAY:
            said = "This is no token." if role is None else f"The role {role} may not use the page."
            return HTMLResponse(_form(said), 401 if role is None else 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, quote(secret, safe=""), httponly=True, samesite="strict")
        return answer

    async def _started(self) -> ASGIApp:
        if self._app is None:
            made = await anyio.to_thread.run_sync(_streamlit)
            self._app = self._app or made  # two visitors may have come first
        return self._app


def _streamlit() -> ASGIApp:
    """The page by Streamlit; without it, an answer that there is none."""
    if find_spec("streamlit") is None:
        return _without_page
    from streamlit.starlette import App

    script = shipped("app", "main.py")
    sys.path.append(str(script.parent.parent))
    app: ASGIApp = App(script)
    return app


async def _without_page(scope: Scope, receive: Receive, send: Send) -> None:
    await (await not_there(Request(scope)))(scope, receive, send)


def _of_this_site(browser: HTTPConnection) -> bool:
    """Whether a page of this very address asks: other sites' cannot act in somebody's name."""
    origin = browser.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == browser.headers.get("host")


def _form(said: str) -> str:
    return (Path(__file__).parent / "token.html").read_text(encoding="utf-8").replace("SAID", said)
