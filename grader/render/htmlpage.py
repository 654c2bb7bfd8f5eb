"""HTML from templates: a page in one file, whose policy names by hash the styles and scripts that a browser may use.

A template lies next to the module that fills it; its name is its path below `grader/`. All output of a template is
escaped, as a line of a log and as HTML, unless it came from a template. The first template imports Jinja2.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.render.escape import escape, json_in_script
from grader.render.layout import short_number
from grader.render.words import points_text
from grader.report import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parents[1]
START = "<!DOCTYPE html>"  # of every page
_UNSAFE = "'unsafe-hashes'"  # without it a hash allows no attribute


class PageScript(NamedTuple):
    """The script of a page, and the data that it reads from the element `name`, which browsers do not execute."""

    text: str
    name: str
    data: object


@functools.cache
def environment() -> Environment:
    """Return the environment that loads, caches and fills templates; an undefined name in a template is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=-1,
        auto_reload=False,
    )
    made.filters |= {
        "between_quotes": _between_quotes,
        "json": _json,
        "line": one_line,
        "number": short_number,
        "points": points_text,
        "split_code": functools.partial(re.split, r"`([^`\n]{1,200})`"),
    }
    return made


def _inert(value: object) -> object:
    """Escape a text for a log; text that is escaped for HTML already is unchanged. None is an error."""
    assert value is not None
    return escape(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _json(value: object) -> str:
    return _as_it_is(json_in_script(value))


def _between_quotes(page: str) -> str:
    """Escape a page for an attribute between single quotes, which are rare in a page."""
    return _as_it_is(page.replace("&", "&amp;").replace("'", "&#x27;"))


def _as_it_is(html: str) -> Markup:
    from markupsafe import Markup

    return Markup(html)  # noqa: S704  only output of a template or of the two functions above


def fill(template: str, **values: Any) -> Markup:
    """Return a part of a page, which other templates print unescaped."""
    return _as_it_is(environment().get_template(template).render(values))


def html_page(
    template: str,
    title: str,
    styles: Sequence[str],
    *,
    script: PageScript | None = None,
    attributes: Iterable[str] = (),
    **values: Any,
) -> str:
    """Return a page from a template that extends `render/page.html`.

    The policy allows these styles, after that of every page, this script and `style` attributes with these texts.
    """
    styles, attributes = [page_style(), *styles], sorted(set(attributes))
    allowed = f"style-src {_hashes([*styles, *attributes])}{' ' + _UNSAFE if attributes else ''}"
    if script:
        allowed += f"; script-src {_hashes([script.text])}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return str(fill(template, title=title, styles=styles, script=script, policy=policy, **values))


@functools.cache
def asset(name: str) -> str:
    """Return a style sheet or a script by its path below `grader/`."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def page_style() -> str:
    """Return the style sheet of every page."""
    return asset("render/tokens.css") + asset("render/page.css")


def _hashes(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
