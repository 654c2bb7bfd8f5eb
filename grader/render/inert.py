"""Text that nobody obeys: neither a terminal nor the machine that runs a CI job.

GitHub's runner takes a line as a command that begins, after white space of any script, with `::name ...::`, and
one that holds `##[name ...]` anywhere (actions/runner, ActionCommand.cs: TryParseV2, TryParse). It looks for these
signs as .NET compares texts: characters that are never shown count as nothing, also within `::`. Azure Pipelines
looks for `##vso[`, TeamCity for `##teamcity[`. A blank in between ends that, and a person can still
read it; `a[::2]` within a line is nobody's command and stays.
"""

from __future__ import annotations

import json
import re

from grader.report import MAX_FIELD, NEVER_SHOWN, clean, in_one_line

COMMAND = re.compile(
    rf"^((?:[^\S\n]|[{NEVER_SHOWN}])*):(?=:)", re.MULTILINE
)  # what begins a line as one does


def inert(page: str) -> str:
    """Any text for a screen or a log, line by line as it is."""
    page = re.sub(r"##(?=\w*\[)", "# #", clean(page, len(page)))
    return COMMAND.sub(r"\1: ", page)


def one_line(text: str) -> str:
    """Any text for a line of ours: it cannot begin another one."""
    return inert(in_one_line(text, MAX_FIELD))


def json_page(value: object) -> str:
    """Indented JSON, in which no runner finds a command: `##[` reads back as it was.

    It is ASCII, for some readers take a file to be in the encoding of their machine.
    """
    return re.sub(r"##(?=\w*\[)", r"#\\u0023", json.dumps(value, indent=2, allow_nan=False)) + "\n"
