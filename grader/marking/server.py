"""The server of the page, on 127.0.0.1 only, and the guard of its requests.

The first address has a token. The token becomes a cookie that scripts cannot read and no other site can send. Each request
must have the cookie and name this host, so that no other host name leads here. A change must be JSON from the page's own
origin. The pages run and fetch only what comes from this server.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from grader.errors import Refused
from grader.marking.answers import redrawn
from grader.marking.desk import MarkingRequest
from grader.render.htmlpage import asset, fill, page_style

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request as Asked

    from grader.marking.answers import CellOutput, ManualAnswer
    from grader.marking.desk import MarkingDesk

LARGEST = 64 << 10  # bytes of a request's body
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
MOST_PICTURES = 64  # redrawn pictures that are kept


class MarkingPages:
    """The addresses of one desk's page. `run` runs a cell of an answer again."""

    def __init__(
        self, desk: MarkingDesk, run: Callable[[ManualAnswer, int], list[CellOutput]], host: str
    ) -> None:
        self.desk, self.host = desk, host
        self.token, self.cookie = secrets.token_urlsafe(32), "backgrade"
        # Cookies do not depend on the port. Browsers send this one only below this path, so no other server here sees it.
        self.path = f"/{secrets.token_urlsafe(12)}/"
        self.address = f"http://{host}{self.path}?token={self.token}"  # to open first
        self._run, self._running, self._drawing = run, asyncio.Lock(), asyncio.Lock()
        self._redrawn = lru_cache(maxsize=MOST_PICTURES)(lambda name: redrawn(desk.pictures.get(name, b"")))

    def app(self) -> Starlette:
        """Return the application."""
        desk, style, script = self.desk, page_style() + asset("marking/marks.css"), asset("marking/marks.js")
        pages: list[tuple[str, str, Callable[[Asked], Awaitable[Response]]]] = [
            ("GET", "", self.show),
            ("GET", "marks.css", partial(_file, style, "text/css")),
            ("GET", "marks.js", partial(_file, script, "text/javascript")),
            ("GET", "picture", self.picture),
            ("POST", "run", self.run_again),
            ("POST", "mark", partial(self.change, desk.save)),
            ("POST", "leave", partial(self.change, desk.leave)),
            ("POST", "join", partial(self.change, desk.join)),
            ("POST", "request", partial(self.change, desk.request)),
        ]
        guarded = [(method, self.path + name, self._guard(do)) for method, name, do in pages]
        return Starlette(routes=[Route(path, do, methods=[method]) for method, path, do in guarded])

    def _guard(self, page: Callable[[Asked], Awaitable[Response]]) -> Callable[[Asked], Awaitable[Response]]:
        async def answer(asked: Asked) -> Response:
            try:
                response = self._refusal(asked) or await page(asked)
            except Refused as error:
                response = JSONResponse({"error": self.desk.hide(str(error))}, 409)
                if "group" in asked.query_params:  # a group that is not there any more
                    response = RedirectResponse(self.path, 303)
            response.headers.update(HEADERS)
            return response

        return answer

    def _refusal(self, asked: Asked) -> Response | None:
        """Return the response to a refused request, None for an allowed one. A token is exchanged for the cookie."""
        token, known = asked.query_params.get("token", ""), asked.cookies.get(self.cookie, "")
        ours, changes = asked.headers.getlist("host") == [self.host], asked.method != "GET"
        if ours and not changes and secrets.compare_digest(token.encode(), self.token.encode()):
            response = RedirectResponse(self.path, 303)
            response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path=self.path)
            return response
        stranger = not secrets.compare_digest(known.encode(), self.token.encode())
        other_site = asked.headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}
        other_page = changes and asked.headers.get("origin") != f"http://{self.host}"
        other_form = changes and asked.headers.get("content-type") != "application/json"
        refusals = (  # the first that fits
            (not ours, 421, "this is not the address of the page"),
            (stranger, 403, "open the address that `grade mark` printed: paste it into the address bar"),
            (other_site or other_page, 403, "this request came from another page"),
            (other_form, 415, "a change must be JSON"),
        )
        return next((Response(words, status) for refused, status, words in refusals if refused), None)

    # --- Pages

    async def show(self, asked: Asked) -> Response:
        """Return the page of a group, or of all groups."""
        key = asked.query_params.get("group", "")
        template, values = ("page", self.desk.page(key)) if key else ("list", self.desk.list_page())
        title = f"{values['assignment'].name}: marks"
        page = fill(f"marking/{template}.html", title=title, policy=POLICY, **values)
        return Response(str(page), media_type="text/html")

    async def picture(self, asked: Asked) -> Response:
        """Return a picture, redrawn."""
        async with self._drawing:
            drawn = await run_in_threadpool(self._redrawn, asked.query_params.get("name", ""))
        return Response(drawn, media_type="image/png") if drawn else Response("no picture", 404)

    # --- Changes

    async def change(self, do: Callable[[MarkingRequest], str], asked: Asked) -> Response:
        """Do what a request asks, and return the group to show next."""
        return JSONResponse({"group": do(await _body(asked))})

    async def run_again(self, asked: Asked) -> Response:
        """Run a cell again, one at a time, and return its text and its pictures, redrawn."""
        of = await _body(asked)
        async with self._running:
            outputs = await run_in_threadpool(self._run, self.desk.find(of.group).first, of.cell)
            drawn = [await run_in_threadpool(redrawn, one.picture) for one in outputs]
        pictures = (base64.b64encode(picture or b"").decode() for picture in drawn)
        texts = (self.desk.clean(one.text) for one in outputs)
        return JSONResponse([{"text": text, "picture": p} for text, p in zip(texts, pictures, strict=True)])


async def _file(text: str, media: str, _: Asked) -> Response:
    return Response(text, media_type=media)


async def _body(asked: Asked) -> MarkingRequest:
    """Return a request's body. Raises Refused if it is too large or of another form."""
    data = bytearray()
    async for chunk in asked.stream():
        data += chunk
        if len(data) > LARGEST:
            raise Refused(f"the text is too long; at most {LARGEST >> 10} KB")
    try:
        return msgspec.json.decode(data, type=MarkingRequest)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused(f"the page sent an unexpected request: {error}; reload the page") from error
