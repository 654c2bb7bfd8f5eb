"""An HTML page in one file: a browser applies and runs what its policy names by hash, and loads nothing."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.render.escape import escape_html, json_in_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

START = "<!DOCTYPE html>"  # of every page
_UNSAFE = "'unsafe-hashes'"  # without it a hash allows no attribute


class PageScript(NamedTuple):
    """The script of a page, and the data that it reads from the element `name`, which no browser executes."""

    text: str
    name: str
    data: object


def html_page(
    title: str,
    body: str,
    styles: Sequence[str],
    *,
    script: PageScript | None = None,
    attributes: Sequence[str] = (),
) -> str:
    """Return a page of HTML in `body`, which is escaped already; `title` is plain text.

    The policy allows these styles, this script and `style` attributes with these texts.
    """
    allowed = f"style-src {_hashes([*styles, *attributes])}{' ' + _UNSAFE if attributes else ''}"
    end = ""
    if script:
        allowed += f"; script-src {_hashes([script.text])}"
        data = json_in_script(msgspec.json.encode(script.data))
        end = f'<script type="application/json" id="{script.name}">{data}</script>\n<script>{script.text}</script>\n'
    elements = "\n".join(f"<style>{style}</style>" for style in styles)
    return f"""{START}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape_html(title)}</title>
{elements}
</head>
<body>
{body}
{end}</body>
</html>
"""


def _hashes(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
