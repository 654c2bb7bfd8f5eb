"""The Content-Security-Policy of our pages: a browser applies and runs what it names by hash, and loads nothing."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def policy(
    styles: Sequence[str],
    scripts: Sequence[str] = (),
    attributes: Sequence[str] = (),
    *,
    pictures: bool = False,
) -> str:
    """Return the policy that allows these texts of `<style>` and `<script>` elements and of `style` attributes.

    With `pictures` it also allows images that stand in the page itself.
    """
    allowed = f"style-src {_hashes([*styles, *attributes])}{' ' + _UNSAFE if attributes else ''}"
    if scripts:
        allowed += f"; script-src {_hashes(scripts)}"
    if pictures:
        allowed += "; img-src data:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


_UNSAFE = "'unsafe-hashes'"  # without it a hash allows no attribute


def _hashes(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
