"""The report as a page of its own: one file that fetches nothing, runs nothing and sends nothing.

Its policy lets a browser apply the styles that stand here and the widths of bars, and nothing else, also
where an escape should have been forgotten.
"""

from __future__ import annotations

import base64
import hashlib
import re

from grader.render.fragment import FRAGMENT_STYLE, escape, render_fragment
from grader.report import Report, with_texts

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { margin: 0 auto; max-width: 64em; padding: 1.5em; }
@media (max-width: 40em) { main { padding: 1em; } }
"""


def render_html(report: Report) -> str:
    """A page around the fragment, in the light or dark colours that the reader prefers."""
    body = render_fragment(report)
    name = with_texts(report.assignment, escape)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(body)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name.id}: {name.title}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def _policy(body: str) -> str:
    widths = sorted(set(re.findall(r'style="(width: [\d.]+%)"', body)))
    hashes = " ".join(map(_hash, [_STYLE, FRAGMENT_STYLE, *widths]))
    attributes = " 'unsafe-hashes'" if widths else ""
    return f"default-src 'none'; style-src {hashes}{attributes}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
