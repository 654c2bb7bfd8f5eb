"""The secrets of Actions: a public key to seal them with, and nobody reads one back."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, SealedBox

from github_server.routing import REPO, Answer, route, text_of
from github_server.state import Problem, Token

if TYPE_CHECKING:
    from github_server.server import GitHub

KEY = PrivateKey(bytes(range(32)))
KEY_ID = "012345678912345678"
SECRET = rf"{REPO}/actions/secrets/(?P<name>[A-Z_][A-Z0-9_]*)"


@route("GET", rf"{REPO}/actions/secrets/public-key")
def get_key(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    github.seen(found["repo"], token, ("secrets",), "read")
    return 200, {"key_id": KEY_ID, "key": base64.b64encode(bytes(KEY.public_key)).decode()}, {}


@route("GET", SECRET)
def get_secret(github: GitHub, token: Token | None, found: re.Match[str], query: Any) -> Answer:
    repository = github.seen(found["repo"], token, ("secrets",), "read")
    if found["name"] not in repository.secrets:
        raise Problem(404, "Not Found")
    at = "2025-11-20T12:00:00Z"
    return 200, {"name": found["name"], "created_at": at, "updated_at": at}, {}


@route("PUT", SECRET)
def put_secret(github: GitHub, token: Token | None, found: re.Match[str], fields: dict[str, Any]) -> Answer:
    repository = github.writable(found["repo"], token, ("secrets",))
    if text_of(fields, "key_id") != KEY_ID:
        raise Problem(422, "Validation Failed")
    try:
        sealed = base64.b64decode(text_of(fields, "encrypted_value"), validate=True)
        opened = SealedBox(KEY).decrypt(sealed).decode()
    except (ValueError, CryptoError):
        raise Problem(422, "Bad Request - improperly encrypted secret") from None
    known = found["name"] in repository.secrets
    repository.secrets[found["name"]] = opened
    return (204, None, {}) if known else (201, {}, {})
