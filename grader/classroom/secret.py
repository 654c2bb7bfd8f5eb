"""Secrets of GitHub Actions: sealed here with the repository's public key, so that only GitHub can read them.

GitHub's REST documentation, "REST API endpoints for GitHub Actions Secrets": the value is a sealed box of libsodium
(PyNaCl), in Base64. Nobody can read a secret back. The token needs `secrets: write` in the repository.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Refused

if TYPE_CHECKING:
    from grader.classroom.github.api import Api


class _Key(msgspec.Struct):
    key_id: str
    key: str


def has_secret(api: Api, place: str, name: str) -> bool:
    """Return True if the repository `place` has a secret of this name. Raises RequestFailed."""
    return api.find("GET", f"/repos/{place}/actions/secrets/{name}", msgspec.Raw) is not None


def set_secret(api: Api, place: str, name: str, value: str) -> None:
    """Set a secret of a repository. Raises RequestFailed, and Refused without PyNaCl."""
    home = f"/repos/{place}/actions/secrets"
    key = api.ask("GET", f"{home}/public-key", _Key)
    api.ask("PUT", f"{home}/{name}", msgspec.Raw, encrypted_value=_sealed(key.key, value), key_id=key.key_id)


def _sealed(key: str, value: str) -> str:
    try:
        from nacl.public import PublicKey, SealedBox
    except ImportError as error:
        raise Refused(
            "PyNaCl is not installed, and GitHub takes only sealed secrets; install it with "
            "`pip install 'backgrade[classroom]'`"
        ) from error
    box = SealedBox(PublicKey(base64.b64decode(key)))
    return base64.b64encode(box.encrypt(value.encode())).decode()
