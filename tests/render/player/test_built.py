"""The built files of the player, as they are committed. `.ci/player` compares them with their sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.render.player import play_page

FOLDER = Path(__file__).resolve().parents[3] / "grader" / "render" / "player"
MOST = 400_000  # bytes of a page

# Addresses that are names, not places: nothing is fetched from them.
NAMES = {"http://www.w3.org/2000/svg"}


def built(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_a_page_is_small() -> None:
    """A student's page with the lesson opens at once, also when it comes by mail."""
    assert len(play_page([]).encode()) < MOST


@pytest.mark.parametrize("name", ["player.js", "player.css"])
def test_nothing_is_fetched(name: str) -> None:
    """There is no address, no import, and no way to send or load anything."""
    text = re.sub(r"^/\*.*?\*/", "", built(name), flags=re.DOTALL)  # the license of dagre
    addresses = set(
        re.findall(
            r"""(?:https?|wss?|ftp)://[^\s"'`)]*|(?<=["'`])(?:data|blob):[^\s"'`)]*|(?<=["'`(])//\w[^\s"'`)]*""",
            text,
        )
    )
    ways = re.findall(
        r"\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|Worker|importScripts)\b", text
    )
    ways += re.findall(r"@import|\burl\(|\bimport\(", text)

    assert (addresses - NAMES, ways) == (set(), [])


def test_no_text_becomes_code_or_markup() -> None:
    """The policy of the page would forbid the first; the second would make markup of a student's text."""
    code = r"\beval\(|\bnew Function\b|(?<![.\w])Function\("
    markup = r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|createContextualFragment)\b"

    assert re.findall(f"{code}|{markup}", built("player.js")) == []


def test_the_license_of_dagre_is_in_the_file() -> None:
    """The license of the one package that is built in wants its text in every copy."""
    assert "Chris Pettitt" in built("player.js")
    assert "Permission is hereby granted" in built("player.js")


def test_the_script_does_not_end_its_element() -> None:
    """The page holds the script as it is; such a text would end it."""
    assert re.findall(r"</script|<!--", built("player.js"), re.IGNORECASE) == []
    assert "</style" not in built("player.css").lower()
