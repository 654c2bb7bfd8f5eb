"""Escaping, a function for each format: a student's text is shown, but no terminal or program acts on it.

`escape` is for terminals and the logs of CI jobs. Every format begins with it, because any output may land in a log.

- A terminal acts on control characters; a sanitized text holds none.
- GitHub's runner takes a line as a command that begins, after white space of any script, with `::name ...::`, and
  one that holds `##[name ...]` anywhere (actions/runner, ActionCommand.cs: TryParseV2, TryParse). It compares texts
  as .NET does: it skips characters that are never shown, also within `::`. Azure Pipelines looks for `##vso[`,
  TeamCity for `##teamcity[`. A space in between breaks the command, and a person can still read the text.
  `a[::2]` within a line is no command and stays.
- Jenkins' JUnit Attachments plugin publishes the file that `[[ATTACHMENT|PATH]]` names in any output.
- GitHub reads Markdown twice. First it finds the structure (the GFM specification); entities stop that. Then it
  links mentions, numbers of issues, commits, addresses, emoji and formulas in the text that a reader would see,
  and there `&#64;all` is a mention again. It leaves code alone. So a word that could be linked is shown as code,
  which a reader can still copy, and entities do the rest.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec

from grader.report import MAX_FIELD, NEVER_SHOWN, escape_json, one_line, sanitize

if TYPE_CHECKING:
    from collections.abc import Callable

# The beginning of a line that a runner would take for a command.
COMMAND = re.compile(rf"^((?:[^\S\n]|[{NEVER_SHOWN}])*):(?=:)", re.MULTILINE)


# --- Terminals and logs


def escape(page: str) -> str:
    """Escape a text of several lines for a terminal or a log."""
    page = sanitize(page, len(page))
    if "##" in page:
        page = re.sub(r"##(?=\w*\[)", "# #", page)
    return COMMAND.sub(r"\1: ", page) if "::" in page else page


def escape_line(text: str) -> str:
    """Escape a text for one line of a terminal or a log; it cannot begin another line."""
    return escape(one_line(text, MAX_FIELD))


# --- Files for programs


def json_page(value: object) -> str:
    """Return indented JSON in which no runner finds a command.

    It is ASCII, because some readers assume the encoding of their machine.
    """
    return escape_json(json.dumps(value, indent=2, allow_nan=False)) + "\n"


# Characters that could end the script element, or begin a command of a CI job's runner.
_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&#"}


def json_in_script(value: object) -> str:
    """Return JSON in ASCII for a script element of the type application/json; decoding gives the same data."""
    return json.dumps(value, default=msgspec.to_builtins, separators=(",", ":")).translate(_SCRIPT)


def escape_junit(text: str) -> str:
    """Escape a text for one line of a JUnit file, so that it names no file to publish. ElementTree escapes XML."""
    return escape_line(text).replace("[[ATTACHMENT|", "[ [ATTACHMENT|")


# --- Markdown

# Text that GitHub links or replaces.
_LINKED = re.compile(
    r"""
    [@#$\[] | //                        # mentions, issues, formulas, tasks ([ ]), addresses
    | \w\.[^\W\d] | www\.               # www.example.org, day2.py, a.data
    | :[\w+-]+:                         # :tada:
    | (?<![^\W_])[0-9a-f]{7,}(?![^\W_]) # a commit
    | \b[a-z][a-z0-9]*-\d | \bghsa-     # GH-1, CVE-2026-1 and what else a repository may link
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CODE_LIKE = re.compile(r"(?=.*[^\W_])(?=.*[\\_*~|<>&^{}\[\]])")  # a name or a term: `swap_rule`, `a*b`
_SIGNS = str.maketrans({sign: f"&#{ord(sign)};" for sign in r"#$&*<>@[\]^_`{|}~"})
_BEFORE, _AFTER = "(\"'", ".,;:!?)\"'"  # around a word


def escape_markdown(text: str) -> str:
    """Escape a paragraph or an item of a list, so that its first character begins neither a list nor a heading."""
    text = " ".join(escape(text).split())
    number = re.match(r"\d+(?=[.)])", text)
    end = number.end() if number else 0
    if text[end : end + 1] in {*"-+=.)"}:
        return f"{text[:end]}&#{ord(text[end])};{inline_markdown(text[end + 1 :])}"
    return inline_markdown(text)


def inline_markdown(text: str, code: Callable[[str], str] | None = None) -> str:
    """Escape words within a line; text between backticks becomes code."""
    code = code or code_markdown
    parts = re.split(r"`([^`\n]{1,200})`", text)
    escaped = "".join(code(part) if i % 2 else _words(part, code) for i, part in enumerate(parts))
    return escaped.replace("``", "` `")  # two codes without a space would be one


def _words(text: str, code: Callable[[str], str]) -> str:
    return "".join(_word(word, code) for word in re.split(r"(\s+)", text))


def _word(word: str, code: Callable[[str], str]) -> str:
    """Escape one word, as code if GitHub would link it or if it is a name; commas and brackets stay outside."""
    if not (_LINKED.search(word) or _CODE_LIKE.match(word)):
        return entities(word)
    core = word.lstrip(_BEFORE).rstrip(_AFTER)
    start = word.index(core)
    rest = word[start + len(core) :]
    closed = min(core.count("(") - core.count(")"), len(rest) - len(rest.lstrip(")")))
    end = start + len(core) + max(0, closed)  # the brackets of a call are its own
    return f"{word[:start]}{code(word[start:end])}{word[end:]}" if core else code(word)


def code_markdown(text: str) -> str:
    """Format code between backticks; characters that could end it become separate elements."""
    parts = re.split(r"([`|$]+)", text.strip())
    return "".join(element(part) if i % 2 else f"`{part}`" for i, part in enumerate(parts) if part)


def element(text: str) -> str:
    """Format code as an HTML element, where GitHub reads no Markdown, as in a summary. Elsewhere it would link addresses."""
    text = text.strip()
    return f"<code>{entities(text)}</code>" if text else ""


def entities(text: str) -> str:
    """Replace the characters that Markdown interprets by entities."""
    return text.translate(_SIGNS)
