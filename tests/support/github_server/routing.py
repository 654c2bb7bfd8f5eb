"""The functions that answer requests, by method and path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from github_server.state import LONGEST, Problem

Answer = tuple[int, Any, dict[str, str]]
ROUTES: list[tuple[str, str, Callable[..., Answer]]] = []
REPO = r"/repos/(?P<repo>[\w.-]+/[\w.-]+)"


def route(verb: str, pattern: str) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Let a function answer; it gets the server, the token, what the pattern found, and query or body."""

    def kept(work: Callable[..., Answer]) -> Callable[..., Answer]:
        ROUTES.append((pattern, verb, work))
        return work

    return kept


def text_of(fields: dict[str, Any], name: str, *, needed: bool = True) -> str:
    """A text of the body. Raises Problem where it is missing, no text or too long."""
    text = fields.get(name)
    if not needed and text is None:
        return ""
    if not isinstance(text, str) or not text.strip():
        raise Problem(422, f"Validation Failed: {name} is missing")
    if len(text) > LONGEST:
        raise Problem(422, f"Validation Failed: {name} is too long (maximum is {LONGEST} characters)")
    return text


def user(login: str | None) -> dict[str, Any] | None:
    """Somebody, as GitHub shows them; None where the account is gone."""
    kind = "Bot" if (login or "").endswith("[bot]") else "User"
    return None if login is None else {"login": login, "id": 1, "type": kind}
