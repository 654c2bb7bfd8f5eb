"""The classroom reporter, as far as it can be seen in a job's log.

Written from the behaviour of classroom-resources/autograding-grading-reporter, tag v1, and held beside what
its own JavaScript printed of the same variables. The table's frame is left out, its numbers are not.
"""

from __future__ import annotations

import base64
import json
import math
from typing import Any

GREEN, RED, CYAN, MAGENTA, END = "\x1b[32m", "\x1b[31m", "\x1b[36m", "\x1b[35m", "\x1b[0m"


def log_of(**variables: str) -> str:
    """The log of a step with these runners: `log_of(day2=...)` sets the variable DAY2_RESULTS."""
    results = {runner: json.loads(base64.b64decode(value)) for runner, value in variables.items()}
    lines = [line for runner, result in results.items() for line in _console(runner, result)]
    lines.append(f"{MAGENTA}Test runner summary{MAGENTA}")
    lines += [
        f"{runner} | {_js(_share(result))} | {_js(_most(result))}" for runner, result in results.items()
    ]
    tests = [test for result in results.values() for test in result["tests"]]
    passed = sum(test["status"] == "pass" for test in tests)
    lines.append(f"{CYAN}\U0001f3c6 Grand total tests passed: {passed}/{len(tests)}{END}\n")
    lines += _notices(list(results.values()))
    statuses = [result.get("status") for result in results.values()]
    if "fail" in statuses:
        lines.append("::error::Some tests failed.")
    elif "error" in statuses:
        lines.append("::error::Some tests errored.")
    return "\n".join(lines) + "\n"


def _console(runner: str, result: dict[str, Any]) -> list[str]:
    lines = [f"\U0001f504 Processing: {runner}"]
    for test in result["tests"]:
        lines += _told(test)
    if _most(result):
        share = _share(result)
        lines += [f"Total points for {runner}: {share:.2f}/{_js(_most(result))}\n"]
    return lines


def _told(test: dict[str, Any]) -> list[str]:
    """A name where it passed or failed, a message only where it erred, the code wherever there is some."""
    line = "" if test.get("line_no", "undefined") == 0 else f" - line {test.get('line_no', 'undefined')}"
    name = test.get("name", "undefined")
    match test["status"]:
        case "pass":
            said = f"{GREEN}\u2705 {name}{line}{END}"
        case "error":
            message = test.get("message") or f"Failed to run test '{name}'"
            said = f"Error: {message}\n{END}"
        case _:
            said = f"{RED}\u274c {name}{line}{END}"
    code = test.get("test_code")
    return [said, *([f"Test code:\n{code}\n"] if code else [])]


def _notices(results: list[dict[str, Any]]) -> list[str]:
    """The sums that the service read; none where nothing can be earned."""
    worth = [result for result in results if _most(result)]
    if not worth:
        return []
    points = _js(sum(test.get("score", float("nan")) for result in worth for test in result["tests"]))
    most = _js(sum(_most(result) for result in worth))
    summary = f'{{"totalPoints":{points},"maxPoints":{most}}}'
    return [
        f"::notice title=Autograding complete::Points {points}/{most}",
        f"::notice title=Autograding report::{summary}",
    ]


def _most(result: dict[str, Any]) -> float:
    return result.get("max_score") or 0


def _share(result: dict[str, Any]) -> float:
    """Tests that passed, not points; 0 of 0 is not a number in JavaScript."""
    passed = [test for test in result["tests"] if test["status"] == "pass"]
    return len(passed) / len(result["tests"]) * _most(result) if result["tests"] else float("nan")


def _js(value: float) -> str:
    """A number as JavaScript prints it."""
    if math.isnan(value):
        return "NaN"
    return str(int(value)) if value == int(value) else str(value)
